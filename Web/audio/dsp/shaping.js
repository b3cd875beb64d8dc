// Sample-wise curves and conversions that the effects share.

/** Frames a second: the worklet's own, 48,000 elsewhere (tests). */
export const rate =
  /** @type {{sampleRate?: number}} */ (/** @type {unknown} */ (globalThis)).sampleRate ?? 48_000;

/** Settings that move slowly are worked out once per so many frames, on a grid that does not depend on block lengths. */
export const controlPeriod = 32;

/** Added inside feedback loops, so that a dying tail never reaches denormal numbers, which are slow: −360 dB. */
export const denormalGuard = 1e-18;

const knee = 0.7;

/**
 * Straight up to 0.7, then bent so that nothing passes ±1: the last stage of an effect that adds sound to sound.
 * @param {Float32Array} sound @param {number} start @param {number} count
 */
export function softCeiling(sound, start, count) {
  for (let frame = start; frame < start + count; frame++) {
    const sample = sound[frame];
    const magnitude = Math.abs(sample);
    if (magnitude <= knee) continue;
    const over = (magnitude - knee) / (1 - knee);
    const bent = Math.min(1, knee + (1 - knee) * (over / (1 + over)));
    sound[frame] = sample < 0 ? -bent : bent;
  }
}

/**
 * A rational stand-in for tanh: slope 1 at rest, ±1 from ±3 on.
 * @param {number} sample
 */
export function saturate(sample) {
  const bounded = sample > 3 ? 3 : sample < -3 ? -3 : sample;
  const square = bounded * bounded;
  return (bounded * (27 + square)) / (27 + 9 * square);
}

/**
 * What is not a usable sample (not a number, infinite, absurdly large) would ring in a feedback loop for ever.
 * @param {number} sample
 */
export function usable(sample) {
  return Math.abs(sample) <= 8 ? sample : 0;
}

/**
 * The step of a first-order low-pass.
 * @param {number} cutoff hertz
 */
export function onePoleCoefficient(cutoff) {
  return 1 - Math.exp((-2 * Math.PI * cutoff) / rate);
}

/** @param {number} decibels */
export function amplitude(decibels) {
  return 10 ** (decibels / 20);
}

/** @param {number} milliseconds */
export function framesOf(milliseconds) {
  return (milliseconds * rate) / 1000;
}

/** Chance that is the same each time: an effect must sound the same twice. */
export class Randomness {
  #state = 0x9e3779b9;

  reset() {
    this.#state = 0x9e3779b9;
  }

  /** 0…1, without 1 */
  unit() {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return (state >>> 8) / (1 << 24);
  }

  /** −1…1 */
  signed() {
    return 2 * this.unit() - 1;
  }
}
