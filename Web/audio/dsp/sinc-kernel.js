const phases = 256;

/**
 * Weights for reading a sound between its samples: a sinc under a Kaiser window (70 dB), tabulated for 256 places between
 * two samples, with straight lines between those.
 */
export class SincKernel {
  /** @type {Float32Array} */ #rows;

  /** @param {number} taps even; the place that is read lies between the two in the middle @param {number} cutoff −6 dB here; 1 is the Nyquist frequency */
  constructor(taps, cutoff) {
    this.taps = taps;
    this.#rows = new Float32Array((phases + 1) * taps);
    const beta = 0.1102 * (70 - 8.7);
    const half = taps / 2;
    for (let phase = 0; phase <= phases; phase++) {
      let sum = 0;
      for (let tap = 0; tap < taps; tap++) {
        const time = tap - (half - 1) - phase / phases;
        const weight = sinc(cutoff * time) * kaiser(time / half, beta);
        this.#rows[phase * taps + tap] = weight;
        sum += weight;
      }
      // Exact for a constant, so that no hum comes from the phases' differences.
      for (let tap = 0; tap < taps; tap++) this.#rows[phase * taps + tap] /= sum;
    }
  }

  /**
   * The sound between `place` and the next sample.
   * @param {Float32Array} sound @param {number} mask of a ring; −1 for an array that is no ring @param {number} place @param {number} fraction 0…1, without 1
   */
  read(sound, mask, place, fraction) {
    const { taps } = this;
    const rows = this.#rows;
    const exact = fraction * phases;
    const phase = Math.floor(exact);
    const part = exact - phase;
    const row = phase * taps;
    const start = place - taps / 2 + 1;
    let near = 0;
    let far = 0;
    for (let tap = 0; tap < taps; tap++) {
      const sample = sound[(start + tap) & mask];
      near += sample * rows[row + tap];
      far += sample * rows[row + taps + tap];
    }
    return near + part * (far - near);
  }
}

/** @param {number} x */
function sinc(x) {
  return Math.abs(x) < 1e-9 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** @param {number} x @param {number} beta */
function kaiser(x, beta) {
  return Math.abs(x) >= 1 ? 0 : bessel(beta * Math.sqrt(1 - x * x)) / bessel(beta);
}

/**
 * The modified Bessel function I₀ by its series.
 * @param {number} x
 */
function bessel(x) {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > 1e-12 * sum; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
