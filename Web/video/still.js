/** The server takes no larger ones (Documentation/build/protocol.md §5). */
const mostBytes = 15 << 10;
/** Nor such that come with a request (§6). */
export const requestBytes = 8 << 10;
/** Sides to try, the last for pictures that are full of detail. */
const sides = [360, 270, 180, 120];
const qualities = [0.8, 0.6, 0.4];
/** A camera that gives nothing for so long, or a page too busy to make a small picture of it, gives no still. */
const patienceMs = 5_000;

/**
 * What a track shows now, as a small JPEG.
 * @param {MediaStreamTrack} track
 * @param {number} [bytes] the most of it
 * @returns {Promise<Uint8Array>} throws where none comes in time
 */
export async function takeStill(track, bytes = mostBytes) {
  const video = document.createElement('video');
  video.muted = true;
  video.playsInline = true;
  video.srcObject = new MediaStream([track]);
  const ended = new AbortController();
  /** @type {any} */ let timer = null;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('no still came in time')), patienceMs);
  });
  const shown = new Promise(resolve => {
    video.addEventListener('loadeddata', resolve, { once: true });
    void video.play().catch(() => {});
  });
  try {
    // Browsers encode when they are idle, which a busy page seldom is.
    return await Promise.race([
      shown.then(() => smallJPEG(video, video.videoWidth, video.videoHeight, bytes, ended.signal)),
      late,
    ]);
  } finally {
    ended.abort();
    clearTimeout(timer);
    video.srcObject = null;
  }
}

/**
 * @param {CanvasImageSource} source
 * @param {number} width
 * @param {number} height
 * @param {number} bytes
 * @param {AbortSignal} ended nothing is encoded for somebody who does not wait any more
 */
async function smallJPEG(source, width, height, bytes, ended) {
  const canvas = document.createElement('canvas');
  for (const side of sides) {
    const scale = Math.min(1, side / Math.max(width, height));
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.getContext('2d')?.drawImage(source, 0, 0, canvas.width, canvas.height);
    for (const quality of qualities) {
      ended.throwIfAborted();
      const blob = await new Promise(resolve => canvas.toBlob(resolve, 'image/jpeg', quality));
      if (blob && blob.size <= bytes) return new Uint8Array(await blob.arrayBuffer());
    }
  }
  throw new Error('no still of this picture is small enough');
}
