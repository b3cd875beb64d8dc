import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OvationRoom } from '../../Web/protocol/room.js';
import { enter, left, said, taken } from './support/entered.js';
import { emptySeat, member, openSession, salonServer, snapshot, usedSeat } from './support/rooms.js';
import { Refusal, silence } from './support/server.js';
import { settle, VirtualTime } from './support/time.js';

test('a durable event that was heard already changes nothing', async t => {
  const { room, server } = await enter(t);
  const heard = [];
  room.events.on('seat.taken', ({ seat }) => heard.push(seat.index));
  server.news(48213, [taken(2, 0, 'alice'), taken(2, 0, 'alice')]);
  server.news(48213, [taken(1, 3, 'carol')]);
  await settle();
  assert.deepEqual(heard, [0]);
  assert.equal(room.now.seats[3].state, 'empty');
});

test('a hole in the numbers is filled by asking for what is missing', async t => {
  const { room, server } = await enter(t);
  server.on('room.enter', params => ({
    resumed: true,
    epoch: 1,
    seq: 4,
    chat: 0,
    events: [taken(2, 0, 'alice'), taken(3, 1, 'carol'), left(4, 1, 'carol', 'left')],
    state: { memberCount: 7, presence: [], invitations: [], likes: 5 },
    mediaEpoch: 1,
    asked: params.since,
  }));
  const heard = [];
  room.events.on('*', (_event, type) => heard.push(type));
  server.news(48213, [left(4, 1, 'carol', 'left')]);
  await settle();
  assert.deepEqual(server.of('room.enter').at(-1), { room: 48213, since: { epoch: 1, seq: 1, chat: 0 } });
  assert.deepEqual(heard, ['seat.taken', 'seat.taken', 'seat.left', 'resumed']);
  assert.deepEqual([room.now.seq, room.now.likes, room.now.seats[0].user], [4, 5, 'alice']);
  server.news(48213, [taken(5, 1, 'carol')]);
  await settle();
  assert.equal(room.now.seats[1].user, 'carol', 'and goes on from there');
});

test('after a lost connection the exact gap is taken up, and who is here is read anew', async t => {
  const { time, room, server } = await enter(t);
  server.news(48213, [taken(2, 0, 'alice'), said(1, 'alice', 'hi')]);
  await settle();
  server.on('room.enter', () => ({
    resumed: true,
    epoch: 1,
    seq: 3,
    chat: 2,
    events: [
      { seq: 3, type: 'microphone.muted', user: 'alice', muted: true, seat: 0, time: 3 },
      said(2, 'carol', 'hello'),
    ],
    state: {
      memberCount: 3,
      presence: [{ user: 'alice', presence: 'reconnecting' }],
      invitations: [],
      likes: 9,
      ownerAbsentUntil: 99,
      heir: 'carol',
    },
    mediaEpoch: 1,
  }));
  server.on('room.members', () => ({
    members: [member('alice', { role: 'owner' }), member('bob'), member('carol')],
    count: 3,
  }));
  server.drop();
  await time.advance(600);
  assert.deepEqual(server.of('room.enter').at(-1).since, { epoch: 1, seq: 2, chat: 1 });
  const { messages, members, memberCount, likes, seats, ownerAbsentUntil, heir } = room.now;
  assert.deepEqual(
    messages.map(message => message.text),
    ['hi', 'hello'],
  );
  assert.deepEqual([...members.keys()], ['alice', 'bob', 'carol']);
  assert.deepEqual([memberCount, likes, seats[0].presence, seats[0].micMuted], [3, 9, 'reconnecting', true]);
  assert.deepEqual([ownerAbsentUntil, heir], [99, 'carol']);
});

test('V10-W V19-W invitations that were settled while the connection was lost are told, once, and no others', async t => {
  const { room, server, time } = await enter(t);
  const invitation = (id, state = 'waiting') => ({
    id,
    room: 48213,
    from: 'bob',
    to: 'alice',
    command: 'ENTER_SEAT',
    content: '2',
    state,
    createdAt: 1,
  });
  for (const id of ['yes', 'no', 'waits'])
    server.news(48213, [{ type: 'invitation.received', invitation: invitation(id), by: 'bob' }]);
  await settle();
  const heard = [];
  room.events.on('*', (event, type) => {
    if (type.startsWith('invitation.')) heard.push(`${type} ${event.invitation.id} ${event.by}`);
  });
  server.on('room.enter', () => ({
    resumed: true,
    epoch: 1,
    seq: 1,
    chat: 0,
    events: [],
    state: {
      memberCount: 2,
      presence: [],
      invitations: [invitation('waits')],
      settled: [
        { invitation: invitation('old', 'accepted'), by: 'alice' },
        { invitation: invitation('waits', 'rejected'), by: 'alice' },
        { invitation: invitation('yes', 'accepted'), by: 'alice' },
        { invitation: invitation('no', 'rejected'), by: 'carol' },
      ],
      likes: 0,
    },
    mediaEpoch: 1,
  }));
  server.drop();
  await time.advance(2_000);
  assert.deepEqual(heard, ['invitation.accepted yes alice', 'invitation.rejected no carol']);
  assert.deepEqual(
    room.now.invitations.map(({ id }) => id),
    ['waits'],
  );
  server.drop();
  await time.advance(2_000);
  assert.equal(heard.length, 2);
});

test('a gap that the room no longer has is answered by a whole new state', async t => {
  const { time, room, server } = await enter(t);
  const heard = [];
  room.events.on('*', (_event, type) => heard.push(type));
  server.on('room.enter', () => ({
    resumed: false,
    snapshot: snapshot({
      epoch: 2,
      seq: 40,
      seats: [usedSeat(0, 'carol'), emptySeat(1), emptySeat(2), emptySeat(3)],
    }),
  }));
  server.drop();
  await time.advance(600);
  assert.deepEqual(heard, ['snapshot', 'resumed']);
  assert.deepEqual([room.now.epoch, room.now.seq, room.now.seats[0].user], [2, 40, 'carol']);
  server.news(48213, [taken(41, 1, 'alice')], 1);
  await settle();
  assert.equal(room.now.seats[1].state, 'empty', 'news of the old epoch is passed over');
  server.news(48213, [taken(41, 1, 'alice')], 2);
  await settle();
  assert.equal(room.now.seats[1].user, 'alice');
});

test('news of a newer epoch makes it read the room anew', async t => {
  const { room, server } = await enter(t);
  server.on('room.enter', () => ({ resumed: false, snapshot: snapshot({ epoch: 2, seq: 1 }) }));
  server.news(48213, [taken(2, 0, 'alice')], 2);
  await settle();
  assert.equal(room.now.epoch, 2);
});

test('V02-W a room that ended while the connection was lost is gone', async t => {
  const { time, room, server } = await enter(t);
  const gone = [];
  room.events.on('gone', event => gone.push(event.reason));
  server.on('room.enter', () => {
    throw new Refusal('room_closed', 20410);
  });
  server.drop();
  await time.advance(600);
  assert.deepEqual(gone, ['room_closed']);
  assert.equal(room.session.state.get().phase, 'ready', 'the session goes on');
});

test('G06-W who was banned while the connection was lost is told until when, by the clock of the server', async t => {
  const ahead = 3_600_000;
  const { time, room, server } = await enter(t, {
    server: salonServer().on('clock.read', () => ({ time: Date.now() + ahead })),
  });
  await room.session.measureClock();
  const removed = [];
  room.events.on('removed', ({ restriction }) => removed.push(restriction));
  server.on('room.enter', () => {
    throw new Refusal('banned', 20514, { reason: 'Alice', retryAfterMs: 60_000 });
  });
  server.drop();
  await time.advance(600);
  assert.equal(removed.length, 1);
  assert.ok(Math.abs(removed[0].until - Date.now() - ahead - 60_000) <= 600, 'an hour early is no end');
});

test('a server that cannot answer yet is asked to resume again', async t => {
  const { time, room, server } = await enter(t);
  let tries = 0;
  server.on('room.enter', () => {
    if (++tries < 3) throw new Refusal('unavailable', 20503);
    return { resumed: false, snapshot: snapshot({ epoch: 2 }) };
  });
  server.drop();
  await time.advance(6000);
  assert.equal(tries, 3);
  assert.equal(room.now.epoch, 2);
});

test('a change under way while the connection breaks is sent again after the room is resumed', async t => {
  const { time, room, server } = await enter(t);
  let asked = 0;
  server.on('seat.take', () => (++asked === 1 ? silence : {}));
  const sat = room.takeSeat(0);
  await settle();
  server.drop();
  await time.advance(600);
  await sat;
  const methods = server.calls.map(call => call.method).filter(method => method !== 'room.members');
  assert.deepEqual(methods.slice(-3), ['session.open', 'room.enter', 'seat.take']);
});

test('A03-W the key is shown at the entry, and again only to a server that asks; without one that fits the room is gone', async t => {
  const server = salonServer();
  const time = VirtualTime.install(t);
  const room = new OvationRoom(await openSession(server, 'bob'), 48213);
  const entered = room.enter({ privateMapKey: 'key' });
  await settle();
  await entered;
  const gone = [];
  room.events.on('gone', event => gone.push(event.reason));
  const shown = () => server.of('room.enter').map(params => params.privateMapKey ?? '-');
  const again = { resumed: false, snapshot: snapshot({ epoch: 2 }) };
  server.on('room.enter', () => again);
  server.drop();
  await time.advance(600);
  assert.deepEqual(shown(), ['key', '-'], 'who is in comes back without');
  const refuse = reason => {
    throw new Refusal('room_key_failed', -100006, { reason });
  };
  server.on('room.enter', ({ privateMapKey }) => (privateMapKey ? again : refuse('missing')));
  server.drop();
  await time.advance(2_000);
  assert.deepEqual(shown(), ['key', '-', '-', 'key']);
  server.on('room.enter', ({ privateMapKey }) => refuse(privateMapKey ? 'expired' : 'missing'));
  server.drop();
  await time.advance(2_000);
  assert.deepEqual(shown(), ['key', '-', '-', 'key', '-', 'key']);
  assert.deepEqual(gone, ['room_key_failed']);
});
