import { Crossfade } from './crossfade.js';
import { SincKernel } from './sinc-kernel.js';
import { findAlike } from './splice-search.js';

/** Octave up to octave down. */
const limit = 12;
const taps = 32;
/** Frames that are needed beyond the place of reading, and one to spare. */
const ahead = taps / 2 + 1;
/** How long a jump may be, in frames; the difference is the longest period for which an alike place is found: 62 Hz. */
const shortestJump = 384;
const longestJump = 1_152;
const fadeFrames = 256;
/** Frames that are compared, 10 ms. */
const template = 480;
/** A power of two with room for the latest jump and what is compared. */
const ringFrames = 8_192;
const mask = ringFrames - 1;

/** For all falling pitches, and for rising ones by steps of three semitones: what would fold is taken away. */
const kernels = [0, 3, 6, 9, 12].map(semitones => new SincKernel(taps, 0.95 * 2 ** (-semitones / 12)));

/**
 * Makes a voice higher or lower, as long as before: it is read at another speed from a delay line, and whenever the place of
 * reading comes too near to an end of the line it jumps, by a crossfade, to where the sound is most alike. Formants move
 * along. At 0 semitones the sound passes untouched and at once, otherwise it is 11 to 27 ms late.
 */
export class PitchShifter {
  #semitones = 0;
  #ring = new Float32Array(ringFrames);
  #fade = new Crossfade(fadeFrames);
  #faded = fadeFrames;
  #now = 0;
  /** Frames behind the newest, of what is read and of what is being left; −1: the newest itself, as it is. */
  #delay = -1;
  #leaving = -1;
  #ratio = 1;
  #leavingRatio = 1;

  get semitones() {
    return this.#semitones;
  }

  /** Kept within ±12; does not click. */
  set semitones(value) {
    this.#semitones = Math.max(-limit, Math.min(limit, Number.isFinite(value) ? value : 0));
  }

  /** Whether anything is changed; while not, sound need not come by. */
  get busy() {
    return this.#semitones !== 0 || this.#delay >= 0 || this.#faded < fadeFrames;
  }

  reset() {
    this.#ring.fill(0);
    this.#faded = fadeFrames;
    this.#delay = -1;
    this.#leaving = -1;
  }

  /**
   * In place.
   * @param {Float32Array} sound @param {number} frames
   */
  process(sound, frames) {
    for (let frame = 0; frame < frames; frame++) {
      const sample = sound[frame];
      this.#ring[this.#now & mask] = sample;
      if (this.#faded === fadeFrames) this.#turn();
      sound[frame] = this.#next(sample);
      this.#now = (this.#now + 1) & 0x3fffffff;
    }
  }

  /** @param {number} sample the newest */
  #next(sample) {
    let result = this.#delay < 0 ? sample : this.#read(this.#delay, this.#ratio);
    if (this.#faded < fadeFrames) {
      const old = this.#leaving < 0 ? sample : this.#read(this.#leaving, this.#leavingRatio);
      result = this.#fade.rising[this.#faded] * result + this.#fade.falling[this.#faded] * old;
      this.#faded++;
      // What is left may run into the newest sample: then it goes on with it.
      if (this.#leaving >= 0) this.#leaving = Math.max(ahead, this.#leaving + 1 - this.#leavingRatio);
    }
    if (this.#delay >= 0) this.#delay = Math.max(ahead, this.#delay + 1 - this.#ratio);
    return result;
  }

  /** @param {number} delay @param {number} ratio */
  #read(delay, ratio) {
    const whole = Math.ceil(delay);
    const kernel = kernels[ratio <= 1 ? 0 : Math.min(4, Math.ceil(4 * Math.log2(ratio) - 1e-9))];
    return kernel.read(this.#ring, mask, this.#now - whole, whole - delay);
  }

  /**
   * The least delay at which a jump back must begin, so that what is left lasts for the crossfade.
   * @param {number} ratio
   */
  #lowest(ratio) {
    return ahead + 1 + Math.ceil(Math.max(0, ratio - 1) * fadeFrames);
  }

  /** Takes over a new pitch, and begins a crossfade if it is time for one. */
  #turn() {
    if (this.#semitones === 0) {
      if (this.#delay >= 0) this.#begin(-1, 1, 0);
      return;
    }
    const ratio = 2 ** (this.#semitones / 12);
    const lowest = this.#lowest(ratio);
    if (this.#delay < 0) {
      this.#jump(0, 1, lowest + shortestJump, lowest + longestJump, ratio);
      return;
    }
    this.#ratio = ratio;
    const delay = this.#delay;
    if (ratio > 1 && delay < lowest)
      this.#jump(delay, ratio, delay + shortestJump, delay + longestJump, ratio);
    else if (ratio < 1 && delay > ahead + longestJump)
      this.#jump(delay, ratio, Math.max(ahead, delay - longestJump), delay - shortestJump, ratio);
  }

  /**
   * Begins a crossfade from one delay to another between two bounds.
   * @param {number} from @param {number} fromRatio @param {number} lower @param {number} upper @param {number} ratio
   */
  #jump(from, fromRatio, lower, upper, ratio) {
    // What has been heard before the place is compared: what follows it may not have come yet.
    const place = this.#now - Math.ceil(from);
    const first = this.#now - Math.floor(upper) - template;
    const last = this.#now - Math.ceil(lower) - template;
    const alike = findAlike(this.#ring, mask, place - template, template, first, last);
    // A whole number of frames away: both read between the same samples.
    const fraction = Math.ceil(from) - from;
    this.#begin(this.#now - (alike.position + template) - fraction, ratio, alike.correlation, fromRatio);
  }

  /** @param {number} delay @param {number} ratio @param {number} correlation @param {number} [leavingRatio] */
  #begin(delay, ratio, correlation, leavingRatio = this.#ratio) {
    this.#fade.prepare(correlation);
    this.#leaving = this.#delay;
    this.#leavingRatio = leavingRatio;
    this.#delay = delay;
    this.#ratio = ratio;
    this.#faded = 0;
  }
}
