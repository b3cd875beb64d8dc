import { watchFrames } from '../video/frames.js';

/** A picture that is paused again within this time of being played again is not to play for now. */
const againMs = 1_000;
/** Pictures that the browser holds back until a click, wherever that is: a page's button for sound is one. @type {Set<Video>} */
const heldBack = new Set();

/** A picture that has not moved for so long is not shown as if it were now. */
const staleMs = 3_000;
/** How often it is looked at that. */
const lookMs = 1_000;
/** A picture that is shown as stills is renewed so often. */
const stillMs = 5_000;
/** A picture that would lose more than this by filling its place is shown whole. */
const mostLost = 0.45;

/**
 * `<ov-video .track=${MediaStreamTrack | null} ?data-mirror ?data-still>`: a picture without its sound, which plays elsewhere; `data-still`
 * shows a still of it every five seconds. It has `data-playing`
 * while frames come, and sends `frames` when they begin to, and `data-whole` while it does not fill its place. It sends `shape` when
 * the picture's size is known or has changed, before the first frame is seen, and `heldback`, which bubbles, when the browser plays
 * nothing before a click, as iPhones do in Low Power Mode.
 */
export class Video extends HTMLElement {
  /** @type {MediaStreamTrack | null} */ #track = null;
  #video = document.createElement('video');
  #lastFrame = 0;
  #lastStill = 0;
  /** When it was played again last. */ #replayed = Number.NEGATIVE_INFINITY;
  /** @type {any} */ #timer = null;
  #watching = new AbortController();
  /** @type {ResizeObserver | null} */ #sizes = null;
  /** Higher than wide; what the last picture was, until the next one is known. */ #upright = false;

  constructor() {
    super();
    this.#video.muted = true;
    // Not `autoplay`: Safari would draw a button of its own over what it holds back.
    this.#video.playsInline = true;
    this.#video.setAttribute('aria-hidden', 'true');
    this.#video.addEventListener('resize', () => this.#reshape());
    this.#video.addEventListener('pause', () => this.#paused());
  }

  connectedCallback() {
    if (!this.#video.isConnected) this.append(this.#video);
    // Of the window in which it stands, which may be another than the page's.
    const { ResizeObserver: Sizes = ResizeObserver } = this.ownerDocument.defaultView ?? globalThis;
    this.#sizes = new Sizes(() => this.#fit());
    this.#sizes.observe(this);
    this.#begin();
  }

  disconnectedCallback() {
    this.#sizes?.disconnect();
    this.#end();
  }

  get track() {
    return this.#track;
  }

  set track(track) {
    if (track === this.#track) return;
    this.#end();
    this.#track = track;
    if (this.isConnected) this.#begin();
  }

  /**
   * Shows it in a window of its own, over other programs. In a click; throws what the browser throws.
   * @returns {Promise<EventTarget>} tells of `leavepictureinpicture`
   */
  async apart() {
    await this.#video.requestPictureInPicture();
    return this.#video;
  }

  /** Whether frames come. */
  get playing() {
    return 'playing' in this.dataset;
  }

  /** Whether the picture is higher than wide, as far as its size is known. */
  get upright() {
    return this.#upright;
  }

  get #isStill() {
    return 'still' in this.dataset;
  }

  #reshape() {
    const { videoWidth, videoHeight } = this.#video;
    // Nothing is known of a picture that has ended.
    if (videoWidth * videoHeight === 0) return;
    this.#upright = videoHeight > videoWidth;
    this.dispatchEvent(new Event('shape'));
    this.#fit();
  }

  #fit() {
    const { videoWidth, videoHeight } = this.#video;
    const { clientWidth, clientHeight } = this;
    if (videoWidth * videoHeight * clientWidth * clientHeight === 0) return;
    const ratio = (videoWidth * clientHeight) / (videoHeight * clientWidth);
    this.toggleAttribute('data-whole', 1 - Math.min(ratio, 1 / ratio) > mostLost);
  }

  #begin() {
    if (!this.#track || this.#timer) return;
    this.#video.srcObject = new MediaStream([this.#track]);
    void this.#play();
    const frame = () => {
      this.#lastFrame = performance.now();
      if (!this.playing) this.#tell(true);
      if (this.#isStill) {
        this.#lastStill = this.#lastFrame;
        this.#video.pause();
      }
    };
    this.#watching = new AbortController();
    watchFrames(this.#video, frame, { signal: this.#watching.signal });
    this.#timer = setInterval(() => {
      if (this.#isStill && performance.now() - this.#lastStill > stillMs) void this.#play();
      // Nobody looks at a hidden tab, and nothing is drawn there. A still stays as long as it comes from something.
      if (this.ownerDocument.hidden || this.#isStill) this.#lastFrame = performance.now();
      else if (this.playing && performance.now() - this.#lastFrame > staleMs) this.#tell(false);
    }, lookMs);
  }

  #end() {
    this.#watching.abort();
    clearInterval(this.#timer);
    this.#timer = null;
    this.#video.srcObject = null;
    if (this.playing) this.#tell(false);
  }

  /** What was held back plays now, in a click. */
  playHeldBack() {
    if (this.#track && this.isConnected) void this.#play();
  }

  async #play() {
    try {
      await this.#video.play();
    } catch (thrown) {
      // Otherwise a newer track took over.
      if (/** @type {any} */ (thrown)?.name !== 'NotAllowedError') return;
      heldBack.add(this);
      this.dispatchEvent(new Event('heldback', { bubbles: true }));
    }
  }

  /** Nobody here pauses but for a still: a call, or a headset that was pulled out. */
  #paused() {
    if (!this.#timer || this.#isStill || this.#video.ended) return;
    const now = performance.now();
    if (now - this.#replayed < againMs) heldBack.add(this);
    else void this.#play();
    this.#replayed = now;
  }

  /** @param {boolean} playing */
  #tell(playing) {
    if (playing) {
      this.dataset.playing = '';
      this.dispatchEvent(new Event('frames'));
    } else delete this.dataset.playing;
  }
}

const playHeldBack = () => {
  const pictures = [...heldBack];
  heldBack.clear();
  for (const picture of pictures) picture.playHeldBack();
};
document.addEventListener('click', playHeldBack, { capture: true });
document.addEventListener('visibilitychange', () => !document.hidden && playHeldBack());

customElements.define('ov-video', Video);
