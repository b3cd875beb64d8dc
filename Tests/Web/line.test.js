import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineModel, qualityFor } from '../../Web/models/line.js';
import { PreferencesModel } from '../../Web/models/preferences.js';
import { cameraShape, layerRates, wholeRate } from '../../Web/models/sending.js';
import { OvationError } from '../../Web/protocol/errors.js';
import { judged, read } from '../../Web/protocol/line-test.js';
import { FakeStorage } from './support/media.js';
import { settle } from './support/time.js';

/** A model whose tests end when the test says so. */
function model() {
  const preferences = new PreferencesModel(new FakeStorage(), null);
  const tests = [];
  const line = new LineModel(
    preferences,
    (session, signal, progress) =>
      new Promise((resolve, reject) => tests.push({ session, signal, progress, resolve, reject })),
  );
  return { preferences, line, tests, state: () => line.state.get() };
}

test('L14-W automatic quality is what the line carries with some of it left, and no more than 720p', () => {
  assert.equal(qualityFor(3_000_000), '720');
  assert.equal(qualityFor(wholeRate('720') / 0.84), '720');
  assert.equal(qualityFor(wholeRate('720') / 0.86), '540');
  assert.equal(qualityFor(900_000), '360');
  assert.equal(qualityFor(500_000), '');
  const chosen = { sendQuality: 'auto', sendShape: 'auto', lineQuality: '360' };
  assert.deepEqual(layerRates(chosen), layerRates({ ...chosen, sendQuality: '360' }));
  assert.equal(cameraShape({ ...chosen, lineQuality: '' }).height.ideal, 720);
  assert.deepEqual(cameraShape(chosen).height, { ideal: 360 });
  assert.equal(cameraShape({ ...chosen, sendQuality: '1080' }).height.ideal, 1080);
});

test('L14-W a test tells how far it is, then what the line carries, and automatic quality begins there', async () => {
  const { preferences, line, tests, state } = model();
  void line.test('session');
  assert.deepEqual([state().phase, tests[0].session], ['testing', 'session']);
  tests[0].progress(0.5);
  assert.equal(state().share, 0.5);
  tests[0].resolve({ bitrate: 2_000_000, lossPercent: 0, roundTripMs: 20 });
  await settle();
  assert.deepEqual([state().phase, state().quality, preferences.get().lineQuality], ['done', '540', '540']);
  void line.test('session');
  tests[1].resolve({ bitrate: 100_000, lossPercent: 0, roundTripMs: 20 });
  await settle();
  assert.deepEqual([state().quality, preferences.get().lineQuality], ['', '360'], 'the smallest there is');
});

test('L14-W a test that fails says why and changes no choice; one that is given up says nothing more', async () => {
  const { preferences, line, tests, state } = model();
  void line.test('session');
  tests[0].reject(new OvationError('rate_limited'));
  await settle();
  assert.deepEqual(
    [state().phase, state().error.name, preferences.get().lineQuality],
    ['failed', 'rate_limited', ''],
  );
  void line.test('session');
  void line.test('session');
  assert.equal(tests[1].signal.aborted, true);
  tests[1].progress(0.9);
  tests[1].resolve({ bitrate: 3_000_000, lossPercent: 0, roundTripMs: 1 });
  await settle();
  assert.deepEqual([state().phase, state().share], ['testing', 0]);
  line.stop();
  tests[2].reject(new OvationError('aborted'));
  await settle();
  assert.deepEqual([state().phase, preferences.get().lineQuality], ['idle', '']);
});

test('L14-W what a browser could not find out is not held against the line: automatic quality stays at 720p, and the page says why', async () => {
  const { preferences, line, tests, state } = model();
  preferences.change({ lineQuality: '360' });
  void line.test('session');
  tests[0].resolve({ bitrate: 500_000, atLeast: true, lossPercent: 0, roundTripMs: 1 });
  await settle();
  assert.deepEqual([state().phase, preferences.get().lineQuality], ['untold', '720']);
  // So much got through that nothing is left to be asked.
  void line.test('session');
  tests[1].resolve({ bitrate: 2_990_000, atLeast: true, lossPercent: 0, roundTripMs: 1 });
  await settle();
  assert.deepEqual([state().phase, state().quality], ['done', '720']);
});

const rising = (rate, more = {}) =>
  Array.from({ length: 12 }, (_, at) => ({
    at: (at + 1) * 500,
    bytes: ((at + 1) * 500 * rate) / 8_000,
    available: null,
    lost: 0,
    roundTripMs: 30,
    ...more,
  }));

test('L14-W what counts is what got through after the first seconds, and the browser’s estimate as far as it was tried', () => {
  assert.equal(judged(rising(2_000_000), 3_000_000).bitrate, 2_000_000);
  assert.equal(Math.round(judged(rising(2_000_000, { lost: 0.1 }), 3_000_000).bitrate), 1_800_000);
  assert.equal(judged(rising(2_000_000, { available: 2_400_000 }), 3_000_000).bitrate, 2_400_000);
  assert.equal(judged(rising(1_000_000, { available: 9_000_000 }), 3_000_000).bitrate, 1_500_000);
  assert.equal(judged(rising(4_000_000), 3_000_000).bitrate, 3_000_000);
  assert.throws(() => judged([], 3_000_000), { name: 'media_failed' });
  // Without a word of the browser, and without loss, a low rate is that of the encoder.
  const certain = more => !judged(rising(500_000, more), 3_000_000).atLeast;
  assert.deepEqual([{}, { lost: 0.05 }, { available: 600_000 }].map(certain), [false, true, true]);
  assert.equal(judged(rising(4_000_000), 3_000_000).atLeast, false);
  // What was slow at the beginning does not count against a line.
  const late = rising(2_000_000).map(reading => (reading.at < 3_000 ? { ...reading, bytes: 0 } : reading));
  assert.equal(judged(late, 3_000_000).bitrate, 2_000_000);
});

test('L14-W statistics are read as Chromium gives them and as Firefox does', () => {
  const sent = [
    { type: 'outbound-rtp', bytesSent: 90, headerBytesSent: 10 },
    { type: 'remote-inbound-rtp', fractionLost: 0.02 },
  ];
  const pair = { type: 'candidate-pair', nominated: true, state: 'succeeded', currentRoundTripTime: 0.04 };
  assert.deepEqual(read(sent, [{ ...pair, availableOutgoingBitrate: 7 }]), {
    bytes: 100,
    available: 7,
    lost: 0.02,
    roundTripMs: 40,
  });
  assert.deepEqual(read([], [{ ...pair, nominated: false }]), {
    bytes: 0,
    available: null,
    lost: 0,
    roundTripMs: null,
  });
});
