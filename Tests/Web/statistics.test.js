import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PictureStatisticsReader } from '../../Web/protocol/statistics.js';

const lines = { 0: 'microphone', 5: 'camera', 6: 'picture:0', 7: 'picture:1', 8: 'picture:2' };
const came = (mid, at, more) => ({
  type: 'inbound-rtp',
  kind: 'video',
  mid,
  timestamp: at,
  codecId: 'c',
  frameWidth: 1280,
  frameHeight: 720,
  framesPerSecond: 29.6,
  bytesReceived: 0,
  packetsReceived: 0,
  packetsLost: 0,
  freezeCount: 0,
  ...more,
});
const report = (...entries) =>
  new Map([
    ['c', { type: 'codec', mimeType: 'video/VP8' }],
    ...entries.map((entry, at) => [entry.id ?? `e${at}`, entry]),
  ]);

test('L09-W what comes of each picture: size, frames, rate and loss since the last reading', () => {
  const reader = new PictureStatisticsReader();
  const [first] = reader.read(report(came('7', 1_000, { bytesReceived: 9_000 })), lines, 2);
  assert.deepEqual(first, {
    picture: 1,
    width: 1280,
    height: 720,
    framesPerSecond: 30,
    kilobits: null,
    lossPercent: null,
    codec: 'VP8',
    stills: 0,
    limit: null,
  });
  const later = came('7', 3_000, {
    bytesReceived: 259_000,
    packetsReceived: 95,
    packetsLost: 5,
    freezeCount: 2,
  });
  const [second] = reader.read(report(later), lines, 2);
  assert.equal(second.kilobits, 1_000);
  assert.equal(second.lossPercent, 5);
  assert.equal(second.stills, 2);
});

test('L09-W what I send: the largest layer that goes out, the rate of all, what others missed, and why it is less', () => {
  const reader = new PictureStatisticsReader();
  const sent = (at, bytes) => [
    { id: 'q', ...layer(at, bytes, 180, 15) },
    { id: 'f', ...layer(at, bytes, 720, 24), qualityLimitationReason: 'cpu' },
    { id: 'h', ...layer(at, bytes, 360, 0) },
    { id: 'r', type: 'remote-inbound-rtp', localId: 'f', packetsLost: at / 1_000 },
  ];
  const layer = (at, bytes, height, framesPerSecond) => ({
    type: 'outbound-rtp',
    kind: 'video',
    mid: '5',
    timestamp: at,
    frameHeight: height,
    frameWidth: (height * 16) / 9,
    framesPerSecond,
    bytesSent: bytes,
    packetsSent: bytes / 100,
  });
  reader.read(report(...sent(0, 0)), lines, 2);
  const [mine] = reader.read(report(...sent(1_000, 10_000)), lines, 2);
  assert.equal(mine.picture, 'mine');
  assert.equal(mine.height, 720);
  assert.equal(mine.kilobits, 240);
  assert.ok(Math.abs(mine.lossPercent - 100 / 301) < 0.01);
  assert.equal(mine.limit, 'cpu');
  assert.equal(mine.stills, null);
});

test('mine first, then seats, the screen last; sound, pictures that stand, and lines of nobody are not there', () => {
  const found = new PictureStatisticsReader().read(
    report(
      came('8', 1),
      came('6', 1),
      came('7', 1, { framesPerSecond: 0 }),
      came('9', 1),
      { ...came('0', 1), kind: 'audio' },
      { ...came('5', 1), type: 'outbound-rtp' },
    ),
    lines,
    2,
  );
  assert.deepEqual(
    found.map(({ picture }) => picture),
    ['mine', 0, 'screen'],
  );
});
