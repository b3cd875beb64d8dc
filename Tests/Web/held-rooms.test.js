import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldRooms, releaseRooms } from '../../Web/models/held-rooms.js';
import { OvationRoom } from '../../Web/protocol/room.js';
import { member, openSession, salonServer } from './support/rooms.js';
import { Refusal } from './support/server.js';
import { settle, VirtualTime } from './support/time.js';

/** A session that the server says is in the salon 48213, as after the page was loaded anew. */
async function comesBack(me) {
  const server = salonServer({ me });
  const opened = server.methods['session.open'];
  server.on('session.open', params => ({ ...opened(params), rooms: [48213] }));
  return { server, session: await openSession(server) };
}

test('A09-W A14-W whoever only listens leaves the room that no page shows without being asked', async t => {
  VirtualTime.install(t);
  const { server, session } = await comesBack(member('bob'));
  assert.deepEqual(heldRooms(session, null), [48213]);
  assert.equal(await releaseRooms(session, 'another'), null);
  assert.deepEqual(server.of('room.exit'), [{ room: 48213 }]);
  assert.deepEqual(heldRooms(session, null), []);
});

test('A09-W A14-W a seat and a room of one’s own are kept until one has been asked', async t => {
  VirtualTime.install(t);
  for (const [me, isOwner] of [
    [member('bob', { seat: 0 }), false],
    [member('bob', { role: 'owner' }), true],
  ]) {
    const { server, session } = await comesBack(me);
    const held = await releaseRooms(session, null);
    assert.equal(held.name, 'Evening salon');
    assert.equal(held.slug, '48213');
    assert.equal(held.isOwner, isOwner);
    assert.deepEqual(server.of('room.exit'), []);
    await session.exit(held.id);
    assert.equal(await releaseRooms(session, null), null);
  }
});

test('A09-W A14-W the room that is asked for, and one that a page follows, hold nobody', async t => {
  VirtualTime.install(t);
  const { session } = await comesBack(member('bob', { seat: 0 }));
  assert.deepEqual(heldRooms(session, '48213'), []);
  const room = new OvationRoom(session, 48213);
  await room.enter();
  assert.deepEqual(heldRooms(session, null), []);
  await room.exit();
  assert.deepEqual(heldRooms(session, null), [], 'left by the page');
});

test('A09-W A14-W a room that has ended meanwhile holds nobody', async t => {
  VirtualTime.install(t);
  const { server, session } = await comesBack(member('bob', { seat: 0 }));
  server.on('room.enter', () => {
    throw new Refusal('room_closed', 20002);
  });
  assert.equal(await releaseRooms(session, null), null);
  assert.deepEqual(heldRooms(session, null), []);
});

test('A09-W A14-W a room that was left while the connection was lost does not come back with it', async t => {
  const time = VirtualTime.install(t);
  const { server, session } = await comesBack(member('bob', { seat: 0 }));
  const room = new OvationRoom(session, 48213);
  await room.enter();
  server.down = true;
  server.drop();
  const left = room.exit();
  server.down = false;
  await time.advance(2_000);
  await left;
  assert.ok(server.of('room.exit').length > 0);
  assert.deepEqual(heldRooms(session, null), []);
});

test('A09-W A14-W a room whose owner ends it is none that the session is in', async t => {
  VirtualTime.install(t);
  const { server, session } = await comesBack(member('bob'));
  const room = new OvationRoom(session, 48213);
  await room.enter();
  server.notify('room.events', {
    room: 48213,
    epoch: 1,
    events: [{ type: 'room.destroyed', seq: 2, reason: 'owner', summary: null }],
  });
  await settle();
  assert.deepEqual(session.rooms, []);
});
