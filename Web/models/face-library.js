import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { uploadOf } from './faces.js';
import { request } from './http.js';
import { sendFile } from './send-file.js';

/** @typedef {'avatar' | 'cover'} FaceKind */
/**
 * A picture of one's own on the server; `picture` is what a profile or a room states.
 * @typedef {{id: string, kind: FaceKind, picture: string, sizes: Record<'small' | 'medium' | 'large', string>}} Face
 */
/**
 * `sent`: share of the upload under way, 0…1; null when none is.
 * @typedef {{faces: readonly Face[], sent: number | null}} FaceLibraryState
 */

/** The server's limit a person: told before the upload, not after it. */
export const facesMost = 12;

/** Tries to remove what is not used any more; whether the picture goes is no reason to refuse what it made room for. */
const quietly = () => {};

/** One's own pictures on the server. */
export class FaceLibrary {
  state = new Store(/** @type {FaceLibraryState} */ ({ faces: [], sent: null }));

  #session;
  #send;

  /**
   * @param {{authorization: string}} session
   * @param {typeof sendFile} send
   */
  constructor(session, send = sendFile) {
    this.#session = session;
    this.#send = send;
  }

  /** Reads what is kept: the newest first. */
  async load() {
    const { faces } = await request('/v1/faces', { authorization: this.#session.authorization });
    this.#change({ faces });
  }

  /**
   * Sends a picture that has been cropped; `state.sent` tells how far it is. Throws `face_library_full`, `face_format`, …
   * @param {FaceKind} kind
   * @param {Blob} picture
   * @param {AbortSignal} [signal]
   * @returns {Promise<Face>}
   */
  async upload(kind, picture, signal) {
    if (this.state.get().faces.length >= facesMost) throw new OvationError('face_library_full');
    this.#change({ sent: 0 });
    try {
      const { face } = await this.#send(`/v1/faces?kind=${kind}`, picture, {
        authorization: this.#session.authorization,
        tell: sent => this.#change({ sent }),
        signal,
      });
      this.#change({ faces: [face, ...this.state.get().faces] });
      return face;
    } catch (thrown) {
      const error = OvationError.of(thrown);
      // The sentence of that name is about songs.
      throw error.name === 'uploads_unavailable'
        ? new OvationError('faces_unavailable', error.message)
        : error;
    } finally {
      this.#change({ sent: null });
    }
  }

  /** @param {string} id */
  async remove(id) {
    await request(`/v1/faces/${id}`, { method: 'DELETE', authorization: this.#session.authorization });
    this.#change({ faces: this.state.get().faces.filter(face => face.id !== id) });
  }

  /**
   * Takes an upload back that nothing shows any more. Never throws: a picture that stays can be removed later.
   * @param {string} picture what a profile or a room stated; anything but an upload is left alone
   */
  async discard(picture) {
    const id = uploadOf(picture);
    if (id) await this.remove(id).catch(quietly);
  }

  /** @param {Partial<FaceLibraryState>} some */
  #change(some) {
    this.state.set({ ...this.state.get(), ...some });
  }
}

/**
 * What somebody has chosen as their face: an address (a built-in one, or '' for the one that fits the id), or a picture to be sent.
 * @typedef {string | Blob} Choice
 */

/**
 * Makes a choice one's face. The upload that it replaces goes, and so does a new one that the profile did not take.
 * @param {Pick<import('./identity.js').IdentityModel, 'state' | 'setProfile'>} identity
 * @param {FaceLibrary} library
 * @param {Choice} choice
 * @param {AbortSignal} [signal]
 */
export async function wear(identity, library, choice, signal) {
  const before = identity.state.get().user?.avatar ?? '';
  const avatar =
    typeof choice === 'string' ? choice : (await library.upload('avatar', choice, signal)).picture;
  if (avatar === before) return;
  try {
    await identity.setProfile({ avatar });
  } catch (thrown) {
    await library.discard(avatar);
    throw thrown;
  }
  await library.discard(before);
}
