import assert from 'node:assert/strict';
import { test } from 'node:test';
import './support/engine.js';
import { Store } from '../../Web/lib/store.js';
import {
  cropAt,
  movedCrop,
  nearness,
  pinchedCrop,
  sentMost,
  sentSize,
  shapes,
  widestCrop,
  zoomedCrop,
} from '../../Web/models/crop.js';
import { FaceLibrary, facesMost, wear } from '../../Web/models/face-library.js';
import { sendFile } from '../../Web/models/send-file.js';
import { OvationError } from '../../Web/protocol/errors.js';

const face = (id, kind = 'avatar') => ({
  id: id.repeat(26),
  kind,
  picture: `/faces/1400000001/${id.repeat(26)}/medium.jpg`,
  sizes: {},
});

/** The same numbers on every run (mulberry32). */
function numbers(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let value = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a}, ${b}`);

test('A13-W whatever one drags, pinches and zooms, the frame stays inside the picture, in its proportion and sharp', () => {
  const next = numbers(13);
  const point = () => ({ x: next() * 3 - 1, y: next() * 3 - 1 });
  for (let run = 0; run < 400; run++) {
    const shape = run % 2 ? shapes.avatar : shapes.cover;
    const picture = { width: 1 + Math.floor(next() * 4096), height: 1 + Math.floor(next() * 4096) };
    const most = Math.min(picture.width, picture.height * shape.aspect);
    let crop = widestCrop(picture, shape);
    near(crop.width, most, 1e-9, 'the first crop takes as much as there is');
    for (let step = 0; step < 30; step++) {
      const by = next() * 4;
      if (by < 1) crop = movedCrop(picture, shape, crop, point());
      else if (by < 2) crop = zoomedCrop(picture, shape, crop, Math.exp(next() * 4 - 2), point());
      else if (by < 3) crop = pinchedCrop(picture, shape, crop, [point(), point()], [point(), point()]);
      else crop = cropAt(picture, shape, crop, next() * 2 - 0.5);
      const what = JSON.stringify({ run, step, picture, crop });
      assert.ok(crop.x >= -1e-6 && crop.y >= -1e-6, what);
      assert.ok(crop.x + crop.width <= picture.width + 1e-6, what);
      assert.ok(crop.y + crop.height <= picture.height + 1e-6, what);
      near(crop.width / crop.height, shape.aspect, 1e-9, what);
      assert.ok(crop.width >= Math.min(shape.least, most) - 1e-6, what);
      const size = sentSize(shape, crop);
      assert.ok(Number.isInteger(size.width) && Number.isInteger(size.height), what);
      assert.ok(Math.max(size.width, size.height) <= sentMost && size.width <= Math.max(1, crop.width), what);
      near(size.height, size.width / shape.aspect, 0.5, what);
    }
  }
});

test('A13-W what is under the finger stays there while one zooms and pinches, as long as no edge is reached', () => {
  const next = numbers(7);
  const [picture, shape] = [{ width: 4000, height: 3000 }, shapes.avatar];
  const seen = (crop, at) => [crop.x + crop.width * at.x, crop.y + crop.height * at.y];
  for (let run = 0; run < 300; run++) {
    const crop = { x: 1500 + next() * 200, y: 1100 + next() * 200, width: 700, height: 700 };
    const inside = () => ({ x: 0.2 + next() * 0.6, y: 0.2 + next() * 0.6 });
    const at = inside();
    const zoomed = zoomedCrop(picture, shape, crop, 0.8 + next(), at);
    for (const [i, value] of seen(zoomed, at).entries()) near(value, seen(crop, at)[i], 1e-6, 'zoom');
    // Two fingers, of which the distance changes and which wander together.
    const [middle, half, factor] = [inside(), 0.1, 0.8 + next() * 0.4];
    const moved = { x: middle.x + (next() - 0.5) * 0.2, y: middle.y + (next() - 0.5) * 0.2 };
    const from = [
      { x: middle.x - half, y: middle.y },
      { x: middle.x + half, y: middle.y },
    ];
    const to = [
      { x: moved.x - half * factor, y: moved.y },
      { x: moved.x + half * factor, y: moved.y },
    ];
    const pinched = pinchedCrop(picture, shape, crop, from, to);
    for (const finger of [0, 1])
      for (const [i, value] of seen(pinched, to[finger]).entries())
        near(value, seen(crop, from[finger])[i], 1e-6, 'pinch');
  }
});

test('A13-W the slider says how near the frame is, and goes back to where it was', () => {
  const [picture, shape] = [{ width: 1920, height: 1080 }, shapes.cover];
  let crop = widestCrop(picture, shape);
  assert.equal(nearness(picture, shape, crop), 0);
  for (const wanted of [0.25, 1, 0.5, 0]) {
    crop = cropAt(picture, shape, crop, wanted);
    near(nearness(picture, shape, crop), wanted, 1e-9, 'near');
  }
  assert.deepEqual(crop, widestCrop(picture, shape));
  // A picture that is smaller than the least that is kept is taken as it is.
  const small = { width: 64, height: 64 };
  assert.equal(nearness(small, shapes.avatar, widestCrop(small, shapes.avatar)), 0);
  assert.deepEqual(sentSize(shapes.cover, widestCrop({ width: 3200, height: 3200 }, shapes.cover)), {
    width: 1600,
    height: 900,
  });
});

/** A person, their pictures on a server, and what the page asked of it. */
function person(t, { avatar = '', refuse = null, denies = false } = {}) {
  const asked = [];
  t.mock.method(globalThis, 'fetch', async (path, { method }) => {
    asked.push(`${method} ${path}`);
    return { ok: true, status: 204 };
  });
  const send = async (path, body, { tell }) => {
    asked.push(`POST ${path} ${body}`);
    tell(0.5);
    if (refuse) throw refuse;
    return { face: face('n') };
  };
  const library = new FaceLibrary({ authorization: 'Bearer x' }, send);
  const identity = {
    state: new Store({ user: { id: 'anna', name: 'Anna', avatar } }),
    setProfile: async profile => {
      asked.push(`profile ${profile.avatar}`);
      if (denies) throw new OvationError('offline');
      identity.state.set({ user: { ...identity.state.get().user, ...profile } });
    },
  };
  return { asked, library, identity };
}

test('A13-W an own picture is sent, then worn; the upload that it replaces is removed', async t => {
  const { asked, library, identity } = person(t, { avatar: face('o').picture });
  const shares = [];
  library.state.subscribe(({ sent }) => shares.push(sent));
  await wear(identity, library, new Blob(['x']));
  assert.deepEqual(asked, [
    'POST /v1/faces?kind=avatar [object Blob]',
    `profile ${face('n').picture}`,
    `DELETE /v1/faces/${'o'.repeat(26)}`,
  ]);
  assert.deepEqual(shares.slice(0, 3), [null, 0, 0.5]);
  assert.equal(shares.at(-1), null);
  assert.equal(identity.state.get().user.avatar, face('n').picture);
});

test('A13-W going back to a built-in face removes the upload; changing between built-in ones removes nothing', async t => {
  const { asked, library, identity } = person(t, { avatar: face('o').picture });
  await wear(identity, library, '/avatars/4.svg');
  await wear(identity, library, '/avatars/4.svg');
  await wear(identity, library, '/avatars/5.svg');
  assert.deepEqual(asked, [
    'profile /avatars/4.svg',
    `DELETE /v1/faces/${'o'.repeat(26)}`,
    'profile /avatars/5.svg',
  ]);
});

test('A13-W an upload that the profile did not take is removed again, and the worn one stays', async t => {
  const { asked, library, identity } = person(t, { avatar: face('o').picture, denies: true });
  await assert.rejects(wear(identity, library, new Blob(['x'])), { name: 'offline' });
  assert.equal(asked.at(-1), `DELETE /v1/faces/${'n'.repeat(26)}`);
  assert.ok(!asked.includes(`DELETE /v1/faces/${'o'.repeat(26)}`));
  assert.equal(identity.state.get().user.avatar, face('o').picture);
});

test('A13-W a refused picture changes nothing, and a server without a helper says so about pictures, not songs', async t => {
  const refuse = new OvationError('uploads_unavailable', 'install ffmpeg');
  const { asked, library, identity } = person(t, { avatar: '/avatars/1.svg', refuse });
  await assert.rejects(wear(identity, library, new Blob(['x'])), {
    name: 'faces_unavailable',
    message: 'install ffmpeg',
  });
  assert.deepEqual(asked, ['POST /v1/faces?kind=avatar [object Blob]']);
  assert.equal(library.state.get().sent, null);
});

test('A13-W a full library is told before anything is sent, until one of the pictures is removed', async t => {
  const { asked, library } = person(t);
  const kept = [...'abcdefghijkl'].map(id => face(id, 'cover'));
  library.state.set({ faces: kept, sent: null });
  assert.equal(kept.length, facesMost);
  await assert.rejects(library.upload('avatar', new Blob(['x'])), { name: 'face_library_full' });
  assert.deepEqual(asked, []);
  await library.remove(kept[0].id);
  assert.equal((await library.upload('avatar', new Blob(['x']))).id, 'n'.repeat(26));
});

/** A call over HTTP that the test answers. */
class Call {
  upload = {};
  head = {};
  open(...what) {
    this.opened = what;
  }
  setRequestHeader(name, value) {
    this.head[name] = value;
  }
  send(body) {
    this.body = body;
  }
  abort() {
    this.onabort();
  }
  answer(status, response) {
    Object.assign(this, { status, response }).onload();
  }
}

test('A13-W D05-W what is sent tells its progress, can be given up, and brings the refusal with all that it says', async () => {
  const [shares, giving] = [[], new AbortController()];
  const start = (more = {}) => {
    const call = new Call();
    const tell = share => shares.push(share);
    return { call, done: sendFile('/v1/faces', 'body', { authorization: 'Bearer x', tell, call, ...more }) };
  };
  const taken = start();
  taken.call.upload.onprogress({ loaded: 1, total: 4 });
  taken.call.answer(201, { face: 1 });
  assert.deepEqual(await taken.done, { face: 1 });
  assert.deepEqual([shares, taken.call.opened, taken.call.body], [[0.25], ['POST', '/v1/faces'], 'body']);
  assert.equal(taken.call.head.Authorization, 'Bearer x');
  const refused = start();
  refused.call.answer(429, { error: { name: 'rate_limited', code: 10006, message: 'm', retryAfterMs: 900 } });
  await assert.rejects(refused.done, { name: 'rate_limited', code: 10006, retryAfterMs: 900 });
  const proxy = start();
  proxy.call.answer(502, null);
  await assert.rejects(proxy.done, { name: 'server_unreachable' });
  const lost = start();
  lost.call.onerror();
  await assert.rejects(lost.done, { name: 'server_unreachable' });
  const left = start({ signal: giving.signal });
  giving.abort();
  await assert.rejects(left.done, { name: 'aborted' });
  await assert.rejects(start({ signal: giving.signal }).done, { name: 'aborted' });
});
