import { html } from '../../lib/html.js';
import { formatNumber, formatSpan, language, t } from '../../lib/i18n.js';
import { Store } from '../../lib/store.js';
import { chart } from '../charts.js';
import { figure, megabytes, problemText } from '../parts.js';

/** @typedef {{label: string, value: number | string, page: string, urgent?: boolean, more?: boolean}} Card */
/** @typedef {{time: number, people: number, rooms: number, mediaBits: number, load: number}} Sample */

/**
 * What the server has answered, null where the key does not allow to ask. It and a refusal are put into words when they are drawn: the
 * language may change.
 * @typedef {{reports: any, webhooks: any, rooms: any, ledger: any, server: any}} Found
 */

/** The server takes a sample as often. */
const every = 15_000;
/** Less than that free on the disk of the store is worth a look. */
const littleDisk = 1 << 30;
/** As many days before its end a certificate should have been renewed. */
const renewal = 14;

/** @param {{disk: {free: number}, certificate?: {endsAt: number}}} server */
function warnings({ disk, certificate }) {
  /** @type {Card[]} */
  const cards = [];
  if (disk.free < littleDisk)
    cards.push({
      label: t('console.overview.disk'),
      value: megabytes(disk.free),
      page: 'overview',
      urgent: true,
    });
  const left = certificate ? (certificate.endsAt - Date.now()) / 1000 : Infinity;
  if (left < renewal * 86_400)
    cards.push({
      label: t(left > 0 ? 'console.overview.certificate' : 'console.overview.certificateOver'),
      value: left > 0 ? formatSpan(left) : '0',
      page: 'overview',
      urgent: true,
    });
  return cards;
}

/** @param {Sample[]} samples */
function charts(samples) {
  const times = samples.map(sample => sample.time);
  const percent = new Intl.NumberFormat(language.get(), { style: 'percent' });
  const megabits = new Intl.NumberFormat(language.get(), { maximumFractionDigits: 1 });
  /** @type {[string, (sample: Sample) => number, (value: number) => string, number?][]} */
  const lines = [
    [t('console.chart.people'), sample => sample.people, formatNumber],
    [t('console.chart.rooms'), sample => sample.rooms, formatNumber],
    [t('console.chart.media'), sample => sample.mediaBits / 1e6, value => megabits.format(value)],
    [t('console.chart.load'), sample => sample.load, value => percent.format(value), 1],
  ];
  return html`<section class="console-charts" aria-label=${t('console.chart.hour')}>
    <h2>${t('console.chart.hour')}</h2>
    <div class="console-cards">
      ${lines.map(([label, value, show, full]) =>
        chart({
          label,
          values: samples.map(value),
          times,
          show,
          full,
          said: (now, most) => t('console.chart.said', { label, now, most }),
        }),
      )}
    </div>
  </section>`;
}

/**
 * What needs a person first.
 * @param {Found} found
 */
function cardsOf({ reports, webhooks, rooms, ledger, server }) {
  /** @type {Card[]} */
  const cards = server ? warnings(server) : [];
  if (reports)
    cards.push({
      label: t('console.overview.reports', { count: reports.reports.length }),
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
    cards.push({
      label: t('console.overview.dead', { count: dead }),
      value: dead,
      page: 'webhooks',
      urgent: dead > 0,
    });
    if (off)
      cards.push({
        label: t('console.overview.off', { count: off }),
        value: off,
        page: 'webhooks',
        urgent: true,
      });
  }
  if (ledger && ledger.sum !== 0)
    cards.push({ label: t('console.overview.ledger'), value: ledger.sum, page: 'wallets', urgent: true });
  if (rooms) {
    const people = rooms.rooms.reduce(
      (/** @type {number} */ sum, /** @type {any} */ room) => sum + room.memberCount,
      0,
    );
    const more = rooms.cursor !== undefined;
    cards.push({
      label: t('console.overview.rooms', { count: rooms.rooms.length }),
      value: rooms.rooms.length,
      page: 'rooms',
      more,
    });
    cards.push({
      label: t('console.overview.people', { count: people }),
      value: people,
      page: 'rooms',
      more,
    });
  }
  return cards;
}

/**
 * What needs a person first, then what the server carried in the last hour.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function overviewPage(console) {
  const state = new Store(
    /** @type {{found: Found, error: any, ready: boolean}} */ ({
      found: { reports: null, webhooks: null, rooms: null, ledger: null, server: null },
      error: null,
      ready: false,
    }),
  );
  void load();
  const again = setInterval(() => {
    if (console.signal.aborted || !here()) return clearInterval(again);
    if (!document.hidden) void load();
  }, every);

  function here() {
    const { page } = console.place.get();
    return page === '' || page === 'overview';
  }

  async function load() {
    const { api, may } = console;
    try {
      const [reports, webhooks, rooms, ledger, server] = await Promise.all([
        may('reports') ? api.get('reports', { limit: 100 }) : null,
        may('webhooks') ? api.get('webhooks') : null,
        may('rooms:read') ? api.get('rooms', { order: 'busiest', limit: 100 }) : null,
        may('wallets:read') ? api.get('ledger') : null,
        may('metrics:read') ? api.get('server') : null,
      ]);
      state.set({ found: { reports, webhooks, rooms, ledger, server }, error: null, ready: true });
    } catch (error) {
      state.set({ ...state.get(), error, ready: true });
    }
  }

  return {
    stores: [state],
    draw: () => {
      const { found, error, ready } = state.get();
      const cards = cardsOf(found);
      const samples = found.server?.samples ?? [];
      if (error) return html`<p class="problem" role="alert">${problemText(error)}</p>`;
      if (!ready) return html`<p class="soft" role="status">${t('common.loading')}</p>`;
      if (cards.length === 0) return html`<p class="console-empty soft">${t('console.overview.nothing')}</p>`;
      return html`<div class="console-cards">
        ${cards.map(
          card => html`<a class=${card.urgent ? 'console-card urgent' : 'console-card'} href=${`?page=${card.page}`} data-testid="console-card"
            @click=${(/** @type {Event} */ event) => {
              event.preventDefault();
              console.go(card.page);
            }}><span class="value numbers">${typeof card.value === 'number' ? figure(card.value) : card.value}${card.more && '+'}</span><span class="soft">${card.label}</span></a>`,
        )}
      </div>
      ${samples.length > 0 && charts(samples)}`;
    },
  };
}
