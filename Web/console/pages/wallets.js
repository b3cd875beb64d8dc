import { giftName } from '../../lib/gift-name.js';
import { html } from '../../lib/html.js';
import { t, formatWhole as whole } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { Store } from '../../lib/store.js';
import { ListModel } from '../list.js';
import { ago, askFor, problemText, searchField } from '../parts.js';
import { table } from '../table.js';

/**
 * What a person holds, and where it came from.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function walletsPage(console) {
  const { user = '', account = 'wallet' } = console.place.get().params;
  const path = `users/${encodeURIComponent(user)}`;
  const state = new Store(
    /** @type {{sum: number | null, wallet: {coins: number, earnings: number} | null, problem: string}} */ ({
      sum: null,
      wallet: null,
      problem: '',
    }),
  );
  const list = new ListModel(async cursor => {
    const page = await console.api.get(`${path}/statement`, { account, limit: 50, cursor });
    return { rows: page.entries, cursor: page.cursor };
  });
  const load = async () => {
    try {
      const [ledger, wallet] = await Promise.all([
        console.api.get('ledger'),
        user ? console.api.get(`${path}/wallet`) : null,
      ]);
      state.set({ sum: ledger.sum, wallet, problem: '' });
    } catch (error) {
      state.update(before => ({ ...before, problem: problemText(error) }));
    }
    if (user) await list.refresh();
  };
  void load();
  /** @param {'top-ups' | 'refunds'} what */
  const move = what => {
    // One number for each question: whoever presses twice pays once.
    const once = `console-${crypto.randomUUID()}`;
    const title = what === 'top-ups' ? t('console.wallets.credit') : t('console.wallets.refund');
    askFor({
      console,
      title,
      about: t('console.wallets.about', { user }),
      yes: title,
      testid: 'ask-coins',
      danger: what === 'refunds',
      fields: [
        { name: 'coins', label: t('console.wallets.coins'), kind: 'number' },
        { name: 'again', label: t('console.wallets.again'), kind: 'number' },
        { name: 'reason', label: t('console.wallets.reason'), limit: 200 },
      ],
      call: ({ coins, again, reason }) => {
        if (!/^[1-9]\d{0,14}$/.test(coins)) return t('console.wallets.coinsWrong');
        if (coins !== again) return t('console.wallets.notTheSame');
        if (!reason.trim()) return t('console.missing', { field: t('console.wallets.reason') });
        const body = { coins: Number(coins), reason: reason.trim() };
        return { method: 'POST', path: `${path}/${what}`, body, once };
      },
      said: answer => t('console.wallets.holds', { count: answer.coins }),
      done: load,
    });
  };
  return {
    stores: [state, list.state],
    draw: () => {
      const { sum, wallet, problem } = state.get();
      return html`
        <div class="console-tools">
          ${searchField({ label: t('console.people.search'), value: user, testid: 'wallets-search', search: text => console.go('wallets', text ? { user: text } : {}) })}
          <span class=${sum ? 'problem' : 'soft'} data-testid="ledger-sum">${
            sum === null
              ? ''
              : sum === 0
                ? t('console.wallets.sumGood')
                : t('console.wallets.sumBad', { sum })
          }</span>
        </div>
        ${problem && html`<p class="problem" role="alert" data-testid="console-problem">${problem}</p>`}
        ${!user && html`<p class="console-empty soft">${t('console.wallets.which')}</p>`}
        ${
          wallet &&
          html`<div class="console-cards">
            <div class="console-card"><span class="value numbers" data-testid="wallet-coins">${whole(wallet.coins)}</span><span class="soft">${t('console.wallets.toSpend')}</span></div>
            <div class="console-card"><span class="value numbers">${whole(wallet.earnings)}</span><span class="soft">${t('console.wallets.received')}</span></div>
          </div>
          <div class="console-actions">
            ${
              console.changes('wallets:write') &&
              html`<button class="button compact" type="button" data-testid="wallet-credit" @click=${() => move('top-ups')}>${icon('plus')}${t('console.wallets.credit')}</button>
                <button class="button compact danger" type="button" data-testid="wallet-refund" @click=${() => move('refunds')}>${icon('undo-2')}${t('console.wallets.refund')}</button>`
            }
            <select class="input" aria-label=${t('console.wallets.account')} data-testid="wallet-account"
              @change=${(/** @type {Event} */ event) => console.go('wallets', { user, account: /** @type {HTMLSelectElement} */ (event.target).value })}>
              <option value="wallet" ?selected=${account === 'wallet'}>${t('console.wallets.toSpend')}</option>
              <option value="earnings" ?selected=${account === 'earnings'}>${t('console.wallets.received')}</option>
            </select>
          </div>
          ${table({
            list,
            testid: 'statement',
            empty: t('console.wallets.none'),
            key: line => line.number,
            columns: [
              { label: t('console.when'), cell: line => ago(line.time) },
              { label: t('console.wallets.what'), cell: line => t(`console.entry.${line.kind}`) },
              {
                label: t('console.wallets.gift'),
                cell: line => (line.gift ? `${giftName(line.gift)} × ${line.count ?? 1}` : ''),
                minor: true,
              },
              {
                label: t('console.wallets.other'),
                cell: line => line.user?.name || line.user?.id || '',
                minor: true,
              },
              {
                label: t('console.reports.room'),
                cell: line =>
                  html`<span class="clip">${line.room === undefined ? '' : String(line.room)}</span>`,
                minor: true,
              },
              {
                label: t('console.wallets.key'),
                cell: line => html`<span class="clip small" title=${line.key}>${line.key}</span>`,
                minor: true,
              },
              { label: t('console.wallets.coins'), cell: line => whole(line.coins), number: true },
              { label: t('console.wallets.after'), cell: line => whole(line.balance), number: true },
            ],
          })}`
        }`;
    },
  };
}
