import '../elements/meter.js';
import '../elements/cover.js';
import '../elements/still.js';
import { avatar } from '../elements/avatar.js';
import { html } from '../lib/html.js';
import { errorText, language, t } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';
import { view } from '../lib/view.js';
import { OvationError } from '../protocol/errors.js';
import { stillPath } from '../protocol/ids.js';
import { mediaHint, microphoneField, microphoneProblem, speakerField } from './devices.js';
import { openEffects } from './effects.js';
import { brand, busy, problem } from './parts.js';

/** @typedef {import('./app.js').App} App */

/**
 * Before the first room with sound: see who is there, try the microphone, then one tap enters and unlocks sound.
 * @param {App} app
 * @param {import('../models/lobby.js').RoomCard | null} room null while it is being read
 * @param {() => Promise<void>} enter
 * @returns {import('./app.js').Page}
 */
export function greenRoom(app, room, enter) {
  return (root, signal) => {
    const { microphone, speaker, preferences } = app;
    let entering = false;
    /** @type {OvationError | null} */ let error = null;
    let opened = microphone.state.get().open;
    void microphone.refresh();
    void speaker.refresh();

    const check = async () => {
      opened = true;
      try {
        await microphone.open();
      } catch {
        // `microphone.state.problem` tells; it is shown beside the button.
      }
      redraw();
    };
    const go = async () => {
      if (entering) return;
      entering = true;
      error = null;
      redraw();
      try {
        await enter();
      } catch (thrown) {
        error = OvationError.of(thrown);
      }
      entering = false;
      redraw();
    };
    // What was tried out here is let go. Whoever sits by then holds the device by the seat.
    signal.addEventListener('abort', () => microphone.close());

    const redraw = view(
      root,
      [language, microphone.state, speaker.state, preferences, app.identity.state],
      () => html`<div class="page">
        <header class="topbar">${brand(app)}</header>
        <main class="green-room" data-testid="green-room">
          <section class="green-room-about">${room ? about(room) : skeleton()}</section>
          <section class="green-room-me">
            ${
              mediaHint() ||
              html`${me(app, opened, check)}
                <button class="button" type="button" data-testid="green-effects" @click=${() => openEffects(app, signal)}>${icon('wand-sparkles')}${t('effects.title')}</button>`
            }
            ${problem(error && errorText(error))}
            <button class="button primary wide big" type="button" data-testid="enter-room" ?disabled=${!room} aria-busy=${entering} @click=${go}>
              ${entering ? busy() : icon('headphones')}${t('green.enter')}</button>
            ${!mediaHint() && html`<p class="small soft centered">${t('green.listener')}</p>`}
          </section>
        </main>
      </div>`,
      signal,
    );
    microphone.level.subscribe(
      level => {
        const meter = /** @type {any} */ (root.querySelector('ov-meter'));
        if (meter) meter.level = level;
        const ring = /** @type {HTMLElement | null} */ (root.querySelector('.green-room-face'));
        ring?.style.setProperty('--level', String(level / 100));
      },
      { signal },
    );
  };
}

/** @param {import('../models/lobby.js').RoomCard} room */
function about(room) {
  return html`<div class="green-room-cover"><ov-cover .of=${{ id: room.slug, cover: room.cover, title: room.name }}></ov-cover><ov-still .url=${stillPath(room)}></ov-still></div>
    <div class="green-room-title">
      <h1 dir="auto" data-testid="green-room-title">${room.name}</h1>
      <p class="green-room-host">${avatar(room.owner, 's28')}<span class="clip" dir="auto">${room.owner.name}</span></p>
      <p class="soft small">
        <span class="with-icon numbers">${icon('users-round')}${t('lobby.people', { count: room.memberCount })}</span>
        <span class="with-icon numbers">${icon('armchair')}${t('green.onStage', { count: room.seated })}</span>
        ${room.needsRequest && html`<span class="with-icon">${icon('hand')}${t('green.needsRequest')}</span>`}
      </p>
    </div>`;
}

function skeleton() {
  return html`<div class="green-room-cover skeleton"></div>
    <div class="green-room-title" aria-busy="true"><span class="skeleton line"></span><span class="skeleton line short"></span></div>`;
}

/**
 * My face with its meter, the devices, and how I want to arrive.
 * @param {App} app
 * @param {boolean} opened
 * @param {() => void} check
 */
function me(app, opened, check) {
  const { microphone, preferences, identity } = app;
  const state = microphone.state.get();
  const { user } = identity.state.get();
  return html`<div class="green-room-face">${avatar(user)}</div>
    <p class="green-room-name clip" dir="auto">${user?.name}</p>
    ${
      state.open
        ? html`<ov-meter aria-label=${t('green.level')} data-testid="green-meter"></ov-meter>
          <p class="small soft centered">${t('green.speak')}</p>`
        : state.permission !== 'insecure' &&
          state.permission !== 'withheld' &&
          html`<div class="green-room-check">
            <button class="button" type="button" data-testid="check-microphone" aria-busy=${state.opening} @click=${check}>
              ${state.opening ? busy() : icon('mic')}${t('green.check')}</button>
            <p class="small soft">${state.permission === 'granted' ? t('green.optional') : t('green.announce')}</p>
          </div>`
    }
    ${opened && microphoneProblem(state.problem)}
    ${microphoneField(app)} ${speakerField(app)}
    <label class="switch">
      <span>${t('settings.joinMuted')}<span class="about">${t('settings.joinMutedAbout')}</span></span>
      <input type="checkbox" role="switch" data-testid="join-muted" .checked=${preferences.get().joinMuted}
        @change=${(/** @type {any} */ event) => preferences.change({ joinMuted: event.target.checked })} />
    </label>`;
}
