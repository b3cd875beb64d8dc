import { html, keyed } from '../lib/html.js';
import { language, t } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';
import { csv, download } from './export.js';
import { keepSort, mostChosen } from './list.js';
import { problemText } from './parts.js';

/**
 * `minor`: not on a phone · `hidden`: in a file alone · `sort`: by what rows are sorted, if they can be · `text`: what stands in a file, where `sort` says something else.
 * @template T
 * @typedef {{
 *   label: string, cell: (row: T) => unknown, number?: boolean, minor?: boolean, hidden?: boolean,
 *   sort?: (row: T) => string | number, text?: (row: T) => string | number,
 * }} Column
 */

/**
 * What can be done with several rows at once.
 * @template T
 * @typedef {{label: (row: T) => string, actions: (rows: T[]) => unknown}} Choice
 */

/**
 * A table of a list model, with what to say where it is empty, and more pages.
 * @template T
 * @typedef {{
 *   list: import('./list.js').ListModel<T>, columns: Column<T>[], testid: string, empty: string,
 *   open?: (row: T) => void, key: (row: T) => unknown, choice?: Choice<T> | false,
 *   file?: {name: string, console: import('./console.js').Console},
 * }} Table
 */

/**
 * @template T
 * @param {Table<T>} what
 */
export function table(what) {
  const { list, testid, empty, key, choice, file } = what;
  const { rows, state, error, cursor, sort } = list.state.get();
  if (state === 'failed' && rows.length === 0) {
    return html`<p class="problem" role="alert" data-testid="console-problem">${icon('circle-alert')}<span>${problemText(error)}</span></p>
      <button class="button" type="button" @click=${() => list.refresh()}>${t('common.retry')}</button>`;
  }
  if (rows.length === 0) {
    return state === 'loading'
      ? html`<p class="soft" role="status">${t('common.loading')}</p>`
      : html`<p class="console-empty soft" data-testid="console-empty">${empty}</p>`;
  }
  // Not a table of its own: a place for values cannot stand between its rows.
  return html`${choice && chosenBar(what, choice)}
    <div class="console-scroll">
      <div class="console-table" role="table" data-testid=${testid} aria-busy=${String(state === 'loading')}>
        ${head(what)}
        ${sorted(what).map(row => keyed(key(row), line(what, row)))}
      </div>
    </div>
    ${state === 'failed' && html`<p class="problem" role="alert">${icon('circle-alert')}<span>${problemText(error)}</span></p>`}
    ${sort && what.columns[sort.by]?.sort && cursor !== undefined && html`<p class="soft small">${t('console.sortedShown')}</p>`}
    <div class="console-actions">
      ${
        cursor !== undefined &&
        html`<button class="button" type="button" data-testid="console-more" aria-busy=${String(state === 'loading')}
          @click=${() => list.more()}>${t('console.more')}</button>`
      }
      ${
        file &&
        html`<button class="button compact" type="button" data-testid="console-export" @click=${() => save(what, file)}>
          ${icon('arrow-down-to-line')}${t('console.export')}</button>`
      }
    </div>`;
}

/**
 * @template T
 * @param {Table<T>} what
 */
function head({ list, columns, key, choice }) {
  const { rows, sort, chosen } = list.state.get();
  const keys = rows.map(key);
  const all = keys.slice(0, mostChosen).every(one => chosen.has(one));
  return html`<div class="head" role="row">
    ${
      choice &&
      html`<span role="columnheader" class="check"><label><input type="checkbox" aria-label=${t('console.chooseAll')} data-testid="choose-all"
        .checked=${all} @change=${() => list.choose(keys, !all)} /></label></span>`
    }
    ${columns.map((column, by) => {
      if (column.hidden) return null;
      const order = sort?.by !== by ? 'none' : sort.down ? 'descending' : 'ascending';
      if (!column.sort)
        return html`<span role="columnheader" class=${classOf(column)}>${column.label}</span>`;
      return html`<span role="columnheader" class=${classOf(column)} aria-sort=${order}><button class="console-sort" type="button"
        data-testid=${`sort-${by}`} @click=${() => {
          list.sort(by);
          keepSort(list.state.get().sort);
        }}>${column.label}${icon('arrow-down')}</button></span>`;
    })}
  </div>`;
}

/**
 * @template T
 * @param {Table<T>} what @param {T} row
 */
function line({ list, columns, open, key, choice }, row) {
  const isChosen = list.state.get().chosen.has(key(row));
  return html`<div class=${open ? 'line opens' : 'line'} role="row" tabindex=${open ? '0' : null} data-testid="console-row"
    @click=${() => open?.(row)} @keydown=${(/** @type {KeyboardEvent} */ event) => onKey(event, row, open)}>
    ${
      choice &&
      html`<span role="cell" class="check" @click=${(/** @type {Event} */ event) => event.stopPropagation()}><label><input type="checkbox"
        aria-label=${t('console.choose', { name: choice.label(row) })} data-testid="choose" .checked=${isChosen}
        @change=${(/** @type {any} */ event) => {
          list.choose([key(row)], !isChosen);
          event.target.checked = list.state.get().chosen.has(key(row));
        }} /></label></span>`
    }
    ${columns.map(column => !column.hidden && html`<span role="cell" class=${classOf(column)}>${column.cell(row)}</span>`)}
  </div>`;
}

/**
 * @template T
 * @param {Table<T>} what @param {Choice<T>} choice
 */
function chosenBar({ list, key }, choice) {
  const { rows, chosen } = list.state.get();
  const of = rows.filter(row => chosen.has(key(row)));
  if (of.length === 0) return null;
  return html`<div class="console-actions console-chosen" data-testid="console-chosen">
    <span role="status">${t('console.chosen', { count: of.length })}${of.length === mostChosen && html` <span class="soft small">${t('console.chosenMost')}</span>`}</span>
    ${choice.actions(of)}
    <button class="button compact" type="button" data-testid="choose-none" @click=${() => list.choose([...chosen], false)}>${t('console.chooseNone')}</button>
  </div>`;
}

/**
 * The rows in the order of the column that was chosen.
 * @template T
 * @param {Table<T>} what
 */
function sorted({ list, columns }) {
  const { rows, sort } = list.state.get();
  const by = sort && columns[sort.by]?.sort;
  if (!by) return rows;
  const words = new Intl.Collator(language.get(), { numeric: true });
  const compare = (/** @type {T} */ one, /** @type {T} */ other) => {
    const [a, b] = [by(one), by(other)];
    return typeof a === 'number' && typeof b === 'number' ? a - b : words.compare(String(a), String(b));
  };
  return [...rows].sort((one, other) => (sort.down ? compare(other, one) : compare(one, other)));
}

/**
 * Saves all rows as a file, those included that have not been read yet.
 * @template T
 * @param {Table<T>} what @param {{name: string, console: import('./console.js').Console}} file
 */
async function save({ list, columns }, { name, console }) {
  const told = columns.flatMap(({ label, text, sort }) => {
    const read = text ?? sort;
    return read ? [{ label, read }] : [];
  });
  try {
    const { rows, isWhole } = await list.all();
    const lines = rows.map(row => told.map(({ read }) => read(row)));
    download(`${name}.csv`, csv([told.map(({ label }) => label), ...lines]));
    console.toasts.show({
      text: t(isWhole ? 'console.exported' : 'console.exportedFirst', { count: rows.length }),
      icon: 'circle-check',
      testid: 'console-done',
    });
  } catch (error) {
    console.toasts.show({ text: problemText(error), icon: 'circle-alert', tone: 'bad' });
  }
}

/** @param {{number?: boolean, minor?: boolean}} column */
function classOf(column) {
  return [column.number ? 'numbers' : '', column.minor ? 'minor' : ''].join(' ').trim();
}

/**
 * Enter opens a row, arrows go to the one beside it.
 * @param {KeyboardEvent} event
 * @param {any} row
 * @param {((row: any) => void) | undefined} open
 */
function onKey(event, row, open) {
  const line = /** @type {HTMLElement} */ (event.currentTarget);
  if (event.target !== line) return;
  if (event.key === 'Enter') open?.(row);
  else if (event.key === 'ArrowDown') /** @type {HTMLElement | null} */ (line.nextElementSibling)?.focus();
  else if (event.key === 'ArrowUp') /** @type {HTMLElement | null} */ (line.previousElementSibling)?.focus();
  else return;
  event.preventDefault();
}
