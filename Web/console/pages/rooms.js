import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { Store } from '../../lib/store.js';
import { roomSlug } from '../../protocol/ids.js';
import { ListModel } from '../list.js';
import {
  ago,
  askFor,
  figure,
  problemText,
  restrictionBody,
  restrictionFields,
  searchField,
  writtenRoom,
} from '../parts.js';
import { table } from '../table.js';

/**
 * All open rooms of the application, and what goes on in one.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function roomsPage(console) {
  const { query = '', kind = '' } = console.place.get().params;
  const list = new ListModel(async cursor => {
    const page = await console.api.get('rooms', { query, kind, order: 'busiest', limit: 50, cursor });
    return { rows: page.rooms, cursor: page.cursor };
  });
  /** Reports that wait, by room. */
  const reports = new Store(/** @type {ReadonlyMap<string, number>} */ (new Map()));
  const refresh = () => {
    void list.refresh();
    if (console.may('reports')) void countReports(console, reports);
  };
  refresh();
  const search = (/** @type {Record<string, string>} */ change) => {
    const params = Object.fromEntries(
      Object.entries({ query, kind, ...change }).filter(([, value]) => value),
    );
    console.go('rooms', params);
  };
  return {
    stores: [list.state, reports],
    draw: () => html`
      <div class="console-tools">
        ${searchField({ label: t('console.rooms.search'), value: query, testid: 'rooms-search', search: text => search({ query: text }) })}
        <select class="input" aria-label=${t('console.rooms.kind')} data-testid="rooms-kind"
          @change=${(/** @type {Event} */ event) => search({ kind: /** @type {HTMLSelectElement} */ (event.target).value })}>
          <option value="" ?selected=${kind === ''}>${t('console.rooms.allKinds')}</option>
          ${['voice', 'chorus', 'live'].map(value => html`<option value=${value} ?selected=${kind === value}>${t(`kind.${value}`)}</option>`)}
        </select>
        <button class="icon-button" type="button" data-testid="console-refresh" aria-label=${t('console.refresh')} @click=${refresh}>${icon('refresh-cw')}</button>
      </div>
      ${table({
        list,
        testid: 'rooms-table',
        empty: query || kind ? t('console.rooms.noneFound') : t('console.rooms.none'),
        key: room => roomSlug(room.room),
        open: room => openRoom(console, room, () => list.refresh()),
        file: { name: 'rooms', console },
        choice: console.changes('rooms:write') && {
          label: room => room.name,
          actions: rooms =>
            html`<button class="button compact danger" type="button" data-testid="rooms-end" @click=${() =>
              askFor({
                console,
                title: t('console.rooms.endSome', { count: rooms.length }),
                about: t('console.rooms.endSomeAbout'),
                yes: t('console.rooms.endSome', { count: rooms.length }),
                testid: 'ask-end-some',
                danger: true,
                call: () =>
                  rooms.map(room => ({
                    method: /** @type {const} */ ('DELETE'),
                    path: `rooms/${roomSlug(room.room)}`,
                  })),
                done: () => list.refresh(),
              })}>${icon('power')}${t('console.rooms.endSome', { count: rooms.length })}</button>`,
        },
        columns: [
          {
            label: t('console.rooms.name'),
            cell: room => html`<span class="clip">${room.name}</span>`,
            sort: room => room.name,
          },
          {
            label: t('console.rooms.host'),
            cell: room => html`<span class="clip">${room.owner.name || room.owner.id}</span>`,
            minor: true,
            sort: room => room.owner.name || room.owner.id,
          },
          {
            label: t('console.rooms.kind'),
            cell: room => t(`kind.${room.kind}`),
            minor: true,
            sort: room => t(`kind.${room.kind}`),
          },
          {
            label: t('console.rooms.people'),
            cell: room => figure(room.memberCount),
            number: true,
            sort: room => room.memberCount,
          },
          {
            label: t('console.rooms.seats'),
            cell: room => `${room.seated}/${room.seats}`,
            number: true,
            minor: true,
            sort: room => room.seated,
            text: room => `${room.seated}/${room.seats}`,
          },
          {
            label: t('console.rooms.since'),
            cell: room => ago(room.createdAt),
            number: true,
            minor: true,
            sort: room => room.createdAt,
            text: room => new Date(room.createdAt).toISOString(),
          },
          {
            label: t('console.page.reports'),
            cell: room => reports.get().get(roomSlug(room.room)) ?? '',
            number: true,
            minor: true,
            hidden: !console.may('reports'),
            sort: room => reports.get().get(roomSlug(room.room)) ?? 0,
          },
        ],
      })}`,
  };
}

/** As many reports as are counted: with more of them a room's figure says little. */
const reportsCounted = 1000;

/**
 * @param {import('../console.js').Console} console
 * @param {Store<ReadonlyMap<string, number>>} found
 */
async function countReports(console, found) {
  try {
    const { reports } = await console.api.get('reports', { limit: reportsCounted });
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const { room } of reports) counts.set(roomSlug(room), (counts.get(roomSlug(room)) ?? 0) + 1);
    found.set(counts);
  } catch {
    // The page of the reports says what is wrong.
  }
}

/** @param {import('../console.js').Console} console @param {any} info @param {() => void} changed */
function openRoom(console, info, changed) {
  const path = `rooms/${roomSlug(info.room)}`;
  const state = new Store(
    /** @type {{members: any[], messages: any[], restrictions: any[], problem: string, ready: boolean}} */ ({
      members: [],
      messages: [],
      restrictions: [],
      problem: '',
      ready: false,
    }),
  );
  const load = async () => {
    try {
      const [members, messages, restrictions] = await Promise.all([
        console.api.get(`${path}/members`, { limit: 100 }),
        console.api.get(`${path}/messages`, { limit: 50 }),
        console.api.get(`${path}/restrictions`),
      ]);
      state.set({
        members: members.members,
        messages: messages.messages,
        restrictions: restrictions.restrictions,
        problem: '',
        ready: true,
      });
    } catch (error) {
      state.update(before => ({ ...before, problem: problemText(error), ready: true }));
    }
  };
  void load();
  openSheet({
    title: () => info.name,
    testid: 'room-detail',
    className: 'console-detail',
    stores: [state],
    signal: console.signal,
    body: sheet => {
      const { members, messages, restrictions, problem, ready } = state.get();
      return html`<div class="stack">
        <p class="soft small"><span class="numbers">${String(info.room)}</span> · ${
          console.may('people')
            ? html`<button class="link-button" type="button" data-testid="room-owner" @click=${() => {
                sheet.close();
                console.go('people', { user: info.owner.id });
              }}>${info.owner.name || info.owner.id}</button>`
            : info.owner.name || info.owner.id
        } · ${t(`kind.${info.kind}`)}</p>
        ${problem && html`<p class="problem" role="alert">${problem}</p>`}
        <div class="console-actions">
          ${
            console.changes('messages:write') &&
            html`<button class="button compact" type="button" data-testid="room-message" @click=${() => message(console, path, load)}>
              ${icon('send')}${t('console.rooms.message')}</button>`
          }
          ${
            console.may('audit:read') &&
            html`<button class="button compact" type="button" data-testid="room-audit" @click=${() => {
              sheet.close();
              console.go('audit', { room: writtenRoom(info.room) });
            }}>${icon('list-checks')}${t('console.page.audit')}</button>`
          }
          ${
            console.changes('rooms:write') &&
            html`<button class="button compact danger" type="button" data-testid="room-end" @click=${() =>
              askFor({
                console,
                title: t('console.rooms.end'),
                about: t('console.rooms.endAbout', { name: info.name }),
                yes: t('console.rooms.end'),
                testid: 'ask-end',
                danger: true,
                call: () => ({ method: 'DELETE', path }),
                done: () => {
                  sheet.close();
                  changed();
                },
              })}>${icon('power')}${t('console.rooms.end')}</button>`
          }
        </div>
        <h3>${t('console.rooms.inside')}</h3>
        ${!ready && html`<p class="soft" role="status">${t('common.loading')}</p>`}
        ${ready && members.length === 0 && html`<p class="soft">${t('console.rooms.nobody')}</p>`}
        <ul class="console-list" data-testid="room-people">${members.map(
          member => html`<li>
            <span class="clip">${member.name || member.id} <span class="soft small">${member.id}</span></span>
            <span class="soft small">${t(`role.${member.role}`)}</span>
            ${
              console.changes('moderation') &&
              member.role !== 'owner' &&
              html`<button class="icon-button" type="button" aria-label=${t('console.rooms.restrict', { name: member.name || member.id })}
                data-testid="room-restrict" @click=${() => restrict(console, path, member, load)}>${icon('shield')}</button>`
            }
          </li>`,
        )}</ul>
        ${restrictions.length > 0 && html`<h3>${t('console.rooms.restrictions')}</h3>`}
        <ul class="console-list">${restrictions.map(
          restriction => html`<li>
            <span class="clip">${restriction.name || restriction.user} <span class="soft small">${t(`console.restriction.${restriction.kind}`)}
              ${restriction.reason && `· ${restriction.reason}`}</span></span>
            ${
              console.changes('moderation') &&
              html`<button class="icon-button" type="button" data-testid="room-lift" aria-label=${t('console.rooms.lift')} @click=${() =>
                askFor({
                  console,
                  title: t('console.rooms.lift'),
                  yes: t('console.rooms.lift'),
                  testid: 'ask-lift',
                  call: () => ({
                    method: 'DELETE',
                    path: `${path}/restrictions/${restriction.user}/${restriction.kind}`,
                  }),
                  done: load,
                })}>${icon('shield-off')}</button>`
            }
          </li>`,
        )}</ul>
        <h3>${t('console.rooms.chat')}</h3>
        ${ready && messages.length === 0 && html`<p class="soft">${t('console.rooms.silent')}</p>`}
        <ul class="console-list" data-testid="room-chat">${messages.map(
          line => html`<li>
            <span class="two-lines"><strong>${line.from.name || line.from.id}</strong> ${
              line.deleted
                ? html`<em class="soft">${t('console.rooms.deleted')}</em>`
                : (line.text ?? t('common.fact', { label: line.command, value: line.message }))
            }</span>
            <span class="soft small">${ago(line.time)}</span>
            ${
              console.changes('moderation') &&
              !line.deleted &&
              html`<button class="icon-button" type="button" data-testid="room-delete" aria-label=${t('console.rooms.delete')} @click=${() =>
                askFor({
                  console,
                  title: t('console.rooms.delete'),
                  yes: t('console.rooms.delete'),
                  testid: 'ask-delete',
                  danger: true,
                  call: () => ({ method: 'DELETE', path: `${path}/messages/${line.chat}` }),
                  done: load,
                })}>${icon('trash-2')}</button>`
            }
          </li>`,
        )}</ul>
      </div>`;
    },
  });
}

/** @param {import('../console.js').Console} console @param {string} path @param {() => void} done */
function message(console, path, done) {
  askFor({
    console,
    title: t('console.rooms.message'),
    yes: t('console.rooms.send'),
    testid: 'ask-message',
    fields: [{ name: 'text', label: t('console.rooms.text'), kind: 'area' }],
    call: ({ text }) =>
      text.trim()
        ? { method: 'POST', path: `${path}/messages`, body: { text: text.trim(), priority: 'high' } }
        : t('console.missing', { field: t('console.rooms.text') }),
    done,
  });
}

/** @param {import('../console.js').Console} console @param {string} path @param {any} member @param {() => void} done */
function restrict(console, path, member, done) {
  askFor({
    console,
    title: t('console.rooms.restrict', { name: member.name || member.id }),
    yes: t('console.rooms.confirm'),
    testid: 'ask-restrict',
    danger: true,
    fields: [
      ...restrictionFields([
        ['chat_mute', t('console.restriction.chat_mute')],
        ['ban', t('console.restriction.ban')],
        ['removal', t('console.restriction.removal')],
        ['everywhere', t('console.restriction.everywhere')],
      ]),
    ],
    call: ({ kind, ...values }) => {
      if (kind === 'removal') return { method: 'DELETE', path: `${path}/members/${member.id}` };
      return {
        method: 'PUT',
        path: `${path}/restrictions/${member.id}/${kind === 'chat_mute' ? 'chat_mute' : 'ban'}`,
        body: { ...restrictionBody(values), ...(kind === 'everywhere' ? { everywhere: true } : {}) },
      };
    },
    done,
  });
}
