import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { Store } from '../../lib/store.js';
import { askFor, exactTime, problemText, searchField } from '../parts.js';
import { askLift, askRestrict } from './restrictions.js';

/**
 * One person, by their id.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function peoplePage(console) {
  const { user = '' } = console.place.get().params;
  const state = new Store(
    /** @type {{person: any, problem: string, copies: string[]}} */ ({
      person: null,
      problem: '',
      copies: [],
    }),
  );
  const path = `users/${encodeURIComponent(user)}`;
  const load = async () => {
    if (!user) return;
    try {
      state.set({ ...state.get(), person: await console.api.get(path), problem: '' });
    } catch (error) {
      state.set({ ...state.get(), person: null, problem: problemText(error) });
    }
  };
  void load();
  return {
    stores: [state],
    draw: () => {
      const { person, problem, copies } = state.get();
      return html`
        <div class="console-tools">
          ${searchField({ label: t('console.people.search'), value: user, testid: 'people-search', search: text => console.go('people', text ? { user: text } : {}) })}
        </div>
        ${problem && html`<p class="problem" role="alert" data-testid="console-problem">${problem}</p>`}
        ${!user && html`<p class="console-empty soft">${t('console.people.about')}</p>`}
        ${
          copies.length > 0 &&
          html`<section class="card stack" role="status" data-testid="person-copies">
            <p>${t('console.people.copies')}</p>
            <ul class="console-list">${copies.map(copy => html`<li><code>${copy}</code></li>`)}</ul>
          </section>`
        }
        ${person && draw(person)}`;
    },
  };

  /** @param {any} person */
  function draw(person) {
    return html`<section class="card stack" data-testid="person">
      <h2>${person.name || person.id}</h2>
      <p class="soft numbers">${person.id}</p>
      ${person.bio && html`<p>${person.bio}</p>`}
      <p data-testid="person-sessions">${person.sessions.length === 0 ? t('console.people.away') : t('console.people.sessions', { count: person.sessions.length })}</p>
      <ul class="console-list">${person.sessions
        .filter((/** @type {any} */ session) => session.room !== undefined)
        .map(
          (/** @type {any} */ session) =>
            html`<li><span>${t('console.people.inRoom', { room: String(session.room) })}</span></li>`,
        )}</ul>
      ${
        person.restrictions.length > 0 &&
        html`<ul class="console-list" data-testid="person-restrictions">${person.restrictions.map(
          (/** @type {any} */ restriction) => html`<li>
            <span>${t(`console.restricted.${restriction.kind}`)}
              <span class="soft small">${
                restriction.until === undefined
                  ? t('console.time.forGood')
                  : t('console.restricted.until', { time: exactTime(restriction.until) })
              } · ${restriction.by}${restriction.reason && ` · ${restriction.reason}`}</span></span>
            ${
              console.may('people') &&
              html`<button class="icon-button" type="button" data-testid="person-lift" aria-label=${t('console.rooms.lift')}
                @click=${() => askLift(console, [restriction], load)}>${icon('shield-off')}</button>`
            }
          </li>`,
        )}</ul>`
      }
      ${
        console.may('audit:read') &&
        html`<p><button class="link-button" type="button" data-testid="person-audit"
          @click=${() => console.go('audit', { user: person.id })}>${t('console.audit.of')}</button></p>`
      }
      ${
        console.may('people') &&
        html`<div class="console-actions">
          <button class="button compact" type="button" data-testid="person-restrict"
            @click=${() => askRestrict(console, person, load)}>${icon('ban')}${t('console.bans.add')}</button>
          ${console.changes('people') && changes(person)}
        </div>`
      }
    </section>`;
  }

  /** @param {any} person */
  function changes(person) {
    return html`<button class="button compact" type="button" data-testid="person-rename" @click=${() =>
      askFor({
        console,
        title: t('console.people.rename'),
        yes: t('common.save'),
        testid: 'ask-rename',
        fields: [
          { name: 'name', label: t('console.people.name'), value: person.name, limit: 64 },
          { name: 'bio', label: t('console.people.bio'), value: person.bio, kind: 'area' },
        ],
        call: ({ name, bio }) =>
          name.trim()
            ? { method: 'PATCH', path, body: { name: name.trim(), bio } }
            : t('console.missing', { field: t('console.people.name') }),
        done: load,
      })}>${icon('pencil')}${t('console.people.rename')}</button>
          <button class="button compact" type="button" data-testid="person-sign-out" @click=${() =>
            askFor({
              console,
              title: t('console.people.signOut'),
              about: t('console.people.signOutAbout'),
              yes: t('console.people.signOut'),
              testid: 'ask-sign-out',
              danger: true,
              call: () => ({ method: 'DELETE', path: `${path}/sessions` }),
              done: load,
            })}>${icon('log-out')}${t('console.people.signOut')}</button>
          <button class="button compact danger" type="button" data-testid="person-erase" @click=${() =>
            askFor({
              console,
              title: t('console.people.erase'),
              about: t('console.people.eraseAbout'),
              yes: t('console.people.erase'),
              testid: 'ask-erase',
              danger: true,
              fields: [{ name: 'again', label: t('console.people.again') }],
              call: ({ again }) =>
                again.trim() === person.id ? { method: 'DELETE', path } : t('console.people.notTheSame'),
              done: (/** @type {any} */ erased) => {
                state.set({ ...state.get(), copies: erased.copies });
                void load();
              },
            })}>${icon('trash-2')}${t('console.people.erase')}</button>`;
  }
}
