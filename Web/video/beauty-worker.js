// Changes a camera's pictures on a thread of its own, so that it goes on while the page is hidden or busy.

import { BeautyFilter } from './beauty-filter.js';

/** @type {import('./beauty-filter.js').BeautyLevels} */
let levels = { smooth: 0, whiten: 0, ruddy: 0, style: 'balanced', mirror: false };

/** Nothing is shown any more; what still comes is given back. */
let isOver = false;

/** @param {Record<string, unknown>} news */
const tell = news => /** @type {any} */ (globalThis).postMessage(news);

addEventListener('message', ({ data }) => {
  if (data.levels) levels = data.levels;
  if (data.end) isOver = true;
  if (data.readable) run(data.readable, data.writable).catch(thrown => tell({ failed: String(thrown) }));
});

/** @param {ReadableStream} readable of video frames @param {WritableStream} writable */
async function run(readable, writable) {
  const canvas = new /** @type {any} */ (globalThis).OffscreenCanvas(16, 16);
  let hasEnded = false;
  canvas.addEventListener('webglcontextlost', () => {
    // Also said where we give it back.
    if (!hasEnded) tell({ failed: 'the graphics processor was lost' });
  });
  const filter = new BeautyFilter(canvas);
  const reader = readable.getReader();
  const writer = writable.getWriter();
  let hasBegun = false;
  for (;;) {
    const { value: frame, done } = await reader.read();
    if (done) break;
    if (isOver) {
      frame.close();
      continue;
    }
    /** @type {any} */ let changed;
    try {
      filter.draw(frame, frame.displayWidth, frame.displayHeight, levels);
      changed = new /** @type {any} */ (globalThis).VideoFrame(canvas, { timestamp: frame.timestamp });
    } finally {
      // The camera has a few frames only, and stands still when none comes back.
      frame.close();
    }
    await writer.write(changed).catch((/** @type {unknown} */ thrown) => {
      changed.close();
      throw thrown;
    });
    if (!hasBegun) tell({ began: true });
    hasBegun = true;
  }
  hasEnded = true;
  filter.end();
  await writer.close().catch(() => {});
  tell({ ended: true });
}
