import { rate } from './shaping.js';

// Second-order filters by R. Bristow-Johnson, "Cookbook formulae for audio EQ biquad filter coefficients".

/**
 * y = b₀x + b₁x' + b₂x'' − a₁y' − a₂y'', normalised to a₀ = 1.
 * @typedef {readonly [number, number, number, number, number]} Coefficients
 */

/** The flattest pass band (Butterworth). */
const flattest = Math.SQRT1_2;

/** @param {number} frequency hertz @param {number} q */
function angle(frequency, q) {
  const w = (2 * Math.PI * Math.max(1, Math.min(0.49 * rate, frequency))) / rate;
  return { c: Math.cos(w), alpha: Math.sin(w) / (2 * q) };
}

/**
 * @param {number} b0 @param {number} b1 @param {number} b2 @param {number} a0 @param {number} a1 @param {number} a2
 * @returns {Coefficients}
 */
function normalised(b0, b1, b2, a0, a1, a2) {
  return [b0 / a0, b1 / a0, b2 / a0, a1 / a0, a2 / a0];
}

/** @param {number} frequency hertz of −3 dB @param {number} [q] */
export function lowPass(frequency, q = flattest) {
  const { c, alpha } = angle(frequency, q);
  return normalised((1 - c) / 2, 1 - c, (1 - c) / 2, 1 + alpha, -2 * c, 1 - alpha);
}

/** @param {number} frequency hertz of −3 dB @param {number} [q] */
export function highPass(frequency, q = flattest) {
  const { c, alpha } = angle(frequency, q);
  return normalised((1 + c) / 2, -(1 + c), (1 + c) / 2, 1 + alpha, -2 * c, 1 - alpha);
}

/**
 * A bell.
 * @param {number} frequency hertz @param {{q: number, gain: number}} shape gain in decibels
 */
export function peak(frequency, { q, gain }) {
  const { c, alpha } = angle(frequency, q);
  const a = 10 ** (gain / 40);
  return normalised(1 + alpha * a, -2 * c, 1 - alpha * a, 1 + alpha / a, -2 * c, 1 - alpha / a);
}

/**
 * `gain` dB above the frequency, 0 dB below.
 * @param {number} frequency hertz @param {{gain: number}} shape
 */
export function highShelf(frequency, { gain }) {
  const a = 10 ** (gain / 40);
  const { c, alpha } = angle(frequency, flattest);
  const root = 2 * Math.sqrt(a) * alpha;
  return normalised(
    a * (a + 1 + (a - 1) * c + root),
    -2 * a * (a - 1 + (a + 1) * c),
    a * (a + 1 + (a - 1) * c - root),
    a + 1 - (a - 1) * c + root,
    2 * (a - 1 - (a + 1) * c),
    a + 1 - (a - 1) * c - root,
  );
}

/** A second-order filter of one channel (transposed direct form II). */
export class Biquad {
  /** @type {Coefficients} */ coefficients = [1, 0, 0, 0, 0];
  #first = 0;
  #second = 0;

  clear() {
    this.#first = 0;
    this.#second = 0;
  }

  /**
   * In place.
   * @param {Float32Array} sound @param {number} count
   */
  process(sound, count) {
    const coefficients = this.coefficients;
    const b0 = coefficients[0];
    const b1 = coefficients[1];
    const b2 = coefficients[2];
    const a1 = coefficients[3];
    const a2 = coefficients[4];
    let first = this.#first;
    let second = this.#second;
    for (let frame = 0; frame < count; frame++) {
      const x = sound[frame];
      const y = b0 * x + first;
      first = b1 * x - a1 * y + second;
      second = b2 * x - a2 * y;
      sound[frame] = y;
    }
    // Below this the memory is cleared: arithmetic on subnormal numbers is a hundred times slower.
    this.#first = Math.abs(first) < 1e-30 ? 0 : first;
    this.#second = Math.abs(second) < 1e-30 ? 0 : second;
  }
}
