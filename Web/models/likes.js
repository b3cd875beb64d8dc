import { Store } from '../lib/store.js';

/** @typedef {import('../protocol/room.js').OvationRoom} OvationRoom */

/** Clicks are gathered for this time before they are sent. */
const gatherMs = 300;
/** The most of one call (Documentation/build/protocol.md §6). */
const callMost = 100;

/** The room's likes: the exact total of the server, plus mine that it does not know yet. */
export class LikesModel {
  total = new Store(0);

  #room;
  #confirmed = 0;
  /** Clicked, not sent. */ #gathered = 0;
  /** Sent, not answered. */ #sent = 0;
  /** Answered, not yet in an event: others' share of the next one is what remains. */ #mine = 0;
  /** @type {any} */ #timer = null;

  /** @param {OvationRoom} room */
  constructor(room) {
    this.#room = room;
  }

  /** One click. */
  add() {
    this.#gathered++;
    this.#show();
    this.#timer ??= setTimeout(() => void this.#send(), gatherMs);
  }

  /** @param {number} total of the server */
  confirm(total) {
    this.#confirmed = total;
    this.#show();
  }

  /**
   * Takes an event up.
   * @param {{total: number, added: number}} event
   * @returns {number} how many of them are others'
   */
  hear({ total, added }) {
    const mine = Math.min(this.#mine, added);
    this.#mine -= mine;
    this.confirm(Math.max(total, this.#confirmed));
    return added - mine;
  }

  close() {
    clearTimeout(this.#timer);
  }

  async #send() {
    const count = Math.min(this.#gathered, callMost);
    this.#gathered -= count;
    this.#sent += count;
    try {
      const { total } = await this.#room.like(count);
      this.#mine += count;
      this.#confirmed = Math.max(total, this.#confirmed);
    } catch {
      // Refused or lost: they were never counted, and the number says so.
    }
    this.#sent -= count;
    this.#timer = this.#gathered > 0 ? setTimeout(() => void this.#send(), gatherMs) : null;
    this.#show();
  }

  #show() {
    this.total.set(this.#confirmed + this.#gathered + this.#sent);
  }
}
