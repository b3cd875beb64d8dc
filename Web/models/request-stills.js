import { requestsToMe } from './salon-invitations.js';

/** What came with the requests that I may answer: host and co-hosts see who would walk in. */
export class RequestStills {
  #stage;
  #signal;
  /** @type {Set<string>} The requests whose stills were asked for. */ #asked = new Set();

  /**
   * @param {import('./salon-stage.js').SalonStage} stage
   * @param {AbortSignal} signal ends with my visit
   */
  constructor(stage, signal) {
    this.#stage = stage;
    this.#signal = signal;
    stage.room.state.subscribe(() => this.#look(), { signal });
    signal.addEventListener('abort', () => stage.set({ requestStills: new Map() }));
  }

  #look() {
    const room = this.#stage.room.state.get();
    if (!room) return;
    const waiting = requestsToMe(room).filter(({ hasStill }) => hasStill);
    const ids = new Set(waiting.map(({ id }) => id));
    const { requestStills } = this.#stage.local;
    // What is answered is not kept.
    const left = [...requestStills].filter(([id]) => ids.has(id));
    if (left.length < requestStills.size) this.#stage.set({ requestStills: new Map(left) });
    for (const id of this.#asked) if (!ids.has(id)) this.#asked.delete(id);
    for (const id of ids) if (!this.#asked.has(id)) void this.#fetch(id);
  }

  /** @param {string} id */
  async #fetch(id) {
    this.#asked.add(id);
    let picture = null;
    try {
      picture = await this.#stage.room.requestStill(id);
    } catch {
      // A request stands without it: it may be settled by now.
    }
    if (!picture || !this.#asked.has(id) || this.#signal.aborted) return;
    const address = `data:image/jpeg;base64,${picture}`;
    this.#stage.set({ requestStills: new Map(this.#stage.local.requestStills).set(id, address) });
  }
}
