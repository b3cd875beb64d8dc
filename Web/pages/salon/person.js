import { avatar } from '../../elements/avatar.js';
import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { volumeSticks } from '../../lib/volume.js';
import { handOver, hideItem, reportItem, restrictItems } from '../shared/moderation.js';

/** @typedef {import('./context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/salon-state.js').PersonView} PersonView */

/**
 * One person: how loud I hear them, and what a host may do.
 * @param {SalonContext} context
 * @param {string} id
 */
export function openPerson(context, id) {
  const { salon, signal } = context;
  const first = salon.person(id) ?? gone(salon.profile(id));
  if (!first) return context.say(t('error.user_not_in_room'), 'user-x');
  openSheet({
    title: () => (salon.person(id) ?? first).name,
    testid: 'person-sheet',
    className: 'small-sheet',
    quiet: true,
    signal,
    stores: [salon.state, context.app.preferences],
    body: sheet => {
      const person = salon.person(id);
      const shown = person ?? first;
      return html`<div class="stack">
        <div class="person-head">
          <span class="person-face" data-level-of=${shown.id}>${avatar(shown, 's96')}</span>
          <h2 dir="auto" data-testid="person-name">${shown.isMe ? t('seat.you', { name: shown.name }) : shown.name}</h2>
          <p class="soft small">${role(context, shown)} · ${whereabouts(context, person)}</p>
        </div>
        ${person && hearing(context, person)}
        ${person && html`<div class="menu">${large(context, person, sheet.close)}${person.isMe ? own(context, person, sheet.close) : hosting(context, person, sheet.close)}${!person.isMe && html`${hideItem(context, person, sheet.close)}${reportItem(context, person, sheet.close)}`}</div>`}
        ${!person && !shown.isMe && html`<div class="menu">${callBack(context, shown, sheet.close)}${hideItem(context, shown, sheet.close)}${reportItem(context, shown, sheet.close)}${restrictItems(context, shown, sheet.close)}</div>`}
      </div>`;
    },
  });
}

/**
 * What is known of somebody who has left.
 * @param {import('../../protocol/events.js').User | null} user
 * @returns {PersonView | null}
 */
function gone(user) {
  return user && { ...user, role: 'member', seat: null, isMe: false, presence: 'online', listening: null };
}

/**
 * A live room has viewers and guests where others have listeners and speakers.
 * @param {SalonContext} context @param {PersonView} person
 */
function role({ salon }, { role, seat }) {
  const word = role === 'member' && seat !== null ? 'speaker' : role;
  return t(salon.live ? `role.live.${word}` : `role.${word}`);
}

/** @param {SalonContext} context @param {PersonView | null} person */
function whereabouts(context, person) {
  if (!person) return t('person.gone');
  if (person.presence === 'reconnecting') return t('seat.reconnecting');
  if (person.seat === null) return t(context.salon.live ? 'person.watching' : 'person.listening');
  return placeOf(context, person.seat);
}

/**
 * Where somebody sits: in a live room seats are not told apart.
 * @param {SalonContext} context @param {number} seat
 */
export function placeOf({ salon }, seat) {
  return salon.live ? t('live.stage') : t('seat.number', { seat: seat + 1 });
}

/**
 * My own volume for this person; nobody else hears a difference.
 * @param {SalonContext} context
 * @param {PersonView} person
 */
function hearing({ salon }, person) {
  const { listening } = person;
  if (!listening || person.seat === null) return null;
  return html`<div class="hearing" role="group" aria-label=${t('person.forMe')}>
    <button class="icon-button" type="button" aria-pressed=${String(listening.muted)} data-testid="mute-for-me"
      aria-label=${t(listening.muted ? 'person.unmuteForMe' : 'person.muteForMe')}
      @click=${() => salon.hearing.setListening(person.id, { muted: !listening.muted })}>${icon(listening.muted ? 'volume-x' : 'volume-2')}</button>
    ${
      volumeSticks() &&
      html`<input class="slider" type="range" min="0" max="100" aria-label=${t('person.volume')} data-testid="person-volume" ?disabled=${listening.muted}
      .value=${String(listening.volume)} .vars=${{ '--value': `${listening.volume}%` }}
      @input=${(/** @type {any} */ event) => salon.hearing.setListening(person.id, { volume: Number(event.target.value) })} />
    <output class="numbers">${t('effects.percent', { value: listening.volume })}</output>`
    }
    <p class="small soft">${t('person.forMe')}</p>
  </div>`;
}

/**
 * In a live room: large on this page alone, and for whoever hosts it, on everybody's.
 * @param {SalonContext} context @param {PersonView} person @param {() => void} close
 */
function large(context, person, close) {
  const { live } = context.salon;
  const onStage = context.state.seats.filter(({ user }) => user).length;
  if (!live || person.seat === null || onStage < 2 || live.pk.state.get().links.length > 0) return null;
  const isLarge = live.state.get().pinned === person.id;
  const { stage, me, room } = context.state;
  const isForAll = stage.form === 'spotlight' && (stage.large ?? room?.owner.id) === person.id;
  const forAll = () => {
    close();
    // Without anybody named it is the host.
    const large = person.role === 'owner' ? {} : { large: person.id };
    void context.act(() =>
      context.salon.command('stage.arrange', isForAll ? { form: 'grid' } : { form: 'spotlight', ...large }),
    );
  };
  return html`${
    me.canManage &&
    html`<button type="button" data-testid="person-large-for-all" @click=${forAll}>${icon('star')}<span>${t(isForAll ? 'layout.grid' : 'layout.largeForAll')}</span></button>`
  }<button type="button" data-testid="person-large" @click=${() => {
    close();
    live.pin(isLarge ? null : person.id);
  }}>${icon('pin')}<span>${t(isLarge ? 'live.usualSize' : 'live.largeForMe')}</span></button>`;
}

/** @param {SalonContext} context @param {PersonView} person @param {() => void} close */
function own(context, person, close) {
  if (person.seat === null) return null;
  const { seat } = person;
  const { live } = context.salon;
  const about = context.state.me.isOwner ? 'live.stepDownAboutOwner' : 'live.stepDownAbout';
  const blocked = context.state.me.canManage && context.state.seats[seat]?.camera === 'blocked';
  return html`${
    blocked &&
    html`<button type="button" data-testid="allow-camera" @click=${() => {
      close();
      void context.act(() => context.salon.moderation.allowCamera(seat, true));
    }}>${icon('video')}<span>${t('person.cameraAllowMine')}</span></button>`
  }<button type="button" data-testid="stand" @click=${() => {
    close();
    void context.act(() => context.salon.seats.stand());
  }}>${icon('arrow-down-to-line')}<span>${t(live ? 'live.stepDown' : 'seat.leave')}<span class="about">${t(live ? about : 'seat.leaveAbout')}</span></span></button>`;
}

/**
 * Who has left can be invited to a seat, wherever they are signed in.
 * @param {SalonContext} context @param {PersonView} person @param {() => void} close
 */
function callBack(context, person, close) {
  const free = context.freeSeat();
  if (!context.state.me.canManage || free === null) return null;
  return html`<button type="button" data-testid="call-back" @click=${() => {
    close();
    void context.act(() => context.salon.requests.invite(person.id, free));
  }}>${icon('user-plus')}<span>${t('person.callBack')}<span class="about">${t('person.callBackAbout')}</span></span></button>`;
}

/** @param {SalonContext} context @param {PersonView} person @param {() => void} close */
function hosting(context, person, close) {
  const { salon, state } = context;
  const { me } = state;
  // An admin may do everything but to the owner; roles are the owner's alone.
  if (!me.canManage || person.role === 'owner') return null;
  /** @param {() => Promise<unknown>} action */
  const then = action => () => {
    close();
    void context.act(action);
  };
  const { seat } = person;
  const view = seat === null ? null : state.seats[seat];
  const free = context.freeSeat();
  return html`
    ${
      seat === null &&
      html`<button type="button" data-testid="invite" ?disabled=${free === null} @click=${then(() => salon.requests.invite(person.id, free))}>
        ${icon('user-plus')}<span>${t('person.invite')}</span></button>
        <button type="button" data-testid="pick" ?disabled=${free === null} @click=${then(() => salon.moderation.pick(person.id, free ?? 0))}>
        ${icon('armchair')}<span>${t('person.pick')}<span class="about">${t('person.pickAbout')}</span></span></button>`
    }
    ${
      seat !== null &&
      view &&
      html`<button type="button" data-testid="mute-seat" @click=${then(() => salon.moderation.muteSeat(seat, !view.muted))}>
          ${icon(view.muted ? 'mic' : 'mic-off')}<span>${t(view.muted ? 'person.unmute' : 'person.mute')}</span></button>
        ${
          view.camera !== null &&
          html`<button type="button" data-testid="allow-camera" @click=${then(() => salon.moderation.allowCamera(seat, view.camera === 'blocked'))}>
          ${icon(view.camera === 'blocked' ? 'video' : 'video-off')}<span>${t(view.camera === 'blocked' ? 'person.cameraAllow' : 'person.cameraOff')}</span></button>`
        }
        <button type="button" data-testid="kick" @click=${then(() => salon.moderation.kick(seat))}>
          ${icon('arrow-down-to-line')}<span>${t('person.kick')}</span></button>
        <button type="button" data-testid="close-seat" @click=${then(() => salon.moderation.closeSeat(seat, true))}>
          ${icon('lock')}<span>${t('person.kickAndClose')}</span></button>`
    }
    ${
      me.isOwner &&
      html`<button type="button" data-testid="set-role" @click=${then(() => salon.moderation.setRole(person.id, person.role === 'admin' ? 'member' : 'admin'))}>
        ${icon(person.role === 'admin' ? 'shield-off' : 'shield')}<span>${t(person.role === 'admin' ? 'person.unmakeAdmin' : 'person.makeAdmin')}<span class="about">${t(
          'person.adminAbout',
        )}</span></span></button>
        <button type="button" data-testid="hand-over" ?disabled=${person.presence !== 'online'} @click=${() => {
          close();
          void handOver(context, person);
        }}>${icon('crown')}<span>${t('handOver.open')}</span></button>`
    }${restrictItems(context, person, close)}`;
}
