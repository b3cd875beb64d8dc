import { Store } from '../lib/store.js';

/**
 * `sort`: by which column, and whether the greatest comes first · `chosen`: keys of rows.
 * @template T
 * @typedef {{
 *   rows: readonly T[], cursor?: string | number, state: 'loading' | 'ready' | 'failed', error?: any,
 *   sort?: {by: number, down: boolean}, chosen: ReadonlySet<unknown>,
 * }} ListState
 */

/** What a file takes: more than anybody reads, and little enough for a browser. */
export const mostExported = 10_000;

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
    this.state = new Store(/** @type {ListState<T>} */ ({ rows: [], state: 'loading', chosen: new Set() }));
  }

  /** Reads the list anew; what was read before stays until the new one is there. Nothing is chosen then. */
  refresh() {
    return this.#read(undefined);
  }

  /** Reads the next page. */
  more() {
    const { cursor } = this.state.get();
    return cursor === undefined ? Promise.resolve() : this.#read(cursor);
  }

  /**
   * Reads the list from its beginning to its end, or as far as a file goes; what is shown stays.
   * @returns {Promise<{rows: T[], isWhole: boolean}>}
   */
  async all() {
    /** @type {T[]} */
    const rows = [];
    /** @type {string | number | undefined} */
    let cursor;
    do {
      const page = await this.#load(cursor);
      rows.push(...page.rows);
      cursor = page.cursor;
    } while (cursor !== undefined && rows.length < mostExported);
    return {
      rows: rows.slice(0, mostExported),
      isWhole: cursor === undefined && rows.length <= mostExported,
    };
  }

  /**
   * Sorts by a column; once more the other way round, and a third time as the server has them.
   * @param {number} by
   */
  sort(by) {
    this.state.update(state => {
      if (state.sort?.by !== by) return { ...state, sort: { by, down: false } };
      return { ...state, sort: state.sort.down ? undefined : { by, down: true } };
    });
  }

  /** @param {readonly unknown[]} keys @param {boolean} on */
  choose(keys, on) {
    this.state.update(state => {
      const chosen = new Set(state.chosen);
      for (const key of keys) {
        if (on) chosen.add(key);
        else chosen.delete(key);
      }
      return { ...state, chosen };
    });
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
      this.state.update(({ rows, sort, chosen }) => ({
        rows: [...(cursor === undefined ? [] : rows), ...page.rows],
        cursor: page.cursor,
        state: 'ready',
        sort,
        chosen: cursor === undefined ? new Set() : chosen,
      }));
    } catch (error) {
      if (turn === this.#turn) this.state.update(state => ({ ...state, state: 'failed', error }));
    }
  }
}
