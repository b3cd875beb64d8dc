import { openSheet } from '../../elements/sheet.js';
import { copy } from '../../lib/clipboard.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */

/** How long a copy is told, in milliseconds. */
const toldFor = 2000;

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
      /** @param {'whip' | 'whep' | 'token'} what @param {string} text @param {string} [shown] */
      const line = (what, text, shown = text) => html`<div class="field">
          <span class="label">${t(`programs.${what}`)}</span>
          <div class="id-line programs-line"><code data-testid=${`programs-${what}`} data-value=${text}>${shown}</code>
            <button class="icon-button" type="button" data-testid=${`copy-${what}`} aria-label=${t('programs.copy', { what: t(`programs.${what}`) })} @click=${copier(what, text)}>
              ${icon(copied?.what === what && copied.done ? 'check' : 'copy')}</button></div>
          <span class="soft small">${t(`programs.${what}About`)}</span>
        </div>`;
      // The token is not shown: a stage may be filmed.
      return html`<div class="stack"><p class="soft">${t('programs.about')}</p>
        ${line('whip', `${origin}/v1/whip/${room.slug}`)}
        ${line('whep', `${origin}/v1/whep/${room.slug}`)}
        ${line('token', token, '•'.repeat(24))}
        <p class=${copied && !copied.done ? 'problem small' : 'only-read'} role="status">${copied && t(copied.done ? 'programs.copied' : 'id.copyFailed')}</p>
        <div class="sheet-actions"><button class="button primary" type="button" autofocus data-testid="programs-done" @click=${sheet.close}>${t('common.done')}</button></div></div>`;
    },
  });
}
