import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readQuality, wordFor } from '../../Web/protocol/quality.js';

test('the word follows the worse of delay and loss', () => {
  for (const [rtt, loss, word] of [
    [24, 0, 'good'],
    [200, 2, 'good'],
    [201, 0, 'fair'],
    [10, 2.1, 'fair'],
    [400, 8, 'fair'],
    [401, 0, 'poor'],
    [10, 8.1, 'poor'],
    [null, null, 'good'],
  ]) {
    assert.equal(wordFor(rtt, loss), word, `${rtt} ms, ${loss} %`);
  }
});

test("engines without a pair's round trip tell it by the other side's report", () => {
  const report = new Map([['r', { type: 'remote-inbound-rtp', roundTripTime: 0.3 }]]);
  assert.equal(readQuality(report, null).quality.rttMs, 300);
  assert.equal(readQuality(report, null).quality.word, 'fair');
});

test('counters that fall back (a new connection) are no negative loss', () => {
  const report = new Map([['a', { type: 'inbound-rtp', packetsReceived: 5, packetsLost: -2, jitter: 0 }]]);
  const { quality } = readQuality(report, { received: 0, lost: 40 });
  assert.equal(quality.lossPercent, 0);
});

test('a report without sound tells nothing', () => {
  assert.deepEqual(readQuality(new Map(), null).quality, {
    word: 'good',
    rttMs: null,
    lossPercent: null,
    jitterMs: null,
    way: null,
    bufferMs: null,
  });
});

test('R08-W the way is told by our own candidate of the pair in use', () => {
  const wayOf = (/** @type {object} */ candidate) =>
    readQuality(
      new Map([
        ['p', { type: 'candidate-pair', nominated: true, state: 'succeeded', localCandidateId: 'c' }],
        ['q', { type: 'candidate-pair', nominated: false, state: 'succeeded', localCandidateId: 'd' }],
        ['c', { type: 'local-candidate', ...candidate }],
        ['d', { type: 'local-candidate', candidateType: 'relay', protocol: 'udp' }],
      ]),
      null,
    ).quality.way;
  assert.equal(wayOf({ candidateType: 'host', protocol: 'udp' }), 'udp');
  assert.equal(wayOf({ candidateType: 'prflx', protocol: 'tcp' }), 'tcp');
  assert.equal(wayOf({ candidateType: 'relay', protocol: 'udp' }), 'relay');
  assert.equal(wayOf({}), null);
});
