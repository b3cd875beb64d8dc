import '../../elements/count.js';
import { avatar } from '../../elements/avatar.js';
import { html } from '../../lib/html.js';
import { formatClock, formatNumber, formatWhole, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { follow } from '../parts.js';

/**
 * The end of a room, for everybody: how long, how many, how liked.
 * @param {import('./context.js').SalonContext} context
 * @param {import('../../models/salon-state.js').EndCard} end
 */
export function endCard({ app, state }, end) {
  const isMine = end.owner.id === state.me.id;
  /** @param {string} sign @param {string} value @param {string} label @param {string} id */
  const fact = (sign, value, label, id) =>
    html`<div class="end-fact">${icon(sign)}<strong class="numbers" data-testid=${id}>${value}</strong><span class="soft small">${label}</span></div>`;
  return html`<dialog class="end" aria-label=${t('ended.title')} data-testid="end-card" @cancel=${(/** @type {Event} */ event) => event.preventDefault()}
    ref=${(/** @type {HTMLDialogElement} */ dialog) => dialog.showModal()}>
    <div class="end-card">
      <div class="end-light">${avatar(end.owner, 's96')}</div>
      <p class="soft small">${t(isMine && end.reason !== 'operator' ? `ended.mine.${end.reason}` : `ended.reason.${end.reason}`)}</p>
      <h2 dir="auto">${end.name}</h2>
      <p class="soft">${isMine ? t('ended.thanksHost') : t('ended.thanks', { name: end.owner.name })}</p>
      <div class="end-facts">
        ${fact('clock', formatClock(end.seconds), t('ended.length'), 'end-length')}
        ${fact('users-round', formatNumber(end.peak), t('ended.peak'), 'end-peak')}
        ${fact('heart', formatNumber(end.likes), t('ended.likes'), 'end-likes')}
      </div>
      ${end.gifts.coins > 0 && given(end.gifts)}
      <a class="button primary wide" href="/" data-testid="end-lobby" autofocus
        @click=${(/** @type {MouseEvent} */ event) => follow(event, app)}>${t('message.toLobby')}</a>
    </div>
  </dialog>`;
}

/**
 * What the room was given, and by whom above all.
 * @param {import('../../protocol/events.js').GiftStanding} gifts
 */
function given({ coins, supporters }) {
  return html`<div class="end-given" data-testid="end-gifts">
    <p class="coins numbers">${icon('coins')}${t('gift.sum', { count: coins, coins: formatWhole(coins) })}</p>
    <ol>${supporters.map(
      ({ user }) =>
        html`<li data-testid="end-supporter">${avatar(user, 's40')}<span class="clip small" dir="auto">${user.name}</span></li>`,
    )}</ol>
  </div>`;
}
