import { html } from '../../lib/html.js';
import { sentences, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { askForSeat } from '../salon/seat-actions.js';
import { openAsking } from './ask.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/live.js').LiveModel} LiveModel */

/**
 * A viewer's one way to the stage: asks for it, and shows how the request stands.
 * @param {SalonContext} context
 * @param {LiveModel} live
 * @param {boolean} [isMain] in the middle of the bar
 */
export function stageButton(context, live, isMain = false) {
  const { myRequest, pending } = context.state;
  const asks = myRequest !== null;
  const word = asks
    ? myRequest.position
      ? t('mic.pendingPlace', { place: myRequest.position })
      : t('mic.pending')
    : t(isMain ? 'asking.title' : 'asking.short');
  const sign = icon(asks ? 'hourglass' : 'hand');
  const look = isMain ? 'mic' : 'dock';
  return html`<button class=${`${look}-button`} type="button" data-testid="come-on-stage" data-main=${isMain ? 'stage' : null} aria-haspopup="dialog"
    aria-pressed=${String(asks)} aria-busy=${pending.has('request')} aria-label=${asks ? sentences(t('asking.title'), word) : t('asking.title')}
    @click=${() => (asks ? openAsking(context, live) : void askForSeat(context, null))}>
    <span class=${`${look}-sign`}>${sign}</span><span class=${`${look}-word`}><span>${word}</span></span></button>`;
}
