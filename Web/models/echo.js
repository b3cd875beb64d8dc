import { Store } from '../lib/store.js';
import { freshKey } from '../protocol/ids.js';

const channelName = 'ovation.echo';
const announceMs = 2_000;
/** Timers of a hidden tab may run once a minute: only a longer silence means that it is gone. */
const goneMs = 90_000;

/**
 * Two tabs of one device in one room howl: what one plays, the other's microphone sends. The newer tab of such a pair
 * learns here that it should be silent.
 */
export class EchoWatch {
  /** True while this tab is the newer of a pair of which one has an open microphone. */
  paired = new Store(false);

  #channel;
  #me;
  /** @type {Map<string, {since: number, live: boolean, heard: number}>} */ #others = new Map();
  /** @type {any} */ #timer;

  /**
   * @param {string} room what makes two tabs a pair
   * @param {{channel?: BroadcastChannel | null, now?: () => number}} around
   */
  constructor(room, { channel = openChannel(), now = Date.now } = {}) {
    this.#channel = channel;
    this.#me = { id: freshKey(), room, since: now(), live: false };
    if (!channel) return;
    channel.onmessage = ({ data }) => {
      if (data?.room !== room || typeof data.id !== 'string' || data.id === this.#me.id) return;
      const isNew = !this.#others.has(data.id);
      if (data.bye) this.#others.delete(data.id);
      else this.#others.set(data.id, { since: Number(data.since), live: Boolean(data.live), heard: now() });
      if (isNew && !data.bye) this.#announce();
      this.#decide(now());
    };
    this.#announce();
    this.#timer = setInterval(() => {
      this.#announce();
      this.#decide(now());
    }, announceMs);
    globalThis.window?.addEventListener('pagehide', this.#bye);
  }

  /** @param {boolean} live this tab's microphone is open and unmuted */
  setLive(live) {
    if (this.#me.live === live) return;
    this.#me = { ...this.#me, live };
    this.#announce();
    this.#decide();
  }

  close() {
    clearInterval(this.#timer);
    this.#bye();
    globalThis.window?.removeEventListener('pagehide', this.#bye);
    this.#channel?.close();
    this.#channel = null;
    this.paired.set(false);
  }

  #bye = () => this.#channel?.postMessage({ ...this.#me, bye: true });

  #announce() {
    this.#channel?.postMessage(this.#me);
  }

  /** @param {number} [now] */
  #decide(now) {
    for (const [id, other] of this.#others) {
      if (now !== undefined && now - other.heard > goneMs) this.#others.delete(id);
    }
    const { id, since, live } = this.#me;
    const howls = [...this.#others].some(
      ([otherID, other]) =>
        (live || other.live) && (other.since < since || (other.since === since && otherID < id)),
    );
    this.paired.set(howls);
  }
}

/** @returns {BroadcastChannel | null} */
function openChannel() {
  return 'BroadcastChannel' in globalThis ? new BroadcastChannel(channelName) : null;
}
