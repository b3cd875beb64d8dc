import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { hasText, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { factsOf, messagesOf, summaryOf } from '../audit-facts.js';
import { ListModel } from '../list.js';
import { ago, exactTime, searchField, writtenRoom } from '../parts.js';
import { table } from '../table.js';

/**
 * What those did who run rooms, and what was refused: all of it, or of one person or room.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function auditPage(console) {
  const { user = '', room = '' } = console.place.get().params;
  const list = new ListModel(async cursor => {
    const page = await console.api.get('audit', {
      user: user || undefined,
      room: room || undefined,
      limit: 100,
      cursor,
    });
    return { rows: page.lines, cursor: page.cursor };
  });
  void list.refresh();
  const search = (/** @type {Record<string, string>} */ change) =>
    console.go(
      'audit',
      Object.fromEntries(Object.entries({ user, room, ...change }).filter(([, value]) => value)),
    );
  return {
    stores: [list.state],
    draw: () => html`
      <div class="console-tools">
        ${searchField({ label: t('console.audit.searchUser'), value: user, testid: 'audit-user', search: text => search({ user: text }) })}
        ${searchField({ label: t('console.audit.searchRoom'), value: room, testid: 'audit-room', search: text => search({ room: text }) })}
        <button class="icon-button" type="button" aria-label=${t('console.refresh')} @click=${() => list.refresh()}>${icon('refresh-cw')}</button>
      </div>
      ${table({
        list,
        testid: 'audit-table',
        empty: t(user || room ? 'console.audit.noneFound' : 'console.audit.none'),
        key: line => line.id,
        open: line => openLine(console, line, search),
        file: { name: 'audit', console },
        columns: [
          {
            label: t('console.when'),
            cell: line => ago(line.time),
            sort: line => line.time,
            text: line => new Date(line.time).toISOString(),
          },
          {
            label: t('console.audit.what'),
            cell: line =>
              html`<span class="two-lines">${actionName(line.action)} ${line.outcome === 'done' ? '' : html`<span class="soft small" title=${line.outcome}>${t('console.audit.refused')}</span>`}</span>`,
            sort: line => actionName(line.action),
            text: line => (line.outcome === 'done' ? line.action : `${line.action} (${line.outcome})`),
          },
          {
            label: t('console.audit.who'),
            cell: line =>
              html`<span class="clip">${line.actor ?? '–'} <span class="soft small">${t(`console.role.${line.role}`)}</span></span>`,
            sort: line => line.actor ?? '',
          },
          {
            label: t('console.audit.way'),
            cell: line => line.way,
            hidden: true,
            text: line => line.way,
          },
          {
            label: t('console.audit.whom'),
            cell: line => html`<span class="clip">${line.target ?? ''}</span>`,
            minor: true,
            sort: line => line.target ?? '',
          },
          {
            label: t('console.reports.room'),
            cell: line => html`<span class="clip">${line.room === undefined ? '' : String(line.room)}</span>`,
            number: true,
            minor: true,
            sort: line => String(line.room ?? ''),
          },
          {
            label: t('console.audit.detail'),
            cell: line => html`<span class="two-lines small">${summaryOf(line)}</span>`,
            minor: true,
            text: line => JSON.stringify({ ...line.detail, ...(line.reason ? { reason: line.reason } : {}) }),
          },
        ],
      })}`,
  };
}

/**
 * What was done, in words; what a newer server notes has none yet.
 * @param {string} action
 */
export function actionName(action) {
  const key = `console.action.${action}`;
  return hasText(key) ? t(key) : action;
}

/**
 * A line with all that it says. A tap on a person or a room shows what else there is of them.
 * @param {import('../console.js').Console} console @param {any} line
 * @param {(change: Record<string, string>) => void} search
 */
function openLine(console, line, search) {
  openSheet({
    title: () => actionName(line.action),
    testid: 'audit-detail',
    className: 'console-detail',
    signal: console.signal,
    body: sheet => {
      /** @param {Record<string, string>} change @param {unknown} text */
      const only = (change, text) =>
        html`<button class="link-button" type="button" title=${t('console.audit.only')} @click=${() => {
          sheet.close();
          search(change);
        }}>${text}</button>`;
      /** @type {[string, unknown][]} */
      const facts = [
        [t('console.when'), exactTime(line.time)],
        [
          t('console.audit.who'),
          html`${line.actor === undefined ? '–' : only({ user: line.actor }, line.actor)}
            <span class="soft small">${t(`console.role.${line.role}`)}</span>`,
        ],
        [t('console.audit.way'), t(`console.way.${line.way}`)],
        ...optional(line.target, t('console.audit.whom'), target => only({ user: target }, target)),
        ...optional(line.room, t('console.reports.room'), room =>
          only({ room: writtenRoom(room) }, String(room)),
        ),
        [
          t('console.audit.outcome'),
          line.outcome === 'done'
            ? t('console.audit.done')
            : html`${t('console.audit.refused')} <code class="soft small">${line.outcome}</code>`,
        ],
        ...factsOf(line),
      ];
      return html`<div class="stack">
        ${line.reason && html`<blockquote data-testid="audit-reason">${line.reason}</blockquote>`}
        <dl class="console-facts">${facts.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>
        ${messagesOf(line).map(text => html`<blockquote data-testid="audit-message">${text}</blockquote>`)}
      </div>`;
    },
  });
}

/**
 * @template T
 * @param {T | undefined} value @param {string} label @param {(value: T) => unknown} draw
 * @returns {[string, unknown][]}
 */
const optional = (value, label, draw) => (value === undefined ? [] : [[label, draw(value)]]);
