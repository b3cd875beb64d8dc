import { copy } from '../../lib/clipboard.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { openIdSheet } from '../lobby/id-sheet.js';

/** @typedef {import('./context.js').SalonContext} SalonContext */

/**
 * Short words above the bar: what can be undone, my place in the queue, "you are muted".
 * They lie over the stage, so that nothing shifts when they come and go.
 * @param {SalonContext} context
 */
export function dockNotices(context) {
  const { state } = context;
  const { me } = state;
  return html`${undo(context)}${inviteChip(context)}
    ${
      me.speakingWhileMuted &&
      html`<p class="dock-hint" role="status" data-testid="speaking-while-muted">${icon('mic-off')}${t('mic.speakingWhileMuted')}</p>`
    }
    ${
      me.mic === 'pending' &&
      html`<p class="dock-hint" role="status" data-testid="my-request">${icon('hourglass')}<span>${
        state.myRequest?.position
          ? t('requests.place', { count: state.myRequest.position })
          : t('requests.waiting')
      }</span><button class="button compact" type="button" data-testid="cancel-request" @click=${() => void context.act(() => context.salon.requests.cancelRequest())}>${t(
        'requests.cancel',
      )}</button></p>`
    }`;
}

/**
 * Kick, mute and close can be taken back for 5 s.
 * @param {SalonContext} context
 */
function undo(context) {
  const { undo } = context.state;
  if (!undo) return null;
  return html`<div class="undo" role="status" data-testid="undo">
    <span>${t(`undo.${undo.action}`, { name: undo.user?.name ?? t('seat.number', { seat: undo.seat + 1 }), seat: undo.seat + 1 })}</span>
    <button class="button compact" type="button" data-testid="undo-button" @click=${() => void context.act(() => context.salon.moderation.undo())}>
      ${icon('undo-2')}${t('common.undo')}<ov-countdown ring .until=${undo.until}></ov-countdown></button>
    <button class="icon-button" type="button" aria-label=${t('common.close')} @click=${() => context.salon.moderation.dismissUndo()}>${icon('x')}</button>
  </div>`;
}

/**
 * While a host is alone, without another room's host too: how others come in.
 * @param {SalonContext} context
 */
function inviteChip(context) {
  const { me, room, memberCount, phase } = context.state;
  if (phase !== 'in' || !me.isOwner || !room || memberCount > 1) return null;
  if (context.salon.live?.pk.state.get().links.length) return null;
  const copyLink = async () => {
    const done = await copy(room.link);
    context.say(t(done ? 'id.linkCopied' : 'id.copyFailed'), done ? 'check' : 'triangle-alert');
  };
  return html`<div class="dock-hint" role="status" data-testid="invite-chip"><span>${t('salon.alone')}</span>
    <button class="button compact" type="button" data-testid="invite-copy" aria-label=${t('salon.copyLink')} title=${t('salon.copyLink')} @click=${() => void copyLink()}>${icon('link')}<span class="wide-only">${t('salon.copyLink')}</span></button>
    <button class="button compact primary" type="button" data-testid="invite-open" @click=${() => openIdSheet(room, context.signal)}>${icon('user-plus')}${t('salon.invite')}</button>
  </div>`;
}
