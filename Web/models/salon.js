import { Store } from '../lib/store.js';
import { Emitter } from '../protocol/events.js';

/** @typedef {import('./salon-state.js').SalonState} SalonState */
/** @typedef {import('./salon-state.js').ConnectionView} ConnectionView */
/** @typedef {import('./salon-state.js').SalonNewsMap} SalonNewsMap */
/** @typedef {import('../protocol/ids.js').RoomID} RoomID */

/**
 * A salon as a page shows it. Actions are async and throw OvationError when the server refuses;
 * while one runs its name is in `state.pending`.
 */
export class SalonModel {
  /** @type {Store<SalonState>} */ state = new Store(/** @type {any} */ (null));
  /**
   * Loudness 0…100 by user id; a new object about 5 times a second while anyone speaks (my own from my microphone).
   * @type {Store<Readonly<Record<string, number>>>}
   */
  levels = new Store({});
  /** @type {Store<ConnectionView>} */ connection = new Store(/** @type {any} */ (null));
  /** Exact total, mine counted at once. @type {Store<number>} */ likes = new Store(0);
  /** @type {Emitter<SalonNewsMap>} */ news = new Emitter();

  /**
   * @param {{
   *   session: import('../protocol/session.js').Session,
   *   room: RoomID,
   *   microphone: import('./devices.js').MicrophoneModel,
   *   speaker: import('./devices.js').SpeakerModel,
   *   preferences: import('./preferences.js').PreferencesModel,
   * }} parts
   */
  constructor(parts) {
    void parts;
  }

  /**
   * What is known before entering, for the green room: name, owner, people. Throws `room_not_found`.
   * @returns {Promise<import('./lobby.js').RoomCard>}
   */
  async preview() {
    return /** @type {any} */ (null);
  }

  /**
   * Enters as a listener (or back to one's seat) and opens the media path. Call it in the click that leaves the green room: it unlocks sound.
   */
  async enter() {}

  /** Leaves the room (frees the seat), lets the microphone go. Never throws. */
  async leave() {}

  /** Ends the room for everybody (owner). */
  async destroy() {}

  /** Unlocks sound; in a click. */
  async unlockSound() {}
  /** The server's clock, milliseconds since 1970: count down against it. */
  serverNow() {
    return Date.now();
  }
  /** Whether closing the tab should ask: I am live. */
  get asksBeforeLeaving() {
    return false;
  }

  // --- my seat and microphone ---
  /**
   * Sits down; opens the microphone (asks for permission), muted if the preference says so. With "ask before speaking" this throws `consent_required`: use `ask`.
   * @param {number} seat
   */
  async sit(seat) {
    void seat;
  }
  /** Leaves the seat, stays as a listener. */
  async stand() {}
  /**
   * Changes seats, at most once a second.
   * @param {number} seat
   */
  async move(seat) {
    void seat;
  }
  /** The big button: unmutes or mutes me; in `noDevice` tries the device again. Throws `seat_muted` if the host muted the seat. */
  async toggleMicrophone() {}
  /** @param {boolean} muted */
  async setMuted(muted) {
    void muted;
  }

  // --- asking and inviting ---
  /**
   * Asks for a seat (any when null); when accepted the model sits down by itself.
   * @param {number | null} [seat]
   */
  async ask(seat = null) {
    void seat;
  }
  /** Takes my request back. */
  async cancelRequest() {}
  /** @param {string} id */
  async acceptRequest(id) {
    void id;
  }
  /** Accepts the oldest that is not put off. */
  async acceptNext() {}
  /** @param {string} id @param {string} [reason] */
  async rejectRequest(id, reason) {
    void id, reason;
  }
  /**
   * Puts a request off: it stays, at the end.
   * @param {string} id
   */
  postpone(id) {
    void id;
  }
  /**
   * Invites a listener to a seat (the first empty one when null); it is shown as reserved for 60 s.
   * @param {string} user
   * @param {number | null} [seat]
   */
  async invite(user, seat = null) {
    void user, seat;
  }
  /** @param {string} id */
  async cancelInvitation(id) {
    void id;
  }
  /** Accepts the invitation to me and sits down. */
  async acceptInvitation() {}
  /** @param {string} [reason] */
  async rejectInvitation(reason) {
    void reason;
  }

  // --- host's actions; kick, mute and close leave an `undo` for 5 s ---
  /**
   * Seats a listener at once, without asking.
   * @param {string} user
   * @param {number} seat
   */
  async pick(user, seat) {
    void user, seat;
  }
  /** @param {number} seat */
  async kick(seat) {
    void seat;
  }
  /** @param {number} seat @param {boolean} muted */
  async muteSeat(seat, muted) {
    void seat, muted;
  }
  /** @param {number} seat @param {boolean} closed */
  async closeSeat(seat, closed) {
    void seat, closed;
  }
  /** Takes the last of these back. */
  async undo() {}
  /** Forgets the offer to undo. */
  dismissUndo() {}
  /** @param {string} user @param {'admin' | 'member'} role */
  async setRole(user, role) {
    void user, role;
  }
  /** @param {{name?: string, cover?: string, tags?: string[], needsRequest?: boolean}} settings */
  async updateRoom(settings) {
    void settings;
  }

  // --- chat, likes ---
  /**
   * Shows the line at once as `sending`. Resolves when sent; on failure the line stays as `failed` and the error is thrown.
   * @param {string} text
   * @param {{danmu?: boolean}} [options]
   */
  async send(text, options) {
    void text, options;
  }
  /** @param {string} key */
  async resend(key) {
    void key;
  }
  /**
   * Removes a failed line.
   * @param {string} key
   * @returns {string} its text
   */
  discard(key) {
    return key;
  }
  /** Everything has been seen. */
  markRead() {}
  /** One like; gathered and sent a few times a second. */
  like() {}

  // --- hearing ---
  /** @param {string} user @param {{volume?: number, muted?: boolean}} setting volume 0…100, kept on this device */
  setListening(user, setting) {
    void user, setting;
  }
  /**
   * Mutes or unmutes everything I hear.
   * @param {boolean} muted
   */
  setDeafened(muted) {
    void muted;
  }
  /** After `echoPair`: hear sound in this tab although another one of this browser is in the room. */
  listenAnyway() {}
  /**
   * Tries the media path anew and says what it found after at most 5 s.
   * @returns {Promise<{connected: boolean, rttMs: number | null, signallingRttMs: number | null, error: string | null}>}
   */
  async testMedia() {
    return { connected: false, rttMs: null, signallingRttMs: null, error: null };
  }

  // --- people ---
  /** More of the people, for a full list. */
  async loadMembers() {}
  /**
   * A person by id, seated or not; null when unknown.
   * @param {string} id
   * @returns {import('./salon-state.js').PersonView | null}
   */
  person(id) {
    return /** @type {any} */ (id);
  }
}
