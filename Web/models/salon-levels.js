import { Store } from '../lib/store.js';

/** My own loudness is told so often at most. */
const ownLevelMs = 100;
/** From here on somebody counts as having spoken. */
const spokenLevel = 10;

/** Who is how loud: the room's word, and this microphone for myself. */
export class SalonLevels {
  /** @type {Store<Readonly<Record<string, number>>>} */
  store = new Store({});

  #stage;
  #ownAt = 0;
  #watchesOwn = false;

  /** @param {import('./salon-stage.js').SalonStage} stage */
  constructor(stage) {
    this.#stage = stage;
  }

  /**
   * While the microphone is open; once, whoever asks how often.
   * @param {AbortSignal} signal
   */
  watchOwn(signal) {
    if (this.#watchesOwn) return;
    this.#watchesOwn = true;
    const stop = this.#stage.microphone.level.subscribe(
      () => {
        if (!this.#stage.visit?.voice.state.get().open) {
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
    const { me } = this.#stage.state.get();
    const levels = { ...this.#stage.room.levels.get() };
    if (me.mic === 'live') levels[me.id] = this.#stage.microphone.level.get();
    else delete levels[me.id];
    this.store.set(levels);
    const loudest = Object.entries(levels).reduce((a, b) => (b[1] > a[1] ? b : a), ['', spokenLevel]);
    if (loudest[0] && loudest[0] !== this.#stage.local.spokeLast) this.#stage.set({ spokeLast: loudest[0] });
  }

  /** The visit is over. */
  clear() {
    this.#watchesOwn = false;
    this.store.set({});
  }
}
