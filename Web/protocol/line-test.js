import { OvationError } from './errors.js';
import { hasWebRTC } from './peer.js';

/** @typedef {import('./session.js').Session} Session */
/**
 * What a line carries to the server; `bitrate` in bits a second, at most what a test sends. `atLeast`: that much got through, and whether
 * more would have is not known.
 * @typedef {{bitrate: number, atLeast: boolean, lossPercent: number, roundTripMs: number | null}} LineReading
 */

/** A path that is not there by then does not come. */
const connectMs = 8_000;
const lookMs = 500;
/** The first seconds find out how fast may be sent: what counts comes after them. */
const settledMs = 3_000;
/** A full line loses more than this. */
const fullLoss = 0.03;
/** The size of the test's picture. It is noise, which needs all the bits that there are. */
const [width, height, frames] = [640, 360, 30];

/**
 * Sends a picture that nobody sees to the server for some seconds, and says what of it got through. No room and no camera are needed.
 * Throws `rate_limited`, `media_refused`, `media_failed` where the server cannot be reached by sound and picture, and `aborted`.
 * @param {Session} session signed in
 * @param {AbortSignal} signal ends it
 * @param {(share: number) => void} [progress] 0…1
 * @returns {Promise<LineReading>}
 */
export async function testLine(session, signal, progress = () => {}) {
  if (!hasWebRTC()) throw new OvationError('webrtc_missing');
  const { iceServers } = session;
  const pc = new RTCPeerConnection({
    bundlePolicy: 'max-bundle',
    ...(iceServers.length > 0 && { iceServers }),
  });
  const noise = noisyTrack();
  let begun = false;
  try {
    const transceiver = pc.addTransceiver(noise.track, { direction: 'sendonly' });
    preferVP8(transceiver);
    await pc.setLocalDescription();
    const answer = await session.call('line.test', { sdp: pc.localDescription?.sdp ?? '' });
    begun = true;
    if (signal.aborted) throw new OvationError('aborted');
    await allow(transceiver.sender, answer.bitrate);
    await pc.setRemoteDescription({ type: 'answer', sdp: answer.sdp });
    await connected(pc, signal);
    return await measured(pc, transceiver.sender, answer.seconds * 1_000, answer.bitrate, signal, progress);
  } finally {
    noise.stop();
    pc.close();
    if (begun) session.call('line.end', {}).catch(() => {});
  }
}

/** A picture of noise, without a camera. */
function noisyTrack() {
  const grain = Object.assign(document.createElement('canvas'), { width, height });
  const pen = /** @type {CanvasRenderingContext2D} */ (grain.getContext('2d'));
  const points = pen.createImageData(width, height);
  for (let at = 0; at < points.data.length; at++) points.data[at] = at % 4 === 3 ? 255 : Math.random() * 256;
  pen.putImageData(points, 0, 0);
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const picture = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const draw = () =>
    picture.drawImage(grain, -Math.random() * width, -Math.random() * height, 2 * width, 2 * height);
  draw();
  const timer = setInterval(draw, 1_000 / frames);
  const [track] = canvas.captureStream(frames).getVideoTracks();
  return {
    track,
    stop: () => {
      clearInterval(timer);
      track.stop();
    },
  };
}

/** @param {RTCRtpTransceiver} transceiver */
function preferVP8(transceiver) {
  const codecs = RTCRtpSender.getCapabilities?.('video')?.codecs ?? [];
  const wanted = codecs.filter(({ mimeType }) => /\/(vp8|rtx)$/i.test(mimeType));
  if (wanted.some(({ mimeType }) => /vp8/i.test(mimeType))) transceiver.setCodecPreferences?.(wanted);
}

/** @param {RTCRtpSender} sender @param {number} bitrate */
async function allow(sender, bitrate) {
  const parameters = sender.getParameters();
  for (const encoding of parameters.encodings) encoding.maxBitrate = bitrate;
  await sender.setParameters(parameters).catch(() => {});
}

/** @param {RTCPeerConnection} pc @param {AbortSignal} signal */
function connected(pc, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new OvationError('media_failed')), connectMs);
    const look = () => {
      if (pc.connectionState === 'connected') resolve(undefined);
      else if (pc.connectionState === 'failed') reject(new OvationError('media_failed'));
      else return;
      clearTimeout(timer);
    };
    pc.addEventListener('connectionstatechange', look);
    signal.addEventListener('abort', () => reject(new OvationError('aborted')), { once: true });
    look();
  });
}

/**
 * @param {RTCPeerConnection} pc @param {RTCRtpSender} sender @param {number} length @param {number} most
 * @param {AbortSignal} signal @param {(share: number) => void} progress
 * @returns {Promise<LineReading>}
 */
async function measured(pc, sender, length, most, signal, progress) {
  const began = performance.now();
  /** @type {Reading[]} */ const readings = [];
  while (performance.now() - began < length) {
    await pause(lookMs, signal);
    if (pc.connectionState === 'failed') throw new OvationError('media_failed');
    readings.push({
      at: performance.now() - began,
      ...read([...(await sender.getStats()).values()], [...(await pc.getStats()).values()]),
    });
    progress(Math.min(1, (performance.now() - began) / length));
  }
  return judged(readings, most);
}

/** @typedef {{at: number, bytes: number, available: number | null, lost: number, roundTripMs: number | null}} Reading */

/** @param {any[]} sent @param {any[]} all @returns {Omit<Reading, 'at'>} */
export function read(sent, all) {
  const out = sent.find(({ type }) => type === 'outbound-rtp') ?? {};
  const there = sent.find(({ type }) => type === 'remote-inbound-rtp') ?? {};
  const pair =
    all.find(
      ({ type, nominated, state }) => type === 'candidate-pair' && nominated && state === 'succeeded',
    ) ?? {};
  return {
    bytes: (out.bytesSent ?? 0) + (out.headerBytesSent ?? 0),
    available: pair.availableOutgoingBitrate ?? null,
    lost: there.fractionLost ?? 0,
    roundTripMs: typeof pair.currentRoundTripTime === 'number' ? pair.currentRoundTripTime * 1_000 : null,
  };
}

/**
 * What was sent in the settled part and got through; where the browser says what it thinks of the line, no more than that.
 * @param {readonly Reading[]} readings @param {number} most @returns {LineReading}
 */
export function judged(readings, most) {
  const settled = readings.filter(({ at }) => at >= settledMs);
  const [first, last] = [settled[0], settled.at(-1)];
  if (!first || !last || last.at === first.at) throw new OvationError('media_failed');
  const lost = settled.reduce((sum, reading) => sum + reading.lost, 0) / settled.length;
  const through = (((last.bytes - first.bytes) * 8_000) / (last.at - first.at)) * (1 - lost);
  // An estimate above what is sent has not been tried out, one below it will soon be kept.
  const bitrate = Math.min(
    most,
    last.available === null ? through : Math.max(through, Math.min(last.available, 1.5 * through)),
  );
  // Firefox says nothing of the line and sends more only slowly: without loss its rate is the encoder's, not the line's.
  const atLeast = last.available === null && lost < fullLoss && bitrate < most;
  return { bitrate, atLeast, lossPercent: lost * 100, roundTripMs: last.roundTripMs };
}

/** @param {number} ms @param {AbortSignal} signal */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new OvationError('aborted'));
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(new OvationError('aborted'));
      },
      { once: true },
    );
  });
}
