import { Store } from '../lib/store.js';

/** @typedef {{volume: number, muted: boolean}} Listening volume 0…100 */

/** What is paused again within this time of being played again is not to sound for now. */
const againMs = 1_000;
/** The most voices of a room: sixteen seats, the mix of a chorus, and the hosts of three linked rooms. */
const voicesMost = 20;

/** @type {Readonly<Listening>} */
export const plainListening = Object.freeze({ volume: 100, muted: false });

/** Plays the seats' sound: one `<audio>` a seat, so that each has its own volume. */
export class Playout {
  /** The browser wants a click before it plays: `unlock` in one. */
  blocked = new Store(false);

  #document;
  #box;
  /** @type {HTMLAudioElement[]} */ #elements = [];
  /** @type {Listening[]} */ #listening = [];
  /** Everything is silent while one of these holds. @type {Set<string>} */ #silencers = new Set();
  /** @type {WeakMap<HTMLAudioElement, number>} When each was played again last. */ #replayed = new WeakMap();
  #life = new AbortController();
  #sink = '';
  #volume = 1;

  /** @param {Document} document */
  constructor(document = globalThis.document) {
    this.#document = document;
    this.#box = document.createElement('div');
    this.#box.hidden = true;
    this.#box.dataset.testid = 'playout';
    document.body.append(this.#box);
    document.addEventListener('visibilitychange', () => !document.hidden && this.#playAgain(), {
      signal: this.#life.signal,
    });
  }

  /**
   * In the click that enters the room, before it is known who is there: an element that was made and played in a gesture may sound
   * later. Safari lets no other one, and by the time the server has answered the click is spent.
   */
  begin() {
    // What is refused here holds nothing back yet: whoever speaks is played again.
    for (let seat = 0; seat < voicesMost; seat++)
      this.#element(seat)
        .play()
        .catch(() => {});
  }

  /**
   * The present sound of each seat.
   * @param {readonly (MediaStreamTrack | null)[]} tracks by seat
   */
  setTracks(tracks) {
    for (let seat = 0; seat < Math.max(tracks.length, this.#elements.length); seat++) {
      const track = tracks[seat] ?? null;
      const element = this.#element(seat);
      const playing = /** @type {MediaStream | null} */ (element.srcObject)?.getTracks()[0] ?? null;
      if (playing === track) continue;
      element.srcObject = track ? new MediaStream([track]) : null;
      if (track) void this.#play(element);
    }
  }

  /**
   * @param {number} seat
   * @param {Listening} listening
   */
  setListening(seat, listening) {
    this.#listening[seat] = listening;
    this.#apply(seat);
  }

  /**
   * How loud everybody is.
   * @param {number} volume 0…100
   */
  setVolume(volume) {
    this.#volume = Math.min(1, Math.max(0, volume / 100));
    for (const seat of this.#elements.keys()) this.#apply(seat);
  }

  /**
   * Silences all, for a named reason; it sounds again when no reason is left.
   * @param {string} reason
   * @param {boolean} silent
   */
  setSilenced(reason, silent) {
    if (silent) this.#silencers.add(reason);
    else this.#silencers.delete(reason);
    for (const seat of this.#elements.keys()) this.#apply(seat);
  }

  /** @param {string} id of the output device, '' for the system's choice */
  async setOutput(id) {
    this.#sink = id;
    await Promise.all(this.#elements.map(element => this.#route(element)));
  }

  /** In a click, or when the page is looked at again: plays what the browser held back. */
  async unlock() {
    await Promise.all(
      this.#elements.filter(element => element.srcObject).map(element => this.#play(element)),
    );
    if (this.#elements.every(element => !element.srcObject || !element.paused)) this.blocked.set(false);
  }

  close() {
    this.#life.abort();
    for (const element of this.#elements) {
      element.pause();
      element.srcObject = null;
    }
    this.#elements = [];
    this.#box.remove();
  }

  /** @param {number} seat */
  #element(seat) {
    const known = this.#elements[seat];
    if (known) return known;
    const element = this.#document.createElement('audio');
    // A web view on an iPhone may otherwise open a player over the page.
    element.setAttribute('playsinline', '');
    element.dataset.seat = String(seat);
    element.onpause = () => this.#paused(element);
    this.#box.append(element);
    this.#elements[seat] = element;
    this.#apply(seat);
    void this.#route(element);
    return element;
  }

  /** @param {number} seat */
  #apply(seat) {
    const element = this.#elements[seat];
    const { volume, muted } = this.#listening[seat] ?? plainListening;
    if (!element) return;
    element.volume = Math.min(1, Math.max(0, volume / 100)) * this.#volume;
    element.muted = muted || this.#silencers.size > 0;
  }

  /**
   * Nobody here pauses: a call, an alarm, or headphones that were pulled out.
   * @param {HTMLAudioElement} element
   */
  #paused(element) {
    if (!element.srcObject || element.ended || this.#life.signal.aborted) return;
    const now = Date.now();
    const last = this.#replayed.get(element) ?? Number.NEGATIVE_INFINITY;
    if (now - last < againMs) return this.blocked.set(true);
    this.#replayed.set(element, now);
    void this.#play(element);
  }

  /** The page is looked at again: what was paused meanwhile. */
  #playAgain() {
    if (this.#elements.some(element => element.srcObject && element.paused)) void this.unlock();
  }

  /** @param {HTMLAudioElement} element */
  async #play(element) {
    try {
      await element.play();
    } catch (thrown) {
      // Anything else (a newer srcObject took over) is answered by that one's own play.
      if (/** @type {any} */ (thrown)?.name === 'NotAllowedError') this.blocked.set(true);
    }
  }

  /** @param {HTMLAudioElement} element */
  async #route(element) {
    const routed = /** @type {{setSinkId?: (id: string) => Promise<void>, sinkId?: string}} */ (
      /** @type {unknown} */ (element)
    );
    if (!routed.setSinkId || (routed.sinkId ?? '') === this.#sink) return;
    try {
      await routed.setSinkId(this.#sink);
    } catch {
      // Unplugged: the system's choice goes on sounding.
    }
  }
}
