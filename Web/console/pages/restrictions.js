import { html } from '../../lib/html.js';
import { listed, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { ListModel } from '../list.js';
import { askFor, exactTime, restrictionBody, restrictionFields } from '../parts.js';
import { table } from '../table.js';

/** @typedef {{kind: 'ban' | 'chat_mute', user: string, name: string, until?: number, by: string, reason?: string}} Restriction */

/**
 * Whom the operator keeps out of the application, or from writing in it.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function restrictionsPage(console) {
  const { kind = '' } = console.place.get().params;
  const list = new ListModel(async cursor => {
    const page = await console.api.get('restrictions', { kind, limit: 100, cursor });
    return { rows: /** @type {Restriction[]} */ (page.restrictions), cursor: page.cursor };
  });
  const refresh = () => list.refresh();
  void refresh();
  const until = (/** @type {Restriction} */ restriction) =>
    restriction.until === undefined ? t('console.time.forGood') : exactTime(restriction.until);
  return {
    stores: [list.state],
    draw: () => html`
      <div class="console-tools">
        <select class="input" aria-label=${t('console.rooms.what')} data-testid="bans-kind"
          @change=${(/** @type {Event} */ event) => {
            const { value } = /** @type {HTMLSelectElement} */ (event.target);
            console.go('bans', value ? { kind: value } : {});
          }}>
          <option value="" ?selected=${kind === ''}>${t('console.bans.all')}</option>
          ${['ban', 'chat_mute'].map(value => html`<option value=${value} ?selected=${kind === value}>${t(`console.restricted.${value}`)}</option>`)}
        </select>
        ${
          console.may('people') &&
          html`<button class="button compact" type="button" data-testid="bans-add"
            @click=${() => askRestrict(console, null, refresh)}>${icon('ban')}${t('console.bans.add')}</button>`
        }
        <button class="icon-button" type="button" aria-label=${t('console.refresh')} @click=${refresh}>${icon('refresh-cw')}</button>
      </div>
      ${table({
        list,
        testid: 'bans-table',
        empty: t('console.bans.none'),
        key: restriction => `${restriction.user} ${restriction.kind}`,
        open: restriction => console.go('people', { user: restriction.user }),
        file: { name: 'bans', console },
        choice: console.may('people') && {
          label: restriction => restriction.name || restriction.user,
          actions: restrictions =>
            html`<button class="button compact" type="button" data-testid="bans-lift"
              @click=${() => askLift(console, restrictions, refresh)}>${icon('shield-off')}${t('console.bans.lift', { count: restrictions.length })}</button>`,
        },
        columns: [
          {
            label: t('console.people.name'),
            cell: restriction => html`<span class="clip">${restriction.name || restriction.user}</span>`,
            sort: restriction => restriction.name || restriction.user,
          },
          {
            label: t('console.people.search'),
            cell: restriction => html`<span class="soft">${restriction.user}</span>`,
            minor: true,
            sort: restriction => restriction.user,
          },
          {
            label: t('console.rooms.what'),
            cell: restriction => t(`console.restricted.${restriction.kind}`),
            sort: restriction => t(`console.restricted.${restriction.kind}`),
          },
          {
            label: t('console.bans.until'),
            cell: until,
            minor: true,
            sort: restriction => restriction.until ?? Number.MAX_SAFE_INTEGER,
            text: restriction =>
              restriction.until === undefined ? '' : new Date(restriction.until).toISOString(),
          },
          {
            label: t('console.bans.by'),
            cell: restriction => restriction.by,
            minor: true,
            sort: restriction => restriction.by,
          },
          {
            label: t('console.reason'),
            cell: restriction => html`<span class="two-lines small">${restriction.reason ?? ''}</span>`,
            minor: true,
            sort: restriction => restriction.reason ?? '',
          },
        ],
      })}`,
  };
}

/**
 * @param {import('../console.js').Console} console
 * @param {{id: string, name: string} | null} person `null`: asks for the ID
 * @param {() => void} done
 */
export function askRestrict(console, person, done) {
  askFor({
    console,
    title: person ? t('console.rooms.restrict', { name: person.name || person.id }) : t('console.bans.add'),
    about: t('console.bans.about'),
    yes: t('console.rooms.confirm'),
    testid: 'ask-restrict',
    danger: true,
    fields: [
      ...(person ? [] : [{ name: 'user', label: t('console.people.search'), limit: 32 }]),
      ...restrictionFields([
        ['ban', t('console.bans.ban')],
        ['chat_mute', t('console.restriction.chat_mute')],
      ]),
    ],
    call: ({ user = '', kind, ...values }) => {
      const id = person?.id ?? user.trim();
      if (!id) return t('console.missing', { field: t('console.people.search') });
      return {
        method: 'PUT',
        path: `users/${encodeURIComponent(id)}/restrictions/${kind}`,
        body: restrictionBody(values),
      };
    },
    done,
  });
}

/** @param {import('../console.js').Console} console @param {Restriction[]} restrictions @param {() => void} done */
export function askLift(console, restrictions, done) {
  askFor({
    console,
    title: t('console.bans.lift', { count: restrictions.length }),
    about: listed(restrictions.map(({ name, user }) => name || user)),
    yes: t('console.bans.lift', { count: restrictions.length }),
    testid: 'ask-lift',
    call: () =>
      restrictions.map(({ user, kind }) => ({
        method: 'DELETE',
        path: `users/${user}/restrictions/${kind}`,
      })),
    done,
  });
}
