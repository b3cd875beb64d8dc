import { picture } from '../../elements/gifts.js';
import { openSheet } from '../../elements/sheet.js';
import { giftName } from '../../lib/gift-name.js';
import { html, keyed } from '../../lib/html.js';
import { errorText, formatMoment, t, formatWhole as whole } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';

/** @typedef {import('../../models/statement.js').StatementModel} StatementModel */
/** @typedef {import('../../models/statement.js').Account} Account */
/** @typedef {import('../../protocol/events.js').StatementEntry} StatementEntry */

/**
 * What I have, what I have been given, and each coin that came or went.
 * @param {StatementModel} statement
 * @param {AbortSignal} signal
 */
export function openCoins(statement, signal) {
  openSheet({
    title: () => t('coins.title'),
    stores: [statement.state],
    signal,
    testid: 'coins-sheet',
    body: () => {
      const { account, wallet, entries, cursor, reading, error } = statement.state.get();
      /** @param {Account} name @param {string} label @param {number | undefined} coins */
      const choice = (name, label, coins) =>
        html`<button class="chip" type="button" data-testid=${`coins-${name}`} aria-pressed=${String(account === name)} @click=${() => void statement.show(name)}>
          ${label} ${coins !== undefined && html`<b class="numbers">${whole(coins)}</b>`}</button>`;
      return html`<div class="coins-accounts" role="group" aria-label=${t('coins.title')}>
          ${choice('wallet', t('coins.wallet'), wallet?.coins)}${choice('earnings', t('coins.earnings'), wallet?.earnings)}
        </div>
        ${error && html`<p class="field-problem" role="alert" data-testid="coins-problem">${errorText(error)}</p>`}
        ${!reading && !error && entries.length === 0 && html`<p class="soft" data-testid="coins-none">${t('coins.none')}</p>`}
        <ul class="statement" aria-busy=${String(reading)}>${entries.map(entry => keyed(entry.number, line(entry)))}</ul>
        ${reading && html`<p class="soft" role="status">${t('common.loading')}</p>`}
        ${
          !reading &&
          (error || cursor) &&
          html`<button class="button" type="button" data-testid="coins-more" @click=${() => void statement.more()}>${error ? t('common.retry') : t('coins.more')}</button>`
        }`;
    },
  });
  void statement.show('wallet');
}

/** @param {StatementEntry} entry */
function line(entry) {
  const { time, coins, balance, gift } = entry;
  return html`<li data-testid="coins-line">
    ${gift ? picture(gift) : icon('coins')}
    <span class="statement-what"><span class="two-lines" dir="auto">${what(entry)}</span><span class="soft small">${formatMoment(time)}</span></span>
    <span class="statement-coins numbers"><b>${coins < 0 ? '−' : '+'}${whole(Math.abs(coins))}</b><span class="soft small">${t('coins.after', { count: balance, coins: whole(balance) })}</span></span>
  </li>`;
}

/** @param {StatementEntry} entry */
function what({ kind, coins, gift, count = 1, user }) {
  if (kind === 'topUp') return t('coins.topUp');
  if (kind === 'refund') return t('coins.refund');
  const name = user?.name ?? '–';
  const called = gift ? giftName(gift) : t('coins.gift');
  const given = count > 1 ? `${called} ×${count}` : called;
  return coins < 0 ? t('gift.sentTo', { gift: given, name }) : t('coins.from', { gift: given, name });
}
