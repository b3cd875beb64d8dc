import { t } from '../../lib/i18n.js';

/** Gifts to me are read out together. */
const readMs = 10_000;

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
  context.signal.addEventListener('abort', () => clearTimeout(timer));
  gifts.news.on('problem', error => context.complain(error), { signal: context.signal });
  gifts.news.on(
    'sent',
    sent => {
      const shown = context.app.preferences.get().gifts;
      const banners = /** @type {import('../../elements/gifts.js').Gifts | null} */ (
        root.querySelector('ov-gifts')
      );
      if (shown !== 'off') banners?.add(sent, { large: shown !== 'small' });
      if (sent.to.id !== context.state.me.id) return;
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
