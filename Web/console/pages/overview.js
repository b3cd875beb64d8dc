import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { Store } from '../../lib/store.js';
import { figure, problemText } from '../parts.js';

/**
 * What needs a person first.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function overviewPage(console) {
  const state = new Store(
    /** @type {{cards: {label: string, value: number, page: string, urgent?: boolean, more?: boolean}[], problem: string, ready: boolean}} */ ({
      cards: [],
      problem: '',
      ready: false,
    }),
  );
  void load();

  async function load() {
    const { api, may } = console;
    try {
      const [reports, webhooks, rooms, ledger] = await Promise.all([
        may('reports') ? api.get('reports', { limit: 100 }) : null,
        may('webhooks') ? api.get('webhooks') : null,
        may('rooms:read') ? api.get('rooms', { order: 'busiest', limit: 100 }) : null,
        may('wallets:read') ? api.get('ledger') : null,
      ]);
      const cards = [];
      if (reports)
        cards.push({
          label: t('console.overview.reports'),
          value: reports.reports.length,
          page: 'reports',
          urgent: reports.reports.length > 0,
          more: reports.cursor !== undefined,
        });
      if (webhooks) {
        const dead = webhooks.webhooks.reduce(
          (/** @type {number} */ sum, /** @type {any} */ hook) => sum + hook.dead + hook.lost,
          0,
        );
        const off = webhooks.webhooks.filter((/** @type {any} */ hook) => !hook.on).length;
        cards.push({ label: t('console.overview.dead'), value: dead, page: 'webhooks', urgent: dead > 0 });
        if (off) cards.push({ label: t('console.overview.off'), value: off, page: 'webhooks', urgent: true });
      }
      if (ledger && ledger.sum !== 0)
        cards.push({ label: t('console.overview.ledger'), value: ledger.sum, page: 'wallets', urgent: true });
      if (rooms) {
        const people = rooms.rooms.reduce(
          (/** @type {number} */ sum, /** @type {any} */ room) => sum + room.memberCount,
          0,
        );
        const more = rooms.cursor !== undefined;
        cards.push({ label: t('console.overview.rooms'), value: rooms.rooms.length, page: 'rooms', more });
        cards.push({ label: t('console.overview.people'), value: people, page: 'rooms', more });
      }
      state.set({ cards, problem: '', ready: true });
    } catch (error) {
      state.set({ cards: [], problem: problemText(error), ready: true });
    }
  }

  return {
    stores: [state],
    draw: () => {
      const { cards, problem, ready } = state.get();
      if (problem) return html`<p class="problem" role="alert">${problem}</p>`;
      if (!ready) return html`<p class="soft" role="status">${t('common.loading')}</p>`;
      if (cards.length === 0) return html`<p class="console-empty soft">${t('console.overview.nothing')}</p>`;
      return html`<div class="console-cards">
        ${cards.map(
          card => html`<a class=${card.urgent ? 'console-card urgent' : 'console-card'} href=${`?page=${card.page}`} data-testid="console-card"
            @click=${(/** @type {Event} */ event) => {
              event.preventDefault();
              console.go(card.page);
            }}><span class="value numbers">${figure(card.value)}${card.more && '+'}</span><span class="soft">${card.label}</span></a>`,
        )}
      </div>`;
    },
  };
}
