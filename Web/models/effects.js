import { Mixer } from '../audio/mixer.js';
import { derive, Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { fetchMusic, MusicTrack } from './music.js';

/** @typedef {import('./devices.js').MicrophoneModel} MicrophoneModel */
/** @typedef {import('./devices.js').SpeakerModel} SpeakerModel */
/** @typedef {import('./music.js').MusicState} MusicState */
/** @typedef {import('./music.js').MusicOptions} MusicOptions */

/**
 * My voice's way: `pitch` −1…1 (an octave down or up), `changer` 0…11 and `reverb` 0…10 by the documented numbers, `volume`
 * 0…150; `ear`: I hear myself, at `earVolume` 0…150.
 * @typedef {object} VoiceEffects
 * @property {number} pitch
 * @property {number} changer
 * @property {number} reverb
 * @property {number} volume
 * @property {boolean} ear
 * @property {number} earVolume
 */
/** @typedef {VoiceEffects & {music: readonly MusicState[], supported: boolean, problem: string | null}} EffectsState */

/** @type {Readonly<VoiceEffects>} */
export const plainVoice = Object.freeze({
  pitch: 0,
  changer: 0,
  reverb: 0,
  volume: 100,
  ear: false,
  earVolume: 100,
});
/** Under this name the device is held while one hears oneself outside a seat. */
const holder = 'effects';
const most = { volume: 150, changer: 11, reverb: 10 };

/**
 * Voice effects, in-ear monitor and music of this tab. As long as nothing is on, the microphone's own track goes out
 * untouched (`outgoing`); else a mix takes its place.
 */
export class EffectsModel {
  state = new Store(
    /** @type {Readonly<EffectsState>} */ ({
      ...plainVoice,
      music: [],
      supported: 'AudioWorkletNode' in globalThis,
      problem: null,
    }),
  );
  /** What the microphone line should carry; null while there is nothing to carry. */
  outgoing = new Store(/** @type {MediaStreamTrack | null} */ (null));
  /** Others hear something else than the microphone alone. */
  active = derive([this.state], mixes);
  /** True while music that others may hear is playing. */
  publishing = new Store(false);

  #microphone;
  #speaker;
  #open;
  #fetch;
  /** My voice in the room, silent while muted. */
  /** @type {MediaStreamTrack | null} */ #voice = null;
  /** @type {Mixer | null} */ #mixer = null;
  /** @type {Promise<Mixer> | null} */ #opening = null;
  /** What the desk's microphone channel carries. */
  /** @type {MediaStreamTrack | null} */ #plugged = null;
  /** @type {Map<string, MusicTrack>} */ #tracks = new Map();
  #loading = 0;
  /** I want to hear myself; the device may still be opening. */ #wantsEar = false;
  /** Grows with each `reset`: what was being loaded then is no longer wanted. */
  #visit = 0;
  #count = 0;

  /**
   * @param {MicrophoneModel} microphone
   * @param {SpeakerModel} speaker
   * @param {{open?: () => Promise<Mixer>, fetch?: typeof fetchMusic}} host others in tests
   */
  constructor(microphone, speaker, { open = Mixer.open, fetch = fetchMusic } = {}) {
    this.#microphone = microphone;
    this.#speaker = speaker;
    this.#open = open;
    this.#fetch = fetch;
    microphone.track.subscribe(() => this.#settle(), { now: false });
    speaker.state.subscribe(({ chosen }) => void this.#mixer?.setOutput(chosen), { now: false });
  }

  /**
   * My voice in the room from now on; null when there is none.
   * @param {MediaStreamTrack | null} track
   */
  carry(track) {
    this.#voice = track;
    this.#settle();
  }

  /**
   * Changes my voice. Values out of bounds are brought within them.
   * @param {Partial<Omit<VoiceEffects, 'ear'>>} some
   */
  async setVoice(some) {
    const { pitch, changer, reverb, volume, earVolume } = { ...this.state.get(), ...some };
    this.#change({
      pitch: bounded(pitch, -1, 1),
      changer: Math.round(bounded(changer, 0, most.changer)),
      reverb: Math.round(bounded(reverb, 0, most.reverb)),
      volume: bounded(volume, 0, most.volume),
      earVolume: bounded(earVolume, 0, most.volume),
    });
    await this.#settle();
  }

  /**
   * I hear myself, or no longer. Outside a seat this opens the microphone. Throws OvationError `microphone_*`.
   * @param {boolean} ear
   */
  async setEar(ear) {
    if (ear === this.#wantsEar) return;
    this.#wantsEar = ear;
    if (!ear) this.#microphone.close(holder);
    else {
      try {
        await this.#microphone.open(holder);
      } catch (thrown) {
        this.#wantsEar = false;
        throw thrown;
      }
      // Said otherwise, or the room was left, while the browser was asking.
      if (!this.#wantsEar) return;
    }
    this.#change({ ear });
    await this.#settle();
  }

  /**
   * Adds a piece of music and starts it. Throws OvationError `music_*`, `effects_unsupported`, or `aborted` when the room was
   * left meanwhile.
   * @param {File | string} source a file or an address
   * @param {Partial<MusicOptions>} [options]
   * @returns {Promise<string>} its id
   */
  async addMusic(source, options = {}) {
    const visit = this.#visit;
    this.#loading++;
    try {
      const { name, bytes } = await this.#fetch(source);
      const mixer = await this.#desk();
      const sound = await decode(mixer, bytes);
      if (visit !== this.#visit) throw new OvationError('aborted');
      const id = String(++this.#count);
      const track = new MusicTrack(mixer, { id, name, sound, options, changed: () => this.#musicChanged() });
      this.#tracks.set(id, track);
      track.play();
      return id;
    } finally {
      this.#loading--;
      await this.#settle();
    }
  }

  /**
   * One of those in `state.music`, to play, pause, seek and change.
   * @param {string} id
   */
  music(id) {
    return this.#tracks.get(id) ?? null;
  }

  /** @param {string} id */
  removeMusic(id) {
    this.#tracks.get(id)?.remove();
    this.#tracks.delete(id);
    this.#musicChanged();
  }

  /** I left the room: my own voice again, and no music. */
  async reset() {
    this.#visit++;
    for (const track of this.#tracks.values()) track.remove();
    this.#tracks.clear();
    if (this.#wantsEar) this.#microphone.close(holder);
    this.#wantsEar = false;
    this.#change({ ...plainVoice, music: [], problem: null });
    this.publishing.set(false);
    await this.#settle();
  }

  /** In a click: sound that the browser held back. */
  async resume() {
    await this.#mixer?.resume();
  }

  #musicChanged() {
    const music = [...this.#tracks.values()].map(({ state }) => state);
    this.#change({ music });
    this.publishing.set(music.some(({ publish, status }) => publish && status === 'playing'));
    void this.#settle();
  }

  /** @returns {Promise<Mixer>} */
  async #desk() {
    this.#opening ??= this.#open().then(
      mixer => {
        this.#mixer = mixer;
        mixer.changed = how => void (how === 'stands' ? this.#renew(mixer) : this.#settle());
        void mixer.setOutput(this.#speaker.state.get().chosen);
        return mixer;
      },
      thrown => {
        this.#opening = null;
        throw new OvationError('effects_unsupported', String(thrown));
      },
    );
    return this.#opening;
  }

  /**
   * This desk gives silence for good: another takes its place. The music on it is lost.
   * @param {Mixer} mixer
   */
  async #renew(mixer) {
    if (mixer !== this.#mixer) return;
    const hadMusic = this.#tracks.size > 0;
    for (const track of this.#tracks.values()) track.remove();
    this.#tracks.clear();
    this.outgoing.set(this.#voice);
    this.#mixer = null;
    this.#opening = null;
    this.#plugged = null;
    mixer.close();
    this.#change({ music: [] });
    this.publishing.set(false);
    await this.#settle();
    if (hadMusic) this.#change({ problem: new OvationError('music_interrupted').name });
  }

  get #wanted() {
    const state = this.state.get();
    const { ear, music } = state;
    return ear || music.length > 0 || this.#loading > 0 || (changes(state) && this.#voice !== null);
  }

  /** Brings desk and outgoing track in line with what is wanted. */
  async #settle() {
    if (this.#wanted && !this.#mixer) {
      try {
        await this.#desk();
        this.#change({ problem: null });
      } catch (thrown) {
        this.#change({ problem: OvationError.of(thrown).name });
      }
    }
    const mixer = this.#mixer;
    if (mixer && !this.#wanted) {
      this.outgoing.set(this.#voice);
      this.#mixer = null;
      this.#opening = null;
      this.#plugged = null;
      mixer.close();
      return;
    }
    // While a call has the page's sound, the voice goes on as it is.
    const sounds = mixer && this.#plug(mixer) && !mixer.waits;
    const mixed = sounds && mixes(this.state.get()) ? mixer.track : this.#voice;
    this.outgoing.set(this.#voice && mixed);
  }

  /**
   * @param {Mixer} mixer
   * @returns {boolean} false when the browser cannot take this microphone in: its own track goes on then
   */
  #plug(mixer) {
    const { pitch, changer, reverb, volume, ear, earVolume } = this.state.get();
    const source = this.#voice ?? (ear ? this.#microphone.track.get() : null);
    mixer.setVoice({ pitch, changer, reverb }, volume / 100);
    mixer.setEar(ear ? earVolume / 100 : 0);
    if (source === this.#plugged) return true;
    try {
      mixer.setMicrophone(source);
      this.#plugged = source;
      return true;
    } catch {
      this.#change({ problem: 'effects_unsupported' });
      return false;
    }
  }

  /** @param {Partial<EffectsState>} some */
  #change(some) {
    this.state.set(Object.freeze({ ...this.state.get(), ...some }));
  }
}

/**
 * The voice needs more than to be sent as it is.
 * @param {Readonly<EffectsState>} state
 */
function changes({ pitch, changer, reverb, volume }) {
  return pitch !== 0 || changer !== 0 || reverb !== 0 || volume !== 100;
}

/** @param {Readonly<EffectsState>} state */
function mixes(state) {
  return changes(state) || state.music.some(({ publish, status }) => publish && status !== 'ended');
}

/** @param {Mixer} mixer @param {ArrayBuffer} bytes */
async function decode(mixer, bytes) {
  try {
    return await mixer.decode(bytes);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw new OvationError('music_too_long');
    throw new OvationError('music_unreadable', String(thrown));
  }
}

/** @param {number} value @param {number} least @param {number} most */
function bounded(value, least, most) {
  return Number.isFinite(value) ? Math.max(least, Math.min(most, value)) : least;
}
