import { openSheet } from '../elements/sheet.js';
import { copy } from '../lib/clipboard.js';
import { html, keyed } from '../lib/html.js';
import { errorText, formatNumber, language, t } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';

/** Below this width things are read only: what has consequences is done with room to read what it is. */
export const wide = matchMedia('(min-width: 700px)');

/**
 * A sentence about a refusal, in the words of an operator.
 * @param {any} error
 */
export function problemText(error) {
  if (error.name === 'permission_denied') {
    if (error.data?.reason === 'scope') return t('console.error.scope');
    if (error.data?.reason === 'app') return t('console.error.app');
    return t('console.error.denied', { message: error.message });
  }
  if (error.name === 'not_signed_in') return t('console.error.key');
  if (error.name === 'not_found') return t('console.error.gone');
  if (error.name === 'invalid_params') return t('console.error.invalid', { message: error.message });
  return errorText(error);
}

/** @param {number} time milliseconds since 1970 */
export function exactTime(time) {
  return new Intl.DateTimeFormat(language.get(), { dateStyle: 'medium', timeStyle: 'medium' }).format(time);
}

/**
 * How long ago; the exact time is its title.
 * @param {number} time milliseconds since 1970
 */
export function ago(time) {
  const seconds = (time - Date.now()) / 1000;
  /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const steps = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ];
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  const text = new Intl.RelativeTimeFormat(language.get(), { numeric: 'auto', style: 'short' }).format(
    Math.round(seconds / size),
    unit,
  );
  return html`<time title=${exactTime(time)} datetime=${new Date(time).toISOString()}>${text}</time>`;
}

/**
 * @template T
 * @typedef {{label: string, cell: (row: T) => unknown, number?: boolean, minor?: boolean}} Column `minor`: not on a phone
 */

/**
 * A table of a list model, with what to say where it is empty, and more pages.
 * @template T
 * @param {{
 *   list: import('./list.js').ListModel<T>, columns: Column<T>[], testid: string, empty: string,
 *   open?: (row: T) => void, key: (row: T) => unknown,
 * }} what
 */
export function table({ list, columns, testid, empty, open, key }) {
  const { rows, state, error, cursor } = list.state.get();
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
  return html`<div class="console-scroll">
      <div class="console-table" role="table" data-testid=${testid} aria-busy=${String(state === 'loading')}>
        <div class="head" role="row">${columns.map(column => html`<span role="columnheader" class=${classOf(column)}>${column.label}</span>`)}</div>
        ${rows.map(row =>
          keyed(
            key(row),
            html`<div class=${open ? 'line opens' : 'line'} role="row" tabindex=${open ? '0' : null} data-testid="console-row"
              @click=${() => open?.(row)} @keydown=${(/** @type {KeyboardEvent} */ event) => onKey(event, row, open)}>
              ${columns.map(column => html`<span role="cell" class=${classOf(column)}>${column.cell(row)}</span>`)}
            </div>`,
          ),
        )}
      </div>
    </div>
    ${state === 'failed' && html`<p class="problem" role="alert">${icon('circle-alert')}<span>${problemText(error)}</span></p>`}
    ${
      cursor !== undefined &&
      html`<button class="button" type="button" data-testid="console-more" aria-busy=${String(state === 'loading')}
        @click=${() => list.more()}>${t('console.more')}</button>`
    }`;
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

/**
 * A line for a terminal that does the same.
 * @param {string} command
 */
function commandLine(command) {
  return html`<details class="console-command">
    <summary>${t('console.sameCall')}</summary>
    <code data-testid="console-command">${command}</code>
    <button class="button compact" type="button" @click=${() => copy(command)}>${icon('copy')}${t('console.copy')}</button>
  </details>`;
}

/**
 * A field of a question.
 * @typedef {{name: string, label: string, value?: string, kind?: 'text' | 'number' | 'area' | 'choice', choices?: [string, string][],
 *   limit?: number, about?: string}} Field
 */

/**
 * Asks what is needed for one call, shows the call, makes it, and says what came of it.
 * @param {{
 *   console: import('./console.js').Console, title: string, about?: string, yes: string, testid: string, danger?: boolean,
 *   fields?: Field[], call: (values: Record<string, string>) => {method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object, once?: string} | string,
 *   done?: (answer: any) => void, said?: (answer: any) => string,
 * }} question `call` gives a sentence where something is wrong with the fields
 */
export function askFor({ console, title, about, yes, testid, danger, fields = [], call, done, said }) {
  /** @type {Record<string, string>} */
  const values = Object.fromEntries(fields.map(field => [field.name, field.value ?? '']));
  let problem = '';
  let busy = false;
  openSheet({
    title: () => title,
    testid,
    className: 'small-sheet',
    signal: console.signal,
    body: sheet => {
      const what = call(values);
      const submit = async (/** @type {Event} */ event) => {
        event.preventDefault();
        if (busy) return;
        if (typeof what === 'string') {
          problem = what;
          return sheet.redraw();
        }
        busy = true;
        problem = '';
        sheet.redraw();
        try {
          const answer = await console.api.send(what.method, what.path, what.body, what.once);
          sheet.close();
          console.toasts.show({
            text: said?.(answer) ?? t('console.done'),
            icon: 'circle-check',
            testid: 'console-done',
          });
          done?.(answer);
        } catch (error) {
          busy = false;
          problem = problemText(error);
          sheet.redraw();
        }
      };
      return html`<form class="stack" novalidate @submit=${submit}>
        ${about && html`<p class="soft">${about}</p>`}
        ${fields.map(field => fieldOf(field, values, sheet.redraw))}
        <p class=${problem ? 'problem' : 'only-read'} role="alert" data-testid="ask-problem">${problem}</p>
        ${typeof what !== 'string' && commandLine(console.api.command(what.method, what.path, what.body))}
        <div class="sheet-actions">
          <button class="button" type="button" @click=${sheet.close}>${t('common.cancel')}</button>
          <button class=${danger ? 'button danger filled' : 'button primary'} type="submit" data-testid="ask-yes" aria-busy=${String(busy)}>${yes}</button>
        </div>
      </form>`;
    },
  });
}

/** @param {Field} field @param {Record<string, string>} values @param {() => void} redraw */
function fieldOf(field, values, redraw) {
  const note = (/** @type {Event} */ event) => {
    values[field.name] = /** @type {HTMLInputElement} */ (event.target).value;
    redraw();
  };
  const id = `field-${field.name}`;
  return html`<div class="field">
    <label class="label" for=${id}>${field.label}</label>
    ${
      field.kind === 'choice'
        ? html`<select class="input" id=${id} data-testid=${id} @change=${note}>
            ${(field.choices ?? []).map(([value, label]) => html`<option value=${value} ?selected=${value === values[field.name]}>${label}</option>`)}
          </select>`
        : field.kind === 'area'
          ? html`<textarea class="input" id=${id} data-testid=${id} rows="6" .value=${values[field.name]} @input=${note}></textarea>`
          : html`<input class="input" id=${id} data-testid=${id} inputmode=${field.kind === 'number' ? 'numeric' : 'text'}
              maxlength=${String(field.limit ?? 500)} autocomplete="off" .value=${values[field.name]} @input=${note} />`
    }
    ${field.about && html`<p class="soft small">${field.about}</p>`}
  </div>`;
}

/** @param {number} value */
export function figure(value) {
  return html`<span title=${new Intl.NumberFormat(language.get()).format(value)}>${formatNumber(value)}</span>`;
}

/**
 * A search field that asks when typing has paused.
 * @param {{label: string, value: string, testid: string, search: (text: string) => void}} what
 */
export function searchField({ label, value, testid, search }) {
  const ask = (/** @type {Event} */ event) =>
    search(/** @type {HTMLInputElement} */ (event.target).value.trim());
  return html`<div class="console-search">
    ${icon('search')}
    ${[
      // A field of its own for each search: what somebody types is not overwritten while the list is drawn.
      keyed(
        value,
        html`<input class="input" type="search" aria-label=${label} placeholder=${label} data-testid=${testid} value=${value}
          autocomplete="off" @change=${ask} />`,
      ),
    ]}
  </div>`;
}
