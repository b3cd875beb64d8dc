import { controlPeriod, softCeiling, usable } from './shaping.js';
import { VoiceColour } from './voice-colour.js';
import { voicePresets } from './voice-settings.js';
import { shifterLatency, VoiceShifter } from './voice-shifter.js';

/** About 40 ms. */
const fadeFrames = 60 * controlPeriod;

/**
 * Gives a speaker another voice. It comes out 32 ms later while a preset is on, at once while none is. A new preset fades in
 * over 40 ms; when the first one is switched on, the fade waits until the changed voice has arrived, so that no gap is
 * heard. Never louder than full scale, free of DC, and the same sound each time: chance inside is seeded.
 */
export class VoiceChanger {
  /** 0…11, see `voiceNames`. Of several changes within one fade the last one counts. */
  preset = 0;

  #shifter = new VoiceShifter();
  #current = new VoiceColour();
  #former = new VoiceColour();
  #playing = 0;
  #fading = 0;
  #fadeLeft = 0;
  /** Frames until the shifter has something to say. */
  #primingLeft = 0;
  #periodFrame = 0;
  #dry = new Float32Array(controlPeriod);
  #new = new Float32Array(controlPeriod);
  #old = new Float32Array(controlPeriod);

  /** @param {number} [preset] */
  constructor(preset = 0) {
    this.preset = preset;
    this.reset();
  }

  /** Frames. */
  get latency() {
    return this.preset === 0 ? 0 : shifterLatency;
  }

  /** Forgets all sound; the preset stays and begins without a fade. */
  reset() {
    this.#periodFrame = 0;
    this.#fadeLeft = 0;
    this.#primingLeft = 0;
    this.#shifter.clear();
    this.#playing = this.preset;
    this.#configure();
  }

  #configure() {
    const settings = voicePresets[this.#playing];
    if (!settings) return;
    this.#shifter.configure(settings.shifter);
    this.#current.configure(settings.colour);
  }

  /**
   * In place.
   * @param {Float32Array} sound @param {number} frames
   */
  process(sound, frames) {
    if (this.#playing === 0 && this.preset === 0 && this.#fadeLeft === 0) return;
    for (let start = 0; start < frames; ) {
      const count = Math.min(frames - start, controlPeriod - this.#periodFrame);
      if (this.#periodFrame === 0) this.#changePreset();
      this.#run(sound, start, count);
      this.#periodFrame = (this.#periodFrame + count) % controlPeriod;
      start += count;
    }
  }

  #changePreset() {
    if (this.#fadeLeft > 0 || this.preset === this.#playing) return;
    const former = this.#former;
    this.#former = this.#current;
    this.#current = former;
    this.#fading = this.#playing;
    this.#playing = this.preset;
    this.#fadeLeft = fadeFrames;
    if (this.#playing !== 0 && this.#fading === 0) {
      this.#shifter.clear();
      this.#primingLeft = shifterLatency;
    }
    this.#configure();
  }

  /** @param {Float32Array} sound @param {number} start @param {number} count */
  #run(sound, start, count) {
    const startsPeriod = this.#periodFrame === 0;
    for (let frame = 0; frame < count; frame++)
      this.#new[frame] = this.#dry[frame] = usable(sound[start + frame]);
    this.#shifter.process(this.#new, count);
    const fades = this.#fadeLeft > 0;
    if (fades) {
      const source = this.#fading === 0 ? this.#dry : this.#new;
      for (let frame = 0; frame < count; frame++) this.#old[frame] = source[frame];
      if (this.#fading !== 0) {
        this.#former.process(this.#old, count, startsPeriod);
        softCeiling(this.#old, 0, count);
      }
    }
    let result = this.#dry;
    if (this.#playing !== 0) {
      result = this.#new;
      this.#current.process(result, count, startsPeriod);
      softCeiling(result, 0, count);
    }
    for (let frame = 0; frame < count; frame++) {
      let sample = result[frame];
      if (fades) {
        const left =
          this.#primingLeft > frame ? fadeFrames : this.#fadeLeft - Math.max(0, frame - this.#primingLeft);
        sample += (Math.max(0, left) / fadeFrames) * (this.#old[frame] - sample);
      }
      sound[start + frame] = sample;
    }
    if (!fades) return;
    const waited = Math.min(this.#primingLeft, count);
    this.#primingLeft -= waited;
    this.#fadeLeft = Math.max(0, this.#fadeLeft - (count - waited));
  }
}
