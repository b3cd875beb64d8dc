import { Session } from '../../../Web/protocol/session.js';
import { FakeServer } from './server.js';
import { settle } from './time.js';

export const people = {
  alice: { id: 'alice', name: 'Alice', avatar: '' },
  bob: { id: 'bob', name: 'Bob', avatar: '' },
  carol: { id: 'carol', name: '캐롤', avatar: '/carol.png' },
};

export function member(id, more = {}) {
  return { ...people[id], role: 'member', micMuted: false, presence: 'online', ...more };
}

export function emptySeat(index, more = {}) {
  return { index, state: 'empty', muted: false, ...more };
}

export function usedSeat(index, user, more = {}) {
  return { index, state: 'used', user, muted: false, micMuted: false, presence: 'online', ...more };
}

/** Alice's salon of four seats; `me` is who looks. */
export function snapshot(more = {}) {
  const { me = member('bob'), ...rest } = more;
  return {
    room: 48213,
    epoch: 1,
    seq: 1,
    chat: 0,
    info: {
      room: 48213,
      kind: 'voice',
      name: 'Evening salon',
      cover: '',
      tags: ['talk'],
      owner: people.alice,
      seats: 4,
      seated: 0,
      memberCount: 2,
      needsRequest: false,
      createdAt: 1_795_267_000_000,
      speaking: false,
    },
    seats: [0, 1, 2, 3].map(index => emptySeat(index)),
    me,
    members: [member('alice', { role: 'owner' }), me].filter(
      (m, i, all) => all.findIndex(o => o.id === m.id) === i,
    ),
    memberCount: 2,
    invitations: [],
    messages: [],
    likes: 0,
    mediaEpoch: 1,
    ...rest,
  };
}

/** A server that knows that salon, and accepts whatever changes it. */
export function salonServer(first = {}) {
  const server = new FakeServer();
  server.snapshot = snapshot(first);
  let chat = 0;
  let likes = 0;
  const fine = () => ({});
  for (const method of [
    'room.exit',
    'room.destroy',
    'room.update',
    'role.set',
    'seat.take',
    'seat.leave',
    'seat.move',
    'seat.pick',
    'seat.kick',
    'seat.mute',
    'seat.close',
    'microphone.set',
    'invitation.accept',
    'invitation.reject',
    'invitation.cancel',
    'media.close',
  ]) {
    server.on(method, fine);
  }
  return server
    .on('room.enter', () => ({ snapshot: server.snapshot }))
    .on('room.members', () => ({ members: server.snapshot.members, count: server.snapshot.memberCount }))
    .on('room.get', ({ rooms }) => ({ rooms: rooms.includes(48213) ? [server.snapshot.info] : [] }))
    .on('invitation.send', ({ id }) => ({ id, position: 1 }))
    .on('message.send', () => ({ chat: ++chat, time: Date.now() }))
    .on('like.send', ({ count }) => {
      likes += count;
      return { total: likes };
    })
    .on('media.offer', ({ number }) => ({
      number,
      sdp: 'answer',
      slots: [0, 1, 2, 3].map(seat => ({ seat, mid: String(seat + 1) })),
      mediaEpoch: server.snapshot.mediaEpoch,
      iceServers: [],
    }));
}

export function sessionOn(server, user = 'bob', more = {}) {
  return new Session({
    url: 'ws://localhost/v1/connect',
    credentials: { app: 1, user, ticket: 'ticket', name: people[user]?.name },
    host: server.host,
    ...more,
  });
}

export async function openSession(server, user, more) {
  const session = sessionOn(server, user, more);
  const opened = session.open();
  await settle();
  await opened;
  return session;
}
