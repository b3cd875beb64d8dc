import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { listed, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { ListModel } from '../list.js';
import { askFor, showSecrets } from '../parts.js';
import { table } from '../table.js';

/**
 * @typedef {{
 *   app: number, name: string, keys: number, consent: 'enforced' | 'advisory', secondSession: 'replaces' | 'allowed',
 *   roomKeys: 'unused' | 'required', admins: string[], key?: string,
 * }} Application
 */

/**
 * The applications of this server that the key is good for: their rules, and the secrets that sign tickets.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function applicationsPage(console) {
  const list = new ListModel(async () => ({
    rows: /** @type {Application[]} */ ((await console.api.get('applications')).applications),
  }));
  const refresh = () => list.refresh();
  void refresh();
  return {
    stores: [list.state],
    draw: () => html`
      <div class="console-tools">
        ${
          console.changes('applications') &&
          console.key.app === undefined &&
          html`<button class="button compact" type="button" data-testid="applications-add" @click=${() => add(console, refresh)}>${icon('plus')}${t('console.applications.add')}</button>`
        }
        <button class="icon-button" type="button" aria-label=${t('console.refresh')} @click=${refresh}>${icon('refresh-cw')}</button>
      </div>
      ${table({
        list,
        testid: 'applications-table',
        empty: t('console.applications.none'),
        key: application => application.app,
        open: application => openApplication(console, list, application.app),
        columns: [
          {
            label: t('console.applications.name'),
            cell: application => html`<span class="clip">${application.name}</span>`,
            sort: application => application.name,
          },
          {
            label: t('console.applications.number'),
            cell: application => String(application.app),
            number: true,
            sort: application => application.app,
          },
          {
            label: t('console.applications.keys'),
            cell: application => String(application.keys),
            number: true,
            minor: true,
          },
          {
            label: t('console.applications.consent'),
            cell: application => t(`console.consent.${application.consent}`),
            minor: true,
          },
          {
            label: t('console.applications.roomKeys'),
            cell: application => t(`console.roomKeys.${application.roomKeys}`),
            minor: true,
          },
        ],
      })}`,
  };
}

/**
 * @param {Partial<Application>} now
 * @returns {import('../parts.js').Field[]}
 */
function fields(now) {
  const choices = (/** @type {string[]} */ values, /** @type {(value: string) => string} */ label) =>
    values.map(value => /** @type {[string, string]} */ ([value, label(value)]));
  return [
    { name: 'name', label: t('console.applications.name'), value: now.name, limit: 64 },
    {
      name: 'consent',
      label: t('console.applications.consent'),
      kind: 'choice',
      value: now.consent ?? 'enforced',
      choices: choices(['enforced', 'advisory'], value => t(`console.consent.${value}`)),
    },
    {
      name: 'secondSession',
      label: t('console.applications.secondSession'),
      kind: 'choice',
      value: now.secondSession ?? 'replaces',
      choices: choices(['replaces', 'allowed'], value => t(`console.secondSession.${value}`)),
    },
    {
      name: 'roomKeys',
      label: t('console.applications.roomKeys'),
      kind: 'choice',
      value: now.roomKeys ?? 'unused',
      choices: choices(['unused', 'required'], value => t(`console.roomKeys.${value}`)),
    },
    {
      name: 'admins',
      label: t('console.applications.admins'),
      about: t('console.applications.adminsAbout'),
      value: (now.admins ?? ['administrator']).join(' '),
    },
  ];
}

/** @param {Record<string, string>} values */
function body({ name, consent, secondSession, roomKeys, admins }) {
  return {
    name: name.trim(),
    consent,
    secondSession,
    roomKeys,
    admins: admins.split(/[\s,]+/).filter(Boolean),
  };
}

/** @param {import('../console.js').Console} console @param {() => void} done */
function add(console, done) {
  askFor({
    console,
    title: t('console.applications.add'),
    yes: t('console.applications.add'),
    testid: 'ask-application',
    fields: fields({}),
    call: values =>
      values.name.trim()
        ? { method: 'POST', path: 'applications', body: body(values) }
        : t('console.missing', { field: t('console.applications.name') }),
    done: application => {
      done();
      showKey(console, application);
    },
  });
}

/** @param {import('../console.js').Console} console @param {Application} application */
function showKey(console, { app, key = '' }) {
  showSecrets(console, {
    title: t('console.applications.key'),
    about: t('console.applications.keyAbout'),
    testid: 'application-key',
    secrets: [
      [t('console.applications.number'), String(app)],
      [t('console.applications.key'), key],
    ],
  });
}

/** @param {import('../console.js').Console} console @param {ListModel<Application>} list @param {number} app */
function openApplication(console, list, app) {
  const path = `applications/${app}`;
  const now = () =>
    /** @type {Application} */ (list.state.get().rows.find(application => application.app === app));
  const refresh = () => list.refresh();
  openSheet({
    title: () => now().name,
    testid: 'application-detail',
    className: 'console-detail',
    stores: [list.state],
    signal: console.signal,
    body: () => {
      const application = now();
      return html`<div class="stack">
        <p class="soft small numbers">${String(application.app)}</p>
        <p>${t('console.applications.hasKeys', { count: application.keys })}</p>
        <p class="soft">${t(`console.consent.${application.consent}`)} · ${t(`console.secondSession.${application.secondSession}`)} · ${t(`console.roomKeys.${application.roomKeys}`)}</p>
        <p class="soft">${t('common.fact', { label: t('console.applications.admins'), value: listed(application.admins) })}</p>
        ${
          console.changes('applications') &&
          html`<div class="console-actions">
            <button class="button compact" type="button" data-testid="application-change" @click=${() =>
              askFor({
                console,
                title: t('console.applications.change'),
                about: t('console.applications.changeAbout'),
                yes: t('common.save'),
                testid: 'ask-application',
                fields: fields(application),
                call: values =>
                  values.name.trim()
                    ? { method: 'PATCH', path, body: body(values) }
                    : t('console.missing', { field: t('console.applications.name') }),
                done: refresh,
              })}>${icon('pencil')}${t('console.applications.change')}</button>
            ${
              application.keys < 2
                ? html`<button class="button compact" type="button" data-testid="application-add-key" @click=${() =>
                    askFor({
                      console,
                      title: t('console.applications.addKey'),
                      about: t('console.applications.addKeyAbout'),
                      yes: t('console.applications.addKey'),
                      testid: 'ask-add-key',
                      call: () => ({ method: 'POST', path: `${path}/keys` }),
                      done: answer => {
                        void refresh();
                        showKey(console, answer);
                      },
                    })}>${icon('plus')}${t('console.applications.addKey')}</button>`
                : html`<button class="button compact danger" type="button" data-testid="application-drop-key" @click=${() =>
                    askFor({
                      console,
                      title: t('console.applications.dropKey'),
                      about: t('console.applications.dropKeyAbout'),
                      yes: t('console.applications.dropKey'),
                      testid: 'ask-drop-key',
                      danger: true,
                      call: () => ({ method: 'DELETE', path: `${path}/keys/older` }),
                      done: refresh,
                    })}>${icon('trash-2')}${t('console.applications.dropKey')}</button>`
            }
          </div>`
        }
      </div>`;
    },
  });
}
