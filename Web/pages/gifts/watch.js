import { errorText, t, formatWhole as whole } from '../../lib/i18n.js';

/** Gifts to me are read out together. */
const readMs = 10_000;
/** And sound no more often than that. */
const toneMs = 5_000;

/**
 * Shows gifts as they come, and reads out those that are for me.
 * @param {HTMLElement} root
 * @param {import('../salon/context.js').SalonContext} context
 */
export function watchGifts(root, context) {
  const { gifts } = context.salon;
  if (!gifts) return;
  void gifts.load();
  let coins = 0;
  /** @type {any} */ let timer = null;
  let sounded = Number.NEGATIVE_INFINITY;
  context.signal.addEventListener('abort', () => clearTimeout(timer));
  gifts.news.on('problem', error => context.complain(error), { signal: context.signal });
  gifts.news.on(
    'unsent',
    ({ error, coins }) => context.complain(error, unsentText(error, coins, gifts.state.get().wallet)),
    { signal: context.signal },
  );
  gifts.news.on(
    'sent',
    sent => {
      const shown = context.app.preferences.get().gifts;
      const banners = /** @type {import('../../elements/gifts.js').Gifts | null} */ (
        root.querySelector('ov-gifts')
      );
      if (shown !== 'off') banners?.add(sent, { large: shown !== 'small' });
      if (sent.to.id !== context.state.me.id) return;
      if (performance.now() - sounded >= toneMs) {
        sounded = performance.now();
        context.tones.play('gift');
      }
      coins += sent.gift.price * sent.count;
      timer ??= setTimeout(() => {
        const announcer = root.querySelector('[data-testid=announcer]');
        if (announcer) announcer.textContent = t('gift.forYou', { count: coins });
        coins = 0;
        timer = null;
      }, readMs);
    },
    { signal: context.signal },
  );
}

/**
 * What became of a gift that was not seen to be paid, and of its coins.
 * @param {import('../../protocol/errors.js').OvationError} error
 * @param {number} price
 * @param {import('../../protocol/events.js').Wallet | null} wallet
 */
function unsentText(error, price, wallet) {
  switch (error.name) {
    case 'balance_low': {
      const balance = Number(error.data?.reason ?? wallet?.coins ?? 0);
      const values = { count: balance, balance: whole(balance), price: whole(price) };
      return t(wallet?.topUpURL ? 'gift.tooLittleTopUp' : 'gift.tooLittle', values);
    }
    // It never left this device.
    case 'offline':
      return t('gift.failed');
    case 'timeout':
    case 'connection_lost':
      return t('gift.late');
    default:
      return errorText(error);
  }
}
