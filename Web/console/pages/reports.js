import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { sentences, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { ListModel } from '../list.js';
import { ago, askFor, exactTime } from '../parts.js';
import { table } from '../table.js';

/**
 * What people report.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function reportsPage(console) {
  const all = console.place.get().params.all === '1';
  const list = new ListModel(async cursor => {
    const page = await console.api.get('reports', { all: all || undefined, limit: 50, cursor });
    return { rows: page.reports, cursor: page.cursor };
  });
  void list.refresh();
  return {
    stores: [list.state],
    draw: () => html`
      <div class="console-tools">
        <label class="console-check"><input type="checkbox" data-testid="reports-all" ?checked=${all}
          @change=${() => console.go('reports', all ? {} : { all: '1' })} /> ${t('console.reports.all')}</label>
        <button class="icon-button" type="button" aria-label=${t('console.refresh')} @click=${() => list.refresh()}>${icon('refresh-cw')}</button>
      </div>
      ${table({
        list,
        testid: 'reports-table',
        empty: t('console.reports.none'),
        key: report => report.id,
        open: report => openReport(console, report, () => list.refresh()),
        file: { name: 'reports', console },
        choice: console.may('reports') && {
          label: report => report.evidence.name || report.user,
          actions: reports => settleSome(console, reports, () => list.refresh()),
        },
        columns: [
          {
            label: t('console.reports.whom'),
            cell: report => html`<span class="clip">${report.evidence.name || report.user}</span>`,
            sort: report => report.evidence.name || report.user,
          },
          {
            label: t('console.reports.cause'),
            cell: report => t(`report.cause.${report.cause}`),
            sort: report => t(`report.cause.${report.cause}`),
          },
          {
            label: t('console.reports.by'),
            cell: report => html`<span class="clip">${reporterOf(report)}</span>`,
            minor: true,
            sort: reporterOf,
          },
          {
            label: t('console.reports.room'),
            cell: report => String(report.room),
            number: true,
            minor: true,
            sort: report => String(report.room),
          },
          {
            label: t('console.when'),
            cell: report => ago(report.time),
            number: true,
            sort: report => report.time,
            text: report => new Date(report.time).toISOString(),
          },
          {
            label: t('console.reports.state'),
            cell: report => (report.settled ? t('console.reports.settled') : t('console.reports.waits')),
            minor: true,
            sort: report => (report.settled ? t('console.reports.settled') : t('console.reports.waits')),
          },
        ],
      })}`,
  };
}

/** @param {any} report */
const reporterOf = report => report.reporterName ?? report.reporter;

/** @param {import('../console.js').Console} console @param {any[]} reports @param {() => void} done */
function settleSome(console, reports, done) {
  const waiting = reports.filter(report => !report.settled);
  if (waiting.length === 0) return null;
  const title = t('console.reports.settleSome', { count: waiting.length });
  return html`<button class="button compact" type="button" data-testid="reports-settle" @click=${() =>
    askFor({
      console,
      title,
      yes: title,
      testid: 'ask-settle-some',
      fields: [{ name: 'words', label: t('console.reports.words'), kind: 'area' }],
      call: ({ words }) =>
        waiting.map(report => ({
          method: /** @type {const} */ ('PUT'),
          path: `reports/${report.id}/settlement`,
          body: { words: words.trim() },
        })),
      done,
    })}>${icon('check')}${title}</button>`;
}

/** @param {import('../console.js').Console} console @param {any} report @param {() => void} changed */
function openReport(console, report, changed) {
  openSheet({
    title: () => t('console.reports.title', { name: report.evidence.name || report.user }),
    testid: 'report-detail',
    className: 'console-detail',
    signal: console.signal,
    body: sheet => html`<div class="stack">
      <p class="soft small">${exactTime(report.time)} · ${reporterOf(report)} · ${t(`report.cause.${report.cause}`)}</p>
      ${
        console.may('people') &&
        html`<p><button class="link-button" type="button" data-testid="report-person" @click=${() => {
          sheet.close();
          console.go('people', { user: report.user });
        }}>${t('console.reports.person')}</button></p>`
      }
      ${report.words && html`<blockquote>${report.words}</blockquote>`}
      <h3>${t('console.reports.evidence')}</h3>
      <ul class="console-list" data-testid="report-evidence">${(report.evidence.messages ?? []).map(
        (/** @type {any} */ line) =>
          html`<li><span class="two-lines">${line.text ?? t('common.fact', { label: line.command, value: line.message })}</span><span class="soft small">${ago(line.time)}</span></li>`,
      )}</ul>
      ${(report.evidence.messages ?? []).length === 0 && html`<p class="soft">${t('console.reports.nothingSeen')}</p>`}
      ${
        report.settled
          ? html`<p class="soft">${sentences(t('console.reports.settledBy', { name: report.settled.by }), report.settled.words)}</p>`
          : console.may('reports') &&
            html`<div class="console-actions"><button class="button primary compact" type="button" data-testid="report-settle" @click=${() =>
              askFor({
                console,
                title: t('console.reports.settle'),
                yes: t('console.reports.settle'),
                testid: 'ask-settle',
                fields: [{ name: 'words', label: t('console.reports.words'), kind: 'area' }],
                call: ({ words }) => ({
                  method: 'PUT',
                  path: `reports/${report.id}/settlement`,
                  body: { words },
                }),
                done: () => {
                  sheet.close();
                  changed();
                },
              })}>${icon('check')}${t('console.reports.settle')}</button></div>`
      }
    </div>`,
  });
}
