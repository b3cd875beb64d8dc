import { OvationError } from './errors.js';
import { Pace } from './pace.js';
import { Store } from './store.js';

/** The WebSocket sub-protocol that both sides must agree on. */
export const subprotocol = 'ovation.v1';
/** Reconnecting: the first wait, doubled each time up to the last (Documentation/build/protocol.md §7). */
const firstWaitMs = 500;
const lastWaitMs = 10_000;
/** Waits differ by this part either way, so that a crowd does not come back in one moment. */
const jitter = 0.3;
/** A connection that held this long ends a row of failures. */
const steadyMs = 5_000;
/** A socket that does not open in this time is given up: some networks swallow packets without a word. */
const openingMs = 10_000;
/** How long an answer may take, unless the caller says otherwise. */
const defaultTimeoutMs = 10_000;
/** More calls do not wait: whoever makes them does not heed the answers. */
const waitingMost = 256;
/** Close codes after which there is nothing to come back for, with what they mean. */
const finalCodes = new Map([
  [1000, 'signed_out'],
  [4001, 'session_replaced'],
  [4006, 'signed_out'],
  [4007, 'banned_here_for_good'],
]);

/** What a host gives: real ones by default, others in tests. */
/**
 * @typedef {object} Host
 * @property {(url: string, protocol: string) => WebSocket} openSocket
 * @property {(run: () => void, ms: number) => any} setTimer
 * @property {(timer: any) => void} clearTimer
 * @property {() => number} now milliseconds, wall clock
 * @property {() => number} random in [0, 1)
 */

/** @type {Host} */
export const platform = {
  openSocket: (url, protocol) => new WebSocket(url, protocol),
  setTimer: (run, ms) => setTimeout(run, ms),
  clearTimer: timer => clearTimeout(timer),
  now: () => Date.now(),
  random: () => Math.random(),
};

/**
 * `opening`: the socket or the handshake is under way · `ready` · `waiting`: the next try is at `retryAt` ·
 * `closed`: for good, `error` says why · `idle`: not opened yet.
 * @typedef {{phase: 'idle' | 'opening' | 'ready' | 'waiting' | 'closed', retryAt: number | null, error: OvationError | null}} ConnectionState
 */
/** @typedef {{signal?: AbortSignal, timeoutMs?: number, repeat?: boolean, urgent?: boolean}} CallOptions `repeat`: asking twice does no harm; `urgent`: waits for no other call's turn */
/** @typedef {(method: string, params?: object, options?: CallOptions) => Promise<any>} Call */

/**
 * One waiting call. `sent` tells whether its present socket has it.
 * @typedef {{method: string, params: any, repeat: boolean, resolve: (result: any) => void, reject: (error: OvationError) => void, sent: boolean, everSent: boolean, settled: boolean}} Waiting
 */

/**
 * JSON-RPC over a WebSocket that comes back by itself. Calls wait for the connection as long as their time allows; a call
 * with an idempotency key (or `repeat`) that was under way when the connection broke is sent again, any other is refused
 * with `connection_lost`.
 */
export class Connection {
  /** @type {Store<ConnectionState>} */
  state = new Store(/** @type {ConnectionState} */ ({ phase: 'idle', retryAt: null, error: null }));

  #url;
  #handshake;
  #notify;
  #recover;
  #host;
  /** @type {WebSocket | null} */ #socket = null;
  /** Grows with each socket, so that a late event of an old one is known. */
  #generation = 0;
  #nextID = 1;
  /** @type {Map<number, Waiting>} calls that the present socket has */ #sent = new Map();
  /** @type {Waiting[]} calls that wait for a connection */ #queue = [];
  /** @type {OvationError | null} the server's own word before it closes */ #farewell = null;
  /** @type {any} */ #retryTimer = null;
  /** @type {any} */ #openTimer = null;
  /** @type {any} */ #paceTimer = null;
  #pace;
  #failures = 0;
  #readySince = 0;

  /**
   * @param {object} parts
   * @param {string} parts.url `ws:` or `wss:`
   * @param {(call: Call) => Promise<void>} parts.handshake runs on each new socket before it is `ready`
   * @param {(method: string, params: any) => void} parts.notify
   * @param {(error: OvationError) => Promise<boolean>} parts.recover may a failed handshake or an expired session be tried again? `false` closes for good
   * @param {Partial<Host>} [parts.host]
   */
  constructor({ url, handshake, notify, recover, host = {} }) {
    this.#url = url;
    this.#handshake = handshake;
    this.#notify = notify;
    this.#recover = recover;
    this.#host = { ...platform, ...host };
    this.#pace = new Pace(this.#host.now());
  }

  /**
   * The server has stated how many calls it takes.
   * @param {{callsAtOnce?: number, callsPerSecond?: number}} limits
   */
  setPace(limits) {
    this.#pace.limit(limits);
  }

  /** Starts connecting; does nothing when under way or closed. */
  open() {
    if (this.state.get().phase === 'idle') this.#connect();
  }

  /** Tries at once instead of waiting (the network came back, the page was looked at). */
  retryNow() {
    if (this.state.get().phase !== 'waiting') return;
    this.#host.clearTimer(this.#retryTimer);
    this.#connect();
  }

  /**
   * Ends it for good; every waiting call fails with `error`.
   * @param {OvationError} error
   */
  close(error = new OvationError('signed_out')) {
    if (this.state.get().phase === 'closed') return;
    this.#dropSocket(1000);
    this.#host.clearTimer(this.#retryTimer);
    this.state.set({ phase: 'closed', retryAt: null, error });
    const waiting = [...this.#sent.values(), ...this.#queue];
    this.#sent.clear();
    this.#queue = [];
    for (const call of waiting) call.reject(error);
  }

  /** Gives the present socket up and reconnects: it seems dead although nobody said so. */
  abandon() {
    if (this.#socket) this.#lost(new OvationError('connection_lost'), null);
  }

  /**
   * Asks the server.
   * @param {string} method
   * @param {object} [params]
   * @param {CallOptions} [options]
   * @returns {Promise<any>} the result; rejects with OvationError
   */
  call(method, params = {}, options = {}) {
    const { phase, error } = this.state.get();
    if (phase === 'closed') return Promise.reject(error ?? new OvationError('signed_out'));
    if (options.urgent && phase === 'ready')
      return this.#start(method, params, options, call => {
        this.#pace.spend();
        this.#send(call);
      });
    this.#queue = this.#queue.filter(waiting => !waiting.settled);
    if (this.#queue.length + this.#sent.size >= waitingMost)
      return Promise.reject(new OvationError('too_many_calls', 'too many calls wait for answers'));
    return this.#start(method, params, options, call => {
      this.#queue.push(call);
      if (phase === 'ready') this.#flush();
    });
  }

  /**
   * @param {string} method @param {any} params @param {CallOptions} options
   * @param {(call: Waiting) => void} launch
   */
  #start(method, params, options, launch) {
    const { signal, timeoutMs = defaultTimeoutMs, repeat = typeof params.key === 'string' } = options;
    return new Promise((resolve, reject) => {
      const aborted = () => call.reject(new OvationError('aborted'));
      /** @param {() => void} finish */
      const settle = finish => {
        if (call.settled) return;
        call.settled = true;
        this.#host.clearTimer(timer);
        signal?.removeEventListener('abort', aborted);
        finish();
      };
      /** @type {Waiting} */
      const call = {
        method,
        params,
        repeat,
        sent: false,
        everSent: false,
        settled: false,
        resolve: result => settle(() => resolve(result)),
        reject: error => settle(() => reject(error)),
      };
      const timer = this.#host.setTimer(
        () => call.reject(new OvationError(call.everSent ? 'timeout' : 'offline', `no answer to ${method}`)),
        timeoutMs,
      );
      if (signal?.aborted) return aborted();
      signal?.addEventListener('abort', aborted, { once: true });
      launch(call);
    });
  }

  /** Sends what waits, at the pace that the server allows. */
  #flush() {
    this.#host.clearTimer(this.#paceTimer);
    while (this.#queue.length > 0) {
      if (this.#queue[0].settled) {
        this.#queue.shift();
        continue;
      }
      const wait = this.#pace.take(this.#host.now());
      if (wait > 0) {
        this.#paceTimer = this.#host.setTimer(() => this.#flush(), wait);
        return;
      }
      this.#send(/** @type {Waiting} */ (this.#queue.shift()));
    }
  }

  /** @param {Waiting} call */
  #send(call) {
    if (call.settled) return;
    const id = this.#nextID++;
    call.sent = call.everSent = true;
    this.#sent.set(id, call);
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', id, method: call.method, params: call.params }));
  }

  #connect() {
    const generation = ++this.#generation;
    this.#farewell = null;
    this.#pace = new Pace(this.#host.now());
    this.state.set({ phase: 'opening', retryAt: null, error: this.state.get().error });
    /** @type {WebSocket} */ let socket;
    try {
      socket = this.#host.openSocket(this.#url, subprotocol);
    } catch (thrown) {
      this.close(new OvationError('unsupported_browser', String(thrown)));
      return;
    }
    this.#socket = socket;
    const mine = () => generation === this.#generation;
    this.#openTimer = this.#host.setTimer(() => {
      if (mine()) this.abandon();
    }, openingMs);
    socket.onopen = () => {
      if (mine()) void this.#shakeHands(generation);
    };
    socket.onmessage = event => {
      if (mine()) this.#receive(event.data);
    };
    socket.onclose = event => {
      if (mine()) this.#lost(this.#farewell ?? new OvationError('connection_lost'), event.code);
    };
  }

  /** @param {number} generation */
  async #shakeHands(generation) {
    /** @type {Call} */
    const direct = (method, params = {}, options = {}) => {
      if (generation !== this.#generation) return Promise.reject(new OvationError('connection_lost'));
      // The next handshake asks anew: nothing of this one is repeated.
      return this.#start(method, params, { ...options, repeat: false }, call => {
        this.#pace.spend();
        this.#send(call);
      });
    };
    try {
      await this.#handshake(direct);
    } catch (thrown) {
      if (generation !== this.#generation) return;
      const error = OvationError.of(thrown);
      this.#generation++;
      this.#dropSocket(1000);
      await this.#again(error);
      return;
    }
    if (generation !== this.#generation) return;
    this.#host.clearTimer(this.#openTimer);
    this.#readySince = this.#host.now();
    this.state.set({ phase: 'ready', retryAt: null, error: null });
    this.#flush();
  }

  /** @param {unknown} data */
  #receive(data) {
    /** @type {any} */ let message;
    try {
      message = JSON.parse(String(data));
    } catch {
      return; // A server of ours sends JSON alone; a stranger's text is no reason to fall over.
    }
    if (typeof message !== 'object' || message === null) return;
    if (typeof message.method === 'string') {
      if (message.method === 'session.closed') this.#farewell = OvationError.fromWire(message.params);
      this.#notify(message.method, message.params ?? {});
      return;
    }
    const call = this.#sent.get(message.id);
    if (!call) return;
    this.#sent.delete(message.id);
    if (message.error) call.reject(OvationError.fromWire(message.error));
    else call.resolve(message.result ?? {});
  }

  /** @param {OvationError} error @param {number | null} code of the close frame */
  #lost(error, code) {
    this.#generation++;
    this.#dropSocket(code === null ? 1000 : null);
    const final = code === null ? undefined : finalCodes.get(code);
    if (final) return this.close(this.#farewell ?? new OvationError(final));
    void this.#again(code === 4002 ? new OvationError('session_expired') : error);
  }

  /** @param {OvationError} error why the last try failed */
  async #again(error) {
    const held = this.#readySince > 0 && this.#host.now() - this.#readySince >= steadyMs;
    this.#failures = held ? 0 : this.#failures;
    this.#readySince = 0;
    const wait =
      Math.min(firstWaitMs * 2 ** this.#failures, lastWaitMs) *
      (1 - jitter + 2 * jitter * this.#host.random());
    this.#failures++;
    const delay = Math.max(wait, error.retryAfterMs ?? 0);
    const generation = this.#generation;
    this.state.set({ phase: 'waiting', retryAt: this.#host.now() + delay, error });
    if (error.name !== 'connection_lost' && error.name !== 'timeout') {
      const may = await this.#recover(error);
      if (generation !== this.#generation || this.state.get().phase !== 'waiting') return;
      if (!may) return this.close(error);
    }
    this.#retryTimer = this.#host.setTimer(() => this.#connect(), delay);
  }

  /**
   * Takes the handlers off, closes, and sorts the calls that it had.
   * @param {number | null} code null when the other side has closed already
   */
  #dropSocket(code) {
    const socket = this.#socket;
    this.#socket = null;
    this.#host.clearTimer(this.#openTimer);
    this.#host.clearTimer(this.#paceTimer);
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      if (code !== null) socket.close(code);
    }
    const had = [...this.#sent.values()];
    this.#sent.clear();
    /** @type {Waiting[]} */ const again = [];
    for (const call of had) {
      call.sent = false;
      if (call.repeat) again.push(call);
      else call.reject(new OvationError('connection_lost', `no answer to ${call.method}`));
    }
    this.#queue = [...again, ...this.#queue].filter(call => !call.settled);
  }
}
