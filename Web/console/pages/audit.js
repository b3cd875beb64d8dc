import { html } from '../../lib/html.js';
import { hasText, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { ListModel } from '../list.js';
import { ago } from '../parts.js';
import { table } from '../table.js';

/**
 * What those did who run rooms, and what was refused.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function auditPage(console) {
  const list = new ListModel(async cursor => {
    const page = await console.api.get('audit', { limit: 100, cursor });
    return { rows: page.lines, cursor: page.cursor };
  });
  void list.refresh();
  return {
    stores: [list.state],
    draw: () => html`
      <div class="console-tools"><button class="icon-button" type="button" aria-label=${t('console.refresh')} @click=${() => list.refresh()}>${icon('refresh-cw')}</button></div>
      ${table({
        list,
        testid: 'audit-table',
        empty: t('console.audit.none'),
        key: line => line.id,
        file: { name: 'audit', console },
        columns: [
          {
            label: t('console.when'),
            cell: line => ago(line.time),
            sort: line => line.time,
            text: line => new Date(line.time).toISOString(),
          },
          {
            label: t('console.audit.who'),
            cell: line =>
              html`${line.actor ?? '–'} <span class="soft small">${t(`console.role.${line.role}`)}</span>`,
            sort: line => line.actor ?? '',
          },
          {
            label: t('console.audit.way'),
            cell: line => t(`console.way.${line.way}`),
            minor: true,
            sort: line => line.way,
          },
          {
            label: t('console.audit.what'),
            cell: line =>
              html`${actionName(line.action)} ${line.outcome === 'done' ? '' : html`<span class="soft small" title=${line.outcome}>${t('console.audit.refused')}</span>`}`,
            sort: line => actionName(line.action),
            text: line => (line.outcome === 'done' ? line.action : `${line.action} (${line.outcome})`),
          },
          {
            label: t('console.audit.whom'),
            cell: line => line.target ?? '',
            minor: true,
            sort: line => line.target ?? '',
          },
          {
            label: t('console.reports.room'),
            cell: line => (line.room === undefined ? '' : String(line.room)),
            number: true,
            minor: true,
            sort: line => String(line.room ?? ''),
          },
          {
            label: t('console.audit.detail'),
            cell: line => html`<span class="two-lines small">${detailOf(line)}</span>`,
            minor: true,
            text: detailOf,
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

/** @param {any} line */
function detailOf(line) {
  const parts = Object.entries(line.detail).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [...parts, ...(line.reason ? [`“${line.reason}”`] : [])].join(' · ');
}
