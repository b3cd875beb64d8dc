/** How long `testMedia` waits for a path. */
const testMs = 5_000;

/** What I hear, and whether sound gets through. */
export class HearingActions {
  #stage;

  /** @param {import('./salon-stage.js').SalonStage} stage */
  constructor(stage) {
    this.#stage = stage;
  }

  /**
   * @param {string} user
   * @param {{volume?: number, muted?: boolean}} setting volume 0…100, kept on this device
   */
  setListening(user, setting) {
    this.#stage.host.listening.change(user, setting);
  }

  /** Whether everything I hear is muted: from the menu, or by a pause key, a headset or a lock screen. */
  get deafened() {
    return this.#stage.deafened;
  }

  /**
   * Mutes or unmutes everything I hear.
   * @param {boolean} muted
   */
  setDeafened(muted) {
    this.#stage.deafened.set(muted);
  }

  /** The browser holds a picture back until a tap, as iPhones do in Low Power Mode. */
  noteHeldBack() {
    this.#stage.visit?.playout.blocked.set(true);
  }

  /** Whether this browser can have sound and picture at all. Throws `webrtc_missing`. */
  async checkBrowser() {
    this.#stage.needMedia();
  }

  /** After `echoPair`: hear sound in this tab although another one of this browser is in the room. */
  listenAnyway() {
    this.#stage.set({ echoAllowed: true });
  }

  /**
   * Tries the media path anew and says what it found after at most 5 s.
   * @returns {Promise<{connected: boolean, rttMs: number | null, signallingRttMs: number | null, error: string | null}>}
   */
  async testMedia() {
    const peer = this.#stage.visit?.peer;
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
      signallingRttMs: this.#stage.session.rttMs.get(),
      error,
    };
  }
}
