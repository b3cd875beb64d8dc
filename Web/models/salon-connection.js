import { Store } from '../lib/store.js';

/** @typedef {import('./salon-state.js').ConnectionView} ConnectionView */

/** Without a media path for so long, people are told. */
const patienceMs = 5_000;
/** Round trips that people feel on signalling alone. */
const slowSignallingMs = 400;

/** The connection chip: signalling and media path in one word. */
export class SalonConnection {
  state = new Store(
    /** @type {ConnectionView} */ ({
      word: 'connecting',
      rttMs: null,
      lossPercent: null,
      jitterMs: null,
      way: null,
      signalling: 'open',
      media: 'new',
      retryAt: null,
      error: null,
    }),
  );

  #session;
  #peer;
  #overdue = false;
  /** @type {any} */ #timer = null;

  /**
   * @param {import('../protocol/session.js').Session} session
   * @param {import('../protocol/peer.js').OvationPeer} peer
   * @param {AbortSignal} signal
   */
  constructor(session, peer, signal) {
    this.#session = session;
    this.#peer = peer;
    const refresh = () => this.#refresh();
    session.state.subscribe(refresh, { signal, now: false });
    session.rttMs.subscribe(refresh, { signal, now: false });
    peer.quality.subscribe(refresh, { signal, now: false });
    peer.error.subscribe(refresh, { signal, now: false });
    peer.state.subscribe(() => this.#wait(), { signal });
    signal.addEventListener('abort', () => clearTimeout(this.#timer));
  }

  /** Starts or stops the patience with a media path that is not there. */
  #wait() {
    if (this.#peer.state.get() === 'connected') {
      clearTimeout(this.#timer);
      this.#timer = null;
      this.#overdue = false;
    } else {
      this.#timer ??= setTimeout(() => {
        this.#overdue = true;
        this.#refresh();
      }, patienceMs);
    }
    this.#refresh();
  }

  #refresh() {
    const { phase, retryAt } = this.#session.state.get();
    const media = this.#peer.state.get();
    const quality = this.#peer.quality.get();
    const error = this.#peer.error.get()?.name ?? null;
    const rttMs = quality?.rttMs ?? this.#session.rttMs.get();
    /** @type {ConnectionView['word']} */ let word = 'connecting';
    if (phase === 'closed') word = 'offline';
    else if (phase !== 'ready') word = 'reconnecting';
    else if (media === 'connected')
      word = quality?.word ?? ((rttMs ?? 0) > slowSignallingMs ? 'fair' : 'good');
    else if (this.#overdue || error === 'webrtc_missing') word = 'noMedia';
    const signalling = phase === 'ready' ? 'open' : phase === 'closed' ? 'closed' : 'reconnecting';
    const { lossPercent = null, jitterMs = null, way = null } = quality ?? {};
    this.state.set({ word, rttMs, lossPercent, jitterMs, way, signalling, media, retryAt, error });
  }
}

/** With these, nobody but the network is known to have failed. */
const ofNetwork = ['media_failed', 'timeout', 'offline', 'connection_lost'];

/**
 * Why no sound comes.
 * @param {string} [error] the last error's name; none: nothing has failed, and nothing comes
 * @returns {'noMediaPath' | 'noMediaBrowser' | 'noMediaRefused'} the network blocks it, the browser failed, the server refused
 */
export function silenceOf(error) {
  if (error === 'media_browser') return 'noMediaBrowser';
  return error === undefined || ofNetwork.includes(error) ? 'noMediaPath' : 'noMediaRefused';
}
