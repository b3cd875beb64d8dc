/** Chat and likes. */
export class TalkActions {
  #stage;

  /** @param {import('./salon-stage.js').SalonStage} stage */
  constructor(stage) {
    this.#stage = stage;
  }

  /**
   * Shows the line at once as `sending`. Resolves when sent; on failure the line stays as `failed` and the error is thrown.
   * @param {string} text
   * @param {{danmu?: boolean}} [options]
   */
  async send(text, options) {
    await this.#stage.visit?.chat.send(text, options);
  }

  /** @param {string} key of a failed line */
  async resend(key) {
    await this.#stage.visit?.chat.resend(key);
  }

  /**
   * Removes a failed line.
   * @param {string} key
   * @returns {string} its text
   */
  discard(key) {
    return this.#stage.visit?.chat.discard(key) ?? '';
  }

  /** Everything has been seen. */
  markRead() {
    this.#stage.visit?.chat.markRead();
  }

  /** One like; gathered and sent a few times a second. */
  like() {
    this.#stage.visit?.likes.add();
  }
}
