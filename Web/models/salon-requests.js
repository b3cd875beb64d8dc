import { OvationError } from '../protocol/errors.js';
import { seatCommands } from '../protocol/events.js';
import { freeSeat, myRequestOf } from './salon-invitations.js';

/** How long an invitation to a seat stands; the seat is shown as reserved meanwhile. */
const invitationSeconds = 60;

/** Asking for a seat, and inviting to one. */
export class RequestActions {
  #stage;

  /** @param {import('./salon-stage.js').SalonStage} stage */
  constructor(stage) {
    this.#stage = stage;
  }

  /**
   * Asks for a seat (any when null); when accepted the model sits down by itself.
   * @param {number | null} [seat]
   * @param {{words?: string, still?: () => Promise<Uint8Array | null>}} more `still` takes the picture that goes along
   */
  async ask(seat = null, more = {}) {
    this.#stage.needMedia();
    await this.#stage.run('request', async () => {
      const content = seat === null ? '' : String(seat);
      const user = this.#stage.room.now.info.owner.id;
      const request = {
        user,
        command: seatCommands.ask,
        content,
        ...(more.words ? { words: more.words } : {}),
      };
      const still = more.still ? await more.still() : null;
      const { id, position } = await this.#stage.room.invite({ ...request, still }).catch(thrown => {
        // A server that reads no pictures takes the request all the same.
        if (!still || OvationError.of(thrown).name !== 'uploads_unavailable') throw thrown;
        return this.#stage.room.invite(request);
      });
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
    const [next] = this.#stage.state.get().requests;
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

  /** Accepts the invitation to me and sits down, in a live room after a look at oneself. */
  async acceptInvitation() {
    this.#stage.needMedia();
    const invitation = this.#stage.state.get().invitation;
    if (!invitation) throw new OvationError('invitation_not_found');
    const { id, seat } = invitation;
    await this.#stage.run('invitation', () =>
      this.#stage.settle(id, () => this.#stage.room.acceptInvitation(id)),
    );
    await this.#stage.takeUp(seat);
  }

  /** @param {string} [reason] */
  async rejectInvitation(reason) {
    const invitation = this.#stage.state.get().invitation;
    if (!invitation) return;
    const { id } = invitation;
    await this.#stage.run('invitation', () =>
      this.#stage.settle(id, () => this.#stage.room.rejectInvitation(id, reason)),
    );
  }
}
