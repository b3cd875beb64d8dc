import { openSheet } from '../elements/sheet.js';
import { copy } from '../lib/clipboard.js';
import { html, keyed } from '../lib/html.js';
import { errorText, formatNumber, formatWhole, language, t } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';
import { roomSlug } from '../protocol/ids.js';

/** Below this width little is changed: what has consequences and can wait is done with room to read what it is. */
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
  if (error.name === 'app_unknown') return t('console.error.noApplication');
  if (error.name === 'user_id_invalid') return t('console.gifts.idWrong');
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

/** Commands that are shown; of more the first. */
const commandsShown = 20;

/**
 * Lines for a terminal.
 * @param {string[]} commands
 */
export function commandLines(commands) {
  const more = commands.length > commandsShown ? '\n…' : '';
  const command = commands.slice(0, commandsShown).join('\n') + more;
  return html`<div class="console-command"><code data-testid="console-command">${command}</code>
    <button class="button compact" type="button" @click=${() => copy(commands.join('\n'))}>${icon('copy')}${t('console.copy')}</button></div>`;
}

/**
 * A field of a question. The value of `checks` are the checked words, with spaces between.
 * @typedef {{name: string, label: string, value?: string, kind?: 'text' | 'number' | 'area' | 'choice' | 'checks', choices?: [string, string][],
 *   limit?: number, about?: string, show?: (value: string) => unknown}} Field `show`: what stands below it, by what is in it
 */

/**
 * @typedef {{method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object, once?: string}} Call
 */

/**
 * Asks what is needed for a call, or several, shows them, makes them one after the other, and says what came of it. If one fails, those before
 * it are done, and a second try goes on with it.
 * @param {{
 *   console: import('./console.js').Console, title: string, about?: string, yes: string, testid: string, danger?: boolean,
 *   fields?: Field[], call: (values: Record<string, string>) => Call | Call[] | string,
 *   done?: (answer: any) => void, said?: (answer: any) => string,
 * }} question `call` gives a sentence where something is wrong with the fields; `done` and `said` get the last answer
 */
export function askFor({ console, title, about, yes, testid, danger, fields = [], call, done, said }) {
  /** @type {Record<string, string>} */
  const values = Object.fromEntries(fields.map(field => [field.name, field.value ?? '']));
  let problem = '';
  let busy = false;
  /** How many calls are done. */
  let at = 0;
  openSheet({
    title: () => title,
    testid,
    className: 'small-sheet',
    signal: console.signal,
    body: sheet => {
      const what = call(values);
      const calls = typeof what === 'string' ? [] : [what].flat();
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
          let answer;
          for (; at < calls.length; at++) {
            const { method, path, body, once } = calls[at];
            answer = await console.api.send(method, path, body, once);
            sheet.redraw();
          }
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
          if (calls.length > 1)
            problem = t('console.partly', { done: String(at), count: calls.length, problem });
          sheet.redraw();
        }
      };
      return html`<form class="stack" novalidate @submit=${submit}>
        ${about && html`<p class="soft">${about}</p>`}
        ${fields.map(field => fieldOf(field, values, sheet.redraw))}
        <p class=${problem ? 'problem' : 'only-read'} role="alert" data-testid="ask-problem">${problem}</p>
        ${calls.length > 1 && busy && html`<p class="soft" role="status">${t('console.progress', { done: String(at), count: calls.length })}</p>`}
        ${
          calls.length > 0 &&
          html`<details><summary class="soft small">${t('console.sameCall')}</summary>
            ${commandLines(calls.map(({ method, path, body }) => console.api.command(method, path, body)))}</details>`
        }
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
  if (field.kind === 'checks') return checksOf(field, values, redraw);
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
    ${field.show?.(values[field.name])}
  </div>`;
}

/** @param {Field} field @param {Record<string, string>} values @param {() => void} redraw */
function checksOf({ name, label, choices = [], about }, values, redraw) {
  const checked = new Set(values[name].split(' ').filter(Boolean));
  const note = (/** @type {Event} */ event) => {
    const box = /** @type {HTMLInputElement} */ (event.target);
    if (box.checked) checked.add(box.value);
    else checked.delete(box.value);
    values[name] = [...checked].join(' ');
    redraw();
  };
  return html`<fieldset class="field console-checks" data-testid=${`field-${name}`}>
    <legend class="label">${label}</legend>
    ${choices.map(
      ([
        value,
        text,
      ]) => html`<label class="console-check"><input type="checkbox" value=${value} data-testid=${`check-${value}`}
        ?checked=${checked.has(value)} @change=${note} /> ${text}</label>`,
    )}
    ${about && html`<p class="soft small">${about}</p>`}
  </fieldset>`;
}

/** How long a restriction holds, as in the app's own menus. */
const durations = [
  ['600', 'console.time.minutes10'],
  ['3600', 'console.time.hour'],
  ['86400', 'console.time.day'],
  ['604800', 'console.time.week'],
  ['', 'console.time.forGood'],
];

/**
 * Fields of a restriction.
 * @param {[string, string][]} kinds
 * @returns {Field[]}
 */
export function restrictionFields(kinds) {
  return [
    { name: 'kind', label: t('console.rooms.what'), kind: 'choice', value: kinds[0][0], choices: kinds },
    {
      name: 'seconds',
      label: t('console.rooms.howLong'),
      kind: 'choice',
      value: '600',
      choices: durations.map(([value, key]) => [value, t(key)]),
    },
    { name: 'reason', label: t('console.reason'), limit: 200 },
  ];
}

/**
 * What of those fields stands in a call.
 * @param {Record<string, string>} values
 */
export function restrictionBody({ seconds, reason }) {
  return {
    ...(seconds ? { seconds: Number(seconds) } : {}),
    ...(reason.trim() ? { reason: reason.trim() } : {}),
  };
}

/**
 * Shows what the server tells this once.
 * @param {import('./console.js').Console} console
 * @param {{title: string, about: string, testid: string, secrets: [label: string, text: string][]}} what
 */
export function showSecrets(console, { title, about, testid, secrets }) {
  openSheet({
    title: () => title,
    testid,
    className: 'small-sheet',
    signal: console.signal,
    body: sheet => html`<div class="stack">
      <p class="soft">${about}</p>
      ${secrets.map(
        ([label, text]) => html`<p class="label">${label}</p>
          <code class="console-secret">${text}</code>
          <button class="button compact" type="button" @click=${() => copy(text)}>${icon('copy')}${t('console.copy')}</button>`,
      )}
      <div class="sheet-actions"><button class="button primary" type="button" data-testid="secret-done" @click=${sheet.close}>${t('common.done')}</button></div>
    </div>`,
  });
}

/**
 * A room's id as people write it, and as addresses and the REST API take it.
 * @param {import('../protocol/ids.js').RoomID} room
 */
export const writtenRoom = room => decodeURIComponent(roomSlug(room));

/** @param {number} count */
export function megabytes(count) {
  const unit = { style: 'unit', unit: 'megabyte', maximumFractionDigits: 0 };
  return new Intl.NumberFormat(language.get(), /** @type {Intl.NumberFormatOptions} */ (unit)).format(
    count / 1e6,
  );
}

/** @param {number} value */
export function figure(value) {
  return html`<span title=${formatWhole(value)}>${formatNumber(value)}</span>`;
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
