import { avatar } from '../elements/avatar.js';
import { openSheet } from '../elements/sheet.js';
import { isPictureElsewhere } from '../lib/assets.js';
import { html } from '../lib/html.js';
import { errorText, t } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';
import { OvationError } from '../protocol/errors.js';
import { busy, problem } from './parts.js';
import { openSettings } from './settings.js';

/**
 * Who one is in this tab.
 * @param {import('./app.js').App} app
 * @param {AbortSignal} signal
 */
export function openProfile(app, signal) {
  const { identity } = app;
  const user = identity.state.get().user;
  const draft = { name: user?.name ?? '', avatar: user?.avatar ?? '' };
  let saving = false;
  /** @type {OvationError | null} */ let error = null;
  openSheet({
    title: () => t('profile.title'),
    testid: 'profile-sheet',
    signal,
    stores: [identity.state],
    body: sheet => {
      const current = identity.state.get().user;
      const changed = draft.name.trim() !== current?.name || draft.avatar.trim() !== current?.avatar;
      const save = async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        saving = true;
        error = null;
        sheet.redraw();
        try {
          await identity.setProfile({ name: draft.name.trim(), avatar: draft.avatar.trim() });
        } catch (thrown) {
          error = OvationError.of(thrown);
        }
        saving = false;
        sheet.redraw();
      };
      /** @param {'name' | 'avatar'} key */
      const input = key => (/** @type {any} */ event) => {
        draft[key] = event.target.value;
        sheet.redraw();
      };
      return html`<div class="stack">
        <div class="profile-head">${avatar(current && { ...current, ...draft }, 's96')}<span class="soft small">@${current?.id}</span></div>
        <form class="stack" novalidate @submit=${save}>
          <label class="field"><span class="label">${t('signIn.name')}</span>
            <input class="input" maxlength="64" data-testid="profile-name" .value=${draft.name} @input=${input('name')} /></label>
          <label class="field"><span class="label">${t('profile.avatar')}</span>
            <input class="input" type="url" maxlength="500" data-testid="profile-avatar" placeholder="https://" .value=${draft.avatar} @input=${input('avatar')} /></label>
          ${isPictureElsewhere(draft.avatar) && html`<p class="small soft" data-testid="avatar-elsewhere">${t('picture.elsewhere')}</p>`}
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
