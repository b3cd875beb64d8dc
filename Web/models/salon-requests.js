import { OvationError } from '../protocol/errors.js';
import { seatCommands } from '../protocol/events.js';
import { freeSeat, myRequestOf } from './salon-invitations.js';

/** How long an invitation to a seat stands; the seat is shown as reserved meanwhile. */
const invitationSeconds = 60;

/** Asking for a seat, and inviting to one. */
export class RequestActions {
  #room;
  #run;
  #change;
  #shown;
  #needMedia;
  #takeUp;

  /**
   * @param {object} parts
   * @param {import('../protocol/room.js').OvationRoom} parts.room
   * @param {import('./salon-parts.js').Run} parts.run
   * @param {import('./salon-parts.js').Change} parts.change
   * @param {() => import('./salon-state.js').SalonState} parts.shown what the page shows
   * @param {() => void} parts.needMedia throws in a browser that cannot have sound
   * @param {(seat: number | null) => Promise<void>} parts.takeUp the host lets me have a seat
   */
  constructor({ room, run, change, shown, needMedia, takeUp }) {
    this.#room = room;
    this.#run = run;
    this.#change = change;
    this.#shown = shown;
    this.#needMedia = needMedia;
    this.#takeUp = takeUp;
  }

  /**
   * Asks for a seat (any when null); when accepted the model sits down by itself.
   * @param {number | null} [seat]
   * @param {{words?: string, still?: () => Promise<Uint8Array | null>}} more `still` takes the picture that goes along
   */
  async ask(seat = null, more = {}) {
    this.#needMedia();
    await this.#run('request', async () => {
      const content = seat === null ? '' : String(seat);
      const user = this.#room.now.info.owner.id;
      const request = {
        user,
        command: seatCommands.ask,
        content,
        ...(more.words ? { words: more.words } : {}),
      };
      const still = more.still ? await more.still() : null;
      const { id, position } = await this.#room.invite({ ...request, still }).catch(thrown => {
        // A server that reads no pictures takes the request all the same.
        if (!still || OvationError.of(thrown).name !== 'uploads_unavailable') throw thrown;
        return this.#room.invite(request);
      });
      if (position !== undefined)
        this.#change(({ positions }) => ({ positions: new Map(positions).set(id, position) }));
    });
  }

  /** Takes my request back. */
  async cancelRequest() {
    const request = myRequestOf(this.#room.now);
    if (request)
      await this.#run('request', () => this.#settle(request.id, id => this.#room.cancelInvitation(id)));
  }

  /** @param {string} id */
  async acceptRequest(id) {
    await this.#run(`request:${id}`, () => this.#settle(id, () => this.#room.acceptInvitation(id)));
  }

  /** Accepts the oldest that is not put off. */
  async acceptNext() {
    const [next] = this.#shown().requests;
    if (next) await this.acceptRequest(next.id);
  }

  /**
   * @param {string} id
   * @param {string} [reason]
   */
  async rejectRequest(id, reason) {
    await this.#run(`request:${id}`, () => this.#settle(id, () => this.#room.rejectInvitation(id, reason)));
  }

  /**
   * Puts a request off: it stays, at the end.
   * @param {string} id
   */
  postpone(id) {
    this.#change(({ later }) => ({ later: new Set(later).add(id) }));
  }

  /**
   * Invites a listener to a seat (the first empty one when null); it is shown as reserved for 60 s.
   * @param {string} user
   * @param {number | null} [seat]
   */
  async invite(user, seat = null) {
    await this.#run(`person:${user}`, async () => {
      const free = freeSeat(this.#room.now, seat);
      if (free === null) throw new OvationError('seat_taken', 'no seat is free');
      await this.#room.invite({
        user,
        command: seatCommands.invite,
        content: String(free),
        timeoutSeconds: invitationSeconds,
      });
    });
  }

  /** @param {string} id */
  async cancelInvitation(id) {
    await this.#run(`request:${id}`, () => this.#settle(id, () => this.#room.cancelInvitation(id)));
  }

  /** Accepts the invitation to me and sits down, in a live room after a look at oneself. */
  async acceptInvitation() {
    this.#needMedia();
    const invitation = this.#shown().invitation;
    if (!invitation) throw new OvationError('invitation_not_found');
    const { id, seat } = invitation;
    await this.#run('invitation', () => this.#settle(id, () => this.#room.acceptInvitation(id)));
    await this.#takeUp(seat);
  }

  /** @param {string} [reason] */
  async rejectInvitation(reason) {
    const invitation = this.#shown().invitation;
    if (!invitation) return;
    const { id } = invitation;
    await this.#run('invitation', () => this.#settle(id, () => this.#room.rejectInvitation(id, reason)));
  }

  /**
   * Answers or takes back an invitation; one that is settled already leaves the list whatever the server says.
   * @param {string} id @param {(id: string) => Promise<unknown>} call
   */
  async #settle(id, call) {
    try {
      await call(id);
      this.#room.forgetInvitation(id);
    } catch (thrown) {
      if (OvationError.of(thrown).name === 'invitation_not_found') this.#room.forgetInvitation(id);
      throw thrown;
    }
  }
}
