import { avatar } from '../../elements/avatar.js';
import { openSheet } from '../../elements/sheet.js';
import { html, keyed } from '../../lib/html.js';
import { formatNumber as number, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';

/**
 * What the room has been given, and who gave most.
 * @param {import('../salon/context.js').SalonContext} context
 */
export function openRanking(context) {
  openSheet({
    title: () => t('gift.ranking'),
    stores: [context.salon.state],
    signal: context.signal,
    testid: 'ranking-sheet',
    className: 'small-sheet',
    body: () => {
      const { coins, supporters } = context.state.gifts;
      if (supporters.length === 0)
        return html`<p class="soft" data-testid="ranking-empty">${t('gift.rankingEmpty')}</p>`;
      return html`<p class="soft" data-testid="ranking-total">${t('gift.total', { count: coins })}</p>
        <ol class="ranking">${supporters.map(({ user, coins }, place) =>
          keyed(
            user.id,
            html`<li data-testid="ranking-place">
            <b class="numbers">${place + 1}</b>${avatar(user, 's40')}<span class="clip" dir="auto">${user.name}</span>
            <span class="coins numbers">${icon('coins')}${number(coins)}</span></li>`,
          ),
        )}</ol>`;
    },
  });
}
