import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { listed, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { ListModel } from '../list.js';
import { ago, askFor, exactTime, showSecrets } from '../parts.js';
import { table } from '../table.js';

/** @typedef {{id: string, app?: number, name: string, scopes: string[], createdAt: number, expiresAt?: number}} Key */

/**
 * Keys of operators and their programs.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function keysPage(console) {
  const list = new ListModel(async () => ({
    rows: /** @type {Key[]} */ ((await console.api.get('keys')).keys),
  }));
  const refresh = () => list.refresh();
  void refresh();
  // A key makes and drops those that reach no further than itself.
  const mayDrop = (/** @type {Key} */ key) =>
    key.id !== console.key.id &&
    key.scopes.every(scope => console.key.scopes.includes(scope)) &&
    (console.key.app === undefined || key.app === console.key.app);
  return {
    stores: [list.state],
    draw: () => html`
      <div class="console-tools">
        ${
          console.changes('keys') &&
          html`<button class="button compact" type="button" data-testid="keys-add" @click=${() => add(console, refresh)}>${icon('plus')}${t('console.keys.add')}</button>`
        }
        <button class="icon-button" type="button" aria-label=${t('console.refresh')} @click=${refresh}>${icon('refresh-cw')}</button>
      </div>
      ${table({
        list,
        testid: 'keys-table',
        empty: t('console.keys.none'),
        key: key => key.id,
        open: key => openKey(console, key),
        file: { name: 'keys', console },
        choice: console.changes('keys') && {
          label: key => key.name,
          actions: keys => drop(console, keys.filter(mayDrop), refresh),
        },
        columns: [
          {
            label: t('console.keys.name'),
            cell: key =>
              html`${key.name} ${key.id === console.key.id && html`<span class="soft small">${t('console.keys.own')}</span>`}`,
            sort: key => key.name,
          },
          { label: t('console.keys.id'), cell: key => key.id, minor: true, sort: key => key.id },
          {
            label: t('console.signIn.app'),
            cell: key => (key.app === undefined ? t('console.keys.allApps') : String(key.app)),
            minor: true,
            sort: key => key.app ?? 0,
            text: key => key.app ?? t('console.keys.allApps'),
          },
          {
            label: t('console.keys.scopes'),
            cell: key => html`<span class="two-lines small">${key.scopes.join(' ')}</span>`,
            text: key => key.scopes.join(' '),
          },
          {
            label: t('console.keys.made'),
            cell: key => ago(key.createdAt),
            number: true,
            minor: true,
            sort: key => key.createdAt,
            text: key => new Date(key.createdAt).toISOString(),
          },
          {
            label: t('console.keys.ends'),
            cell: key => (key.expiresAt === undefined ? t('console.keys.never') : exactTime(key.expiresAt)),
            number: true,
            minor: true,
            sort: key => key.expiresAt ?? Number.MAX_SAFE_INTEGER,
            text: key => (key.expiresAt === undefined ? '' : new Date(key.expiresAt).toISOString()),
          },
        ],
      })}`,
  };
}

/** @param {import('../console.js').Console} console @param {Key} key */
function openKey(console, key) {
  openSheet({
    title: () => key.name,
    testid: 'key-detail',
    className: 'console-detail',
    signal: console.signal,
    body: () => html`<div class="stack">
      <p class="soft small numbers">${key.id} · ${key.app === undefined ? t('console.keys.allApps') : String(key.app)}</p>
      <p class="soft">${t('common.fact', { label: t('console.keys.made'), value: exactTime(key.createdAt) })}</p>
      <p class="soft">${t('common.fact', { label: t('console.keys.ends'), value: key.expiresAt === undefined ? t('console.keys.never') : exactTime(key.expiresAt) })}</p>
      <h3>${t('console.keys.scopes')}</h3>
      <ul class="console-list">${key.scopes.map(scope => html`<li><span>${t(`console.scope.${scope}`)} <span class="soft small">${scope}</span></span></li>`)}</ul>
    </div>`,
  });
}

/** @param {import('../console.js').Console} console @param {() => void} done */
function add(console, done) {
  askFor({
    console,
    title: t('console.keys.add'),
    about: t('console.keys.addAbout'),
    yes: t('console.keys.add'),
    testid: 'ask-key',
    fields: [
      { name: 'name', label: t('console.keys.name'), limit: 32, about: t('console.keys.nameAbout') },
      {
        name: 'days',
        label: t('console.keys.days'),
        kind: 'number',
        value: '90',
        about: t('console.keys.daysAbout'),
      },
      // A key that is good for one application makes keys for that one.
      ...(console.key.app === undefined
        ? [
            {
              name: 'app',
              label: t('console.signIn.app'),
              kind: /** @type {const} */ ('choice'),
              value: String(console.api.app),
              choices: /** @type {[string, string][]} */ ([
                [String(console.api.app), String(console.api.app)],
                ['', t('console.keys.allApps')],
              ]),
            },
          ]
        : []),
      {
        name: 'scopes',
        label: t('console.keys.scopes'),
        kind: 'checks',
        choices: console.key.scopes.map(scope => [scope, t(`console.scope.${scope}`)]),
      },
    ],
    call: ({ name, days, app, scopes }) => {
      if (!/^[\w-]{1,32}$/.test(name.trim())) return t('console.keys.nameWrong');
      if (!/^\d{0,5}$/.test(days.trim()) || days.trim() === '0') return t('console.keys.daysWrong');
      if (!scopes) return t('console.keys.noScope');
      return {
        method: 'POST',
        path: 'keys',
        body: {
          name: name.trim(),
          scopes: scopes.split(' '),
          ...(days.trim() ? { days: Number(days) } : {}),
          ...(app ? { app: Number(app) } : {}),
        },
      };
    },
    done: answer => {
      done();
      showSecrets(console, {
        title: t('console.keys.key'),
        about: t('console.keys.keyAbout'),
        testid: 'key-secret',
        secrets: [
          [t('console.keys.key'), answer.key],
          [t('console.keys.secret'), answer.secret],
        ],
      });
    },
  });
}

/** @param {import('../console.js').Console} console @param {Key[]} keys @param {() => void} done */
function drop(console, keys, done) {
  if (keys.length === 0) return html`<span class="soft small">${t('console.keys.mayNot')}</span>`;
  const title = t('console.keys.drop', { count: keys.length });
  return html`<button class="button compact danger" type="button" data-testid="keys-drop" @click=${() =>
    askFor({
      console,
      title,
      about: t('console.keys.dropAbout', { names: listed(keys.map(({ name }) => name)) }),
      yes: title,
      testid: 'ask-drop',
      danger: true,
      call: () => keys.map(({ id }) => ({ method: 'DELETE', path: `keys/${id}` })),
      done,
    })}>${icon('trash-2')}${title}</button>`;
}
