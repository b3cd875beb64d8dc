import { Store } from '../lib/store.js';

/**
 * @template T
 * @typedef {{rows: readonly T[], cursor?: string | number, state: 'loading' | 'ready' | 'failed', error?: any}} ListState
 */

/**
 * A list that comes page by page.
 * @template T
 */
export class ListModel {
  #load;
  #turn = 0;

  /** @param {(cursor?: string | number) => Promise<{rows: T[], cursor?: string | number}>} load */
  constructor(load) {
    this.#load = load;
    /** @type {Store<ListState<T>>} */
    this.state = new Store(/** @type {ListState<T>} */ ({ rows: [], state: 'loading' }));
  }

  /** Reads the list anew; what was read before stays until the new one is there. */
  refresh() {
    return this.#read(undefined);
  }

  /** Reads the next page. */
  more() {
    const { cursor } = this.state.get();
    return cursor === undefined ? Promise.resolve() : this.#read(cursor);
  }

  /** @param {string | number | undefined} cursor */
  async #read(cursor) {
    this.#turn += 1;
    const turn = this.#turn;
    this.state.update(state => ({ ...state, state: 'loading', error: undefined }));
    try {
      const page = await this.#load(cursor);
      // A newer search has been asked for meanwhile.
      if (turn !== this.#turn) return;
      const before = cursor === undefined ? [] : this.state.get().rows;
      this.state.set({ rows: [...before, ...page.rows], cursor: page.cursor, state: 'ready' });
    } catch (error) {
      if (turn === this.#turn) this.state.update(state => ({ ...state, state: 'failed', error }));
    }
  }
}
