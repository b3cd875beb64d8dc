import assert from 'node:assert/strict';
import { test } from 'node:test';
import { previewRoom } from '../../Web/models/room-preview.js';
import { emptySeat, member, people, usedSeat } from './support/rooms.js';
import { obedient, Script, salonTab } from './support/salon.js';
import { Refusal } from './support/server.js';
import { settle } from './support/time.js';

async function done(promise) {
  await settle();
  return promise;
}

const owner = {
  me: member('alice', { role: 'owner' }),
  members: [member('alice', { role: 'owner' }), member('bob'), member('carol')],
  memberCount: 3,
};
const hostTab = (t, more = {}) => salonTab(t, { user: 'alice', first: { ...owner, ...more } });

test('V10-W V21-W asking for a seat waits with its place in the queue; accepted, one sits down by oneself', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await done(tab.salon.requests.ask(2));
  const [sent] = tab.server.of('invitation.send');
  assert.deepEqual([sent.user, sent.command, sent.content], ['alice', 'seat.ask', '2']);
  assert.equal(tab.mic, 'pending');
  assert.deepEqual([tab.state.myRequest.seat, tab.state.myRequest.position], [2, 1]);
  await script.tell(
    script.invitation(tab.state.myRequest.id, 'bob', 'alice', {
      state: 'accepted',
      content: '2',
      by: 'alice',
    }),
  );
  assert.equal(tab.state.me.seat, 2);
  assert.equal(tab.mic, 'live');
  assert.equal(tab.state.myRequest, null);
  assert.deepEqual(
    tab.heard('requestAccepted').map(news => [news.by.name, news.seat]),
    [['Alice', 2]],
  );
});

test('V10-W an accepted request for a seat that is gone meanwhile takes the next free one', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await done(tab.salon.requests.ask(0));
  await script.tell(script.taken(0, 'carol'));
  await script.tell(
    script.invitation(tab.state.myRequest.id, 'bob', 'alice', {
      state: 'accepted',
      content: '0',
      by: 'alice',
    }),
  );
  assert.equal(tab.state.me.seat, 1);
});

test('V10-W a refused request carries its reason, a cancelled one is gone, an expired one is told', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await done(tab.salon.requests.ask());
  const ended = (state, more) =>
    script.tell(script.invitation(tab.state.myRequest.id, 'bob', 'alice', { state, ...more }));
  await ended('rejected', { reason: 'later, please', by: 'alice' });
  assert.equal(tab.mic, 'listener');
  assert.deepEqual(
    tab.heard('requestRejected').map(news => [news.by.name, news.reason]),
    [['Alice', 'later, please']],
  );
  await done(tab.salon.requests.ask());
  await done(tab.salon.requests.cancelRequest());
  assert.equal(tab.server.of('invitation.cancel').length, 1);
  assert.equal(tab.state.myRequest, null);
  await done(tab.salon.requests.ask());
  await ended('expired');
  assert.equal(tab.heard('requestExpired').length, 1);
  assert.equal(tab.mic, 'listener');
});

test('V10-W the owner sees requests oldest first, may put one off, accept the next, refuse with a reason', async t => {
  const tab = await hostTab(t);
  const script = new Script(tab.server);
  await script.tell(
    script.invitation('r2', 'carol', 'alice', { createdAt: 2, content: '1' }),
    script.invitation('r1', 'bob', 'alice', { createdAt: 1 }),
  );
  assert.deepEqual(
    tab.state.requests.map(({ id, user, seat }) => [id, user.name, seat]),
    [
      ['r1', 'Bob', null],
      ['r2', '캐롤', 1],
    ],
  );
  assert.equal(tab.heard('requestReceived').length, 2);
  tab.salon.requests.postpone('r1');
  assert.deepEqual(
    tab.state.requests.map(({ id, later }) => [id, later]),
    [
      ['r2', false],
      ['r1', true],
    ],
  );
  await done(tab.salon.requests.acceptNext());
  assert.equal(tab.server.of('invitation.accept')[0].id, 'r2');
  await done(tab.salon.requests.rejectRequest('r1', 'full'));
  assert.deepEqual(
    [tab.server.of('invitation.reject')[0].id, tab.server.of('invitation.reject')[0].reason],
    ['r1', 'full'],
  );
  assert.deepEqual(tab.state.requests, []);
});

test('V10-W a request of another client with its own command word is seen too', async t => {
  const tab = await hostTab(t);
  const script = new Script(tab.server);
  await script.tell(script.invitation('r1', 'bob', 'alice', { command: 'TakeSeat', content: '3' }));
  assert.deepEqual(
    tab.state.requests.map(({ seat }) => seat),
    [3],
  );
});

test('a request that is settled elsewhere meanwhile leaves the list whatever was clicked', async t => {
  const tab = await hostTab(t);
  const script = new Script(tab.server);
  await script.tell(script.invitation('r1', 'bob', 'alice'));
  tab.server.on('invitation.accept', () => {
    throw new Refusal('invitation_not_found', 8010);
  });
  await done(assert.rejects(tab.salon.requests.acceptRequest('r1'), { name: 'invitation_not_found' }));
  assert.deepEqual(tab.state.requests, []);
});

test('an admin sees the requests to the owner, a plain member does not', async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  await script.tell(script.role('bob', 'admin'));
  await script.tell(script.invitation('r1', 'carol', 'alice'));
  assert.equal(tab.state.me.canManage, true);
  assert.equal(tab.state.requests.length, 1);
  await script.tell(script.role('bob', 'member'));
  assert.equal(tab.state.requests.length, 0);
  assert.deepEqual(
    tab.heard('myRole').map(news => news.role),
    ['admin', 'member'],
  );
});

test('V19-W the heir of the room finds the requests to the former owner, but not an own one', async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  await script.tell(script.role('bob', 'admin'), script.invitation('r1', 'carol', 'alice'));
  await done(tab.salon.requests.ask());
  await script.tell({
    seq: ++script.seq,
    type: 'owner.changed',
    user: people.bob,
    reason: 'owner_absent',
    time: 1,
  });
  assert.deepEqual(
    tab.state.requests.map(({ id }) => id),
    ['r1'],
  );
  assert.deepEqual([tab.state.myRequest, tab.mic], [null, 'listener']);
});

test('V10-W an invitation to a seat is shown as reserved with its time, and its answer is told', async t => {
  const tab = await hostTab(t);
  const script = new Script(tab.server);
  await done(tab.salon.requests.invite('bob', 3));
  const { reserved } = tab.state.seats[3];
  assert.equal(reserved.user.name, 'Bob');
  assert.equal(reserved.until, tab.time.now + 60_000);
  await script.tell(
    script.invitation(reserved.invitation, 'alice', 'bob', {
      state: 'rejected',
      command: 'seat.invite',
      content: '3',
      reason: 'shy',
      by: 'bob',
    }),
  );
  assert.equal(tab.state.seats[3].reserved, null);
  assert.deepEqual(
    tab.heard('invitationAnswered').map(({ user, accepted, reason }) => [user.name, accepted, reason]),
    [['Bob', false, 'shy']],
  );
});

test('V10-W invited, one accepts and sits, or declines', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await script.tell(
    script.invitation('i1', 'alice', 'bob', { command: 'seat.invite', content: '2', expiresAt: 5 }),
  );
  assert.deepEqual(
    [tab.state.invitation.from.name, tab.state.invitation.seat, tab.state.invitation.until],
    ['Alice', 2, 5],
  );
  assert.equal(tab.heard('invited').length, 1);
  await done(tab.salon.requests.rejectInvitation('not now'));
  assert.equal(tab.server.of('invitation.reject')[0].reason, 'not now');
  assert.equal(tab.state.invitation, null);
  await script.tell(script.invitation('i2', 'alice', 'bob', { command: 'seat.invite', content: '2' }));
  await done(tab.salon.requests.acceptInvitation());
  assert.equal(tab.server.of('invitation.accept')[0].id, 'i2');
  assert.equal(tab.state.me.seat, 2);
  assert.equal(tab.mic, 'live');
});

test('V05-W kicking can be undone for five seconds', async t => {
  const tab = await hostTab(t, { seats: [emptySeat(0), usedSeat(1, 'bob'), emptySeat(2), emptySeat(3)] });
  obedient(tab.server);
  await done(tab.salon.moderation.kick(1));
  assert.equal(tab.state.seats[1].state, 'empty');
  assert.deepEqual(
    [tab.state.undo.action, tab.state.undo.user.name, tab.state.undo.seat],
    ['kick', 'Bob', 1],
  );
  await done(tab.salon.moderation.undo());
  assert.deepEqual([tab.server.of('seat.pick')[0].seat, tab.server.of('seat.pick')[0].user], [1, 'bob']);
  assert.equal(tab.state.undo, null);
  await done(tab.salon.moderation.kick(1));
  await tab.time.advance(5000);
  assert.equal(tab.state.undo, null, 'then it is too late');
  await done(tab.salon.moderation.undo());
  assert.equal(tab.server.of('seat.pick').length, 1);
});

test('V06-W muting and closing a seat can be undone; a refusal leaves nothing to undo', async t => {
  const tab = await hostTab(t, { seats: [emptySeat(0), usedSeat(1, 'bob'), emptySeat(2), emptySeat(3)] });
  obedient(tab.server);
  await done(tab.salon.moderation.muteSeat(1, true));
  assert.equal(tab.state.seats[1].muted, true);
  await done(tab.salon.moderation.undo());
  assert.deepEqual(
    tab.server.of('seat.mute').map(({ muted }) => muted),
    [true, false],
  );
  await done(tab.salon.moderation.closeSeat(1, true));
  assert.equal(tab.state.undo.action, 'close');
  await done(tab.salon.moderation.undo());
  assert.deepEqual(
    tab.server.of('seat.close').map(({ closed }) => closed),
    [true, false],
  );
  assert.deepEqual(
    tab.server.of('seat.pick').map(({ user }) => user),
    ['bob'],
    'whoever sat there sits there again',
  );
  tab.server.on('seat.kick', () => {
    throw new Refusal('permission_denied', 10007);
  });
  tab.salon.moderation.dismissUndo();
  await done(assert.rejects(tab.salon.moderation.kick(1), { name: 'permission_denied' }));
  assert.equal(tab.state.undo, null);
});

test('V02-W the end of the room is a card for everybody, with what the server counted', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await done(tab.salon.seats.sit(0));
  await script.tell({ type: 'owner.absent', until: 500 });
  await script.tell({
    seq: ++script.seq,
    type: 'room.destroyed',
    reason: 'owner',
    summary: { seconds: 3600, peak: 41, likes: 7 },
    time: 1,
  });
  assert.equal(tab.state.phase, 'ended');
  assert.deepEqual(tab.state.banners, [], 'no countdown runs over the card');
  assert.deepEqual(tab.state.end, {
    reason: 'owner',
    seconds: 3600,
    peak: 41,
    likes: 7,
    gifts: { coins: 0, supporters: [] },
    name: 'Evening salon',
    owner: people.alice,
  });
  assert.equal(tab.devices.tracks[0].readyState, 'ended', 'the microphone is let go');
  assert.equal(tab.connections[0].connectionState, 'closed', 'and media stops');
  assert.equal(tab.playout.closed, true);
  assert.equal(tab.heard('ended').length, 1);
});

test('V19-W an absent owner is a banner with the time left and the heir', async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  await script.tell({ type: 'owner.absent', until: 500, heir: 'bob' });
  assert.deepEqual(tab.state.banners, [{ kind: 'ownerAbsent', until: 500, heir: people.bob }]);
  await script.tell({ type: 'owner.back' });
  assert.deepEqual(tab.state.banners, []);
  await script.tell({
    seq: ++script.seq,
    type: 'owner.changed',
    user: people.bob,
    reason: 'owner_absent',
    time: 1,
  });
  assert.equal(tab.state.me.isOwner, true);
  assert.deepEqual(
    tab.heard('myRole').map(news => news.role),
    ['owner'],
  );
  assert.deepEqual(tab.heard('ownerChanged'), [], 'the heir is told once');
  await script.tell({
    seq: ++script.seq,
    type: 'owner.changed',
    user: people.carol,
    reason: 'handed_over',
    time: 2,
  });
  assert.deepEqual(
    tab.heard('ownerChanged').map(news => news.user.id),
    ['carol'],
  );
});

test('V03-W leaving frees the seat, ends media, and a late word of the room changes nothing', async t => {
  const tab = await salonTab(t);
  const script = obedient(tab.server);
  await done(tab.salon.seats.sit(0));
  await done(tab.salon.leave());
  assert.equal(tab.state.phase, 'left');
  assert.equal(tab.server.of('room.exit').length, 1);
  assert.equal(tab.server.of('media.close').length, 1);
  assert.equal(tab.devices.tracks[0].readyState, 'ended');
  await script.tell(script.taken(3, 'carol'));
  assert.equal(tab.state.seats[3].state, 'empty');
});

test('V03-W A12-W who turns back while entering is out, without sound or microphone', async t => {
  const tab = await salonTab(t, {
    enter: false,
    first: { me: member('bob', { seat: 1 }), seats: [emptySeat(0), usedSeat(1, 'bob')] },
  });
  const entered = assert.rejects(tab.salon.enter(), { name: 'aborted' });
  assert.equal(tab.state.phase, 'entering');
  await done(tab.salon.leave());
  await entered;
  await settle();
  assert.equal(tab.state.phase, 'left');
  assert.equal(tab.server.calls.at(-1).method, 'room.exit');
  assert.equal(tab.connections.length, 0);
  assert.equal(tab.devices.tracks.length, 0);
  // The way in is open again.
  await done(tab.salon.enter());
  assert.equal(tab.state.phase, 'in');
  assert.equal(tab.connections.length, 1);
});

test('A09-W before entering, a room that ended and one that never was are told apart', async t => {
  const tab = await salonTab(t, { enter: false });
  assert.equal(
    (await done(previewRoom(tab.session, 48213, 'https://live.example'))).link,
    'https://live.example/r/48213',
  );
  for (const name of ['room_not_found', 'room_closed']) {
    tab.server
      .on('room.get', () => ({ rooms: [] }))
      .on('room.enter', () => {
        throw new Refusal(name);
      });
    await done(assert.rejects(previewRoom(tab.session, 48213, 'https://live.example'), { name }));
    await done(assert.rejects(tab.salon.enter(), { name }));
    assert.deepEqual([tab.state.phase, tab.state.error.name], ['failed', name]);
  }
});

test('A04-W signed in elsewhere, the room is left with that reason', async t => {
  const tab = await salonTab(t);
  obedient(tab.server);
  await done(tab.salon.seats.sit(0));
  tab.server.notify('session.closed', { code: 6208, name: 'session_replaced', message: '' });
  tab.server.drop(4001);
  await settle();
  assert.deepEqual([tab.state.phase, tab.state.error.name], ['left', 'session_replaced']);
  assert.equal(tab.state.banners[0].kind, 'signedInElsewhere');
  assert.equal(tab.devices.tracks[0].readyState, 'ended');
});

test("the owner's settings, roles and picks are one call each", async t => {
  const tab = await hostTab(t);
  await done(tab.salon.moderation.updateRoom({ name: 'New name', needsRequest: true }));
  await done(tab.salon.moderation.setRole('bob', 'admin'));
  await done(tab.salon.moderation.pick('carol', 2));
  await done(tab.salon.destroy());
  const { key, ...update } = tab.server.of('room.update')[0];
  assert.ok(key);
  assert.deepEqual(update, { room: 48213, name: 'New name', needsRequest: true });
  assert.deepEqual([tab.server.of('role.set')[0].user, tab.server.of('role.set')[0].role], ['bob', 'admin']);
  assert.deepEqual([tab.server.of('seat.pick')[0].seat, tab.server.of('seat.pick')[0].user], [2, 'carol']);
  assert.equal(tab.server.of('room.destroy').length, 1);
});
