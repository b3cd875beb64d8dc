import './engine.js';

/** The real ones, taken before any test replaces them. */
const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  now: Date.now,
};

/** Lets everything run that needs no time to pass: promises, and the answers of the fake server. */
export async function settle() {
  for (let turn = 0; turn < 24; turn++) await new Promise(resolve => setImmediate(resolve));
}

/** Time that passes only when a test says so; stands in for timers and `Date.now` of the whole process. */
export class VirtualTime {
  #now;
  #next = 1;
  /** @type {Map<number, {at: number, run: () => void, every: number | null}>} */ #timers = new Map();

  constructor(now = 1_795_267_200_000) {
    this.#now = now;
  }

  get now() {
    return this.#now;
  }

  /** Uses it for this test: `t.after` gives the real timers back. */
  static install(t) {
    const time = new VirtualTime();
    const add =
      every =>
      (run, ms, ...values) => {
        const id = time.#next++;
        const wait = Math.max(0, Number(ms) || 0);
        time.#timers.set(id, { at: time.#now + wait, run: () => run(...values), every: every ? wait : null });
        return id;
      };
    const remove = id => void time.#timers.delete(id);
    Object.assign(globalThis, {
      setTimeout: add(false),
      setInterval: add(true),
      clearTimeout: remove,
      clearInterval: remove,
    });
    Date.now = () => time.#now;
    t.after(() => {
      const { now, ...timers } = real;
      Object.assign(globalThis, timers);
      Date.now = now;
    });
    return time;
  }

  /** Runs every timer that falls due within this time, in order, and what follows from each. */
  async advance(ms) {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const due = [...this.#timers]
        .filter(([, timer]) => timer.at <= end)
        .sort((a, b) => a[1].at - b[1].at)[0];
      if (!due) break;
      const [id, timer] = due;
      this.#now = Math.max(this.#now, timer.at);
      if (timer.every === null) this.#timers.delete(id);
      else timer.at = this.#now + Math.max(1, timer.every);
      timer.run();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}
