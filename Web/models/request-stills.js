import { requestsToMe } from './salon-invitations.js';

/** What came with the requests that I may answer: host and co-hosts see who would walk in. */
export class RequestStills {
  #room;
  #change;
  #signal;
  /** @type {Set<string>} The requests whose stills were asked for. */ #asked = new Set();

  /**
   * @param {object} parts
   * @param {import('../protocol/room.js').OvationRoom} parts.room
   * @param {import('./salon-parts.js').Change} parts.change
   * @param {AbortSignal} signal ends with my visit
   */
  constructor({ room, change }, signal) {
    this.#room = room;
    this.#change = change;
    this.#signal = signal;
    room.state.subscribe(() => this.#look(), { signal });
    signal.addEventListener('abort', () => change(() => ({ requestStills: new Map() })));
  }

  #look() {
    const room = this.#room.state.get();
    if (!room) return;
    const waiting = requestsToMe(room).filter(({ hasStill }) => hasStill);
    const ids = new Set(waiting.map(({ id }) => id));
    // What is answered is not kept.
    this.#change(({ requestStills }) => {
      const left = [...requestStills].filter(([id]) => ids.has(id));
      return left.length < requestStills.size ? { requestStills: new Map(left) } : null;
    });
    for (const id of this.#asked) if (!ids.has(id)) this.#asked.delete(id);
    for (const id of ids) if (!this.#asked.has(id)) void this.#fetch(id);
  }

  /** @param {string} id */
  async #fetch(id) {
    this.#asked.add(id);
    let picture = null;
    try {
      picture = await this.#room.requestStill(id);
    } catch {
      // A request stands without it: it may be settled by now.
    }
    if (!picture || !this.#asked.has(id) || this.#signal.aborted) return;
    const address = `data:image/jpeg;base64,${picture}`;
    this.#change(({ requestStills }) => ({ requestStills: new Map(requestStills).set(id, address) }));
  }
}
