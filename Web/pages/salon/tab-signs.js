import { asset } from '../../lib/assets.js';
import { t } from '../../lib/i18n.js';

/**
 * The tab tells live and muted in title and icon, and that somebody waits for an answer.
 * @param {import('./context.js').SalonContext} context
 */
export function tabSigns({ salon, signal }) {
  const link = /** @type {HTMLLinkElement | null} */ (document.querySelector('link[rel=icon]'));
  let shown = '';
  salon.state.subscribe(
    ({ me, room, requests, phase }) => {
      const waiting = requests.length > 0 ? `(${requests.length}) ` : '';
      const live = phase === 'in' && me.mic === 'live';
      const muted = phase === 'in' && (me.mic === 'mutedByMe' || me.mic === 'mutedByHost');
      const sign = live ? `● ${t('salon.tabLive')} · ` : muted ? `○ ${t('salon.tabMuted')} · ` : '';
      document.title = `${waiting}${sign}${room?.name ?? ''} · Ovation`;
      const file = live ? 'favicon-live' : muted ? 'favicon-muted' : 'favicon';
      if (link && file !== shown) link.href = asset(`icons/${file}.svg`);
      shown = file;
    },
    { signal },
  );
  signal.addEventListener('abort', () => {
    document.title = 'Ovation';
    if (link) link.href = asset('icons/favicon.svg');
  });
}
