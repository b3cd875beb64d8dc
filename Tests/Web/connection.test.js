import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Connection } from '../../Web/protocol/connection.js';
import { OvationError } from '../../Web/protocol/errors.js';
import { FakeServer, Refusal, silence } from './support/server.js';
import { settle, VirtualTime } from './support/time.js';

function connect(
  t,
  { server = new FakeServer(), host = {}, handshake = async () => {}, recover = async () => true } = {},
) {
  const time = VirtualTime.install(t);
  const heard = [];
  const connection = new Connection({
    url: 'ws://localhost/v1/connect',
    handshake,
    recover,
    notify: (method, params) => heard.push({ method, params }),
    host: { ...server.host, ...host },
  });
  return { time, server, connection, heard };
}

test('it asks for the sub-protocol, shakes hands, then sends what waited, in order', async t => {
  const order = [];
  const { server, connection } = connect(t, {
    handshake: async call => void order.push((await call('session.open', { user: 'x' })).session),
  });
  server.on('a', () => ({ n: 1 })).on('b', () => ({ n: 2 }));
  connection.open();
  const calls = [connection.call('a'), connection.call('b')];
  await settle();
  assert.equal(server.socket.protocol, 'ovation.v1');
  assert.deepEqual(
    server.calls.map(call => call.method),
    ['session.open', 'a', 'b'],
  );
  assert.deepEqual(await Promise.all(calls), [{ n: 1 }, { n: 2 }]);
  assert.deepEqual(order, ['secret-1']);
  assert.equal(connection.state.get().phase, 'ready');
});

test('waits double from 0.5 s to 10 s, thirty per cent either way', async t => {
  for (const [random, factor] of [
    [0, 0.7],
    [0.5, 1],
    [0.999999, 1.3],
  ]) {
    await t.test(`with chance at ${random}`, async inner => {
      const { time, server, connection } = connect(inner, { host: { random: () => random } });
      server.down = true;
      connection.open();
      await settle();
      const waits = [];
      for (let turn = 0; turn < 7; turn++) {
        const { phase, retryAt } = connection.state.get();
        assert.equal(phase, 'waiting');
        waits.push(Math.round((retryAt - time.now) / factor));
        await time.advance(retryAt - time.now);
      }
      assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 10000, 10000]);
      assert.equal(server.sockets.length, 8);
    });
  }
});

test('a connection that held starts the waits anew, one that broke at once does not', async t => {
  const { time, server, connection } = connect(t);
  connection.open();
  await settle();
  const waitAfter = async held => {
    await time.advance(held);
    server.drop();
    await settle();
    const wait = connection.state.get().retryAt - time.now;
    await time.advance(wait);
    assert.equal(connection.state.get().phase, 'ready');
    return wait;
  };
  assert.equal(await waitAfter(100), 500);
  assert.equal(await waitAfter(100), 1000);
  assert.equal(await waitAfter(6000), 500);
});

test('a call with an idempotency key outlives a lost connection and is answered once', async t => {
  const { time, server, connection } = connect(t);
  let asked = 0;
  server.on('seat.take', () => (++asked === 1 ? silence : { taken: true }));
  connection.open();
  await settle();
  const call = connection.call('seat.take', { room: 1, seat: 0, key: 'k1' });
  await settle();
  server.drop();
  await time.advance(500);
  assert.deepEqual(await call, { taken: true });
  assert.deepEqual(
    server.of('seat.take').map(params => params.key),
    ['k1', 'k1'],
  );
});

test('a call without a key is refused when the connection breaks, a repeatable one is asked again', async t => {
  const { time, server, connection } = connect(t);
  let asked = 0;
  server.on('like.send', () => silence).on('room.list', () => (++asked === 1 ? silence : { rooms: [] }));
  connection.open();
  await settle();
  const like = connection.call('like.send', { count: 1 });
  const list = connection.call('room.list', {}, { repeat: true });
  like.catch(() => {});
  await settle();
  server.drop();
  await time.advance(500);
  await assert.rejects(like, { name: 'connection_lost' });
  assert.deepEqual(await list, { rooms: [] });
  assert.equal(server.of('like.send').length, 1);
});

test('no answer in time is "timeout", no connection in time "offline"', async t => {
  const { time, server, connection } = connect(t);
  server.on('slow', () => silence);
  connection.open();
  await settle();
  const slow = assert.rejects(connection.call('slow'), { name: 'timeout' });
  await time.advance(10_000);
  await slow;
  server.down = true;
  server.drop();
  await settle();
  const offline = assert.rejects(connection.call('slow', {}, { timeoutMs: 3000 }), { name: 'offline' });
  await time.advance(3000);
  await offline;
});

test('an abort ends a call at once and a late answer hurts nobody', async t => {
  const { server, connection } = connect(t);
  let answer = () => {};
  const slow = new Promise(resolve => {
    answer = resolve;
  });
  server.on('slow', () => slow);
  connection.open();
  await settle();
  const controller = new AbortController();
  const call = connection.call('slow', {}, { signal: controller.signal });
  await settle();
  controller.abort();
  await assert.rejects(call, { name: 'aborted' });
  answer({});
  await settle();
  await assert.rejects(connection.call('slow', {}, { signal: controller.signal }), { name: 'aborted' });
  assert.equal(server.of('slow').length, 1, 'an aborted call is not sent');
});

test("G06-K after 1000, 4001, 4006 and 4007 it stays closed, with the server's own word if it gave one", async t => {
  for (const [code, name] of [
    [1000, 'signed_out'],
    [4001, 'session_replaced'],
    [4006, 'signed_out'],
    [4007, 'banned_here_for_good'],
  ]) {
    await t.test(`close code ${code}`, async inner => {
      const { time, server, connection } = connect(inner);
      connection.open();
      await settle();
      if (code === 4001)
        server.notify('session.closed', { code: 6208, name: 'session_replaced', message: 'elsewhere' });
      server.drop(code);
      await time.advance(60_000);
      const { phase, error } = connection.state.get();
      assert.deepEqual([phase, error.name, server.sockets.length], ['closed', name, 1]);
      if (code === 4001) assert.equal(error.message, 'elsewhere');
      await assert.rejects(connection.call('a'), { name });
    });
  }
});

test('after 4002 and 4004, 4005, 1001, 1006 it comes back', async t => {
  for (const code of [1001, 1006, 1011, 4002, 4003, 4004, 4005]) {
    await t.test(`close code ${code}`, async inner => {
      const { time, server, connection } = connect(inner);
      connection.open();
      await settle();
      server.drop(code);
      await time.advance(1000);
      assert.equal(connection.state.get().phase, 'ready');
      assert.equal(server.sockets.length, 2);
    });
  }
});

test('a handshake that is refused is tried again only if there is hope', async t => {
  const refused = [];
  const { time, server, connection } = connect(t, {
    handshake: async call => void (await call('session.open', {})),
    recover: async error => {
      refused.push(error.name);
      return error.name === 'unavailable';
    },
  });
  const answers = [
    new Refusal('unavailable', 20503, { retryAfterMs: 2500 }),
    new Refusal('app_unknown', -3317),
  ];
  server.on('session.open', () => {
    throw answers.shift();
  });
  connection.open();
  await settle();
  assert.equal(connection.state.get().retryAt - time.now, 2500, 'the server said when');
  await time.advance(2500);
  assert.deepEqual(refused, ['unavailable', 'app_unknown']);
  assert.equal(connection.state.get().phase, 'closed');
  assert.equal(connection.state.get().error.name, 'app_unknown');
});

test('retryNow does not wait, and abandon gives a socket up that says nothing', async t => {
  const { time, server, connection } = connect(t);
  connection.open();
  await settle();
  connection.abandon();
  assert.equal(connection.state.get().phase, 'waiting');
  assert.equal(server.sockets[0].closedWith, 1000);
  connection.retryNow();
  await settle();
  assert.equal(connection.state.get().phase, 'ready');
  assert.equal(time.now, 1_795_267_200_000, 'no time has passed');
});

test('a socket that never opens is given up', async t => {
  const { time, server, connection } = connect(t, {
    host: { openSocket: () => ({ send() {}, close() {}, onopen: null, onmessage: null, onclose: null }) },
  });
  void server;
  connection.open();
  await time.advance(10_000);
  assert.equal(connection.state.get().phase, 'waiting');
});

test('close refuses what waits with its reason', async t => {
  const { server, connection } = connect(t);
  server.down = true;
  connection.open();
  const call = assert.rejects(connection.call('a'), { name: 'signed_out' });
  connection.close(new OvationError('signed_out'));
  await call;
});

test('frames that are no JSON-RPC are passed over, news is heard', async t => {
  const { server, connection, heard } = connect(t);
  connection.open();
  await settle();
  for (const text of ['', '{', '[]', 'null', '5', '{"id":99,"result":{}}', '{"id":"x"}'])
    server.deliver(text);
  server.notify('room.events', { room: 1 });
  await settle();
  assert.deepEqual(heard, [{ method: 'room.events', params: { room: 1 } }]);
  assert.equal(connection.state.get().phase, 'ready');
});

test('calls go at the pace that the server stated, in order, and none of them is too fast', async t => {
  const { time, server, connection } = connect(t, {
    handshake: async call => {
      await call('session.open');
      connection.setPace({ callsAtOnce: 50, callsPerSecond: 10 });
    },
  });
  const asked = [];
  server.on('ask', ({ n }) => void asked.push(n) ?? {});
  connection.open();
  await settle();
  const calls = Array.from({ length: 100 }, (_, n) => connection.call('ask', { n }, { timeoutMs: 60_000 }));
  for (let turn = 0; turn < 10; turn++) await settle();
  const atOnce = asked.length;
  assert.ok(atOnce >= 36 && atOnce <= 40, `${atOnce} of 50`);
  // A call that must not wait goes past them.
  const urgent = connection.call('ask', { n: 'now' }, { urgent: true });
  await settle();
  assert.equal(asked.at(-1), 'now');
  await urgent;
  await time.advance(1_000);
  assert.ok(asked.length - atOnce <= 9, `${asked.length - atOnce} in a second`);
  await time.advance(10_000);
  await Promise.all(calls);
  assert.deepEqual(
    asked.filter(n => n !== 'now'),
    Array.from({ length: 100 }, (_, n) => n),
  );
});

test('who asks faster than any pace is told so: the queue has an end', async t => {
  const { server, connection } = connect(t);
  server.on('ask', () => silence);
  connection.open();
  await settle();
  const ends = Array.from({ length: 300 }, () => connection.call('ask').catch(error => error.name));
  assert.equal(await ends.at(-1), 'too_many_calls');
  connection.close();
  const names = await Promise.all(ends);
  assert.equal(names.filter(name => name === 'too_many_calls').length, 44);
});
