import '../../elements/video.js';
import { openSheet } from '../../elements/sheet.js';
import { slider } from '../../elements/slider.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { Store } from '../../lib/store.js';
import { beautyMost, beautyStyles } from '../../models/beauty.js';
import { problem } from '../parts.js';

/** @typedef {import('../../models/preferences.js').Preferences} Preferences */

/** What a slider changes. */
const sliders = /** @type {const} */ ([
  ['smooth', 'beautySmooth', () => t('beauty.smooth')],
  ['whiten', 'beautyWhiten', () => t('beauty.whiten')],
  ['ruddy', 'beautyRuddy', () => t('beauty.ruddy')],
]);

/**
 * Beauty: my picture as the others see it, and how much of each.
 * @param {import('../app.js').App} app
 * @param {AbortSignal} signal
 */
export function openBeauty(app, signal) {
  const { beauty, camera, preferences } = app;
  const comparing = new Store(false);
  const compare = (/** @type {boolean} */ on) => comparing.get() !== on && comparing.set(on);
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== ' ' && event.key !== 'Enter') return;
    event.preventDefault();
    compare(event.type === 'keydown');
  };
  openSheet({
    title: () => t('beauty.title'),
    testid: 'beauty-sheet',
    className: 'beauty-sheet',
    signal,
    stores: [beauty.state, beauty.track, camera.state, camera.track, preferences, comparing],
    body: () => {
      const chosen = preferences.get();
      const { mode } = beauty.state.get();
      const { open } = camera.state.get();
      const track = comparing.get() ? camera.track.get() : beauty.track.get();
      return html`<div class="stack">
        <div class="beauty-picture" data-testid="beauty-picture" data-mode=${mode} data-compared=${comparing.get()}>
          <ov-video data-testid="beauty-video" ?data-mirror=${beauty.turns(track)} .track=${track}></ov-video>
          ${!open && html`<p class="soft small beauty-empty">${t('beauty.needsCamera')}</p>`}
          ${mode === 'starting' && html`<p class="beauty-empty" role="status">${icon('loader-circle', 'spin')}${t('beauty.starting')}</p>`}
          ${
            chosen.beauty &&
            open &&
            mode !== 'failed' &&
            html`<button class="button beauty-compare" type="button" data-testid="beauty-compare" aria-pressed=${String(comparing.get())}
              @pointerdown=${() => compare(true)} @pointerup=${() => compare(false)} @pointerleave=${() => compare(false)} @pointercancel=${() => compare(false)}
              @keydown=${onKey} @keyup=${onKey} @blur=${() => compare(false)}>${t('beauty.compare')}</button>`
          }
        </div>
        ${
          mode === 'failed' &&
          html`${problem(t('beauty.failed'))}<button class="button" type="button" data-testid="beauty-retry" @click=${() => beauty.retry()}>${t('common.retry')}</button>`
        }
        <label class="switch">
          <span>${t('beauty.on')}<span class="about">${t('beauty.about')}</span></span>
          <input type="checkbox" role="switch" data-testid="beauty-on" .checked=${chosen.beauty}
            @change=${(/** @type {any} */ event) => preferences.change({ beauty: event.target.checked })} />
        </label>
        ${chosen.beauty && levels(app, chosen)}
      </div>`;
    },
  });
}

/** @param {import('../app.js').App} app @param {Readonly<Preferences>} chosen */
function levels({ preferences }, chosen) {
  return html`<div class="stack">
    ${sliders.map(([name, key, label]) =>
      slider({
        id: `beauty-${name}`,
        label: label(),
        value: chosen[key],
        range: [0, beautyMost],
        text: String(chosen[key]),
        change: value => preferences.change({ [key]: value }),
      }),
    )}
    <div class="field">
      <span class="label" id="beauty-style">${t('beauty.style')}</span>
      <div class="segments" role="group" aria-labelledby="beauty-style">${beautyStyles.map(
        style =>
          html`<button type="button" data-testid=${`beauty-style-${style}`} aria-pressed=${String(chosen.beautyStyle === style)}
            @click=${() => preferences.change({ beautyStyle: style })}>${t(`beauty.style.${style}`)}</button>`,
      )}</div>
    </div>
  </div>`;
}
