/** The latest sound, addressed by frames since the beginning: 85 ms, a power of two. */
export const ringFrames = 4_096;
const mask = ringFrames - 1;

/** Without a voice there are marks all the same: breath and consonants are cut into pieces of 5 ms. */
export const unvoicedPeriod = 240;
/** A power of two; 32 of the shortest periods are more than the latency. */
const kept = 64;
/** Every so many frames are compared when periods are matched. */
const stride = 4;

/**
 * Marks a voice once per period, each time at the same place within it (between samples), so that periods can be taken
 * out and laid anew. Marks are addressed by their number; the latest 64 are kept.
 */
export class PitchMarks {
  #positions = new Float64Array(kept);
  #periods = new Float64Array(kept).fill(unvoicedPeriod);
  #voiced = new Uint8Array(kept);
  #count = 0;

  clear() {
    this.#positions.fill(0);
    this.#periods.fill(unvoicedPeriod);
    this.#voiced.fill(0);
    this.#count = 0;
  }

  /** @param {number} mark */
  position(mark) {
    return this.#positions[mark & (kept - 1)];
  }

  /**
   * Frames to the next one.
   * @param {number} mark
   */
  period(mark) {
    return this.#periods[mark & (kept - 1)];
  }

  /** @param {number} mark */
  isVoiced(mark) {
    return this.#voiced[mark & (kept - 1)] === 1;
  }

  /**
   * Sets marks as far as the sound up to `now` allows.
   * @param {Float32Array} sound a ring @param {number} now @param {number} period the voice's at this time, 0 for none
   */
  extend(sound, now, period) {
    for (;;) {
      const last = this.#count - 1;
      const previous = this.position(last);
      if (period === 0) {
        const next = previous + unvoicedPeriod;
        if (next + unvoicedPeriod > now) return;
        this.#append(next, unvoicedPeriod, 0);
        continue;
      }
      // A mark's neighbourhood must have been heard: half a period and what it may be moved by.
      if (previous + Math.floor(period * 1.75) > now) return;
      if (this.isVoiced(last)) {
        const place = match(sound, previous, period);
        // What lies between two marks is the period, more exactly than the tracker knows it.
        this.#append(place, place - previous, 1);
      } else {
        const start = Math.floor(previous) + Math.floor(period / 2);
        this.#append(loudest(sound, start, Math.floor(period)), period, 1);
      }
    }
  }

  /** @param {number} position @param {number} period @param {0 | 1} voiced */
  #append(position, period, voiced) {
    const place = this.#count & (kept - 1);
    this.#positions[place] = position;
    this.#periods[place] = period;
    this.#voiced[place] = voiced;
    this.#count++;
  }

  /**
   * The mark nearest to `position` of those around which a piece has been heard; −1 when there is none.
   * @param {number} position @param {number} now @param {(period: number) => number} reach of a piece with this period
   */
  nearest(position, now, reach) {
    let best = -1;
    let distance = Number.POSITIVE_INFINITY;
    for (let mark = this.#count - 1; mark >= Math.max(0, this.#count - kept); mark--) {
      const away = Math.abs(this.position(mark) - position);
      if (away > distance) break;
      if (this.position(mark) + reach(this.period(mark)) <= now) {
        best = mark;
        distance = away;
      }
    }
    return best;
  }
}

/** @param {Float32Array} sound @param {number} start @param {number} count */
function loudest(sound, start, count) {
  let best = start;
  let most = 0;
  for (let position = start; position < start + count; position++) {
    const size = Math.abs(sound[position & mask]);
    if (size > most) {
      most = size;
      best = position;
    }
  }
  return best;
}

/**
 * Where, about a period after `mark`, the sound looks most like that around it; between samples by a parabola.
 * @param {Float32Array} sound @param {number} mark @param {number} period
 */
function match(sound, mark, period) {
  const here = Math.round(mark);
  const expected = here + Math.round(period);
  const reach = Math.max(4, Math.floor(period / 8));
  const half = Math.floor(period / 2);
  let best = expected;
  let most = Number.NEGATIVE_INFINITY;
  for (let candidate = expected - reach; candidate <= expected + reach; candidate++) {
    const found = likeness(sound, here, candidate, half);
    if (found <= most) continue;
    most = found;
    best = candidate;
  }
  const before = likeness(sound, here, best - 1, half);
  const after = likeness(sound, here, best + 1, half);
  const curve = before - 2 * most + after;
  const offset = curve < 0 ? Math.max(-0.5, Math.min(0.5, (0.5 * (before - after)) / curve)) : 0;
  return mark + (best - here) + offset;
}

/**
 * How alike the surroundings of two places are; negative if one is the other upside down.
 * @param {Float32Array} sound @param {number} here @param {number} there @param {number} half
 */
function likeness(sound, here, there, half) {
  let product = 0;
  let energy = 1e-9;
  for (let offset = -half; offset <= half; offset += stride) {
    const sample = sound[(there + offset) & mask];
    product += sound[(here + offset) & mask] * sample;
    energy += sample * sample;
  }
  return (product * Math.abs(product)) / energy;
}
