/** So long without the browser's word of a frame, the picture's own time is believed. */
const patienceMs = 500;
/** A camera that is back shows something by then. */
const firstMs = 2_000;

/**
 * Calls `shown` for each frame that a video shows. The browser tells of them (`requestVideoFrameCallback`), but WebKit does not for every
 * stream, or not while the video is out of sight. So there is a second witness: a video that plays and that has shown more frames than
 * before, or whose time goes on where frames are not counted.
 * @param {HTMLVideoElement} video
 * @param {() => void} shown
 * @param {{signal: AbortSignal, smooth?: boolean}} options `smooth`: frames are to be drawn, so the second witness is asked with each
 *   frame of the page, whenever the browser has been silent. Otherwise a browser that has told of one frame is believed when it
 *   tells of no more: in Firefox the time of a picture that stands goes on.
 */
export function watchFrames(video, shown, { signal, smooth = false }) {
  let toldAt = performance.now();
  let hasTold = false;
  let progress = progressOf(video);
  const told = () => {
    if (signal.aborted) return;
    hasTold = true;
    toldAt = performance.now();
    progress = progressOf(video);
    shown();
    video.requestVideoFrameCallback(told);
  };
  const look = () => {
    if (hasTold && !smooth) return;
    if (performance.now() - toldAt < patienceMs) return;
    if (video.paused || video.readyState < video.HAVE_CURRENT_DATA || progressOf(video) === progress) return;
    progress = progressOf(video);
    shown();
  };
  video.requestVideoFrameCallback(told);
  if (!smooth) return video.addEventListener('timeupdate', look, { signal });
  const next = () => {
    if (signal.aborted) return;
    look();
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

/** @param {HTMLVideoElement} video */
function progressOf(video) {
  return video.getVideoPlaybackQuality?.().totalVideoFrames || video.currentTime;
}

/**
 * Whether a track shows anything within two seconds.
 * @param {MediaStreamTrack} track
 * @returns {Promise<boolean>}
 */
export async function framesCome(track) {
  const life = new AbortController();
  const video = document.createElement('video');
  video.muted = true;
  video.playsInline = true;
  video.className = 'behind-the-page';
  document.body.append(video);
  try {
    return await new Promise(resolve => {
      const timer = setTimeout(() => resolve(false), firstMs);
      life.signal.addEventListener('abort', () => clearTimeout(timer));
      watchFrames(video, () => resolve(true), { signal: life.signal });
      video.srcObject = new MediaStream([track]);
      void video.play().catch(() => {});
    });
  } finally {
    life.abort();
    video.srcObject = null;
    video.remove();
  }
}
