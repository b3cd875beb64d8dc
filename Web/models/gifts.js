import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { Emitter } from '../protocol/events.js';
import { freshKey } from '../protocol/ids.js';
import { OvationWallet } from '../protocol/wallet.js';
import { StatementModel } from './statement.js';

/** @typedef {import('../protocol/events.js').Gift} Gift */
/** @typedef {import('../protocol/events.js').SentGift} SentGift */
/** @typedef {import('../protocol/events.js').User} User */

/** What is tapped within this time is one gift of several, paid by one key. */
const gatherMs = 250;
/** For how long the button counts on. */
const comboMs = 3000;
/** The most of one call (Documentation/build/protocol.md §6). */
const callMost = 999;

/**
 * What a page shows of gifts.
 * @typedef {object} GiftsState
 * @property {readonly Gift[]} catalogue the cheapest first
 * @property {boolean} isOffered false once it is known that the server offers none
 * @property {import('../protocol/events.js').Wallet | null} wallet
 * @property {string | null} chosen id of the gift whose button sends it
 * @property {number} count how many at once
 * @property {string} own what was typed for a number of one's own; empty: it is one that is offered
 * @property {string | null} to who gets it, if not the host
 * @property {number} waiting coins that are being paid
 * @property {{gift: string, count: number, coins: number} | null} combo what I have sent in a row
 */

/** Gifts in one room: the catalogue, my coins, sending, and what others send. */
export class GiftsModel {
  state = new Store(
    /** @type {Readonly<GiftsState>} */ ({
      catalogue: [],
      isOffered: true,
      wallet: null,
      chosen: null,
      count: 1,
      own: '',
      to: null,
      waiting: 0,
      combo: null,
    }),
  );
  /** `unsent`: a gift that was not, or whose outcome is not known, with what it costs. @type {Emitter<{sent: SentGift, problem: OvationError, unsent: {error: OvationError, coins: number}}>} */
  news = new Emitter();

  #room;
  #wallet;
  #signal;
  /** @type {{gift: Gift, to: string | null, count: number} | null} */ #gathered = null;
  /** @type {any} */ #gathering = null;
  /** @type {any} */ #comboTimer = null;

  /**
   * @param {import('../protocol/room.js').OvationRoom} room
   * @param {AbortSignal} signal the visit's life
   */
  constructor(room, signal) {
    this.#room = room;
    this.#wallet = new OvationWallet(room.session);
    this.#signal = signal;
    room.events.on('gifts.sent', ({ gifts }) => this.#hear(gifts), { signal });
    room.events.on('seat.left', ({ user }) => user.id === this.state.get().to && this.choose({ to: null }), {
      signal,
    });
    signal.addEventListener('abort', () => {
      clearTimeout(this.#gathering);
      clearTimeout(this.#comboTimer);
    });
  }

  /** Reads what can be sent. Without an answer nothing is drawn. */
  async load() {
    try {
      const catalogue = await this.#wallet.gifts();
      this.#set({ catalogue, isOffered: catalogue.length > 0 });
    } catch {
      // The next visit asks again.
    }
  }

  /** Reads what I have; when the tray opens. */
  async refresh() {
    try {
      this.#set({ wallet: await this.#wallet.read() });
    } catch (thrown) {
      this.news.emit('problem', OvationError.of(thrown));
    }
  }

  /** Who gave most, and where I stand. */
  ranking() {
    return this.#room.giftRanking();
  }

  /** What came and went on my accounts. */
  statement() {
    return new StatementModel(this.#wallet);
  }

  /** Coins to try gifts with. */
  async drawCoins() {
    try {
      this.#set({ wallet: await this.#wallet.drawCoins() });
    } catch (thrown) {
      this.news.emit('problem', OvationError.of(thrown));
    }
  }

  /** @param {Partial<Pick<GiftsState, 'chosen' | 'count' | 'to'>>} some */
  choose(some) {
    this.#set(some.count === undefined ? some : { own: '', ...some });
  }

  /**
   * A number of one's own, as it is typed; what is none counts as one.
   * @param {string} text
   */
  chooseOwn(text) {
    const own = text.replace(/\D/g, '').replace(/^0+/, '').slice(0, String(callMost).length);
    this.#set({ own, count: own === '' ? 1 : Number(own) });
  }

  /** What one press of the button costs. */
  get price() {
    const { catalogue, chosen, count } = this.state.get();
    return (catalogue.find(({ id }) => id === chosen)?.price ?? 0) * count;
  }

  /** Whether so much is asked about once more: from 1,000 coins on, or a fifth of what I have. */
  get isMuch() {
    const coins = this.state.get().wallet?.coins ?? 0;
    return this.price >= 1000 || (this.price > 50 && this.price * 5 >= coins);
  }

  /** Sends what is chosen; what is pressed again at once goes along. */
  give() {
    const { catalogue, chosen, count, to } = this.state.get();
    const gift = catalogue.find(({ id }) => id === chosen);
    if (!gift) return;
    const gathered = this.#gathered;
    if (gathered && (gathered.gift.id !== gift.id || gathered.to !== to || gathered.count + count > callMost))
      void this.#send();
    this.#gathered = { gift, to, count: (this.#gathered?.count ?? 0) + count };
    this.#set({ waiting: this.state.get().waiting + gift.price * count });
    this.#gathering ??= setTimeout(() => void this.#send(), gatherMs);
  }

  async #send() {
    clearTimeout(this.#gathering);
    this.#gathering = null;
    const gathered = this.#gathered;
    this.#gathered = null;
    if (!gathered) return;
    const { gift, to, count } = gathered;
    const coins = gift.price * count;
    try {
      const { balance } = await this.#room.sendGift(gift.id, { count, ...(to && { to }), key: freshKey() });
      const { wallet } = this.state.get();
      if (wallet) this.#set({ wallet: { ...wallet, coins: balance } });
      this.#count(gift, count, coins);
    } catch (thrown) {
      const error = OvationError.of(thrown);
      if (!this.#signal.aborted) this.news.emit('unsent', { error, coins });
      // Whatever became of it, the wallet knows.
      if (!this.#signal.aborted && this.state.get().wallet) await this.refresh();
    }
    this.#set({ waiting: Math.max(0, this.state.get().waiting - coins) });
  }

  /** @param {Gift} gift @param {number} count @param {number} coins */
  #count(gift, count, coins) {
    const { combo } = this.state.get();
    const goesOn = combo?.gift === gift.id;
    this.#set({
      combo: {
        gift: gift.id,
        count: count + (goesOn ? combo.count : 0),
        coins: coins + (goesOn ? combo.coins : 0),
      },
    });
    clearTimeout(this.#comboTimer);
    this.#comboTimer = setTimeout(() => this.#set({ combo: null }), comboMs);
  }

  /** @param {SentGift[]} gifts */
  #hear(gifts) {
    for (const sent of gifts) {
      if (sent.to.id === this.#room.now.me.id) {
        const { wallet } = this.state.get();
        if (wallet)
          this.#set({ wallet: { ...wallet, earnings: wallet.earnings + sent.gift.price * sent.count } });
      }
      this.news.emit('sent', sent);
    }
  }

  /** @param {Partial<GiftsState>} some */
  #set(some) {
    if (!this.#signal.aborted) this.state.update(state => ({ ...state, ...some }));
  }
}
