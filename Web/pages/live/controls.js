import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/live.js').LiveModel} LiveModel */

/**
 * @param {SalonContext} context
 * @param {LiveModel} live
 */
export async function pressCamera(context, live) {
  const { showing, opening } = live.state.get();
  await context.act(() => live.setCamera(!showing && !opening));
}

/**
 * How much is to come, for who watches.
 * @param {SalonContext} context
 * @param {LiveModel} live
 */
export function qualityButton(context, live) {
  const { choice } = live.state.get();
  return html`<button class="dock-button" type="button" data-testid="quality" aria-haspopup="dialog" @click=${() => openQuality(context, live)}>
      <span class="dock-sign">${icon('sliders-horizontal')}</span><span class="dock-word">${t(`quality.short.${choice}`)}</span></button>`;
}

/**
 * My camera, for who is on stage.
 * @param {SalonContext} context
 * @param {LiveModel} live
 */
export function cameraButton(context, live) {
  const { showing, opening } = live.state.get();
  return html`<button class="dock-button" type="button" data-testid="camera" aria-pressed=${String(showing)} aria-busy=${opening} aria-keyshortcuts="v"
    aria-label=${t(showing ? 'live.cameraStop' : 'live.cameraStart')} @click=${() => void pressCamera(context, live)}>
    <span class="dock-sign">${icon(opening ? 'loader-circle' : showing ? 'video' : 'video-off', opening ? 'spin' : '')}</span>
    <span class="dock-word">${t('live.cameraOn')}</span></button>`;
}

/** Megabytes an hour of a layer: what a browser sends at most (protocol/pictures.js). */
const perHour = { low: 70, middle: 230, high: 770 };

/**
 * @param {SalonContext} context
 * @param {LiveModel} live
 */
export function openQuality(context, live) {
  openSheet({
    title: () => t('quality.title'),
    testid: 'quality-sheet',
    className: 'small-sheet',
    signal: context.signal,
    stores: [live.state],
    body: sheet => {
      const { choice, received } = live.state.get();
      const first = received.find(picture => picture.size !== 'off');
      /** @param {import('../../models/live.js').PictureChoice} name */
      const about = name => {
        if (name === 'auto' && first)
          return t(first.lack === 'line' ? 'quality.autoLowered' : 'quality.autoNow', {
            quality: t(`quality.${first.size}`),
          });
        if (name === 'auto') return t('quality.autoAbout');
        if (name === 'off') return t('quality.offAbout');
        return t('quality.perHour', { count: perHour[name] });
      };
      return html`<div class="menu" role="radiogroup" aria-label=${t('quality.title')}>${
        /** @type {const} */ (['auto', 'high', 'middle', 'low', 'off']).map(
          name =>
            html`<button type="button" role="radio" aria-checked=${String(choice === name)} data-testid=${`quality-${name}`} @click=${() => {
              live.choose(name);
              sheet.close();
            }}>${icon(choice === name ? 'check' : name === 'off' ? 'headphones' : 'video')}<span>${t(`quality.${name}`)}<span class="about">${about(name)}</span></span></button>`,
        )
      }</div>`;
    },
  });
}
