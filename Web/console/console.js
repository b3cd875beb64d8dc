import { Toasts } from '../elements/toasts.js';
import { allowPictures, asset } from '../lib/assets.js';
import { html } from '../lib/html.js';
import { addTexts, language, preferredLanguage, t, useFirstLanguage, useLanguage } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';
import { Store } from '../lib/store.js';
import { childScope, view } from '../lib/view.js';
import { request } from '../models/http.js';
import { PreferencesModel } from '../models/preferences.js';
import { applicationName, showDoor } from './door.js';
import { applicationsPage } from './pages/applications.js';
import { auditPage } from './pages/audit.js';
import { giftsPage } from './pages/gifts.js';
import { keysPage } from './pages/keys.js';
import { overviewPage } from './pages/overview.js';
import { peoplePage } from './pages/people.js';
import { reportsPage } from './pages/reports.js';
import { restrictionsPage } from './pages/restrictions.js';
import { roomsPage } from './pages/rooms.js';
import { walletsPage } from './pages/wallets.js';
import { webhooksPage } from './pages/webhooks.js';
import { wordsPage } from './pages/words.js';
import { problemText, wide } from './parts.js';
import { signIn, takeKey } from './sign-in.js';

/**
 * What the pages of the console work with.
 * @typedef {{
 *   api: import('./api.js').OperatorApi, key: import('./api.js').KeyInfo, toasts: Toasts, signal: AbortSignal,
 *   may: (scope: string) => boolean, changes: (scope: string) => boolean,
 *   place: Store<Place>, go: (page: string, params?: Record<string, string>) => void,
 * }} Console
 *
 * Where one is; all of it stands in the address.
 * @typedef {{page: string, params: Record<string, string>}} Place
 *
 * A page: what it shows, drawn anew when one of its stores changes.
 * @typedef {{stores: readonly import('../lib/store.js').Readable<any>[], draw: () => unknown}} Page
 */

addTexts({
  en: () => import('../strings/console/en.js'),
  ko: () => import('../strings/console/ko.js'),
  'zh-Hans': () => import('../strings/console/zh-Hans.js'),
});

/** In this tab alone: a key is not kept on a machine that others use. */
const stored = 'ovation.console';

/**
 * Which page needs which scope; one with none is everybody's.
 * @typedef {[name: string, scope: string, picture: string, make: (console: Console) => Page]} PageLine
 * @type {PageLine[]}
 */
const pages = [
  ['overview', '', 'signal', overviewPage],
  ['rooms', 'rooms:read', 'door-open', roomsPage],
  ['people', 'people', 'users', peoplePage],
  ['reports', 'reports', 'flag', reportsPage],
  ['words', 'words', 'message-circle-off', wordsPage],
  ['bans', 'people', 'ban', restrictionsPage],
  ['gifts', '', 'gift', giftsPage],
  ['wallets', 'wallets:read', 'coins', walletsPage],
  ['webhooks', 'webhooks', 'radio', webhooksPage],
  ['applications', 'applications', 'sliders-horizontal', applicationsPage],
  ['keys', 'keys', 'lock', keysPage],
  ['audit', 'audit:read', 'list-checks', auditPage],
];

const root = /** @type {HTMLElement} */ (document.getElementById('console'));
const preferences = new PreferencesModel();
const toasts = new Toasts();
document.body.append(toasts);
const systemTheme = matchMedia('(prefers-color-scheme: light)');
const applyPreferences = () => {
  const { theme, language: wanted } = preferences.get();
  document.documentElement.dataset.theme =
    theme === 'system' ? (systemTheme.matches ? 'light' : 'dark') : theme;
  void useLanguage(wanted || preferredLanguage(navigator.languages)).catch(() => {});
};
systemTheme.addEventListener('change', applyPreferences);
preferences.subscribe(applyPreferences, { now: false });
const firstLanguage = preferences.get().language || preferredLanguage(navigator.languages);

let scope = new AbortController();
// A link with another key that is opened in this tab changes the fragment alone: the page is not loaded anew.
addEventListener('hashchange', () => {
  const linked = takeKey();
  if (linked) void start(linked);
});
void start(takeKey());

/** @param {string} linked the key of the link that was opened; else the one of this tab is used */
async function start(linked) {
  await useFirstLanguage(firstLanguage);
  applyPreferences();
  /** @type {{key?: string, app?: number}} */
  const known = linked ? { key: linked } : JSON.parse(sessionStorage.getItem(stored) ?? '{}');
  const { key, app } = known;
  if (!key) return showSignIn();
  try {
    await enter(key, app);
  } catch (error) {
    showSignIn({ key, problem: problemText(error) });
  }
}

/** @param {string} key @param {number} [app] */
async function enter(key, app) {
  const signedIn = await signIn(key, app);
  // Gifts have pictures. Without the configuration those of other sites are not shown.
  const config = await request('/v1/config').catch(() => null);
  allowPictures(Array.isArray(config?.pictureOrigins) ? config.pictureOrigins : []);
  const { api, applications } = signedIn;
  if (signedIn.key.app === undefined && api.app === undefined)
    return applications?.length === 0
      ? showSignIn({ key, problem: t('console.signIn.noApplication') })
      : showSignIn({ key, problem: t('console.signIn.whichApp'), applications });
  sessionStorage.setItem(stored, JSON.stringify({ key, app: api.app }));
  showConsole(signedIn, app => enter(key, app));
}

/** @param {Partial<import('./door.js').DoorFields>} [fields] */
function showSignIn(fields) {
  scope.abort();
  scope = new AbortController();
  // A place of its own each time: what was drawn in a former one is gone with it.
  const door = document.createElement('div');
  root.replaceChildren(door);
  showDoor(door, { key: '', problem: '', ...fields }, enter, scope.signal);
}

/**
 * @param {import('./sign-in.js').SignedIn} signedIn
 * @param {(app: number) => Promise<void>} choose shows another application
 */
function showConsole({ api, key, applications }, choose) {
  scope.abort();
  scope = new AbortController();
  const { signal } = scope;
  const may = (/** @type {string} */ scope) => scope === '' || key.scopes.includes(scope);
  const shown = pages.filter(([, needed]) => may(needed));
  const place = new Store(readPlace());
  addEventListener('popstate', () => place.set(readPlace()), { signal });
  /** @type {Console} */
  const console = {
    api,
    key,
    toasts,
    signal,
    may,
    changes: needed => may(needed) && wide.matches,
    place,
    go: (page, params = {}) => {
      // A search within a page leaves its table sorted as it is.
      const sort = page === place.get().page && new URLSearchParams(location.search).get('sort');
      const asked = { ...(sort && { sort }), ...params };
      history.pushState(null, '', `?${new URLSearchParams({ page, ...asked })}`);
      place.set({ page, params: asked });
    },
  };
  const width = new Store(wide.matches);
  wide.addEventListener('change', () => width.set(wide.matches), { signal });
  root.replaceChildren();
  const frame = document.createElement('div');
  frame.className = 'console';
  const navigation = document.createElement('nav');
  const main = document.createElement('main');
  main.tabIndex = -1;
  frame.append(navigation, main);
  root.append(frame);
  /** The page and its search, as they were drawn. */
  let former = '';
  const current = () => shown.find(([name]) => name === place.get().page) ?? shown[0];
  view(
    navigation,
    [language, place],
    () => {
      navigation.setAttribute('aria-label', t('console.title'));
      return html`
        <p class="console-name"><img src=${asset('icons/mark.svg')} width="28" height="28" alt="" /><strong>${key.name}</strong></p>
        ${shown.map(
          ([
            name,
            ,
            picture,
          ]) => html`<a class="console-link" href=${`?page=${name}`} data-testid=${`nav-${name}`}
            aria-current=${current()[0] === name ? 'page' : null} @click=${(
              /** @type {MouseEvent} */ event,
            ) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              // The page that is open is read anew.
              former = '';
              console.go(name);
            }}>${icon(picture)}<span>${t(`console.page.${name}`)}</span></a>`,
        )}
        <button class="console-link" type="button" data-testid="console-leave" @click=${() => {
          sessionStorage.removeItem(stored);
          showSignIn();
        }}>${icon('log-out')}<span>${t('console.leave')}</span></button>`;
    },
    signal,
  );
  const applicationChoice = () =>
    applications &&
    applications.length > 1 &&
    html`<select class="input" aria-label=${t('console.signIn.app')} data-testid="console-application" @change=${(
      /** @type {Event} */ event,
    ) =>
      choose(Number(/** @type {HTMLSelectElement} */ (event.target).value)).catch(error =>
        toasts.show({ text: problemText(error), icon: 'circle-alert', tone: 'bad' }),
      )}>${applications.map(
      application =>
        html`<option value=${String(application.app)} ?selected=${application.app === api.app}>${applicationName(application)}</option>`,
    )}</select>`;
  let drawn = childScope(signal);
  place.subscribe(
    ({ page, params }) => {
      const [name, , , make] = current();
      // A page that is open follows its own search.
      if (former === JSON.stringify([page, params])) return;
      former = JSON.stringify([page, params]);
      drawn.abort();
      drawn = childScope(signal);
      const { stores, draw } = make(console);
      view(
        main,
        [language, width, ...stores],
        () => {
          document.title = `${t(`console.page.${name}`)} · ${t('console.title')}`;
          return html`<header class="console-head"><h1>${t(`console.page.${name}`)}</h1>${applicationChoice()}</header>
            ${!wide.matches && html`<p class="soft small console-note" data-testid="console-narrow">${icon('info')}${t('console.narrow')}</p>`}
            ${draw()}`;
        },
        drawn.signal,
      );
      main.focus({ preventScroll: true });
      // On a phone the pages are a row that is longer than the screen.
      requestAnimationFrame(() =>
        navigation
          .querySelector('[aria-current=page]')
          ?.scrollIntoView({ block: 'nearest', inline: 'center' }),
      );
    },
    { signal },
  );
  // One key for the search of whatever page is open.
  addEventListener(
    'keydown',
    event => {
      const target = /** @type {HTMLElement} */ (event.target);
      if (event.key !== '/' || target.closest('input, textarea, select, dialog')) return;
      const field = /** @type {HTMLElement | null} */ (main.querySelector('input[type=search]'));
      if (!field) return;
      event.preventDefault();
      field.focus();
    },
    { signal },
  );
}

/** @returns {Place} */
function readPlace() {
  const { page = '', ...params } = Object.fromEntries(new URLSearchParams(location.search));
  return { page, params };
}
