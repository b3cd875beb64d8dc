import '../../elements/countdown.js';
import '../../elements/meter.js';
import { avatar } from '../../elements/avatar.js';
import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { sentences, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { announceMicrophone } from '../devices.js';
import { ownPicture } from './own-picture.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/live.js').LiveModel} LiveModel */

/** Under this name the devices are held before I am on stage. */
const holder = 'asking';

/**
 * My own picture, off until pressed, and the ways onto the stage: with it, or with my voice alone. It stays until I am there, or close it.
 * @param {SalonContext} context
 * @param {LiveModel} live
 */
export function openAsking(context, live) {
  const { app, salon } = context;
  const { asking } = live;
  const { camera, microphone } = app;
  /** @type {any} */ let meter = null;
  let words = '';
  const turnOn = () =>
    // Both at once: the browser asks once. What cannot be opened says so itself.
    void Promise.allSettled([camera.open(holder), microphone.open(holder)]);

  // Who comes back sees what the others are going to see before the figures are through.
  if (asking.state.get().phase === 'called' && asking.withCamera) turnOn();
  asking.attend(true);

  /** @param {boolean} withCamera */
  const go = async withCamera => {
    if (!(await announceMicrophone(app, context.signal))) return;
    await context.act(() =>
      context.state.invitation ? asking.accept(withCamera) : asking.ask(withCamera, words.trim()),
    );
  };

  const said = {
    get: () => words,
    set: (/** @type {string} */ text) => {
      words = text;
    },
  };

  const sheet = openSheet({
    title: () => t('asking.title'),
    testid: 'asking-sheet',
    className: 'asking-sheet',
    signal: context.signal,
    stores: [
      salon.state,
      asking.state,
      camera.state,
      app.beauty.state,
      app.beauty.track,
      app.preferences,
      microphone.state,
    ],
    onClose: () => {
      asking.attend(false);
      camera.close(holder);
      microphone.close(holder);
    },
    body: () => {
      const { phase, until } = asking.state.get();
      const counting = phase === 'counting';
      return html`<div class="stack prepare" data-testid="asking" data-phase=${phase}>
        ${ownPicture(app, {
          name: 'asking',
          announce: t('asking.announce'),
          turnOn,
          signal: context.signal,
          over:
            counting &&
            html`<ov-countdown class="three numbers" seconds data-testid="asking-three" .now=${() => Date.now()} .until=${until}></ov-countdown>`,
        })}
        ${
          microphone.state.get().open &&
          html`<ov-meter aria-label=${t('green.level')} ref=${(/** @type {any} */ element) => {
            meter = element;
          }}></ov-meter>`
        }
        ${counting ? soon(live) : phase === 'coming' ? null : context.state.myRequest ? waiting(context) : ways(context, go, said)}
      </div>`;
    },
  });
  microphone.level.subscribe(
    level => {
      if (meter) meter.level = level;
    },
    { signal: sheet.signal, now: false },
  );
  // On stage: the page itself shows what happens now.
  const closeOnStage = () => {
    if (context.state.me.seat !== null && asking.state.get().phase === 'idle') sheet.close();
  };
  salon.state.subscribe(closeOnStage, { signal: sheet.signal });
  asking.state.subscribe(closeOnStage, { signal: sheet.signal });
}

/**
 * @param {SalonContext} context @param {(withCamera: boolean) => Promise<void>} go
 * @param {{get: () => string, set: (text: string) => void}} words for the host
 */
function ways(context, go, words) {
  const { open } = context.app.camera.state.get();
  const { invitation, pending } = context.state;
  const waits = String(pending.has('request') || pending.has('invitation'));
  return html`<p class="soft small">${invitation ? t('invitation.text', { name: invitation.from.name }) : t('asking.about')}</p>
    ${
      !invitation &&
      html`<label class="field"><span class="label">${t('asking.words')}</span>
        <input class="input" maxlength="60" autocomplete="off" enterkeyhint="done" dir="auto" data-testid="asking-words" placeholder=${t('asking.wordsExample')}
          .value=${words.get()} @input=${(/** @type {any} */ event) => words.set(event.target.value)} /></label>`
    }
    <div class="sheet-actions">
      <button class="button" type="button" data-testid="asking-voice" aria-busy=${waits} @click=${() => void go(false)}>${icon('mic')}${t('asking.voice')}</button>
      <button class="button primary" type="button" data-testid="asking-with-camera" aria-busy=${waits} ?disabled=${!open} @click=${() => void go(true)}>${icon('video')}${t('asking.camera')}</button>
    </div>`;
}

/** @param {SalonContext} context */
function waiting(context) {
  const { myRequest } = context.state;
  const place = myRequest?.position;
  return html`<p role="status" data-testid="asking-waiting">${sentences(place ? t('requests.place', { count: place }) : t('requests.waiting'), t('asking.waits'))}</p>
    <div class="sheet-actions"><button class="button" type="button" data-testid="asking-cancel" @click=${() => void context.act(() => context.salon.requests.cancelRequest())}>${t('requests.cancel')}</button></div>`;
}

/** @param {LiveModel} live */
function soon(live) {
  return html`<p role="status">${t('asking.counting')}</p>
    <div class="sheet-actions"><button class="button" type="button" data-testid="asking-not-now" @click=${() => live.asking.notNow()}>${t('common.notNow')}</button></div>`;
}

/**
 * The host has said yes, and my sheet is closed: some seconds to come back.
 * @param {SalonContext} context
 * @param {LiveModel} live
 */
export function called(context, live) {
  const { phase, until } = live.asking.state.get();
  const { room } = context.state;
  if (phase !== 'called' || !room) return null;
  return html`<section class="invitation" role="alertdialog" aria-label=${t('asking.called')} data-testid="called">
    ${avatar(room.owner, 's48')}
    <div class="request-who"><strong>${t('asking.called')}</strong>
      <span class="soft small">${t('asking.calledText')} <ov-countdown .now=${() => Date.now()} .until=${until}></ov-countdown></span></div>
    <div class="request-buttons">
      <button class="button compact primary" type="button" data-testid="called-come" @click=${() => openAsking(context, live)}>${t('asking.come')}</button>
      <button class="button compact" type="button" data-testid="called-not-now" @click=${() => live.asking.notNow()}>${t('common.notNow')}</button>
    </div>
  </section>`;
}
