import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';

/** @typedef {import('./devices.js').MicrophoneModel} MicrophoneModel */
/** @typedef {import('../protocol/peer.js').OvationPeer} OvationPeer */

/** From here on it is speech (−36 dBFS), not the fan. */
const speechLevel = 40;
/** So many loud readings (20 a second) among the last ones are somebody talking. */
const speechReadings = 8;
const readingsKept = 20;
/** How long the hint stays after the last word. */
const hintMs = 4_000;
/** Under this name the device is held for the room. */
const holder = 'voice';

/**
 * `problem`: why the microphone could not be opened · `speakingWhileMuted`: loud, although nobody hears it.
 * @typedef {{wanted: boolean, opening: boolean, open: boolean, problem: string | null, speakingWhileMuted: boolean}} VoiceState
 */

/**
 * My voice on its way into the room: the device while I am seated, a copy of its track on the peer (through the effects, if
 * any are on), silent while muted.
 * The copy is what is muted, so that the device still tells whether I speak.
 */
export class VoiceModel {
  state = new Store(
    /** @type {VoiceState} */ ({
      wanted: false,
      opening: false,
      open: false,
      problem: null,
      speakingWhileMuted: false,
    }),
  );

  #microphone;
  #peer;
  #effects;
  #life = new AbortController();
  /** @type {MediaStreamTrack | null} */ #outgoing = null;
  #audible = false;
  #devices = 0;
  /** @type {boolean[]} */ #loud = [];
  /** @type {any} */ #hintTimer = null;

  /**
   * @param {MicrophoneModel} microphone
   * @param {OvationPeer} peer
   * @param {import('./effects.js').EffectsModel | null} [effects] what my voice passes through
   */
  constructor(microphone, peer, effects = null) {
    this.#microphone = microphone;
    this.#peer = peer;
    this.#effects = effects;
    const { signal } = this.#life;
    effects?.outgoing.subscribe(track => this.#publish(track), { signal, now: false });
    microphone.track.subscribe(track => this.#send(track), { signal, now: false });
    microphone.state.subscribe(
      ({ open, opening, problem, devices }) => {
        const more = devices.length > this.#devices;
        this.#devices = devices.length;
        if (!this.state.get().wanted) return;
        this.#change({ open, opening, problem });
        // Plugged in again: it is what was waited for.
        if (more && problem === 'microphone_missing' && !opening) this.open().catch(() => {});
      },
      { signal, now: false },
    );
  }

  /** Opens the device for the room; see `state.problem` when it cannot be. Throws OvationError `microphone_*`. */
  async open() {
    this.#change({ wanted: true });
    const track = await this.#microphone.open(holder);
    if (!this.state.get().wanted) {
      this.#microphone.close(holder);
      throw new OvationError('aborted');
    }
    const { open, opening, problem } = this.#microphone.state.get();
    this.#change({ open, opening, problem });
    if (!this.#outgoing) this.#send(track);
    this.#listen();
  }

  /** I left the seat: the device is let go. */
  close() {
    if (!this.state.get().wanted) return;
    this.#change({ wanted: false, opening: false, open: false, problem: null, speakingWhileMuted: false });
    this.#stopListening?.();
    this.#stopListening = null;
    this.#microphone.close(holder);
    this.#send(null);
  }

  /** @param {boolean} audible whether people may hear me */
  setAudible(audible) {
    if (this.#audible === audible) return;
    this.#audible = audible;
    if (this.#outgoing) this.#outgoing.enabled = audible;
    this.#loud = [];
    if (audible) this.#hint(false);
  }

  /** Ends it with the room. */
  end() {
    this.close();
    this.#life.abort();
    clearTimeout(this.#hintTimer);
  }

  /** @type {(() => void) | null} */ #stopListening = null;

  #listen() {
    this.#stopListening ??= this.#microphone.level.subscribe(
      level => {
        if (this.#audible) return;
        this.#loud = [...this.#loud, level >= speechLevel].slice(-readingsKept);
        if (this.#loud.filter(Boolean).length >= speechReadings) this.#hint(true);
      },
      { now: false },
    );
  }

  /** @param {boolean} speaking */
  #hint(speaking) {
    clearTimeout(this.#hintTimer);
    this.#change({ speakingWhileMuted: speaking });
    if (!speaking) return;
    this.#hintTimer = setTimeout(() => {
      this.#loud = [];
      this.#change({ speakingWhileMuted: false });
    }, hintMs);
  }

  /** @param {MediaStreamTrack | null} track of the device */
  #send(track) {
    const wanted = this.state.get().wanted;
    this.#outgoing?.stop();
    this.#outgoing = track && wanted ? track.clone() : null;
    if (this.#outgoing) this.#outgoing.enabled = this.#audible;
    if (this.#effects) this.#effects.carry(this.#outgoing);
    else this.#publish(this.#outgoing);
  }

  /** @param {MediaStreamTrack | null} track */
  #publish(track) {
    void this.#peer.setMicrophone(track).catch(() => {
      // The peer is being replaced; it takes the track along.
    });
  }

  /** @param {Partial<VoiceState>} some */
  #change(some) {
    const now = this.state.get();
    const next = { ...now, ...some };
    const same = /** @type {(keyof VoiceState)[]} */ (Object.keys(next)).every(key => next[key] === now[key]);
    if (!same) this.state.set(next);
  }
}
