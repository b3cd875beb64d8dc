import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { canShow, preferVideo } from '../../Web/protocol/codecs.js';

const vp8 = { mimeType: 'video/VP8', clockRate: 90_000 };
const rtx = { mimeType: 'video/rtx', clockRate: 90_000 };
const whole = {
  mimeType: 'video/H264',
  clockRate: 90_000,
  sdpFmtpLine: 'packetization-mode=1;profile-level-id=42e01f',
};
const single = { ...whole, sdpFmtpLine: 'packetization-mode=0;profile-level-id=42e01f' };

/** @param {unknown} codecs */
function browserWith(codecs) {
  Object.assign(globalThis, { RTCRtpReceiver: { getCapabilities: () => codecs && { codecs } } });
}

/** @param {string} format */
function preferred(format) {
  /** @type {unknown[][]} */ const said = [];
  const line = /** @type {any} */ ({
    setCodecPreferences: (/** @type {unknown[]} */ codecs) => said.push(codecs),
  });
  preferVideo(line, format);
  return said[0] ?? null;
}

afterEach(() => Reflect.deleteProperty(globalThis, 'RTCRtpReceiver'));

test('L02-W a line offers the format of the room and its repeats alone, H.264 in packets of any size', () => {
  browserWith([vp8, rtx, single, whole]);
  assert.deepEqual(preferred('vp8'), [vp8, rtx]);
  assert.deepEqual(preferred('h264'), [rtx, whole]);
});

test('L02-W a browser without the format offers what it has, and says that it cannot show it', () => {
  browserWith([vp8, rtx, single]);
  assert.equal(preferred('h264'), null);
  assert.equal(canShow('h264'), false);
  assert.equal(canShow('vp8'), true);
});

test('a browser that does not tell what it has is given a try', () => {
  browserWith(null);
  assert.equal(canShow('h264'), true);
  Reflect.deleteProperty(globalThis, 'RTCRtpReceiver');
  assert.equal(canShow('h264'), true);
});
