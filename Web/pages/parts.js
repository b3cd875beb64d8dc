import { asset } from '../lib/assets.js';
import { html } from '../lib/html.js';
import { t } from '../lib/i18n.js';

/** @typedef {import('./app.js').App} App */

// What several pages are made of. Knows no page, so that no page needs the shell.

/**
 * The name and sign of the app, a way home.
 * @param {App | null} app
 */
export function brand(app = null) {
  return html`<a class="brand" href="/" data-testid="brand" @click=${(/** @type {MouseEvent} */ event) => follow(event, app)}>
    <img src=${asset('icons/mark.svg')} width="30" height="30" alt="" /><span>Ovation</span>
  </a>`;
}

/**
 * Follows a link of ours inside the page; with a modifier key the browser does.
 * @param {MouseEvent} event
 * @param {App | null} app
 */
export function follow(event, app) {
  if (!app || event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = /** @type {HTMLElement} */ (event.currentTarget).closest('a');
  if (!link) return;
  event.preventDefault();
  void app.router.go(new URL(link.href).pathname);
}

/**
 * A quiet way to say what went wrong beside the control.
 * @param {string | null} text
 */
export function problem(text) {
  return text && html`<p class="problem" role="alert" data-testid="problem">${text}</p>`;
}

/** A spinner with a word for screen readers. */
export function busy() {
  return html`<span class="busy" role="status"><span class="only-read">${t('common.loading')}</span></span>`;
}

/**
 * Minutes and seconds.
 * @param {number} ms
 */
export function clockText(ms) {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
