import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { roomFromText, roomSlug } from '../protocol/ids.js';
import { OvationRoom } from '../protocol/room.js';

/** @typedef {import('../protocol/events.js').RoomInfo} RoomInfo */
/** @typedef {import('../protocol/ids.js').RoomID} RoomID */
/** @typedef {import('../protocol/session.js').Session} Session */

/** @typedef {RoomInfo & {slug: string, link: string}} RoomCard `link` is absolute */
/**
 * @typedef {object} LobbyState
 * @property {'loading' | 'ready' | 'failed'} phase `loading` only before the first list of a search: show skeletons
 * @property {boolean} refreshing
 * @property {RoomCard[]} rooms
 * @property {boolean} more there are further rooms: `lobby.loadMore()`
 * @property {string} query
 * @property {string} tag '' for all
 * @property {string} kind '' for all
 * @property {'newest' | 'busiest'} order
 * @property {string[]} tags of the rooms seen, the most frequent first
 * @property {OvationError | null} error
 */
/**
 * @typedef {object} NewRoom
 * @property {'voice' | 'chorus' | 'live'} [kind]
 * @property {string} name
 * @property {string} [cover] URL, relative or absolute
 * @property {number} seats 2…16
 * @property {boolean} needsRequest ask before speaking
 * @property {string[]} [tags] up to 5
 * @property {import('../protocol/codecs.js').PictureFormat} [pictureFormat] of a live room
 * @property {RoomID} [room] an own id, else the server picks one
 */

const pageSize = 30;
/** The most of one call (Documentation/build/protocol.md §6). */
const callMost = 100;
const refreshMs = 5_000;
/** A pause in typing after which a search is sent. */
const typingMs = 250;
/** Tags offered as filters. */
const tagsShown = 12;

/** The directory of live rooms. */
export class LobbyModel {
  state = new Store(
    /** @type {LobbyState} */ ({
      phase: 'loading',
      refreshing: false,
      rooms: [],
      more: false,
      query: '',
      tag: '',
      kind: '',
      order: 'newest',
      tags: [],
      error: null,
    }),
  );

  #session;
  #origin;
  /** Grows with each change of the search; an answer to an older one is dropped. */ #search = 0;
  /** @type {string | null} */ #cursor = null;
  /** Rooms shown by `loadMore`, to be kept over a refresh. */ #shown = pageSize;
  /** @type {any} */ #typing = null;

  /**
   * @param {Session} session
   * @param {string} origin of links
   */
  constructor(session, origin = globalThis.location?.origin ?? '') {
    this.#session = session;
    this.#origin = origin;
  }

  /**
   * Reads the list now and every few seconds while the page is visible, until `signal` aborts.
   * @param {AbortSignal} signal
   */
  start(signal) {
    const seen = () => globalThis.document?.visibilityState !== 'hidden';
    const timer = setInterval(() => {
      if (seen()) void this.refresh();
    }, refreshMs);
    const look = () => {
      if (seen()) void this.refresh();
    };
    globalThis.document?.addEventListener('visibilitychange', look, { signal });
    this.#session.state.subscribe(({ phase }) => phase === 'ready' && void this.refresh(), { signal });
    signal.addEventListener('abort', () => {
      clearInterval(timer);
      clearTimeout(this.#typing);
    });
  }

  /** Reads the list now. Never throws; see `state.error`. */
  async refresh() {
    const search = this.#search;
    const shown = this.#shown;
    this.#change({ refreshing: true });
    try {
      const { rooms, cursor } = await this.#listAll(shown, search);
      // More have been asked for meanwhile: the next look takes them all in.
      if (search !== this.#search || shown !== this.#shown) return;
      this.#cursor = cursor ?? null;
      this.#change({ phase: 'ready', rooms, more: Boolean(cursor), error: null, tags: this.#tagsOf(rooms) });
    } catch (thrown) {
      if (search !== this.#search) return;
      const { phase } = this.state.get();
      this.#change({ phase: phase === 'ready' ? 'ready' : 'failed', error: OvationError.of(thrown) });
    } finally {
      if (search === this.#search) this.#change({ refreshing: false });
    }
  }

  /** Appends the next page. Never throws. */
  async loadMore() {
    const search = this.#search;
    if (!this.#cursor) return;
    try {
      const { rooms, cursor } = await this.#list(pageSize, this.#cursor);
      if (search !== this.#search) return;
      const known = new Set(this.state.get().rooms.map(room => room.slug));
      const all = [...this.state.get().rooms, ...rooms.filter(room => !known.has(room.slug))];
      this.#cursor = cursor ?? null;
      this.#shown = all.length;
      this.#change({ rooms: all, more: Boolean(cursor), tags: this.#tagsOf(all) });
    } catch (thrown) {
      if (search !== this.#search) return;
      const error = OvationError.of(thrown);
      if (error.name !== 'invalid_params') return this.#change({ error });
      // The order in which the pages stood is forgotten by now: they are read anew, and one more.
      this.#shown += pageSize;
      await this.refresh();
    }
  }

  /** @param {string} query searched in names, after a short pause in typing */
  setQuery(query) {
    clearTimeout(this.#typing);
    this.#searchFor({ query });
    this.#typing = setTimeout(() => void this.refresh(), typingMs);
  }

  /** @param {string} tag '' for all */
  setTag(tag) {
    this.#searchFor({ tag });
    void this.refresh();
  }

  /** @param {string} kind '' for all */
  setKind(kind) {
    this.#searchFor({ kind });
    void this.refresh();
  }

  /** @param {'newest' | 'busiest'} order */
  setOrder(order) {
    this.#searchFor({ order });
    void this.refresh();
  }

  /**
   * The room that an id or link typed by a person means.
   * Throws OvationError `room_id_invalid` or `room_not_found`.
   * @param {string} text
   * @returns {Promise<RoomCard>}
   */
  async find(text) {
    const id = roomFromText(text);
    if (id === null) throw new OvationError('room_id_invalid');
    const { rooms } = await this.#session.call('room.get', { rooms: [id] }, { repeat: true });
    if (rooms.length === 0) throw new OvationError('room_not_found');
    return this.#card(rooms[0]);
  }

  /**
   * Creates a room; the caller is its owner and in it (open a SalonModel on its id next).
   * @param {NewRoom} options
   * @returns {Promise<RoomCard>}
   */
  async create(options) {
    const room = await OvationRoom.create(this.#session, options);
    room.letGo();
    return this.#card(room.now.info);
  }

  /** @param {Partial<LobbyState>} some */
  #searchFor(some) {
    this.#search++;
    this.#cursor = null;
    this.#shown = pageSize;
    this.#change({ ...some, phase: 'loading', rooms: [], more: false, error: null, refreshing: false });
  }

  /**
   * As many as are shown, page by page.
   * @param {number} shown @param {number} search ends it when another one has begun
   * @returns {Promise<{rooms: RoomCard[], cursor?: string}>}
   */
  async #listAll(shown, search) {
    /** @type {Map<string, RoomCard>} */ const rooms = new Map();
    /** @type {string | undefined} */ let cursor;
    do {
      const page = await this.#list(Math.min(shown - rooms.size, callMost), cursor);
      for (const room of page.rooms) rooms.set(room.slug, room);
      cursor = page.cursor;
    } while (cursor && rooms.size < shown && search === this.#search);
    return { rooms: [...rooms.values()], cursor };
  }

  /** @param {number} limit @param {string} [cursor] @returns {Promise<{rooms: RoomCard[], cursor?: string}>} */
  async #list(limit, cursor) {
    const { query, tag, kind, order } = this.state.get();
    const answer = await this.#session.call(
      'room.list',
      {
        limit,
        ...(query.trim() ? { query: query.trim() } : {}),
        ...(tag ? { tag } : {}),
        ...(kind ? { kind } : {}),
        ...(order === 'busiest' ? { order } : {}),
        ...(cursor ? { cursor } : {}),
      },
      { repeat: true },
    );
    return {
      rooms: answer.rooms.map((/** @type {RoomInfo} */ info) => this.#card(info)),
      cursor: answer.cursor,
    };
  }

  /** @param {RoomInfo} info @returns {RoomCard} */
  #card(info) {
    const slug = roomSlug(info.room);
    return { ...info, slug, link: `${this.#origin}/r/${slug}` };
  }

  /** @param {RoomCard[]} rooms */
  #tagsOf(rooms) {
    /** @type {Map<string, number>} */ const counts = new Map();
    for (const tag of rooms.flatMap(room => room.tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    const tags = [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([tag]) => tag);
    const { tag } = this.state.get();
    // The filters stay while one of them narrows the list to itself.
    const before = this.state.get().tags;
    const shown = tag ? [...new Set([...before, ...tags])] : tags;
    return shown.slice(0, tagsShown);
  }

  /** @param {Partial<LobbyState>} some */
  #change(some) {
    this.state.set({ ...this.state.get(), ...some });
  }
}
