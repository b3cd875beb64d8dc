import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { LevelMeter } from './meter.js';

/** @typedef {import('./preferences.js').PreferencesModel} PreferencesModel */
/** @typedef {{id: string, label: string}} Device label is '' before permission */
/**
 * `insecure`: plain HTTP, no microphone at all · `withheld`: a browser that gives pages none · `unknown`/`prompt`: the browser will ask · `granted` · `denied`.
 * @typedef {object} MicrophoneState
 * @property {'insecure' | 'withheld' | 'unknown' | 'prompt' | 'granted' | 'denied'} permission
 * @property {Device[]} devices
 * @property {string} chosen device id, '' for the system's choice
 * @property {boolean} open the device is captured now
 * @property {boolean} opening the browser is asking, or the device starts
 * @property {string | null} problem `microphone_denied` | `microphone_missing` | `microphone_busy` | `microphone_insecure` | `microphone_withheld`
 */
/**
 * @typedef {object} SpeakerState
 * @property {Device[]} devices
 * @property {string} chosen device id, '' for the system's choice
 * @property {boolean} selectable false where the browser cannot choose (then show no menu)
 * @property {string} output id of the device that sound goes to, '' where the browser does not tell
 */

/** For speech: a person in a room with loudspeakers (echo), a fan (noise) and no recording level (gain). */
const speech = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };
/** For music: what helps speech takes notes for noise. It wants headphones. */
const music = { echoCancellation: false, noiseSuppression: false, autoGainControl: false, channelCount: 2 };
/** A singer with headphones: the voice as it is, and as soon as it is there. */
const singing = { ...music, channelCount: 1, latency: 0 };
/**
 * What getUserMedia throws, by DOMException name.
 * @type {Record<string, string>}
 */
const problems = {
  NotAllowedError: 'microphone_denied',
  SecurityError: 'microphone_denied',
  NotFoundError: 'microphone_missing',
  OverconstrainedError: 'microphone_missing',
  NotReadableError: 'microphone_busy',
  AbortError: 'microphone_busy',
};

/** Why a browser has no devices: a page that is not secure gets none, and some browsers give none to any page. */
export function absence() {
  return globalThis.isSecureContext ? 'withheld' : 'insecure';
}

/** One microphone for the tab: chosen, opened when needed, found again when unplugged. */
export class MicrophoneModel {
  state = new Store(
    /** @type {MicrophoneState} */ ({
      permission: 'unknown',
      devices: [],
      chosen: '',
      open: false,
      opening: false,
      problem: null,
    }),
  );
  /** @type {Store<number>} How loud it is, 0…100, 20 times a second while open and watched, also while muted. */
  level = new Store(0, { first: () => this.#measure(), last: () => this.#meter.stop() });
  /** The captured track, unmuted; null when closed. Changes when the device does. */
  track = new Store(/** @type {MediaStreamTrack | null} */ (null));

  #preferences;
  #media;
  /** @type {LevelMeter} */ #meter = new LevelMeter(level => this.level.set(level));
  /** @type {Promise<MediaStreamTrack> | null} */ #opening = null;
  #sings = false;
  /** The system took it away, and has not given it back for certain. */ #isTaken = false;
  #renews = false;
  /** @type {Set<string>} Who wants it open: it is let go with the last of them, and an unplugged device is replaced. */
  #holders = new Set();

  /**
   * @param {PreferencesModel} preferences
   * @param {MediaDevices | undefined} media
   * @param {Document | null} [page] whose being looked at again counts
   */
  constructor(preferences, media = globalThis.navigator?.mediaDevices, page = globalThis.document ?? null) {
    this.#preferences = preferences;
    this.#media = media;
    page?.addEventListener('visibilitychange', () => !page.hidden && void this.#renew());
    this.#change({ chosen: preferences.get().microphone });
    if (!media) this.#change({ permission: absence(), problem: `microphone_${absence()}` });
    media?.addEventListener('devicechange', () => void this.refresh());
    void this.#watchPermission();
    void this.refresh();
  }

  /**
   * Opens the chosen device (the browser asks for permission if need be). Idempotent. Throws OvationError `microphone_*`.
   * @param {string} [holder] who wants it; `close` takes the same name
   * @returns {Promise<MediaStreamTrack>}
   */
  open(holder = 'page') {
    this.#holders.add(holder);
    const track = this.track.get();
    if (track?.readyState === 'live') return Promise.resolve(track);
    this.#opening ??= this.#acquire().finally(() => {
      this.#opening = null;
    });
    return this.#opening.catch(error => {
      this.#holders.delete(holder);
      throw error;
    });
  }

  /**
   * Lets the device go, unless somebody else still holds it; the browser's mark disappears.
   * @param {string} [holder]
   */
  close(holder = 'page') {
    this.#holders.delete(holder);
    if (this.#wanted) return;
    this.#release();
    if (this.#media) this.#change({ problem: null });
  }

  /**
   * Chooses a device, and swaps to it if open.
   * @param {string} id
   */
  async choose(id) {
    this.#preferences.change({ microphone: id });
    this.#change({ chosen: id });
    await this.#reopen();
  }

  async #reopen() {
    if (!this.#wanted) return;
    await this.#opening?.catch(() => {});
    this.#release();
    for (const holder of this.#holders) await this.open(holder);
  }

  /**
   * Captures for speech or for music from now on, at once if open.
   * @param {import('./preferences.js').Preferences['quality']} quality
   */
  async setQuality(quality) {
    const before = this.#wishes;
    this.#preferences.change({ quality });
    if (this.#wishes !== before) await this.#reopen();
  }

  /**
   * Captures a singer with headphones from now on, or as the preferences say again; at once if open.
   * @param {boolean} sings
   */
  async setSinging(sings) {
    if (this.#sings === sings) return;
    this.#sings = sings;
    await this.#reopen();
  }

  get #wishes() {
    if (this.#sings) return singing;
    return this.#preferences.get().quality === 'music' ? music : speech;
  }

  /** Reads the list of devices and the permission anew. */
  async refresh() {
    if (!this.#media?.enumerateDevices) return;
    const all = await this.#media.enumerateDevices().catch(() => []);
    const devices = named(all.filter(device => device.kind === 'audioinput'));
    // Labels are told only with permission (Firefox has no permission query for microphones before 131).
    const told = devices.some(device => device.label !== '');
    this.#change({ devices, ...(told ? { permission: 'granted' } : {}) });
  }

  get #wanted() {
    return this.#holders.size > 0;
  }

  async #acquire() {
    if (!this.#media?.getUserMedia) throw this.#fail(`microphone_${absence()}`);
    this.#change({ opening: true });
    try {
      const stream = await this.#ask(this.#media, this.state.get().chosen);
      const [track] = stream.getAudioTracks();
      if (!this.#wanted) {
        // Closed while the browser was asking.
        track.stop();
        throw new OvationError('aborted');
      }
      this.#take(track);
      void this.refresh();
      return track;
    } catch (thrown) {
      if (thrown instanceof OvationError) throw thrown;
      const name = problems[/** @type {any} */ (thrown)?.name] ?? 'microphone_busy';
      throw this.#fail(name, thrown);
    } finally {
      this.#change({ opening: false });
    }
  }

  /** @param {MediaDevices} media @param {string} id */
  async #ask(media, id) {
    try {
      return await media.getUserMedia({
        audio: { ...this.#wishes, ...(id ? { deviceId: { exact: id } } : {}) },
      });
    } catch (thrown) {
      // The chosen one is not plugged in today: the system's choice is better than silence.
      if (id && ['OverconstrainedError', 'NotFoundError'].includes(/** @type {any} */ (thrown)?.name)) {
        return media.getUserMedia({ audio: this.#wishes });
      }
      throw thrown;
    }
  }

  /** @param {MediaStreamTrack} track */
  #take(track) {
    track.onended = () => {
      if (this.track.get() !== track) return;
      this.#release();
      // Unplugged: take another one, or say that there is none.
      for (const holder of this.#holders) this.open(holder).catch(() => {});
    };
    // The system takes the microphone away for a while, for example for a phone call.
    track.onmute = () => {
      this.#isTaken = true;
      this.#change({ problem: 'microphone_busy' });
    };
    track.onunmute = () => {
      this.#change({ problem: null });
      void this.#renew();
    };
    this.#isTaken = false;
    this.#change({ open: true, problem: null, permission: 'granted' });
    this.track.set(track);
    if (this.level.watched) this.#measure();
  }

  /**
   * After an interruption an iPhone's track stays silent, whatever it says of itself: a fresh one takes its place. While a call still has
   * the microphone none is to be had; the next word of the system, or the next look at the page, tries again.
   */
  async #renew() {
    const old = this.track.get();
    if (!old || !this.#media || !this.#isTaken || this.#renews) return;
    this.#renews = true;
    try {
      const stream = await this.#ask(this.#media, this.state.get().chosen);
      const [track] = stream.getAudioTracks();
      // Let go, or another device chosen, meanwhile.
      if (this.track.get() !== old) return track.stop();
      this.#meter.stop();
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
    this.#meter.stop();
    this.level.set(0);
    if (track) letGo(track);
    this.track.set(null);
    this.#change({ open: false });
  }

  #measure() {
    const track = this.track.get();
    if (track) this.#meter.start(track);
  }

  /** @param {string} name @param {unknown} [cause] */
  #fail(name, cause) {
    this.#change({ problem: name, ...(name === 'microphone_denied' ? { permission: 'denied' } : {}) });
    return new OvationError(name, cause === undefined ? undefined : String(cause), { cause });
  }

  async #watchPermission() {
    if (!this.#media) return;
    try {
      const status = await navigator.permissions.query({
        name: /** @type {PermissionName} */ ('microphone'),
      });
      const follow = () => {
        this.#change({ permission: status.state });
        if (status.state !== 'denied' && this.state.get().problem === 'microphone_denied')
          this.#change({ problem: null });
      };
      status.onchange = follow;
      follow();
    } catch {
      // Not every engine tells; the list of devices will.
    }
  }

  /** @param {Partial<MicrophoneState>} some */
  #change(some) {
    this.state.set({ ...this.state.get(), ...some });
  }
}

/** @param {MediaStreamTrack} track */
function letGo(track) {
  track.onended = track.onmute = track.onunmute = null;
  track.stop();
}

/** Where sound comes out. */
export class SpeakerModel {
  state = new Store(/** @type {SpeakerState} */ ({ devices: [], chosen: '', selectable: false, output: '' }));

  #preferences;
  #media;
  /** @type {MediaDeviceInfo[]} As the browser lists them. */ #outputs = [];
  /** Of the reading that began last. */ #turn = 0;

  /**
   * @param {PreferencesModel} preferences
   * @param {MediaDevices | undefined} media
   */
  constructor(preferences, media = globalThis.navigator?.mediaDevices) {
    this.#preferences = preferences;
    this.#media = media;
    this.state.set({ ...this.state.get(), chosen: preferences.get().speaker });
    media?.addEventListener('devicechange', () => void this.refresh());
    void this.refresh();
  }

  /** @param {string} id '' for the system's choice */
  async choose(id) {
    this.#preferences.change({ speaker: id });
    this.state.set({ ...this.state.get(), chosen: id, output: outputOf(this.#outputs, id) });
  }

  /** Reads the list anew; of several at once the last one counts, whichever is answered first. */
  async refresh() {
    if (!this.#media?.enumerateDevices) return;
    const turn = ++this.#turn;
    const all = await this.#media.enumerateDevices().catch(() => []);
    if (turn !== this.#turn) return;
    this.#outputs = all.filter(device => device.kind === 'audiooutput');
    const devices = named(this.#outputs);
    const output = outputOf(this.#outputs, this.state.get().chosen);
    const can = 'HTMLMediaElement' in globalThis && 'setSinkId' in HTMLMediaElement.prototype;
    this.state.set({ ...this.state.get(), devices, output, selectable: can && devices.length > 0 });
  }
}

/** "default" and "communications" are the system's choice under another name. */
const aliases = new Set(['default', 'communications']);

/** @param {MediaDeviceInfo[]} devices @returns {Device[]} */
function named(devices) {
  return devices
    .filter(({ deviceId }) => !aliases.has(deviceId))
    .map(({ deviceId, label }) => ({ id: deviceId, label }));
}

/**
 * Where sound goes. Chromium's "default" tells by its group, and among several of a group by its label, which device it stands for;
 * other browsers put the system's choice first.
 * @param {MediaDeviceInfo[]} outputs
 * @param {string} chosen
 */
function outputOf(outputs, chosen) {
  const real = outputs.filter(({ deviceId }) => !aliases.has(deviceId));
  if (chosen && real.some(({ deviceId }) => deviceId === chosen)) return chosen;
  const system = outputs.find(({ deviceId }) => deviceId === 'default');
  if (!system) return real[0]?.deviceId ?? '';
  const group = real.filter(({ groupId }) => groupId === system.groupId);
  // "Speakers" ends "Default - USB Speakers" too: the longest name is the whole one.
  const [whole] = group
    .filter(({ label }) => system.label.endsWith(label))
    .sort((one, other) => other.label.length - one.label.length);
  return (whole ?? group[0])?.deviceId ?? '';
}
