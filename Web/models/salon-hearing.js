/** How long `testMedia` waits for a path. */
const testMs = 5_000;

/** What I hear, and whether sound gets through. */
export class HearingActions {
  /** Whether everything I hear is muted: from the menu, or by a pause key, a headset or a lock screen. */
  deafened;

  #session;
  #listening;
  #visit;
  #change;
  #needMedia;

  /**
   * @param {object} parts
   * @param {import('../protocol/session.js').Session} parts.session
   * @param {import('./listening.js').ListeningModel} parts.listening
   * @param {import('../lib/store.js').Store<boolean>} parts.deafened
   * @param {() => import('./salon-parts.js').Visit | null} parts.visit
   * @param {import('./salon-parts.js').Change} parts.change
   * @param {() => void} parts.needMedia throws in a browser that cannot have sound
   */
  constructor({ session, listening, deafened, visit, change, needMedia }) {
    this.#session = session;
    this.#listening = listening;
    this.deafened = deafened;
    this.#visit = visit;
    this.#change = change;
    this.#needMedia = needMedia;
  }

  /**
   * @param {string} user
   * @param {{volume?: number, muted?: boolean}} setting volume 0…100, kept on this device
   */
  setListening(user, setting) {
    this.#listening.change(user, setting);
  }

  /**
   * Mutes or unmutes everything I hear.
   * @param {boolean} muted
   */
  setDeafened(muted) {
    this.deafened.set(muted);
  }

  /** The browser holds a picture back until a tap, as iPhones do in Low Power Mode. */
  noteHeldBack() {
    this.#visit()?.playout.blocked.set(true);
  }

  /** Whether this browser can have sound and picture at all. Throws `webrtc_missing`. */
  async checkBrowser() {
    this.#needMedia();
  }

  /** After `echoPair`: hear sound in this tab although another one of this browser is in the room. */
  listenAnyway() {
    this.#change(() => ({ echoAllowed: true }));
  }

  /**
   * Tries the media path anew and says what it found after at most 5 s.
   * @returns {Promise<{connected: boolean, rttMs: number | null, signallingRttMs: number | null, error: string | null}>}
   */
  async testMedia() {
    const peer = this.#visit()?.peer;
    if (!peer) return { connected: false, rttMs: null, signallingRttMs: null, error: 'not_in_room' };
    peer.restart();
    const connected = await new Promise(resolve => {
      const watching = new AbortController();
      const finish = (/** @type {boolean} */ found) => {
        watching.abort();
        clearTimeout(timer);
        resolve(found);
      };
      const timer = setTimeout(() => finish(false), testMs);
      peer.state.subscribe(state => state === 'connected' && finish(true), {
        signal: watching.signal,
        now: false,
      });
    });
    const error = connected ? null : (peer.error.get()?.name ?? 'media_failed');
    return {
      connected,
      rttMs: peer.quality.get()?.rttMs ?? null,
      signallingRttMs: this.#session.rttMs.get(),
      error,
    };
  }
}
