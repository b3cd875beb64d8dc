import { rate } from './shaping.js';

/** −1 dB: what is softer is not touched. */
const threshold = 0.891;
/** Never reached, only approached. */
const ceiling = 0.999;
/** 1.3 ms: long enough for a gain change without crackling, short enough for people who sing together. */
const lookAhead = 64;
const span = lookAhead + 1;
/** Time constant of the way back up, in seconds. */
const release = 0.08;

/**
 * Keeps a mix below full scale without the sound of clipping: below `threshold` the samples pass untouched, only later by
 * the look-ahead; above, the gain has gone down when the peak comes out, and goes back up slowly. Both sides share one gain.
 */
export class Limiter {
  #left = new Float32Array(lookAhead);
  #right = new Float32Array(lookAhead);
  /** Gains asked for within the window, and those let through, whose mean is applied. */
  #wanted = new Float64Array(span).fill(1);
  #gains = new Float64Array(span).fill(1);
  #line = 0;
  #place = 0;
  #released = 1;
  #busy = 0;
  #recovery = 1 - Math.exp(-1 / (release * rate));

  /**
   * In place.
   * @param {Float32Array} left @param {Float32Array} right @param {number} frames
   */
  process(left, right, frames) {
    for (let frame = 0; frame < frames; frame++) {
      const gain = this.#next(Math.max(finite(left, frame), finite(right, frame)));
      const line = this.#line;
      const lateLeft = this.#left[line] * gain;
      const lateRight = this.#right[line] * gain;
      this.#left[line] = left[frame];
      this.#right[line] = right[frame];
      left[frame] = lateLeft > ceiling ? ceiling : lateLeft < -ceiling ? -ceiling : lateLeft;
      right[frame] = lateRight > ceiling ? ceiling : lateRight < -ceiling ? -ceiling : lateRight;
      this.#line = line + 1 === lookAhead ? 0 : line + 1;
    }
  }

  /**
   * The gain for the frame that leaves now, when one with this peak comes in.
   * @param {number} peak
   */
  #next(peak) {
    const wanted = peak > threshold ? gainFor(peak) : 1;
    // So long after the last peak everything is at 1, and nothing has to be worked out.
    if (wanted < 1) this.#busy = span;
    else if (this.#busy === 0 && this.#released === 1) return 1;
    this.#wanted[this.#place] = wanted;
    let lowest = 1;
    if (this.#busy > 0) {
      this.#busy--;
      for (let i = 0; i < span; i++) if (this.#wanted[i] < lowest) lowest = this.#wanted[i];
    }
    const risen = this.#released + (1 - this.#released) * this.#recovery;
    this.#released = Math.min(lowest, risen > 0.99999 ? 1 : risen);
    this.#gains[this.#place] = this.#released;
    this.#place = this.#place + 1 === span ? 0 : this.#place + 1;
    let sum = 0;
    for (let i = 0; i < span; i++) sum += this.#gains[i];

    return sum / span;
  }
}

/**
 * The size of a sample; one that is no number would silence the room for good.
 * @param {Float32Array} sound @param {number} frame
 */
function finite(sound, frame) {
  const size = Math.abs(sound[frame]);
  if (size <= 1e6) return size;
  sound[frame] = 0;
  return 0;
}

/**
 * The soft knee: never above the ceiling, and as steep as what is below the threshold where it begins.
 * @param {number} peak
 */
function gainFor(peak) {
  const room = ceiling - threshold;
  return (threshold + room * Math.tanh((peak - threshold) / room)) / peak;
}
