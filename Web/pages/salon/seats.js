import { avatar } from '../../elements/avatar.js';
import { html, keyed } from '../../lib/html.js';
import { qualified, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { pressSeat } from './seat-actions.js';

/** @typedef {import('../../models/salon-state.js').SeatView} SeatView */

/**
 * How many seats stand in each row: the first alone in front, the others in even rows without orphans, at most five wide.
 * @param {number} count 1…16
 * @returns {number[]}
 */
export function seatRows(count) {
  if (count <= 2) return count === 0 ? [] : [count];
  const others = count - 1;
  const rows = Math.ceil(others / (others <= 4 ? 4 : others <= 12 ? 4 : 5));
  const small = Math.floor(others / rows);
  const large = others % rows;
  return [1, ...Array.from({ length: rows }, (_, i) => small + (i < large ? 1 : 0))];
}

/** @param {import('./context.js').SalonContext} context */
export function seatGrid(context) {
  const { seats } = context.state;
  let next = 0;
  const rows = seatRows(seats.length).map(length => {
    const row = seats.slice(next, next + length);
    next += length;
    return html`<div class="seat-row">${row.map(seat => seatButton(context, seat))}</div>`;
  });
  return html`<section class="seats" aria-label=${t('salon.seats')} data-count=${seats.length} data-size=${sizeOf(seats.length)}>${rows}</section>`;
}

/** @param {number} count */
function sizeOf(count) {
  return count <= 4 ? 'few' : count <= 9 ? 'some' : 'many';
}

/** @param {import('./context.js').SalonContext} context @param {SeatView} seat */
export function seatButton(context, seat) {
  const { user } = seat;
  const silent = seat.state === 'used' && (seat.muted || seat.micMuted);
  return keyed(
    seat.index,
    html`<button class="seat" type="button" data-testid=${`seat-${seat.index}`} data-state=${seat.state} data-user=${user?.id ?? null}
      data-level-of=${user?.id ?? null} data-front=${seat.index === 0 ? '' : null}
      ?data-host=${seat.isOwner} ?data-me=${seat.isMe} ?data-muted=${silent} ?data-host-muted=${seat.muted}
      ?data-away=${seat.presence === 'reconnecting'} ?data-reserved=${Boolean(seat.reserved)} ?data-pending=${seat.pending}
      aria-label=${describe(seat)} @click=${() => void pressSeat(context, seat.index)}>
      <span class="seat-face">
        <span class="seat-glow"></span>
        <span class="seat-ring"></span>
        ${face(context, seat)}
        ${marks(seat)}
      </span>
      <span class="seat-name">
        ${seat.isOwner && html`<span class="host-mark" title=${t('role.owner')}>${icon('crown')}</span>`}
        ${!seat.isOwner && seat.isAdmin && html`<span class="admin-mark" title=${t('role.admin')}>${icon('shield')}</span>`}
        <span class="clip" dir="auto">${label(seat)}</span>
        ${seat.isMe && html`<span class="you">${t('seat.youMark')}</span>`}
        ${seat.spokeLast && html`<i class="spoke-last" title=${t('seat.spokeLast')}></i>`}
      </span>
      <span class="seat-note">${note(context, seat) || (seat.isMe && html`<span class="you-below">${t('seat.youBelow')}</span>`)}</span>
    </button>`,
  );
}

/** @param {import('./context.js').SalonContext} context @param {SeatView} seat */
function face(context, seat) {
  if (seat.user) return avatar(seat.user);
  if (seat.reserved)
    return html`${avatar(seat.reserved.user)}${
      seat.reserved.until !== null &&
      html`<ov-countdown ring .now=${context.now} .until=${seat.reserved.until}></ov-countdown>`
    }`;
  return html`<span class="seat-empty">${icon(seat.state === 'closed' ? 'lock' : 'plus')}</span>`;
}

/**
 * Small signs at the edge of a face.
 * @param {SeatView} seat
 */
function marks(seat) {
  const quiet = seat.listening?.muted;
  return html`${
    seat.presence === 'reconnecting' && seat.user
      ? html`<span class="seat-mark away">${icon('loader-circle', 'spin')}</span>`
      : seat.muted
        ? html`<span class="seat-mark by-host">${icon('mic-off')}</span>`
        : seat.user && seat.micMuted && html`<span class="seat-mark">${icon('mic-off')}</span>`
  }
  ${quiet && html`<span class="seat-mark deaf">${icon('volume-x')}</span>`}`;
}

/** @param {SeatView} seat */
function label(seat) {
  if (seat.user) return seat.user.name;
  if (seat.reserved) return seat.reserved.user.name;
  return seat.state === 'closed' ? t('seat.closed') : t('seat.number', { seat: seat.index + 1 });
}

/**
 * A word below the name, where there is something to say.
 * @param {import('./context.js').SalonContext} context
 * @param {SeatView} seat
 */
function note(context, seat) {
  // The time first: a narrow seat cuts the word, and the turning sign says it too.
  if (seat.user && seat.presence === 'reconnecting')
    return html`${
      seat.presenceUntil !== null &&
      html`<ov-countdown .now=${context.now} .until=${seat.presenceUntil}></ov-countdown> · `
    }${t('seat.reconnecting')}`;
  if (seat.reserved) return t('seat.invited');
  if (seat.user && seat.muted) return t('seat.mutedByHost');
  return null;
}

/**
 * The whole seat in words.
 * @param {SeatView} seat
 */
function describe(seat) {
  const label = t('seat.number', { seat: seat.index + 1 });
  return t('common.fact', { label, value: seat.user ? describePerson(seat, seat.user) : describeFree(seat) });
}

/** @param {SeatView} seat */
function describeFree(seat) {
  if (seat.reserved) return t('seat.reservedFor', { name: seat.reserved.user.name });
  return t(seat.state === 'closed' ? 'seat.closed' : 'seat.empty');
}

/** @param {SeatView} seat @param {NonNullable<SeatView['user']>} user */
function describePerson(seat, user) {
  const words = [seat.isMe ? t('seat.you', { name: user.name }) : user.name];
  if (seat.isOwner) words.push(t('role.owner'));
  else if (seat.isAdmin) words.push(t('role.admin'));
  if (seat.presence === 'reconnecting') words.push(t('seat.reconnecting'));
  if (seat.muted) words.push(t('seat.mutedByHost'));
  else if (seat.micMuted) words.push(t('seat.muted'));
  return qualified(words);
}
