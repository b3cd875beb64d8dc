import { Store } from './store.js';

/** @typedef {{close: () => void}} Layer */

/**
 * What lies over the page and is closed by Back before the page is left: sheets, and drawers of phones; the topmost last.
 * @type {Store<readonly Layer[]>}
 */
export const layers = new Store(/** @type {readonly Layer[]} */ ([]));

/**
 * @param {() => void} close
 * @param {AbortSignal} signal aborts when it is closed, in whatever way
 */
export function addLayer(close, signal) {
  if (signal.aborted) return;
  const layer = { close };
  layers.update(all => [...all, layer]);
  signal.addEventListener('abort', () => layers.update(all => all.filter(one => one !== layer)));
}

/**
 * The same for what a store opens and closes.
 * @param {import('./store.js').Readable<boolean>} isOpen @param {() => void} close @param {AbortSignal} signal of the page
 */
export function layerWhile(isOpen, close, signal) {
  /** @type {AbortController | null} */ let open = null;
  isOpen.subscribe(
    is => {
      if (is === (open !== null)) return;
      open?.abort();
      open = is ? new AbortController() : null;
      if (open) addLayer(close, open.signal);
    },
    { signal },
  );
  signal.addEventListener('abort', () => open?.abort());
}
