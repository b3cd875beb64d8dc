import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';

/**
 * @typedef {object} ScreenState
 * @property {MediaStreamTrack | null} track what I share
 * @property {boolean} asking the browser asks what to share, or the room is asked
 */

/** Nobody answers a question so fast: the system, or an earlier answer, has. */
const tooFastMs = 250;

/** The screen that I share in a live room. */
export class ScreenModel {
  state = new Store(/** @type {ScreenState} */ ({ track: null, asking: false }));

  #room;
  #visit;
  #media;

  /**
   * @param {import('../protocol/room.js').OvationRoom} room
   * @param {import('./salon-parts.js').Visit} visit of a live room, begun
   * @param {MediaDevices | undefined} [media]
   */
  constructor(room, visit, media = globalThis.navigator?.mediaDevices) {
    this.#room = room;
    this.#visit = visit;
    this.#media = media;
    const { signal } = visit.life;
    // Shared before the page was loaded anew: nothing comes of it any more.
    if (this.#isMine) this.#tellEnd();
    room.state.subscribe(() => this.#follow(), { signal, now: false });
    signal.addEventListener('abort', () => this.#release());
  }

  /** Whether this browser can share a screen; phones cannot. */
  get isPossible() {
    return typeof this.#media?.getDisplayMedia === 'function';
  }

  get #isMine() {
    const room = this.#room.state.get();
    return Boolean(room) && room?.screen === room?.me.id;
  }

  /**
   * Asks what to share, and shares it; in a click. Whoever closes the browser's question shares nothing, and hears nothing of it.
   * Throws `screen_taken`, `screen_denied` and what the room refuses with.
   */
  async share() {
    const { track, asking } = this.state.get();
    if (track || asking) return;
    if (this.#room.now.screen) throw new OvationError('screen_taken');
    this.#change({ asking: true });
    try {
      await this.#share();
    } finally {
      this.#change({ asking: false });
    }
  }

  async #share() {
    const track = await this.#ask();
    if (!track) return;
    if (this.#visit.life.signal.aborted) return track.stop();
    this.#change({ track });
    track.onended = () => {
      if (this.state.get().track !== track) return;
      this.#release();
      this.#tellEnd();
    };
    try {
      await this.#visit.peer.setScreen(track);
      await this.#room.startScreen();
    } catch (thrown) {
      this.#release();
      throw thrown;
    }
    // Ended while the room was being asked.
    if (this.state.get().track !== track) this.#tellEnd();
  }

  /** @returns {Promise<MediaStreamTrack | null>} null: the question was closed */
  async #ask() {
    if (!this.#media?.getDisplayMedia) throw new OvationError('screen_denied');
    const asked = performance.now();
    try {
      const options = {
        video: { frameRate: { ideal: 15, max: 30 } },
        audio: false,
        // This page in its own picture would be a tunnel of mirrors.
        selfBrowserSurface: 'exclude',
        surfaceSwitching: 'include',
      };
      const stream = await this.#media.getDisplayMedia(/** @type {any} */ (options));
      const [track] = stream.getVideoTracks();
      // Text is to stay sharp; frames may come later.
      if (track) track.contentHint = 'detail';
      return track ?? null;
    } catch (/** @type {any} */ thrown) {
      // Chromium names the system when it refuses; Firefox and Safari say the same of it as of a question that was closed.
      const byPerson = performance.now() - asked > tooFastMs && !/system/i.test(thrown?.message ?? '');
      if (thrown?.name === 'NotAllowedError' && byPerson) return null;
      throw new OvationError('screen_denied', undefined, { cause: thrown });
    }
  }

  /** Ends mine. Never throws: what cannot be said now is said by the room, when the path is gone. */
  stop() {
    if (!this.state.get().track) return;
    this.#release();
    this.#tellEnd();
  }

  #tellEnd() {
    this.#room.stopScreen().catch(() => {
      // It has ended already, or the connection is gone and the seat with it.
    });
  }

  /** The host, or the loss of the seat, has ended it. */
  #follow() {
    const { track, asking } = this.state.get();
    if (!track || asking || this.#isMine) return;
    this.#release();
  }

  #release() {
    const { track } = this.state.get();
    if (!track) return;
    this.#change({ track: null });
    track.stop();
    void this.#visit.peer.setScreen(null).catch(() => {
      // The peer is being replaced; it has no screen to take along.
    });
  }

  /** @param {Partial<ScreenState>} some */
  #change(some) {
    this.state.set({ ...this.state.get(), ...some });
  }
}
