import { OvationRoom } from '../../../Web/protocol/room.js';
import { emptySeat, openSession, people, salonServer, usedSeat } from './rooms.js';
import { settle, VirtualTime } from './time.js';

/** A room that somebody has entered, and what the server says of it. */
export async function enter(t, { first, user = 'bob', server = salonServer(first) } = {}) {
  const time = VirtualTime.install(t);
  const session = await openSession(server, user);
  const room = new OvationRoom(session, 48213);
  const entered = room.enter();
  await settle();
  await entered;
  return { time, server, session, room };
}

export const taken = (seq, index, user) => ({
  seq,
  type: 'seat.taken',
  seat: usedSeat(index, user),
  user: people[user],
  by: user,
  time: seq,
});

export const left = (seq, index, user, reason) => ({
  seq,
  type: 'seat.left',
  seat: emptySeat(index),
  user: people[user],
  reason,
  time: seq,
});

export const said = (chat, from, text, more = {}) => ({
  type: 'message',
  chat,
  from: people[from],
  text,
  time: chat,
  ...more,
});
