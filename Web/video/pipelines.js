import { BeautyFilter } from './beauty-filter.js';
import { watchFrames } from './frames.js';

/** @typedef {import('./beauty-filter.js').BeautyLevels} BeautyLevels */
/**
 * @typedef {object} Pipeline
 * @property {'worker' | 'canvas'} mode
 * @property {MediaStreamTrack} track the changed picture
 * @property {(levels: BeautyLevels) => void} set
 * @property {() => void} end
 */

/** A picture that has not come out after this will not. */
const firstMs = 8_000;
/** A camera that runs, and of which nothing could be drawn after this, cannot be drawn. */
const drawnMs = 3_000;
/** What is on its way through the worker has been read by then. */
const endMs = 500;
/** While the page is hidden. */
const tickMs = 66;

/**
 * Changes a camera's pictures from now on. Throws where the browser cannot.
 * @param {MediaStreamTrack} source
 * @param {BeautyLevels} levels
 * @param {() => void} failed called at most once, after it has begun
 * @returns {Promise<Pipeline>} once the first picture has come out
 */
export function startPipeline(source, levels, failed) {
  const browser = /** @type {any} */ (globalThis);
  const { MediaStreamTrackProcessor: Processor, MediaStreamTrackGenerator: Generator } = browser;
  if (Processor && Generator && browser.OffscreenCanvas)
    return onWorker(source, Processor, new Generator({ kind: 'video' }), levels, failed);
  return onCanvas(source, levels, failed);
}

/**
 * @param {MediaStreamTrack} source
 * @param {new (options: {track: MediaStreamTrack}) => {readable: ReadableStream}} Processor
 * @param {MediaStreamTrack & {writable: WritableStream}} generator
 * @param {BeautyLevels} levels @param {() => void} failed
 * @returns {Promise<Pipeline>}
 */
function onWorker(source, Processor, generator, levels, failed) {
  const worker = new Worker(new URL('./beauty-worker.js', import.meta.url), { type: 'module' });
  // Of our own, so that it can end: then the worker reads what is on its way, and gives it back. A picture that nobody reads is missing
  // to the camera.
  const feed = source.clone();
  const end = () => {
    feed.stop();
    generator.enabled = false;
    const finish = () => {
      clearTimeout(timer);
      worker.terminate();
      generator.stop();
    };
    const timer = setTimeout(finish, endMs);
    worker.onerror = finish;
    worker.onmessage = ({ data }) => {
      if (data.ended) finish();
    };
    worker.postMessage({ end: true });
  };
  return new Promise((resolve, reject) => {
    const refuse = () => {
      clearTimeout(timer);
      end();
      reject(new Error('no changed picture'));
      failed();
    };
    const timer = setTimeout(refuse, firstMs);
    worker.onerror = refuse;
    worker.onmessage = ({ data }) => {
      if (data.failed) return refuse();
      clearTimeout(timer);
      resolve({ mode: 'worker', track: generator, set: levels => worker.postMessage({ levels }), end });
    };
    const { readable } = new Processor({ track: feed });
    const { writable } = generator;
    worker.postMessage({ levels, readable, writable }, /** @type {any} */ ([readable, writable]));
  });
}

/**
 * Where tracks cannot be read on a worker.
 * @param {MediaStreamTrack} source @param {BeautyLevels} levels @param {() => void} failed
 * @returns {Promise<Pipeline>}
 */
async function onCanvas(source, levels, failed) {
  const life = new AbortController();
  const { signal } = life;
  const canvas = document.createElement('canvas');
  const filter = new BeautyFilter(canvas);
  const video = document.createElement('video');
  video.muted = true;
  video.playsInline = true;
  video.srcObject = new MediaStream([source]);
  // On an iPhone what is in no document may stay black.
  const place = document.createElement('div');
  place.className = 'behind-the-page';
  place.ariaHidden = 'true';
  place.append(video, canvas);
  document.body.append(place);
  const ticks = new Worker(new URL('./tick-worker.js', import.meta.url));
  const [track] = canvas.captureStream(30).getVideoTracks();
  const end = () => {
    life.abort();
    ticks.terminate();
    track.stop();
    video.srcObject = null;
    place.remove();
    filter.end();
  };
  let now = levels;
  /** @type {() => void} */ let drawn = () => {};
  const draw = () => {
    if (signal.aborted || video.videoWidth === 0 || video.readyState < video.HAVE_CURRENT_DATA) return;
    filter.draw(video, video.videoWidth, video.videoHeight, now);
    drawn();
  };
  canvas.addEventListener(
    'webglcontextlost',
    () => {
      end();
      failed();
    },
    { signal },
  );
  ticks.onmessage = draw;
  const look = () => ticks.postMessage(document.hidden ? tickMs : 0);
  document.addEventListener('visibilitychange', look, { signal });
  look();
  try {
    await within(video.play(), firstMs);
    const first = new Promise(resolve => {
      drawn = () => resolve(undefined);
    });
    watchFrames(video, draw, { signal, smooth: true });
    draw();
    await within(first, drawnMs);
  } catch (thrown) {
    end();
    throw thrown;
  }
  const set = (/** @type {BeautyLevels} */ levels) => {
    now = levels;
  };
  return { mode: 'canvas', track, set, end };
}

/** @param {Promise<unknown>} work @param {number} ms after which it is too late */
async function within(work, ms) {
  /** @type {any} */ let timer = null;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('no picture')), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
