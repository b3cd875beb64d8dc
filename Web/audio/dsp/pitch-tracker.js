import { rate } from './shaping.js';

/** Frames between two estimates: 10 ms. */
const hop = 480;
/** Frames: 70 Hz, the lowest voices, and 600 Hz, above what speakers reach. */
const longestPeriod = 686;
const shortestPeriod = 80;
const decimation = 4;
const taps = 32;
const shortestLag = 18;
const longestLag = 176;
/** 20 ms are compared with what comes a lag later. */
const compared = 240;
const span = compared + longestLag + 2;
/** How alike two periods must be for a voice to begin and to go on. */
const clarityToBegin = 0.6;
const clarityToGoOn = 0.45;
/** Mean square below which there is no voice: −60 dBFS. */
const quietest = 1e-6;
/** An octave jump is believed when it is found so many times in a row. */
const jumpPatience = 3;
const perHop = hop / decimation;

/** A low-pass at 1.6 kHz: below it lie the fundamental and enough harmonics, above it what would fold. */
function design() {
  const cutoff = 1_600 / rate;
  const filter = new Float64Array(taps);
  let sum = 0;
  for (let tap = 0; tap < taps; tap++) {
    const x = tap - (taps - 1) / 2;
    const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * (tap + 0.5)) / taps);
    filter[tap] = (Math.sin(2 * Math.PI * cutoff * x) / (Math.PI * x)) * window;
    sum += filter[tap];
  }
  return filter.map(weight => weight / sum);
}

/**
 * Finds the period of a voice every 10 ms, by the normalised square difference function (McLeod and Wyvill, 2005) at a
 * quarter of the rate: a voice's first harmonics are enough for it, and it costs a sixteenth.
 */
export class PitchTracker {
  /** Frames at the full rate; 0 while nothing repeats itself. */
  period = 0;

  #filter = design();
  #recent = new Float64Array(2 * taps);
  #history = new Float64Array(span);
  #likeness = new Float64Array(longestLag + 2);
  #slot = 0;
  #step = 0;
  #jumps = 0;

  clear() {
    this.#recent.fill(0);
    this.#history.fill(0);
    this.#slot = 0;
    this.#step = 0;
    this.#jumps = 0;
    this.period = 0;
  }

  /**
   * Takes sound; every 10 ms `period` is found anew.
   * @param {Float32Array} sound @param {number} count
   */
  push(sound, count) {
    for (let frame = 0; frame < count; frame++) {
      // Written twice, so that the latest taps always lie in one piece.
      this.#recent[this.#slot] = sound[frame];
      this.#recent[this.#slot + taps] = sound[frame];
      const newest = this.#slot;
      this.#slot = (this.#slot + 1) % taps;
      this.#step++;
      if (this.#step % decimation === 0) this.#decimate(newest + 1);
      if (this.#step === hop) {
        this.#find();
        this.#step = 0;
      }
    }
  }

  /** @param {number} oldest where the latest taps begin */
  #decimate(oldest) {
    let sum = 0;
    for (let tap = 0; tap < taps; tap++) sum += this.#filter[tap] * this.#recent[oldest + tap];
    // The history moves up once per hop; within it, samples of this hop are appended at its end.
    const place = this.#step / decimation - 1;
    if (place === 0) this.#history.copyWithin(0, perHop);
    this.#history[span - perHop + place] = sum;
  }

  #find() {
    this.#compare();
    const { period } = this;
    // Peaks between zero crossings; the first one that comes near the best is the period, not a multiple of it.
    let best = 0;
    for (let lag = shortestLag; lag < longestLag; lag++)
      if (this.#isPeak(lag, 0)) best = Math.max(best, this.#likeness[lag]);
    let lag = shortestLag;
    while (lag < longestLag && !this.#isPeak(lag, best)) lag++;
    if (best < (period === 0 ? clarityToBegin : clarityToGoOn) || lag === longestLag) {
      this.period = 0;
      this.#jumps = 0;
      return;
    }
    const before = this.#likeness[lag - 1];
    const after = this.#likeness[lag + 1];
    const curve = before - 2 * this.#likeness[lag] + after;
    const offset = curve < 0 ? (0.5 * (before - after)) / curve : 0;
    this.#accept(Math.max(shortestPeriod, Math.min(longestPeriod, (lag + offset) * decimation)));
  }

  /** @param {number} found */
  #accept(found) {
    const change = this.period === 0 ? 1 : found / this.period;
    if ((change >= 0.7 && change <= 1.4) || this.#jumps >= jumpPatience - 1) {
      this.period = found;
      this.#jumps = 0;
    } else {
      this.#jumps++;
    }
  }

  /** @param {number} lag @param {number} best */
  #isPeak(lag, best) {
    const likeness = this.#likeness;
    return (
      likeness[lag] > 0.9 * best && likeness[lag] > likeness[lag - 1] && likeness[lag] >= likeness[lag + 1]
    );
  }

  /** 2·Σ x[j]·x[j+lag] over the energy of both stretches: 1 for a perfect repeat. */
  #compare() {
    const likeness = this.#likeness;
    const history = this.#history;
    likeness.fill(0);
    let energy = 0;
    for (let index = 0; index < compared; index++) energy += history[index] ** 2;
    if (energy <= quietest * compared) return;
    let later = energy;
    for (let lag = 0; lag <= longestLag; lag++) {
      if (lag > 0) later += history[lag + compared - 1] ** 2 - history[lag - 1] ** 2;
      if (lag < shortestLag - 1) continue;
      let sum = 0;
      for (let index = 0; index < compared; index++) sum += history[index] * history[index + lag];
      likeness[lag] = (2 * sum) / (energy + Math.max(0, later));
    }
  }
}
