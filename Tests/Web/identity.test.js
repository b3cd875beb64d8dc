import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdentityModel } from '../../Web/models/identity.js';
import { FakeStorage } from './support/media.js';
import { FakeServer, Refusal } from './support/server.js';
import { settle, VirtualTime } from './support/time.js';

/** BroadcastChannel among the tabs of one test. */
class Channels {
  #all = new Set();

  open = () => {
    const channel = {
      onmessage: null,
      postMessage: data => {
        for (const other of this.#all) if (other !== channel) setImmediate(() => other.onmessage?.({ data }));
      },
      close: () => this.#all.delete(channel),
    };
    this.#all.add(channel);
    return channel;
  };
}

/** A browser: HTTP answers by path, tabs that share channels and a server. */
function browser(t, { config = { signIn: 'dev' } } = {}) {
  const time = VirtualTime.install(t);
  const server = new FakeServer();
  const channels = new Channels();
  const asked = [];
  const opened = [];
  const routes = {
    '/v1/config': () => [200, { version: '0', ...config }],
    '/v1/tickets': ({ name, user }) =>
      name === 'Taken'
        ? [409, { error: { code: 20409, name: 'name_taken', message: 'taken' } }]
        : [
            200,
            {
              app: 1,
              user: user ?? `demo-${name}`,
              name,
              ticket: `ticket-${asked.length}`,
              expiresInSeconds: 60,
            },
          ],
  };
  const fetch = async (url, { body } = {}) => {
    const { pathname, href } = new URL(url);
    asked.push({ href, body: body && JSON.parse(body) });
    const route = routes[pathname];
    if (!route) throw new TypeError('network');
    const [status, answer] = route(body ? JSON.parse(body) : {});
    return { ok: status < 300, status, json: async () => JSON.parse(JSON.stringify(answer)) };
  };
  const tab = (storage = new FakeStorage()) =>
    new IdentityModel({
      storage,
      fetch,
      base: 'https://live.example/r/5',
      channel: channels.open,
      openTab: url => opened.push(url),
      host: server.host,
    });
  return { time, server, tab, asked, opened, routes };
}

const phase = identity => identity.state.get().phase;
const FakeStorageWith = kept => {
  const storage = new FakeStorage();
  storage.setItem('ovation.identity', JSON.stringify(kept));
  return storage;
};
const kept = { app: 1, user: 'demo-Ann', name: 'Ann', avatar: '', ticket: 'old', secret: 'sesame' };

async function run(time, promise) {
  const outcome = promise.then(
    () => null,
    error => error,
  );
  await time.advance(1500);
  return outcome;
}

test('A04-W a new tab is nobody; a name makes it somebody, kept for a reload', async t => {
  const { time, server, tab } = browser(t);
  const storage = new FakeStorage();
  const identity = tab(storage);
  assert.equal(phase(identity), 'loading');
  await run(time, identity.start());
  assert.deepEqual([phase(identity), identity.state.get().signIn], ['signedOut', 'dev']);
  await run(time, identity.signIn('  Ann '));
  assert.equal(phase(identity), 'signedIn');
  assert.equal(identity.state.get().user.id, 'demo-Ann');
  assert.equal(server.socket.url, 'wss://live.example/v1/connect');
  assert.equal(JSON.parse(storage.getItem('ovation.identity')).secret, 'secret-1');
  globalThis.localStorage = new FakeStorage();
  t.after(() => Reflect.deleteProperty(globalThis, 'localStorage'));
  localStorage.setItem('ovation.removals', '[]');
  await run(time, identity.signOut());
  assert.equal(storage.getItem('ovation.identity'), null, 'signing out forgets');
  assert.equal(localStorage.getItem('ovation.removals'), null, 'and what kept them out');
});

test('A04-W a name in use is refused, and the sheet may try another', async t => {
  const { time, tab } = browser(t);
  const identity = tab();
  await run(time, identity.start());
  const refused = await run(time, identity.signIn('Taken'));
  assert.deepEqual([refused.name, refused.code], ['name_taken', 20409]);
  assert.deepEqual([phase(identity), identity.state.get().error.name], ['signedOut', 'name_taken']);
  assert.equal(await run(time, identity.signIn('Free')), null);
  assert.equal(phase(identity), 'signedIn');
});

test('a reloaded tab takes its session over', async t => {
  const { time, server, tab, asked } = browser(t);
  const identity = tab(FakeStorageWith(kept));
  await run(time, identity.start());
  assert.equal(phase(identity), 'signedIn');
  assert.deepEqual(
    server.of('session.open').map(({ ticket, resume }) => [ticket, resume]),
    [['old', 'sesame']],
  );
  assert.equal(asked.length, 1, 'no ticket was asked for');
});

test('A10-W a kept ticket that ran out is renewed by itself', async t => {
  const { time, server, tab, asked } = browser(t);
  const accept = server.methods['session.open'];
  server.on('session.open', params => {
    if (params.ticket === 'old') throw new Refusal('ticket_expired', -100018);
    return accept(params);
  });
  const identity = tab(FakeStorageWith(kept));
  await run(time, identity.start());
  await time.advance(1000);
  assert.equal(phase(identity), 'signedIn');
  assert.deepEqual(asked[1].body, { user: 'demo-Ann', ticket: 'old' });
});

test('a duplicated tab is nobody while the first one lives', async t => {
  const { time, tab, server } = browser(t);
  const first = tab(FakeStorageWith(kept));
  await run(time, first.start());
  const copy = tab(FakeStorageWith(kept));
  await run(time, copy.start());
  assert.equal(phase(copy), 'signedOut');
  assert.equal(phase(first), 'signedIn');
  assert.equal(server.of('session.open').length, 1);
});

test('"open as another person" opens a tab without this one\'s storage', async t => {
  const { time, tab, opened } = browser(t);
  const identity = tab(FakeStorageWith(kept));
  await run(time, identity.start());
  identity.openAsAnother();
  assert.deepEqual(opened, ['https://live.example/r/5']);
});

test('A04-W signed in elsewhere, this tab says so and can take the session back', async t => {
  const { time, server, tab } = browser(t);
  const identity = tab();
  await run(time, identity.start());
  await run(time, identity.signIn('Ann'));
  server.notify('session.closed', { code: 6208, name: 'session_replaced', message: '' });
  server.drop(4001);
  await settle();
  assert.deepEqual([phase(identity), identity.state.get().error.name], ['ended', 'session_replaced']);
  await run(time, identity.retry());
  assert.equal(phase(identity), 'signedIn');
  assert.equal(
    server.of('session.open').at(-1).resume,
    undefined,
    'a session of its own, which ends the other',
  );
});

test('A04-W a session that cannot be taken back leads to the sign-in sheet, which tells why', async t => {
  const { time, server, tab } = browser(t);
  const identity = tab();
  await run(time, identity.start());
  await run(time, identity.signIn('Ann'));
  server.notify('session.closed', { code: 6208, name: 'session_replaced', message: '' });
  server.drop(4001);
  await settle();
  server.on('session.open', () => {
    throw new Refusal('app_unknown', -3317);
  });
  assert.equal(await run(time, identity.retry()), null);
  assert.deepEqual([phase(identity), identity.state.get().error.name], ['signedOut', 'app_unknown']);
});

test('a server that does not answer is asked again until it does', async t => {
  const { time, tab, routes } = browser(t);
  const config = routes['/v1/config'];
  delete routes['/v1/config'];
  const identity = tab();
  await run(time, identity.start());
  assert.deepEqual([phase(identity), identity.state.get().error.name], ['unreachable', 'server_unreachable']);
  routes['/v1/config'] = config;
  await time.advance(3000);
  assert.equal(phase(identity), 'signedOut');
});

test("A11-W tickets come from the operator's own URL where the server says so", async t => {
  const { time, tab, asked, routes } = browser(t, {
    config: { signIn: 'url', ticketsURL: 'https://shop.example/tickets' },
  });
  routes['/tickets'] = ({ name }) => [200, { app: 7, user: 'u-9', name, ticket: 'theirs' }];
  const identity = tab();
  await run(time, identity.start());
  await run(time, identity.signIn('Ann'));
  assert.equal(asked[1].href, 'https://shop.example/tickets');
  assert.equal(identity.state.get().user.id, 'u-9');
});

test('A11-W a server that gives out no tickets says so instead of failing', async t => {
  const { time, tab } = browser(t, { config: { signIn: 'none' } });
  const identity = tab();
  await run(time, identity.start());
  assert.equal(identity.state.get().signIn, 'none');
  assert.equal((await run(time, identity.signIn('Ann'))).name, 'sign_in_unavailable');
});

test('A11-W too many guests from one address is told as such', async t => {
  const { time, tab, routes } = browser(t, { config: { signIn: 'guests' } });
  routes['/v1/tickets'] = () => [
    429,
    { error: { code: 20451, name: 'guests_limited', message: 'later', retryAfterMs: 5000 } },
  ];
  const identity = tab();
  await run(time, identity.start());
  const refused = await run(time, identity.signIn('Ann'));
  assert.deepEqual([refused.name, refused.retryAfterMs], ['guests_limited', 5000]);
});

test('A04-W a changed name and face stay over a reload', async t => {
  const { time, server, tab } = browser(t);
  server.on('profile.set', ({ name, avatar }) => ({ user: { id: 'demo-Ann', name, avatar } }));
  const storage = FakeStorageWith(kept);
  const identity = tab(storage);
  await run(time, identity.start());
  await run(time, identity.setProfile({ name: '앤', avatar: '/a.png' }));
  assert.equal(identity.state.get().user.name, '앤');
  assert.deepEqual(JSON.parse(storage.getItem('ovation.identity')).avatar, '/a.png');
});

test('A13-W a face that is chosen before signing in comes along; whether a server takes own pictures stands in its configuration', async t => {
  for (const [faces, takes] of [
    [true, true],
    [false, false],
    [undefined, false],
  ]) {
    const { time, server, tab } = browser(t, { config: { signIn: 'dev', faces } });
    const identity = tab();
    await run(time, identity.start());
    assert.equal(identity.takesFaces, takes);
    await run(time, identity.signIn('Ann', '/avatars/2.svg'));
    assert.equal(server.of('session.open')[0].avatar, '/avatars/2.svg');
  }
});
