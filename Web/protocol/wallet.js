import { freshKey } from './ids.js';

/** @typedef {import('./events.js').Gift} Gift */
/** @typedef {import('./events.js').Wallet} Wallet */
/** @typedef {import('./events.js').StatementEntry} StatementEntry */

/** Gifts that can be sent, and the user's own accounts. */
export class OvationWallet {
  #session;

  /** @param {import('./session.js').Session} session */
  constructor(session) {
    this.#session = session;
  }

  /**
   * The cheapest first; none: the server offers no gifts.
   * @returns {Promise<Gift[]>}
   */
  async gifts() {
    return (await this.#session.call('gift.list', {}, { repeat: true })).gifts;
  }

  /** @returns {Promise<Wallet>} */
  read() {
    return this.#session.call('wallet.get', {}, { repeat: true });
  }

  /**
   * What came and went, the newest first.
   * @param {{account?: 'wallet' | 'earnings', limit?: number, cursor?: string}} [query]
   * @returns {Promise<{entries: StatementEntry[], cursor?: string}>}
   */
  statement(query = {}) {
    return /** @type {Promise<any>} */ (this.#session.call('wallet.statement', query, { repeat: true }));
  }

  /**
   * Coins for nothing, on a server that is tried out (`Wallet.faucet`).
   * @returns {Promise<Wallet>}
   */
  drawCoins() {
    return this.#session.call('wallet.faucet', { key: freshKey() }, { repeat: true });
  }
}
