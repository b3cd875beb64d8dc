import { allowPictures } from '../lib/assets.js';
import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { freshKey } from '../protocol/ids.js';
import { Session } from '../protocol/session.js';
import { request } from './http.js';
import { forgetRemovals, storageOrNull } from './preferences.js';

/** @typedef {import('../protocol/events.js').User} User */

/**
 * `loading`: the server's configuration is being read, a kept identity restored · `signedOut`: show the sign-in sheet ·
 * `signingIn` · `signedIn`: `session` is there (it reconnects by itself) · `ended`: signed in elsewhere, or signed out by
 * the server; see `error`, `identity.retry()` takes the session back here · `unreachable`: the server does not answer;
 * it is asked again every few seconds, at once by `identity.retry()`.
 * @typedef {object} IdentityState
 * @property {'loading' | 'signedOut' | 'signingIn' | 'signedIn' | 'ended' | 'unreachable'} phase
 * @property {'dev' | 'guests' | 'url' | 'none'} signIn how one gets a ticket here; `none`: this server lets nobody in by the web
 * @property {User | null} user
 * @property {Session | null} session
 * @property {OvationError | null} error why signing in failed, or why the session ended
 */
/**
 * What is kept in the tab.
 * @typedef {{app: number, user: string, name: string, avatar: string, ticket: string, secret: string}} Kept
 */

const storageKey = 'ovation.identity';
const channelName = 'ovation.identity';
/** How long another tab may take to say that an identity is its own. */
const claimMs = 150;
const unreachableMs = 3_000;

/**
 * @typedef {object} Dependencies
 * @property {Storage | null} storage of this tab
 * @property {string} base URL of the server
 * @property {typeof fetch} fetch
 * @property {(name: string) => BroadcastChannel | null} channel
 * @property {(url: string) => void} openTab
 * @property {Partial<import('../protocol/connection.js').Host>} [host]
 */

/** Who this tab is. Kept in sessionStorage, so that each tab can be another person. */
export class IdentityModel {
  state = new Store(
    /** @type {IdentityState} */ ({
      phase: 'loading',
      signIn: 'none',
      user: null,
      session: null,
      error: null,
    }),
  );

  /**
   * Sites whose sound files this page may fetch beside its own server's.
   * @type {readonly string[]}
   */
  musicOrigins = [];

  /** Whether this server takes pictures of one's own. */
  takesFaces = false;

  #around;
  /** @type {Kept | null} */ #kept = null;
  /** @type {string | undefined} */ #ticketsURL;
  /** @type {BroadcastChannel | null} */ #channel = null;
  /** @type {any} */ #timer = null;

  /** @param {Partial<Dependencies>} around */
  constructor(around = {}) {
    /** @type {Dependencies} */
    const real = {
      storage: storageOrNull(() => sessionStorage),
      base: globalThis.location?.href ?? 'http://localhost/',
      fetch: (url, options) => globalThis.fetch(url, options),
      channel: name => ('BroadcastChannel' in globalThis ? new BroadcastChannel(name) : null),
      // Without `noopener` the new tab would inherit a copy of this tab's sessionStorage, and with it this person.
      openTab: url => void window.open(url, '_blank', 'noopener'),
    };
    this.#around = { ...real, ...around };
    if (globalThis.window && globalThis.document) this.#wakeUp();
  }

  /** Reads `/v1/config` and takes up the identity that this tab had. Resolves when the phase is no longer `loading`. */
  async start() {
    clearTimeout(this.#timer);
    try {
      const config = await this.#ask('/v1/config');
      this.#ticketsURL = config.ticketsURL;
      this.takesFaces = config.faces === true;
      this.musicOrigins = Array.isArray(config.musicOrigins) ? config.musicOrigins : [];
      allowPictures(Array.isArray(config.pictureOrigins) ? config.pictureOrigins : []);
      this.#change({ signIn: config.signIn ?? 'none', error: null });
    } catch (thrown) {
      this.#change({ phase: 'unreachable', error: OvationError.of(thrown) });
      this.#timer = setTimeout(() => void this.start(), unreachableMs);
      return;
    }
    const kept = this.#read();
    if (!kept || (await this.#isAnothers(kept))) {
      this.#forget();
      this.#change({ phase: 'signedOut' });
      return;
    }
    this.#kept = kept;
    try {
      await this.#open(kept);
    } catch {
      // `state` tells why.
    }
  }

  /** Again after `unreachable`; after `ended` takes the session back to this tab. `state` tells what came of it. */
  async retry() {
    const { phase } = this.state.get();
    if (phase === 'unreachable') {
      await this.start();
    } else if (phase === 'ended' && this.#kept) {
      try {
        await this.#open({ ...this.#kept, secret: '' });
      } catch {
        // `state` tells why.
      }
    }
  }

  /**
   * Gets a ticket and opens the session. Throws OvationError (`name_taken`, `guests_limited`, …); `state` tells the same.
   * @param {string} name 1…64 characters
   * @param {string} [avatar] the address of a picture; none leaves what the server knows
   */
  async signIn(name, avatar) {
    const { signIn } = this.state.get();
    this.#change({ phase: 'signingIn', error: null });
    try {
      if (signIn === 'none') throw new OvationError('sign_in_unavailable');
      const answer = await this.#ticket({ name: name.trim() });
      const kept = {
        app: answer.app,
        user: answer.user,
        name: answer.name ?? name.trim(),
        avatar: avatar ?? answer.avatar ?? '',
        ticket: answer.ticket,
        secret: '',
      };
      await this.#open(kept);
    } catch (thrown) {
      const error = OvationError.of(thrown);
      this.#forget();
      this.#change({ phase: 'signedOut', user: null, session: null, error });
      throw error;
    }
  }

  /** Leaves the room, closes the session, forgets the ticket, and what whoever comes to this browser next has no business to read. */
  async signOut() {
    const { session } = this.state.get();
    this.#forget();
    forgetRemovals();
    this.#change({ phase: 'signedOut', user: null, session: null, error: null });
    await session?.close();
  }

  /**
   * Changes name or avatar of the person signed in.
   * @param {{name?: string, avatar?: string}} profile
   */
  async setProfile(profile) {
    const { session } = this.state.get();
    if (!session) throw new OvationError('not_signed_in');
    const { name, avatar } = await session.setProfile(profile);
    if (this.#kept) this.#keep({ ...this.#kept, name, avatar });
  }

  /** With what a program or player calls this server as me; null when signed out. It is as good as my sign-in. */
  get bearer() {
    return this.#kept && `${this.#kept.app}:${this.#kept.user}:${this.#kept.ticket}`;
  }

  /** Opens this page in a new tab that is nobody yet. Call it in a click. */
  openAsAnother() {
    this.#around.openTab(this.#around.base);
  }

  /** @param {Kept} kept */
  async #open(kept) {
    this.#change({ phase: 'signingIn', error: null });
    const url = new URL('/v1/connect', this.#around.base);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const session = new Session({
      url: url.href,
      credentials: { ...kept, resume: kept.secret },
      renewTicket: () => this.#renew(),
      remember: secret => this.#keep({ ...(this.#kept ?? kept), secret }),
      client: { name: 'ovation-web', version: '1' },
      host: this.#around.host,
    });
    this.#keep(kept);
    session.state.subscribe(({ phase, error }) => {
      if (phase === 'closed' && this.state.get().session === session) {
        this.#change({ phase: 'ended', session: null, error });
      }
    });
    try {
      const user = await session.open();
      this.#change({ phase: 'signedIn', user, session, error: null });
      session.user.subscribe(now => {
        if (this.state.get().session === session) this.#change({ user: now });
      });
      this.#defend();
    } catch (thrown) {
      const error = OvationError.of(thrown);
      this.#forget();
      this.#change({ phase: 'signedOut', user: null, session: null, error });
      throw error;
    }
  }

  async #renew() {
    const kept = this.#kept;
    if (!kept) throw new OvationError('session_expired');
    const { ticket } = await this.#ticket({ user: kept.user, ticket: kept.ticket });
    this.#keep({ ...kept, ticket });
    return /** @type {string} */ (ticket);
  }

  /** @param {object} body */
  #ticket(body) {
    if (this.state.get().signIn !== 'url' || !this.#ticketsURL) return this.#ask('/v1/tickets', body);
    const url = new URL(this.#ticketsURL, this.#around.base).href;
    return request(url, { body, credentials: 'include', fetch: this.#around.fetch });
  }

  /** @param {string} path @param {object} [body] */
  #ask(path, body) {
    return request(new URL(path, this.#around.base).href, { body, fetch: this.#around.fetch });
  }

  /**
   * A duplicated tab starts with a copy of the other's sessionStorage: the identity stays with the one that uses it.
   * @param {Kept} kept
   */
  async #isAnothers(kept) {
    const channel = this.#around.channel(channelName);
    if (!channel) return false;
    const claim = freshKey();
    const taken = await new Promise(resolve => {
      setTimeout(() => resolve(false), claimMs);
      channel.onmessage = event => {
        if (event.data?.mine === claim) resolve(true);
      };
      channel.postMessage({ claim, app: kept.app, user: kept.user });
    });
    channel.close();
    return taken;
  }

  /** Answers such questions of other tabs. */
  #defend() {
    this.#channel ??= this.#around.channel(channelName);
    if (!this.#channel) return;
    this.#channel.onmessage = event => {
      const { claim, app, user } = event.data ?? {};
      const { phase } = this.state.get();
      if (claim && phase === 'signedIn' && this.#kept?.app === app && this.#kept?.user === user) {
        this.#channel?.postMessage({ mine: claim });
      }
    };
  }

  /** The network came back, or somebody looks at the page again: no reason to wait for the next try. */
  #wakeUp() {
    const wake = () => this.state.get().session?.retryNow();
    window.addEventListener('online', wake);
    // Offline, the question whether the server still answers brings the truth out sooner than silence would.
    window.addEventListener('offline', wake);
    window.addEventListener('pageshow', wake);
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') wake();
    });
  }

  /** @param {Partial<IdentityState>} some */
  #change(some) {
    this.state.set({ ...this.state.get(), ...some });
  }

  /** @returns {Kept | null} */
  #read() {
    try {
      const kept = JSON.parse(this.#around.storage?.getItem(storageKey) ?? 'null');
      return typeof kept?.user === 'string' && typeof kept?.ticket === 'string' ? kept : null;
    } catch {
      return null;
    }
  }

  /** @param {Kept} kept */
  #keep(kept) {
    this.#kept = kept;
    try {
      this.#around.storage?.setItem(storageKey, JSON.stringify(kept));
    } catch {
      // Refused: the person signs in again after a reload.
    }
  }

  #forget() {
    this.#kept = null;
    try {
      this.#around.storage?.removeItem(storageKey);
    } catch {
      // Nothing was kept then.
    }
  }
}
