import { denormalGuard, onePoleCoefficient } from './shaping.js';

/** The latest sound of one channel, readable at any delay up to the capacity. Memory is taken once. */
export class DelayLine {
  /** @type {Float32Array} */ samples;
  /** @type {number} */ mask;
  /** Where the next sample goes; grows without end, wrapped by the mask. */
  position = 0;

  /** @param {number} frames room for at least so many */
  constructor(frames) {
    let capacity = 1;
    while (capacity < frames + 2) capacity *= 2;
    this.mask = capacity - 1;
    this.samples = new Float32Array(capacity);
  }

  clear() {
    this.samples.fill(0);
    this.position = 0;
  }

  /** @param {number} sample */
  write(sample) {
    this.samples[this.position & this.mask] = sample;
    this.position = (this.position + 1) & 0x3fffffff;
  }

  /**
   * The sample written `delay` (a whole number, ≥ 1) writes ago.
   * @param {number} delay
   */
  at(delay) {
    return this.samples[(this.position - delay) & this.mask];
  }

  /**
   * Between two samples, by a straight line.
   * @param {number} delay ≥ 1
   */
  between(delay) {
    const whole = Math.floor(delay);
    const near = this.samples[(this.position - whole) & this.mask];
    const far = this.samples[(this.position - whole - 1) & this.mask];
    return near + (delay - whole) * (far - near);
  }

  /** @param {Float32Array} sound @param {number} count from its beginning */
  writeBlock(sound, count) {
    for (let frame = 0; frame < count; frame++) this.write(sound[frame]);
  }

  /**
   * Adds what lies `delay` (≥ 0) frames before the block written last.
   * @param {number} delay @param {number} gain @param {Float32Array} sum @param {number} count
   */
  addTo(delay, gain, sum, count) {
    const { samples, mask } = this;
    const start = this.position - count - delay;
    for (let frame = 0; frame < count; frame++) sum[frame] += gain * samples[(start + frame) & mask];
  }

  /**
   * A Schroeder all-pass in place: every frequency at the same level, spread over time.
   * @param {Float32Array} sound @param {number} length ≥ `count` @param {number} gain @param {number} count
   */
  smear(sound, length, gain, count) {
    for (let frame = 0; frame < count; frame++) {
      const past = this.at(length);
      const inner = sound[frame] - gain * past + denormalGuard;
      this.write(inner);
      sound[frame] = past + gain * inner;
    }
  }
}

/** A first-order low-pass; what it takes away is the high-pass. */
export class OnePole {
  #coefficient;
  #state = 0;

  /** @param {number} cutoff hertz */
  constructor(cutoff) {
    this.#coefficient = onePoleCoefficient(cutoff);
  }

  /** @param {number} cutoff hertz */
  tune(cutoff) {
    this.#coefficient = onePoleCoefficient(cutoff);
    this.#state = 0;
  }

  clear() {
    this.#state = 0;
  }

  /** @param {number} sample */
  low(sample) {
    this.#state += this.#coefficient * (sample - this.#state);
    return this.#state;
  }

  /** @param {Float32Array} sound @param {number} count */
  lowBlock(sound, count) {
    for (let frame = 0; frame < count; frame++) sound[frame] = this.low(sound[frame] + denormalGuard);
  }

  /** @param {Float32Array} sound @param {number} count */
  highBlock(sound, count) {
    for (let frame = 0; frame < count; frame++) {
      const sample = sound[frame] + denormalGuard;
      sound[frame] = sample - this.low(sample);
    }
  }
}
