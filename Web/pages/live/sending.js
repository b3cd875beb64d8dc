import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { sendQualities, sendShapes, wholeRate } from '../../models/sending.js';

/**
 * How large and in which shape my camera is sent.
 * @param {import('../app.js').App} app
 */
export function sendingFields({ preferences }) {
  const { sendQuality, sendShape } = preferences.get();
  const megabits = (/** @type {string} */ quality) => (wholeRate(quality) / 1_000_000).toFixed(1);
  return html`<label class="field">
      <span class="label">${t('sending.quality')}</span>
      <select class="input" data-testid="sending-quality" @change=${(/** @type {any} */ event) => preferences.change({ sendQuality: event.target.value })}>${sendQualities.map(
        quality =>
          html`<option value=${quality} ?selected=${quality === sendQuality}>${
            quality === 'auto'
              ? t('sending.automatic')
              : t('sending.size', { lines: quality, rate: megabits(quality) })
          }</option>`,
      )}</select>
    </label>
    <div class="field">
      <span class="label" id="sending-shape">${t('sending.shape')}</span>
      <div class="segments" role="group" aria-labelledby="sending-shape">${sendShapes.map(
        shape =>
          html`<button type="button" data-testid=${`sending-${shape}`} aria-pressed=${String(shape === sendShape)}
            @click=${() => preferences.change({ sendShape: shape })}>${shape === 'auto' ? t('sending.asCamera') : shape === 'wide' ? '16:9' : '9:16'}</button>`,
      )}</div>
    </div>
    <label class="switch">
      <span>${t('sending.mirror')}<span class="about">${t('sending.mirrorAbout')}</span></span>
      <input type="checkbox" role="switch" data-testid="sending-mirror" .checked=${preferences.get().mirrorSent}
        @change=${(/** @type {any} */ event) => preferences.change({ mirrorSent: event.target.checked })} />
    </label>
    <label class="switch">
      <span>${t('sending.still')}<span class="about">${t('sending.stillAbout')}</span></span>
      <input type="checkbox" role="switch" data-testid="sending-still" .checked=${preferences.get().lobbyStill}
        @change=${(/** @type {any} */ event) => preferences.change({ lobbyStill: event.target.checked })} />
    </label>`;
}

/**
 * The same while one is live.
 * @param {import('../app.js').App} app
 * @param {AbortSignal} signal
 */
export function openSending(app, signal) {
  openSheet({
    title: () => t('sending.title'),
    testid: 'sending-sheet',
    className: 'small-sheet',
    signal,
    stores: [app.preferences],
    body: () =>
      html`<div class="stack">${sendingFields(app)}<p class="small soft">${t('sending.about')}</p></div>`,
  });
}
