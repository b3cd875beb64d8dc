/** Readings that are looked back at. */
const readingsKept = 16;
/** Older ones say little: clocks drift. */
const longestMs = 120_000;
/** How far two clocks may part: crystals of 50 ppm each. */
const drift = 100e-6;
/** Beyond what both readings can be wrong by: the machine slept, or the server was started anew. */
const stepMs = 20;

/**
 * The room time, estimated from readings of the server's clock: of all readings the one with the shortest way counts, since
 * its middle is known best. Measured on a clock that does not jump with the machine's.
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
    const best = this.#best();
    if (best) {
      const apart = Math.abs(reading.offset - best.offset);
      if (apart > (rtt + best.rtt) / 2 + this.#drifted(best) + stepMs) this.#readings = [];
    }
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
    const best = this.#best();
    return best ? local + best.offset : Date.now();
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
    const best = this.#best();
    return best ? best.rtt / 2 + this.#drifted(best) : Number.POSITIVE_INFINITY;
  }

  /** @param {{at: number}} reading */
  #drifted({ at }) {
    return (this.#local() - at) * drift;
  }

  #best() {
    const now = this.#local();
    const young = this.#readings.filter(({ at }) => now - at < longestMs);
    const known = young.length > 0 ? young : this.#readings.slice(-1);
    const wrong = (/** @type {{at: number, rtt: number}} */ reading) =>
      reading.rtt / 2 + this.#drifted(reading);
    return known.reduce((a, b) => (a && wrong(a) <= wrong(b) ? a : b), known[0]);
  }
}
