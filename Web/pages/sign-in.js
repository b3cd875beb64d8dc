import { asset } from '../lib/assets.js';
import { html } from '../lib/html.js';
import { errorText, language, t } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';
import { view } from '../lib/view.js';
import { faceURL } from '../models/faces.js';
import { OvationError } from '../protocol/errors.js';
import { loadFaces } from './late.js';
import { busy, problem } from './parts.js';
import { openSettings } from './settings.js';

/** @typedef {import('./app.js').App} App */

/** Before it is pressed: whoever is about to waits less. */
const ahead = () => void loadFaces().catch(() => {});

/**
 * The name under which one appears; there is no account here.
 * @param {App} app
 * @returns {import('./app.js').Page}
 */
export function signInPage(app) {
  return (root, signal) => {
    const { identity, preferences } = app;
    let name = identity.state.get().user?.name ?? '';
    /** @type {OvationError | null} */ let error = identity.state.get().error;
    /** @type {import('../models/face-library.js').Choice} */ let face = '';
    /** The address at which it is shown here. */ let shown = '';
    const wear = async (/** @type {import('../models/face-library.js').Choice} */ choice) => {
      URL.revokeObjectURL(shown);
      face = choice;
      shown = typeof choice === 'string' ? faceURL(choice) : URL.createObjectURL(choice);
      redraw();
    };
    const choose = async () => {
      try {
        const { chooseFace } = await loadFaces();
        chooseFace(app, { worn: typeof face === 'string' ? face : '', library: null, use: wear, signal });
      } catch (thrown) {
        error = OvationError.of(thrown);
        redraw();
      }
    };
    signal.addEventListener('abort', () => URL.revokeObjectURL(shown));
    const field = () => /** @type {HTMLInputElement | null} */ (root.querySelector('input'));
    const submit = async (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      const wanted = name.trim();
      if (!wanted) {
        error = new OvationError('name_empty');
        redraw();
        return field()?.focus();
      }
      error = null;
      try {
        await identity.signIn(wanted, (typeof face === 'string' && face) || undefined);
        preferences.change({ name: wanted });
        if (typeof face !== 'string') await (await loadFaces()).wearChosen(app, face);
      } catch (thrown) {
        error = OvationError.of(thrown);
        redraw();
        field()?.select();
      }
    };
    const suggestion = preferences.get().name;
    if (!name && suggestion && !error) name = suggestion;
    const form = (
      /** @type {boolean} */ signingIn,
    ) => html`<form class="sign-in-form" novalidate @submit=${submit}>
      <div class="sign-in-who">
      <button class="face-button" type="button" data-testid="choose-face" aria-label=${t('faces.choose')} ?disabled=${signingIn}
        @pointerenter=${ahead} @click=${() => void choose()}>${shown ? html`<img src=${shown} alt="" />` : icon('user-round')}
        <span class="face-sign">${icon('pencil')}</span></button>
      <label class="field">
        <span class="label">${t('signIn.name')}</span>
        <input class="input" name="name" autocomplete="nickname" maxlength="64" data-testid="sign-in-name"
          enterkeyhint="go" placeholder=${t('signIn.placeholder')} .value=${name} aria-invalid=${error ? 'true' : null}
          ?disabled=${signingIn} @input=${(/** @type {any} */ event) => {
            name = event.target.value;
          }} ref=${(/** @type {HTMLInputElement} */ input) => {
            input.focus();
            input.select();
          }} />
      </label></div>
      ${problem(error && errorText(error))}
      <button class="button primary wide" type="submit" data-testid="sign-in-submit" ?disabled=${signingIn} aria-busy=${signingIn}>
        ${signingIn && busy()}${t('signIn.submit')}</button>
    </form>`;
    const redraw = view(
      root,
      [language, identity.state],
      () => {
        const { phase, signIn } = identity.state.get();
        const invited = app.router.place.get().page === 'room';
        return html`<main class="sign-in" data-testid="sign-in">
          <button class="icon-button sign-in-settings" type="button" aria-label=${t('settings.title')}
            @click=${() => openSettings(app, signal)}>${icon('settings')}</button>
          <div class="sign-in-card">
            <img class="sign-in-mark" src=${asset('icons/mark.svg')} width="84" height="84" alt="" />
            <h1>Ovation</h1>
            <p class="soft">${invited ? t('signIn.invited') : t('signIn.lead')}</p>
            ${signIn === 'none' ? problem(t('error.sign_in_unavailable')) : form(phase === 'signingIn')}
            ${signIn !== 'none' && html`<p class="small soft">${t('signIn.note')}</p>`}
          </div>
        </main>`;
      },
      signal,
    );
  };
}
