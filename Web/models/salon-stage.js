import { derive, Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { Emitter } from '../protocol/events.js';
import { OvationRoom } from '../protocol/room.js';
import { composeState, emptyState } from './salon-compose.js';
import { tellNews } from './salon-news.js';
import { browserHost, Visit } from './salon-parts.js';
import { freeSeat, invitationView, micState, requestViews } from './salon-view.js';
import { UndoModel } from './undo.js';

/** @typedef {import('./salon-state.js').SalonState} SalonState */
/** @typedef {import('./salon-state.js').ConnectionView} ConnectionView */
/** @typedef {import('./salon-state.js').SalonNewsMap} SalonNewsMap */

/** My own loudness is told so often at most. */
const ownLevelMs = 100;
/** From here on somebody counts as having spoken. */
const spokenLevel = 10;

/**
 * What a salon is made of.
 * @typedef {object} SalonSetting
 * @property {import('../protocol/session.js').Session} session
 * @property {import('../protocol/ids.js').RoomID} room
 * @property {import('./devices.js').MicrophoneModel} microphone
 * @property {import('./devices.js').SpeakerModel} speaker
 * @property {import('./preferences.js').PreferencesModel} preferences
 * @property {import('./effects.js').EffectsModel | null} [effects]
 * @property {Partial<import('./salon-parts.js').SalonHost>} [host]
 */

/**
 * The state behind `SalonModel`: brings room, voice, playout, chat and this tab's own doings together, and reacts to what
 * the room tells. The model's actions are calls on it.
 */
export class SalonStage {
  /** @type {Store<SalonState>} */
  state;
  /** @type {Store<Readonly<Record<string, number>>>} */
  levels = new Store({});
  connection = new Store(
    /** @type {ConnectionView} */ ({
      word: 'connecting',
      rttMs: null,
      lossPercent: null,
      jitterMs: null,
      signalling: 'open',
      media: 'new',
      retryAt: null,
    }),
  );
  likes = new Store(0);
  /** @type {Emitter<SalonNewsMap>} */
  news = new Emitter();
  undo = new UndoModel();
  /** @type {Visit | null} */ visit = null;
  /** @type {import('./salon-compose.js').Local} */ local;
  /** I muted myself here, and the server may not know yet. */ silent = false;
  /** I sing first: whoever sings after me would only confuse me. */ leads = false;

  /** @type {Promise<void> | null} */ #starting = null;
  #ownLevelAt = 0;

  /** @param {SalonSetting} setting */
  constructor({ session, room, microphone, speaker, preferences, effects = null, host = {} }) {
    this.session = session;
    this.room = new OvationRoom(session, room);
    this.microphone = microphone;
    this.speaker = speaker;
    this.preferences = preferences;
    this.effects = effects;
    this.host = { ...browserHost(), ...host };
    this.local = {
      phase: 'idle',
      error: null,
      pending: new Set(),
      later: new Set(),
      positions: new Map(),
      spokeLast: null,
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
    const { signal } = visit.life;
    const quietly = { signal, now: false };
    const render = () => this.render();
    const { chat, likes, peer, playout, echo, voice } = visit;
    const room = this.room;

    chat.reset();
    likes.confirm(room.now.likes);
    likes.total.subscribe(total => this.likes.set(total), { signal });
    visit.connection.state.subscribe(view => this.connection.set(view), { signal });
    visit.connection.state.subscribe(render, quietly);
    derive([peer.tracks, peer.mix], (tracks, mix) => (mix ? [...tracks, mix] : tracks)).subscribe(
      tracks => playout.setTracks(tracks),
      { signal },
    );
    this.speaker.state.subscribe(({ chosen }) => void playout.setOutput(chosen), { signal });
    this.preferences.subscribe(
      ({ quality, playout: volume }) => {
        peer.setQuality(quality);
        playout.setVolume(volume);
      },
      { signal },
    );
    this.effects?.publishing.subscribe(() => this.#musicChanged(), quietly);
    this.host.listening.subscribe(render, quietly);
    echo.paired.subscribe(() => this.silenceEcho(), { signal });
    for (const store of [room.state, chat.state, playout.blocked, voice.state]) {
      /** @type {Store<any>} */ (store).subscribe(render, quietly);
    }
    room.levels.subscribe(() => this.#hearLevels(), quietly);
    voice.state.subscribe(({ open }) => open && this.#watchOwnLevel(signal), quietly);
    tellNews(
      {
        room,
        chat,
        likes,
        news: this.news,
        react: {
          seated: by => this.#seated(by === room.now.me.id ? undefined : by),
          unseated: () => this.#unseated(),
          seatMuted: by => this.set({ mutedBy: by }),
          consented: seat =>
            void this.sitSomewhere(seat).catch(error => this.news.emit('problem', { error })),
          requests: () => requestViews(room.now, this.around()),
          invitation: () => invitationView(room.now, this.around()),
        },
      },
      signal,
    );
    room.events.on('snapshot', () => chat.reset(), { signal });
    room.events.on('resumed', () => this.#returned(), { signal });
    room.events.on('room.destroyed', ended => this.#ended(ended), { signal });
    room.events.on('gone', ended => this.#ended(ended), { signal });
    this.session.state.subscribe(state => this.#followSession(state), quietly);
    this.set({ phase: 'in', error: null });
    try {
      peer.start();
    } catch (thrown) {
      this.news.emit('problem', { error: OvationError.of(thrown) });
    }
    if (room.now.me.seat !== undefined) this.#seated(undefined);
  }

  endVisit() {
    this.visit?.end();
    this.visit = null;
    this.undo.dismiss();
    this.silent = false;
    this.leads = false;
    void this.microphone.setSinging(false);
    this.levels.set({});
  }

  /**
   * I have a seat.
   * @param {string | undefined} host who put me there: then my microphone stays off; undefined when I sat down myself
   */
  #seated(host) {
    const { me, seats } = this.room.now;
    const seat = me.seat === undefined ? undefined : seats[me.seat];
    this.set({ mutedBy: seat?.muted ? (seat.by ?? null) : null });
    if (this.visit?.voice.state.get().wanted) return; // moved
    if (host === undefined) {
      this.startVoice().catch(() => {
        // `voice.problem` shows it; whoever called `sit` hears of it too.
      });
      return;
    }
    this.silent = true;
    this.set({ broughtBy: { by: host } });
    void this.tellMuted().catch(() => {});
  }

  #unseated() {
    this.visit?.voice.close();
    this.silent = false;
    this.#starting = null;
    this.set({ mutedBy: null, broughtBy: null });
  }

  /** Opens the device for the seat that I took, once. */
  startVoice() {
    this.#starting ??= this.run('mic', async () => {
      if (this.preferences.get().joinMuted) {
        this.silent = true;
        this.render();
        await this.tellMuted();
      }
      await this.visit?.voice.open();
    }).finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /**
   * Tells the server that I muted myself. It would hold back my music too, so that it hears of it only when none goes out;
   * my voice is silent here all the same.
   */
  async tellMuted() {
    const { me } = this.room.now;
    if (!this.silent || me.micMuted || this.effects?.publishing.get()) return;
    await this.room.setMicrophone(true);
  }

  /** Music for the others began or ended while my microphone may be off. */
  #musicChanged() {
    const { me } = this.room.now;
    if (this.effects?.publishing.get() && me.seat !== undefined && me.micMuted) {
      this.silent = true;
      this.render();
      void this.room.setMicrophone(false).catch(() => {});
    } else {
      void this.tellMuted().catch(() => {});
    }
  }

  /** @param {number} seat */
  async sit(seat) {
    await this.run(`seat:${seat}`, () => this.room.takeSeat(seat));
    await this.startVoice();
  }

  /** @param {number | null} wished */
  async sitSomewhere(wished) {
    const seat = freeSeat(this.room.now, wished);
    if (seat === null) throw new OvationError('seat_taken', 'no seat is free');
    await this.sit(seat);
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

  /** Back after a lost connection: what changed meanwhile without an event of its own. */
  #returned() {
    const { me, likes } = this.room.now;
    this.visit?.likes.confirm(likes);
    const wanted = this.visit?.voice.state.get().wanted;
    if (me.seat === undefined && wanted) this.#unseated();
    if (me.seat !== undefined) void this.tellMuted().catch(() => {});
    this.news.emit('reconnected', {});
  }

  /** @param {{reason: string, summary: import('../protocol/events.js').RoomSummary | null}} ended */
  #ended({ reason, summary }) {
    const { info, likes } = this.room.now;
    const {
      seconds,
      peak,
      likes: total,
    } = summary ?? {
      seconds: Math.round((this.session.serverNow() - info.createdAt) / 1000),
      peak: this.local.peak,
      likes,
    };
    const known = reason === 'owner_absent' || reason === 'operator' ? reason : 'owner';
    this.endVisit();
    this.set({
      phase: 'ended',
      end: { reason: known, seconds, peak, likes: total, name: info.name, owner: info.owner },
    });
    this.news.emit('ended', {});
  }

  /** @param {import('../protocol/session.js').SessionState} session */
  #followSession({ phase, error }) {
    if (phase === 'closed' && this.visit) {
      this.endVisit();
      this.set({ phase: 'left', error });
    } else {
      this.render();
    }
  }

  silenceEcho() {
    const visit = this.visit;
    visit?.playout.setSilenced('echo', visit.echo.paired.get() && !this.local.echoAllowed);
    this.render();
  }

  /** @param {AbortSignal} signal */
  #watchOwnLevel(signal) {
    const stop = this.microphone.level.subscribe(
      () => {
        if (!this.visit?.voice.state.get().open) return stop();
        const now = Date.now();
        if (now - this.#ownLevelAt < ownLevelMs) return;
        this.#ownLevelAt = now;
        this.#hearLevels();
      },
      { signal, now: false },
    );
  }

  #hearLevels() {
    const { me } = this.state.get();
    const levels = { ...this.room.levels.get() };
    if (me.mic === 'live') levels[me.id] = this.microphone.level.get();
    else delete levels[me.id];
    this.levels.set(levels);
    const loudest = Object.entries(levels).reduce((a, b) => (b[1] > a[1] ? b : a), ['', spokenLevel]);
    if (loudest[0] && loudest[0] !== this.local.spokeLast) this.set({ spokeLast: loudest[0] });
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
    return {
      ...this.local,
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
        const audible = seat !== undefined && !seat.muted && !room.me.micMuted && !this.silent;
        visit.voice.setAudible(audible);
        visit.echo.setLive(audible && visit.voice.state.get().open);
        for (const { index, user } of room.seats) {
          if (!user) continue;
          const listening = this.host.listening.of(user);
          visit.playout.setListening(index, this.leads ? { ...listening, muted: true } : listening);
        }
      }
    }
    const shown = room && this.silent ? { ...room, me: { ...room.me, micMuted: true } } : room;
    this.state.set(
      composeState(shown, this.local, this.around(), {
        user: this.session.user.get(),
        chat: visit?.chat.state.get() ?? null,
        undo: this.undo.offer.get(),
        connection: this.connection.get(),
        soundBlocked: visit?.playout.blocked.get() ?? false,
        echoPair: (visit?.echo.paired.get() ?? false) && !this.local.echoAllowed,
        mic: shown ? micState(shown, this.around().voice) : 'listener',
      }),
    );
  }
}
