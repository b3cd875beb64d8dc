import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSession, sessionOn } from './support/rooms.js';
import { FakeServer, Refusal, silence } from './support/server.js';
import { settle, VirtualTime } from './support/time.js';

test('A04-W signing in tells who one is, and the next connection takes the session over', async t => {
  const time = VirtualTime.install(t);
  const server = new FakeServer();
  const kept = [];
  const session = await openSession(server, 'bob', { remember: secret => kept.push(secret) });
  assert.deepEqual(session.user.get(), { id: 'bob', name: 'Bob', avatar: '' });
  assert.equal(session.limits.textBytes, 12288);
  server.drop();
  await time.advance(600);
  assert.equal(session.state.get().phase, 'ready');
  const opens = server.of('session.open');
  assert.equal(opens[0].resume, undefined);
  assert.equal(opens[1].resume, 'secret-1');
  assert.equal(opens[0].version, 1);
  assert.deepEqual(kept, ['secret-1', 'secret-2']);
});

test('A04-W the older session of the same person is told 6208 and does not come back', async t => {
  const time = VirtualTime.install(t);
  const server = new FakeServer();
  const session = await openSession(server);
  server.notify('session.closed', { code: 6208, name: 'session_replaced', message: 'signed in elsewhere' });
  server.drop(4001);
  await time.advance(60_000);
  assert.equal(session.state.get().phase, 'closed');
  assert.equal(session.state.get().error.name, 'session_replaced');
  assert.equal(session.state.get().error.code, 6208);
  assert.equal(server.sockets.length, 1);
});

test('A10-W a ticket about to expire is renewed on the standing connection', async t => {
  const time = VirtualTime.install(t);
  const server = new FakeServer();
  await openSession(server, 'bob', { renewTicket: async () => 'ticket-2' });
  server.notify('session.expiring', { expiresInSeconds: 300 });
  await settle();
  assert.deepEqual(server.of('session.renew'), [{ ticket: 'ticket-2' }]);
  assert.equal(server.sockets.length, 1);
  server.drop();
  await time.advance(600);
  assert.equal(server.of('session.open')[1].ticket, 'ticket-2', 'the new one is used from now on');
});

test('A10-W a renewal that fails is tried again', async t => {
  const time = VirtualTime.install(t);
  const server = new FakeServer();
  let tries = 0;
  await openSession(server, 'bob', {
    renewTicket: async () => {
      if (++tries === 1) throw new Error('no network');
      return 'ticket-2';
    },
  });
  server.notify('session.expiring', { expiresInSeconds: 300 });
  await time.advance(25_000);
  assert.equal(tries, 2);
  assert.deepEqual(server.of('session.renew'), [{ ticket: 'ticket-2' }]);
});

test('A10-W after 4002 a new ticket is fetched before the next connection', async t => {
  const time = VirtualTime.install(t);
  const server = new FakeServer();
  const session = await openSession(server, 'bob', { renewTicket: async () => 'ticket-2' });
  server.drop(4002);
  await time.advance(1000);
  assert.equal(session.state.get().phase, 'ready');
  assert.deepEqual(
    server.of('session.open').map(open => open.ticket),
    ['ticket', 'ticket-2'],
  );
});

test('A10-W an expired ticket at sign-in is renewed once; a second refusal is final', async t => {
  const time = VirtualTime.install(t);
  const server = new FakeServer();
  let renewals = 0;
  server.on('session.open', () => {
    throw new Refusal('ticket_expired', -100018, { reason: 'expired' });
  });
  const session = sessionOn(server, 'bob', { renewTicket: async () => `ticket-${++renewals}` });
  const refused = assert.rejects(session.open(), { name: 'ticket_expired', code: -100018 });
  await time.advance(30_000);
  await refused;
  assert.equal(renewals, 1);
  assert.equal(server.of('session.open').length, 2);
});

test('A10-W a page that wakes up while its ticket is being renewed stays signed in', async t => {
  const time = VirtualTime.install(t);
  const server = new FakeServer();
  const open = server.methods['session.open'];
  server.on('session.open', params => {
    if (params.ticket === 'ticket') throw new Refusal('ticket_expired', -100018, { reason: 'expired' });
    return open(params);
  });
  /** @type {(ticket: string) => void} */ let renewed = () => {};
  const session = sessionOn(server, 'bob', {
    renewTicket: () =>
      new Promise(resolve => {
        renewed = resolve;
      }),
  });
  const opened = session.open();
  await settle();
  // The network is back, the page is shown: the old ticket is tried once more, and the new one comes before the refusal.
  const refuse = server.methods['session.open'];
  server.on('session.open', async params => {
    if (params.ticket === 'ticket') renewed('ticket-2');
    await null;
    return refuse(params);
  });
  session.retryNow();
  await time.advance(30_000);
  await opened;
  assert.equal(session.state.get().phase, 'ready');
  assert.deepEqual(
    server.of('session.open').map(({ ticket }) => ticket),
    ['ticket', 'ticket', 'ticket-2'],
  );
});

test('refusals that nothing mends end the session with their own name', async t => {
  for (const name of ['app_unknown', 'user_id_invalid', 'ticket_not_yet_valid', 'name_taken']) {
    await t.test(name, async inner => {
      const time = VirtualTime.install(inner);
      const server = new FakeServer().on('session.open', () => {
        throw new Refusal(name);
      });
      const refused = assert.rejects(sessionOn(server).open(), { name });
      await time.advance(30_000);
      await refused;
      assert.equal(server.sockets.length, 1);
    });
  }
});

test('a server that is down or overloaded is waited for', async t => {
  const time = VirtualTime.install(t);
  const server = new FakeServer();
  server.down = true;
  const session = sessionOn(server);
  const opened = session.open();
  await time.advance(3000);
  assert.equal(session.state.get().phase, 'connecting');
  assert.ok(session.state.get().retryAt > time.now, 'the page can tell when the next try is');
  server.down = false;
  await time.advance(8000);
  assert.equal((await opened).id, 'bob');
});

test('a connection that is silent is noticed by the heartbeat and replaced', async t => {
  const time = VirtualTime.install(t);
  const server = new FakeServer();
  const session = await openSession(server);
  server.on('clock.read', () => silence);
  await time.advance(12_000);
  assert.equal(server.sockets.length, 1, 'patience first');
  await time.advance(2_000);
  assert.equal(server.sockets.length, 2);
  assert.equal(session.state.get().phase, 'ready');
});

test('D02-W while one sings the clock is asked twice a second, and then no more than usual', async t => {
  const time = VirtualTime.install(t);
  const server = new FakeServer();
  const session = await openSession(server);
  const asked = async ms => {
    const before = server.of('clock.read').length;
    await time.advance(ms);
    return server.of('clock.read').length - before;
  };
  assert.ok((await asked(10_000)) <= 2);
  session.setSinging(true);
  assert.ok((await asked(1_000)) >= 6, 'some at once');
  const often = await asked(10_000);
  assert.ok(often >= 18 && often <= 21, String(often));
  session.setSinging(true);
  session.setSinging(false);
  await time.advance(1_000);
  assert.ok((await asked(10_000)) <= 2);
});

test('V19-W who looks at the page again learns within two seconds that the connection is dead', async t => {
  const time = VirtualTime.install(t);
  const server = new FakeServer();
  const session = await openSession(server);
  server.on('clock.read', () => silence);
  await time.advance(1_000);
  session.retryNow();
  await time.advance(1_900);
  assert.equal(session.state.get().phase, 'ready');
  await time.advance(300);
  assert.notEqual(session.state.get().phase, 'ready');
});

test("the server's clock is read by the reading with the shortest way", async t => {
  const time = VirtualTime.install(t);
  const server = new FakeServer();
  server.on('session.open', ({ user }) => ({
    session: 's',
    user: { id: user, name: user, avatar: '' },
    time: time.now + 60_000,
  }));
  const session = await openSession(server);
  assert.equal(session.serverNow(), time.now + 60_000);
  let delay = 800;
  server.on('clock.read', async () => {
    const asked = time.now;
    await new Promise(resolve => setTimeout(resolve, delay));
    return { time: asked + 60_000 + delay + 300 };
  });
  await time.advance(6_000);
  assert.equal(session.rttMs.get(), 800);
  assert.equal(session.serverNow(), time.now + 60_000, 'the slow reading is worse than the first');
  delay = 0;
  await time.advance(10_000);
  assert.ok(session.rttMs.get() < 800);
});

test('signing out says good-bye and stays out', async t => {
  const time = VirtualTime.install(t);
  const server = new FakeServer();
  const session = await openSession(server);
  const closed = session.close();
  await settle();
  await closed;
  await time.advance(30_000);
  assert.equal(server.of('session.close').length, 1);
  assert.equal(session.state.get().phase, 'closed');
  assert.equal(server.sockets.length, 1);
  await assert.rejects(session.call('room.list'), { name: 'signed_out' });
});

test('A05-W profiles come in the order asked, unknown ids dropped', async t => {
  VirtualTime.install(t);
  const server = new FakeServer();
  server.on('profile.get', ({ users }) => ({
    users: users.filter(id => id !== 'ghost').map(id => ({ id, name: id, avatar: '' })),
  }));
  server.on('profile.set', ({ name }) => ({ user: { id: 'bob', name, avatar: '' } }));
  const session = await openSession(server);
  const asked = session.profiles(['carol', 'ghost', 'alice']);
  await settle();
  assert.deepEqual(
    (await asked).map(user => user.id),
    ['carol', 'alice'],
  );
  const renamed = session.setProfile({ name: '밥' });
  await settle();
  await renamed;
  assert.equal(session.user.get().name, '밥');
});
