import { keepSounding } from './sound-context.js';
import { SoundOutput } from './sound-output.js';

/** @typedef {'seatTaken' | 'seatLeft' | 'request' | 'accepted' | 'muted' | 'ended' | 'tick' | 'gift'} Tone */

/**
 * Notes of each tone in Hz. Short, soft, and never two alike.
 * @type {Record<Tone, number[]>}
 */
const notes = {
  seatTaken: [523.25, 783.99],
  seatLeft: [659.25, 440],
  request: [880, 1174.66, 880],
  accepted: [523.25, 659.25, 783.99],
  muted: [392, 311.13],
  ended: [523.25, 392, 261.63],
  tick: [1046.5],
  gift: [783.99, 987.77, 1318.51],
};
const loudness = 0.06;
/** While somebody speaks the tones step back. */
const ducked = 0.018;

/** Soft tones for what happens in a room. Silent until the page may make sound. */
export class Tones {
  /** @type {AudioContext | null} */ #context = null;
  /** @type {SoundOutput | null} */ #output = null;
  #device = '';

  /** @param {() => boolean} wanted the preference @param {() => boolean} speaking somebody speaks now */
  constructor(wanted, speaking) {
    this.wanted = wanted;
    this.speaking = speaking;
  }

  /** In the click that enters the room. */
  unlock() {
    if (!globalThis.AudioContext) return;
    this.#context ??= keepSounding(new AudioContext());
    this.#output ??= new SoundOutput(this.#context);
    void this.#output.route(this.#device);
    void this.#context.resume().catch(() => {});
  }

  /** @param {string} id of the output device, '' for the system's choice */
  setOutput(id) {
    this.#device = id;
    void this.#output?.route(id);
  }

  /** @param {Tone} tone */
  play(tone) {
    const context = this.#context;
    const out = this.#output?.node;
    if (!context || !out || context.state !== 'running' || !this.wanted()) return;
    const volume = this.speaking() ? ducked : loudness;
    notes[tone].forEach((frequency, i) => {
      const begin = context.currentTime + i * 0.09;
      const gain = context.createGain();
      gain.gain.setValueAtTime(0, begin);
      gain.gain.linearRampToValueAtTime(volume, begin + 0.015);
      gain.gain.exponentialRampToValueAtTime(0.0001, begin + 0.38);
      const oscillator = context.createOscillator();
      oscillator.type = 'sine';
      oscillator.frequency.value = frequency;
      oscillator.connect(gain).connect(out);
      oscillator.start(begin);
      oscillator.stop(begin + 0.4);
    });
  }

  close() {
    this.#output?.close();
    this.#output = null;
    void this.#context?.close().catch(() => {});
    this.#context = null;
  }
}
