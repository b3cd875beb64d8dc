/** Readings that are looked back at: half a minute while one sings. */
const readingsKept = 64;
/** Older ones say little: clocks drift. */
const longestMs = 120_000;
/** How far two clocks may part: crystals of 50 ppm each. */
const drift = 100e-6;
/** Beyond what both readings can be wrong by: the machine slept, or the server was started anew. */
const stepMs = 20;
/** Browsers tell a page the time to a millisecond at worst, unless they are asked to hide more. */
const coarseMs = 1;

/**
 * The room time, estimated from readings of the server's clock. The answer was made at some moment between question and arrival, so
 * each reading says between which two values the difference of the clocks lies; what all of them allow counts, and its middle is the
 * estimate: the quickest way there of all readings is set against the quickest way back. Measured on a clock that does not jump with
 * the machine's.
 */
export class RoomClock {
  #local;
  /** @type {{at: number, rtt: number, offset: number}[]} */ #readings = [];

  /** @param {() => number} local milliseconds that never step */
  constructor(local = () => performance.now()) {
    this.#local = local;
  }

  /** This machine's own count, milliseconds. */
  local() {
    return this.#local();
  }

  /**
   * @param {unknown} time the server's clock in milliseconds
   * @param {number} asked `local()` when it was asked
   */
  read(time, asked) {
    if (typeof time !== 'number' || !Number.isFinite(time)) return;
    const at = this.#local();
    const rtt = Math.max(0, at - asked);
    const reading = { at, rtt, offset: time - (asked + rtt / 2) };
    const known = this.#estimate(at);
    if (known && Math.abs(reading.offset - known.offset) > rtt / 2 + known.error + stepMs)
      this.#readings = [];
    this.#readings = [...this.#readings, reading].slice(-readingsKept);
  }

  get known() {
    return this.#readings.length > 0;
  }

  /**
   * Milliseconds since 1970.
   * @param {number} [local] the moment meant, now unless told
   */
  now(local = this.#local()) {
    return local + (this.#estimate()?.offset ?? Date.now() - local);
  }

  /**
   * The `local()` of a room time.
   * @param {number} time
   */
  localOf(time) {
    return time - this.now(0);
  }

  /** By how much `now` may be wrong at most, milliseconds. */
  get errorMs() {
    return this.#estimate()?.error ?? Number.POSITIVE_INFINITY;
  }

  /** The server's clock minus ours, and by how much that may be wrong. */
  #estimate(now = this.#local()) {
    const young = this.#readings.filter(({ at }) => now - at < longestMs);
    const bounds = (young.length > 0 ? young : this.#readings.slice(-1)).map(({ at, rtt, offset }) => {
      const error = rtt / 2 + (now - at) * drift;
      return { low: offset - error, high: offset + error, offset, error };
    });
    if (bounds.length === 0) return null;
    const low = Math.max(...bounds.map(reading => reading.low));
    const high = Math.min(...bounds.map(reading => reading.high));
    if (low <= high) return { offset: (low + high) / 2, error: (high - low) / 2 };
    const best = bounds.reduce((a, b) => (a.error <= b.error ? a : b));
    // They contradict each other: by no more than this browser's clock is coarse, or by less than a step, where the best one has to do.
    return low - high > coarseMs ? best : { offset: (low + high) / 2, error: best.error };
  }
}
