import { roomFromSlug } from '../protocol/ids.js';
import { Store } from './store.js';

/**
 * Where the page is: the lobby, or a room by its slug (`/r/<slug>`); `null` slug for anything else.
 * @typedef {{page: 'lobby'} | {page: 'room', slug: string} | {page: 'unknown'}} Place
 */

/** The address bar as a store. */
export class Router {
  /** @type {Store<Place>} */ place = new Store(/** @type {Place} */ (read()));
  /** @type {(() => Promise<boolean>) | null} asked before leaving a page */ guard = null;

  /** @param {AbortSignal} [signal] */
  constructor(signal) {
    window.addEventListener('popstate', () => void this.#back(), { signal });
  }

  /** @param {string} path */
  async go(path) {
    if (this.guard && !(await this.guard())) return;
    this.move(path);
  }

  /**
   * Without asking.
   * @param {string} path
   */
  move(path) {
    this.guard = null;
    if (path !== location.pathname) history.pushState(null, '', path);
    this.place.set(read());
    window.scrollTo(0, 0);
  }

  async #back() {
    const here = this.place.get();
    const path = here.page === 'room' ? `/r/${here.slug}` : '/';
    if (this.guard) {
      // The browser has already gone; stay in the room while the person is asked.
      const target = location.pathname;
      history.pushState(null, '', path);
      if (await this.guard()) this.move(target);
      return;
    }
    this.place.set(read());
  }
}

/** @returns {Place} */
function read() {
  const room = /^\/r\/([^/]+)\/?$/.exec(location.pathname);
  if (room && roomFromSlug(room[1]) !== null) return { page: 'room', slug: room[1] };
  return location.pathname === '/' ? { page: 'lobby' } : { page: 'unknown' };
}
