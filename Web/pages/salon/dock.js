import { html, keyed } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { pageShape } from '../../lib/page-shape.js';
import { dockOf } from '../../models/dock.js';
import { openEffects } from '../effects.js';
import { openRanking } from '../gifts/ranking.js';
import { giftButton } from '../gifts/tray.js';
import { cameraButton, qualityButton } from '../live/controls.js';
import { pkButton } from '../live/pk.js';
import { canShare, screenButton } from '../live/screen.js';
import { stageButton } from '../live/stage-button.js';
import { openStatistics } from '../live/statistics.js';
import { openIdSheet } from '../lobby/id-sheet.js';
import { likeButton } from './like.js';
import { microphoneButton } from './microphone.js';
import { openPeople } from './people.js';

/** @typedef {import('./context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/dock.js').DockCell} DockCell */
/** @typedef {{requests: import('./requests.js').Requests, chat: import('./chat.js').Chat, leave: () => void}} Parts */

/**
 * What stands in the bar for me now.
 * @param {SalonContext} context
 */
export function dockNow(context) {
  const { salon, state } = context;
  const { live } = salon;
  return dockOf({
    kind: salon.duet ? 'chorus' : live ? 'live' : 'voice',
    wide: pageShape.get() === 'wide',
    seated: state.me.seat !== null,
    isOwner: state.me.isOwner,
    canManage: state.me.canManage,
    linked: (live?.pk.state.get().links.length ?? 0) > 0,
    hasGifts: salon.gifts?.state.get().isOffered ?? false,
    canShare: live !== null && canShare(context, live),
  });
}

/**
 * The bar below: the one thing that makes sense now in the middle, and beside it what is needed often. The rest is in the menu.
 * @param {SalonContext} context
 * @param {Parts} parts
 */
export function dock(context, parts) {
  const { main, before, after } = dockNow(context);
  /** @param {DockCell} name */
  const one = name => keyed(name, html`${cells[name](context, parts)}`);
  return html`<nav class="dock" aria-label=${t('salon.controls')} .vars=${{ '--side': String(before.length) }}>
    ${before.map(one)}${middle(context, main)}${after.map(one)}
  </nav>`;
}

/** A press so soon after the middle has changed was meant for what stood there before. */
const settlingMs = 500;
/** @type {WeakMap<SalonContext, {main: import('../../models/dock.js').DockMain, since: number}>} */
const middles = new WeakMap();

/** @param {SalonContext} context @param {import('../../models/dock.js').DockMain} main */
function middle(context, main) {
  const { live } = context.salon;
  const known = middles.get(context);
  if (known?.main !== main)
    middles.set(context, { main, since: known ? performance.now() : Number.NEGATIVE_INFINITY });
  if (main === 'like') return likeButton(context, true);
  if (main === 'gifts') return giftButton(context, true);
  if (main === 'stage' && live) return stageButton(context, live, true);
  const { since = 0 } = middles.get(context) ?? {};
  return microphoneButton(context, () => performance.now() - since < settlingMs);
}

/** @type {Record<DockCell, (context: SalonContext, parts: Parts) => unknown>} */
const cells = {
  leave: (_, { leave }) => cell('leave', 'log-out', t('salon.leave'), leave),
  chat: (
    { state },
    { chat },
  ) => html`<button class="dock-button" type="button" data-testid="toggle-chat" aria-pressed=${String(chat.opened)} @click=${() => chat.toggle()}>
    <span class="dock-sign">${icon('message-circle')}${state.unread > 0 && html`<span class="badge">${Math.min(99, state.unread)}</span>`}</span>
    <span class="dock-word">${t('chat.title')}</span></button>`,
  invite: ({ state, signal }) =>
    cell('dock-share', 'user-plus', t('salon.invite'), () => state.room && openIdSheet(state.room, signal)),
  effects:
    context => html`<button class="dock-button" type="button" data-testid="effects" aria-pressed=${String(context.app.effects.active.get())}
    @click=${() => openEffects(context.app, context.signal, { salon: context.salon })}>
    <span class="dock-sign">${icon('wand-sparkles')}</span><span class="dock-word">${t('effects.open')}</span></button>`,
  requests: (
    { state },
    { requests },
  ) => html`<button class="dock-button" type="button" data-testid="hand" aria-pressed=${String(requests.opened)} @click=${() => requests.toggle()}>
    <span class="dock-sign">${icon('hand')}${state.requests.length > 0 && html`<span class="badge" data-testid="request-badge">${state.requests.length}</span>`}</span>
    <span class="dock-word">${t('requests.title')}</span></button>`,
  stand: context =>
    cell('stand-button', 'arrow-down-to-line', t(context.salon.live ? 'live.stepDown' : 'seat.leave'), () =>
      context.act(() => context.salon.seats.stand()),
    ),
  like: context => likeButton(context, false),
  gifts: context => giftButton(context, false),
  camera: context => ofLive(context, cameraButton),
  screen: context => ofLive(context, screenButton),
  pk: context => ofLive(context, pkButton),
  stage: context => ofLive(context, stageButton),
  quality: context => ofLive(context, qualityButton),
  statistics: context =>
    ofLive(context, (_, live) =>
      cell('statistics', 'signal', t('statistics.short'), () => openStatistics(context, live)),
    ),
  ranking: context => cell('ranking', 'trophy', t('gift.rankingShort'), () => openRanking(context)),
  people: context => cell('people', 'users-round', t('salon.people'), () => openPeople(context)),
};

/** @param {string} testid @param {string} sign @param {string} word @param {() => unknown} press */
function cell(testid, sign, word, press) {
  return html`<button class="dock-button" type="button" data-testid=${testid} @click=${() => void press()}>
    <span class="dock-sign">${icon(sign)}</span><span class="dock-word">${word}</span></button>`;
}

/**
 * @param {SalonContext} context
 * @param {(context: SalonContext, live: import('../../models/live.js').LiveModel) => unknown} make
 */
function ofLive(context, make) {
  const { live } = context.salon;
  return live && make(context, live);
}
