import { OvationError } from '../protocol/errors.js';

/** What the list shows of me is renewed so often. */
const everyMs = 20_000;
/** A camera that has just come on is still finding its light. */
const firstMs = 1_500;
/** After a failure it is tried again then. */
const againMs = 10_000;

/** While I am the host and seen: shows the list of rooms what my camera shows, unless I do not want it. */
export class StillSender {
  #room;
  #preferences;
  #source;
  #signal;
  #take;
  /** @type {any} */ #timer = null;
  #isShown = false;
  /** Counts what was wanted: a picture that was being taken before counts no more. */ #wish = 0;

  /**
   * @param {object} parts
   * @param {Pick<import('../protocol/room.js').OvationRoom, 'state' | 'setStill'>} parts.room
   * @param {import('./preferences.js').PreferencesModel} parts.preferences
   * @param {() => MediaStreamTrack | null} source what is sent of my camera now
   * @param {AbortSignal} signal ends with my visit
   * @param {(track: MediaStreamTrack) => Promise<Uint8Array>} [take]
   */
  constructor(
    { room, preferences },
    source,
    signal,
    take = async track => (await import('../video/still.js')).takeStill(track),
  ) {
    this.#room = room;
    this.#preferences = preferences;
    this.#source = source;
    this.#signal = signal;
    this.#take = take;
    signal.addEventListener('abort', () => clearTimeout(this.#timer));
  }

  /** Whether I am the host, and the room sees my camera. */
  get #isSeen() {
    const me = this.#room.state.get()?.me;
    if (me?.role !== 'owner' || me.seat === undefined) return false;
    return this.#room.state.get()?.seats[me.seat]?.camera === 'on' && this.#source() !== null;
  }

  /** Begins, or ends, when what it depends on has changed. */
  settle() {
    if (this.#signal.aborted) return;
    const { lobbyStill } = this.#preferences.get();
    if (this.#isSeen && lobbyStill) {
      if (this.#timer === null) this.#wait(firstMs);
      return;
    }
    this.#wish++;
    clearTimeout(this.#timer);
    this.#timer = null;
    // Whoever is seen no more has none; only one that could still be shown has to be taken back.
    if (this.#isShown && this.#isSeen) this.#room.setStill(null).catch(() => {});
    this.#isShown = false;
  }

  /** @param {number} ms */
  #wait(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#send(), ms);
  }

  async #send() {
    const wish = this.#wish;
    const track = this.#source();
    let next = everyMs;
    try {
      if (!track) throw new OvationError('aborted');
      const picture = await this.#take(track);
      if (wish !== this.#wish || this.#signal.aborted) return;
      this.#isShown = true;
      await this.#room.setStill(picture);
    } catch (thrown) {
      const error = OvationError.of(thrown);
      // This server reads no pictures: nor does it in ten seconds.
      if (error.name === 'uploads_unavailable') return;
      next = error.retryAfterMs ?? againMs;
    }
    if (wish === this.#wish && !this.#signal.aborted) this.#wait(next);
  }
}
