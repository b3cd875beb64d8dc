import { OvationError } from '../protocol/errors.js';
import { seatCommands } from '../protocol/events.js';
import { roomSlug } from '../protocol/ids.js';
import { profileOf } from '../protocol/room-state.js';
import { DuetModel } from './duet.js';
import { Visit } from './salon-parts.js';
import { SalonStage } from './salon-stage.js';
import { freeSeat, myRequestOf, personView } from './salon-view.js';

/** @template {Record<string, any>} M @typedef {import('../protocol/events.js').Emitter<M>} Emitter */
/** @template T @typedef {import('../lib/store.js').Store<T>} Store */
/** @typedef {import('./salon-state.js').SalonState} SalonState */
/** @typedef {import('./salon-state.js').ConnectionView} ConnectionView */
/** @typedef {import('./salon-state.js').SalonNewsMap} SalonNewsMap */

/** How long an invitation to a seat stands; the seat is shown as reserved meanwhile. */
const invitationSeconds = 60;
/** How long `testMedia` waits for a path. */
const testMs = 5_000;

/**
 * A salon as a page shows it. Actions are async and throw OvationError when the server refuses;
 * while one runs its name is in `state.pending`.
 */
export class SalonModel {
  /** @type {Store<SalonState>} */
  state;
  /**
   * Loudness 0…100 by user id; a new object about 5 times a second while anyone speaks, more often for my own voice.
   * @type {Store<Readonly<Record<string, number>>>}
   */
  levels;
  /** @type {Store<ConnectionView>} */
  connection;
  /** @type {Store<number>} Exact total, mine counted at once. */
  likes;
  /** @type {Emitter<SalonNewsMap>} */
  news;

  /** @type {DuetModel | null} In a chorus room, once entered. */ duet = null;

  #stage;

  /** @param {import('./salon-stage.js').SalonSetting} setting */
  constructor(setting) {
    this.#stage = new SalonStage(setting);
    this.state = this.#stage.state;
    this.levels = this.#stage.levels;
    this.connection = this.#stage.connection;
    this.likes = this.#stage.likes;
    this.news = this.#stage.news;
  }

  /**
   * What is known before entering, for the green room: name, owner, people.
   * Throws `room_not_found` or `room_closed`.
   * @returns {Promise<import('./lobby.js').RoomCard>}
   */
  async preview() {
    const room = this.#stage.room.id;
    const { rooms } = await this.#stage.session.call('room.get', { rooms: [room] }, { repeat: true });
    // The list drops what it does not know; entering says whether the room has ended or never was.
    if (rooms.length === 0) {
      await this.#stage.session.call('room.enter', { room });
      await this.#stage.session.call('room.exit', { room });
      throw new OvationError('room_not_found');
    }
    const slug = roomSlug(room);
    return { ...rooms[0], slug, link: `${this.#stage.host.origin}/r/${slug}` };
  }

  /**
   * Enters as a listener (or back to one's seat) and opens the media path. Call it in the click that leaves the green room:
   * it unlocks sound.
   */
  async enter() {
    if (this.#stage.visit || this.#stage.local.phase === 'entering') return;
    this.#stage.set({ phase: 'entering', error: null, end: null });
    try {
      await this.#stage.room.enter();
    } catch (thrown) {
      const error = OvationError.of(thrown);
      this.#stage.set({ phase: 'failed', error });
      throw error;
    }
    const visit = new Visit(this.#stage.room, this.#stage.microphone, this.#stage.host, this.#stage.effects);
    // Before the room is shown: a page looks for it then.
    this.duet = this.#stage.room.now.info.kind === 'chorus' ? new DuetModel(this.#stage, visit) : null;
    this.#stage.begin(visit);
  }

  /** Leaves the room (frees the seat), lets the microphone go. Never throws. */
  async leave() {
    if (!this.#stage.visit) return;
    this.#stage.endVisit();
    this.#stage.set({ phase: 'left' });
    try {
      await this.#stage.room.exit();
    } catch {
      // Whoever is not connected is not in the room either, after the grace time.
    }
  }

  /** Ends the room for everybody (owner). */
  async destroy() {
    await this.#stage.run('room', () => this.#stage.room.destroy());
  }

  /** Unlocks sound; in a click. */
  async unlockSound() {
    await this.duet?.unlock();
    await this.#stage.visit?.playout.unlock();
  }

  /** The server's clock, milliseconds since 1970: count down against it. */
  serverNow() {
    return this.#stage.session.serverNow();
  }

  /** Whether closing the tab should ask: I am live. */
  get asksBeforeLeaving() {
    return this.state.get().me.mic === 'live';
  }

  // My seat and microphone.

  /**
   * Sits down; opens the microphone (the browser may ask), muted if the preference says so.
   * With "ask before speaking" this throws `consent_required`: use `ask`. A `microphone_*` error comes with the seat taken.
   * @param {number} seat
   */
  async sit(seat) {
    await this.#stage.sit(seat);
  }

  /** Leaves the seat, stays as a listener. */
  async stand() {
    await this.#stage.run('mic', () => this.#stage.room.leaveSeat());
  }

  /**
   * Changes seats, at most once a second.
   * @param {number} seat
   */
  async move(seat) {
    await this.#stage.run(`seat:${seat}`, () => this.#stage.room.moveSeat(seat));
  }

  /**
   * The big button: unmutes or mutes me; in `noDevice` tries the device again.
   * Throws `seat_muted` if the host muted the seat, `not_seated` without one.
   */
  async toggleMicrophone() {
    const { mic } = this.state.get().me;
    if (mic === 'mutedByHost') throw new OvationError('seat_muted');
    if (mic === 'listener' || mic === 'pending') throw new OvationError('not_seated');
    await this.setMuted(mic === 'live');
  }

  /** @param {boolean} muted */
  async setMuted(muted) {
    await this.#stage.run('mic', async () => {
      if (muted) {
        // Silent at once, whatever the network does.
        this.#stage.silent = true;
        this.#stage.render();
        await this.#stage.tellMuted();
        return;
      }
      const seat = this.#stage.room.now.me.seat;
      if (seat === undefined) throw new OvationError('not_seated');
      if (this.#stage.room.now.seats[seat].muted) throw new OvationError('seat_muted');
      await this.#stage.visit?.voice.open();
      if (this.#stage.room.now.me.micMuted) await this.#stage.room.setMicrophone(false);
      this.#stage.silent = false;
      this.#stage.set({ broughtBy: null });
    });
  }

  // Asking and inviting.

  /**
   * Asks for a seat (any when null); when accepted the model sits down by itself.
   * @param {number | null} [seat]
   */
  async ask(seat = null) {
    await this.#stage.run('request', async () => {
      const content = seat === null ? '' : String(seat);
      const user = this.#stage.room.now.info.owner.id;
      const { id, position } = await this.#stage.room.invite({ user, command: seatCommands.ask, content });
      if (position !== undefined)
        this.#stage.set({ positions: new Map(this.#stage.local.positions).set(id, position) });
    });
  }

  /** Takes my request back. */
  async cancelRequest() {
    const request = myRequestOf(this.#stage.room.now);
    if (request)
      await this.#stage.run('request', () =>
        this.#stage.settle(request.id, id => this.#stage.room.cancelInvitation(id)),
      );
  }

  /** @param {string} id */
  async acceptRequest(id) {
    await this.#stage.run(`request:${id}`, () =>
      this.#stage.settle(id, () => this.#stage.room.acceptInvitation(id)),
    );
  }

  /** Accepts the oldest that is not put off. */
  async acceptNext() {
    const [next] = this.state.get().requests;
    if (next) await this.acceptRequest(next.id);
  }

  /**
   * @param {string} id
   * @param {string} [reason]
   */
  async rejectRequest(id, reason) {
    await this.#stage.run(`request:${id}`, () =>
      this.#stage.settle(id, () => this.#stage.room.rejectInvitation(id, reason)),
    );
  }

  /**
   * Puts a request off: it stays, at the end.
   * @param {string} id
   */
  postpone(id) {
    this.#stage.set({ later: new Set(this.#stage.local.later).add(id) });
  }

  /**
   * Invites a listener to a seat (the first empty one when null); it is shown as reserved for 60 s.
   * @param {string} user
   * @param {number | null} [seat]
   */
  async invite(user, seat = null) {
    await this.#stage.run(`person:${user}`, async () => {
      const free = freeSeat(this.#stage.room.now, seat);
      if (free === null) throw new OvationError('seat_taken', 'no seat is free');
      await this.#stage.room.invite({
        user,
        command: seatCommands.invite,
        content: String(free),
        timeoutSeconds: invitationSeconds,
      });
    });
  }

  /** @param {string} id */
  async cancelInvitation(id) {
    await this.#stage.run(`request:${id}`, () =>
      this.#stage.settle(id, () => this.#stage.room.cancelInvitation(id)),
    );
  }

  /** Accepts the invitation to me and sits down. */
  async acceptInvitation() {
    const invitation = this.state.get().invitation;
    if (!invitation) throw new OvationError('invitation_not_found');
    const { id, seat } = invitation;
    await this.#stage.run('invitation', () =>
      this.#stage.settle(id, () => this.#stage.room.acceptInvitation(id)),
    );
    await this.#stage.sitSomewhere(seat);
  }

  /** @param {string} [reason] */
  async rejectInvitation(reason) {
    const invitation = this.state.get().invitation;
    if (!invitation) return;
    const { id } = invitation;
    await this.#stage.run('invitation', () =>
      this.#stage.settle(id, () => this.#stage.room.rejectInvitation(id, reason)),
    );
  }

  // Host's actions; kick, mute and close leave an `undo` for 5 s.

  /**
   * Seats a listener at once, without asking.
   * @param {string} user
   * @param {number} seat
   */
  async pick(user, seat) {
    await this.#stage.run(`seat:${seat}`, () => this.#stage.room.pickSeat(seat, user));
  }

  /** @param {number} seat */
  async kick(seat) {
    const user = this.#userOn(seat);
    await this.#stage.run(`seat:${seat}`, () => this.#stage.room.kickSeat(seat));
    if (user) this.#stage.undo.keep({ action: 'kick', user, seat }, () => this.pick(user.id, seat));
  }

  /** @param {number} seat @param {boolean} muted */
  async muteSeat(seat, muted) {
    const user = this.#userOn(seat);
    await this.#stage.run(`seat:${seat}`, () => this.#stage.room.muteSeat(seat, muted));
    const action = muted ? 'mute' : 'unmute';
    this.#stage.undo.keep({ action, user, seat }, () =>
      this.#stage.run(`seat:${seat}`, () => this.#stage.room.muteSeat(seat, !muted)),
    );
  }

  /** @param {number} seat @param {boolean} closed */
  async closeSeat(seat, closed) {
    const user = this.#userOn(seat);
    await this.#stage.run(`seat:${seat}`, () => this.#stage.room.closeSeat(seat, closed));
    this.#stage.undo.keep({ action: closed ? 'close' : 'open', user, seat }, async () => {
      await this.#stage.run(`seat:${seat}`, () => this.#stage.room.closeSeat(seat, !closed));
      if (closed && user) await this.pick(user.id, seat);
    });
  }

  /** Takes the last of these back. */
  async undo() {
    await this.#stage.undo.run();
  }

  /** Forgets the offer to undo. */
  dismissUndo() {
    this.#stage.undo.dismiss();
  }

  /** @param {string} user @param {'admin' | 'member'} role */
  async setRole(user, role) {
    await this.#stage.run(`person:${user}`, () => this.#stage.room.setRole(user, role));
  }

  /** @param {{name?: string, cover?: string, tags?: string[], needsRequest?: boolean}} settings */
  async updateRoom(settings) {
    await this.#stage.run('room', () => this.#stage.room.update(settings));
  }

  // Chat, likes.

  /**
   * Shows the line at once as `sending`. Resolves when sent; on failure the line stays as `failed` and the error is thrown.
   * @param {string} text
   * @param {{danmu?: boolean}} [options]
   */
  async send(text, options) {
    await this.#stage.visit?.chat.send(text, options);
  }

  /** @param {string} key of a failed line */
  async resend(key) {
    await this.#stage.visit?.chat.resend(key);
  }

  /**
   * Removes a failed line.
   * @param {string} key
   * @returns {string} its text
   */
  discard(key) {
    return this.#stage.visit?.chat.discard(key) ?? '';
  }

  /** Everything has been seen. */
  markRead() {
    this.#stage.visit?.chat.markRead();
  }

  /** One like; gathered and sent a few times a second. */
  like() {
    this.#stage.visit?.likes.add();
  }

  // Hearing.

  /**
   * @param {string} user
   * @param {{volume?: number, muted?: boolean}} setting volume 0…100, kept on this device
   */
  setListening(user, setting) {
    this.#stage.host.listening.change(user, setting);
  }

  /**
   * Mutes or unmutes everything I hear.
   * @param {boolean} muted
   */
  setDeafened(muted) {
    this.#stage.visit?.playout.setSilenced('deafened', muted);
  }

  /** After `echoPair`: hear sound in this tab although another one of this browser is in the room. */
  listenAnyway() {
    this.#stage.set({ echoAllowed: true });
    this.#stage.silenceEcho();
  }

  /**
   * Tries the media path anew and says what it found after at most 5 s.
   * @returns {Promise<{connected: boolean, rttMs: number | null, signallingRttMs: number | null, error: string | null}>}
   */
  async testMedia() {
    const peer = this.#stage.visit?.peer;
    if (!peer) return { connected: false, rttMs: null, signallingRttMs: null, error: 'not_in_room' };
    peer.restart();
    const connected = await new Promise(resolve => {
      const watching = new AbortController();
      const finish = (/** @type {boolean} */ found) => {
        watching.abort();
        clearTimeout(timer);
        resolve(found);
      };
      const timer = setTimeout(() => finish(false), testMs);
      peer.state.subscribe(state => state === 'connected' && finish(true), {
        signal: watching.signal,
        now: false,
      });
    });
    const error = connected ? null : (peer.error.get()?.name ?? 'media_failed');
    return {
      connected,
      rttMs: peer.quality.get()?.rttMs ?? null,
      signallingRttMs: this.#stage.session.rttMs.get(),
      error,
    };
  }

  // People.

  /** More of the people, for a full list. */
  async loadMembers() {
    /** @type {string | null} */ let cursor = null;
    do {
      cursor = await this.#stage.room.loadMembers(cursor ?? undefined);
    } while (cursor);
  }

  /**
   * A person by id, seated or not; null when unknown.
   * @param {string} id
   * @returns {import('./salon-state.js').PersonView | null}
   */
  person(id) {
    const state = this.#stage.room.state.get();
    const member = state?.members.get(id);
    return state && member ? personView(state, member, this.#stage.around()) : null;
  }

  /** @param {number} seat */
  #userOn(seat) {
    const state = this.#stage.room.now;
    const id = state.seats[seat]?.user;
    return id ? profileOf(state, id) : null;
  }
}
