import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { Emitter, seatCommands } from '../protocol/events.js';
import { roomSlug } from '../protocol/ids.js';
import { OvationRoom } from '../protocol/room.js';
import { profileOf } from '../protocol/room-state.js';
import { composeState, emptyState } from './salon-compose.js';
import { tellNews } from './salon-news.js';
import { browserHost, Visit } from './salon-parts.js';
import { freeSeat, invitationView, micState, myRequestOf, personView, requestViews } from './salon-view.js';
import { UndoModel } from './undo.js';

/** @typedef {import('./salon-state.js').SalonState} SalonState */
/** @typedef {import('./salon-state.js').ConnectionView} ConnectionView */
/** @typedef {import('./salon-state.js').SalonNewsMap} SalonNewsMap */
/** @typedef {import('../protocol/ids.js').RoomID} RoomID */

/** How long an invitation to a seat stands; the seat is shown as reserved meanwhile. */
const invitationSeconds = 60;
/** My own loudness is told so often at most. */
const ownLevelMs = 100;
/** From here on somebody counts as having spoken. */
const spokenLevel = 10;
/** How long `testMedia` waits for a path. */
const testMs = 5_000;

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
  levels = new Store(/** @type {Readonly<Record<string, number>>} */ ({}));
  /** @type {Store<ConnectionView>} */
  connection;
  /** Exact total, mine counted at once. */
  likes = new Store(0);
  /** @type {Emitter<SalonNewsMap>} */
  news = new Emitter();

  #session;
  #room;
  #microphone;
  #speaker;
  #preferences;
  #host;
  #undo = new UndoModel();
  /** @type {Visit | null} */ #visit = null;
  /** @type {import('./salon-compose.js').Local} */ #local;
  /** I muted myself here, and the server may not know yet. */ #silent = false;
  /** @type {Promise<void> | null} */ #starting = null;
  #ownLevelAt = 0;

  /**
   * @param {{
   *   session: import('../protocol/session.js').Session,
   *   room: RoomID,
   *   microphone: import('./devices.js').MicrophoneModel,
   *   speaker: import('./devices.js').SpeakerModel,
   *   preferences: import('./preferences.js').PreferencesModel,
   *   host?: Partial<import('./salon-parts.js').SalonHost>,
   * }} parts
   */
  constructor({ session, room, microphone, speaker, preferences, host = {} }) {
    this.#session = session;
    this.#room = new OvationRoom(session, room);
    this.#microphone = microphone;
    this.#speaker = speaker;
    this.#preferences = preferences;
    this.#host = { ...browserHost(), ...host };
    this.#local = {
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
    this.connection = new Store(
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
    this.#undo.offer.subscribe(() => this.#render(), { now: false });
  }

  /**
   * What is known before entering, for the green room: name, owner, people.
   * Throws `room_not_found` or `room_closed`.
   * @returns {Promise<import('./lobby.js').RoomCard>}
   */
  async preview() {
    const room = this.#room.id;
    const { rooms } = await this.#session.call('room.get', { rooms: [room] }, { repeat: true });
    // The list drops what it does not know; entering says whether the room has ended or never was.
    if (rooms.length === 0) {
      await this.#session.call('room.enter', { room });
      await this.#session.call('room.exit', { room });
      throw new OvationError('room_not_found');
    }
    const slug = roomSlug(room);
    return { ...rooms[0], slug, link: `${this.#host.origin}/r/${slug}` };
  }

  /**
   * Enters as a listener (or back to one's seat) and opens the media path. Call it in the click that leaves the green room:
   * it unlocks sound.
   */
  async enter() {
    if (this.#visit || this.#local.phase === 'entering') return;
    this.#set({ phase: 'entering', error: null, end: null });
    try {
      await this.#room.enter();
    } catch (thrown) {
      const error = OvationError.of(thrown);
      this.#set({ phase: 'failed', error });
      throw error;
    }
    this.#begin(new Visit(this.#room, this.#microphone, this.#host));
  }

  /** Leaves the room (frees the seat), lets the microphone go. Never throws. */
  async leave() {
    if (!this.#visit) return;
    this.#endVisit();
    this.#set({ phase: 'left' });
    try {
      await this.#room.exit();
    } catch {
      // Whoever is not connected is not in the room either, after the grace time.
    }
  }

  /** Ends the room for everybody (owner). */
  async destroy() {
    await this.#run('room', () => this.#room.destroy());
  }

  /** Unlocks sound; in a click. */
  async unlockSound() {
    await this.#visit?.playout.unlock();
  }

  /** The server's clock, milliseconds since 1970: count down against it. */
  serverNow() {
    return this.#session.serverNow();
  }

  /** Whether closing the tab should ask: I am live. */
  get asksBeforeLeaving() {
    return this.state.get().me.mic === 'live';
  }

  // My seat and microphone.

  /**
   * Sits down; opens the microphone (the browser may ask), muted if the preference says so.
   * With "ask before speaking" this throws `consent_required`: use `ask`. A `microphone_*` error comes with the seat taken.
   * @param {number} seat
   */
  async sit(seat) {
    await this.#run(`seat:${seat}`, () => this.#room.takeSeat(seat));
    await this.#startVoice();
  }

  /** Leaves the seat, stays as a listener. */
  async stand() {
    await this.#run('mic', () => this.#room.leaveSeat());
  }

  /**
   * Changes seats, at most once a second.
   * @param {number} seat
   */
  async move(seat) {
    await this.#run(`seat:${seat}`, () => this.#room.moveSeat(seat));
  }

  /**
   * The big button: unmutes or mutes me; in `noDevice` tries the device again.
   * Throws `seat_muted` if the host muted the seat, `not_seated` without one.
   */
  async toggleMicrophone() {
    const { mic } = this.state.get().me;
    if (mic === 'mutedByHost') throw new OvationError('seat_muted');
    if (mic === 'listener' || mic === 'pending') throw new OvationError('not_seated');
    await this.setMuted(mic === 'live');
  }

  /** @param {boolean} muted */
  async setMuted(muted) {
    await this.#run('mic', async () => {
      if (muted) {
        // Silent at once, whatever the network does.
        this.#silent = true;
        this.#render();
        await this.#room.setMicrophone(true);
        return;
      }
      const seat = this.#room.now.me.seat;
      if (seat === undefined) throw new OvationError('not_seated');
      if (this.#room.now.seats[seat].muted) throw new OvationError('seat_muted');
      await this.#visit?.voice.open();
      if (this.#room.now.me.micMuted) await this.#room.setMicrophone(false);
      this.#silent = false;
      this.#set({ broughtBy: null });
    });
  }

  // Asking and inviting.

  /**
   * Asks for a seat (any when null); when accepted the model sits down by itself.
   * @param {number | null} [seat]
   */
  async ask(seat = null) {
    await this.#run('request', async () => {
      const content = seat === null ? '' : String(seat);
      const user = this.#room.now.info.owner.id;
      const { id, position } = await this.#room.invite({ user, command: seatCommands.ask, content });
      if (position !== undefined) this.#set({ positions: new Map(this.#local.positions).set(id, position) });
    });
  }

  /** Takes my request back. */
  async cancelRequest() {
    const request = myRequestOf(this.#room.now);
    if (request)
      await this.#run('request', () => this.#settle(request.id, id => this.#room.cancelInvitation(id)));
  }

  /** @param {string} id */
  async acceptRequest(id) {
    await this.#run(`request:${id}`, () => this.#settle(id, () => this.#room.acceptInvitation(id)));
  }

  /** Accepts the oldest that is not put off. */
  async acceptNext() {
    const [next] = this.state.get().requests;
    if (next) await this.acceptRequest(next.id);
  }

  /**
   * @param {string} id
   * @param {string} [reason]
   */
  async rejectRequest(id, reason) {
    await this.#run(`request:${id}`, () => this.#settle(id, () => this.#room.rejectInvitation(id, reason)));
  }

  /**
   * Puts a request off: it stays, at the end.
   * @param {string} id
   */
  postpone(id) {
    this.#set({ later: new Set(this.#local.later).add(id) });
  }

  /**
   * Invites a listener to a seat (the first empty one when null); it is shown as reserved for 60 s.
   * @param {string} user
   * @param {number | null} [seat]
   */
  async invite(user, seat = null) {
    await this.#run(`person:${user}`, async () => {
      const free = freeSeat(this.#room.now, seat);
      if (free === null) throw new OvationError('seat_taken', 'no seat is free');
      await this.#room.invite({
        user,
        command: seatCommands.invite,
        content: String(free),
        timeoutSeconds: invitationSeconds,
      });
    });
  }

  /** @param {string} id */
  async cancelInvitation(id) {
    await this.#run(`request:${id}`, () => this.#settle(id, () => this.#room.cancelInvitation(id)));
  }

  /** Accepts the invitation to me and sits down. */
  async acceptInvitation() {
    const invitation = this.state.get().invitation;
    if (!invitation) throw new OvationError('invitation_not_found');
    const { id, seat } = invitation;
    await this.#run('invitation', () => this.#settle(id, () => this.#room.acceptInvitation(id)));
    await this.#sitSomewhere(seat);
  }

  /** @param {string} [reason] */
  async rejectInvitation(reason) {
    const invitation = this.state.get().invitation;
    if (!invitation) return;
    const { id } = invitation;
    await this.#run('invitation', () => this.#settle(id, () => this.#room.rejectInvitation(id, reason)));
  }

  // Host's actions; kick, mute and close leave an `undo` for 5 s.

  /**
   * Seats a listener at once, without asking.
   * @param {string} user
   * @param {number} seat
   */
  async pick(user, seat) {
    await this.#run(`seat:${seat}`, () => this.#room.pickSeat(seat, user));
  }

  /** @param {number} seat */
  async kick(seat) {
    const user = this.#userOn(seat);
    await this.#run(`seat:${seat}`, () => this.#room.kickSeat(seat));
    if (user) this.#undo.keep({ action: 'kick', user, seat }, () => this.pick(user.id, seat));
  }

  /** @param {number} seat @param {boolean} muted */
  async muteSeat(seat, muted) {
    const user = this.#userOn(seat);
    await this.#run(`seat:${seat}`, () => this.#room.muteSeat(seat, muted));
    const action = muted ? 'mute' : 'unmute';
    this.#undo.keep({ action, user, seat }, () =>
      this.#run(`seat:${seat}`, () => this.#room.muteSeat(seat, !muted)),
    );
  }

  /** @param {number} seat @param {boolean} closed */
  async closeSeat(seat, closed) {
    const user = this.#userOn(seat);
    await this.#run(`seat:${seat}`, () => this.#room.closeSeat(seat, closed));
    this.#undo.keep({ action: closed ? 'close' : 'open', user, seat }, async () => {
      await this.#run(`seat:${seat}`, () => this.#room.closeSeat(seat, !closed));
      if (closed && user) await this.pick(user.id, seat);
    });
  }

  /** Takes the last of these back. */
  async undo() {
    await this.#undo.run();
  }

  /** Forgets the offer to undo. */
  dismissUndo() {
    this.#undo.dismiss();
  }

  /** @param {string} user @param {'admin' | 'member'} role */
  async setRole(user, role) {
    await this.#run(`person:${user}`, () => this.#room.setRole(user, role));
  }

  /** @param {{name?: string, cover?: string, tags?: string[], needsRequest?: boolean}} settings */
  async updateRoom(settings) {
    await this.#run('room', () => this.#room.update(settings));
  }

  // Chat, likes.

  /**
   * Shows the line at once as `sending`. Resolves when sent; on failure the line stays as `failed` and the error is thrown.
   * @param {string} text
   * @param {{danmu?: boolean}} [options]
   */
  async send(text, options) {
    await this.#visit?.chat.send(text, options);
  }

  /** @param {string} key of a failed line */
  async resend(key) {
    await this.#visit?.chat.resend(key);
  }

  /**
   * Removes a failed line.
   * @param {string} key
   * @returns {string} its text
   */
  discard(key) {
    return this.#visit?.chat.discard(key) ?? '';
  }

  /** Everything has been seen. */
  markRead() {
    this.#visit?.chat.markRead();
  }

  /** One like; gathered and sent a few times a second. */
  like() {
    this.#visit?.likes.add();
  }

  // Hearing.

  /**
   * @param {string} user
   * @param {{volume?: number, muted?: boolean}} setting volume 0…100, kept on this device
   */
  setListening(user, setting) {
    this.#host.listening.change(user, setting);
  }

  /**
   * Mutes or unmutes everything I hear.
   * @param {boolean} muted
   */
  setDeafened(muted) {
    this.#visit?.playout.setSilenced('deafened', muted);
  }

  /** After `echoPair`: hear sound in this tab although another one of this browser is in the room. */
  listenAnyway() {
    this.#set({ echoAllowed: true });
    this.#silenceEcho();
  }

  /**
   * Tries the media path anew and says what it found after at most 5 s.
   * @returns {Promise<{connected: boolean, rttMs: number | null, signallingRttMs: number | null, error: string | null}>}
   */
  async testMedia() {
    const peer = this.#visit?.peer;
    if (!peer) return { connected: false, rttMs: null, signallingRttMs: null, error: 'not_in_room' };
    peer.restart();
    const connected = await new Promise(resolve => {
      const watching = new AbortController();
      const finish = (/** @type {boolean} */ found) => {
        watching.abort();
        clearTimeout(timer);
        resolve(found);
      };
      const timer = setTimeout(() => finish(false), testMs);
      peer.state.subscribe(state => state === 'connected' && finish(true), {
        signal: watching.signal,
        now: false,
      });
    });
    const error = connected ? null : (peer.error.get()?.name ?? 'media_failed');
    return {
      connected,
      rttMs: peer.quality.get()?.rttMs ?? null,
      signallingRttMs: this.#session.rttMs.get(),
      error,
    };
  }

  // People.

  /** More of the people, for a full list. */
  async loadMembers() {
    /** @type {string | null} */ let cursor = null;
    do {
      cursor = await this.#room.loadMembers(cursor ?? undefined);
    } while (cursor);
  }

  /**
   * A person by id, seated or not; null when unknown.
   * @param {string} id
   * @returns {import('./salon-state.js').PersonView | null}
   */
  person(id) {
    const state = this.#room.state.get();
    const member = state?.members.get(id);
    return state && member ? personView(state, member, this.#around()) : null;
  }

  // --- within ---

  /** @param {Visit} visit */
  #begin(visit) {
    this.#visit = visit;
    const { signal } = visit.life;
    const quietly = { signal, now: false };
    const render = () => this.#render();
    const { chat, likes, peer, playout, echo, voice } = visit;
    const room = this.#room;

    chat.reset();
    likes.confirm(room.now.likes);
    likes.total.subscribe(total => this.likes.set(total), { signal });
    visit.connection.state.subscribe(view => this.connection.set(view), { signal });
    visit.connection.state.subscribe(render, quietly);
    peer.tracks.subscribe(tracks => playout.setTracks(tracks), { signal });
    this.#speaker.state.subscribe(({ chosen }) => void playout.setOutput(chosen), { signal });
    this.#host.listening.subscribe(render, quietly);
    echo.paired.subscribe(() => this.#silenceEcho(), { signal });
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
          seated: by => this.#seated(by === undefined || by === room.now.me.id),
          unseated: () => this.#unseated(),
          seatMuted: by => this.#set({ mutedBy: by }),
          consented: seat =>
            void this.#sitSomewhere(seat).catch(error => this.news.emit('problem', { error })),
          requests: () => requestViews(room.now, this.#around()),
          invitation: () => invitationView(room.now, this.#around()),
        },
      },
      signal,
    );
    room.events.on('snapshot', () => chat.reset(), { signal });
    room.events.on('resumed', () => this.#returned(), { signal });
    room.events.on('room.destroyed', ended => this.#ended(ended), { signal });
    room.events.on('gone', ended => this.#ended(ended), { signal });
    this.#session.state.subscribe(state => this.#followSession(state), quietly);
    this.#set({ phase: 'in', error: null });
    try {
      peer.start();
    } catch (thrown) {
      this.news.emit('problem', { error: OvationError.of(thrown) });
    }
    if (room.now.me.seat !== undefined) this.#seated(true);
  }

  #endVisit() {
    this.#visit?.end();
    this.#visit = null;
    this.#undo.dismiss();
    this.#silent = false;
    this.levels.set({});
  }

  /**
   * I have a seat.
   * @param {boolean} own by my own will; else somebody put me there, and my microphone stays off
   */
  #seated(own) {
    const { me, seats } = this.#room.now;
    const seat = me.seat === undefined ? undefined : seats[me.seat];
    this.#set({ mutedBy: seat?.muted ? (seat.by ?? null) : null });
    if (this.#visit?.voice.state.get().wanted) return; // moved
    if (own) {
      this.#startVoice().catch(() => {
        // `voice.problem` shows it; whoever called `sit` hears of it too.
      });
      return;
    }
    this.#silent = true;
    this.#set({ broughtBy: { by: seat?.by ?? null } });
    if (!me.micMuted) void this.#room.setMicrophone(true).catch(() => {});
  }

  #unseated() {
    this.#visit?.voice.close();
    this.#silent = false;
    this.#starting = null;
    this.#set({ mutedBy: null, broughtBy: null });
  }

  /** Opens the device for the seat that I took, once. */
  #startVoice() {
    this.#starting ??= this.#run('mic', async () => {
      if (this.#preferences.get().joinMuted) {
        this.#silent = true;
        this.#render();
        await this.#room.setMicrophone(true);
      }
      await this.#visit?.voice.open();
    }).finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /** @param {number | null} wished */
  async #sitSomewhere(wished) {
    const seat = freeSeat(this.#room.now, wished);
    if (seat === null) throw new OvationError('seat_taken', 'no seat is free');
    await this.sit(seat);
  }

  /**
   * Answers or takes back an invitation; one that is settled already leaves the list whatever the server says.
   * @param {string} id @param {(id: string) => Promise<unknown>} call
   */
  async #settle(id, call) {
    try {
      await call(id);
      this.#room.forgetInvitation(id);
    } catch (thrown) {
      if (OvationError.of(thrown).name === 'invitation_not_found') this.#room.forgetInvitation(id);
      throw thrown;
    }
  }

  /** Back after a lost connection: what changed meanwhile without an event of its own. */
  #returned() {
    const { me, likes } = this.#room.now;
    this.#visit?.likes.confirm(likes);
    const wanted = this.#visit?.voice.state.get().wanted;
    if (me.seat === undefined && wanted) this.#unseated();
    if (this.#silent && me.seat !== undefined && !me.micMuted)
      void this.#room.setMicrophone(true).catch(() => {});
    this.news.emit('reconnected', {});
  }

  /** @param {{reason: string, summary: import('../protocol/events.js').RoomSummary | null}} ended */
  #ended({ reason, summary }) {
    const { info, likes } = this.#room.now;
    const {
      seconds,
      peak,
      likes: total,
    } = summary ?? {
      seconds: Math.round((this.serverNow() - info.createdAt) / 1000),
      peak: this.#local.peak,
      likes,
    };
    const known = reason === 'owner_absent' || reason === 'operator' ? reason : 'owner';
    this.#endVisit();
    this.#set({
      phase: 'ended',
      end: { reason: known, seconds, peak, likes: total, name: info.name, owner: info.owner },
    });
    this.news.emit('ended', {});
  }

  /** @param {import('../protocol/session.js').SessionState} session */
  #followSession({ phase, error }) {
    if (phase === 'closed' && this.#visit) {
      this.#endVisit();
      this.#set({ phase: 'left', error });
    } else {
      this.#render();
    }
  }

  #silenceEcho() {
    const visit = this.#visit;
    visit?.playout.setSilenced('echo', visit.echo.paired.get() && !this.#local.echoAllowed);
    this.#render();
  }

  /** @param {AbortSignal} signal */
  #watchOwnLevel(signal) {
    const stop = this.#microphone.level.subscribe(
      () => {
        if (!this.#visit?.voice.state.get().open) return stop();
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
    const levels = { ...this.#room.levels.get() };
    if (me.mic === 'live') levels[me.id] = this.#microphone.level.get();
    else delete levels[me.id];
    this.levels.set(levels);
    const loudest = Object.entries(levels).reduce((a, b) => (b[1] > a[1] ? b : a), ['', spokenLevel]);
    if (loudest[0] && loudest[0] !== this.#local.spokeLast) this.#set({ spokeLast: loudest[0] });
  }

  /** @param {number} seat */
  #userOn(seat) {
    const state = this.#room.now;
    const id = state.seats[seat]?.user;
    return id ? profileOf(state, id) : null;
  }

  /**
   * @template T
   * @param {string} name in `state.pending` meanwhile
   * @param {() => Promise<T>} work
   */
  async #run(name, work) {
    this.#set({ pending: new Set(this.#local.pending).add(name) });
    try {
      return await work();
    } catch (thrown) {
      throw OvationError.of(thrown);
    } finally {
      const pending = new Set(this.#local.pending);
      pending.delete(name);
      this.#set({ pending });
    }
  }

  /** @param {Partial<import('./salon-compose.js').Local>} some */
  #set(some) {
    this.#local = { ...this.#local, ...some };
    this.#render();
  }

  #around() {
    const voice = this.#visit?.voice.state.get();
    return {
      ...this.#local,
      origin: this.#host.origin,
      listening: (/** @type {string} */ user) => this.#host.listening.of(user),
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
  #render() {
    const room = this.#room.state.get();
    const visit = this.#visit;
    if (room) {
      this.#local.peak = Math.max(this.#local.peak, room.memberCount);
      if (visit) {
        const seat = room.me.seat === undefined ? undefined : room.seats[room.me.seat];
        const audible = seat !== undefined && !seat.muted && !room.me.micMuted && !this.#silent;
        visit.voice.setAudible(audible);
        visit.echo.setLive(audible && visit.voice.state.get().open);
        for (const { index, user } of room.seats) {
          if (user) visit.playout.setListening(index, this.#host.listening.of(user));
        }
      }
    }
    const shown = room && this.#silent ? { ...room, me: { ...room.me, micMuted: true } } : room;
    this.state.set(
      composeState(shown, this.#local, this.#around(), {
        user: this.#session.user.get(),
        chat: visit?.chat.state.get() ?? null,
        undo: this.#undo.offer.get(),
        connection: this.connection.get(),
        soundBlocked: visit?.playout.blocked.get() ?? false,
        echoPair: (visit?.echo.paired.get() ?? false) && !this.#local.echoAllowed,
        mic: shown ? micState(shown, this.#around().voice) : 'listener',
      }),
    );
  }
}
