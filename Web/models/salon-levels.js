import { Store } from '../lib/store.js';

/** My own loudness is told so often at most. */
const ownLevelMs = 100;
/** From here on somebody counts as having spoken. */
const spokenLevel = 10;

/** Who is how loud: the room's word, and this microphone for myself. */
export class SalonLevels {
  /** @type {Store<Readonly<Record<string, number>>>} */
  store = new Store({});

  #room;
  #microphone;
  #me;
  #isOpen;
  #spoke;
  #ownAt = 0;
  #watchesOwn = false;

  /**
   * @param {object} parts
   * @param {import('../protocol/room.js').OvationRoom} parts.room
   * @param {import('./devices.js').MicrophoneModel} parts.microphone
   * @param {() => Pick<import('./salon-state.js').Me, 'id' | 'mic'>} parts.me
   * @param {() => boolean} parts.isOpen whether my microphone is
   * @param {(user: string) => void} parts.spoke hears who is the loudest
   */
  constructor({ room, microphone, me, isOpen, spoke }) {
    this.#room = room;
    this.#microphone = microphone;
    this.#me = me;
    this.#isOpen = isOpen;
    this.#spoke = spoke;
  }

  /**
   * While the microphone is open; once, whoever asks how often.
   * @param {AbortSignal} signal
   */
  watchOwn(signal) {
    if (this.#watchesOwn) return;
    this.#watchesOwn = true;
    const stop = this.#microphone.level.subscribe(
      () => {
        if (!this.#isOpen()) {
          this.#watchesOwn = false;
          return stop();
        }
        const now = Date.now();
        if (now - this.#ownAt < ownLevelMs) return;
        this.#ownAt = now;
        this.hear();
      },
      { signal, now: false },
    );
  }

  hear() {
    const { id, mic } = this.#me();
    const levels = { ...this.#room.levels.get() };
    if (mic === 'live') levels[id] = this.#microphone.level.get();
    else delete levels[id];
    this.store.set(levels);
    const loudest = Object.entries(levels).reduce((a, b) => (b[1] > a[1] ? b : a), ['', spokenLevel]);
    if (loudest[0]) this.#spoke(loudest[0]);
  }

  /** The visit is over. */
  clear() {
    this.#watchesOwn = false;
    this.store.set({});
  }
}
