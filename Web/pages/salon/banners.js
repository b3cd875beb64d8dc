import { html, keyed } from '../../lib/html.js';
import { errorText, parts, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { silenceOf } from '../../models/salon-connection.js';
import { openConnection } from './connection.js';

/** @typedef {import('../../models/salon-state.js').Banner} Banner */
/** @typedef {import('./context.js').SalonContext} SalonContext */

const signs = {
  ownerAbsent: 'clock',
  reconnecting: 'loader-circle',
  noMediaPath: 'volume-x',
  deafened: 'volume-x',
  soundBlocked: 'volume-2',
  echoPair: 'headphones',
  broughtOnStage: 'mic-off',
  microphoneProblem: 'triangle-alert',
  signedInElsewhere: 'log-out',
};
/** At once on screen, or they push the people away. */
const atOnce = 2;

/**
 * Standing notices, each with its next step.
 * @param {SalonContext} context
 */
export function banners(context) {
  const shown = context.state.banners.slice(0, atOnce);
  return html`<div class="banners" role="status">${shown.map(banner =>
    keyed(
      banner.kind,
      html`<div class="banner" data-kind=${banner.kind} data-testid=${`banner-${banner.kind}`}>
        ${icon(signs[banner.kind], banner.kind === 'reconnecting' ? 'spin' : '')}
        <p>${text(context, banner)}</p>
        ${button(context, banner)}
      </div>`,
    ),
  )}</div>`;
}

/** @param {SalonContext} context @param {Banner} banner */
function text(context, banner) {
  const until = banner.until ?? null;
  const time = until !== null && html`<ov-countdown .now=${context.now} .until=${until}></ov-countdown>`;
  switch (banner.kind) {
    case 'ownerAbsent':
      if (until === null) return t('banner.ownerAbsent');
      return banner.heir
        ? parts('banner.ownerAbsentHeir', { time, name: html`<bdi>${banner.heir.name}</bdi>` })
        : parts('banner.ownerAbsentUntil', { time });
    case 'reconnecting':
      if (until !== null) return parts('banner.reconnectingAt', { time });
      return t(banner.seated ? 'banner.reconnecting' : 'banner.reconnectingListener');
    case 'soundBlocked':
      return t(context.salon.live ? 'banner.soundBlockedLive' : 'banner.soundBlocked');
    case 'broughtOnStage':
      return t('banner.broughtOnStage', { name: banner.by?.name ?? t('salon.theHost') });
    case 'noMediaPath':
      return banner.error === 'webrtc_missing'
        ? errorText({ name: banner.error })
        : t(`banner.${silenceOf(banner.error)}${context.salon.live ? 'Live' : ''}`);
    case 'microphoneProblem':
      return errorText({ name: banner.error ?? 'microphone_missing' });
    default:
      return t(`banner.${banner.kind}`);
  }
}

/** @param {SalonContext} context @param {Banner} banner */
function button(context, banner) {
  const { salon } = context;
  /** @param {string} label @param {() => unknown} action @param {string} [look] */
  const one = (label, action, look = '') =>
    html`<button class="button compact ${look}" type="button" data-testid="banner-action" @click=${() => void action()}>${label}</button>`;
  switch (banner.kind) {
    case 'deafened':
    case 'soundBlocked':
      return one(t('banner.soundBlockedAction'), () => context.act(() => salon.unlockSound()), 'primary');
    case 'noMediaPath':
      // Where there is no WebRTC there is nothing to test.
      return banner.error !== 'webrtc_missing' && one(t('connection.test'), () => openConnection(context));
    case 'echoPair':
      return one(t('banner.echoPairAction'), () => salon.hearing.listenAnyway());
    case 'broughtOnStage':
      return one(t('mic.unmute'), () => context.act(() => salon.seats.setMuted(false)), 'primary');
    case 'microphoneProblem':
      return one(t('common.retry'), () => context.act(() => salon.seats.toggleMicrophone()));
    default:
      return null;
  }
}
