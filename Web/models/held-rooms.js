import { OvationError } from '../protocol/errors.js';
import { roomSlug } from '../protocol/ids.js';

/** @typedef {import('../protocol/session.js').Session} Session */
/** @typedef {import('../protocol/ids.js').RoomID} RoomID */

/**
 * A room that this person cannot leave without giving something up.
 * @typedef {{id: RoomID, slug: string, name: string, isOwner: boolean}} HeldRoom
 */

/** A connection that comes back asks again; any other refusal says that the session is not in that room. */
const passing = new Set(['timeout', 'connection_lost', 'offline', 'aborted']);

/**
 * Rooms that the session is in although no page shows them: the address was changed by hand, or the page was loaded anew.
 * @param {Session} session
 * @param {string | null} going the slug of the room that is to be shown, null for none
 */
export function heldRooms(session, going) {
  return session.unattended.filter(id => roomSlug(id) !== going);
}

/**
 * Leaves those that one only listens to, until one is found in which one has a seat, or which is one's own.
 * @param {Session} session
 * @param {string | null} going as above
 * @returns {Promise<HeldRoom | null>} null when none is held any more
 */
export async function releaseRooms(session, going) {
  for (const id of heldRooms(session, going)) {
    const held = await standing(session, id);
    if (held && (held.isOwner || held.isSeated)) return held;
    if (held) await session.exit(id);
    else session.noteRoom(id, false);
  }
  return null;
}

/**
 * What the session is in a room; null when it is not in it any more.
 * @param {Session} session @param {RoomID} id
 */
async function standing(session, id) {
  try {
    // Who is in the room already is told how they stand there.
    const { snapshot } = await session.call('room.enter', { room: id }, { repeat: true });
    if (!snapshot) return null;
    const { me, info } = snapshot;
    return {
      id,
      slug: roomSlug(id),
      name: String(info.name),
      isOwner: me.role === 'owner',
      isSeated: me.seat !== undefined,
    };
  } catch (thrown) {
    const error = OvationError.of(thrown);
    if (passing.has(error.name)) throw error;
    return null;
  }
}
