import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';

/** @typedef {import('../protocol/wallet.js').OvationWallet} OvationWallet */
/** @typedef {'wallet' | 'earnings'} Account */

/** Of one page. */
const limit = 50;

/**
 * @typedef {object} StatementState
 * @property {Account} account which one is shown
 * @property {import('../protocol/events.js').Wallet | null} wallet what both hold; `null`: not known yet
 * @property {readonly import('../protocol/events.js').StatementEntry[]} entries the newest first
 * @property {string} [cursor] of the next page
 * @property {boolean} reading
 * @property {OvationError | null} error
 */

/** What came and went on one's own accounts, page by page. */
export class StatementModel {
  state = new Store(
    /** @type {Readonly<StatementState>} */ ({
      account: 'wallet',
      wallet: null,
      entries: [],
      reading: true,
      error: null,
    }),
  );

  #wallet;
  #turn = 0;

  /** @param {Pick<OvationWallet, 'read' | 'statement'>} wallet */
  constructor(wallet) {
    this.#wallet = wallet;
  }

  /**
   * Reads an account from its newest entry on.
   * @param {Account} account
   */
  show(account) {
    this.state.update(state => ({ ...state, account, entries: [], cursor: undefined }));
    return this.#read(undefined);
  }

  /** Reads the next page; after a failure the same one again. */
  more() {
    return this.#read(this.state.get().cursor);
  }

  /** @param {string | undefined} cursor */
  async #read(cursor) {
    this.#turn += 1;
    const turn = this.#turn;
    const { account, wallet } = this.state.get();
    this.state.update(state => ({ ...state, reading: true, error: null }));
    try {
      const [page, held] = await Promise.all([
        this.#wallet.statement({ account, limit, ...(cursor && { cursor }) }),
        cursor ? wallet : this.#wallet.read(),
      ]);
      // Another account has been asked for since.
      if (turn !== this.#turn) return;
      this.state.update(state => ({
        ...state,
        wallet: held,
        entries: [...(cursor ? state.entries : []), ...page.entries],
        cursor: page.cursor,
        reading: false,
      }));
    } catch (thrown) {
      if (turn === this.#turn)
        this.state.update(state => ({ ...state, reading: false, error: OvationError.of(thrown) }));
    }
  }
}
