/** What a server takes from a connection unless it says otherwise (Documentation/build/protocol.md §4). */
const usual = { callsAtOnce: 120, callsPerSecond: 40 };
/** The part of it that is used: what left apart may arrive together. */
const share = 0.8;

/** How fast calls go out, so that the server need not refuse any. */
export class Pace {
  #atOnce = usual.callsAtOnce * share;
  #perSecond = usual.callsPerSecond * share;
  #left = this.#atOnce;
  #filledAt;

  /**
   * A connection begins with its whole allowance.
   * @param {number} now milliseconds
   */
  constructor(now) {
    this.#filledAt = now;
  }

  /**
   * The server has stated its limits: what went before counts.
   * @param {{callsAtOnce?: number, callsPerSecond?: number}} limits
   */
  limit({ callsAtOnce = usual.callsAtOnce, callsPerSecond = usual.callsPerSecond }) {
    const spent = this.#atOnce - this.#left;
    this.#atOnce = Math.max(2, callsAtOnce) * share;
    this.#perSecond = Math.max(1, callsPerSecond) * share;
    this.#left = this.#atOnce - spent;
  }

  /** Part of signing in: it goes in any case. */
  spend() {
    this.#left--;
  }

  /**
   * Takes one call's turn.
   * @param {number} now @returns {number} 0: it may go; else milliseconds to wait
   */
  take(now) {
    const elapsed = Math.max(0, now - this.#filledAt) / 1000;
    this.#left = Math.min(this.#atOnce, this.#left + elapsed * this.#perSecond);
    this.#filledAt = now;
    if (this.#left < 1) return Math.ceil(((1 - this.#left) / this.#perSecond) * 1000);
    this.#left--;
    return 0;
  }
}
