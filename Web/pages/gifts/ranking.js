import { avatar } from '../../elements/avatar.js';
import { openSheet } from '../../elements/sheet.js';
import { html, keyed } from '../../lib/html.js';
import { t, formatWhole as whole } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { Store } from '../../lib/store.js';

/** @typedef {import('../../protocol/events.js').GiftRanking} GiftRanking */

/** While gifts come, the ranking is asked for so often. */
const refreshMs = 1000;

/**
 * What the room has been given, who gave most, and where I stand.
 * @param {import('../salon/context.js').SalonContext} context
 */
export function openRanking(context) {
  const { gifts } = context.salon;
  /** The whole of it; until it is there, what everybody is told. */
  const ranking = new Store(/** @type {GiftRanking | null} */ (null));
  const sheet = openSheet({
    title: () => t('gift.ranking'),
    stores: [context.salon.state, ranking],
    signal: context.signal,
    testid: 'ranking-sheet',
    className: 'small-sheet',
    body: () => {
      const { coins, supporters } = ranking.get() ?? context.state.gifts;
      if (supporters.length === 0)
        return html`<p class="soft" data-testid="ranking-empty">${t('gift.rankingEmpty')}</p>`;
      const me = context.state.me.id;
      return html`<p class="soft" data-testid="ranking-total">${t('gift.total', { count: coins, coins: whole(coins) })}</p>
        <ol class="ranking">${supporters.map(({ user, coins }, place) =>
          keyed(
            user.id,
            html`<li data-testid="ranking-place" aria-current=${user.id === me ? 'true' : null}>
            <b class="numbers">${place + 1}</b>${avatar(user, 's40')}<span class="clip" dir="auto">${user.name}</span>
            <span class="coins numbers">${icon('coins')}${whole(coins)}</span></li>`,
          ),
        )}</ol>${own(ranking.get(), receives(context))}`;
    },
  });
  if (!gifts) return;
  const refresh = async () => {
    try {
      ranking.set(await gifts.ranking());
    } catch {
      // The three who lead stay.
    }
  };
  /** @type {any} */ let waiting = null;
  gifts.news.on(
    'sent',
    () => {
      waiting ??= setTimeout(() => {
        waiting = null;
        void refresh();
      }, refreshMs);
    },
    { signal: sheet.signal },
  );
  sheet.signal.addEventListener('abort', () => clearTimeout(waiting));
  void refresh();
}

/**
 * Whether gifts are for me: whoever is given to is not told to give.
 * @param {import('../salon/context.js').SalonContext} context
 */
const receives = ({ state: { me } }) => me.isOwner || me.seat !== null;

/** @param {GiftRanking | null} ranking @param {boolean} isReceiver */
function own(ranking, isReceiver) {
  if (!ranking || (isReceiver && ranking.place === undefined)) return null;
  const { own: coins, place, toNext } = ranking;
  return html`<p class="ranking-own" data-testid="ranking-own">
    <b>${place === undefined ? t('gift.noPlace') : t('gift.place', { place, count: coins, coins: whole(coins) })}</b>
    <span class="soft small">${toNext === undefined ? t('gift.leads') : t('gift.toNext', { count: toNext, coins: whole(toNext) })}</span></p>`;
}
