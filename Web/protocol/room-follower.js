import { OvationError } from './errors.js';
import { Emitter } from './events.js';
import {
  apply,
  applyMembers,
  applyPassing,
  mergeInvitations,
  settledMeanwhile,
  stateOf,
} from './room-state.js';
import { Store } from './store.js';

/** @typedef {import('./ids.js').RoomID} RoomID */
/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('./room-state.js').RoomState} RoomState */
/** @typedef {import('./events.js').RoomEventMap} RoomEventMap */
/** @typedef {import('./connection.js').Call} Call */

/** Refusals of `room.enter` on the way back after which the room is gone for us. */
const goneErrors = new Set([
  'room_not_found',
  'room_closed',
  'permission_denied',
  'in_another_room',
  'room_full',
  'banned',
  'banned_for_good',
  'room_key_failed',
]);
/** How many people are read anew after a lost connection; in bigger rooms the rest comes by `loadMembers`. */
const membersRead = 100;
/** A resynchronisation that failed is tried again after this time. */
const resyncAgainMs = 2_000;

/**
 * Keeps what is known of one room: takes up the server's news in their order, and reads what was missed.
 *
 * Legal successors: apart → attached; attached → apart, when the room is left, over or gone.
 */
export class RoomFollower {
  /**
   * Null until the room was entered.
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
  /**
   * What the room was entered with. It is shown again only to a server that asks: one that started anew, or dropped us.
   * @type {string | undefined}
   */
  privateMapKey;

  /** @type {(() => void) | null} */ #detach = null;
  #resyncing = false;
  #resumesFailed = 0;
  /** @type {any[]} news that came between the request to enter and its answer */ #early = [];
  /**
   * On the connection that stands, whatever it is.
   * @type {Call}
   */
  #call = (method, params, options) =>
    this.session.call(/** @type {any} */ (method), /** @type {any} */ (params), options);

  /**
   * @param {Session} session
   * @param {RoomID} id
   */
  constructor(session, id) {
    this.session = session;
    this.id = id;
  }

  /** Hears of the room from now on. */
  attach() {
    this.#detach ??= this.session.attach(this.id, {
      receive: news => this.#receive(news),
      resume: call => this.#resume(call),
      removed: restriction => this.#removed(restriction),
    });
  }

  /** Whether the room was entered, and neither left nor over. */
  get isFollowing() {
    return this.#detach !== null && this.state.get() !== null;
  }

  /** Hears no more of it. */
  leave() {
    this.#detach?.();
    this.#detach = null;
  }

  /** There is nothing to hear any more: the room is over, or I am out of it. */
  #end() {
    this.leave();
    this.session.noteRoom(this.id, false);
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
   * Takes up the whole room.
   * @param {import('./events.js').Snapshot} snapshot
   * @param {Call} [call]
   */
  start(snapshot, call = this.#call) {
    this.state.set(stateOf(snapshot));
    this.session.noteRoom(this.id, true);
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
    const state = this.#now;
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
    if (event.type === 'room.destroyed') this.#end();
    this.events.emit(event.type, event);
  }

  /**
   * Somebody who runs the room has put me out.
   * @param {import('./events.js').Restriction} restriction
   */
  #removed(restriction) {
    const state = this.state.get();
    if (!state || state.ended || !this.#detach) return;
    this.state.set({ ...state, ended: { reason: 'removed', summary: null } });
    this.#end();
    this.events.emit('removed', { restriction });
  }

  /** Reads what was missed, on the connection that stands. */
  async #resync() {
    if (this.#resyncing || !this.#detach) return;
    this.#resyncing = true;
    try {
      await this.#resume(this.#call);
    } catch {
      // A lost connection resumes by itself, and then there is nothing left to read.
      setTimeout(() => void this.#resync(), resyncAgainMs);
    } finally {
      this.#resyncing = false;
    }
  }

  /**
   * @param {Call} call
   * @param {object} params
   */
  async #comeBack(call, params) {
    const { privateMapKey } = this;
    try {
      return await call('room.enter', params);
    } catch (thrown) {
      if (privateMapKey === undefined || OvationError.of(thrown).name !== 'room_key_failed') throw thrown;
      return await call('room.enter', { ...params, privateMapKey });
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
      answer = await this.#comeBack(call, { room: this.id, ...since });
      this.#resumesFailed = 0;
    } catch (thrown) {
      this.#resumesFailed += 1;
      const error = OvationError.of(thrown);
      if (!goneErrors.has(error.name)) throw error;
      if (error.name.startsWith('banned')) {
        this.#removed(whileAway(state, error, this.session.serverNow()));
        return;
      }
      const why = error.name === 'room_closed' ? error.data.reason : null;
      const ended = { reason: why ?? error.name, summary: error.data.summary ?? null };
      this.state.set({ ...state, ended });
      this.#end();
      this.events.emit('gone', ended);
      return;
    }
    if (!answer.resumed) {
      this.start(answer.snapshot, call);
      this.events.emit('resumed', {});
      return;
    }
    for (const event of answer.events ?? []) {
      this.#take(event);
      if (this.#now.ended) return;
    }
    const filled = {
      ...this.#now,
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

  /** The state of a room that was entered. */
  get #now() {
    const state = this.state.get();
    if (!state) throw new OvationError('not_in_room');
    return state;
  }
}

/**
 * Of a ban that somebody set while the connection was lost, as far as the refusal tells.
 * @param {RoomState} state
 * @param {OvationError} error
 * @param {number} now
 * @returns {import('./events.js').Restriction}
 */
function whileAway({ me, info }, error, now) {
  const { retryAfterMs } = error;
  const until = retryAfterMs === null ? {} : { until: now + retryAfterMs };
  return { kind: 'ban', user: me.id, name: me.name, by: info.owner.id, ...until };
}
