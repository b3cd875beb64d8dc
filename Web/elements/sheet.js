import { html } from '../lib/html.js';
import { language, t } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';
import { addLayer } from '../lib/layers.js';
import { childScope, focusHeading, view } from '../lib/view.js';

/** @typedef {{close: () => void, signal: AbortSignal, redraw: () => void}} Sheet */

/**
 * Opens a modal sheet: from below on phones, in the middle on wide screens. `Esc`, Back, the backdrop and the cross close
 * it (unless `fixed`), the focus returns to where it was. It closes by itself when `signal` aborts.
 * @param {{
 *   title: () => string,
 *   body: (sheet: Sheet) => unknown,
 *   stores?: readonly import('../lib/store.js').Readable<any>[],
 *   signal: AbortSignal,
 *   testid: string,
 *   className?: string,
 *   fixed?: boolean,
 *   quiet?: boolean,
 *   onClose?: () => void,
 * }} options `quiet`: the title is only read out
 * @returns {Sheet}
 */
export function openSheet({ title, body, stores = [], signal, testid, className, fixed, quiet, onClose }) {
  const scope = childScope(signal);
  if (scope.signal.aborted) {
    // Whoever wanted to ask has gone.
    onClose?.();
    return { close: () => {}, signal: scope.signal, redraw: () => {} };
  }
  const before = document.activeElement;
  const dialog = document.createElement('dialog');
  dialog.className = `sheet ${className ?? ''}`;
  dialog.dataset.testid = testid;
  document.body.append(dialog);
  /** @type {Sheet} */
  const sheet = { close: () => scope.abort(), signal: scope.signal, redraw: () => redraw() };
  scope.signal.addEventListener('abort', () => {
    dialog.close();
    dialog.remove();
    const page = document.getElementById('app');
    if (before instanceof HTMLElement && before.isConnected && before !== document.body)
      before.focus({ preventScroll: true });
    else if (page) focusHeading(page);
    onClose?.();
  });
  dialog.addEventListener('cancel', event => {
    event.preventDefault();
    if (!fixed) sheet.close();
  });
  // A press that began inside (selecting text) and ends on the backdrop does not close.
  dialog.addEventListener('pointerdown', event => {
    if (event.target === dialog && !fixed) sheet.close();
  });
  const redraw = view(
    dialog,
    [language, ...stores],
    () => {
      dialog.setAttribute('aria-label', title());
      return html`<div class="sheet-inner">
        ${!quiet && html`<header class="sheet-head"><h2>${title()}</h2></header>`}
        ${
          !fixed &&
          html`<button class="icon-button sheet-close" type="button" aria-label=${t('common.close')} data-testid="sheet-close"
            @click=${sheet.close}>${icon('x')}</button>`
        }
        <div class="sheet-body">${body(sheet)}</div>
      </div>`;
    },
    scope.signal,
  );
  if (!scope.signal.aborted) {
    if (!fixed) addLayer(sheet.close, scope.signal);
    dialog.showModal();
    const first = /** @type {HTMLElement | null} */ (dialog.querySelector('[autofocus]'));
    (first ?? dialog).focus({ preventScroll: true });
  }
  return sheet;
}

/**
 * Asks once before something that cannot be taken back.
 * @param {{title: string, text: string, yes: string, signal: AbortSignal, testid: string, calm?: boolean}} question `calm`: nothing is
 *   lost by a yes
 * @returns {Promise<boolean>}
 */
export function ask({ title, text, yes, signal, testid, calm }) {
  return new Promise(resolve => {
    let answer = false;
    openSheet({
      title: () => title,
      signal,
      testid,
      className: 'small-sheet',
      onClose: () => resolve(answer),
      body: sheet => html`<p class="soft">${text}</p>
        <div class="sheet-actions">
          <button class="button" type="button" data-testid="ask-no" autofocus @click=${sheet.close}>${t('common.cancel')}</button>
          <button class=${calm ? 'button primary' : 'button danger filled'} type="button" data-testid="ask-yes" @click=${() => {
            answer = true;
            sheet.close();
          }}>${yes}</button>
        </div>`,
    });
  });
}
