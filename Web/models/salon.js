import { OvationError } from '../protocol/errors.js';
import { DuetModel } from './duet.js';
import { GiftsModel } from './gifts.js';
import { pageKinds } from './kinds.js';
import { LiveModel } from './live.js';
import { HearingActions } from './salon-hearing.js';
import { ModerationActions } from './salon-moderation.js';
import { Visit } from './salon-parts.js';
import { RequestActions } from './salon-requests.js';
import { SeatActions } from './salon-seats.js';
import { SalonStage } from './salon-stage.js';
import { TalkActions } from './salon-talk.js';
import { personView } from './salon-view.js';

/** @template {Record<string, any>} M @typedef {import('../protocol/events.js').Emitter<M>} Emitter */
/** @template T @typedef {import('../lib/store.js').Store<T>} Store */
/** @typedef {import('./salon-state.js').SalonState} SalonState */
/** @typedef {import('./salon-state.js').ConnectionView} ConnectionView */
/** @typedef {import('./salon-state.js').SalonNewsMap} SalonNewsMap */

/**
 * A salon as a page shows it. Actions are async and throw OvationError when the server refuses;
 * while one runs its name is in `state.pending`.
 */
export class SalonModel {
  /** @type {Store<SalonState>} */
  state;
  /**
   * Loudness 0…100 by user id; a new object about 5 times a second while anyone speaks, more often for my own voice.
   * @type {Store<Readonly<Record<string, number>>>}
   */
  levels;
  /** @type {Store<ConnectionView>} */
  connection;
  /** @type {Store<number>} Exact total, mine counted at once. */
  likes;
  /** @type {Emitter<SalonNewsMap>} */
  news;

  seats;
  requests;
  moderation;
  talk;
  hearing;

  /** @type {DuetModel | null} In a chorus room, once entered. */ duet = null;
  /** @type {LiveModel | null} In a live room, once entered. */ live = null;
  /** @type {GiftsModel | null} Once entered. */ gifts = null;

  #stage;
  /** Counts entries and exits: an entry that another one, or an exit, came after is not wanted any more. */ #wish = 0;

  /** @param {import('./salon-stage.js').SalonSetting} setting */
  constructor(setting) {
    this.#stage = new SalonStage(setting);
    this.state = this.#stage.state;
    this.levels = this.#stage.levels.store;
    this.connection = this.#stage.connection;
    this.likes = this.#stage.likes;
    this.news = this.#stage.news;
    const { room, session, run, change, needMedia, voice, undo, takeUp, deafened, host } = this.#stage;
    const visit = () => this.#stage.visit;
    this.seats = new SeatActions({ room, run, voice, mic: () => this.state.get().me.mic });
    this.requests = new RequestActions({
      room,
      run,
      change,
      needMedia,
      takeUp,
      shown: () => this.state.get(),
    });
    this.moderation = new ModerationActions({ room, run, undo });
    this.talk = new TalkActions({ session, room, visit, change });
    this.hearing = new HearingActions({
      session,
      listening: host.listening,
      deafened,
      visit,
      change,
      needMedia,
    });
  }

  /**
   * Enters as a listener (or back to one's seat) and opens the media path. Call it in the click that leaves the green room:
   * it unlocks sound. Throws `aborted` if the room was left before it was entered.
   */
  async enter() {
    if (this.#stage.visit || this.#stage.local.phase === 'entering') return;
    const wish = ++this.#wish;
    this.#stage.set({ phase: 'entering', error: null, end: null });
    const playout = this.#stage.host.playout();
    playout.begin();
    try {
      await this.#stage.room.enter({ kinds: pageKinds });
    } catch (thrown) {
      playout.close();
      const error = OvationError.of(thrown);
      if (wish === this.#wish) this.#stage.set({ phase: 'failed', error });
      throw error;
    }
    if (wish !== this.#wish) {
      playout.close();
      throw new OvationError('aborted');
    }
    const { room, microphone, host, effects } = this.#stage;
    const visit = new Visit(room, microphone, host, playout, effects);
    // Before the room is shown: a page looks for it then.
    const { kind } = this.#stage.room.now.info;
    const { camera } = this.#stage;
    this.duet = kind === 'chorus' ? new DuetModel(this.#stage, visit) : null;
    this.live = kind === 'live' && camera ? new LiveModel(this.#liveParts(), visit, camera) : null;
    this.gifts = new GiftsModel(this.#stage.room, visit.life.signal);
    this.#stage.begin(visit);
  }

  #liveParts() {
    const { room, session, run, change, voice, news, preferences, host, picture, comeBy } = this.#stage;
    const { listening } = host;
    const { requests } = this;
    return { room, session, run, change, voice, news, preferences, listening, picture, comeBy, requests };
  }

  /** Leaves the room (frees the seat), or gives up entering it, and lets the microphone go. Never throws. */
  async leave() {
    if (!this.#stage.visit && this.#stage.local.phase !== 'entering') return;
    this.#wish++;
    this.#stage.endVisit();
    this.#stage.set({ phase: 'left' });
    try {
      await this.#stage.room.exit();
    } catch {
      // Whoever is not connected is not in the room either, after the grace time.
    }
  }

  /**
   * A command that leaves nothing here but what the room tells of it.
   * @template {keyof import('../protocol/wire.js').CommandParameters} M
   * @param {M} method its name is in `state.pending` meanwhile
   * @param {import('../protocol/wire.js').CommandParameters[M]} params
   */
  async command(method, params) {
    await this.#stage.run(method, () => this.#stage.room.command(method, params));
  }

  /** Ends the room for everybody (owner). */
  async destroy() {
    await this.#stage.run('room', () => this.#stage.room.destroy());
  }

  /** Unlocks sound; in a click. */
  async unlockSound() {
    this.hearing.setDeafened(false);
    // All begin in the click: the first wait spends it.
    await Promise.all([this.#stage.visit?.playout.unlock(), this.duet?.unlock()]);
  }

  /** The server's clock, milliseconds since 1970: count down against it. */
  serverNow() {
    return this.#stage.session.serverNow();
  }

  /** Whether closing the tab should ask: I am heard, or seen. */
  get asksBeforeLeaving() {
    const { mic } = this.state.get().me;
    return mic === 'live' || mic === 'cutOff' || Boolean(this.live?.state.get().showing);
  }

  /** More of the people, for a full list. */
  async loadMembers() {
    /** @type {string | null} */ let cursor = null;
    do {
      cursor = await this.#stage.room.loadMembers(cursor ?? undefined);
    } while (cursor);
  }

  /**
   * Somebody who was named here of late, also when they have left.
   * @param {string} id
   * @returns {import('../protocol/events.js').User | null}
   */
  profile(id) {
    const state = this.#stage.room.state.get();
    return state?.profiles.get(id) ?? null;
  }

  /**
   * A person by id, seated or not; null when unknown.
   * @param {string} id
   * @returns {import('./salon-state.js').PersonView | null}
   */
  person(id) {
    const state = this.#stage.room.state.get();
    const member = state?.members.get(id);
    return state && member ? personView(state, member, this.#stage.around()) : null;
  }
}
