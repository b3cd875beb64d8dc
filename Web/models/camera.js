import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { absence } from './devices.js';
import { cameraShape } from './sending.js';

/** @typedef {import('./devices.js').Device} Device */
/** @typedef {import('./preferences.js').PreferencesModel} PreferencesModel */
/**
 * `none`: plain HTTP, or a browser that gives pages no camera.
 * @typedef {object} CameraState
 * @property {boolean} none
 * @property {Device[]} devices labels are '' before permission
 * @property {string} chosen device id, '' for the system's choice
 * @property {boolean} open the device is captured now
 * @property {boolean} opening the browser is asking, or the device starts
 * @property {string | null} problem `camera_denied` | `camera_denied_by_system` | `camera_missing` | `camera_busy` | `camera_insecure` | `camera_withheld`
 * @property {boolean} away open, and the system has taken it away for now, for a call or because the page is hidden
 * @property {boolean} facesMe a camera that looks at whoever holds the device: seen mirrored, by them alone
 */

/**
 * What getUserMedia throws, by DOMException name.
 * @type {Record<string, string>}
 */
const problems = {
  NotAllowedError: 'camera_denied',
  SecurityError: 'camera_denied',
  NotFoundError: 'camera_missing',
  OverconstrainedError: 'camera_missing',
  NotReadableError: 'camera_busy',
  AbortError: 'camera_busy',
};
/** Programs that give a picture as a camera does: what they show may hold writing. */
const virtual = /obs|virtual|manycam|snap camera|xsplit|ndi|screen/i;
/** The camera on the other side of a phone. */
const rear = /back|rear|environment|후면|后置/i;

/** One camera for the tab: chosen, opened while somebody wants it, found again when it was unplugged. */
export class CameraModel {
  state = new Store(
    /** @type {CameraState} */ ({
      none: false,
      devices: [],
      chosen: '',
      open: false,
      opening: false,
      problem: null,
      away: false,
      facesMe: true,
    }),
  );
  /** The captured track; null while closed. Changes when the device does. */
  track = new Store(/** @type {MediaStreamTrack | null} */ (null));

  #preferences;
  #media;
  #framesCome;
  /** @type {'user' | 'environment'} Asked for where no device is chosen. */ #facing = 'user';
  #renews = false;
  /** What a camera is asked for. */ #shape;
  /** @type {Promise<MediaStreamTrack> | null} */ #opening = null;
  /** @type {Set<string>} Who wants it open: it is let go with the last of them. */ #holders = new Set();

  /**
   * @param {PreferencesModel} preferences
   * @param {MediaDevices | undefined} media
   * @param {{page?: Document | null, framesCome?: (track: MediaStreamTrack) => Promise<boolean>}} host others in tests: whose being
   *   looked at again counts, and whether a track shows anything
   */
  constructor(preferences, media = globalThis.navigator?.mediaDevices, host = {}) {
    const { page = globalThis.document ?? null, framesCome = looked } = host;
    this.#preferences = preferences;
    this.#media = media;
    this.#framesCome = framesCome;
    page?.addEventListener(
      'visibilitychange',
      () => !page.hidden && this.state.get().away && void this.#renew(),
    );
    this.#shape = cameraShape(preferences.get());
    preferences.subscribe(() => this.#reshape(), { now: false });
    this.#change({ chosen: preferences.get().camera });
    if (!media) this.#change({ none: true, problem: `camera_${absence()}` });
    media?.addEventListener('devicechange', () => void this.refresh());
    void this.refresh();
  }

  /**
   * Opens the chosen device (the browser asks for permission if need be). Idempotent. Throws OvationError `camera_*`, and `aborted`
   * where it was closed meanwhile.
   * @param {string} holder who wants it; `close` takes the same name
   * @returns {Promise<MediaStreamTrack>}
   */
  async open(holder) {
    this.#holders.add(holder);
    const track = this.track.get();
    if (track?.readyState === 'live') return track;
    this.#opening ??= this.#acquire().finally(() => {
      this.#opening = null;
    });
    try {
      return await this.#opening;
    } catch (thrown) {
      this.#holders.delete(holder);
      throw thrown;
    }
  }

  /**
   * Lets the device go, unless somebody else still holds it; the browser's mark disappears.
   * @param {string} holder
   */
  close(holder) {
    this.#holders.delete(holder);
    if (this.#holders.size > 0) return;
    this.#release();
    if (!this.state.get().none) this.#change({ problem: null });
  }

  /**
   * Chooses a device, and swaps to it if open.
   * @param {string} id
   */
  async choose(id) {
    this.#preferences.change({ camera: id });
    this.#change({ chosen: id });
    if (this.#holders.size === 0) return;
    await this.#opening?.catch(() => {});
    this.#release();
    for (const holder of [...this.#holders]) await this.open(holder);
  }

  /**
   * The camera on the other side of a phone, as its button does; where tracks do not tell their side, the next of the cameras. An iPhone
   * lists each of its lenses, most of them on the same side.
   */
  async flip() {
    const { facingMode } = this.track.get()?.getSettings?.() ?? {};
    if (facingMode === 'user' || facingMode === 'environment') {
      this.#facing = facingMode === 'user' ? 'environment' : 'user';
      return this.choose('');
    }
    const { devices, chosen } = this.state.get();
    if (devices.length < 2) return;
    const now = this.track.get()?.getSettings?.().deviceId ?? chosen;
    const at = devices.findIndex(({ id }) => id === now);
    await this.choose(devices[(at + 1) % devices.length].id);
  }

  /** Reads the list of devices anew. */
  async refresh() {
    if (!this.#media?.enumerateDevices) return;
    const all = await this.#media.enumerateDevices().catch(() => []);
    const devices = all
      .filter(({ kind }) => kind === 'videoinput')
      .map(({ deviceId, label }) => ({ id: deviceId, label }));
    const more = devices.length > this.state.get().devices.length;
    this.#change({ devices });
    // Plugged in again: it is what was waited for.
    const { problem, opening } = this.state.get();
    if (more && problem === 'camera_missing' && !opening)
      for (const holder of this.#holders) this.open(holder).catch(() => {});
  }

  async #acquire() {
    if (!this.#media?.getUserMedia) throw this.#fail(`camera_${absence()}`);
    this.#change({ opening: true });
    try {
      const stream = await this.#ask(this.#media, this.state.get().chosen);
      const [track] = stream.getVideoTracks();
      if (this.#holders.size === 0) {
        // Closed while the browser was asking.
        track.stop();
        throw new OvationError('aborted');
      }
      this.#take(track);
      void this.refresh();
      return track;
    } catch (thrown) {
      if (thrown instanceof OvationError) throw thrown;
      throw this.#fail(problemOf(thrown), thrown);
    } finally {
      this.#change({ opening: false });
    }
  }

  /** @param {MediaDevices} media @param {string} id */
  async #ask(media, id) {
    try {
      return await media.getUserMedia({
        video: { ...this.#shape, ...(id ? { deviceId: { exact: id } } : { facingMode: this.#facing }) },
      });
    } catch (thrown) {
      // The chosen one is not plugged in today.
      const gone = ['OverconstrainedError', 'NotFoundError'].includes(/** @type {any} */ (thrown)?.name);
      if (id && gone) return media.getUserMedia({ video: this.#shape });
      throw thrown;
    }
  }

  /** Another size or shape was chosen: an open camera changes without being let go. */
  #reshape() {
    const shape = cameraShape(this.#preferences.get());
    if (JSON.stringify(shape) === JSON.stringify(this.#shape)) return;
    this.#shape = shape;
    // One that cannot stays as it is; the layers' rates change all the same.
    void this.track
      .get()
      ?.applyConstraints?.(shape)
      .catch(() => {});
  }

  /** @param {MediaStreamTrack} track */
  #take(track) {
    track.onended = () => {
      if (this.track.get() !== track) return;
      this.#release();
      // Unplugged: take another one, or say that there is none.
      for (const holder of [...this.#holders]) {
        this.open(holder).catch(() => this.#holders.add(holder));
      }
    };
    track.onmute = () => this.#change({ away: true });
    track.onunmute = () => void this.#renew();
    const facing = track.getSettings?.().facingMode;
    const facesMe = facing ? facing === 'user' : !virtual.test(track.label) && !rear.test(track.label);
    this.#change({ open: true, away: false, problem: null, facesMe });
    this.track.set(track);
  }

  /**
   * The system gives it back, or may have: on an iPhone the old track may stay black, so one that shows nothing in two seconds is opened
   * anew. While a call still has the camera none is to be had; the next word of the system, or the next look at the page, tries again.
   */
  async #renew() {
    const old = this.track.get();
    if (!old || !this.#media || this.#renews) return;
    this.#renews = true;
    try {
      if (!old.muted && (await this.#framesCome(old))) return this.#change({ away: false });
      if (this.track.get() !== old) return;
      const stream = await this.#ask(this.#media, this.state.get().chosen);
      const [track] = stream.getVideoTracks();
      // Let go, or another device chosen, meanwhile.
      if (this.track.get() !== old) return track.stop();
      letGo(old);
      this.#take(track);
    } catch {
      // See above.
    } finally {
      this.#renews = false;
    }
  }

  #release() {
    const track = this.track.get();
    if (track) letGo(track);
    this.track.set(null);
    this.#change({ open: false, away: false });
  }

  /** @param {string} name @param {unknown} [cause] */
  #fail(name, cause) {
    this.#change({ problem: name });
    return new OvationError(name, cause === undefined ? undefined : String(cause), { cause });
  }

  /** @param {Partial<CameraState>} some */
  #change(some) {
    this.state.set({ ...this.state.get(), ...some });
  }
}

/** @param {MediaStreamTrack} track */
async function looked(track) {
  const { framesCome } = await import('../video/frames.js');
  return framesCome(track);
}

/** @param {MediaStreamTrack} track */
function letGo(track) {
  track.onended = track.onmute = track.onunmute = null;
  track.stop();
}

/** @param {any} thrown */
function problemOf(thrown) {
  // Chromium says so when the operating system refuses, not the person.
  if (thrown?.name === 'NotAllowedError' && /system/i.test(thrown.message ?? ''))
    return 'camera_denied_by_system';
  return problems[thrown?.name] ?? 'camera_busy';
}
