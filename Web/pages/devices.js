import { openSheet } from '../elements/sheet.js';
import { html } from '../lib/html.js';
import { errorText, t } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';
import { movesContexts } from '../lib/sound-output.js';
import { hasWebRTC } from '../protocol/peer.js';

/** @typedef {import('./app.js').App} App */

/** Says that there will be no sound and no picture, in a browser without WebRTC. */
export function mediaHint() {
  return (
    !hasWebRTC() &&
    html`<p class="hint" data-testid="no-webrtc">${icon('volume-x')}<span>${t('error.webrtc_missing')}</span></p>`
  );
}

/** @param {import('../models/devices.js').Device[]} devices @param {string} chosen */
function options(devices, chosen) {
  return html`<option value="" ?selected=${chosen === ''}>${t('devices.system')}</option>
    ${devices
      .filter(device => device.id !== 'default' && device.id !== '')
      .map(
        (device, i) => html`<option value=${device.id} ?selected=${device.id === chosen}>
          ${device.label || t('devices.unnamed', { count: i + 1 })}</option>`,
      )}`;
}

/**
 * Which microphone.
 * @param {App} app
 */
export function microphoneField({ microphone }) {
  const { devices, chosen, permission } = microphone.state.get();
  if (permission === 'insecure' || permission === 'withheld')
    return html`<p class="hint">${icon('info')}<span>${errorText({ name: `microphone_${permission}` })}</span></p>`;
  return html`<label class="field">
    <span class="label">${t('devices.microphone')}</span>
    <select class="input" data-testid="microphone-select" ?disabled=${devices.length === 0}
      @change=${(/** @type {any} */ event) => void microphone.choose(event.target.value)}>${options(devices, chosen)}</select>
  </label>`;
}

/**
 * Which camera.
 * @param {App} app
 */
export function cameraField({ camera }) {
  const { devices, chosen } = camera.state.get();
  return html`<label class="field">
    <span class="label">${t('devices.camera')}</span>
    <select class="input" data-testid="camera-select" ?disabled=${devices.length === 0}
      @change=${(/** @type {any} */ event) => void camera.choose(event.target.value).catch(() => {})}>${options(devices, chosen)}</select>
  </label>`;
}

/**
 * Songs keep time with what the browser tells of its output, which it does not for sound that goes another way: they stay on the
 * system's device where a browser moves voices alone.
 * @param {string} chosen the output device
 */
export function songHint(chosen) {
  return (
    chosen !== '' &&
    !movesContexts() &&
    html`<span class="hint" data-testid="song-device">${icon('info')}<span>${t('devices.songStays')}</span></span>`
  );
}

/**
 * Where sound comes out, in browsers that can choose.
 * @param {App} app
 */
export function speakerField({ speaker }) {
  const { devices, chosen, selectable } = speaker.state.get();
  if (!selectable) return null;
  return html`<label class="field">
    <span class="label">${t('devices.speaker')}</span>
    <select class="input" data-testid="speaker-select"
      @change=${(/** @type {any} */ event) => void speaker.choose(event.target.value)}>${options(devices, chosen)}</select>
    ${songHint(chosen)}
  </label>`;
}

/**
 * What stands in the microphone's way, as a sentence.
 * @param {string | null} name
 */
export function microphoneProblem(name) {
  return (
    name &&
    html`<p class="problem" role="alert" data-testid="microphone-problem">${icon('triangle-alert')}<span>${errorText({ name })}</span></p>`
  );
}

/**
 * Before the browser asks for the microphone, say so. Resolves at once when it will not ask.
 * @param {App} app
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} whether to go on
 */
export async function announceMicrophone({ microphone }, signal) {
  await microphone.refresh();
  const { permission, open } = microphone.state.get();
  if (open || (permission !== 'prompt' && permission !== 'unknown')) return true;
  return new Promise(resolve => {
    let answer = false;
    openSheet({
      title: () => t('devices.announceTitle'),
      testid: 'microphone-announcement',
      className: 'small-sheet',
      signal,
      onClose: () => resolve(answer),
      body: sheet => html`<div class="announce-sign">${icon('mic')}</div>
        <p class="soft centered">${t('devices.announceText')}</p>
        <div class="sheet-actions">
          <button class="button" type="button" @click=${sheet.close}>${t('common.notNow')}</button>
          <button class="button primary" type="button" autofocus data-testid="microphone-continue" @click=${() => {
            answer = true;
            sheet.close();
          }}>${t('common.continue')}</button>
        </div>`,
    });
  });
}
