import { html } from '../lib/html.js';
import { language, t } from '../lib/i18n.js';
import { view } from '../lib/view.js';
import { commandLines, problemText } from './parts.js';

/**
 * @typedef {import('./sign-in.js').SignedIn['applications']} Applications
 *
 * What stands in the sign-in form. `applications`: one has to be chosen of these or, where the key may not read them, named.
 * @typedef {{key: string, problem: string, applications?: Applications}} DoorFields
 */

/** What makes a key for a server that runs on this machine or another. */
const makeKey = 'ovation key create --name console --scope all --data /var/lib/ovation';

/**
 * Asks for a key, and for the application where it is good for several.
 * @param {HTMLElement} root
 * @param {DoorFields} fields
 * @param {(key: string, app?: number) => Promise<void>} enter
 * @param {AbortSignal} signal
 */
export function showDoor(root, { key, problem, applications }, enter, signal) {
  const state = { key, app: applications?.length ? String(applications[0].app) : '', problem, busy: false };
  const note = (/** @type {'key' | 'app'} */ field) => (/** @type {Event} */ event) => {
    state[field] = /** @type {HTMLInputElement} */ (event.target).value;
  };
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (state.busy) return;
    Object.assign(state, { busy: true, problem: '' });
    redraw();
    try {
      await enter(state.key.trim(), state.app ? Number(state.app) : undefined);
    } catch (error) {
      Object.assign(state, { busy: false, problem: problemText(error) });
      redraw();
    }
  };
  const redraw = view(
    root,
    [language],
    () => {
      document.title = t('console.title');
      return html`<main class="console-door">
        <form class="stack card" novalidate @submit=${submit}>
          <h1>${t('console.title')}</h1>
          <p class="soft">${t('console.signIn.about')}</p>
          <div class="field">
            <label class="label" for="key">${t('console.signIn.key')}</label>
            <input class="input" id="key" type="password" autocomplete="off" spellcheck="false" data-testid="console-key" .value=${state.key}
              placeholder="ovk_…" @input=${note('key')} />
          </div>
          ${applications !== undefined && applicationField(applications, state.app, note('app'))}
          <p class=${state.problem ? 'problem' : 'only-read'} role="alert" data-testid="console-problem">${state.problem}</p>
          <button class="button primary wide" type="submit" data-testid="console-enter" aria-busy=${String(state.busy)}>${t('console.signIn.enter')}</button>
          <section class="stack small" aria-label=${t('console.signIn.how')} data-testid="console-how">
            <h2 class="label">${t('console.signIn.how')}</h2>
            <p class="soft">${t('console.signIn.howDev')}</p>
            <p class="soft">${t('console.signIn.howElse')}</p>
            ${commandLines([makeKey])}
          </section>
        </form>
      </main>`;
    },
    signal,
  );
}

/**
 * Which application, of those that there are, or by its number for a key that may not read which there are.
 * @param {Applications} applications @param {string} chosen @param {(event: Event) => void} note
 */
function applicationField(applications, chosen, note) {
  return html`<div class="field">
    <label class="label" for="app">${t('console.signIn.app')}</label>
    ${
      applications
        ? html`<select class="input" id="app" data-testid="console-app" @change=${note}>
            ${applications.map(({ app, name }) => html`<option value=${String(app)} ?selected=${String(app) === chosen}>${applicationName({ app, name })}</option>`)}
          </select>`
        : html`<input class="input" id="app" inputmode="numeric" autocomplete="off" data-testid="console-app" .value=${chosen} @input=${note} />`
    }
  </div>`;
}

/** @param {import('./sign-in.js').ApplicationName} application */
export function applicationName({ app, name }) {
  return name ? `${name} · ${app}` : String(app);
}
