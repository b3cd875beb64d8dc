import assert from 'node:assert/strict';
import { test } from 'node:test';
import './support/engine.js';
import {
  freshKey,
  isRoomID,
  isUserID,
  largestRoomNumber,
  roomFromSlug,
  roomFromText,
  roomSlug,
} from '../../Web/protocol/ids.js';

test('A07-W the number 123 and the string "123" have different links that lead back to each', () => {
  assert.equal(roomSlug(123), '123');
  assert.equal(roomSlug('123'), '~123');
  assert.equal(roomFromSlug('123'), 123);
  assert.equal(roomFromSlug('~123'), '123');
  assert.notStrictEqual(roomFromSlug('123'), roomFromSlug('~123'));
});

test('A07-W every room id survives its link', () => {
  const texts = [
    'a',
    '1',
    '0',
    '~',
    '~1',
    '~~x',
    'a b',
    '50%'.replace('%', '+'),
    '#&(+-:;<=.>?@[]^_{},|',
    'x'.repeat(64),
    '$100!',
  ];
  for (const id of [1, 7, 48213, largestRoomNumber, ...texts]) {
    assert.ok(isRoomID(id), `${id} is an id`);
    assert.strictEqual(roomFromSlug(roomSlug(id)), id, `${typeof id} ${id} by ${roomSlug(id)}`);
  }
});

test('A07-W every room id there can be survives its link, and no browser changes the link on the way', () => {
  const allowed = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter(one =>
    isRoomID(`${one}x`),
  );
  assert.equal(allowed.length, 89);
  const special = ['.', '..', '~', '%2e', '%', '?', '#', ' ', '0', '9', '+', ':', ';', '@', '[', ']'];
  // The same on every run (Numerical Recipes).
  let state = 48213;
  const random = (/** @type {number} */ most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  for (let run = 0; run < 2_000; run++) {
    const parts = Array.from({ length: 1 + random(6) }, () => {
      const from = random(2) ? allowed : special;
      return from[random(from.length)];
    });
    const id = parts.join('');
    if (!isRoomID(id)) {
      assert.match(id, /^\.{1,2}$/, 'only dots are no id');
      continue;
    }
    const slug = roomSlug(id);
    assert.strictEqual(roomFromSlug(slug), id, `${id} by ${slug}`);
    const link = new URL(`/v1/rooms/${slug}/members`, 'https://a.example/');
    assert.equal(link.href, `https://a.example/v1/rooms/${slug}/members`, id);
  }
});

test('R04-W every id of a person, a gift or a key stands in an address as it is, and no browser changes it on the way', () => {
  const allowed = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter(isUserID);
  assert.equal(allowed.length, 64);
  for (const one of allowed) {
    for (const id of [one, one.repeat(2), one.repeat(32), `a${one}`, `${one}0`]) {
      assert.equal(encodeURIComponent(id), id);
      const link = new URL(`/v1/gifts/${id}`, 'https://a.example/');
      assert.equal(link.href, `https://a.example/v1/gifts/${id}`);
    }
  }
});

test('what is no room id is refused', () => {
  for (const id of [
    0,
    -1,
    1.5,
    largestRoomNumber + 1,
    Number.NaN,
    '',
    'x'.repeat(65),
    'ü',
    'a/b',
    'a"b',
    '.',
    '..',
    null,
    undefined,
    {},
  ]) {
    assert.equal(isRoomID(id), false, String(id));
  }
  for (const slug of ['0', '4294967295', '%E0%A4%A', '', '~', '%2F', '.', '..', '%2e', '.%2E', '~..'])
    assert.equal(roomFromSlug(slug), null, slug);
});

test('A09-W an id, an id with a hash and a whole link lead to the same room', () => {
  for (const text of [
    '48213',
    ' 48213 ',
    '#48213',
    'https://live.example/r/48213',
    'http://localhost:8080/r/48213?x=1#y',
  ]) {
    assert.strictEqual(roomFromText(text), 48213, text);
  }
  assert.strictEqual(roomFromText('https://live.example/r/~48213'), '48213');
  assert.strictEqual(roomFromText('evening salon'), 'evening salon');
  assert.strictEqual(roomFromText('/'), null);
  assert.strictEqual(roomFromText('   '), null);
});

test('user ids are 1 to 32 letters, digits, _ and -', () => {
  for (const id of ['a', 'A_b-9', 'x'.repeat(32)]) assert.ok(isUserID(id), id);
  for (const id of ['', 'x'.repeat(33), 'a b', 'é', 'a.b', 5]) assert.equal(isUserID(id), false, String(id));
});

test('keys are printable, short enough and never the same', () => {
  const keys = Array.from({ length: 500 }, freshKey);
  assert.equal(new Set(keys).size, 500);
  for (const key of keys) assert.match(key, /^[A-Za-z0-9_-]{22}$/);
});
