import { Store } from '../lib/store.js';

/**
 * `sort`: by which column, and whether the greatest comes first · `chosen`: keys of rows.
 * @template T
 * @typedef {{
 *   rows: readonly T[], cursor?: string | number, state: 'loading' | 'ready' | 'failed', error?: any,
 *   sort?: {by: number, down: boolean}, chosen: ReadonlySet<unknown>,
 * }} ListState
 */

/** Rows that one action takes: a question about more than that nobody reads. */
export const mostChosen = 100;

/** What a file takes: more than anybody reads, and little enough for a browser. */
export const mostExported = 10_000;

/**
 * A list that comes page by page.
 * @template T
 */
export class ListModel {
  #load;
  #turn = 0;

  /**
   * @param {(cursor?: string | number) => Promise<{rows: T[], cursor?: string | number}>} load
   * @param {ListState<T>['sort']} [sort] as the page's address has it
   */
  constructor(load, sort = sortInAddress()) {
    this.#load = load;
    /** @type {Store<ListState<T>>} */
    this.state = new Store(
      /** @type {ListState<T>} */ ({ rows: [], state: 'loading', sort, chosen: new Set() }),
    );
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

  /**
   * Up to `mostChosen`; of more the first.
   * @param {readonly unknown[]} keys @param {boolean} on
   */
  choose(keys, on) {
    this.state.update(state => {
      const chosen = new Set(state.chosen);
      for (const key of keys) {
        if (!on) chosen.delete(key);
        else if (chosen.size < mostChosen) chosen.add(key);
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

/** @returns {{by: number, down: boolean} | undefined} */
function sortInAddress() {
  const found = /^(-?)(\d{1,2})$/.exec(new URLSearchParams(globalThis.location?.search).get('sort') ?? '');
  return found ? { by: Number(found[2]), down: found[1] === '-' } : undefined;
}

/**
 * Keeps in the page's address by what its table is sorted, so that it is sorted alike for whoever opens the address.
 * @param {{by: number, down: boolean} | undefined} sort
 */
export function keepSort(sort) {
  const params = new URLSearchParams(location.search);
  if (sort) params.set('sort', `${sort.down ? '-' : ''}${sort.by}`);
  else params.delete('sort');
  history.replaceState(null, '', `?${params}`);
}
