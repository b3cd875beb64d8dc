import { OvationError } from '../protocol/errors.js';

/** Chat and likes. */
export class TalkActions {
  #session;
  #room;
  #visit;
  #change;

  /**
   * @param {object} parts
   * @param {import('../protocol/session.js').Session} parts.session
   * @param {import('../protocol/room.js').OvationRoom} parts.room
   * @param {() => import('./salon-parts.js').Visit | null} parts.visit
   * @param {import('./salon-parts.js').Change} parts.change
   */
  constructor({ session, room, visit, change }) {
    this.#session = session;
    this.#room = room;
    this.#visit = visit;
    this.#change = change;
  }

  /**
   * Shows the line at once as `sending`. Resolves when sent; on failure the line stays as `failed` and the error is thrown.
   * @param {string} text
   * @param {{danmu?: boolean}} [options]
   */
  async send(text, options) {
    await this.#timed(chat => chat.send(text, options));
  }

  /** @param {string} key of a failed line */
  async resend(key) {
    await this.#timed(chat => chat.resend(key));
  }

  /**
   * In slow mode the next message has to wait.
   * @param {(chat: import('./chat.js').ChatModel) => Promise<unknown>} send
   */
  async #timed(send) {
    const visit = this.#visit();
    if (!visit) return;
    const writesAfter = (/** @type {number} */ ms) => {
      if (this.#visit() === visit) this.#change(() => ({ writesAt: this.#session.serverNow() + ms }));
    };
    try {
      await send(visit.chat);
      const seconds = this.#room.now.info.chat?.slowSeconds ?? 0;
      if (seconds > 0) writesAfter(seconds * 1000);
    } catch (thrown) {
      const error = OvationError.of(thrown);
      if (error.name === 'slow_mode') writesAfter(error.retryAfterMs ?? 1000);
      throw error;
    }
  }

  /**
   * Removes a failed line.
   * @param {string} key
   * @returns {string} its text
   */
  discard(key) {
    return this.#visit()?.chat.discard(key) ?? '';
  }

  /** Everything has been seen. */
  markRead() {
    this.#visit()?.chat.markRead();
  }

  /** One like; gathered and sent a few times a second. */
  like() {
    this.#visit()?.likes.add();
  }
}
