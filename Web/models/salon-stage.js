import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { Emitter } from '../protocol/events.js';
import { OvationRoom } from '../protocol/room.js';
import { composeState, emptyState } from './salon-compose.js';
import { followVisit } from './salon-follow.js';
import { SalonLevels } from './salon-levels.js';
import { browserHost } from './salon-parts.js';
import { micState } from './salon-view.js';
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

/**
 * The state behind `SalonModel`: brings room, voice, playout, chat and this tab's own doings together. The model's actions
 * are calls on it; `followVisit` reacts to what the room tells.
 */
export class SalonStage {
  /** @type {Store<SalonState>} */
  state;
  levels = new SalonLevels(this);
  voice = new OwnVoice(this);
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
  /** @type {((seat: number | null) => Promise<void>) | null} Where one sees oneself before coming on stage: that way there. */ comeUp =
    null;
  /** @type {import('./salon-compose.js').Local} */ local;
  /** I sing first: whoever sings after me would only confuse me. */ leads = false;

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
    this.undo.offer.subscribe(() => this.render(), { now: false });
  }

  /** @param {Visit} visit */
  begin(visit) {
    this.visit = visit;
    followVisit(this, visit);
  }

  endVisit() {
    this.visit?.end();
    this.visit = null;
    this.undo.dismiss();
    this.voice.silent = false;
    this.leads = false;
    this.deafened.set(false);
    void this.microphone.setSinging(false);
    this.levels.clear();
  }

  /**
   * The host lets me have a seat: sits down on it, or where one is free.
   * @param {number | null} seat
   */
  async takeUp(seat) {
    await (this.comeUp ? this.comeUp(seat) : this.voice.sitSomewhere(seat));
  }

  /**
   * Answers or takes back an invitation; one that is settled already leaves the list whatever the server says.
   * @param {string} id @param {(id: string) => Promise<unknown>} call
   */
  async settle(id, call) {
    try {
      await call(id);
      this.room.forgetInvitation(id);
    } catch (thrown) {
      if (OvationError.of(thrown).name === 'invitation_not_found') this.room.forgetInvitation(id);
      throw thrown;
    }
  }

  /** What needs sound or picture begins here: throws `webrtc_missing` in a browser that cannot have them. */
  needMedia() {
    const error = this.visit?.peer.error.get();
    if (error?.name === 'webrtc_missing') throw error;
  }

  silenceEcho() {
    const visit = this.visit;
    visit?.playout.setSilenced('echo', visit.echo.paired.get() && !this.local.echoAllowed);
    this.render();
  }

  /**
   * @template T
   * @param {string} name in `state.pending` meanwhile
   * @param {() => Promise<T>} work
   */
  async run(name, work) {
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
  }

  /** @param {Partial<import('./salon-compose.js').Local>} some */
  set(some) {
    this.local = { ...this.local, ...some };
    this.render();
  }

  around() {
    const voice = this.visit?.voice.state.get();
    const { signalling, media } = this.connection.get();
    return {
      ...this.local,
      reaches: signalling === 'open' && media === 'connected',
      origin: this.host.origin,
      listening: (/** @type {string} */ user) => this.host.listening.of(user),
      voice: voice ?? {
        wanted: false,
        opening: false,
        open: false,
        problem: null,
        speakingWhileMuted: false,
      },
    };
  }

  /** Brings everything that follows from the room and this visit up to date. */
  render() {
    const room = this.room.state.get();
    const visit = this.visit;
    if (room) {
      this.local.peak = Math.max(this.local.peak, room.memberCount);
      if (visit) {
        const seat = room.me.seat === undefined ? undefined : room.seats[room.me.seat];
        const audible = seat !== undefined && !seat.muted && !room.me.micMuted && !this.voice.silent;
        visit.voice.setAudible(audible);
        visit.echo.setLive(audible && visit.voice.state.get().open);
        for (const { index, user } of room.seats) {
          if (!user) continue;
          const listening = this.host.listening.of(user);
          visit.playout.setListening(index, this.leads ? { ...listening, muted: true } : listening);
        }
        for (const { place, host } of room.pk.links)
          visit.playout.setListening(room.seats.length + place, this.host.listening.of(host.id));
      }
    }
    const shown = room && this.voice.silent ? { ...room, me: { ...room.me, micMuted: true } } : room;
    this.state.set(
      composeState(shown, this.local, this.around(), {
        user: this.session.user.get(),
        chat: visit?.chat.state.get() ?? null,
        undo: this.undo.offer.get(),
        connection: this.connection.get(),
        soundBlocked: visit?.playout.blocked.get() ?? false,
        deafened: this.deafened.get(),
        echoPair: (visit?.echo.paired.get() ?? false) && !this.local.echoAllowed,
        mic: shown ? micState(shown, this.around()) : 'listener',
      }),
    );
  }
}
