import { html } from '../../lib/html.js';
import { language, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { view } from '../../lib/view.js';
import { openEffects } from '../effects.js';
import { giftButton } from '../gifts/tray.js';
import { liveButton } from '../live/controls.js';
import { pkButton } from '../live/pk.js';
import { screenButton } from '../live/screen.js';
import { openIdSheet } from '../lobby/id-sheet.js';
import { askForSeat, sitDown } from './seat-actions.js';

/** @typedef {import('./context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/salon-state.js').SalonState} SalonState */

const signs = {
  listener: 'mic',
  pending: 'hourglass',
  live: 'mic',
  cutOff: 'unplug',
  mutedByMe: 'mic-off',
  mutedByHost: 'mic-off',
  noDevice: 'triangle-alert',
};

/**
 * The big button does the one thing that makes sense in its state.
 * @param {SalonContext} context
 */
export async function pressMicrophone(context) {
  const { me, room, myRequest } = context.state;
  if (me.mic === 'pending' || myRequest)
    return void (await context.act(() => context.salon.requests.cancelRequest()));
  // A host may sit on a muted seat: one who has inherited the room, or sat down there.
  if (unmutesSeat(me))
    return void (await context.act(() => context.salon.moderation.muteSeat(Number(me.seat), false)));
  if (me.mic !== 'listener') return void (await context.act(() => context.salon.seats.toggleMicrophone()));
  if (room?.needsRequest && !me.canManage) return askForSeat(context, null);
  const seat = context.freeSeat();
  if (seat !== null) return sitDown(context, seat);
  if (me.canManage) context.say(t('seat.allTaken'), 'armchair');
  else await askForSeat(context, null);
}

/** @param {SalonState['me']} me */
const unmutesSeat = me => me.mic === 'mutedByHost' && me.canManage && me.seat !== null;

/**
 * What the button says in each state.
 * @param {SalonContext} context
 */
function micWords(context) {
  const { me, room, myRequest } = context.state;
  switch (me.mic) {
    case 'listener':
      return room?.needsRequest && !me.canManage ? t('mic.ask') : t('mic.sit');
    case 'pending':
      return myRequest?.position ? t('mic.pendingPlace', { place: myRequest.position }) : t('mic.pending');
    case 'mutedByHost':
      return t('mic.mutedByHost', { name: me.mutedBy?.name ?? t('salon.theHost') });
    // Just sat down, or there is nothing to be done about it.
    case 'cutOff':
      return t(context.salon.connection.get().word === 'connecting' ? 'connection.connecting' : 'mic.cutOff');
    default:
      return t(`mic.${me.mic}`);
  }
}

/**
 * What pressing it does, for screen readers and tooltips.
 * @param {SalonState} state
 */
function micHint({ me, room }) {
  if (me.mic === 'listener') return t(room?.needsRequest && !me.canManage ? 'micHint.ask' : 'micHint.sit');
  if (unmutesSeat(me)) return t('micHint.mutedSeat');
  return t(`micHint.${me.mic}`);
}

/**
 * Short words above the bar: what can be undone, my place in the queue, "you are muted".
 * They lie over the stage, so that nothing shifts when they come and go.
 * @param {SalonContext} context
 */
export function dockNotices(context) {
  const { state } = context;
  const { me } = state;
  return html`${undo(context)}
    ${
      me.speakingWhileMuted &&
      html`<p class="dock-hint" role="status" data-testid="speaking-while-muted">${icon('mic-off')}${t('mic.speakingWhileMuted')}</p>`
    }
    ${
      me.mic === 'pending' &&
      html`<p class="dock-hint" role="status" data-testid="my-request">${icon('hourglass')}<span>${
        state.myRequest?.position
          ? t('requests.place', { count: state.myRequest.position })
          : t('requests.waiting')
      }</span><button class="button compact" type="button" data-testid="cancel-request" @click=${() => void context.act(() => context.salon.requests.cancelRequest())}>${t(
        'requests.cancel',
      )}</button></p>`
    }`;
}

/**
 * The bar below: leave (on phones the header has it), chat, effects, microphone, hand, like.
 * @param {SalonContext} context
 * @param {{requests: import('./requests.js').Requests, chat: import('./chat.js').Chat, leave: () => void}} parts
 */
export function dock(context, { requests, chat, leave }) {
  const { state } = context;
  const { me, pending, room } = state;
  const waits =
    pending.has('mic') ||
    pending.has('request') ||
    (me.seat === null && [...pending].some(name => name.startsWith('seat:')));
  return html`<nav class="dock" aria-label=${t('salon.controls')}>
      <button class="dock-button leave" type="button" data-testid="leave" @click=${leave}><span class="dock-sign">${icon('log-out')}</span><span class="dock-word">${t('salon.leave')}</span></button>
      <button class="dock-button chat-button" type="button" data-testid="toggle-chat" aria-pressed=${String(chat.opened)} @click=${() => chat.toggle()}>
        <span class="dock-sign">${icon('message-circle')}${state.unread > 0 && html`<span class="badge">${Math.min(99, state.unread)}</span>`}</span>
        <span class="dock-word">${t('chat.title')}</span></button>
      <button class="dock-button share-button" type="button" data-testid="dock-share" @click=${() => room && openIdSheet(room, context.signal)}>
        <span class="dock-sign">${icon('user-plus')}</span><span class="dock-word">${t('salon.invite')}</span></button>
      ${context.salon.live ? liveButton(context, context.salon.live) : effectsButton(context)}
      ${context.salon.live && screenButton(context, context.salon.live)}
      ${context.salon.live && pkButton(context, context.salon.live)}
      <button class="mic-button" type="button" data-mic=${me.mic} data-testid="microphone" data-level-of=${me.mic === 'live' ? me.id : null}
        title=${micHint(state)} aria-label=${`${micWords(context)}. ${micHint(state)}`} aria-busy=${waits} aria-keyshortcuts="m"
        @click=${() => void pressMicrophone(context)}>
        <span class="mic-sign"><span class="mic-ring"></span>${icon(waits ? 'loader-circle' : signs[me.mic], waits ? 'spin' : '')}</span>
        <span class="mic-word">${micWords(context)}</span>
      </button>
      ${hand(context, requests)}
      ${giftButton(context)}
      ${likeButton(context)}
    </nav>`;
}

/** @param {SalonContext} context */
function effectsButton(context) {
  return html`<button class="dock-button" type="button" data-testid="effects" aria-pressed=${String(context.app.effects.active.get())} @click=${() => openEffects(context.app, context.signal, { salon: context.salon })}>
    <span class="dock-sign">${icon('wand-sparkles')}</span><span class="dock-word">${t('effects.open')}</span></button>`;
}

/**
 * The hand: a host's queue, a listener's wish, a speaker's way down.
 * @param {SalonContext} context
 * @param {import('./requests.js').Requests} requests
 */
function hand(context, requests) {
  const { me, requests: queue, myRequest, pending } = context.state;
  if (me.canManage)
    return html`<button class="dock-button" type="button" data-testid="hand" aria-pressed=${String(requests.opened)} @click=${() => requests.toggle()}>
      <span class="dock-sign">${icon('hand')}${queue.length > 0 && html`<span class="badge" data-testid="request-badge">${queue.length}</span>`}</span>
      <span class="dock-word">${t('requests.title')}</span></button>`;
  if (me.seat !== null)
    return html`<button class="dock-button" type="button" data-testid="stand-button" @click=${() => void context.act(() => context.salon.seats.stand())}>
      <span class="dock-sign">${icon('arrow-down-to-line')}</span><span class="dock-word">${t(context.salon.live ? 'live.stepDown' : 'seat.leaveShort')}</span></button>`;
  return html`<button class="dock-button" type="button" data-testid="hand" aria-pressed=${String(Boolean(myRequest))} aria-busy=${pending.has('request')}
    @click=${() => void (myRequest ? context.act(() => context.salon.requests.cancelRequest()) : askForSeat(context, null))}>
    <span class="dock-sign">${icon('hand')}</span><span class="dock-word">${t(myRequest ? 'requests.lower' : 'requests.raise')}</span></button>`;
}

/** @type {WeakMap<SalonContext, HTMLElement>} */
const likeButtons = new WeakMap();

/**
 * Likes the room, and shows it.
 * @param {SalonContext} context
 */
export function like(context) {
  context.salon.talk.like();
  const hearts = /** @type {import('../../elements/hearts.js').Hearts | null | undefined} */ (
    likeButtons.get(context)?.querySelector('ov-hearts')
  );
  hearts?.add(1, 'mine');
}

/**
 * Keeps its own view: the total changes often and alone.
 * @param {SalonContext} context
 */
function likeButton(context) {
  const known = likeButtons.get(context);
  if (known) return known;
  const place = document.createElement('div');
  place.className = 'like-place';
  likeButtons.set(context, place);
  view(
    place,
    [language, context.salon.likes],
    () => html`<ov-hearts></ov-hearts>
      <button class="dock-button like" type="button" data-testid="like" aria-label=${t('salon.like', { count: context.salon.likes.get() })} @click=${() => like(context)}>
        <span class="dock-sign">${icon('heart')}</span>
        <span class="dock-word numbers"><ov-count data-testid="likes" .value=${context.salon.likes.get()}></ov-count></span></button>`,
    context.signal,
  );
  return place;
}

/**
 * Kick, mute and close can be taken back for 5 s.
 * @param {SalonContext} context
 */
function undo(context) {
  const { undo } = context.state;
  if (!undo) return null;
  return html`<div class="undo" role="status" data-testid="undo">
    <span>${t(`undo.${undo.action}`, { name: undo.user?.name ?? t('seat.number', { seat: undo.seat + 1 }), seat: undo.seat + 1 })}</span>
    <button class="button compact" type="button" data-testid="undo-button" @click=${() => void context.act(() => context.salon.moderation.undo())}>
      ${icon('undo-2')}${t('common.undo')}<ov-countdown ring .until=${undo.until}></ov-countdown></button>
    <button class="icon-button" type="button" aria-label=${t('common.close')} @click=${() => context.salon.moderation.dismissUndo()}>${icon('x')}</button>
  </div>`;
}
