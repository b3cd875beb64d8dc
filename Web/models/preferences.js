import { Store } from '../lib/store.js';

/**
 * @typedef {object} Preferences
 * @property {'system' | 'dark' | 'light'} theme
 * @property {'' | 'en' | 'ko' | 'zh-Hans'} language '' follows the browser
 * @property {boolean} danmu on-screen comments
 * @property {string} gifts what is shown of gifts as they come, one of `giftShows`
 * @property {boolean} sounds soft tones
 * @property {boolean} joinMuted sit down with the microphone muted
 * @property {string} microphone device id, '' for the system's choice
 * @property {string} camera device id, '' for the system's choice
 * @property {boolean} mirror I see my own picture as in a mirror, where the camera faces me
 * @property {boolean} mirrorSent others see my picture as in a mirror
 * @property {boolean} beauty my picture is changed before it is sent
 * @property {number} beautySmooth 0…9
 * @property {number} beautyWhiten 0…9
 * @property {number} beautyRuddy 0…9
 * @property {string} beautyStyle one of `beautyStyles`
 * @property {string} sendQuality how large my camera is sent, one of `sendQualities`
 * @property {string} sendShape one of `sendShapes`
 * @property {string} lineQuality what my line was found to carry last, one of `lineQualities`; '' before that
 * @property {boolean} lobbyStill as a host I am seen in the list of rooms
 * @property {string} speaker device id, '' for the system's choice
 * @property {'speech' | 'default' | 'music'} quality how my sound is captured and sent
 * @property {number} playout how loud I hear everybody, 0…100
 * @property {string} hidden ids of people whose lines are not shown, with spaces between
 * @property {boolean} hasSpoken a microphone was given here: who knows how it sounds needs no trial before a room
 * @property {string} name the last name this person signed in with, a suggestion for the next time
 */

/** @type {Readonly<Preferences>} */
export const defaultPreferences = Object.freeze({
  theme: 'system',
  language: '',
  danmu: true,
  gifts: 'all',
  sounds: true,
  joinMuted: false,
  microphone: '',
  camera: '',
  mirror: true,
  sendQuality: 'auto',
  sendShape: 'auto',
  mirrorSent: false,
  lineQuality: '',
  lobbyStill: true,
  beauty: false,
  beautySmooth: 5,
  beautyWhiten: 2,
  beautyRuddy: 2,
  beautyStyle: 'balanced',
  speaker: '',
  quality: 'default',
  playout: 100,
  hidden: '',
  hasSpoken: false,
  name: '',
});

/** Everything · banners alone · nothing. */
export const giftShows = /** @type {const} */ (['all', 'small', 'off']);

const storageKey = 'ovation.preferences';

/**
 * What a person chose on this device; kept in localStorage, shared by all tabs.
 * Storage may be refused (private windows): choices then live as long as the tab.
 * @extends {Store<Readonly<Preferences>>}
 */
export class PreferencesModel extends Store {
  /** @type {Storage | null} */ #storage;

  /** @param {Storage | null} [storage] @param {EventTarget | null} [events] where `storage` events arrive */
  constructor(storage = storageOrNull(() => localStorage), events = globalThis.window ?? null) {
    super(read(storage));
    this.#storage = storage;
    events?.addEventListener('storage', event => {
      if (/** @type {StorageEvent} */ (event).key === storageKey) super.set(read(storage));
    });
  }

  /**
   * Changes some of them.
   * @param {Partial<Preferences>} some
   */
  change(some) {
    this.set(Object.freeze({ ...this.get(), ...some }));
  }

  /** @param {Readonly<Preferences>} value @override */
  set(value) {
    super.set(value);
    try {
      this.#storage?.setItem(storageKey, JSON.stringify(value));
    } catch {
      // Full or refused: the choice still holds for this tab.
    }
  }
}

/** @param {() => Storage} get @returns {Storage | null} */
export function storageOrNull(get) {
  try {
    return get();
  } catch {
    return null;
  }
}

/** @param {Storage | null} storage @returns {Readonly<Preferences>} */
function read(storage) {
  /** @type {Record<string, any>} */ let stored = {};
  try {
    stored = JSON.parse(storage?.getItem(storageKey) ?? '{}') ?? {};
  } catch {
    // Somebody else's text under our key: start afresh.
  }
  const result = /** @type {Record<string, any>} */ ({ ...defaultPreferences });
  for (const [key, value] of Object.entries(defaultPreferences)) {
    if (typeof stored[key] === typeof value) result[key] = stored[key];
  }
  return Object.freeze(/** @type {Preferences} */ (result));
}

/** What `RemovalsModel` keeps. It stands here, since the first page does without that model. */
export const removalsKey = 'ovation.removals';

/** Nobody's are kept in this browser any more; the server says it again to whom it concerns. */
export function forgetRemovals(storage = storageOrNull(() => localStorage)) {
  try {
    storage?.removeItem(removalsKey);
  } catch {
    // Nothing was kept then.
  }
}
