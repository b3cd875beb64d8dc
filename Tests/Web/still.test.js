import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PictureQueue } from '../../Web/lib/picture-queue.js';
import { PreferencesModel } from '../../Web/models/preferences.js';
import { StillSender } from '../../Web/models/still.js';
import { OvationError } from '../../Web/protocol/errors.js';
import { stillPath } from '../../Web/protocol/ids.js';
import { takeStill } from '../../Web/video/still.js';
import { FakeStorage } from './support/media.js';
import { settle, VirtualTime } from './support/time.js';

/** Alice's live room, as far as stills ask for it: what is sent, and what the host's page is told. */
function hosting(t, { role = 'owner', camera = 'on', answer = async () => 7 } = {}) {
  const time = VirtualTime.install(t);
  const sent = [];
  const preferences = new PreferencesModel(new FakeStorage(), null);
  const state = { me: { role, seat: 0 }, seats: [{ camera }] };
  const room = {
    state: { get: () => state },
    setStill: picture => {
      sent.push(picture === null ? null : picture[0]);
      return answer(picture);
    },
  };
  let track = { id: 'camera' };
  let taken = 0;
  const life = new AbortController();
  t.after(() => life.abort());
  const still = new StillSender(
    { room, preferences },
    () => track,
    life.signal,
    async () => new Uint8Array([++taken]),
  );
  const pass = async ms => {
    await time.advance(ms);
    await settle();
  };
  return {
    still,
    sent,
    preferences,
    life,
    state,
    pass,
    cover: () => {
      track = null;
    },
    taken: () => taken,
  };
}

test('L01-W a host who is seen sends a still soon, then every 20 seconds', async t => {
  const host = hosting(t);
  host.still.settle();
  await host.pass(1_400);
  assert.deepEqual(host.sent, []);
  await host.pass(200);
  assert.deepEqual(host.sent, [1]);
  host.still.settle();
  await host.pass(19_000);
  assert.deepEqual(host.sent, [1], 'what else changes in the room brings none');
  await host.pass(1_500);
  assert.deepEqual(host.sent, [1, 2]);
  host.life.abort();
  await host.pass(60_000);
  assert.deepEqual(host.sent, [1, 2]);
});

for (const [who, options] of /** @type {const} */ ([
  ['another person on stage', { role: 'admin' }],
  ['a host whose camera is off', { camera: 'off' }],
  ['a host whose camera has been blocked', { camera: 'blocked' }],
]))
  test(`L01-W ${who} sends no still`, async t => {
    const host = hosting(t, options);
    host.still.settle();
    await host.pass(60_000);
    assert.deepEqual([host.sent, host.taken()], [[], 0]);
  });

test('L01-W whoever does not want to be in the list takes the still back at once', async t => {
  const host = hosting(t);
  host.still.settle();
  await host.pass(2_000);
  host.preferences.change({ lobbyStill: false });
  host.still.settle();
  host.still.settle();
  await host.pass(60_000);
  assert.deepEqual(host.sent, [1, null]);
  host.preferences.change({ lobbyStill: true });
  host.still.settle();
  await host.pass(2_000);
  assert.deepEqual(host.sent, [1, null, 2]);
});

test('L01-W a camera that is switched off takes no more stills; the server has dropped the last one', async t => {
  const host = hosting(t);
  host.still.settle();
  await host.pass(2_000);
  host.state.seats[0].camera = 'off';
  host.cover();
  host.still.settle();
  await host.pass(60_000);
  assert.deepEqual(host.sent, [1]);
});

test('L01-W a still that the server takes later is sent then, and one that fails after ten seconds', async t => {
  const answers = [
    new OvationError('rate_limited', undefined, { data: { retryAfterMs: 4_000 } }),
    new OvationError('timeout'),
    null,
  ];
  const host = hosting(t, {
    answer: async () => {
      const error = answers.shift();
      if (error) throw error;
      return 7;
    },
  });
  host.still.settle();
  await host.pass(1_600);
  await host.pass(4_000);
  assert.deepEqual(host.sent, [1, 2]);
  await host.pass(9_000);
  assert.deepEqual(host.sent, [1, 2]);
  await host.pass(1_100);
  assert.deepEqual(host.sent, [1, 2, 3]);
});

test('L01-W a server that reads no pictures is asked no more while the camera stays on', async t => {
  const host = hosting(t, {
    answer: async () => {
      throw new OvationError('uploads_unavailable');
    },
  });
  host.still.settle();
  await host.pass(120_000);
  assert.deepEqual(host.sent, [1]);
});

test('L03-W a request goes without its picture where the server reads none, and with it elsewhere', async () => {
  const { RequestActions } = await import('../../Web/models/salon-requests.js');
  for (const refusal of ['uploads_unavailable', 'invalid_params', null]) {
    const sent = [];
    const room = {
      now: { info: { owner: { id: 'host' } } },
      invite: async invitation => {
        sent.push(invitation.still ? 'with' : 'without');
        if (refusal && invitation.still) throw new OvationError(refusal);
        return { id: 'r' };
      },
    };
    const requests = new RequestActions({ room, run: (_name, work) => work(), needMedia() {} });
    const asked = requests.ask(null, { still: async () => new Uint8Array(1) });
    if (refusal === 'invalid_params') await assert.rejects(asked, { name: refusal });
    else await asked;
    assert.deepEqual(sent, refusal === 'uploads_unavailable' ? ['with', 'without'] : ['with']);
  }
});

test('L03-W a still has ended after five seconds, also in a browser that finds no time to encode it', async t => {
  const time = VirtualTime.install(t);
  let encodings = 0;
  const video = {
    videoWidth: 640,
    videoHeight: 360,
    play: async () => {},
    addEventListener: (_, seen) => seen(),
  };
  let encoded = null;
  const canvas = {
    getContext: () => null,
    toBlob: tell => {
      encodings++;
      encoded = tell;
    },
  };
  const { document, MediaStream } = globalThis;
  globalThis.document = { createElement: tag => (tag === 'video' ? video : canvas) };
  globalThis.MediaStream = class {};
  t.after(() => Object.assign(globalThis, { document, MediaStream }));
  let outcome = 'none';
  takeStill({}).then(
    () => {
      outcome = 'taken';
    },
    () => {
      outcome = 'refused';
    },
  );
  await settle();
  assert.deepEqual([encodings, outcome], [1, 'none']);
  await time.advance(5_000);
  await settle();
  assert.equal(outcome, 'refused');
  // A picture that is too large would be made smaller, if somebody waited for it.
  encoded({ size: 1 << 20 });
  await settle();
  assert.equal(encodings, 1);
});

test('L01-W a still has the address of its room and number', () => {
  assert.equal(stillPath({ room: 7, still: 9007199254740991 }), '/v1/rooms/7/still/9007199254740991.jpg');
  assert.equal(stillPath({ room: '7', still: 5 }), '/v1/rooms/~7/still/5.jpg');
  assert.equal(stillPath({ room: 7 }), '');
});

/** A queue whose pictures come when the test says so. */
function queue({ savesData = false } = {}) {
  const page = Object.assign(new EventTarget(), { hidden: false });
  /** @type {Map<string, (image: unknown) => void>} */ const asked = new Map();
  const pictures = new PictureQueue(
    page,
    () => savesData,
    url => new Promise(resolve => asked.set(url, resolve)),
  );
  return { page, pictures, asked, never: new AbortController().signal };
}

test('L01-W stills are fetched four at a time, in order, without those that have scrolled by', async () => {
  const { pictures, asked, never } = queue();
  const scrolled = new AbortController();
  const loads = ['a', 'b', 'c', 'd', 'e', 'f'].map(url =>
    pictures.load(url, url === 'e' ? scrolled.signal : never).catch(() => 'none'),
  );
  assert.deepEqual([...asked.keys()], ['a', 'b', 'c', 'd']);
  scrolled.abort();
  asked.get('b')?.('picture of b');
  await settle();
  assert.deepEqual([...asked.keys()], ['a', 'b', 'c', 'd', 'f']);
  assert.deepEqual([await loads[1], await loads[4]], ['picture of b', 'none']);
});

test('L01-W no still is fetched in a hidden tab, nor where data is saved', async () => {
  const { page, pictures, asked, never } = queue();
  page.hidden = true;
  const load = pictures.load('a', never);
  assert.equal(asked.size, 0);
  page.hidden = false;
  page.dispatchEvent(new Event('visibilitychange'));
  asked.get('a')?.('picture');
  assert.equal(await load, 'picture');
  const saving = queue({ savesData: true });
  await assert.rejects(saving.pictures.load('a', saving.never));
  assert.equal(saving.asked.size, 0);
});
