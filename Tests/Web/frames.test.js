import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchFrames } from '../../Web/video/frames.js';

/** A video, the page's frames and its clock, as far as they are touched. */
function setUp(t, options = {}) {
  const had = {
    requestAnimationFrame: globalThis.requestAnimationFrame,
    now: Object.getOwnPropertyDescriptor(performance, 'now'),
  };
  let now = 10_000;
  /** @type {(() => void)[]} */ let frames = [];
  globalThis.requestAnimationFrame = run => void frames.push(run);
  performance.now = () => now;
  const life = new AbortController();
  t.after(() => {
    globalThis.requestAnimationFrame = had.requestAnimationFrame;
    Reflect.deleteProperty(performance, 'now');
    if (had.now) Object.defineProperty(performance, 'now', had.now);
  });
  const video = Object.assign(new EventTarget(), {
    HAVE_CURRENT_DATA: 2,
    readyState: 4,
    paused: false,
    currentTime: 0,
    /** @type {(() => void) | null} */ told: null,
    requestVideoFrameCallback(run) {
      video.told = run;
    },
  });
  const seen = { count: 0 };
  watchFrames(video, () => seen.count++, { signal: life.signal, ...options });
  return {
    video,
    seen,
    life,
    /** So long, with the time of the picture going on or standing, and the browser's word of frames or none. */
    pass(ms, { moves = true, tells = false } = {}) {
      for (let passed = 0; passed < ms; passed += 50) {
        now += 50;
        if (moves) video.currentTime += 0.05;
        if (tells) video.told?.();
        const due = frames;
        frames = [];
        for (const run of due) run();
        video.dispatchEvent(new Event('timeupdate'));
      }
    },
  };
}

test('L08-W a picture whose browser tells of no frame is seen by its time, and one that stands is not', t => {
  const { video, seen, pass } = setUp(t);
  pass(450);
  assert.equal(seen.count, 0, 'the browser has time to tell');
  pass(1_000);
  assert.ok(seen.count >= 10, String(seen.count));
  const before = seen.count;
  pass(2_000, { moves: false });
  video.paused = true;
  pass(2_000);
  assert.equal(seen.count, before);
});

test('L08-W where frames are counted the count is believed, and not a time that goes on without them', t => {
  const { video, seen, pass } = setUp(t);
  let shown = 1;
  video.getVideoPlaybackQuality = () => ({ totalVideoFrames: shown });
  pass(2_000);
  const before = seen.count;
  assert.ok(before <= 1, String(before));
  for (let frame = 0; frame < 5; frame++) {
    shown++;
    pass(50);
  }
  assert.equal(seen.count, before + 5);
});

test('L08-W a browser that has told of a frame is believed when it tells of no more', t => {
  const { seen, pass } = setUp(t);
  pass(1_000, { tells: true });
  const before = seen.count;
  assert.equal(before, 20);
  // Firefox lets the time of a picture that stands go on.
  pass(5_000);
  assert.equal(seen.count, before);
});

test('L13-W what is drawn goes on by the frames of the page half a second after the browser fell silent, until its end', t => {
  const { seen, life, pass } = setUp(t, { smooth: true });
  pass(1_000, { tells: true });
  assert.equal(seen.count, 20, 'once a frame');
  pass(450);
  assert.equal(seen.count, 20);
  pass(1_000);
  assert.ok(seen.count >= 39, String(seen.count));
  life.abort();
  const before = seen.count;
  pass(1_000, { tells: true });
  assert.equal(seen.count, before);
});
