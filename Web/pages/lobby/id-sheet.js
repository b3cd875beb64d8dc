import { openSheet } from '../../elements/sheet.js';
import { copy, share } from '../../lib/clipboard.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';

/** How long a copy is told, in milliseconds. */
const toldFor = 2000;

/**
 * One sentence for each, so that a screen reader says the second one too.
 * @param {{what: 'id' | 'link', done: boolean}} copied
 */
function said({ what, done }) {
  if (!done) return t('id.copyFailed');
  return what === 'id' ? t('id.idCopied') : t('id.linkCopied');
}

/**
 * How others find the room: id, link, QR code.
 * @param {{label: string, link: string, name: string}} room
 * @param {AbortSignal} signal
 */
export function openIdSheet(room, signal) {
  /** @type {{what: 'id' | 'link', done: boolean} | null} what was copied last, for as long as it is told */
  let copied = null;
  let canShare = 'share' in navigator;
  let noCode = false;
  openSheet({
    title: () => t('id.title'),
    testid: 'id-sheet',
    className: 'small-sheet',
    signal,
    body: sheet => {
      /** @param {'id' | 'link'} what @param {string} text */
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
      /** @param {'id' | 'link'} what */
      const isCopied = what => copied?.what === what && copied.done;
      return html`<div class="stack centered">
        <p class="soft">${t('id.text')}</p>
        ${
          !noCode &&
          html`<img class="qr" src=${`/v1/qr.svg?text=${encodeURIComponent(room.link)}`} width="200" height="200" alt=${t('id.qr')}
            data-testid="qr" @error=${() => {
              noCode = true;
              sheet.redraw();
            }} />`
        }
        <div class="id-line">
          <span class="soft small">${t('id.id')}</span>
          <strong class="numbers" data-testid="room-id">${room.label}</strong>
          <button class="icon-button" type="button" aria-label=${t('id.copyId')} data-testid="copy-id" @click=${copier('id', room.label)}>
            ${icon(isCopied('id') ? 'check' : 'copy')}</button>
        </div>
        <div class="id-line">
          <span class="soft small">${t('id.link')}</span>
          <span class="clip" data-testid="room-link">${room.link}</span>
          <button class="icon-button" type="button" aria-label=${t('id.copyLink')} data-testid="copy-link" @click=${copier('link', room.link)}>
            ${icon(isCopied('link') ? 'check' : 'link')}</button>
        </div>
        <p class=${copied && !copied.done ? 'problem small' : 'only-read'} role="status">${copied && said(copied)}</p>
        <div class="sheet-actions">
          ${
            canShare &&
            html`<button class="button" type="button" data-testid="share" @click=${async () => {
              canShare = (await share({ title: room.name, url: room.link })) !== 'unsupported';
              sheet.redraw();
            }}>${icon('share-2')}${t('id.share')}</button>`
          }
          <button class="button primary" type="button" autofocus data-testid="id-done" @click=${sheet.close}>
            ${t('common.done')}</button>
        </div>
      </div>`;
    },
  });
}
