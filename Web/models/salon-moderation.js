import { profileOf } from '../protocol/room-state.js';

/** What the host and admins do. Kicking, muting and closing leave an `undo` for 5 s. */
export class ModerationActions {
  #room;
  #run;
  #undo;

  /** @param {{room: import('../protocol/room.js').OvationRoom, run: import('./salon-parts.js').Run, undo: import('./undo.js').UndoModel}} parts */
  constructor({ room, run, undo }) {
    this.#room = room;
    this.#run = run;
    this.#undo = undo;
  }

  /**
   * Seats a listener at once, without asking.
   * @param {string} user
   * @param {number} seat
   */
  async pick(user, seat) {
    await this.#run(`seat:${seat}`, () => this.#room.pickSeat(seat, user));
  }

  /** @param {number} seat */
  async kick(seat) {
    const user = this.#userOn(seat);
    await this.#run(`seat:${seat}`, () => this.#room.kickSeat(seat));
    if (user) this.#undo.keep({ action: 'kick', user, seat }, () => this.pick(user.id, seat));
  }

  /** @param {number} seat @param {boolean} muted */
  async muteSeat(seat, muted) {
    const user = this.#userOn(seat);
    await this.#run(`seat:${seat}`, () => this.#room.muteSeat(seat, muted));
    const action = muted ? 'mute' : 'unmute';
    this.#undo.keep({ action, user, seat }, () =>
      this.#run(`seat:${seat}`, () => this.#room.muteSeat(seat, !muted)),
    );
  }

  /**
   * Switches somebody's camera off, or allows it again.
   * @param {number} seat @param {boolean} allowed
   */
  async allowCamera(seat, allowed) {
    await this.#run(`seat:${seat}`, () => this.#room.allowCamera(seat, allowed));
  }

  /** Ends the sharing of a screen, whose ever it is. */
  async stopScreen() {
    await this.#run('screen', () => this.#room.stopScreen());
  }

  /** @param {number} seat @param {boolean} closed */
  async closeSeat(seat, closed) {
    const user = this.#userOn(seat);
    await this.#run(`seat:${seat}`, () => this.#room.closeSeat(seat, closed));
    this.#undo.keep({ action: closed ? 'close' : 'open', user, seat }, async () => {
      await this.#run(`seat:${seat}`, () => this.#room.closeSeat(seat, !closed));
      if (closed && user) await this.pick(user.id, seat);
    });
  }

  /** Takes the last of these back. */
  async undo() {
    await this.#undo.run();
  }

  /** Forgets the offer to undo. */
  dismissUndo() {
    this.#undo.dismiss();
  }

  /** @param {string} user @param {'admin' | 'member'} role */
  async setRole(user, role) {
    await this.#run(`person:${user}`, () => this.#room.setRole(user, role));
  }

  /**
   * Hands the room over.
   * @param {string} user
   */
  async setOwner(user) {
    await this.#run(`person:${user}`, () => this.#room.setOwner(user));
  }

  /** @param {number} chat the number of a message */
  async deleteMessage(chat) {
    await this.#run(`message:${chat}`, () => this.#room.deleteMessage(chat));
  }

  /**
   * Keeps somebody from writing, or out of the room. Leaves an `undo` for 5 s.
   * @param {'chat_mute' | 'ban'} kind
   * @param {import('../protocol/events.js').User} user
   * @param {{seconds?: number, everywhere?: boolean, reason?: string}} options
   */
  async restrict(kind, user, options) {
    await this.#run(`person:${user.id}`, () => this.#room.restrict(kind, user.id, options));
    this.#undo.keep({ action: kind === 'ban' ? 'ban' : 'chatMute', user, seat: 0 }, () =>
      this.lift(kind, user.id),
    );
  }

  /** @param {'chat_mute' | 'ban'} kind @param {string} user */
  async lift(kind, user) {
    await this.#run(`person:${user}`, () => this.#room.liftRestriction(kind, user));
  }

  /**
   * Tells the operator of somebody.
   * @param {string} user
   * @param {import('../protocol/events.js').ReportCause} cause
   * @param {{words?: string, chat?: number}} options
   */
  async report(user, cause, options) {
    await this.#room.report(user, cause, options);
  }

  /** Who may not write or enter, the newest first. */
  restrictions() {
    return this.#room.restrictions();
  }

  /** @param {{name?: string, cover?: string, tags?: string[], needsRequest?: boolean} & Partial<import('../protocol/events.js').ChatRules>} settings */
  async updateRoom(settings) {
    await this.#run('room', () => this.#room.update(settings));
  }

  /** @param {number} seat */
  #userOn(seat) {
    const state = this.#room.now;
    const id = state.seats[seat]?.user;
    return id ? profileOf(state, id) : null;
  }
}
