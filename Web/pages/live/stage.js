import '../../elements/countdown.js';
import '../../elements/still.js';
import '../../elements/video.js';
import { avatar } from '../../elements/avatar.js';
import { html, keyed } from '../../lib/html.js';
import { errorText, sentences, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { pageShape } from '../../lib/page-shape.js';
import { areaOf, arrangementOf, largeLayoutOf, layoutOf, mostOnStage, sizeFor } from '../../models/layout.js';
import { guestPicture } from '../../protocol/pictures.js';
import { openPerson } from '../salon/person.js';
import { guestTile, pkBar, pkOver } from './pk.js';
import { screenTile } from './screen.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/salon-state.js').SeatView} SeatView */
/** @typedef {import('../../models/live.js').LiveModel} LiveModel */
/** @typedef {import('../../elements/video.js').Video} Video */

/**
 * How the page shows its people now.
 * @param {SalonContext} context @param {LiveModel} live
 */
export function arrangement({ state }, live) {
  const { links } = live.pk.state.get();
  const people = state.seats.filter(seat => seat.user);
  return arrangementOf(pageShape.get(), {
    count: people.length + links.length,
    hostUpright: live.state.get().upright && people.some(seat => seat.isOwner),
    others: links.length > 0 || state.screen !== null,
  });
}

/**
 * The people of a live room who are seen or heard: the host first, then by seat.
 * @param {SalonContext} context
 * @param {LiveModel} live
 */
export function liveStage(context, live) {
  const { room } = context.state;
  const { links } = live.pk.state.get();
  const { form } = arrangement(context, live);
  const { people, areaOfSeat, count, layout } = placesOf(context, live, form);
  const { areas, rows, shape } = layout;
  const isPair = links.length === 1 && people.length === 1;
  const { screen } = context.state;
  return html`${pkBar(context, live)}<section class="live-stage" aria-label=${t('live.stage')} data-testid="live-stage" data-count=${count} data-form=${form} ?data-pair=${isPair} ?data-screen=${screen !== null}
      .vars=${{ '--areas': areas, '--rows': rows, '--shape': String(shape), '--count': String(count) }}>
    ${screen && screenTile(context, live, screen)}
    ${people.map(seat => keyed(seat.index, tile(context, live, seat, areaOfSeat(seat.index))))}
    ${links.map((link, at) => guestTile(context, live, link, areaOf(people.length + at)))}
    ${pkOver(context, live)}
    ${links.length > 0 && note(context, live)}
    ${goingLive(live)}
    ${
      count === 0 &&
      html`<div class="live-empty" data-testid="live-empty">${room && avatar(room.owner, 's96')}
        <p>${context.state.me.isOwner ? t('live.takeSeat') : t('live.hostAway', { name: room?.owner.name ?? t('salon.theHost') })}</p>
        ${
          context.state.me.isOwner &&
          html`<button class="button primary" type="button" data-testid="live-sit" @click=${() => void context.act(() => context.salon.seats.sit(0))}>${icon('mic')}${t('live.goOn')}</button>`
        }
      </div>`
    }
  </section>
  ${links.length === 0 && note(context, live)}`;
}

/**
 * Who is where in a block of that form.
 * @param {SalonContext} context @param {LiveModel} live @param {import('../../models/layout.js').Form} form
 */
export function placesOf(context, live, form) {
  const { links } = live.pk.state.get();
  const people = context.state.seats.filter(seat => seat.user).slice(0, mostOnStage - links.length);
  const host = people.find(seat => seat.isOwner);
  const { user: wanted, spotlight } = foremostOf(context, live);
  const first = people.find(seat => seat.user?.id === wanted) ?? host;
  // A tile never moves in the page, which would pause its picture: the layout alone says where it is.
  const inOrder = [...new Set([...(first ? [first] : []), ...(host ? [host] : []), ...people])];
  const places = new Map(inOrder.map((seat, at) => [seat.index, areaOf(at)]));
  const count = people.length + links.length;
  const layout = spotlight ? largeLayoutOf(count, form) : layoutOf(count, form);
  return { people, count, layout, areaOfSeat: (/** @type {number} */ seat) => places.get(seat) ?? 'a' };
}

/**
 * Who stands in the first place, null for the host, and whether it is larger than all others. What I chose for this page counts more
 * than what the host chose for everybody. One person alone, a screen, or another room leave no such choice.
 * @param {SalonContext} context @param {LiveModel} live
 * @returns {{user: string | null, spotlight: boolean, mine: boolean}} `mine`: by my own choice
 */
function foremostOf({ state }, live) {
  const { pinned } = live.state.get();
  const people = state.seats.filter(({ user }) => user);
  if (state.screen || people.length < 2 || live.pk.state.get().links.length > 0)
    return { user: null, spotlight: false, mine: false };
  if (people.some(({ user }) => user?.id === pinned)) return { user: pinned, spotlight: true, mine: true };
  const { form, large } = state.stage;
  return { user: large, spotlight: form === 'spotlight', mine: false };
}

/** @param {SalonContext} context @param {LiveModel} live @param {SeatView} seat @param {string} area */
function tile(context, live, seat, area) {
  const user = /** @type {NonNullable<SeatView['user']>} */ (seat.user);
  const { tracks, showing, choice } = live.state.get();
  const silent = seat.muted || seat.micMuted;
  const mirrored = seat.isMe && context.app.beauty.turns(tracks[seat.index] ?? null);
  const says = without(context, live, seat);
  const foremost = foremostOf(context, live);
  const dark = seat.camera !== null && seat.camera !== 'on';
  return html`<div class="tile" data-testid=${`tile-${seat.index}`} data-user=${user.id} data-level-of=${user.id} .vars=${{ '--area': area }}
      ?data-me=${seat.isMe} ?data-sent=${seat.isMe && showing} ?data-away=${seat.presence === 'reconnecting'} ?data-listening=${!seat.isMe && choice === 'off'} ?data-dark=${dark && !seat.isMe}>
    ${seat.isOwner && !seat.isMe && html`<ov-still data-soft .url=${live.before}></ov-still>`}
    <div class="tile-face">${avatar(user)}${says && html`<p class="tile-says">${says}</p>`}</div>
    <ov-video data-testid=${`picture-${seat.index}`} data-seat=${seat.index} ?data-mirror=${mirrored} .track=${tracks[seat.index] ?? null} @frames=${() => !seat.isMe && live.noteFrame()}
      @shape=${(/** @type {any} */ event) => seat.isOwner && live.noteHostShape(event.currentTarget.upright)}></ov-video>
    <span class="tile-ring"></span>
    ${
      foremost.mine &&
      foremost.user === user.id &&
      html`<button class="tile-pin" type="button" data-testid="unpin" aria-label=${t('live.usualSize')} title=${t('live.usualSize')} @click=${() => live.pin(null)}>${icon('pin')}</button>`
    }
    <button class="tile-plate" type="button" data-testid=${`seat-${seat.index}`} aria-label=${plateLabel(seat)} @click=${() => openPerson(context, user.id)}>
      ${icon(silent ? 'mic-off' : 'mic')}
      ${seat.poorLine && html`<span class="line-mark" data-testid=${`poor-${seat.index}`} title=${t('live.poorLine')}>${icon('signal-medium')}</span>`}
      ${seat.isOwner && html`<span class="host-mark">${icon('crown')}</span>`}
      <span class="clip" dir="auto">${seat.isMe ? t('seat.you', { name: user.name }) : user.name}</span>
    </button>
  </div>`;
}

/** @param {LiveModel} live */
function goingLive(live) {
  const { phase, until } = live.going.state.get();
  if (phase === 'counting')
    return html`<ov-countdown class="three numbers" seconds data-testid="going-live" .now=${() => Date.now()} .until=${until}></ov-countdown>
      <p class="only-read" role="status">${t('goLive.counting')}</p>`;
  if (phase === 'waiting')
    return html`<p class="pk-over" role="status" data-testid="going-live-wait">${icon('loader-circle', 'spin')}${t('goLive.waiting')}</p>`;
  return null;
}

/** @param {SeatView} seat */
function plateLabel({ user, poorLine }) {
  const person = t('live.person', { name: user?.name ?? '' });
  return poorLine ? sentences(person, t('live.poorLine')) : person;
}

/**
 * Why a tile has no picture, where there is more to say than that.
 * @param {SalonContext} context @param {LiveModel} live @param {SeatView} seat
 */
function without(context, live, seat) {
  const { received, choice, problem, opening, awaited } = live.state.get();
  const name = seat.user?.name ?? '';
  if (seat.presence === 'reconnecting') return t('seat.reconnecting');
  if (seat.isMe) {
    if (seat.camera === 'blocked') return t('live.cameraBlockedMine');
    if (live.lacksFormat) return t('live.noCodecMine', { format: live.formatName });
    if (problem) return errorText({ name: problem });
    if (context.app.beauty.state.get().mode === 'failed') return t('beauty.failed');
    if (context.app.camera.state.get().away) return t('live.cameraAwayMine');
    return opening ? t('live.cameraOpening') : t('live.cameraOffMine');
  }
  if (choice === 'off') return t('live.listening');
  if (seat.camera === 'off' || seat.camera === 'blocked') {
    const alone = context.state.seats.filter(({ user }) => user).length === 1;
    return t(alone ? 'live.soundOnly' : 'live.cameraOffOf', { name });
  }
  const news = received.find(picture => picture.seat === seat.index);
  if (news?.lack === 'line' && news.size === 'off') return t('live.audioOnly');
  if (news?.lack === 'sender') return t('live.noPictureFrom', { name });
  // What comes without a lack is on its way, as what has just begun may be.
  const { media } = context.salon.connection.get();
  if (awaited.get(seat.index) === 'soundFirst' && media === 'connected') return t('live.soundFirst');
  if (news || awaited.has(seat.index) || media !== 'connected') return t('live.connecting', { name });
  // Who shows it sends no picture that every browser can show.
  if (live.lacksFormat) return t('live.noCodec', { name, format: live.formatName });
  return html`${t('live.noPicture')}<span class="tile-actions">
    <button class="button compact" type="button" data-testid="picture-again" @click=${() => live.tryAgain()}>${t('common.retry')}</button>
    <button class="button compact" type="button" data-testid="picture-never" @click=${() => live.choose('off')}>${t('quality.off')}</button></span>`;
}

/**
 * A word while my line gets less than it could: in a PK over the pictures, since the points and the clock stand above them.
 * @param {SalonContext} context @param {LiveModel} live
 */
function note(context, live) {
  const { received, choice } = live.state.get();
  const lowered =
    choice !== 'off' && received.find(picture => picture.lack === 'line' && picture.size !== 'off');
  if (!lowered || context.state.me.seat !== null)
    return html`<p class="live-note" data-testid="live-note" hidden></p>`;
  return html`<p class="live-note" role="status" data-testid="live-note">${icon('signal-low')}${t('live.lowered', { quality: t(`quality.${lowered.size}`) })}</p>`;
}

/**
 * Asks for each picture as large as its place on the page is.
 * @param {HTMLElement} root
 * @param {SalonContext} context
 * @param {LiveModel} live
 */
export function watchPlaces(root, context, live) {
  const { signal, salon } = context;
  /** @type {Set<HTMLElement>} */ const seen = new Set();
  const tell = () => {
    /** @type {Map<import('../../protocol/pictures.js').PictureName, import('../../protocol/pictures.js').PictureSize>} */ const places =
      new Map();
    for (const element of seen) {
      const height = element.getBoundingClientRect().height;
      if (height === 0) continue;
      // A screen is to be read: it comes as large as the line carries.
      const { seat } = element.dataset;
      if (seat === 'screen') places.set('screen', 'high');
      else if (seat?.startsWith('guest:'))
        places.set(guestPicture(Number(seat.slice(6))), sizeFor(height, devicePixelRatio));
      else places.set(Number(seat), sizeFor(height, devicePixelRatio));
    }
    live.place(places);
  };
  const sizes = new ResizeObserver(tell);
  const look = () => {
    const present = new Set(/** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('.tile ov-video')));
    for (const element of seen) if (!present.has(element)) sizes.unobserve(element);
    for (const element of present) if (!seen.has(element)) sizes.observe(element);
    const same = present.size === seen.size && [...present].every(element => seen.has(element));
    seen.clear();
    for (const element of present) seen.add(element);
    if (!same) tell();
  };
  // After the page has been drawn anew.
  const drawn = () => queueMicrotask(() => queueMicrotask(look));
  salon.state.subscribe(drawn, { signal });
  live.pk.state.subscribe(drawn, { signal });
  signal.addEventListener('abort', () => sizes.disconnect());
}
