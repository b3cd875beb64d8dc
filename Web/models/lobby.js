import { Store } from '../lib/store.js';

/** @typedef {import('../protocol/events.js').RoomInfo} RoomInfo */
/** @typedef {import('../protocol/ids.js').RoomID} RoomID */
/** @typedef {import('../protocol/session.js').Session} Session */
/** @typedef {import('../protocol/errors.js').OvationError} OvationError */

/** @typedef {RoomInfo & {slug: string, link: string}} RoomCard */
/**
 * @typedef {object} LobbyState
 * @property {'loading' | 'ready' | 'failed'} phase `loading` only before the first list of a search: show skeletons
 * @property {boolean} refreshing
 * @property {RoomCard[]} rooms
 * @property {boolean} more there are further rooms: `lobby.loadMore()`
 * @property {string} query
 * @property {string} tag '' for all
 * @property {string} kind '' for all
 * @property {string[]} tags of the rooms seen, the most frequent first
 * @property {OvationError | null} error
 */
/**
 * @typedef {object} NewRoom
 * @property {string} name
 * @property {string} [cover] URL, relative or absolute
 * @property {number} seats 2…16
 * @property {boolean} needsRequest ask before speaking
 * @property {string[]} [tags] up to 5
 * @property {RoomID} [room] an own id, else the server picks one
 */

/** The directory of live rooms. */
export class LobbyModel {
  /** @type {Store<LobbyState>} */
  state = new Store(
    /** @type {LobbyState} */ ({
      phase: 'loading',
      refreshing: false,
      rooms: [],
      more: false,
      query: '',
      tag: '',
      kind: '',
      tags: [],
      error: null,
    }),
  );

  /** @param {Session} session */
  constructor(session) {
    void session;
  }

  /**
   * Reads the list now and every few seconds while the page is visible, until `signal` aborts.
   * @param {AbortSignal} signal
   */
  start(signal) {
    void signal;
  }

  /** Reads the list now. Never throws; see `state.error`. */
  async refresh() {}

  /** Appends the next page. */
  async loadMore() {}

  /** @param {string} query searched in names, after a short pause in typing */
  setQuery(query) {
    void query;
  }

  /** @param {string} tag '' for all */
  setTag(tag) {
    void tag;
  }

  /** @param {string} kind '' for all */
  setKind(kind) {
    void kind;
  }

  /**
   * The room that an id or link typed by a person means.
   * Throws OvationError `room_id_invalid` or `room_not_found`.
   * @param {string} text
   * @returns {Promise<RoomCard>}
   */
  async find(text) {
    return /** @type {any} */ (text);
  }

  /**
   * Creates a room; the caller is its owner and in it (open a SalonModel on `slug` next).
   * @param {NewRoom} options
   * @returns {Promise<RoomCard>}
   */
  async create(options) {
    return /** @type {any} */ (options);
  }
}
