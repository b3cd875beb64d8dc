import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { Store } from '../../lib/store.js';
import { ListModel } from '../list.js';
import { ago, askFor, figure, megabytes, problemText, showSecrets } from '../parts.js';
import { table } from '../table.js';

/**
 * Where programs hear what happens.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function webhooksPage(console) {
  const list = new ListModel(async () => ({ rows: (await console.api.get('webhooks')).webhooks }));
  const refresh = () => list.refresh();
  void refresh();
  return {
    stores: [list.state],
    draw: () => html`
      <div class="console-actions">
        ${
          console.changes('webhooks') &&
          html`<button class="button compact" type="button" data-testid="webhooks-add" @click=${() => add(console, refresh)}>${icon('plus')}${t('console.webhooks.add')}</button>`
        }
        <button class="icon-button" type="button" aria-label=${t('console.refresh')} @click=${refresh}>${icon('refresh-cw')}</button>
      </div>
      ${table({
        list,
        testid: 'webhooks-table',
        empty: t('console.webhooks.none'),
        key: hook => hook.id,
        open: hook => openHook(console, hook, refresh),
        columns: [
          { label: t('console.webhooks.url'), cell: hook => html`<span class="clip">${hook.url}</span>` },
          { label: t('console.webhooks.use'), cell: hook => useOf(hook), minor: true },
          {
            label: t('console.webhooks.state'),
            cell: hook => (hook.on ? t('console.webhooks.on') : t('console.webhooks.off')),
          },
          { label: t('console.webhooks.waiting'), cell: hook => figure(hook.waiting), number: true },
          { label: t('console.webhooks.dead'), cell: hook => figure(hook.dead + hook.lost), number: true },
          {
            label: t('console.webhooks.size'),
            cell: hook => megabytes(hook.bytes),
            number: true,
            minor: true,
          },
        ],
      })}`,
  };
}

/** @param {any} hook */
function useOf(hook) {
  if (hook.use === 'review') return t('console.webhooks.reviews');
  return hook.events.length === 0 ? t('console.webhooks.allEvents') : hook.events.join(' ');
}

/** @param {import('../console.js').Console} console @param {() => void} done */
function add(console, done) {
  askFor({
    console,
    title: t('console.webhooks.add'),
    yes: t('console.webhooks.add'),
    testid: 'ask-webhook',
    fields: [
      { name: 'url', label: t('console.webhooks.url'), value: 'https://' },
      {
        name: 'use',
        label: t('console.webhooks.use'),
        kind: 'choice',
        value: 'events',
        choices: [
          ['events', t('console.webhooks.hearsEvents')],
          ['allow', t('console.webhooks.reviewsElseAllow')],
          ['refuse', t('console.webhooks.reviewsElseRefuse')],
        ],
      },
      {
        name: 'events',
        label: t('console.webhooks.types'),
        about: t('console.webhooks.typesAbout'),
      },
      {
        name: 'format',
        label: t('console.webhooks.format'),
        kind: 'choice',
        value: 'standard',
        choices: [
          ['standard', t('console.webhooks.standard')],
          ['compatible', t('console.webhooks.compatible')],
        ],
      },
    ],
    call: ({ url, use, events, format }) => {
      const types = events.split(/[\s,]+/).filter(Boolean);
      if (!/^https?:\/\/[^/]/.test(url.trim())) return t('console.webhooks.urlWrong');
      const what = use === 'events' ? { events: types } : { use: 'review', fallback: use };
      return { method: 'POST', path: 'webhooks', body: { url: url.trim(), format, ...what } };
    },
    done: hook => {
      done();
      showSecrets(console, {
        title: t('console.webhooks.secret'),
        about: t('console.webhooks.secretAbout'),
        testid: 'webhook-secret',
        secrets: [[t('console.webhooks.secret'), hook.secret]],
      });
    },
  });
}

/** @param {import('../console.js').Console} console @param {any} hook @param {() => void} changed */
function openHook(console, hook, changed) {
  const path = `webhooks/${hook.id}`;
  const state = new Store(
    /** @type {{dead: any[], problem: string, tested: string}} */ ({ dead: [], problem: '', tested: '' }),
  );
  const load = async () => {
    try {
      const { dead } = await console.api.get(`${path}/dead`, { limit: 100 });
      state.update(before => ({ ...before, dead }));
    } catch (error) {
      state.update(before => ({ ...before, problem: problemText(error) }));
    }
  };
  void load();
  openSheet({
    title: () => t('console.webhooks.title', { id: hook.id }),
    testid: 'webhook-detail',
    className: 'console-detail',
    stores: [state],
    signal: console.signal,
    body: sheet => {
      const { dead, problem, tested } = state.get();
      const finish = () => {
        sheet.close();
        changed();
      };
      return html`<div class="stack">
        <p class="clip">${hook.url}</p>
        <p class="soft">${useOf(hook)} · ${hook.format === 'standard' ? t('console.webhooks.standard') : t('console.webhooks.compatible')} ${hook.reason && `· ${hook.reason}`}</p>
        ${problem && html`<p class="problem" role="alert">${problem}</p>`}
        ${
          console.changes('webhooks') &&
          html`<div class="console-actions">
            <button class="button compact" type="button" data-testid="webhook-test" @click=${async () => {
              try {
                const answer = await console.api.send('POST', `${path}/test`);
                state.update(before => ({
                  ...before,
                  tested: answer.taken
                    ? t('console.webhooks.taken')
                    : t('console.webhooks.notTaken', { reason: answer.reason }),
                }));
              } catch (error) {
                state.update(before => ({ ...before, tested: problemText(error) }));
              }
            }}>${icon('send')}${t('console.webhooks.test')}</button>
            <button class="button compact" type="button" data-testid="webhook-switch" @click=${() =>
              askFor({
                console,
                title: hook.on ? t('console.webhooks.switchOff') : t('console.webhooks.switchOn'),
                yes: hook.on ? t('console.webhooks.switchOff') : t('console.webhooks.switchOn'),
                testid: 'ask-switch',
                call: () => ({ method: 'PATCH', path, body: { on: !hook.on } }),
                done: finish,
              })}>${icon('power')}${hook.on ? t('console.webhooks.switchOff') : t('console.webhooks.switchOn')}</button>
            ${
              dead.length > 0 &&
              html`<button class="button compact" type="button" data-testid="webhook-replay" @click=${() =>
                askFor({
                  console,
                  title: t('console.webhooks.replay'),
                  about: t('console.webhooks.replayAbout'),
                  yes: t('console.webhooks.replay'),
                  testid: 'ask-replay',
                  call: () => ({ method: 'POST', path: `${path}/replay` }),
                  done: finish,
                })}>${icon('rotate-ccw')}${t('console.webhooks.replay')}</button>`
            }
            <button class="button compact danger" type="button" data-testid="webhook-remove" @click=${() =>
              askFor({
                console,
                title: t('console.webhooks.remove'),
                about: t('console.webhooks.removeAbout'),
                yes: t('console.webhooks.remove'),
                testid: 'ask-remove',
                danger: true,
                call: () => ({ method: 'DELETE', path }),
                done: finish,
              })}>${icon('trash-2')}${t('console.webhooks.remove')}</button>
          </div>`
        }
        <p class="soft" role="status" data-testid="webhook-tested">${tested}</p>
        <h3>${t('console.webhooks.dead')}</h3>
        ${dead.length === 0 && html`<p class="soft">${t('console.webhooks.noneDead')}</p>`}
        <ul class="console-list">${dead.map(
          one =>
            html`<li><span class="clip">${one.type} <span class="soft small">${one.reason}</span></span><span class="soft small">${ago(one.time)}</span></li>`,
        )}</ul>
      </div>`;
    },
  });
}
