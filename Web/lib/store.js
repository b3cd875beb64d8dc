import { Store } from '../protocol/store.js';

export { Store };

/**
 * @template T
 * @typedef {import('../protocol/store.js').Readable<T>} Readable
 */

/**
 * A value computed from other stores. Watches them only while it is watched itself; otherwise it computes when asked.
 *
 * @template {readonly import('../protocol/store.js').Readable<any>[]} S
 * @template T
 * @param {[...S]} sources
 * @param {(...values: {[I in keyof S]: S[I] extends Readable<infer V> ? V : never}) => T} compute
 * @param {(a: T, b: T) => boolean} [same] keeps the old value when it holds
 * @returns {Readable<T>}
 */
export function derive(sources, compute, same = Object.is) {
  const now = () => compute(.../** @type {any} */ (sources.map(source => source.get())));
  /** @type {(() => void)[]} */ let stops = [];
  const refresh = () => {
    const value = now();
    if (!same(value, store.get())) store.set(value);
  };
  /** @type {Store<T>} */
  const store = new Store(/** @type {any} */ (undefined), {
    first: () => {
      store.set(now());
      stops = sources.map(source => source.subscribe(refresh, { now: false }));
    },
    last: () => {
      for (const stop of stops) stop();
      stops = [];
    },
  });
  return {
    get: () => {
      if (store.watched) return store.get();
      const value = now();
      if (same(value, store.get())) return store.get();
      store.set(value);
      return value;
    },
    subscribe: (watcher, options) => store.subscribe(watcher, options),
  };
}
