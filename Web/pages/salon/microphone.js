import { html } from '../../lib/html.js';
import { sentences, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
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
      if (context.salon.live) return t('live.goOn');
      return room?.needsRequest && !me.canManage ? t('mic.ask') : t('mic.sit');
    case 'pending':
      return myRequest?.position ? t('mic.pendingPlace', { place: myRequest.position }) : t('mic.pending');
    case 'mutedByHost':
      return t('seat.mutedByHost');
    // Just sat down, or there is nothing to be done about it.
    case 'cutOff':
      return t(context.salon.connection.get().word === 'connecting' ? 'connection.connecting' : 'mic.cutOff');
    default:
      return t(`mic.${me.mic}`);
  }
}

/**
 * What pressing it does, for screen readers and tooltips.
 * @param {SalonContext} context
 */
function micHint({ state: { me, room } }) {
  if (me.mic === 'listener') return t(room?.needsRequest && !me.canManage ? 'micHint.ask' : 'micHint.sit');
  if (unmutesSeat(me)) return t('micHint.mutedSeat');
  if (me.mic === 'mutedByHost')
    return sentences(
      t('mic.mutedByHost', { name: me.mutedBy?.name ?? t('salon.theHost') }),
      t('micHint.mutedByHost'),
    );
  return t(`micHint.${me.mic}`);
}

/**
 * The big button in the middle of the bar.
 * @param {SalonContext} context
 * @param {() => boolean} isNew it stands there since a moment
 */
export function microphoneButton(context, isNew) {
  const { state } = context;
  const { me, pending } = state;
  const waits =
    pending.has('mic') ||
    pending.has('request') ||
    (me.seat === null && [...pending].some(name => name.startsWith('seat:')));
  const words = micWords(context);
  return html`<button class="mic-button" type="button" data-mic=${me.mic} data-testid="microphone" data-level-of=${me.mic === 'live' ? me.id : null}
    title=${micHint(context)} aria-label=${sentences(words, micHint(context))} aria-busy=${waits} aria-keyshortcuts="m"
    @click=${() => void (isNew() || pressMicrophone(context))}>
    <span class="mic-sign"><span class="mic-ring"></span>${icon(waits ? 'loader-circle' : signs[me.mic], waits ? 'spin' : '')}</span>
    <span class="mic-word"><span>${words}</span><kbd aria-hidden="true">M</kbd></span>
  </button>`;
}
