import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { announceMicrophone } from '../devices.js';
import { openAsking } from '../live/ask.js';
import { chooseListener } from './people.js';
import { openPerson } from './person.js';

/** @typedef {import('./context.js').SalonContext} SalonContext */

/**
 * A tap on a seat: sit, move, ask, or see who sits there.
 * @param {SalonContext} context
 * @param {number} index
 */
export async function pressSeat(context, index) {
  const seat = context.state.seats[index];
  const { me } = context.state;
  if (seat.user) return openPerson(context, seat.user.id);
  if (me.canManage) return openEmptySeat(context, index);
  if (seat.state === 'closed') return context.say(t('error.seat_closed'), 'lock');
  if (seat.reserved && seat.reserved.user.id !== me.id)
    return context.say(t('seat.reservedFor', { name: seat.reserved.user.name }), 'hourglass');
  if (me.seat !== null) return void (await context.act(() => context.salon.seats.move(index)));
  if (context.state.room?.needsRequest) return askForSeat(context, index);
  await sitDown(context, index);
}

/** @param {SalonContext} context @param {number} index */
export async function sitDown(context, index) {
  if (!(await context.act(() => context.salon.hearing.checkBrowser()))) return;
  if (!(await announceMicrophone(context.app, context.signal))) return;
  const { me } = context.state;
  await context.act(() =>
    me.seat === null ? context.salon.seats.sit(index) : context.salon.seats.move(index),
  );
}

/** @param {SalonContext} context @param {number | null} index null: any */
export async function askForSeat(context, index) {
  if (context.state.myRequest) return context.say(t('error.invitation_exists'), 'hand');
  if (!(await context.act(() => context.salon.hearing.checkBrowser()))) return;
  const { live } = context.salon;
  // While rooms are linked nobody comes on stage, and the server says why.
  if (live && live.pk.state.get().links.length === 0) return openAsking(context, live);
  if (!(await announceMicrophone(context.app, context.signal))) return;
  await context.act(() => context.salon.requests.ask(index));
}

/**
 * What a host may do with an empty or closed seat.
 * @param {SalonContext} context
 * @param {number} index
 */
function openEmptySeat(context, index) {
  const { salon, signal } = context;
  openSheet({
    title: () => t('seat.number', { seat: index + 1 }),
    testid: 'seat-sheet',
    className: 'small-sheet',
    signal,
    stores: [salon.state],
    body: sheet => {
      const seat = context.state.seats[index];
      const { me } = context.state;
      if (seat.user) {
        queueMicrotask(sheet.close);
        return null;
      }
      /** @param {() => unknown} action */
      const then = action => () => {
        sheet.close();
        void action();
      };
      const closed = seat.state === 'closed';
      const { reserved } = seat;
      return html`<div class="menu">
        ${
          !closed &&
          html`<button type="button" data-testid="seat-sit" @click=${then(() => sitDown(context, index))}>
            ${icon('armchair')}<span>${t(me.seat === null ? 'seat.sitHere' : 'seat.moveHere')}</span></button>`
        }
        ${
          !closed &&
          !reserved &&
          html`<button type="button" data-testid="seat-invite" @click=${then(() => chooseListener(context, index))}>
            ${icon('user-plus')}<span>${t('seat.inviteSomeone')}</span></button>`
        }
        ${
          reserved &&
          html`<button type="button" data-testid="seat-uninvite" @click=${then(() => context.act(() => salon.requests.cancelInvitation(reserved.invitation)))}>
            ${icon('user-x')}<span>${t('seat.uninvite', { name: reserved.user.name })}</span></button>`
        }
        ${
          !closed &&
          html`<button type="button" data-testid="seat-mute" @click=${then(() => context.act(() => salon.moderation.muteSeat(index, !seat.muted)))}>
            ${icon(seat.muted ? 'mic' : 'mic-off')}<span>${t(seat.muted ? 'seat.unmuteSeat' : 'seat.muteSeat')}<span class="about">${t(
              seat.muted ? 'seat.unmuteSeatAbout' : 'seat.muteSeatAbout',
            )}</span></span></button>`
        }
        <button type="button" data-testid="seat-close" @click=${then(() => context.act(() => salon.moderation.closeSeat(index, !closed)))}>
          ${icon(closed ? 'lock-open' : 'lock')}<span>${t(closed ? 'seat.openSeat' : 'seat.closeSeat')}</span></button>
      </div>`;
    },
  });
}
