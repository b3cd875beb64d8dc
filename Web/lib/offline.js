import { asset } from './assets.js';

/**
 * Lets the browser show a page of ours when there is no connection. Where it cannot, it shows its own.
 * @param {Navigator} [browser]
 */
export function keepOfflinePage(browser = navigator) {
  const build = /\/assets\/([^/]+)\//.exec(asset(''))?.[1] ?? '';
  // After what the page itself waits for.
  const register = () =>
    void browser.serviceWorker
      ?.register(`/service-worker.js?${new URLSearchParams({ build })}`, { updateViaCache: 'none' })
      .catch(() => {});
  if (document.readyState === 'complete') register();
  else addEventListener('load', register, { once: true });
}
