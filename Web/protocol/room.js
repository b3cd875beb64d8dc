import { Store } from '../lib/store.js';
import { OvationError } from './errors.js';
import { danmuCommand, Emitter, roomKinds } from './events.js';
import { freshKey } from './ids.js';
import {
  apply,
  applyMembers,
  applyPassing,
  mergeInvitations,
  settledMeanwhile,
  stateOf,
} from './room-state.js';

/** @typedef {import('./ids.js').RoomID} RoomID */
/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('./room-state.js').RoomState} RoomState */
/** @typedef {import('./events.js').RoomEventMap} RoomEventMap */
/** @typedef {import('./events.js').Member} Member */
/** @typedef {import('./connection.js').Call} Call */

/** Refusals of `room.enter` on the way back after which the room is gone for us. */
const goneErrors = new Set([
  'room_not_found',
  'room_closed',
  'permission_denied',
  'in_another_room',
  'room_full',
]);
/** How many people are read anew after a lost connection; in bigger rooms the rest comes by `loadMembers`. */
const membersRead = 100;
/** A resynchronisation that failed is tried again after this time. */
const resyncAgainMs = 2_000;

/**
 * One room, entered: `state` follows the server's news; `events` tells each single one after the state has taken it up
 * (answer, then the list, then the event). Every method that changes the room carries an idempotency key, so that a call
 * under way while the connection breaks is repeated without harm.
 */
export class OvationRoom {
  /**
   * Null until entered.
   * @type {Store<RoomState | null>}
   */
  state = new Store(/** @type {RoomState | null} */ (null));
  /**
   * Loudness 0…100 of who speaks, by user id.
   * @type {Store<Readonly<Record<string, number>>>}
   */
  levels = new Store(/** @type {Readonly<Record<string, number>>} */ ({}));
  /** @type {Emitter<RoomEventMap>} */
  events = new Emitter();
  /** @type {RoomID} */ id;
  /** @type {Session} */ session;

  /** @type {(() => void) | null} */ #detach = null;
  #resyncing = false;
  #offers = 0;
  #resumesFailed = 0;
  /** @type {any[]} news that came between the request to enter and its answer */ #early = [];

  /**
   * @param {Session} session
   * @param {RoomID} id
   */
  constructor(session, id) {
    this.session = session;
    this.id = id;
  }

  /**
   * Creates a room and is in it.
   * @param {Session} session
   * @param {{room?: RoomID, kind?: string, name: string, cover?: string, tags?: string[], seats?: number | {muted?: boolean, closed?: boolean}[], needsRequest?: boolean}} options
   * @param {{signal?: AbortSignal}} [more]
   */
  static async create(session, options, more) {
    const answer = await session.call('room.create', { kind: 'voice', ...options, key: freshKey() }, more);
    const room = new OvationRoom(session, answer.room);
    room.#attach();
    room.#start(answer.snapshot);
    return room;
  }

  /** The state; throws OvationError `not_in_room` before it was entered. */
  get now() {
    const state = this.state.get();
    if (!state) throw new OvationError('not_in_room');
    return state;
  }

  /**
   * Enters. The room comes back by itself when the connection was lost.
   * @param {{signal?: AbortSignal}} options
   */
  async enter({ signal } = {}) {
    this.#attach();
    try {
      const answer = await this.session.call('room.enter', { room: this.id }, { signal, repeat: true });
      const kind = answer.snapshot.info.kind;
      if (!roomKinds.includes(kind)) {
        this.session.call('room.exit', { room: this.id }).catch(() => {});
        throw new OvationError('room_kind_unknown', `rooms of the kind ${kind} need a newer page`);
      }
      this.#start(answer.snapshot);
    } catch (thrown) {
      if (!this.state.get()) this.#leave();
      throw thrown;
    }
  }

  /** Leaves; a seat is freed first. */
  async exit() {
    this.#leave();
    await this.session.call('room.exit', { room: this.id });
  }

  /** Ends the room for everyone (owner). */
  destroy() {
    return this.#change('room.destroy', {});
  }

  /** @param {{name?: string, cover?: string, tags?: string[], needsRequest?: boolean}} settings */
  update(settings) {
    return this.#change('room.update', settings);
  }

  /** @param {string} user @param {'admin' | 'member'} role */
  setRole(user, role) {
    return this.#change('role.set', { user, role });
  }

  /** @param {number} seat */
  takeSeat(seat) {
    return this.#change('seat.take', { seat });
  }

  leaveSeat() {
    return this.#change('seat.leave', {});
  }

  /** @param {number} seat */
  moveSeat(seat) {
    return this.#change('seat.move', { seat });
  }

  /** @param {number} seat @param {string} user */
  pickSeat(seat, user) {
    return this.#change('seat.pick', { seat, user });
  }

  /** @param {number} seat */
  kickSeat(seat) {
    return this.#change('seat.kick', { seat });
  }

  /** @param {number} seat @param {boolean} muted */
  muteSeat(seat, muted) {
    return this.#change('seat.mute', { seat, muted });
  }

  /** @param {number} seat @param {boolean} closed */
  closeSeat(seat, closed) {
    return this.#change('seat.close', { seat, closed });
  }

  /**
   * My own mute.
   * @param {boolean} muted
   */
  setMicrophone(muted) {
    return this.#change('microphone.set', { muted });
  }

  /**
   * @param {{user: string, command: string, content?: string, timeoutSeconds?: number}} invitation
   * @returns {Promise<{id: string, position?: number}>}
   */
  async invite(invitation) {
    const answer = await this.#change('invitation.send', { ...invitation, id: freshKey() });
    const createdAt = this.session.serverNow();
    const { user: to, command, content = '', timeoutSeconds = 0 } = invitation;
    /** @type {import('./events.js').Invitation} */
    const sent = { id: answer.id, from: this.now.me.id, to, command, content, state: 'waiting', createdAt };
    if (timeoutSeconds > 0) sent.expiresAt = createdAt + timeoutSeconds * 1000;
    this.state.update(state => state && apply(state, { type: 'invitation.received', invitation: sent }));
    return answer;
  }

  /**
   * Takes a settled invitation off the list: whoever settled it gets an answer, the other side an event.
   * @param {string} id
   */
  forgetInvitation(id) {
    this.state.update(state => state && apply(state, { type: 'invitation.cancelled', invitation: { id } }));
  }

  /** @param {string} id */
  acceptInvitation(id) {
    return this.#change('invitation.accept', { id });
  }

  /** @param {string} id @param {string} [reason] */
  rejectInvitation(id, reason) {
    return this.#change('invitation.reject', reason ? { id, reason } : { id });
  }

  /** @param {string} id */
  cancelInvitation(id) {
    return this.#change('invitation.cancel', { id });
  }

  /**
   * @param {string} text
   * @param {string} [id] the client's own id, which comes back in the message
   * @returns {Promise<{chat: number, time: number}>}
   */
  sendText(text, id = freshKey()) {
    return this.#change('message.send', { text, id }, id);
  }

  /**
   * @param {string} command
   * @param {string} message
   * @param {string} [id]
   * @returns {Promise<{chat: number, time: number}>}
   */
  sendCustom(command, message, id = freshKey()) {
    return this.#change('message.send', { command, message, id }, id);
  }

  /** @param {string} text @param {string} [id] */
  sendDanmu(text, id) {
    return this.sendCustom(danmuCommand, text, id);
  }

  /**
   * @param {number} count 1…100
   * @returns {Promise<{total: number}>}
   */
  like(count) {
    return this.session.call('like.send', { room: this.id, count });
  }

  // Songs, in a chorus room.

  /**
   * Starts a song for everybody, `leadMs` from now; it takes the place of one that plays.
   * @param {import('./events.js').Song} song
   * @param {{track?: import('./events.js').SongTrack, positionMs?: number, leadMs?: number}} [options]
   * @returns {Promise<{startAt: number}>}
   */
  startSong(song, options = {}) {
    return this.#change('song.start', { song, ...options });
  }

  pauseSong() {
    return this.#change('song.pause', {});
  }

  resumeSong() {
    return this.#change('song.resume', {});
  }

  /** @param {number} positionMs */
  seekSong(positionMs) {
    return this.#change('song.seek', { positionMs: Math.max(0, Math.round(positionMs)) });
  }

  /** @param {import('./events.js').SongTrack} track */
  setSongTrack(track) {
    return this.#change('song.track', { track });
  }

  /**
   * One leads and the others follow, or all sing at once.
   * @param {'together' | 'leadFollow'} mode
   * @param {string} [leader] who sits; whoever sits foremost unless told
   */
  setDuetMode(mode, leader) {
    return this.#change('duet.mode', leader ? { mode, leader } : { mode });
  }

  /**
   * How long my equipment and my way take: the mix puts my voice in its place by it, and the room tells how far singers are
   * apart.
   * @param {{outputMs: number, inputMs: number, roundTripMs?: number, bufferMs?: number}} latency 0…500 each, the round trip to
   * 2000, what sound waits here to 1000
   */
  setLatency(latency) {
    return this.session.call('song.latency', { room: this.id, ...latency });
  }

  stopSong() {
    return this.#change('song.stop', {});
  }

  /**
   * A page of the people, which `state.members` takes up.
   * @param {string} [cursor]
   * @returns {Promise<string | null>} the cursor of the next page
   */
  async loadMembers(cursor) {
    const asked = { room: this.id, limit: membersRead, ...(cursor ? { cursor } : {}) };
    const answer = await this.session.call('room.members', asked, { repeat: true });
    const whole = !cursor && !answer.cursor;
    this.state.update(state => state && applyMembers(state, answer.members, answer.count, whole));
    return answer.cursor ?? null;
  }

  /**
   * Hands an offer to the media plane.
   * @param {string} sdp
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<{number: number, sdp: string, slots: {seat?: number, mix?: boolean, mid: string}[], mediaEpoch: number, iceServers: RTCIceServer[]}>}
   */
  offer(sdp, options) {
    return this.session.call('media.offer', { room: this.id, number: ++this.#offers, sdp }, options);
  }

  /** Tells the media plane that the peer is gone. */
  async closeMedia() {
    await this.session.call('media.close', { room: this.id });
  }

  /** @param {string} method @param {object} params @param {string} [key] */
  #change(method, params, key = freshKey()) {
    return this.session.call(method, { room: this.id, ...params, key });
  }

  #attach() {
    this.#detach ??= this.session.attach(this.id, {
      receive: news => this.#receive(news),
      resume: call => this.#resume(call),
    });
  }

  /** Hears no more of the room, but stays in it: another OvationRoom takes over. */
  letGo() {
    this.#leave();
  }

  #leave() {
    this.#detach?.();
    this.#detach = null;
  }

  /**
   * @param {import('./events.js').Snapshot} snapshot
   * @param {Call} [call]
   */
  #start(snapshot, call = (method, params, options) => this.session.call(method, params, options)) {
    this.state.set(stateOf(snapshot));
    this.levels.set({});
    const early = this.#early;
    this.#early = [];
    this.events.emit('snapshot', { snapshot });
    for (const news of early) this.#receive(news);
    void this.#readInvitations(call, snapshot.moreInvitations, snapshot.invitations.at(-1));
  }

  /**
   * Waiting invitations that did not fit into the answer, page by page. What fails is read at the next entry.
   * @param {Call} call
   * @param {string | undefined} cursor
   * @param {import('./events.js').Invitation | undefined} former
   */
  async #readInvitations(call, cursor, former) {
    while (cursor !== undefined && this.#detach) {
      /** @type {any} */ let page;
      try {
        page = await call('invitation.list', { room: this.id, cursor });
      } catch {
        return;
      }
      this.state.update(
        now =>
          now && {
            ...now,
            invitations: mergeInvitations(
              now.invitations,
              page.invitations,
              former ?? null,
              page.cursor === undefined,
            ),
          },
      );
      former = page.invitations.at(-1);
      cursor = former && page.cursor;
    }
  }

  /** @param {{epoch: number, events: any[]}} news */
  #receive(news) {
    const state = this.state.get();
    if (!state) {
      this.#early.push(news);
      return;
    }
    if (!this.#detach || state.ended) return;
    if (news.epoch !== state.epoch) {
      if (news.epoch > state.epoch) void this.#resync();
      return;
    }
    for (const event of news.events ?? []) this.#take(event);
  }

  /**
   * One event, if it is the next of its kind.
   * @param {any} event
   */
  #take(event) {
    const state = this.now;
    if (event.type === 'levels') {
      this.levels.set(event.levels ?? {});
      return;
    }
    let next = state;
    if (typeof event.seq === 'number') {
      if (event.seq <= state.seq) return;
      if (event.seq > state.seq + 1) {
        void this.#resync();
        return;
      }
      next = { ...next, seq: event.seq };
    } else if (event.type === 'message') {
      if (event.chat <= state.chat) return;
      next = { ...next, chat: event.chat };
    } else if (event.type === 'dropped') {
      if (event.to <= state.chat) return;
      next = { ...next, chat: event.to };
    }
    this.state.set(apply(next, event));
    if (event.type === 'room.destroyed') this.#leave();
    this.events.emit(event.type, event);
  }

  /** Reads what was missed, on the connection that stands. */
  async #resync() {
    if (this.#resyncing || !this.#detach) return;
    this.#resyncing = true;
    try {
      await this.#resume((method, params, options) => this.session.call(method, params, options));
    } catch {
      // A lost connection resumes by itself, and then there is nothing left to read.
      setTimeout(() => void this.#resync(), resyncAgainMs);
    } finally {
      this.#resyncing = false;
    }
  }

  /** @param {Call} call */
  async #resume(call) {
    const state = this.state.get();
    if (!state || state.ended) return; // `enter` is still under way and will be repeated or refused by itself.
    const { epoch, seq, chat } = state;
    // A gap that twice did not come through is too much for this line: the room is read anew.
    const since = this.#resumesFailed < 2 ? { since: { epoch, seq, chat } } : {};
    /** @type {any} */ let answer;
    try {
      answer = await call('room.enter', { room: this.id, ...since });
      this.#resumesFailed = 0;
    } catch (thrown) {
      this.#resumesFailed += 1;
      const error = OvationError.of(thrown);
      if (!goneErrors.has(error.name)) throw error;
      const ended = { reason: error.data.reason ?? error.name, summary: error.data.summary ?? null };
      this.state.set({ ...state, ended });
      this.#leave();
      this.events.emit('gone', ended);
      return;
    }
    if (!answer.resumed) {
      this.#start(answer.snapshot, call);
      this.events.emit('resumed', {});
      return;
    }
    for (const event of answer.events ?? []) {
      this.#take(event);
      if (this.now.ended) return;
    }
    const filled = {
      ...this.now,
      epoch: answer.epoch,
      seq: answer.seq,
      chat: answer.chat,
      mediaEpoch: answer.mediaEpoch,
    };
    const settled = settledMeanwhile(filled, answer.state ?? {});
    this.state.set(applyPassing(filled, answer.state ?? {}));
    for (const news of settled) this.events.emit(news.type, news);
    this.levels.set({});
    this.events.emit('resumed', {});
    void this.#readInvitations(call, answer.state?.moreInvitations, answer.state?.invitations?.at(-1));
    // Who came and went in the meantime has no number: read the people anew, without holding up the way back.
    call('room.members', { room: this.id, limit: membersRead })
      .then(({ members, count, cursor }) => {
        this.state.update(now => now && applyMembers(now, members, count, !cursor));
      })
      .catch(() => {});
  }
}
