import { avatar } from '../../elements/avatar.js';
import { openSheet } from '../../elements/sheet.js';
import { html, keyed } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { openPerson, placeOf } from './person.js';

/** @typedef {import('./context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/salon-state.js').PersonView} PersonView */

/** @param {SalonContext} context @param {PersonView} person @param {() => void} press */
function row(context, person, press) {
  return keyed(
    person.id,
    html`<li><button class="person-row" type="button" data-testid="person-row" data-user=${person.id} @click=${press}>
      ${avatar(person, 's40')}
      <span class="clip" dir="auto">${person.isMe ? t('seat.you', { name: person.name }) : person.name}</span>
      ${person.role === 'owner' && html`<span class="host-mark">${icon('crown')}</span>`}
      ${person.role === 'admin' && html`<span class="admin-mark">${icon('shield')}</span>`}
      ${person.seat !== null && html`<span class="soft small numbers">${placeOf(context, person.seat)}</span>`}
    </button></li>`,
  );
}

/**
 * Everybody here, those on stage first.
 * @param {SalonContext} context
 */
export function openPeople(context) {
  const { salon, signal } = context;
  void context.act(() => salon.loadMembers());
  openSheet({
    title: () => t('salon.here', { count: context.state.memberCount }),
    testid: 'people-sheet',
    signal,
    stores: [salon.state],
    body: sheet => {
      const { seats, audience, memberCount } = context.state;
      const seated = seats
        .map(seat => (seat.user ? salon.person(seat.user.id) : null))
        .filter(person => person !== null);
      const people = [.../** @type {PersonView[]} */ (seated), ...audience];
      const more = memberCount - people.length;
      return html`<ul class="people">${people.map(person =>
        row(context, person, () => {
          sheet.close();
          openPerson(context, person.id);
        }),
      )}</ul>
      ${more > 0 && html`<p class="soft small centered">${t('salon.moreHere', { count: more })}</p>`}`;
    },
  });
}

/**
 * Whom to invite to this seat.
 * @param {SalonContext} context
 * @param {number} seat
 */
export function chooseListener(context, seat) {
  const { salon, signal } = context;
  void context.act(() => salon.loadMembers());
  openSheet({
    title: () => t('seat.inviteTo', { seat: seat + 1 }),
    testid: 'invite-sheet',
    className: 'small-sheet',
    signal,
    stores: [salon.state],
    body: sheet => {
      const listeners = context.state.audience.filter(person => !person.isMe);
      if (listeners.length === 0) return html`<p class="soft">${t('seat.nobodyToInvite')}</p>`;
      return html`<ul class="people">${listeners.map(person =>
        row(context, person, () => {
          sheet.close();
          void context.act(() => salon.requests.invite(person.id, seat));
        }),
      )}</ul>`;
    },
  });
}
