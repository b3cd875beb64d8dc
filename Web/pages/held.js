import { html } from '../lib/html.js';
import { errorText, language, t } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';
import { Store } from '../lib/store.js';
import { view } from '../lib/view.js';
import { releaseRooms } from '../models/held-rooms.js';
import { OvationError } from '../protocol/errors.js';
import { brand, busy, problem } from './parts.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('../models/held-rooms.js').HeldRoom} HeldRoom */

/**
 * Somebody who is in a room asks for another page: a room that they only listen to is left without a word, a seat or a room of their own
 * is asked about.
 * @param {App} app
 * @param {import('../protocol/session.js').Session} session
 * @param {string | null} going the slug of the room that is asked for, null for the lobby
 * @param {() => void} proceed there is nothing in the way any more
 * @returns {import('./app.js').Page}
 */
export function heldPage(app, session, going, proceed) {
  return (root, signal) => {
    const state = new Store(
      /** @type {{held: HeldRoom | null, working: boolean, error: OvationError | null}} */ ({
        held: null,
        working: true,
        error: null,
      }),
    );
    /** @param {HeldRoom | null} leaving */
    const release = async leaving => {
      state.set({ held: leaving, working: true, error: null });
      try {
        if (leaving) await session.exit(leaving.id);
        const held = await releaseRooms(session, going);
        if (signal.aborted) return;
        if (held) state.set({ held, working: false, error: null });
        else proceed();
      } catch (thrown) {
        state.set({ held: leaving, working: false, error: OvationError.of(thrown) });
      }
    };
    view(
      root,
      [language, state],
      () => {
        const { held, working, error } = state.get();
        return html`<div class="page">
          <header class="topbar">${brand()}</header>
          <main class="notice" data-testid="held-page" aria-busy=${working}>
            ${held ? question(app, held, working, () => void release(held)) : working && busy()}
            ${problem(error && errorText(error))}
            ${
              error &&
              !held &&
              html`<button class="button primary" type="button" data-testid="retry" @click=${() => void release(null)}>${icon('refresh-cw')}${t('common.retry')}</button>`
            }
          </main>
        </div>`;
      },
      signal,
    );
    void release(null);
  };
}

/** @param {App} app @param {HeldRoom} held @param {boolean} working @param {() => void} leave */
function question(app, held, working, leave) {
  return html`<div class="notice-sign">${icon('door-open')}</div>
    <h1 dir="auto">${t('held.title', { room: held.name })}</h1>
    <p class="soft">${t(held.isOwner ? 'held.own' : 'held.seat')}</p>
    <div class="notice-actions">
      <button class="button primary" type="button" data-testid="held-leave" aria-busy=${working} ?disabled=${working} @click=${leave}>
        ${working && busy()}${t('held.leave')}</button>
      <button class="button" type="button" data-testid="held-back" @click=${() => app.router.move(`/r/${held.slug}`)}>
        ${icon('arrow-left')}${t('held.back')}</button>
    </div>`;
}
