import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';

/**
 * `idle`: nothing has been asked, or the host has not answered. `called`: the host said yes while I was looking elsewhere; it lapses at
 * `until`. `counting`: 3, 2, 1. `coming`: they are through, and there is no way back but stepping down.
 * @typedef {{phase: 'idle' | 'called' | 'counting' | 'coming', until: number}} AskingState `until` on this device's clock
 */

const countMs = 3_000;
/** So long a yes waits for who has put the sheet away. */
const patienceMs = 10_000;

/** My way onto the stage of a live room: what I come with, and the seconds between the host's yes and being seen. */
export class AskingModel {
  state = new Store(/** @type {AskingState} */ ({ phase: 'idle', until: 0 }));

  #voice;
  #news;
  #requests;
  #show;
  #still;
  #now;
  /** My own picture is before me. */ #isThere = false;
  #withCamera = false;
  /** @type {number | null} The seat that the host said yes to. */ #seat = null;
  /** @type {any} */ #timer = null;

  /**
   * @param {object} parts
   * @param {Pick<import('./salon-voice.js').OwnVoice, 'sitSomewhere'>} parts.voice
   * @param {Pick<import('../protocol/events.js').Emitter<import('./salon-state.js').SalonNewsMap>, 'emit'>} parts.news
   * @param {Pick<import('./salon-requests.js').RequestActions, 'ask' | 'acceptInvitation'>} parts.requests
   * @param {(way: ((seat: number | null) => Promise<void>) | null) => void} parts.comeBy takes my way onto the stage: past my own picture
   * @param {() => Promise<void>} show shows my camera to everybody
   * @param {() => Promise<Uint8Array | null>} still takes what the host sees of me before the answer
   * @param {AbortSignal} signal ends with my visit
   * @param {() => number} [now]
   */
  constructor({ voice, news, requests, comeBy }, show, still, signal, now = Date.now) {
    this.#voice = voice;
    this.#news = news;
    this.#requests = requests;
    this.#show = show;
    this.#still = still;
    this.#now = now;
    comeBy(async seat => this.#called(seat));
    signal.addEventListener('abort', () => {
      clearTimeout(this.#timer);
      comeBy(null);
    });
  }

  /** I asked, or said yes, to come with my picture. */
  get withCamera() {
    return this.#withCamera;
  }

  /**
   * Asks to come on stage. Throws OvationError.
   * @param {boolean} withCamera
   * @param {string} [words] for the host
   */
  async ask(withCamera, words = '') {
    this.#withCamera = withCamera;
    await this.#requests.ask(null, withCamera ? { words, still: this.#still } : { words });
  }

  /**
   * Says yes to the host's invitation. Throws OvationError.
   * @param {boolean} withCamera
   */
  async accept(withCamera) {
    this.#withCamera = withCamera;
    await this.#requests.acceptInvitation();
  }

  /**
   * My own picture is before me, or not any more: nobody comes on stage without having seen what the others are going to see.
   * @param {boolean} there
   */
  attend(there) {
    this.#isThere = there;
    const { phase } = this.state.get();
    if (there && phase === 'called') this.#count();
    else if (!there && phase === 'counting') this.#call();
  }

  /** I would rather not. */
  notNow() {
    if (this.state.get().phase !== 'coming') this.#end();
  }

  #end() {
    this.#set('idle', 0, () => {});
  }

  /** @param {number | null} seat */
  #called(seat) {
    if (this.state.get().phase === 'coming') return;
    this.#seat = seat;
    if (this.#isThere) this.#count();
    else this.#call();
  }

  #call() {
    this.#set('called', patienceMs, () => this.notNow());
  }

  #count() {
    this.#set('counting', countMs, () => void this.#come());
  }

  /** @param {AskingState['phase']} phase @param {number} ms until `then` @param {() => void} then */
  #set(phase, ms, then) {
    clearTimeout(this.#timer);
    if (ms > 0) this.#timer = setTimeout(then, ms);
    this.state.set({ phase, until: ms > 0 ? this.#now() + ms : 0 });
  }

  async #come() {
    this.#set('coming', 0, () => {});
    try {
      // Who has no seat is not seen.
      await this.#voice.sitSomewhere(this.#seat);
      if (this.#withCamera) await this.#show();
    } catch (thrown) {
      this.#news.emit('problem', { error: OvationError.of(thrown) });
    } finally {
      this.#end();
    }
  }
}
