import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forgetRemovals } from '../../Web/models/preferences.js';
import { RemovalsModel } from '../../Web/models/removals.js';
import { OvationError } from '../../Web/protocol/errors.js';
import { FakeStorage } from './support/media.js';

/** Pages of one browser: who is signed in, in which room, at which time. */
function browser() {
  const storage = new FakeStorage();
  const state = { now: 1_000_000, user: 'ben', app: 1 };
  const session = {
    get app() {
      return state.app;
    },
    user: { get: () => ({ id: state.user }) },
    serverNow: () => state.now,
  };
  return { state, storage, room: slug => new RemovalsModel(session, slug, storage) };
}

/** As the server refuses an entry. */
const refusal = (retryAfterMs, more = {}) => {
  const name = retryAfterMs === undefined ? 'banned_for_good' : 'banned';
  return new OvationError(name, name, {
    data: { reason: 'Anna', ...more, ...(retryAfterMs && { retryAfterMs }) },
  });
};

test('G06-W a browser that was told of a ban asks the server about it first, for as long as it lasts, for that person and room', () => {
  const { state, room } = browser();
  assert.equal(room('48213').holds(), false);
  room('48213').note(refusal(600_000));
  assert.equal(room('48213').holds(), true);
  assert.equal(room('555').holds('anna'), false);
  state.user = 'carol';
  assert.equal(room('48213').holds(), false);
  state.user = 'ben';
  state.app = 2;
  assert.equal(room('48213').holds(), false, 'another application has another Ben');
  state.app = 1;
  state.now += 599_999;
  assert.equal(room('48213').holds(), true);
  state.now += 1;
  assert.equal(room('48213').holds(), false);
  room('48213').note(new OvationError('room_full'));
  assert.equal(room('48213').holds(), false, 'any other refusal is none');
});

test('G06-W a ban from all rooms of a host is known in the others too, once it is known whose they are; who is let in is free again', () => {
  const { room } = browser();
  room('48213').note(refusal(undefined, { host: 'anna', why: 'spam' }));
  assert.equal(room('48213').holds(), true);
  assert.equal(room('555').holds(), false);
  assert.equal(room('555').holds('mina'), false);
  const other = room('555');
  assert.equal(other.holds('anna'), true);
  other.note(refusal());
  room('555').forget('mina');
  assert.equal(room('555').holds(), false);
  assert.equal(room('555').holds('anna'), true);
  room('555').forget('anna');
  assert.equal(room('777').holds('anna'), false);
});

test('G06-W the reason that came with a ban is told again with the same ban, and not with another', () => {
  const { state, room } = browser();
  room('48213').note(refusal(600_000, { why: 'shouting' }));
  state.now += 60_000;
  const again = room('48213').note(refusal(540_100));
  assert.deepEqual(again.data, { reason: 'Anna', why: 'shouting', retryAfterMs: 540_100 });
  assert.equal(room('48213').note(refusal(540_100)).data.why, 'shouting', 'however often');
  assert.equal(room('48213').note(refusal(3_600_000)).data.why, undefined);
  assert.equal(room('48213').note(refusal()).data.why, undefined);
});

test('G06-W no old reason is told with a ban from more rooms, nor with one that has no end to know it by', () => {
  const { room } = browser();
  room('48213').note(refusal(600_000, { why: 'shouting' }));
  assert.equal(
    room('48213').note(refusal(600_000, { host: 'anna' })).data.why,
    undefined,
    'from all of her rooms',
  );
  room('555').note(refusal(600_000, { host: 'mina', why: 'spam' }));
  assert.equal(room('555').note(refusal(600_000, { host: 'mina' })).data.why, 'spam');
  const other = room('999');
  other.note(refusal(undefined, { why: 'last year' }));
  assert.equal(other.note(refusal()).data.why, undefined);
});

test('G06-W bans that are over leave the browser with the next one that it is told', () => {
  const { state, storage, room } = browser();
  room('48213').note(refusal(600_000));
  state.now += 600_001;
  room('555').note(refusal(600_000));
  assert.deepEqual(
    JSON.parse(storage.getItem('ovation.removals')).map(({ place }) => place),
    ['room 555'],
  );
});

test('G06-W broken words under the key, or storage that is refused, are no ban', () => {
  const { room, storage } = browser();
  for (const broken of [
    '{',
    'null',
    '{}',
    '[null, 1, {"app":1,"user":"ben","place":"room 48213","until":"x","why":""}]',
  ]) {
    storage.setItem('ovation.removals', broken);
    assert.equal(room('48213').holds(), false, broken);
  }
  const session = { app: 1, user: { get: () => null }, serverNow: () => 0 };
  const none = new RemovalsModel(session, '1', null);
  none.note(refusal(1000));
  assert.equal(none.holds(), false);
});

test('G06-W what one person was told of bans, and why, is gone from the browser when they sign out', () => {
  const { storage, room } = browser();
  room('48213').note(refusal(600_000, { why: 'sells coins in the chat' }));
  forgetRemovals(storage);
  assert.equal(storage.getItem('ovation.removals'), null);
});
