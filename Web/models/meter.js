import { keepSounding } from '../lib/sound-context.js';

/** Readings a second, as a steady meter needs. */
const everyMs = 50;
/** 40 ms of samples at 48 kHz, rounded to a power of two. */
const windowSamples = 2048;
/** The quietest that moves the meter; full scale is 100. */
const floorDecibels = -60;

/** Loudness of a track, 0…100 over −60…0 dBFS. */
export class LevelMeter {
  #tell;
  /** @type {AudioContext | null} */ #context = null;
  /** @type {MediaStreamAudioSourceNode | null} */ #source = null;
  /** @type {any} */ #timer = null;

  /** @param {(level: number) => void} tell */
  constructor(tell) {
    this.#tell = tell;
  }

  /** @param {MediaStreamTrack} track */
  start(track) {
    this.stop();
    if (!('AudioContext' in globalThis)) return;
    // Before the first click of a page a context sleeps.
    this.#context ??= keepSounding(new AudioContext());
    void this.#context.resume().catch(() => {});
    const analyser = this.#context.createAnalyser();
    analyser.fftSize = windowSamples;
    this.#source = this.#context.createMediaStreamSource(new MediaStream([track]));
    this.#source.connect(analyser);
    const samples = new Float32Array(windowSamples);
    this.#timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      this.#tell(loudness(samples));
    }, everyMs);
  }

  stop() {
    clearInterval(this.#timer);
    this.#source?.disconnect();
    this.#source = null;
  }
}

/**
 * @param {ArrayLike<number>} samples −1…1
 * @returns {number} 0…100
 */
export function loudness(samples) {
  let sum = 0;
  for (let index = 0; index < samples.length; index++) sum += samples[index] ** 2;
  const decibels = 10 * Math.log10(sum / samples.length + 1e-12);
  return Math.round(Math.min(100, Math.max(0, (100 * (decibels - floorDecibels)) / -floorDecibels)));
}
