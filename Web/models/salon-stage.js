import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { Emitter } from '../protocol/events.js';
import { OvationRoom } from '../protocol/room.js';
import { SalonDrive } from './salon-drive.js';
import { followVisit } from './salon-follow.js';
import { SalonLevels } from './salon-levels.js';
import { browserHost } from './salon-parts.js';
import { aroundOf, emptyState, projectSalon, projectSound } from './salon-project.js';
import { OwnVoice } from './salon-voice.js';
import { UndoModel } from './undo.js';

/** @typedef {import('./salon-parts.js').Visit} Visit */
/** @typedef {import('./salon-state.js').SalonState} SalonState */
/** @typedef {import('./salon-state.js').ConnectionView} ConnectionView */
/** @typedef {import('./salon-state.js').SalonNewsMap} SalonNewsMap */

/**
 * What a salon is made of.
 * @typedef {object} SalonSetting
 * @property {import('../protocol/session.js').Session} session
 * @property {import('../protocol/ids.js').RoomID} room
 * @property {import('./devices.js').MicrophoneModel} microphone
 * @property {import('./devices.js').SpeakerModel} speaker
 * @property {import('./camera.js').CameraModel | null} [camera] without one, live rooms have no pictures
 * @property {Store<MediaStreamTrack | null> | null} [picture] what is shown of the camera: its own picture, if nothing else is said
 * @property {import('./preferences.js').PreferencesModel} preferences
 * @property {import('./effects.js').EffectsModel | null} [effects]
 * @property {Partial<import('./salon-parts.js').SalonHost>} [host]
 */

/** Who is in no room. @type {Readonly<import('./voice.js').VoiceState>} */
const noVoice = Object.freeze({
  wanted: false,
  opening: false,
  open: false,
  problem: null,
  speakingWhileMuted: false,
});

/**
 * The state behind `SalonModel`: brings room, voice, playout, chat and this tab's own doings together. The model's actions
 * are calls on it; `followVisit` reacts to what the room tells.
 */
export class SalonStage {
  /** @type {Store<SalonState>} */
  state;
  levels;
  voice;
  connection = new Store(
    /** @type {ConnectionView} */ ({
      word: 'connecting',
      rttMs: null,
      lossPercent: null,
      jitterMs: null,
      way: null,
      signalling: 'open',
      media: 'new',
      retryAt: null,
      error: null,
    }),
  );
  likes = new Store(0);
  /** @type {Emitter<SalonNewsMap>} */
  news = new Emitter();
  undo = new UndoModel();
  /** I have muted all that I hear. */ deafened = new Store(false);
  /** @type {Visit | null} */ visit = null;
  /** @type {((seat: number | null) => Promise<void>) | null} Where one sees oneself before coming on stage: that way there. */ #way =
    null;
  /** @type {import('./salon-project.js').Local} */ local;
  /** I sing first: whoever sings after me would only confuse me. */ #leads = false;
  /** @type {SalonDrive | null} as long as a visit lasts */ #drive = null;

  /** @param {SalonSetting} setting */
  constructor({
    session,
    room,
    microphone,
    speaker,
    camera = null,
    picture = null,
    preferences,
    effects = null,
    host = {},
  }) {
    this.session = session;
    this.room = new OvationRoom(session, room);
    this.microphone = microphone;
    this.speaker = speaker;
    this.camera = camera;
    this.picture = picture ?? camera?.track ?? null;
    this.preferences = preferences;
    this.effects = effects;
    this.host = { ...browserHost(), ...host };
    this.local = {
      phase: 'idle',
      error: null,
      pending: new Set(),
      later: new Set(),
      positions: new Map(),
      requestStills: new Map(),
      spokeLast: null,
      writesAt: null,
      mutedBy: null,
      broughtBy: null,
      end: null,
      peak: 0,
      echoAllowed: false,
    };
    this.state = new Store(emptyState(session.user.get()));
    this.levels = new SalonLevels({
      room: this.room,
      microphone,
      me: () => this.state.get().me,
      isOpen: () => Boolean(this.visit?.voice.state.get().open),
      spoke: user => this.change(({ spokeLast }) => (spokeLast === user ? null : { spokeLast: user })),
    });
    this.voice = new OwnVoice({
      room: this.room,
      run: this.run,
      change: this.change,
      device: () => this.visit?.voice ?? null,
      needMedia: this.needMedia,
      joinsMuted: () => preferences.get().joinMuted,
      publishes: () => Boolean(effects?.publishing.get()),
    });
    this.undo.offer.subscribe(() => this.render(), { now: false });
  }

  /** @param {Visit} visit */
  begin(visit) {
    this.visit = visit;
    this.#drive = new SalonDrive(visit);
    followVisit(this, visit);
  }

  endVisit() {
    this.visit?.end();
    this.visit = null;
    this.#drive = null;
    this.undo.dismiss();
    this.voice.silent = false;
    this.#leads = false;
    this.deafened.set(false);
    void this.microphone.setSinging(false);
    this.levels.clear();
  }

  /**
   * The host lets me have a seat: sits down on it, or where one is free.
   * @param {number | null} seat
   */
  takeUp = async seat => {
    await (this.#way ? this.#way(seat) : this.voice.sitSomewhere(seat));
  };

  /**
   * Takes another way to a seat that the host lets me have.
   * @param {((seat: number | null) => Promise<void>) | null} way
   */
  comeBy = way => {
    this.#way = way;
  };

  /** @param {boolean} leads whether I sing first */
  lead = leads => {
    if (this.#leads === leads) return;
    this.#leads = leads;
    this.render();
  };

  /** What needs sound or picture begins here: throws `webrtc_missing` in a browser that cannot have them. */
  needMedia = () => {
    const error = this.visit?.peer.error.get();
    if (error?.name === 'webrtc_missing') throw error;
  };

  /** @type {import('./salon-parts.js').Run} */
  run = async (name, work) => {
    this.set({ pending: new Set(this.local.pending).add(name) });
    try {
      return await work();
    } catch (thrown) {
      throw OvationError.of(thrown);
    } finally {
      const pending = new Set(this.local.pending);
      pending.delete(name);
      this.set({ pending });
    }
  };

  /** @type {import('./salon-parts.js').Change} */
  change = make => {
    const some = make(this.local);
    if (some) this.set(some);
  };

  /** @param {Partial<import('./salon-project.js').Local>} some */
  set(some) {
    this.local = { ...this.local, ...some };
    this.render();
  }

  around() {
    return aroundOf(this.#now());
  }

  /** @returns {import('./salon-project.js').SalonNow} */
  #now() {
    const { visit, session } = this;
    return {
      room: this.room.state.get(),
      local: this.local,
      user: session.user.get(),
      voice: visit?.voice.state.get() ?? noVoice,
      silent: this.voice.silent,
      leads: this.#leads,
      listening: this.host.listening.get(),
      chat: visit?.chat.state.get() ?? null,
      undo: this.undo.offer.get(),
      connection: this.connection.get(),
      soundBlocked: visit?.playout.blocked.get() ?? false,
      deafened: this.deafened.get(),
      echoes: visit?.echo.paired.get() ?? false,
      origin: this.host.origin,
    };
  }

  /** Brings everything that follows from the room and this visit up to date: first what is heard and sent, then what is shown. */
  render() {
    const { peak } = this.local;
    const people = this.room.state.get()?.memberCount ?? 0;
    if (people > peak) this.local = { ...this.local, peak: people };
    this.#drive?.apply(projectSound(this.#now()));
    this.state.set(projectSalon(this.#now(), this.state.get()));
  }
}
