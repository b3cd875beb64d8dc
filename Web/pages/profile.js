import { avatar } from '../elements/avatar.js';
import { openSheet } from '../elements/sheet.js';
import { isPictureElsewhere } from '../lib/assets.js';
import { html } from '../lib/html.js';
import { errorText, t } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';
import { builtInFace, builtInFaces, uploadOf } from '../models/faces.js';
import { OvationError } from '../protocol/errors.js';
import { loadFaces } from './late.js';
import { busy, problem } from './parts.js';
import { openSettings } from './settings.js';

/**
 * An address that somebody typed; the app's own faces and uploads are chosen, not typed.
 * @param {string} avatar
 */
const typed = avatar => (builtInFaces.includes(avatar) || uploadOf(avatar) ? '' : avatar);

/**
 * Who one is in this tab.
 * @param {import('./app.js').App} app
 * @param {AbortSignal} signal
 */
export function openProfile(app, signal) {
  const { identity } = app;
  const user = identity.state.get().user;
  let worn = user?.avatar ?? '';
  const draft = { name: user?.name ?? '', address: typed(worn) };
  const hadAddress = draft.address !== '';
  // It is wanted a moment later.
  void loadFaces().catch(() => {});
  let saving = false;
  /** @type {OvationError | null} */ let error = null;
  openSheet({
    title: () => t('profile.title'),
    testid: 'profile-sheet',
    signal,
    stores: [identity.state],
    body: sheet => {
      const current = identity.state.get().user;
      if (current && current.avatar !== worn) {
        // Another face has been chosen.
        worn = current.avatar;
        draft.address = typed(worn);
      }
      const address = draft.address.trim();
      const another = address !== typed(worn);
      const name = draft.name.trim();
      const changed = name !== current?.name || another;
      /** @param {() => Promise<unknown>} work */
      const attempt = async work => {
        error = null;
        try {
          await work();
        } catch (thrown) {
          error = OvationError.of(thrown);
        }
        saving = false;
        sheet.redraw();
      };
      const change = () =>
        attempt(async () => {
          const { changeFace } = await loadFaces();
          changeFace(app, worn || builtInFace(current?.id ?? ''), sheet.signal);
        });
      const save = (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        saving = true;
        sheet.redraw();
        return attempt(async () => {
          if (name !== current?.name) await identity.setProfile({ name });
          if (another) await (await loadFaces()).wearAddress(app, address);
        });
      };
      /** @param {'name' | 'address'} key */
      const input = key => (/** @type {any} */ event) => {
        draft[key] = event.target.value;
        sheet.redraw();
      };
      return html`<div class="stack">
        <div class="profile-head">
          <button class="face-button" type="button" data-testid="change-face" aria-label=${t('faces.change')} @click=${change}>
            ${avatar(current && { ...current, name: draft.name, ...(another && { avatar: address }) }, 's96')}
            <span class="face-sign">${icon('pencil')}</span></button>
          <span class="soft small">@${current?.id}</span></div>
        <form class="stack" novalidate @submit=${save}>
          <label class="field"><span class="label">${t('signIn.name')}</span>
            <input class="input" maxlength="64" data-testid="profile-name" .value=${draft.name} @input=${input('name')} /></label>
          <details class="more-fields" ?open=${hadAddress}><summary data-testid="profile-address">${t('profile.address')}</summary>
            <label class="field"><span class="only-read">${t('profile.avatar')}</span>
              <input class="input" type="url" maxlength="500" data-testid="profile-avatar" placeholder="https://" .value=${draft.address} @input=${input('address')} /></label>
          </details>
          ${isPictureElsewhere(draft.address) && html`<p class="small soft" data-testid="avatar-elsewhere">${t('picture.elsewhere')}</p>`}
          ${problem(error && errorText(error))}
          ${
            changed &&
            html`<button class="button primary" type="submit" data-testid="profile-save" aria-busy=${saving} ?disabled=${!draft.name.trim()}>
              ${saving && busy()}${t('common.save')}</button>`
          }
        </form>
        <div class="menu">
          <button type="button" data-testid="open-as-another" @click=${() => identity.openAsAnother()}>
            ${icon('user-plus')}<span>${t('profile.another')}<span class="about">${t('profile.anotherAbout')}</span></span></button>
          <button type="button" data-testid="profile-settings" @click=${() => {
            sheet.close();
            openSettings(app, signal);
          }}>${icon('settings')}<span>${t('settings.title')}</span></button>
          <button type="button" class="bad" data-testid="sign-out" @click=${() => {
            sheet.close();
            void identity.signOut();
          }}>${icon('log-out')}<span>${t('profile.signOut')}</span></button>
        </div>
      </div>`;
    },
  });
}
