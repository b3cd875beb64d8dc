/**
 * A value that others can watch. Values are replaced, never changed in place, so that a watcher may compare by identity.
 *
 * @template T
 */
export class Store {
  /** @type {T} */ #value;
  /** @type {Set<(value: T) => void>} */ #watchers = new Set();
  /** @type {{first?: () => void, last?: () => void}} */ #demand;

  /**
   * @param {T} value
   * @param {{first?: () => void, last?: () => void}} [demand] told when the first watcher comes and the last one goes
   */
  constructor(value, demand = {}) {
    this.#value = value;
    this.#demand = demand;
  }

  /** @returns {T} */
  get() {
    return this.#value;
  }

  /** True while somebody watches. */
  get watched() {
    return this.#watchers.size > 0;
  }

  /**
   * Replaces the value and tells the watchers; the same value again is no news.
   * @param {T} value
   */
  set(value) {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const watcher of [...this.#watchers]) {
      // A watcher may have left while an earlier one was told.
      if (this.#watchers.has(watcher)) watcher(this.#value);
    }
  }

  /**
   * Sets what `change` makes of the present value.
   * @param {(value: T) => T} change
   */
  update(change) {
    this.set(change(this.#value));
  }

  /**
   * Calls `watcher` at once with the present value (unless `now` is false) and then at every change,
   * until the returned function is called or `signal` aborts.
   * @param {(value: T) => void} watcher
   * @param {{signal?: AbortSignal, now?: boolean}} options
   * @returns {() => void} stops watching
   */
  subscribe(watcher, { signal, now = true } = {}) {
    if (signal?.aborted) return () => {};
    // Each subscription is its own entry, also when one function watches twice.
    const entry = (/** @type {T} */ value) => watcher(value);
    if (this.#watchers.size === 0) this.#demand.first?.();
    this.#watchers.add(entry);
    const stop = () => {
      if (!this.#watchers.delete(entry)) return;
      signal?.removeEventListener('abort', stop);
      if (this.#watchers.size === 0) this.#demand.last?.();
    };
    signal?.addEventListener('abort', stop, { once: true });
    if (now) watcher(this.get());
    return stop;
  }
}

/**
 * What others may do with a store: look and watch.
 *
 * @template T
 * @typedef {{get: () => T, subscribe: (watcher: (value: T) => void, options?: {signal?: AbortSignal, now?: boolean}) => () => void}} Readable
 */
