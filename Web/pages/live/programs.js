import { openSheet } from '../../elements/sheet.js';
import { copy } from '../../lib/clipboard.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */

/** How long a copy is told, in milliseconds. */
const toldFor = 2000;

/** @param {FocusEvent} event */
const select = ({ target }) => /** @type {HTMLInputElement} */ (target).select();

/**
 * A field shows the start of a long address and scrolls to the rest. It is read out with its label and with what it is for.
 * @param {'whip' | 'whep'} what @param {string} text
 */
export function addressField(what, text) {
  const label = html`<label class="label" for=${`programs-${what}`}>${t(`programs.${what}`)}</label>`;
  const shown = html`<input type="text" readonly id=${`programs-${what}`} data-testid=${`programs-${what}`} data-value=${text}
    aria-describedby=${`programs-${what}-about`} .value=${text} @focus=${select} />`;
  return { label, shown };
}

/**
 * What a camera, a program or a player needs to publish into this room or to show it (WHIP, WHEP): two addresses, and a token.
 * @param {SalonContext} context
 */
export function openPrograms(context) {
  const { app, signal } = context;
  const { room } = context.state;
  if (!room) return;
  const { origin } = new URL(room.link);
  /** @type {{what: string, done: boolean} | null} what was copied last, for as long as it is told */
  let copied = null;
  openSheet({
    title: () => t('programs.title'),
    testid: 'programs-sheet',
    signal,
    body: sheet => {
      const token = app.identity.bearer ?? '';
      /** @param {string} what @param {string} text */
      const copier = (what, text) => async () => {
        const mine = { what, done: await copy(text) };
        copied = mine;
        sheet.redraw();
        setTimeout(() => {
          // The next copy is told for its own time.
          if (copied !== mine) return;
          copied = null;
          sheet.redraw();
        }, toldFor);
      };
      /** @param {'whip' | 'whep' | 'token'} what @param {string} text @param {import('../../lib/html.js').Template} label @param {import('../../lib/html.js').Template} shown */
      const line = (what, text, label, shown) => html`<div class="field">
          ${label}
          <div class="id-line programs-line">${shown}
            <button class="icon-button" type="button" data-testid=${`copy-${what}`} aria-label=${t('programs.copy', { what: t(`programs.${what}`) })} @click=${copier(what, text)}>
              ${icon(copied?.what === what && copied.done ? 'check' : 'copy')}</button></div>
          <span class="soft small" id=${`programs-${what}-about`}>${t(`programs.${what}About`)}</span>
        </div>`;
      const address = (/** @type {'whip' | 'whep'} */ what, /** @type {string} */ text) => {
        const { label, shown } = addressField(what, text);
        return line(what, text, label, shown);
      };
      // The token is not shown: a stage may be filmed.
      return html`<div class="stack"><p class="soft">${t('programs.about')}</p>
        ${address('whip', `${origin}/v1/whip/${room.slug}`)}
        ${address('whep', `${origin}/v1/whep/${room.slug}`)}
        ${line('token', token, html`<span class="label">${t('programs.token')}</span>`, html`<code data-testid="programs-token" data-value=${token}>${'•'.repeat(24)}</code>`)}
        <p class=${copied && !copied.done ? 'problem small' : 'only-read'} role="status">${copied && t(copied.done ? 'programs.copied' : 'id.copyFailed')}</p>
        <div class="sheet-actions"><button class="button primary" type="button" autofocus data-testid="programs-done" @click=${sheet.close}>${t('common.done')}</button></div></div>`;
    },
  });
}
