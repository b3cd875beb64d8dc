import { OvationError } from '../protocol/errors.js';
import { removalsKey, storageOrNull } from './preferences.js';

/**
 * What keeps somebody out of a room, or of all rooms of a host.
 * @typedef {object} Removal
 * @property {number} app the application of the user and the place
 * @property {string} user who is kept out
 * @property {string} place
 * @property {number | null} until milliseconds since 1970, null: without an end
 * @property {string} why what was given as the reason; '' for nothing, and without an end, by which alone a ban is known again
 */

/** More would be a history of somebody. */
const most = 20;
/** The end of a ban as the server tells it twice: by the time that is left, which its answer takes some of. */
const sameEndMs = 10_000;

/** @param {string} host */
const ofHost = host => `host ${host}`;

/**
 * What this browser has been told of bans that keep its user out of a room. Whether one still holds the server alone says, to who
 * enters: whoever is known to be kept out asks it at once, and does not try out a microphone for nothing.
 */
export class RemovalsModel {
  #session;
  /** What may be closed to the user: the room, and all rooms of its host once that is known. @type {Set<string>} */ #places;
  #storage;

  /**
   * @param {Pick<import('../protocol/session.js').Session, 'app' | 'user' | 'serverNow'>} session
   * @param {string} slug the room's
   * @param {Storage | null} storage
   */
  constructor(session, slug, storage = storageOrNull(() => localStorage)) {
    this.#session = session;
    this.#places = new Set([`room ${slug}`]);
    this.#storage = storage;
  }

  /** @param {string} [host] of the room, once it is known */
  holds(host) {
    if (host !== undefined) this.#places.add(ofHost(host));
    return this.#known().length > 0;
  }

  /**
   * Remembers a ban, and gives it back with the reason that is known of it. Any other error means nothing here.
   * @param {OvationError} error
   */
  note(error) {
    if (error.name !== 'banned' && error.name !== 'banned_for_good') return error;
    const { retryAfterMs } = error;
    const until = retryAfterMs === null ? null : this.#session.serverNow() + retryAfterMs;
    const { host } = error.data;
    if (typeof host === 'string') this.#places.add(ofHost(host));
    const [room] = this.#places;
    const places = typeof host === 'string' ? [room, ofHost(host)] : [room];
    const known = this.#known().find(
      one => isSameEnd(one.until, until) && (typeof host !== 'string' || one.place === ofHost(host)),
    );
    const why = until === null ? '' : String(error.data.why ?? known?.why ?? '');
    const others = this.#read().filter(
      one => this.#holdsStill(one) && !(this.#isMine(one) && places.includes(one.place)),
    );
    const added = places.map(place => ({ ...this.#me, place, until, why }));
    this.#write([...others, ...added].slice(-most));
    if (!why || error.data.why) return error;
    return new OvationError(error.name, error.message, { data: { ...error.data, why } });
  }

  /**
   * Who is let in is not kept out any more.
   * @param {string} [host] of the room
   */
  forget(host) {
    if (host !== undefined) this.#places.add(ofHost(host));
    const kept = this.#read();
    const left = kept.filter(one => !this.#isAbout(one));
    if (left.length < kept.length) this.#write(left);
  }

  get #me() {
    return { app: this.#session.app, user: this.#session.user.get()?.id ?? '' };
  }

  #known() {
    return this.#read().filter(one => this.#isAbout(one) && this.#holdsStill(one));
  }

  /** @param {Removal} one */
  #holdsStill({ until }) {
    return until === null || until > this.#session.serverNow();
  }

  /** @param {Removal} one */
  #isMine({ app, user }) {
    const me = this.#me;
    return app === me.app && user === me.user;
  }

  /** @param {Removal} one */
  #isAbout(one) {
    return this.#isMine(one) && this.#places.has(one.place);
  }

  /** @returns {Removal[]} */
  #read() {
    try {
      const kept = JSON.parse(this.#storage?.getItem(removalsKey) ?? '[]');
      return Array.isArray(kept) ? kept.filter(isRemoval) : [];
    } catch {
      // Somebody else's text under our key.
      return [];
    }
  }

  /** @param {Removal[]} removals */
  #write(removals) {
    try {
      this.#storage?.setItem(removalsKey, JSON.stringify(removals));
    } catch {
      // Full or refused: the server says it again.
    }
  }
}

/**
 * A ban without an end could be any other.
 * @param {number | null} one @param {number | null} other
 */
function isSameEnd(one, other) {
  return one !== null && other !== null && Math.abs(one - other) < sameEndMs;
}

/** @param {any} one @returns {one is Removal} */
function isRemoval(one) {
  const texts = [one?.user, one?.place, one?.why];
  const isWhole = Number.isFinite(one?.app) && texts.every(text => typeof text === 'string');
  return isWhole && (one.until === null || Number.isFinite(one.until));
}
