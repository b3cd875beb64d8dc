import { seatCommands } from '../protocol/events.js';
import { profileOf } from '../protocol/room-state.js';

// Requests and invitations as a page shows them. Pure, like salon-view.js.

/** @typedef {import('../protocol/room-state.js').RoomState} RoomState */
/** @typedef {import('../protocol/events.js').Invitation} Invitation */
/** @typedef {import('./salon-view.js').Around} Around */

/**
 * Requests that I may answer: to me, or as an admin those to the owner. Any command word counts, so that people who come
 * with another client are seen too; only our own word for "I invite you" does not.
 * @param {RoomState} state
 */
export function requestsToMe({ me, info, invitations }) {
  if (me.role === 'member') return [];
  return invitations.filter(({ from, to, command }) => {
    return from !== me.id && (to === me.id || to === info.owner.id) && command !== seatCommands.invite;
  });
}

/**
 * @param {RoomState} state @param {Around} around
 * @returns {import('./salon-state.js').RequestView[]}
 */
export function requestViews(state, around) {
  return requestsToMe(state)
    .map(invitation => ({
      id: invitation.id,
      user: profileOf(state, invitation.from),
      seat: seatOf(invitation),
      words: invitation.words ?? '',
      still: around.requestStills.get(invitation.id) ?? null,
      since: invitation.createdAt,
      later: around.later.has(invitation.id),
      pending: around.pending.has(`request:${invitation.id}`),
    }))
    .sort((a, b) => Number(a.later) - Number(b.later) || a.since - b.since);
}

/** @param {RoomState} state @returns {Invitation | undefined} */
export function myRequestOf(state) {
  return state.invitations.find(
    ({ from, command }) => from === state.me.id && command !== seatCommands.invite,
  );
}

/** @param {RoomState} state @param {Around} around @returns {import('./salon-state.js').MyRequest | null} */
export function myRequestView(state, around) {
  const request = myRequestOf(state);
  if (!request || state.me.seat !== undefined) return null;
  const { id, createdAt: since } = request;
  return { id, seat: seatOf(request), position: around.positions.get(id) ?? null, since };
}

/** @param {RoomState} state @param {Around} around @returns {import('./salon-state.js').InvitationView | null} */
export function invitationView(state, around) {
  const { me } = state;
  // Somebody who manages the room gets requests; an invitation is what the others get, and what our own word says.
  const invitation = state.invitations.find(
    ({ to, command }) => to === me.id && (command === seatCommands.invite || me.role === 'member'),
  );
  if (!invitation || me.seat !== undefined) return null;
  return {
    id: invitation.id,
    from: profileOf(state, invitation.from),
    seat: seatOf(invitation),
    until: invitation.expiresAt ?? null,
    pending: around.pending.has('invitation'),
  };
}

/** @param {Pick<Invitation, 'content'>} invitation @returns {number | null} the seat that its content names */
export function seatOf({ content }) {
  return /^\d{1,2}$/.test(content) ? Number(content) : null;
}

/**
 * @param {RoomState} state
 * @param {number | null} wished
 * @returns {number | null} the wished seat if it is free, else the first that is
 */
export function freeSeat(state, wished) {
  const isFree = (/** @type {number} */ index) => state.seats[index]?.state === 'empty';
  if (wished !== null && isFree(wished)) return wished;
  const found = state.seats.findIndex(seat => isFree(seat.index));
  return found < 0 ? null : found;
}
