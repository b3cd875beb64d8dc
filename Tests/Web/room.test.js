import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OvationRoom } from '../../Web/protocol/room.js';
import { profileOf, profilesKept } from '../../Web/protocol/room-state.js';
import { enter, left, said, taken } from './support/entered.js';
import { member, openSession, people, salonServer, snapshot, usedSeat } from './support/rooms.js';
import { Refusal, silence } from './support/server.js';
import { settle, VirtualTime } from './support/time.js';

test('V01-W creating a room makes one its owner, in the room, with what was asked for', async t => {
  VirtualTime.install(t);
  const server = salonServer({ me: member('alice', { role: 'owner' }) });
  server.on('room.create', () => ({ room: 48213, snapshot: server.snapshot }));
  const session = await openSession(server, 'alice');
  const created = OvationRoom.create(session, {
    name: 'Evening salon',
    seats: 4,
    needsRequest: true,
    cover: '/c.svg',
    tags: ['a'],
  });
  await settle();
  const room = await created;
  assert.equal(room.id, 48213);
  assert.equal(room.now.me.role, 'owner');
  const { key, ...asked } = server.of('room.create')[0];
  assert.deepEqual(asked, {
    kind: 'voice',
    name: 'Evening salon',
    seats: 4,
    needsRequest: true,
    cover: '/c.svg',
    tags: ['a'],
  });
  assert.match(key, /^\S{1,64}$/);
  server.news(48213, [taken(2, 0, 'alice')]);
  await settle();
  assert.equal(room.now.seats[0].user, 'alice', 'and hears its news');
});

test('R01-W what the app keeps with a room is there on entry, and changes with its news', async t => {
  const { room, server } = await enter(t);
  server.on('attributes.set', () => ({ seq: 2 }));
  await room.setAttributes({ set: { theme: 'night' }, remove: ['old'] });
  const { key, ...asked } = server.of('attributes.set')[0];
  assert.deepEqual(asked, { room: 48213, set: { theme: 'night' }, remove: ['old'] });
  assert.deepEqual(room.now.attributes, {});
  const told = [];
  room.events.on('attributes.changed', ({ set, removed }) => told.push([set, removed]));
  server.news(48213, [
    { type: 'attributes.changed', seq: 2, time: 0, set: { theme: 'night', __proto__x: '1' }, removed: [] },
    { type: 'attributes.changed', seq: 3, time: 0, set: { n: '1' }, removed: ['theme'] },
  ]);
  await settle();
  assert.deepEqual(room.now.attributes, { __proto__x: '1', n: '1' });
  assert.equal(told.length, 2);
});

test('V08-W the answer comes first, then the list of seats, then the single event', async t => {
  const { room, server } = await enter(t);
  server.on('seat.take', ({ seat }, call) => {
    call.after = () => server.news(48213, [taken(2, seat, 'bob')]);
    return {};
  });
  const order = [];
  room.state.subscribe(state => order.push(`list ${state.seats[2].state}`), { now: false });
  room.events.on('seat.taken', ({ seat }) =>
    order.push(`event ${seat.index} with ${room.now.seats[2].user}`),
  );
  const answer = room.takeSeat(2).then(() => order.push('answer'));
  await settle();
  await answer;
  assert.deepEqual(order, ['answer', 'list used', 'event 2 with bob']);
});

test('V03-W others enter and leave once each, and are counted', async t => {
  const { room, server } = await enter(t);
  server.news(48213, [{ type: 'audience.entered', member: member('carol') }]);
  server.news(48213, [{ type: 'audience.entered', member: member('carol') }]);
  await settle();
  assert.equal(room.now.memberCount, 3);
  assert.equal(room.now.members.get('carol').name, '캐롤');
  server.news(48213, [{ type: 'audience.left', user: 'carol', reason: 'left' }]);
  await settle();
  assert.equal(room.now.memberCount, 2);
  assert.equal(room.now.members.has('carol'), false);
  assert.equal(profileOf(room.now, 'carol').name, '캐롤', 'whoever left is still known by name');
  server.news(48213, [{ type: 'count', memberCount: 900 }]);
  await settle();
  assert.equal(room.now.memberCount, 900);
});

test('V04-W V05-W V06-W every seat event leaves the seats as the server has them', async t => {
  const { room, server } = await enter(t);
  server.news(48213, [taken(2, 1, 'bob')]);
  await settle();
  assert.equal(room.now.me.seat, 1);
  server.news(48213, [
    {
      seq: 3,
      type: 'seat.muted',
      seat: usedSeat(1, 'bob', { muted: true, by: 'alice' }),
      by: 'alice',
      time: 3,
    },
    { seq: 4, type: 'microphone.muted', user: 'bob', muted: true, seat: 1, time: 4 },
  ]);
  await settle();
  assert.deepEqual(
    [room.now.seats[1].muted, room.now.seats[1].micMuted, room.now.me.micMuted],
    [true, true, true],
  );
  server.news(48213, [left(5, 1, 'bob', 'moved'), taken(6, 3, 'bob')]);
  await settle();
  assert.equal(room.now.me.seat, 3);
  assert.equal(room.now.seats[1].state, 'empty');
  server.news(48213, [
    left(7, 3, 'bob', 'closed'),
    { seq: 8, type: 'seat.closed', seat: { index: 3, state: 'closed', muted: false }, by: 'alice', time: 8 },
  ]);
  await settle();
  assert.equal(room.now.me.seat, undefined);
  assert.equal(room.now.seats[3].state, 'closed');
});

test('a seat that is left after another one was taken does not take the new one away', async t => {
  const { room, server } = await enter(t);
  server.news(48213, [taken(2, 1, 'bob'), taken(3, 3, 'bob'), left(4, 1, 'bob', 'moved')]);
  await settle();
  assert.equal(room.now.me.seat, 3);
  assert.deepEqual(
    room.now.seats.map(seat => seat.state),
    ['empty', 'empty', 'empty', 'used'],
  );
});

test('V03-W however many come and go, the names of the last thousand are kept', async t => {
  const { room, server } = await enter(t);
  const news = Array.from({ length: profilesKept + 50 }, (_, guest) => {
    const one = member('', { id: `guest-${guest}`, name: `Guest ${guest}`, avatar: '' });
    return [
      { type: 'audience.entered', member: one },
      { type: 'audience.left', user: one.id },
    ];
  });
  server.news(48213, news.flat());
  await settle();
  assert.equal(room.now.profiles.size, profilesKept);
  assert.equal(profileOf(room.now, `guest-${profilesKept + 49}`).name, `Guest ${profilesKept + 49}`);
  assert.equal(profileOf(room.now, 'guest-0').name, 'guest-0');
  assert.equal(profileOf(room.now, room.now.me.id).name, room.now.me.name, 'who is here is known');
});

test('V16-W a message is shown once, in order, with the sender; a hole in the chat is announced', async t => {
  const { room, server } = await enter(t);
  const heard = [];
  room.events.on('message', message => heard.push(`${message.from.name}: ${message.text}`));
  room.events.on('dropped', ({ from, to }) => heard.push(`dropped ${from}-${to}`));
  server.news(48213, [said(1, 'alice', 'one'), said(2, 'carol', '둘'), said(2, 'carol', '둘')]);
  server.news(48213, [{ type: 'dropped', from: 3, to: 9 }, said(10, 'alice', 'ten')]);
  server.news(48213, [said(7, 'alice', 'late')]);
  await settle();
  server.news(48213, [{ type: 'dropped', from: 11, to: 12 }, said(12, 'alice', 'one of the dropped')]);
  await settle();
  assert.deepEqual(heard, ['Alice: one', '캐롤: 둘', 'dropped 3-9', 'Alice: ten', 'dropped 11-12']);
  assert.equal(room.now.chat, 12);
  assert.deepEqual(
    room.now.messages.map(message => message.chat),
    [1, 2, 10],
  );
});

test("V16-W a custom message carries its command, and one's own comes back with one's own id", async t => {
  const { room, server } = await enter(t);
  server.on('message.send', ({ id, command, message }, call) => {
    const event = { type: 'message', chat: 1, id, from: people.bob, command, message, time: 1 };
    call.after = () => server.news(48213, [event]);
    return { chat: 1, time: 1 };
  });
  const heard = [];
  room.events.on('message', ({ id, command, message }) => heard.push({ id, command, message }));
  const sent = room.sendCustom('CMD_DANMU', 'hello', 'mine-1');
  await settle();
  assert.deepEqual(await sent, { chat: 1, time: 1 });
  assert.deepEqual(heard, [{ id: 'mine-1', command: 'CMD_DANMU', message: 'hello' }]);
  assert.equal(server.of('message.send')[0].key, 'mine-1', 'a repeat is the same message');
});

test('V02-W the end of the room is told once, with its summary, and later news is not', async t => {
  const { time, room, server } = await enter(t);
  const ends = [];
  room.events.on('room.destroyed', event => ends.push(event));
  const summary = { seconds: 60, peak: 9, likes: 4 };
  server.news(48213, [{ seq: 2, type: 'room.destroyed', reason: 'owner', summary, time: 2 }]);
  server.news(48213, [taken(3, 0, 'alice')]);
  await settle();
  assert.equal(ends.length, 1);
  assert.deepEqual(room.now.ended, { reason: 'owner', summary });
  assert.equal(room.now.seats[0].state, 'empty');
  server.drop();
  await time.advance(600);
  assert.equal(server.of('room.enter').length, 1, 'it is not entered again');
});

test('V19-W somebody who is reconnecting is shown so, with the time that is left', async t => {
  const { room, server } = await enter(t);
  server.news(48213, [
    taken(2, 0, 'alice'),
    { type: 'presence', user: 'alice', presence: 'reconnecting', until: 777 },
  ]);
  await settle();
  assert.equal(room.now.seats[0].presence, 'reconnecting');
  assert.deepEqual(room.now.presenceUntil, { alice: 777 });
  server.news(48213, [{ type: 'presence', user: 'alice', presence: 'online' }]);
  await settle();
  assert.equal(room.now.seats[0].presence, 'online');
  assert.deepEqual(room.now.presenceUntil, {});
});

test("V19-W an absent owner's room passes on with its roles", async t => {
  const { room, server } = await enter(t);
  server.news(48213, [{ type: 'owner.absent', until: 500, heir: 'bob' }]);
  await settle();
  assert.deepEqual([room.now.ownerAbsentUntil, room.now.heir], [500, 'bob']);
  server.news(48213, [{ seq: 2, type: 'owner.changed', user: people.bob, reason: 'owner_absent', time: 2 }]);
  await settle();
  assert.deepEqual(
    [room.now.info.owner.id, room.now.me.role, room.now.members.get('alice').role],
    ['bob', 'owner', 'member'],
  );
  assert.equal(room.now.ownerAbsentUntil, null);
});

test('V10-W invitations that concern me come and go; my own are among them', async t => {
  const { room, server } = await enter(t, {
    first: { me: member('alice', { role: 'owner' }) },
    user: 'alice',
  });
  const invitation = {
    id: 'i1',
    room: 48213,
    from: 'bob',
    to: 'alice',
    command: 'wave',
    content: 'x',
    state: 'waiting',
    createdAt: 1,
  };
  server.news(48213, [{ type: 'invitation.received', invitation, by: 'bob' }]);
  await settle();
  assert.deepEqual(
    room.now.invitations.map(({ id }) => id),
    ['i1'],
  );
  const sent = room.invite({ user: 'carol', command: 'seat.invite', content: '2', timeoutSeconds: 60 });
  await settle();
  const { id } = await sent;
  assert.deepEqual(
    room.now.invitations.map(one => one.id),
    ['i1', id],
  );
  assert.equal(room.now.invitations[1].expiresAt - room.now.invitations[1].createdAt, 60_000);
  for (const [type, which] of [
    ['invitation.rejected', id],
    ['invitation.cancelled', 'i1'],
  ]) {
    server.news(48213, [
      { type, invitation: { ...invitation, id: which, state: type.split('.')[1] }, by: 'carol' },
    ]);
  }
  await settle();
  assert.deepEqual(room.now.invitations, []);
});

test('rooms of the number and the string of the same digits do not mix', async t => {
  const { session, room, server } = await enter(t);
  const other = new OvationRoom(session, '48213');
  server.on('room.enter', () => ({ snapshot: snapshot({ room: '48213' }) }));
  const entered = other.enter();
  await settle();
  await entered;
  server.news('48213', [taken(2, 3, 'carol')]);
  await settle();
  assert.equal(other.now.seats[3].user, 'carol');
  assert.equal(room.now.seats[3].state, 'empty');
});

test('a refused entry says why and leaves nothing behind', async t => {
  VirtualTime.install(t);
  const server = salonServer().on('room.enter', () => {
    throw new Refusal('room_not_found', 10010);
  });
  const session = await openSession(server);
  const room = new OvationRoom(session, 48213);
  const refused = assert.rejects(room.enter(), { name: 'room_not_found' });
  await settle();
  await refused;
  assert.throws(() => room.now, { name: 'not_in_room' });
});

test('V03-W who leaves while entering is out: the entry is given up, and not repeated after a lost connection', async t => {
  const time = VirtualTime.install(t);
  let isSilent = true;
  const server = salonServer();
  server.on('room.enter', () => (isSilent ? silence : { snapshot: server.snapshot }));
  const session = await openSession(server);
  const room = new OvationRoom(session, 48213);
  const givenUp = assert.rejects(room.enter(), { name: 'aborted' });
  await settle();
  const gone = room.exit();
  await settle();
  await givenUp;
  await gone;
  const said = () => server.calls.map(call => call.method).filter(method => method.startsWith('room.'));
  assert.deepEqual(said(), ['room.enter', 'room.exit']);
  server.drop();
  await time.advance(5_000);
  assert.equal(session.state.get().phase, 'ready');
  assert.deepEqual(said(), ['room.enter', 'room.exit']);
  assert.equal(room.state.get(), null);
  // Whoever comes again at once stays.
  isSilent = false;
  const first = assert.rejects(room.enter(), { name: 'aborted' });
  const out = room.exit();
  const second = room.enter();
  await settle();
  await Promise.all([first, out, second]);
  assert.deepEqual(said().slice(-3), ['room.enter', 'room.exit', 'room.enter']);
  server.news(48213, [taken(2, 0, 'alice')]);
  await settle();
  assert.equal(room.now.seats[0].user, 'alice', 'and hears the news');
});

test('V03-W an entry that took too long, or was called off, leaves nobody in the room', async t => {
  const time = VirtualTime.install(t);
  const server = salonServer().on('room.enter', () => silence);
  const session = await openSession(server);
  const room = new OvationRoom(session, 48213);
  const late = assert.rejects(room.enter(), { name: 'timeout' });
  await time.advance(60_000);
  await late;
  assert.equal(server.of('room.exit').length, 1);
  const caller = new AbortController();
  const off = assert.rejects(room.enter({ signal: caller.signal }), { name: 'aborted' });
  await settle();
  caller.abort();
  await settle();
  await off;
  assert.equal(server.of('room.exit').length, 2);
});

test('leaving ends the news', async t => {
  const { room, server } = await enter(t);
  const gone = room.exit();
  server.news(48213, [taken(2, 0, 'alice')]);
  await settle();
  await gone;
  assert.equal(room.now.seats[0].state, 'empty');
});

test('V14-W levels are passed on apart from the state', async t => {
  const { room, server } = await enter(t);
  const before = room.state.get();
  server.news(48213, [{ type: 'levels', levels: { alice: 61 } }]);
  await settle();
  assert.deepEqual(room.levels.get(), { alice: 61 });
  assert.equal(room.state.get(), before);
});

test('V14-W levels come at the interval that was chosen, in silence too, until the room is left', async t => {
  const { room, server, time } = await enter(t);
  const [told, also] = [[], []];
  const stop = new AbortController();
  room.watchLevels(300, levels => told.push(levels));
  room.watchLevels(0, levels => also.push(levels), { signal: stop.signal });
  await time.advance(600);
  assert.deepEqual(told, [{}, {}, {}]);
  assert.equal(also.length, 7, 'at least 100 ms');
  stop.abort();
  server.news(48213, [{ type: 'levels', levels: { alice: 61 } }]);
  await time.advance(300);
  assert.deepEqual(told.at(-1), { alice: 61 });
  const gone = room.exit();
  await time.advance(3000);
  await gone;
  assert.equal(told.length, 4);
  assert.equal(also.length, 7);
});

test('events of a newer server that are unknown here change nothing', async t => {
  const { room, server } = await enter(t);
  server.news(48213, [{ seq: 2, type: 'lights.dimmed', time: 2 }, taken(3, 0, 'alice')]);
  await settle();
  assert.equal(room.now.seats[0].user, 'alice');
});
