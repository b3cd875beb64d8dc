import { RoomClock } from './clock.js';
import { Connection, platform } from './connection.js';
import { OvationError } from './errors.js';
import { Emitter } from './events.js';
import { Store } from './store.js';

/** @typedef {import('./events.js').User} User */
/** @typedef {import('./ids.js').RoomID} RoomID */
/** @typedef {import('./connection.js').Call} Call */
/** @typedef {import('./wire.js').CallParameters} CallParameters */
/** @typedef {import('./wire.js').CallAnswers} CallAnswers */
/** @typedef {import('./wire.js').CommandParameters} CommandParameters */
/** @typedef {import('./wire.js').CommandAnswers} CommandAnswers */

/** The version of the wire protocol that this client speaks. */
const protocolVersion = 1;
/** How often the server's clock is asked, which also shows that the connection lives. */
const heartbeatMs = 5_000;
/** No answer for so long: the connection is dead, whatever the socket says. */
const heartbeatTimeoutMs = 8_000;
/** After a while in the background a socket may be dead and not say so: who looks at the page again learns it within this time. */
const awakeTimeoutMs = 2_000;
/** Clock readings kept; the one with the shortest way counts. */
const clockReadings = 8;
/** Readings in a row before a song: over a line with 20 ms of jitter each way they tell the time to some 2 ms. */
const songReadings = 12;
/** How often the clock is asked while one sings. */
const singingMs = 500;
/** After a ticket could not be renewed. */
const renewAgainMs = 20_000;
/** Refusals of `session.open` that a newer ticket may mend. */
const ticketErrors = new Set(['ticket_expired', 'session_expired', 'ticket_failed', 'ticket_empty']);
/** Refusals of `session.open` that no repetition mends. */
const finalErrors = new Set([
  'app_unknown',
  'user_id_invalid',
  'ticket_empty',
  'ticket_failed',
  'ticket_expired',
  'ticket_not_yet_valid',
  'session_expired',
  'session_replaced',
  'banned_here',
  'banned_here_for_good',
  'name_taken',
  'invalid_params',
  'method_not_found',
  'signed_out',
  'origin_refused',
]);

/**
 * `connecting`: for the first time · `ready` · `reconnecting` (`retryAt`: local clock of the next try, null while trying) ·
 * `closed` (`error` tells why; a closed session stays closed).
 * @typedef {{phase: 'connecting' | 'ready' | 'reconnecting' | 'closed', retryAt: number | null, error: OvationError | null}} SessionState
 */
/**
 * @typedef {object} Credentials
 * @property {number} app
 * @property {string} user
 * @property {string} ticket
 * @property {string} [name]
 * @property {string} [avatar]
 * @property {string} [resume] the secret of an earlier session of this tab
 */
/**
 * What a room gives its session: to hear news, and to find its way back on a new socket.
 * @typedef {object} Attached
 * @property {(params: any) => void} receive takes `room.events`
 * @property {(call: Call) => Promise<void>} resume
 * @property {(restriction: import('./events.js').Restriction) => void} removed takes `room.removed`
 */

/** A signed-in conversation with the server that survives lost connections. */
export class Session {
  /** @type {Store<SessionState>} */
  state = new Store(/** @type {SessionState} */ ({ phase: 'connecting', retryAt: null, error: null }));
  /**
   * Who is signed in, as the server tells it.
   * @type {Store<User>}
   */
  user;
  /**
   * Round trip of the signalling connection in milliseconds, null before the first reading.
   * @type {Store<number | null>}
   */
  rttMs = new Store(/** @type {number | null} */ (null));
  /**
   * Invitations of rooms in which I am not, as they come and as they are settled. Enter the room to accept one.
   * @type {Emitter<{invitation: {room: import('./events.js').RoomInfo, invitation: import('./events.js').Invitation, by?: string}}>}
   */
  elsewhere = new Emitter();
  /**
   * What somebody, or a program of the operator's, tells me alone, wherever I am. A custom one has `command` and `message` instead of `text`.
   * @type {Emitter<{signal: {id?: string, from: User, text?: string, command?: string, message?: string, time: number}}>}
   */
  signals = new Emitter();
  /** The server's time to a millisecond and less: songs start by it. */
  clock = new RoomClock();
  /**
   * Limits that the server told, such as `textBytes` and `seats`.
   * @type {Record<string, number>}
   */
  limits = {};
  /**
   * Relays that the server told at the last connection, for paths through strict networks.
   * @type {RTCIceServer[]}
   */
  iceServers = [];
  /** The secret with which a later connection takes this session over; '' before the first. */
  secret = '';
  /**
   * Rooms that this session is in, as far as the server has told.
   * @type {RoomID[]}
   */
  rooms = [];

  #credentials;
  #renewTicket;
  #remember;
  #host;
  #connection;
  /** @type {Map<RoomID, Attached>} */ #attached = new Map();
  /** Rooms whose leaving is on its way. @type {Set<RoomID>} */ #leaving = new Set();
  /** @type {{rtt: number, offset: number}[]} */ #readings = [];
  /** @type {any} */ #heart = null;
  /** @type {any} */ #renewTimer = null;
  #renewing = false;
  #wasReady = false;
  #ticketIsNew = false;
  /** The ticket of the last sign-in. */ #ticketTried = '';
  #singing = false;

  /**
   * @param {object} parts
   * @param {string} parts.url of `/v1/connect`, `ws:` or `wss:`
   * @param {Credentials} parts.credentials
   * @param {() => Promise<string>} [parts.renewTicket] fetches a new ticket for the same user
   * @param {(secret: string) => void} [parts.remember] told the session's secret, to keep it over a reload of the page
   * @param {{name: string, version: string}} [parts.client]
   * @param {Partial<import('./connection.js').Host>} [parts.host]
   */
  constructor({ url, credentials, renewTicket, remember, client, host = {} }) {
    this.#credentials = { ...credentials };
    this.#renewTicket = renewTicket;
    this.#remember = remember;
    this.#host = { ...platform, ...host };
    const { user, name, avatar } = credentials;
    this.user = new Store(/** @type {User} */ ({ id: user, name: name ?? user, avatar: avatar ?? '' }));
    this.secret = credentials.resume ?? '';
    this.#connection = new Connection({
      url,
      host,
      handshake: call => this.#handshake(call, client),
      notify: (method, params) => this.#hear(method, params),
      recover: error => this.#recover(error),
    });
    this.#connection.state.subscribe(state => this.#follow(state), { now: false });
  }

  /** The application that this session belongs to. */
  get app() {
    return this.#credentials.app;
  }

  /**
   * Connects and signs in.
   * @param {{signal?: AbortSignal}} options
   * @returns {Promise<User>} once signed in; rejects only when it never will be, or by the signal
   */
  open({ signal } = {}) {
    return new Promise((resolve, reject) => {
      const watching = new AbortController();
      signal?.addEventListener('abort', () => finish(() => reject(new OvationError('aborted'))), {
        once: true,
      });
      /** @param {() => void} settle */
      const finish = settle => {
        watching.abort();
        settle();
      };
      this.state.subscribe(
        ({ phase, error }) => {
          if (phase === 'ready') finish(() => resolve(this.user.get()));
          if (phase === 'closed') finish(() => reject(error ?? new OvationError('signed_out')));
        },
        { signal: watching.signal },
      );
      this.#connection.open();
    });
  }

  /**
   * Asks the server; see `Connection.call`.
   * @template {keyof CallParameters} M
   * @param {M} method
   * @param {CallParameters[M]} params
   * @param {import('./connection.js').CallOptions} [options]
   * @returns {Promise<CallAnswers[M]>}
   */
  call(method, params, options) {
    return this.#connection.call(method, params, options);
  }

  /**
   * Asks for something in a room.
   * @template {keyof CommandParameters} M
   * @param {RoomID} room
   * @param {M} method
   * @param {CommandParameters[M]} params
   * @param {string} [key] of one that is repeated without harm
   * @param {import('./connection.js').CallOptions} [options]
   * @returns {Promise<CommandAnswers[M]>}
   */
  command(room, method, params, key, options) {
    return this.#connection.call(method, { room, ...params, ...(key && { key }) }, options);
  }

  /** The server's clock, milliseconds since 1970. */
  serverNow() {
    const best = this.#readings.reduce((a, b) => (b.rtt < a.rtt ? b : a), { rtt: Infinity, offset: 0 });
    return this.#host.now() + best.offset;
  }

  /** Reads the server's clock a few times in a row: before a song, when every millisecond counts. */
  async measureClock() {
    for (let reading = 0; reading < songReadings && this.state.get().phase === 'ready'; reading++)
      await this.#beat();
  }

  /**
   * While one sings every millisecond counts, and the clock is asked more often.
   * @param {boolean} singing
   */
  setSinging(singing) {
    if (this.#singing === singing) return;
    this.#singing = singing;
    if (singing) void this.measureClock();
  }

  /** Tries at once instead of waiting for the next try: call it when the network or the page comes back. */
  retryNow() {
    this.#connection.retryNow();
    if (this.state.get().phase === 'ready') void this.#beat(awakeTimeoutMs);
  }

  /** Signs out: leaves the room, then the connection ends. */
  async close() {
    try {
      if (this.state.get().phase === 'ready') await this.call('session.close', {}, { timeoutMs: 2_000 });
    } catch {
      // Whatever the server says, this side is done.
    }
    this.#connection.close();
  }

  /** @param {{name?: string, avatar?: string}} profile */
  async setProfile(profile) {
    const { user } = await this.call('profile.set', profile);
    this.#credentials.name = user.name;
    this.#credentials.avatar = user.avatar;
    this.user.set(user);
    return /** @type {User} */ (user);
  }

  /**
   * People by id, in the order asked, unknown ids dropped.
   * @param {string[]} users at most 100
   * @returns {Promise<User[]>}
   */
  async profiles(users) {
    return (await this.call('profile.get', { users }, { repeat: true })).users;
  }

  /**
   * A room that hears its news from now on and comes back with the session.
   * @param {RoomID} id @param {Attached} room
   * @returns {() => void} detaches
   */
  attach(id, room) {
    this.#attached.set(id, room);
    return () => {
      if (this.#attached.get(id) === room) this.#attached.delete(id);
    };
  }

  /** Rooms that this session is in and that nothing here follows: an earlier page of this tab entered them. */
  get unattended() {
    return this.rooms.filter(id => !this.#attached.has(id));
  }

  /**
   * Notes that this session is in a room, or is not any more.
   * @param {RoomID} id @param {boolean} isIn
   */
  noteRoom(id, isIn) {
    const others = this.rooms.filter(room => room !== id);
    this.rooms = isIn ? [...others, id] : others;
  }

  /**
   * Leaves a room; also one that is unattended.
   * @param {RoomID} id
   */
  async exit(id) {
    this.#leaving.add(id);
    this.noteRoom(id, false);
    try {
      await this.command(id, 'room.exit', {}, undefined, { repeat: true });
    } finally {
      this.#leaving.delete(id);
    }
  }

  /** @param {Call} call @param {{name: string, version: string} | undefined} client */
  async #handshake(call, client) {
    const { app, user, ticket, name, avatar } = this.#credentials;
    const asked = this.#host.now();
    this.#ticketTried = ticket;
    const answer = await call('session.open', {
      version: protocolVersion,
      app,
      user,
      ticket,
      ...(name ? { name } : {}),
      ...(avatar ? { avatar } : {}),
      ...(client ? { client } : {}),
      ...(this.secret ? { resume: this.secret } : {}),
    });
    this.#read(answer.time, asked);
    this.#ticketIsNew = false;
    this.secret = String(answer.session ?? '');
    this.#remember?.(this.secret);
    this.limits = answer.limits ?? {};
    this.#connection.setPace(this.limits);
    this.iceServers = answer.iceServers ?? [];
    this.rooms = (answer.rooms ?? []).filter((/** @type {RoomID} */ id) => !this.#leaving.has(id));
    this.user.set(answer.user);
    for (const room of [...this.#attached.values()]) await room.resume(call);
  }

  /** @param {OvationError} error */
  async #recover(error) {
    // Another one came while that one was tried.
    if (ticketErrors.has(error.name) && this.#credentials.ticket !== this.#ticketTried) return true;
    if (ticketErrors.has(error.name) && this.#renewTicket && !this.#ticketIsNew) {
      try {
        this.#credentials.ticket = await this.#renewTicket();
        this.#ticketIsNew = true;
        return true;
      } catch (thrown) {
        // No server, no ticket: try again later. A refusal is final.
        return ['server_unreachable', 'timeout', 'unavailable'].includes(OvationError.of(thrown).name);
      }
    }
    return !finalErrors.has(error.name);
  }

  /**
   * Tells one user something, on each client on which they are signed in; the server keeps none of it. `user_away`: they are signed in
   * nowhere.
   * @param {string} user
   * @param {{text: string} | {command: string, message: string}} body
   * @param {string} [id] my own id of it, which the user is told
   */
  async sendSignal(user, body, id) {
    await this.call('signal.send', { user, ...body, ...(id && { id }) });
  }

  /** What signs an HTTP request of this user. */
  get authorization() {
    const { app, user, ticket } = this.#credentials;
    return `Bearer ${app}:${user}:${ticket}`;
  }

  /** @param {string} method @param {any} params */
  #hear(method, params) {
    if (method === 'room.events') this.#attached.get(params.room)?.receive(params);
    else if (method === 'room.removed') this.#attached.get(params.room)?.removed(params.restriction);
    else if (method === 'signal') this.signals.emit('signal', params);
    else if (method === 'invitation.elsewhere') this.elsewhere.emit('invitation', params);
    else if (method === 'session.expiring') void this.#renew();
  }

  async #renew() {
    if (!this.#renewTicket || this.#renewing) return;
    this.#renewing = true;
    this.#host.clearTimer(this.#renewTimer);
    try {
      this.#credentials.ticket = await this.#renewTicket();
      await this.call('session.renew', { ticket: this.#credentials.ticket });
    } catch {
      this.#renewTimer = this.#host.setTimer(() => void this.#renew(), renewAgainMs);
    } finally {
      this.#renewing = false;
    }
  }

  /** @param {import('./connection.js').ConnectionState} connection */
  #follow({ phase, retryAt, error }) {
    this.#host.clearTimer(this.#heart);
    if (phase === 'ready') {
      this.#wasReady = true;
      this.#armHeart();
      this.state.set({ phase: 'ready', retryAt: null, error: null });
    } else if (phase === 'closed') {
      this.#host.clearTimer(this.#renewTimer);
      this.state.set({ phase: 'closed', retryAt: null, error });
    } else if (this.#wasReady || phase === 'waiting') {
      this.state.set({ phase: this.#wasReady ? 'reconnecting' : 'connecting', retryAt, error });
    }
  }

  /** @param {number} [timeoutMs] */
  async #beat(timeoutMs = heartbeatTimeoutMs) {
    this.#host.clearTimer(this.#heart);
    const asked = this.#host.now();
    const sent = this.clock.local();
    try {
      const { time, timeUs } = await this.call(
        'clock.read',
        {},
        // What waits at the server's pace must not look like a dead connection.
        { timeoutMs, repeat: false, urgent: true },
      );
      this.#read(time, asked);
      this.clock.read(typeof timeUs === 'number' ? timeUs / 1000 : time, sent);
    } catch (thrown) {
      if (OvationError.of(thrown).name === 'timeout') this.#connection.abandon();
    }
    if (this.#connection.state.get().phase !== 'ready') return;
    this.#armHeart();
  }

  #armHeart() {
    this.#host.clearTimer(this.#heart);
    this.#heart = this.#host.setTimer(() => void this.#beat(), this.#singing ? singingMs : heartbeatMs);
  }

  /** @param {unknown} time the server's clock @param {number} asked when it was asked */
  #read(time, asked) {
    if (typeof time !== 'number') return;
    const now = this.#host.now();
    const rtt = Math.max(0, now - asked);
    this.#readings = [...this.#readings, { rtt, offset: time - (asked + rtt / 2) }].slice(-clockReadings);
    this.rttMs.set(rtt);
  }
}
