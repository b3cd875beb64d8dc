import { openSheet } from '../elements/sheet.js';
import { slider } from '../elements/slider.js';
import { html } from '../lib/html.js';
import { language, languages, t } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';
import { volumeSticks } from '../lib/volume.js';
import { giftShows } from '../models/preferences.js';
import { microphoneField, speakerField } from './devices.js';

/** @typedef {import('./app.js').App} App */

const themes = /** @type {const} */ (['system', 'dark', 'light']);
const signs = { system: 'monitor', dark: 'moon', light: 'sun' };

/**
 * What one may choose on this device.
 * @param {App} app
 * @param {AbortSignal} signal
 */
export function openSettings(app, signal) {
  const { preferences, microphone, speaker } = app;
  void microphone.refresh();
  void speaker.refresh();
  /** @param {string} key @param {boolean} on @param {string} title @param {string} about */
  const toggle = (key, on, title, about) => html`<label class="switch">
    <span>${title}<span class="about">${about}</span></span>
    <input type="checkbox" role="switch" .checked=${on} data-testid=${`setting-${key}`}
      @change=${(/** @type {any} */ event) => preferences.change({ [key]: event.target.checked })} />
  </label>`;
  openSheet({
    title: () => t('settings.title'),
    testid: 'settings-sheet',
    signal,
    stores: [preferences, microphone.state, speaker.state],
    body: () => {
      const chosen = preferences.get();
      return html`<div class="stack">
        <label class="field">
          <span class="label">${t('settings.language')}</span>
          <select class="input" data-testid="setting-language"
            @change=${(/** @type {any} */ event) => preferences.change({ language: event.target.value })}>
            <option value="" ?selected=${chosen.language === ''}>${t('settings.languageAuto', { name: languages[language.get()] })}</option>
            ${Object.entries(languages).map(
              ([code, name]) =>
                html`<option value=${code} lang=${code} ?selected=${chosen.language === code}>${name}</option>`,
            )}
          </select>
        </label>
        <div class="field" role="group" aria-label=${t('settings.theme')}>
          <span class="label">${t('settings.theme')}</span>
          <div class="segments">
            ${themes.map(
              theme => html`<button type="button" aria-pressed=${String(chosen.theme === theme)} data-testid=${`theme-${theme}`}
                @click=${() => preferences.change({ theme })}><span class="with-icon">${icon(signs[theme])}${t(`theme.${theme}`)}</span></button>`,
            )}
          </div>
        </div>
        <div class="field" role="group" aria-label=${t('settings.gifts')}>
          <span class="label">${t('settings.gifts')}</span>
          <div class="segments">
            ${giftShows.map(
              show => html`<button type="button" aria-pressed=${String(chosen.gifts === show)} data-testid=${`gifts-${show}`}
                @click=${() => preferences.change({ gifts: show })}>${t(`settings.gifts.${show}`)}</button>`,
            )}
          </div>
        </div>
        ${microphoneField(app)} ${speakerField(app)}
        ${
          volumeSticks() &&
          slider({
            id: 'setting-playout',
            label: t('settings.playout'),
            value: chosen.playout,
            range: [0, 100],
            text: t('effects.percent', { value: chosen.playout }),
            change: playout => preferences.change({ playout }),
          })
        }
        <div class="rows">
          ${toggle('sounds', chosen.sounds, t('settings.sounds'), t('settings.soundsAbout'))}
          ${toggle('danmu', chosen.danmu, t('settings.danmu'), t('settings.danmuAbout'))}
          ${toggle('joinMuted', chosen.joinMuted, t('settings.joinMuted'), t('settings.joinMutedAbout'))}
        </div>
      </div>`;
    },
  });
}
