import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { Store } from '../../lib/store.js';
import { ListModel } from '../list.js';
import { askFor, figure, problemText } from '../parts.js';
import { table } from '../table.js';

/** What a call takes. */
const most = 10_000;

/**
 * Words that texts may not have.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function wordsPage(console) {
  const count = new Store(0);
  const tried = new Store({ text: '', result: '', stopped: false });
  const list = new ListModel(async cursor => {
    const page = await console.api.get('words', { limit: 200, cursor });
    count.set(page.count);
    return { rows: page.words, cursor: page.cursor };
  });
  void list.refresh();
  const check = async () => {
    const { text } = tried.get();
    if (!text.trim()) return tried.set({ text, result: '', stopped: false });
    try {
      const { stopped } = await console.api.send('POST', 'words/check', { text });
      tried.set({
        text,
        stopped: stopped !== undefined,
        result:
          stopped === undefined ? t('console.words.passes') : t('console.words.stopped', { word: stopped }),
      });
    } catch (error) {
      tried.set({ text, result: problemText(error), stopped: true });
    }
  };
  return {
    stores: [list.state, count, tried],
    draw: () => html`
      <form class="console-tools" @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        void check();
      }}>
        <input class="input" aria-label=${t('console.words.try')} placeholder=${t('console.words.try')} data-testid="words-try" maxlength="500"
          @input=${(/** @type {Event} */ event) => tried.set({ text: /** @type {HTMLInputElement} */ (event.target).value, result: '', stopped: false })} />
        <button class="button compact" type="submit" data-testid="words-check">${t('console.words.check')}</button>
      </form>
      <p class=${tried.get().stopped ? 'problem' : 'soft'} role="status" data-testid="words-result">${tried.get().result}</p>
      <div class="console-actions">
        <span class="soft">${t('console.words.count', { count: count.get() })} ${count.get() > 9_999 ? figure(count.get()) : ''}</span>
        ${
          console.changes('words') &&
          html`<button class="button compact" type="button" data-testid="words-add" @click=${() =>
            askFor({
              console,
              title: t('console.words.add'),
              about: t('console.words.addAbout'),
              yes: t('console.words.add'),
              testid: 'words-sheet',
              fields: [{ name: 'words', label: t('console.words.words'), kind: 'area' }],
              call: ({ words }) => {
                const lines = words
                  .split('\n')
                  .map(line => line.trim())
                  .filter(Boolean);
                if (lines.length === 0) return t('console.missing', { field: t('console.words.words') });
                if (lines.length > most) return t('console.words.tooMany', { count: most });
                return { method: 'POST', path: 'words', body: { add: lines } };
              },
              said: answer => t('console.words.count', { count: answer.count }),
              done: () => list.refresh(),
            })}>${icon('plus')}${t('console.words.add')}</button>`
        }
      </div>
      ${table({
        list,
        testid: 'words-table',
        empty: t('console.words.none'),
        key: word => word,
        file: { name: 'words', console },
        choice: console.changes('words') && {
          label: word => word,
          actions: words =>
            html`<button class="button compact danger" type="button" data-testid="words-remove-some" @click=${() =>
              askFor({
                console,
                title: t('console.words.removeSome', { count: words.length }),
                yes: t('console.words.removeIt'),
                testid: 'ask-remove-some',
                danger: true,
                call: () => ({ method: 'POST', path: 'words', body: { remove: words } }),
                done: () => list.refresh(),
              })}>${icon('trash-2')}${t('console.words.removeSome', { count: words.length })}</button>`,
        },
        columns: [
          { label: t('console.words.word'), cell: word => word, sort: word => word },
          {
            label: '',
            number: true,
            cell: word =>
              console.changes('words') &&
              html`<button class="icon-button" type="button" data-testid="words-remove" aria-label=${t('console.words.remove', { word })} @click=${() =>
                askFor({
                  console,
                  title: t('console.words.remove', { word }),
                  yes: t('console.words.removeIt'),
                  testid: 'ask-remove',
                  danger: true,
                  call: () => ({ method: 'POST', path: 'words', body: { remove: [word] } }),
                  done: () => list.refresh(),
                })}>${icon('trash-2')}</button>`,
          },
        ],
      })}`,
  };
}
