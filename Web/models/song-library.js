import { Store } from '../lib/store.js';
import { shortened } from '../lib/text.js';
import { OvationError } from '../protocol/errors.js';
import { request } from './http.js';
import { sendFile } from './send-file.js';

/**
 * @typedef {import('../protocol/events.js').Song & {cover?: string, builtIn: boolean, by?: string}} SongEntry
 */
/** @typedef {{audio: File, original?: File | null, lyrics?: File | null, title: string, artist?: string, durationMs: number}} SongDraft */
/**
 * `sent`: share of the upload under way, 0…1; null when none is.
 * @typedef {{phase: 'loading' | 'ready' | 'failed', songs: readonly SongEntry[], error: OvationError | null, sent: number | null}} LibraryState
 */

/** The server's limits: told before the upload, not after it. */
export const soundBytesMost = 30 * 2 ** 20;
export const lyricsBytesMost = 256 * 2 ** 10;
/** Of a title and an artist. */
export const nameLengthMost = 100;

/** The songs that can be chosen, and adding one. */
export class SongLibrary {
  state = new Store(/** @type {LibraryState} */ ({ phase: 'loading', songs: [], error: null, sent: null }));

  #session;

  /** @param {import('../protocol/session.js').Session} session */
  constructor(session) {
    this.#session = session;
  }

  /** Reads the list. Never throws; see `state.error`. */
  async load() {
    try {
      const answer = await request('/v1/songs', { authorization: this.#session.authorization });
      this.#change({ phase: 'ready', songs: answer.songs, error: null });
    } catch (thrown) {
      const { phase } = this.state.get();
      this.#change({ phase: phase === 'ready' ? 'ready' : 'failed', error: OvationError.of(thrown) });
    }
  }

  /**
   * Sends a song; `state.sent` tells how far it is.
   * @param {SongDraft} draft
   * @param {AbortSignal} [signal]
   * @returns {Promise<SongEntry>}
   */
  async upload(draft, signal) {
    for (const file of [draft.audio, draft.original])
      if (file && file.size > soundBytesMost) throw new OvationError('song_too_large');
    if (draft.lyrics && draft.lyrics.size > lyricsBytesMost) throw new OvationError('song_too_large');
    // Given up before it began, while the length was measured.
    if (signal?.aborted) throw new OvationError('aborted');
    const form = new FormData();
    form.set('title', shortened(draft.title, nameLengthMost));
    if (draft.artist) form.set('artist', shortened(draft.artist, nameLengthMost));
    form.set('durationMs', String(Math.round(draft.durationMs)));
    form.set('audio', draft.audio);
    if (draft.original) form.set('original', draft.original);
    if (draft.lyrics) form.set('lyrics', draft.lyrics);
    this.#change({ sent: 0 });
    try {
      const { song } = await sendFile('/v1/songs', form, {
        authorization: this.#session.authorization,
        tell: sent => this.#change({ sent }),
        signal,
      });
      await this.load();
      return song;
    } finally {
      this.#change({ sent: null });
    }
  }

  /** @param {string} id of a song that I uploaded */
  async remove(id) {
    await request(`/v1/songs/${id}`, { method: 'DELETE', authorization: this.#session.authorization });
    await this.load();
  }

  /** @param {Partial<LibraryState>} some */
  #change(some) {
    this.state.set({ ...this.state.get(), ...some });
  }
}

/**
 * What a song is called whose file has this name.
 * @param {string} name
 */
export function titleOf(name) {
  return shortened(name.replace(/\.[a-z0-9]{2,4}$/i, '').trim(), nameLengthMost);
}

/** How long a sound may take to say its length. */
const lengthMs = 10_000;

/**
 * The length of a sound file, as this browser reads it, in milliseconds. Throws `song_format` if it cannot.
 * @param {File} file
 * @returns {Promise<number>}
 */
export function soundLength(file) {
  const url = URL.createObjectURL(file);
  const audio = new Audio();
  return new Promise((resolve, reject) => {
    const fail = () => reject(new OvationError('song_format'));
    const timer = setTimeout(fail, lengthMs);
    audio.preload = 'metadata';
    audio.onerror = fail;
    audio.onloadedmetadata = () => {
      clearTimeout(timer);
      if (Number.isFinite(audio.duration) && audio.duration > 0) resolve(audio.duration * 1000);
      else fail();
    };
    audio.src = url;
  }).finally(() => URL.revokeObjectURL(url));
}
