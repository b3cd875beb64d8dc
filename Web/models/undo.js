import { Store } from '../lib/store.js';

/** @typedef {import('./salon-state.js').UndoView} UndoView */

/** How long a host's action can be taken back. */
export const undoMs = 5_000;

/** The last host's action, while it can be taken back. */
export class UndoModel {
  offer = new Store(/** @type {UndoView | null} */ (null));

  /** @type {(() => Promise<unknown>) | null} */ #back = null;
  /** @type {any} */ #timer = null;

  /**
   * @param {Omit<UndoView, 'until'>} action
   * @param {() => Promise<unknown>} back
   */
  keep(action, back) {
    this.dismiss();
    this.#back = back;
    this.offer.set({ ...action, until: Date.now() + undoMs });
    this.#timer = setTimeout(() => this.dismiss(), undoMs);
  }

  /** Takes it back. */
  async run() {
    const back = this.#back;
    this.dismiss();
    await back?.();
  }

  dismiss() {
    clearTimeout(this.#timer);
    this.#back = null;
    this.offer.set(null);
  }
}
