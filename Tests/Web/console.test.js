import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OperatorApi } from '../../Web/console/api.js';
import { summaryOf } from '../../Web/console/audit-facts.js';
import { csv } from '../../Web/console/export.js';
import { giftBody, nameLanguages } from '../../Web/console/gift-fields.js';
import { ListModel, mostChosen } from '../../Web/console/list.js';
import { signIn, takeKey } from '../../Web/console/sign-in.js';
import { addTexts, t, useLanguage } from '../../Web/lib/i18n.js';
import { OvationError } from '../../Web/protocol/errors.js';
import { roomSlug } from '../../Web/protocol/ids.js';
import { strings as en } from '../../Web/strings/en.js';
import { strings as ko } from '../../Web/strings/ko.js';

addTexts({
  en: () => import('../../Web/strings/console/en.js'),
  ko: () => import('../../Web/strings/console/ko.js'),
  'zh-Hans': () => import('../../Web/strings/console/zh-Hans.js'),
});
await useLanguage('en');
// Times are shown as where the reader is.
process.env.TZ = 'Asia/Seoul';

test('R04-W a room stands in a path as its link has it', () => {
  assert.equal(roomSlug(123), '123');
  assert.equal(roomSlug('123'), '~123');
  assert.equal(roomSlug('~x'), '~~x');
  assert.equal(roomSlug('@TGS#1 a'), '%40TGS%231%20a');
});

test('R04-W a call has key, application and number; its command has no key, and quotes what people write', async () => {
  const asked = [];
  globalThis.location = { origin: 'https://salon.example' };
  const api = new OperatorApi('ovk_secret', {
    app: 5,
    fetch: async (url, options) => {
      asked.push({ url, ...options });
      return new Response('{}');
    },
  });
  await api.get('rooms', { query: 'a&b', kind: '', limit: 5 });
  await api.send('POST', 'users/mina/top-ups', { coins: 5 }, 'once-1');
  await api.send('DELETE', 'rooms/1');
  assert.deepEqual(
    asked.map(({ method, url, body }) => [method, url, body]),
    [
      ['GET', '/v1/rooms?query=a%26b&limit=5&app=5', undefined],
      ['POST', '/v1/users/mina/top-ups?app=5', '{"coins":5}'],
      ['DELETE', '/v1/rooms/1?app=5', undefined],
    ],
  );
  assert.equal(asked[0].headers.Authorization, 'Bearer ovk_secret');
  assert.equal(asked[1].headers['Idempotency-Key'], 'once-1');
  const command = api.command('POST', 'rooms/1/messages', { text: "it's; rm -rf" });
  assert.ok(!command.includes('ovk_secret'));
  assert.ok(command.endsWith(`-d '{"text":"it'\\''s; rm -rf"}'`), command);
  delete globalThis.location;
});

test('R04-W of two searches the newer one is shown, whichever is answered first; a page that fails keeps what is there', async () => {
  const answers = [];
  const list = new ListModel(
    cursor => new Promise((resolve, reject) => answers.push({ cursor, resolve, reject })),
  );
  const first = list.refresh();
  const second = list.refresh();
  answers[1].resolve({ rows: ['new'], cursor: 7 });
  answers[0].resolve({ rows: ['old'] });
  await Promise.all([first, second]);
  const { sort: _, ...now } = list.state.get();
  assert.deepEqual(now, { rows: ['new'], cursor: 7, state: 'ready', chosen: new Set() });
  const more = list.more();
  assert.equal(answers[2].cursor, 7);
  answers[2].reject(new Error('gone'));
  await more;
  assert.deepEqual(list.state.get().rows, ['new']);
  assert.equal(list.state.get().state, 'failed');
  const again = list.more();
  answers[3].resolve({ rows: ['next'] });
  await again;
  assert.deepEqual(list.state.get().rows, ['new', 'next']);
  assert.equal(list.state.get().state, 'ready');
  assert.equal(list.state.get().cursor, undefined);
  await list.more();
  assert.equal(answers.length, 4, 'there is no further page');
});

test('R04-W a list is sorted one way, the other way and not at all; what is chosen stays until the list is read anew', async () => {
  const list = new ListModel(async () => ({ rows: ['a', 'b'] }));
  await list.refresh();
  const sorts = [0, 0, 0, 1, 0].map(by => {
    list.sort(by);
    return list.state.get().sort;
  });
  const [up, down] = [
    { by: 0, down: false },
    { by: 0, down: true },
  ];
  assert.deepEqual(sorts, [up, down, undefined, { by: 1, down: false }, up]);
  list.choose(['a', 'b'], true);
  list.choose(['a'], false);
  assert.deepEqual([...list.state.get().chosen], ['b']);
  const many = Array.from({ length: mostChosen }, (_, index) => index);
  list.choose(many, true);
  assert.equal(list.state.get().chosen.size, mostChosen);
  assert.equal(
    list.state.get().chosen.has(mostChosen - 1),
    false,
    'one action takes a hundred, and b is one of them',
  );
  list.choose(many, false);
  await list.more();
  assert.equal(list.state.get().chosen.size, 1);
  await list.refresh();
  assert.equal(list.state.get().chosen.size, 0);
  assert.deepEqual(list.state.get().sort, up);
});

test('R04-W a file has all pages, but no more than 10,000 rows, and leaves what is shown alone', async () => {
  const pages =
    (/** @type {number} */ last) =>
    async (cursor = 0) => ({
      rows: Array.from({ length: 1000 }, (_, index) => cursor * 1000 + index),
      cursor: cursor < last ? cursor + 1 : undefined,
    });
  for (const [last, count, isWhole] of /** @type {[number, number, boolean][]} */ ([
    [2, 3000, true],
    [9, 10_000, true],
    [20, 10_000, false],
  ])) {
    const list = new ListModel(pages(last));
    await list.refresh();
    const all = await list.all();
    assert.deepEqual([all.rows.length, all.isWhole, all.rows.at(-1)], [count, isWhole, count - 1]);
    assert.equal(list.state.get().rows.length, 1000);
  }
});

test('R04-W a file quotes what would be more than one cell, and no name is a formula', () => {
  assert.equal(
    csv([
      ['Name', 'People'],
      ['a "b", c', 5],
      ['=1+1', -3],
      ['@x', '-'],
      ['two\nlines', ''],
    ]),
    'Name,People\r\n"a ""b"", c",5\r\n\'=1+1,-3\r\n\'@x,\'-\r\n"two\nlines",\r\n',
  );
});

test('R14-W a key in the address is taken out of it at once, the rest of the address stays, and what is no key signs nobody in', () => {
  const page = (hash, search = '') => {
    const replaced = [];
    const taken = takeKey({
      location: { hash, pathname: '/console/', search },
      history: { replaceState: (_state, _title, url) => replaced.push(url) },
    });
    return { taken, replaced };
  };
  const key = `ovk_0123456789ab_${'0f'.repeat(32)}`;
  assert.deepEqual(page(`#key=${key}`, '?page=rooms'), { taken: key, replaced: ['/console/?page=rooms'] });
  assert.deepEqual(page('#key=ovk_short'), { taken: '', replaced: ['/console/'] });
  assert.deepEqual(page('#part'), { taken: '', replaced: [] });
  assert.deepEqual(page(''), { taken: '', replaced: [] });
});

/** A server with these applications, which knows one key with these scopes. */
function operatorServer(applications, scopes, own) {
  return async url => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const app = Number(searchParams.get('app') ?? own ?? 0);
    if (pathname === '/v1/key')
      return Response.json({ id: 'k', name: 'k', scopes, ...(own && { app: own }) });
    if (pathname === '/v1/applications')
      return Response.json({ applications: applications.map(app => ({ app, name: `App ${app}` })) });
    if (!applications.includes(app))
      return Response.json(
        { error: { code: 20404, name: 'app_unknown', message: 'unknown' } },
        { status: 404 },
      );
    return Response.json({ gifts: [] });
  };
}

test('R14-W the only application is shown at once, several are offered, and one that the server does not have is refused', async () => {
  const scopes = ['applications', 'rooms:read'];
  const only = await signIn('ovk', undefined, operatorServer([7], scopes));
  assert.equal(only.api.app, 7);
  const several = await signIn('ovk', undefined, operatorServer([7, 8], scopes));
  assert.equal(several.api.app, undefined);
  assert.deepEqual(
    several.applications.map(({ app, name }) => [app, name]),
    [
      [7, 'App 7'],
      [8, 'App 8'],
    ],
  );
  assert.equal((await signIn('ovk', 8, operatorServer([7, 8], scopes))).api.app, 8);
  await assert.rejects(signIn('ovk', 9, operatorServer([7, 8], scopes)), { name: 'app_unknown' });
  // A key that may not read which there are.
  const lesser = await signIn('ovk', undefined, operatorServer([7], ['rooms:read']));
  assert.deepEqual([lesser.api.app, lesser.applications], [undefined, null]);
  await assert.rejects(signIn('ovk', 9, operatorServer([7], ['rooms:read'])), { name: 'app_unknown' });
  assert.equal((await signIn('ovk', 7, operatorServer([7], ['rooms:read']))).api.app, 7);
  // A key of one application has nothing to choose.
  const own = await signIn('ovk', undefined, operatorServer([7, 8], scopes, 7));
  assert.deepEqual([own.api.app, own.applications], [undefined, null]);
});

test('R04-W G02-W a gift is named in the languages of the app and in those that it has, and in one more', () => {
  assert.deepEqual(nameLanguages(null), ['ko', 'zh']);
  assert.deepEqual(
    nameLanguages({ id: 'rose', name: 'Rose', price: 1, names: { 'zh-Hant': '玫瑰', ja: 'バラ' } }),
    ['ja', 'ko', 'zh-Hant'],
  );
  assert.deepEqual(
    giftBody({
      name: ' Rose ',
      'name-ko': '장미',
      'name-zh': ' ',
      language: 'ja',
      other: 'バラ',
      price: '10',
      picture: ' gifts/rose.svg',
      large: '1',
    }),
    { name: 'Rose', names: { ko: '장미', ja: 'バラ' }, price: 10, picture: 'gifts/rose.svg', large: true },
  );
  const bare = giftBody({ name: 'Tea', language: 'ja', other: ' ', price: '5', picture: '', large: '' });
  assert.deepEqual(bare, { name: 'Tea', names: {}, price: 5, picture: '', large: false });
});

test('R04-W a line of the audit trail is told in words', () => {
  const line = { reason: 'spam', detail: { everywhere: true, kind: 'ban', seat: 2, hostsOnly: false } };
  assert.equal(
    summaryOf(line),
    '“spam” · In all rooms of the host: yes · Kind: Banned · Seat: 3 · Only hosts write: no',
  );
});

test('R04-W a restriction of the application says so in the audit trail, and until when, though the server notes both as text', () => {
  // As OperatorRestrictions.swift notes it.
  const detail = { kind: 'ban', everywhere: 'true', until: '1796053189000' };
  // The space before PM is another one in some versions of Unicode's data.
  assert.equal(
    summaryOf({ action: 'setRestriction', detail }).replaceAll('\u202f', ' '),
    'Kind: Banned · In the whole application: yes · Until: Dec 1, 2026, 12:39 AM',
  );
});

test('R04-W the audit trail tells a ban from a room by another word than one from the application, in Korean', async t => {
  t.after(() => useLanguage('en'));
  await useLanguage('ko');
  const kind = detail =>
    summaryOf({ action: 'setRestriction', detail: { kind: 'ban', ...detail } }).split(' · ')[0];
  assert.equal(kind({ everywhere: true }), '종류: 차단됨');
  assert.equal(kind({ everywhere: 'true' }), '종류: 이용 제한됨');
});

test('R04-W the key of a credit has another name in the audit trail than a secret key, the one it has in the wallet', () => {
  const label = (action, detail) => summaryOf({ action, detail }).split(': ')[0];
  assert.equal(label('topUp', { key: 'console-1' }), t('console.wallets.key'));
  assert.equal(label('refund', { key: 'console-1' }), t('console.wallets.key'));
  assert.equal(label('createKey', { key: 'ovk_1' }), t('console.keys.key'));
  assert.notEqual(t('console.wallets.key'), t('console.keys.key'));
});

test('R04-W the audit trail calls settings of an application as their fields do', () => {
  // As AuditedDetails.swift notes it.
  const detail = {
    keys: '2',
    consent: 'enforced',
    secondSession: 'allowed',
    roomKeys: 'unused',
    admins: 'a b',
  };
  const labels = Object.keys(detail).map(name => t(`console.applications.${name}`));
  const values = [
    '2',
    ...['consent.enforced', 'secondSession.allowed', 'roomKeys.unused'].map(key => t(`console.${key}`)),
    'a b',
  ];
  assert.equal(
    summaryOf({ action: 'configureApplication', detail }),
    labels.map((label, at) => `${label}: ${values[at]}`).join(' · '),
  );
});

test("R04-W a refusal in the console's overview is told in the language that is chosen afterwards", async t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  globalThis.matchMedia = () => ({ matches: true });
  globalThis.HTMLElement ??= class {};
  t.after(() => Reflect.deleteProperty(globalThis, 'matchMedia'));
  const { overviewPage } = await import('../../Web/console/pages/overview.js');
  const api = { get: () => Promise.reject(new OvationError('server_unreachable')) };
  const page = overviewPage({ api, may: () => true, signal: AbortSignal.abort() });
  await new Promise(resolve => setImmediate(resolve));
  const told = async language => {
    await useLanguage(language);
    return page.draw().values[0];
  };
  const texts = [await told('ko'), await told('en')];
  assert.deepEqual(texts, [ko['error.server_unreachable'], en['error.server_unreachable']]);
});
