import { OvationError } from '../protocol/errors.js';

/**
 * `publish`: others hear it; volumes 0…150; `pitch` −1…1 (an octave down or up), `speed` 0.5…2; `loops` more times than
 * once, −1 for ever; `startMs` and `endMs` (0: to the end) bound what is played.
 * @typedef {object} MusicOptions
 * @property {boolean} publish
 * @property {number} publishVolume
 * @property {number} localVolume
 * @property {number} pitch
 * @property {number} speed
 * @property {number} loops
 * @property {number} startMs
 * @property {number} endMs
 */
/**
 * `status`: `ended` after the last time; `play` begins anew.
 * @typedef {MusicOptions & {id: string, name: string, status: 'playing' | 'paused' | 'ended', positionMs: number, durationMs: number}} MusicState
 */

/** Nobody else hears a piece before one says so. @type {Readonly<MusicOptions>} */
export const plainMusic = Object.freeze({
  publish: false,
  publishVolume: 60,
  localVolume: 60,
  pitch: 0,
  speed: 1,
  loops: 0,
  startMs: 0,
  endMs: 0,
});

/** Bytes; an hour of MP3 at 320 kbit/s is 144 MB, and everything is decoded into memory. */
const largest = 100_000_000;

/** A piece of music on the desk. */
export class MusicTrack {
  /**
   * Replaced at each change.
   * @type {Readonly<MusicState>}
   */
  state;

  #channel;
  #changed;

  /**
   * @param {import('../audio/mixer.js').Mixer} mixer
   * @param {{id: string, name: string, sound: import('../audio/mixer.js').Sound, options: Partial<MusicOptions>, changed: () => void}} piece
   */
  constructor(mixer, { id, name, sound, options, changed }) {
    const { durationMs } = sound;
    const all = { ...plainMusic, ...options };
    this.state = Object.freeze({ ...all, id, name, status: 'paused', positionMs: all.startMs, durationMs });
    this.#changed = changed;
    const { startMs, endMs, loops } = all;
    this.#channel = mixer.addMusic(sound, { startMs, endMs, loops }, news => this.#hear(news));
    this.change(options);
  }

  play() {
    if (this.state.status === 'ended') {
      this.#channel.send({ loops: this.state.loops });
      this.seek(this.state.startMs);
    }
    this.#channel.send({ play: true });
    this.#set({ status: 'playing' });
  }

  pause() {
    if (this.state.status !== 'playing') return;
    this.#channel.send({ play: false });
    this.#set({ status: 'paused' });
  }

  /** @param {number} ms in the sound */
  seek(ms) {
    const end = this.state.endMs || this.state.durationMs;
    const positionMs = Math.max(this.state.startMs, Math.min(end, ms));
    this.#channel.send({ seek: positionMs });
    this.#set({ positionMs, ...(this.state.status === 'ended' ? { status: 'paused' } : {}) });
  }

  /**
   * Who hears it, volumes, pitch, speed, loops and range.
   * @param {Partial<MusicOptions>} some
   */
  change(some) {
    const all = { ...this.state, ...some };
    const volume = (/** @type {number} */ value) => bounded(value, 0, 150);
    this.#set({
      ...some,
      publishVolume: volume(all.publishVolume),
      localVolume: volume(all.localVolume),
      pitch: bounded(all.pitch, -1, 1),
      speed: bounded(all.speed, 0.5, 2),
      startMs: bounded(all.startMs, 0, this.state.durationMs),
      endMs: bounded(all.endMs, 0, this.state.durationMs),
    });
    const { publish, publishVolume, localVolume, pitch, speed, loops, startMs, endMs } = this.state;
    this.#channel.send({ pitch: pitch * 12, speed, loops, range: { startMs, endMs } });
    this.#channel.setVolumes(publish ? publishVolume / 100 : 0, localVolume / 100);
  }

  remove() {
    this.#channel.remove();
  }

  /** @param {{positionMs: number, ended: boolean}} news */
  #hear({ positionMs, ended }) {
    if (ended && this.state.status === 'playing') this.#channel.send({ play: false });
    this.#set(ended ? { positionMs, status: 'ended' } : { positionMs });
  }

  /** @param {Partial<MusicState>} some */
  #set(some) {
    this.state = Object.freeze({ ...this.state, ...some });
    this.#changed();
  }
}

/**
 * The bytes of a piece of music and what to call it. Throws OvationError `music_not_allowed`, `music_unreachable`,
 * `music_not_found` or `music_too_large`.
 * @param {File | string} source
 * @param {readonly string[]} [origins] the sites that the page's content policy lets it ask beside its own; without it nothing is refused here
 * @returns {Promise<{name: string, bytes: ArrayBuffer}>}
 */
export async function fetchMusic(source, origins) {
  if (typeof source !== 'string') {
    if (source.size > largest) throw new OvationError('music_too_large');
    return { name: withoutExtension(source.name), bytes: await source.arrayBuffer() };
  }
  const url = addressOf(source);
  if (origins && url.origin !== globalThis.location?.origin && !origins.includes(url.origin))
    throw new OvationError('music_not_allowed', url.origin);
  /** @type {Response} */ let answer;
  try {
    answer = await fetch(url, { credentials: 'omit' });
  } catch (thrown) {
    // A site that does not share it (CORS), that sends one elsewhere (CSP), or no network.
    throw new OvationError('music_unreachable', String(thrown));
  }
  if (!answer.ok) throw new OvationError('music_not_found', String(answer.status));
  if (Number(answer.headers.get('content-length') ?? 0) > largest) throw new OvationError('music_too_large');
  const bytes = await answer.arrayBuffer();
  if (bytes.byteLength > largest) throw new OvationError('music_too_large');
  const last = decodeURIComponent(url.pathname.split('/').at(-1) || url.host);
  return { name: withoutExtension(last), bytes };
}

/** @param {number} value @param {number} least @param {number} most */
function bounded(value, least, most) {
  return Number.isFinite(value) ? Math.max(least, Math.min(most, value)) : least;
}

/** @param {string} text */
function addressOf(text) {
  try {
    const url = new URL(text.trim(), globalThis.document?.baseURI);
    if (url.protocol === 'https:' || url.protocol === 'http:') return url;
  } catch {
    // Not an address, as below.
  }
  throw new OvationError('music_address_invalid');
}

/** @param {string} name */
function withoutExtension(name) {
  return name.replace(/\.[a-z0-9]{2,4}$/i, '');
}
