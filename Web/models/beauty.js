import { Store } from '../lib/store.js';

/** @typedef {import('../video/pipelines.js').Pipeline} Pipeline */
/** @typedef {import('./preferences.js').PreferencesModel} PreferencesModel */
/**
 * `worker` and `canvas`: pictures are changed, on a thread of their own or on the page's. `failed`: they cannot be, and nothing is shown.
 * @typedef {'off' | 'starting' | 'worker' | 'canvas' | 'failed'} BeautyMode
 */

export const beautyStyles = /** @type {const} */ (['natural', 'balanced', 'strong']);
/** The highest level. */
export const beautyMost = 9;

/**
 * What people see of my camera: its picture, or that picture changed, by beauty or as in a mirror. Whoever has chosen that is never seen
 * without it: until the first changed picture comes, and when none can, there is no picture.
 */
export class BeautyModel {
  state = new Store(/** @type {{mode: BeautyMode}} */ ({ mode: 'off' }));
  /** What is shown; null: nothing. */
  track = new Store(/** @type {MediaStreamTrack | null} */ (null));

  #camera;
  #preferences;
  #load;
  /** @type {MediaStreamTrack | null} The camera's picture that is being changed. */ #source = null;
  /** @type {Pipeline | null} */ #pipeline = null;
  /** Counts starts: an older one that comes late is ended. */ #turn = 0;

  /**
   * @param {import('./camera.js').CameraModel} camera
   * @param {PreferencesModel} preferences
   * @param {() => Promise<Pick<typeof import('../video/pipelines.js'), 'startPipeline'>>} [load] on first use: who does without it pays nothing
   */
  constructor(camera, preferences, load = () => import('../video/pipelines.js')) {
    this.#camera = camera;
    this.#preferences = preferences;
    this.#load = load;
    camera.track.subscribe(() => this.#follow());
    preferences.subscribe(() => this.#follow(), { now: false });
  }

  /** Tries again what has failed. */
  retry() {
    this.#source = null;
    this.#follow();
  }

  /**
   * Whether I am shown a picture of mine turned, so that I see myself as I have chosen; the others see it as it is.
   * @param {MediaStreamTrack | null} track
   */
  turns(track) {
    const { mirror, mirrorSent } = this.#preferences.get();
    // What other cameras show is seen as the others see it.
    if (!this.#camera.state.get().facesMe) return false;
    return mirror !== (mirrorSent && track !== null && track === this.#pipeline?.track);
  }

  get #isWanted() {
    const { beauty, mirrorSent } = this.#preferences.get();
    return beauty || mirrorSent;
  }

  get #levels() {
    const { beauty, beautySmooth, beautyWhiten, beautyRuddy, beautyStyle, mirrorSent } =
      this.#preferences.get();
    const level = (/** @type {number} */ stored) =>
      beauty ? Math.min(beautyMost, Math.max(0, Math.round(stored) || 0)) : 0;
    return {
      smooth: level(beautySmooth),
      whiten: level(beautyWhiten),
      ruddy: level(beautyRuddy),
      style: beautyStyle,
      mirror: mirrorSent,
    };
  }

  #follow() {
    const source = this.#camera.track.get();
    if (!source || !this.#isWanted) {
      this.#end();
      this.#is('off');
      this.track.set(source);
      return;
    }
    if (source === this.#source) return this.#pipeline?.set(this.#levels);
    const isSeen = this.track.get() === source;
    this.#end();
    // Who was seen as they are until now, stays so until the first changed picture.
    if (!isSeen) this.track.set(null);
    void this.#start(source);
  }

  /** @param {MediaStreamTrack} source */
  async #start(source) {
    const turn = ++this.#turn;
    this.#source = source;
    this.#is('starting');
    const failed = () => {
      if (turn !== this.#turn) return;
      this.#pipeline = null;
      this.track.set(null);
      this.#is('failed');
    };
    try {
      const { startPipeline } = await this.#load();
      if (turn !== this.#turn) return;
      const pipeline = await startPipeline(source, this.#levels, failed);
      if (turn !== this.#turn) return pipeline.end();
      this.#pipeline = pipeline;
      pipeline.set(this.#levels);
      this.track.set(pipeline.track);
      this.#is(pipeline.mode);
    } catch {
      failed();
    }
  }

  #end() {
    this.#turn++;
    this.#source = null;
    this.#pipeline?.end();
    this.#pipeline = null;
  }

  /** @param {BeautyMode} mode */
  #is(mode) {
    if (this.state.get().mode !== mode) this.state.set({ mode });
  }
}
