/**
 * Keeps the screen awake while it is wanted, where the browser can. Browsers let it sleep when the page is hidden; it is kept awake again
 * when the page is back.
 */
export class WakeLock {
  #wanted = false;
  /** @type {{release: () => Promise<void>} | null} */ #held = null;
  #asking = false;
  #navigator;
  #document;

  /**
   * @param {AbortSignal} signal lets it sleep again
   * @param {{navigator?: any, document?: Document}} parts
   */
  constructor(signal, { navigator = globalThis.navigator, document = globalThis.document } = {}) {
    this.#navigator = navigator;
    this.#document = document;
    document.addEventListener('visibilitychange', () => void this.#follow(), { signal });
    signal.addEventListener('abort', () => this.set(false));
  }

  /** @param {boolean} wanted */
  set(wanted) {
    this.#wanted = wanted;
    void this.#follow();
  }

  async #follow() {
    if (!this.#wanted) {
      const held = this.#held;
      this.#held = null;
      await held?.release().catch(() => {});
      return;
    }
    if (this.#held || this.#asking || this.#document.hidden || !this.#navigator?.wakeLock) return;
    this.#asking = true;
    try {
      const held = await this.#navigator.wakeLock.request('screen');
      held.addEventListener?.('release', () => {
        if (this.#held === held) this.#held = null;
      });
      this.#held = held;
    } catch {
      // An empty battery, or a browser that does not: the screen sleeps.
    } finally {
      this.#asking = false;
    }
    // Not wanted any more by the time it came.
    if (!this.#wanted) void this.#follow();
  }
}
