// A scripted server behind fake WebSockets: answers calls, pushes news, breaks connections.

/** Stands in for the browser's WebSocket. Each message arrives in a turn of its own, as in a browser. */
class FakeSocket {
  onopen = null;
  onmessage = null;
  onclose = null;
  closedWith = null;
  sent = [];

  constructor(server, url, protocol) {
    this.server = server;
    this.url = url;
    this.protocol = protocol;
  }

  send(text) {
    const message = JSON.parse(text);
    this.sent.push(message);
    this.server.receive(this, message);
  }

  close(code) {
    this.closedWith = code;
    this.server.gone(this);
  }
}

/** An answer that never comes. */
export const silence = Symbol('silence');

/** Refuses with an error of the protocol. */
export class Refusal extends Error {
  constructor(name, code = -1, data = {}) {
    super(name);
    this.wire = { code, message: name, data: { name, ...data } };
  }
}

export class FakeServer {
  /** Every call in order: `{method, params}`. */
  calls = [];
  /** Every socket ever asked for. */
  sockets = [];
  /** Takes no connections while set. */
  down = false;
  /** @type {Record<string, (params: any, call: any) => any>} */
  methods = {
    'session.open': ({ user, name }) => ({
      session: `secret-${++this.sessions}`,
      resumed: false,
      user: { id: user, name: name ?? user, avatar: '' },
      time: Date.now(),
      expiresInSeconds: 86400,
      rooms: [],
      mediaEpoch: 1,
      limits: { textBytes: 12288, seats: 16 },
    }),
    'session.close': () => ({}),
    'session.renew': () => ({ expiresInSeconds: 86400 }),
    'clock.read': () => ({ time: Date.now(), monotonicUs: 1 }),
  };
  sessions = 0;
  #queue = [];
  #draining = false;

  /** Pass as `host`. */
  get host() {
    return {
      random: () => 0.5,
      openSocket: (url, protocol) => {
        const socket = new FakeSocket(this, url, protocol);
        this.sockets.push(socket);
        this.#later(() => {
          if (socket.closedWith !== null) return;
          if (this.down) socket.onclose?.({ code: 1006 });
          else socket.onopen?.({});
        });
        return socket;
      },
    };
  }

  get socket() {
    return this.sockets.at(-1);
  }

  /** Calls of one method. */
  of(method) {
    return this.calls.filter(call => call.method === method).map(call => call.params);
  }

  on(method, answer) {
    this.methods[method] = answer;
    return this;
  }

  receive(socket, { id, method, params }) {
    /** `after`: what the server sends behind its answer. */
    const call = { method, params, id, socket, after: () => {} };
    this.calls.push(call);
    const answer = this.methods[method];
    this.#later(async () => {
      let message;
      try {
        if (!answer) throw new Refusal('method_not_found', -32601);
        const result = await answer(params, call);
        if (result === silence) return;
        message = { jsonrpc: '2.0', id, result };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        message = { jsonrpc: '2.0', id, error: error.wire };
      }
      this.deliver(message, socket);
      call.after();
    });
  }

  /** Sends a message now, in a turn of its own after what is under way. */
  deliver(message, socket = this.socket) {
    this.#later(() =>
      socket.onmessage?.({ data: typeof message === 'string' ? message : JSON.stringify(message) }),
    );
  }

  notify(method, params) {
    this.deliver({ jsonrpc: '2.0', method, params });
  }

  /** News of a room. */
  news(room, events, epoch = 1) {
    this.notify('room.events', { room, epoch, events });
  }

  /** Breaks the present connection. */
  drop(code = 1006) {
    const { socket } = this;
    this.#later(() => socket.onclose?.({ code }));
  }

  gone() {}

  #later(run) {
    this.#queue.push(run);
    if (this.#draining) return;
    this.#draining = true;
    setImmediate(() => this.#drain());
  }

  async #drain() {
    // One a turn: promises of a message run before the next message is heard.
    const run = this.#queue.shift();
    if (run) await run();
    if (this.#queue.length > 0) setImmediate(() => this.#drain());
    else this.#draining = false;
  }
}
