import '../../elements/count.js';
import { avatar } from '../../elements/avatar.js';
import { html, keyed } from '../../lib/html.js';
import { errorText, language, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { shortcuts } from '../../lib/shortcuts.js';
import { view } from '../../lib/view.js';
import { pageKinds } from '../../models/kinds.js';
import { LobbyModel } from '../../models/lobby.js';
import { brand } from '../parts.js';
import { openProfile } from '../profile.js';
import { openSettings } from '../settings.js';
import { roomCard, skeletonCard } from './card.js';
import { openCreate } from './create.js';
import { enterField } from './enter.js';
import { takeAnotherTry } from './started.js';

/** @typedef {import('../app.js').App} App */

/**
 * Live rooms, and the way to start one.
 * @param {App} app
 * @param {import('../../protocol/session.js').Session} session
 * @returns {import('../app.js').Page}
 */
export function lobbyPage(app, session) {
  return (root, signal) => {
    const lobby = new LobbyModel(session);
    lobby.start(signal);
    const enter = enterField(app, lobby, signal);
    const create = () => openCreate(app, lobby, signal);
    const page = () => {
      const state = lobby.state.get();
      return html`<div class="page lobby" data-testid="lobby" ?data-empty=${isEmpty(state)}>
        ${header(app, lobby, state.query, create, signal)}
        <main>
          <div class="lobby-head">
            <div>
              <h1>${t('lobby.title')}</h1>
              <p class="soft">${session.state.get().phase === 'reconnecting' ? html`<span class="with-icon" data-testid="lobby-reconnecting">${icon('loader-circle', 'spin')}${t('connection.reconnecting')}</span>` : summary(state)}</p>
            </div>
            ${enter}
          </div>
          ${filters(lobby, state)}
          ${list(app, lobby, state, create)}
        </main>
        <button class="button primary start-room floating" type="button" data-testid="create-room-floating" @click=${create}>
          ${icon('plus')}${t('lobby.start')}</button>
      </div>`;
    };
    const failed = takeAnotherTry();
    if (failed) openCreate(app, lobby, signal, failed);
    view(root, [language, lobby.state, app.identity.state, session.state], page, signal);
    shortcuts(
      { '/': () => /** @type {HTMLElement | null} */ (root.querySelector('.search input'))?.focus() },
      signal,
    );
  };
}

/**
 * Nobody is live at all: the page itself asks to start a room.
 * @param {import('../../models/lobby.js').LobbyState} state
 */
const isEmpty = state =>
  state.phase === 'ready' && state.rooms.length === 0 && !state.query && !state.tag && !state.kind;

/** @param {import('../../models/lobby.js').LobbyState} state */
function summary(state) {
  if (state.phase === 'loading') return t('common.loading');
  // Nobody knows who is live when the list did not come; of a search it says how much was found.
  if (state.phase === 'failed') return '\u00a0';
  if (isEmpty(state)) return t('lobby.quiet');
  const people = state.rooms.reduce((all, room) => all + room.memberCount, 0);
  return `${t('lobby.rooms', { count: state.rooms.length })} · ${t('lobby.people', { count: people })}`;
}

/** @param {App} app @param {LobbyModel} lobby @param {string} query @param {() => void} create @param {AbortSignal} signal */
function header(app, lobby, query, create, signal) {
  const { user } = app.identity.state.get();
  return html`<header class="topbar" data-keep-clear>
    ${brand(app)}
    <label class="search">
      ${icon('search')}
      <span class="only-read">${t('lobby.search')}</span>
      <input type="search" placeholder=${t('lobby.search')} data-testid="lobby-search" .value=${query} autocomplete="off"
        @input=${(/** @type {any} */ event) => lobby.setQuery(event.target.value)} />
    </label>
    <button class="button primary start-room" type="button" data-testid="create-room" @click=${create}>
      ${icon('plus')}${t('lobby.start')}</button>
    <button class="icon-button" type="button" aria-label=${t('settings.title')} data-testid="open-settings"
      @click=${() => openSettings(app, signal)}>${icon('settings')}</button>
    <button class="me-button" type="button" aria-label=${t('profile.open', { name: user?.name ?? '' })} data-testid="open-profile"
      @click=${() => openProfile(app, signal)}>${avatar(user, 's36')}</button>
  </header>`;
}

/** @param {LobbyModel} lobby @param {import('../../models/lobby.js').LobbyState} state */
function filters(lobby, state) {
  /** @param {string} kind */
  const tab =
    kind => html`<button class="tab" type="button" role="tab" aria-selected=${String(state.kind === kind)}
    data-testid=${`kind-${kind || 'all'}`} @click=${() => lobby.setKind(kind)}>${t(`kind.${kind || 'all'}`)}</button>`;
  /** @param {string} tag */
  const chip = tag =>
    keyed(
      tag,
      html`<button class="chip" type="button" aria-pressed=${String(state.tag === tag)} data-testid="tag"
      @click=${() => lobby.setTag(state.tag === tag ? '' : tag)}>#${tag}</button>`,
    );
  const tags = state.tag && !state.tags.includes(state.tag) ? [state.tag, ...state.tags] : state.tags;
  return html`<div class="filters">
    <div class="tabs" role="tablist" aria-label=${t('lobby.kinds')}>${['', ...pageKinds].map(tab)}</div>
    <button class="chip sort" type="button" aria-pressed=${String(state.order === 'busiest')} data-testid="lobby-busiest" aria-label=${t('lobby.busiest')} title=${t('lobby.busiest')}
      @click=${() => lobby.setOrder(state.order === 'busiest' ? 'newest' : 'busiest')}>${icon('users-round')}<span>${t('lobby.busiest')}</span></button>
    <div class="tags" role="group" aria-label=${t('lobby.tags')}>${tags.slice(0, 12).map(chip)}</div>
  </div>`;
}

/** @param {App} app @param {LobbyModel} lobby @param {import('../../models/lobby.js').LobbyState} state @param {() => void} create */
function list(app, lobby, state, create) {
  if (state.phase === 'loading')
    return html`<ul class="rooms" aria-busy="true">${[0, 1, 2, 3, 4, 5].map(skeletonCard)}</ul>`;
  if (state.phase === 'failed')
    return html`<div class="empty" role="alert">
      <div class="notice-sign">${icon('unplug')}</div>
      <h2>${t('lobby.failed')}</h2>
      <p class="soft">${state.error && errorText(state.error)}</p>
      <button class="button" type="button" @click=${() => void lobby.refresh()}>${icon('refresh-cw')}${t('common.retry')}</button>
    </div>`;
  if (state.rooms.length === 0) return empty(lobby, state, create);
  return html`<ul class="rooms" data-testid="rooms">${state.rooms.map(room => roomCard(app, room))}</ul>
    ${
      state.more &&
      html`<div class="more"><button class="button" type="button" data-testid="load-more" @click=${() => void lobby.loadMore()}>${t('lobby.more')}</button></div>`
    }`;
}

/** @param {LobbyModel} lobby @param {import('../../models/lobby.js').LobbyState} state @param {() => void} create */
function empty(lobby, state, create) {
  const searching = !isEmpty(state);
  const clear = () => {
    lobby.setQuery('');
    lobby.setTag('');
    lobby.setKind('');
  };
  return html`<div class="empty" data-testid="lobby-empty">
    <div class="empty-stage" aria-hidden="true"><i></i><i></i><i></i></div>
    <h2>${searching ? t('lobby.nothingFound') : t('lobby.emptyTitle')}</h2>
    <p class="soft">${searching ? t('lobby.nothingFoundText') : t('lobby.emptyText')}</p>
    ${
      searching
        ? html`<button class="button" type="button" @click=${clear}>${t('lobby.clear')}</button>`
        : html`<button class="button primary" type="button" data-testid="create-room-empty" @click=${create}>${icon('plus')}${t('lobby.start')}</button>`
    }
  </div>`;
}
