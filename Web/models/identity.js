import { Store } from '../lib/store.js';

/** @typedef {import('../protocol/events.js').User} User */
/** @typedef {import('../protocol/errors.js').OvationError} OvationError */
/** @typedef {import('../protocol/session.js').Session} Session */

/**
 * `loading`: the server's configuration is being read, a kept identity restored · `signedOut`: show the sign-in sheet ·
 * `signingIn` · `signedIn`: `session` is there (it reconnects by itself) · `ended`: signed in elsewhere, or signed out by the server; see `error` ·
 * `unreachable`: the server does not answer; `identity.retry()`.
 * @typedef {object} IdentityState
 * @property {'loading' | 'signedOut' | 'signingIn' | 'signedIn' | 'ended' | 'unreachable'} phase
 * @property {'dev' | 'guests' | 'url' | 'none'} signIn how one gets a ticket here; `none`: this server lets nobody in by the web
 * @property {User | null} user
 * @property {Session | null} session
 * @property {OvationError | null} error why signing in failed, or why the session ended
 */

/** Who this tab is. Kept in sessionStorage, so that each tab can be another person. */
export class IdentityModel {
  /** @type {Store<IdentityState>} */
  state = new Store(
    /** @type {IdentityState} */ ({
      phase: 'loading',
      signIn: 'none',
      user: null,
      session: null,
      error: null,
    }),
  );

  /** Reads `/v1/config` and takes up the identity that this tab had. Resolves when the phase is no longer `loading`. */
  async start() {}

  /** Again after `unreachable`. */
  async retry() {}

  /**
   * Gets a ticket and opens the session. Throws OvationError (`name_taken`, `guests_limited`, …); `state` tells the same.
   * @param {string} name 1…64 characters
   */
  async signIn(name) {
    void name;
  }

  /** Leaves the room, closes the session, forgets the ticket. */
  async signOut() {}

  /**
   * Changes name or avatar of the person signed in.
   * @param {{name?: string, avatar?: string}} profile
   */
  async setProfile(profile) {
    void profile;
  }

  /** Opens this page in a new tab that is nobody yet. Call it in a click. */
  openAsAnother() {}
}
