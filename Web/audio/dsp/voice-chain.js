import { PitchShifter } from './pitch-shifter.js';
import { Reverb } from './reverb.js';
import { VoiceChanger } from './voice-changer.js';

/**
 * The way of a voice: pitch, another voice, then the room.
 * @typedef {{pitch: number, changer: number, reverb: number}} VoiceSetting pitch −1…1 (an octave down or up), numbers of the presets
 */
export class VoiceChain {
  #pitch = new PitchShifter();
  #changer = new VoiceChanger();
  #reverb = new Reverb();

  /** @param {Readonly<VoiceSetting>} setting */
  set({ pitch, changer, reverb }) {
    this.#pitch.semitones = pitch * 12;
    this.#changer.preset = changer;
    this.#reverb.preset = reverb;
  }

  /**
   * In place: the voice comes in on the left and leaves on both sides.
   * @param {Float32Array} left @param {Float32Array} right @param {number} frames
   */
  process(left, right, frames) {
    if (this.#pitch.busy) this.#pitch.process(left, frames);
    this.#changer.process(left, frames);
    for (let frame = 0; frame < frames; frame++) right[frame] = left[frame];
    this.#reverb.process(left, right, frames);
  }
}
