import { Store } from '../lib/store.js';

/**
 * `counting`: 3, 2, 1 over my own picture while room and path open. `waiting`: the figures are through, and the server has not said yet
 * that it gets my picture. `idle`: I am live, or do not want to be seen any more.
 * @typedef {{phase: 'idle' | 'counting' | 'waiting', until: number}} GoingLiveState `until` on this device's clock
 */

const countMs = 3_000;
/** A picture that the server has not got by then does not come by itself. */
const patienceMs = 10_000;
const lookMs = 300;

/** The seconds between "Go live" and being live. */
export class GoingLive {
  state = new Store(/** @type {GoingLiveState} */ ({ phase: 'idle', until: 0 }));

  #arrives;
  #isWanted;
  #signal;
  #now;

  /**
   * @param {() => Promise<boolean>} arrives whether the server says that it gets my picture
   * @param {() => boolean} isWanted whether I still want to be seen
   * @param {AbortSignal} signal ends with my visit
   * @param {() => number} [now]
   */
  constructor(arrives, isWanted, signal, now = Date.now) {
    this.#arrives = arrives;
    this.#isWanted = isWanted;
    this.#signal = signal;
    this.#now = now;
  }

  /**
   * Counts, and waits for the server's word.
   * @returns {Promise<boolean>} false if the server got no picture; true also if I do not want to be seen any more
   */
  async start() {
    const began = this.#now();
    const until = began + countMs;
    this.state.set({ phase: 'counting', until });
    let arrived = false;
    try {
      while (!this.#signal.aborted && this.#isWanted()) {
        arrived ||= await this.#arrives();
        const now = this.#now();
        if (now >= until) {
          if (arrived) return true;
          if (now - began >= patienceMs) return false;
          if (this.state.get().phase === 'counting') this.state.set({ phase: 'waiting', until });
        }
        await new Promise(resolve => setTimeout(resolve, lookMs));
      }
      return true;
    } finally {
      this.state.set({ phase: 'idle', until: 0 });
    }
  }
}
