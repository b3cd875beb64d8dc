import { OvationError } from '../protocol/errors.js';
import { roomSlug } from '../protocol/ids.js';

/**
 * What is known of a room before entering it, for the green room: name, owner, people. Throws `room_not_found` or `room_closed`.
 * @param {Pick<import('../protocol/session.js').Session, 'call' | 'command'>} session
 * @param {import('../protocol/ids.js').RoomID} room
 * @param {string} origin of its link
 * @returns {Promise<import('./lobby.js').RoomCard>}
 */
export async function previewRoom(session, room, origin = globalThis.location?.origin ?? '') {
  const { rooms } = await session.call('room.get', { rooms: [room] }, { repeat: true });
  // The list drops what it does not know; entering says whether the room has ended or never was.
  if (rooms.length === 0) {
    await session.call('room.enter', { room });
    await session.command(room, 'room.exit', {});
    throw new OvationError('room_not_found');
  }
  const slug = roomSlug(room);
  return { ...rooms[0], slug, link: `${origin}/r/${slug}` };
}
