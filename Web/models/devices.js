import { Store } from '../lib/store.js';

/** @typedef {import('./preferences.js').PreferencesModel} PreferencesModel */
/** @typedef {{id: string, label: string}} Device label is '' before permission */
/**
 * `insecure`: plain HTTP, no microphone at all · `unknown`/`prompt`: the browser will ask · `granted` · `denied`.
 * @typedef {object} MicrophoneState
 * @property {'insecure' | 'unknown' | 'prompt' | 'granted' | 'denied'} permission
 * @property {Device[]} devices
 * @property {string} chosen device id, '' for the system's choice
 * @property {boolean} open the device is captured now
 * @property {boolean} opening the browser is asking, or the device starts
 * @property {string | null} problem `microphone_denied` | `microphone_missing` | `microphone_busy` | `microphone_insecure`
 */

/** @typedef {{devices: Device[], chosen: string, selectable: boolean}} SpeakerState */

/** One microphone for the tab: chosen, opened when needed, found again when unplugged. */
export class MicrophoneModel {
  /** @type {Store<MicrophoneState>} */
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
  /**
   * How loud it is, 0…100, about 20 times a second while open and watched, also while muted.
   * @type {Store<number>}
   */
  level = new Store(0);
  /**
   * The captured track, unmuted; null when closed. Changes when the device does.
   * @type {Store<MediaStreamTrack | null>}
   */
  track = new Store(/** @type {MediaStreamTrack | null} */ (null));

  /** @param {PreferencesModel} preferences */
  constructor(preferences) {
    void preferences;
  }

  /** Opens the chosen device (asks for permission if need be). Idempotent. Throws OvationError `microphone_*`. */
  async open() {
    return /** @type {MediaStreamTrack} */ (/** @type {unknown} */ (null));
  }

  /** Lets the device go; the browser's mark disappears. */
  close() {}

  /**
   * Chooses a device, and swaps to it if open.
   * @param {string} id
   */
  async choose(id) {
    void id;
  }

  /** Reads the list of devices and the permission anew. */
  async refresh() {}
}

/** Where sound comes out. */
export class SpeakerModel {
  /**
   * `selectable` is false where the browser cannot choose (then show no menu).
   * @type {Store<SpeakerState>}
   */
  state = new Store(/** @type {SpeakerState} */ ({ devices: [], chosen: '', selectable: false }));

  /** @param {PreferencesModel} preferences */
  constructor(preferences) {
    void preferences;
  }

  /** @param {string} id */
  async choose(id) {
    void id;
  }

  /** Reads the list anew. */
  async refresh() {}
}
