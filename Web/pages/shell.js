import { isNewEnough } from '../lib/door.js';
import { focusHeading } from '../lib/view.js';
import { heldRooms } from '../models/held-rooms.js';
import { OvationError } from '../protocol/errors.js';
import { heldPage } from './held.js';
import { latePage } from './late.js';
import { messagePage } from './message.js';
import { watchInvitations } from './shared/elsewhere.js';
import { signInPage } from './sign-in.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./app.js').Page} Page */

/**
 * Shows the page that fits who one is and where one is.
 * @param {HTMLElement} root
 * @param {App} app
 */
export function runApp(root, app) {
  const welcome = isNewEnough();
  let shown = '';
  /** @type {import('../protocol/session.js').Session | null} */ let heard = null;
  let scope = new AbortController();
  /** @param {string} name @param {Page} page */
  const show = (name, page) => {
    if (name === shown) return;
    shown = name;
    scope.abort();
    scope = new AbortController();
    const stage = document.createElement('div');
    stage.className = 'stage-page';
    root.replaceChildren(stage);
    document.title = 'Ovation';
    page(stage, scope.signal);
    focusHeading(stage);
  };
  const choose = () => {
    const { phase, session, error } = app.identity.state.get();
    const place = app.router.place.get();
    if (!welcome) return show('unsupported', messagePage(app, { kind: 'unsupported' }));
    if (phase === 'loading') return;
    // Being taken back from elsewhere: the page that was asked to do it shows that it does.
    if (phase === 'signingIn' && shown.startsWith('ended')) return;
    if (phase === 'unreachable') return show('unreachable', messagePage(app, { kind: 'unreachable' }));
    if (phase === 'ended')
      return show(
        `ended ${error?.name}`,
        messagePage(app, { kind: 'ended', error: error ?? new OvationError('signed_out') }),
      );
    if (session && session !== heard) {
      heard = session;
      watchInvitations(app, session);
      // A connection that comes back may be in a room that no page shows any more.
      session.state.subscribe(({ phase }) => phase === 'ready' && choose(), { now: false });
    }
    if (phase !== 'signedIn' || !session) return show('sign-in', signInPage(app));
    const going = place.page === 'room' ? place.slug : null;
    if (place.page !== 'unknown' && heldRooms(session, going).length > 0)
      return show(`held ${going}`, heldPage(app, session, going, choose));
    if (place.page === 'lobby')
      return show(
        'lobby',
        latePage(app, async () => (await import('./lobby/lobby.js')).lobbyPage(app, session)),
      );
    if (place.page === 'room') {
      const { slug } = place;
      return show(
        `room ${slug}`,
        latePage(app, async () => (await import('./room.js')).roomPage(app, session, slug)),
      );
    }
    show('unknown', messagePage(app, { kind: 'notFound' }));
  };
  app.identity.state.subscribe(choose, { now: false });
  app.router.place.subscribe(choose, { now: false });
  choose();
  if (welcome) void app.identity.start().then(choose);
}
