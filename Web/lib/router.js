import { roomFromSlug } from '../protocol/ids.js';
import { layers as pageLayers } from './layers.js';
import { Store } from './store.js';

/**
 * Where the page is: the lobby, or a room by its slug (`/r/<slug>`); `null` slug for anything else.
 * @typedef {{page: 'lobby'} | {page: 'room', slug: string} | {page: 'unknown'}} Place
 */
/** @typedef {import('./layers.js').Layer} Layer */

/**
 * The address bar as a store, and what Back does: each layer over a page has an entry of the history after the page's own, so that Back
 * closes the topmost one, and leaves the page when none is open. What is closed otherwise takes its entry along: `over` in an entry's
 * state says how many layers lay over the page there.
 */
export class Router {
  /** @type {Store<Place>} */ place;
  /** @type {(() => Promise<boolean>) | null} asked before leaving a page */ guard = null;

  /** @type {Window} */ #view;
  /** @type {import('./store.js').Readable<readonly Layer[]>} */ #layers;
  /** Of the place, as the address has it. */ #path;
  /** Entries of layers up to the present one. */ #depth;
  /** On the way back over entries whose layers are gone: nothing is written before that has come. */ #returning = false;
  /** @type {string | null} where to go after that */ #next = null;
  #isChanging = false;

  /**
   * @param {AbortSignal} [signal]
   * @param {import('./store.js').Readable<readonly Layer[]>} [layers]
   * @param {Window} [view]
   */
  constructor(signal, layers = pageLayers, view = window) {
    this.#view = view;
    this.#layers = layers;
    this.#path = view.location.pathname;
    this.#depth = overOf(view);
    this.place = new Store(placeOf(this.#path));
    view.addEventListener('popstate', () => this.#popped(), { signal });
    layers.subscribe(() => this.#settle(), { signal });
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
    if (this.#depth > 1 && path !== this.#path) this.#return(0);
    if (this.#returning) this.#next = path;
    else this.#write(path);
    this.#show(path);
    this.#view.scrollTo(0, 0);
  }

  /** @param {string} path */
  #write(path) {
    const { history, location } = this.#view;
    if (path === location.pathname) return;
    // The entry of the sheet that led there becomes the page's own.
    if (this.#depth === 1) history.replaceState(null, '', path);
    else history.pushState(null, '', path);
    this.#depth = 0;
  }

  /** @param {string} path */
  #show(path) {
    this.#path = path;
    // The layers of the former page go with it.
    this.#changing(() => this.place.set(placeOf(path)));
  }

  /**
   * Several layers may come and go meanwhile: the history has those that are there at the end.
   * @param {() => void} change
   */
  #changing(change) {
    this.#isChanging = true;
    change();
    this.#isChanging = false;
    this.#settle();
  }

  /**
   * Back to the entry over which so many layers lie.
   * @param {number} depth
   */
  #return(depth) {
    if (this.#returning) return;
    this.#returning = true;
    this.#view.history.go(depth - this.#depth);
  }

  /** As many entries as there are layers. */
  #settle() {
    if (this.#returning || this.#isChanging) return;
    const open = this.#layers.get().length;
    while (this.#depth < open) this.#view.history.pushState({ over: ++this.#depth }, '');
    // One sheet may follow another: it takes over the entry.
    if (this.#depth > open)
      this.#view.setTimeout(() => {
        const still = this.#layers.get().length;
        if (this.#depth > still) this.#return(still);
      });
  }

  /** The browser has gone to another entry: by Back or Forward, or because it was asked to. */
  #popped() {
    const { history, location } = this.#view;
    const before = this.#depth;
    const returned = this.#returning;
    this.#depth = overOf(this.#view);
    this.#returning = false;
    if (this.#next !== null) {
      this.#write(this.#next);
      this.#next = null;
      return this.#settle();
    }
    if (location.pathname !== this.#path) return void this.#leave();
    if (!returned && this.#depth < before) {
      const open = this.#layers.get();
      // What lay there is closed, and its entry was about to go: the press was meant for what is below.
      if (open.length <= this.#depth) return history.back();
      this.#changing(() => {
        for (const layer of open.slice(this.#depth).reverse()) layer.close();
      });
    }
    this.#settle();
  }

  async #leave() {
    const target = this.#view.location.pathname;
    if (!this.guard) return this.#show(target);
    // The browser has already gone; stay in the room while the person is asked.
    this.#view.history.pushState(null, '', this.#path);
    this.#settle();
    if (await this.guard()) this.move(target);
  }
}

/** @param {Window} view */
const overOf = view => Number(view.history.state?.over ?? 0);

/** @param {string} path @returns {Place} */
function placeOf(path) {
  const room = /^\/r\/([^/]+)\/?$/.exec(path);
  if (room && roomFromSlug(room[1]) !== null) return { page: 'room', slug: room[1] };
  return path === '/' ? { page: 'lobby' } : { page: 'unknown' };
}
