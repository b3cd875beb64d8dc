import { childScope, focusHeading } from '../lib/view.js';
import { OvationError } from '../protocol/errors.js';
import { messagePage, waitingPage } from './message.js';

/** @typedef {import('./app.js').Page} Page */

/**
 * A page whose code comes when it is first gone to. If it does not come, the browser may keep that for as long as the document lives, and the
 * server may have other files by now: trying again loads the document anew.
 * @param {import('./app.js').App} app
 * @param {() => Promise<Page>} load
 * @param {() => void} [reload]
 * @returns {Page}
 */
export function latePage(app, load, reload = () => location.reload()) {
  return (root, signal) => {
    let scope = childScope(signal);
    /** @param {Page} page */
    const show = page => {
      if (signal.aborted) return;
      scope.abort();
      scope = childScope(signal);
      const place = document.createElement('div');
      place.className = 'stage-page';
      root.replaceChildren(place);
      page(place, scope.signal);
      focusHeading(place);
    };
    show(waitingPage());
    load().then(show, () =>
      show(
        messagePage(app, { kind: 'failed', error: new OvationError('server_unreachable'), retry: reload }),
      ),
    );
  };
}

/** What is there to choose a face and to crop a picture: it is not loaded before somebody may want it. */
export async function loadFaces() {
  try {
    return await import('./faces/faces.js');
  } catch {
    // The server may have other files by now.
    throw new OvationError('server_unreachable');
  }
}
