import '../../elements/video.js';
import { avatar } from '../../elements/avatar.js';
import { ask, openSheet } from '../../elements/sheet.js';
import { html, keyed } from '../../lib/html.js';
import { formatNumber, parts, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { roomSlug } from '../../protocol/ids.js';
import { guestPicture } from '../../protocol/pictures.js';
import { follow } from '../parts.js';
import { openRivals } from './pk-invite.js';
import { resultText } from './pk-news.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/live.js').LiveModel} LiveModel */
/** @typedef {import('../../protocol/events.js').HostLink} HostLink */
/** @typedef {import('../../protocol/events.js').PKMatch} PKMatch */

/** Neither side's part of the bar is smaller: its figure has to stand in it. */
const leastShare = 0.12;

/**
 * In the bar of a host on stage: invites another host, or has what is to be done about the linked one.
 * @param {SalonContext} context @param {LiveModel} live
 */
export function pkButton(context, live) {
  const { links, challenge } = live.pk.state.get();
  const words = links.length > 0 ? t('rivals.connected') : t('rivals.title');
  return html`<button class="dock-button pk-button" type="button" data-testid="pk" aria-haspopup="dialog" aria-label=${words} title=${words}
    aria-pressed=${String(links.length > 0)} aria-busy=${Boolean(challenge?.isOurs)}
    @click=${() => (links.length > 0 ? openLink(context, live, links[0].id) : openRivals(context, live))}>
    <span class="dock-sign pk-sign">PK</span><span class="dock-word">${t(links.length > 0 ? 'rivals.connectedShort' : 'rivals.short')}</span></button>`;
}

/**
 * The points and the clock, above the two pictures.
 * @param {SalonContext} context @param {LiveModel} live
 */
export function pkBar(context, live) {
  const { match, links, ending } = live.pk.state.get();
  const link = links.find(({ id }) => id === match?.link);
  const ours = context.state.room?.owner;
  if (!match || !link || !ours || match.phase === 'linking') return null;
  const all = match.ours + match.theirs;
  const share = Math.min(1 - leastShare, Math.max(leastShare, all === 0 ? 0.5 : match.ours / all));
  const words = t('rivals.score', {
    name: ours.name,
    other: link.host.name,
    ours: formatNumber(match.ours),
    theirs: formatNumber(match.theirs),
  });
  return html`<div class="pk-head" data-keep-clear data-testid="pk-head" data-phase=${match.phase}>
    <div class="pk-bar" role="img" aria-label=${words} .vars=${{ '--share': String(share) }}>
      <span class="pk-ours"><ov-count data-testid="pk-ours" .value=${match.ours}></ov-count></span>
      <span class="pk-theirs"><ov-count data-testid="pk-theirs" .value=${match.theirs}></ov-count></span>
    </div>
    <p class="pk-clock" data-testid="pk-clock">${clock(context, match, ending, link)}</p>
  </div>`;
}

/** @param {SalonContext} context @param {PKMatch} match @param {import('../../models/pk.js').Ending | null} ending @param {HostLink} link */
function clock(context, match, ending, link) {
  const { startAt = 0, endAt = 0 } = match;
  if (match.phase === 'running')
    return html`<ov-countdown class="numbers" .now=${() => Math.max(context.now(), startAt)} .until=${endAt}></ov-countdown>`;
  if (match.phase === 'counting') return t('rivals.counting');
  if (ending?.phase === 'forfeit') {
    const time = html`<ov-countdown class="numbers" .now=${context.now} .until=${ending.until}></ov-countdown>`;
    return parts('rivals.forfeitNow', {
      forfeit: forfeitOf(match),
      name: loserOf(context, match, link),
      time,
    });
  }
  return resultText(context, match, link.host.name);
}

/** @param {PKMatch} match */
const forfeitOf = match => match.terms.forfeit || t('rivals.forfeit');

/** @param {SalonContext} context @param {PKMatch} match @param {HostLink} link */
function loserOf(context, match, link) {
  return match.result?.outcome === 'won' ? link.host.name : (context.state.room?.owner.name ?? '');
}

/**
 * Over both pictures: connecting, 3-2-1, who has won.
 * @param {SalonContext} context @param {LiveModel} live
 */
export function pkOver(context, live) {
  const { match, links, ending } = live.pk.state.get();
  const link = links.find(({ id }) => id === match?.link);
  if (!match || !link) return null;
  if (match.phase === 'linking')
    return html`<p class="pk-over" role="status" data-testid="pk-linking">${icon('loader-circle', 'spin')}${t('rivals.linking', { name: link.host.name })}</p>`;
  if (match.phase === 'running' && match.startAt !== undefined)
    return html`<ov-countdown class="three numbers" seconds data-testid="pk-three" .now=${context.now} .until=${match.startAt}></ov-countdown>`;
  if (match.phase === 'over' && ending?.phase === 'card')
    return html`<div class="pk-over pk-card" data-testid="pk-card" data-outcome=${match.result?.outcome ?? 'draw'}>${icon(match.result?.outcome === 'draw' ? 'users' : 'crown')}
      <strong>${resultText(context, match, link.host.name)}</strong>
      <span>${t('rivals.points', { ours: formatNumber(match.ours), theirs: formatNumber(match.theirs) })}</span></div>`;
  return null;
}

/**
 * Another room's host, as a tile beside those of this room.
 * @param {SalonContext} context @param {LiveModel} live @param {HostLink} link @param {string} area
 */
export function guestTile(context, live, link, area) {
  const { guests } = live.pk.state.get();
  const { choice, received } = live.state.get();
  const { host, place } = link;
  const news = received.find(({ guest }) => guest === place);
  const says =
    choice === 'off'
      ? t('live.listening')
      : news?.lack === 'line' && news.size === 'off'
        ? t('live.audioOnly')
        : news?.lack === 'sender'
          ? t('live.noPictureFrom', { name: host.name })
          : t('live.connecting', { name: host.name });
  const silent = link.muted || live.pk.listening.of(host.id).muted;
  return keyed(
    `guest-${link.id}`,
    html`<div class="tile guest-tile" data-testid=${`tile-guest-${place}`} data-user=${host.id} data-level-of=${`guest:${place}`} .vars=${{ '--area': area }} ?data-listening=${choice === 'off'}>
    <div class="tile-face">${avatar(host)}<p class="tile-says">${says}</p></div>
    <ov-video data-testid=${`picture-guest-${place}`} data-seat=${guestPicture(place)} .track=${guests[place]?.picture ?? null} @frames=${() => live.pk.noteFrame(place)}></ov-video>
    <button class="tile-plate" type="button" data-testid=${`guest-${place}`} aria-haspopup="dialog" aria-label=${t('live.person', { name: host.name })} @click=${() => openLink(context, live, link.id)}>
      ${silent && icon('volume-x')}<span class="host-mark">${icon('crown')}</span><span class="clip" dir="auto">${host.name}</span>
    </button>
    ${visitLink(context, link)}
  </div>`,
  );
}

/** @param {SalonContext} context @param {HostLink} link */
function visitLink(context, link) {
  if (context.state.me.seat !== null) return null;
  return html`<a class="guest-visit" href=${`/r/${roomSlug(link.room)}`} data-testid=${`visit-${link.place}`} aria-label=${t('rivals.visitRoom', { name: link.host.name })}
    @click=${(/** @type {MouseEvent} */ event) => follow(event, context.app)}>${t('rivals.visit')}</a>`;
}

/**
 * What is to be done about a linked room: everybody can visit it and mute its host for themselves; the host of this one more.
 * @param {SalonContext} context @param {LiveModel} live @param {string} id
 */
export function openLink(context, live, id) {
  const { signal, app } = context;
  const link = () => live.pk.state.get().links.find(link => link.id === id);
  const first = link();
  if (!first) return;
  const sheet = openSheet({
    title: () => first.host.name,
    testid: 'link-sheet',
    className: 'small-sheet',
    signal,
    stores: [live.pk.state, live.pk.listening, context.salon.state],
    body: sheet => {
      const now = link();
      if (!now) return null;
      const { host } = now;
      const { me } = context.state;
      const { match, links } = live.pk.state.get();
      const muted = live.pk.listening.of(host.id).muted;
      /** @param {string} testid @param {string} sign @param {string} text @param {() => unknown} press @param {string} [look] */
      const item = (testid, sign, text, press, look = '') =>
        html`<button type="button" class=${look} data-testid=${testid} @click=${press}>${icon(sign)}<span>${text}</span></button>`;
      return html`<div class="menu">
        ${
          me.isOwner &&
          !live.pk.isOn &&
          // Points are between two.
          links.length === 1 &&
          item('link-rematch', 'repeat', t(match ? 'rivals.rematch' : 'rivals.start'), () => {
            sheet.close();
            openRivals(context, live, now);
          })
        }
        ${item(
          'link-mute-me',
          muted ? 'volume-2' : 'volume-x',
          t(muted ? 'rivals.unmuteMe' : 'rivals.muteMe', { name: host.name }),
          () => context.salon.hearing.setListening(host.id, { muted: !muted }),
        )}
        ${
          me.canManage &&
          item(
            'link-mute',
            now.muted ? 'mic' : 'mic-off',
            t(now.muted ? 'rivals.unmuteAll' : 'rivals.muteAll', { name: host.name }),
            () => context.act(() => live.pk.mute(id, !now.muted)),
          )
        }
        ${me.seat === null && html`<a href=${`/r/${roomSlug(now.room)}`} data-testid="link-visit" @click=${(/** @type {MouseEvent} */ event) => follow(event, app)}>${icon('door-open')}<span>${t('rivals.visitRoom', { name: host.name })}</span></a>`}
        ${
          me.canManage &&
          item(
            'link-quit',
            'unplug',
            t(isCounting(match) ? 'rivals.breakOff' : 'rivals.end'),
            () => {
              sheet.close();
              void quit(context, live, now);
            },
            'bad',
          )
        }
      </div>`;
    },
  });
  live.pk.state.subscribe(() => !link() && sheet.close(), { signal: sheet.signal, now: false });
}

/** @param {PKMatch | null} match */
const isCounting = match => match?.phase === 'running' || match?.phase === 'counting';

/** @param {SalonContext} context @param {LiveModel} live @param {HostLink} link */
async function quit(context, live, link) {
  const counts = isCounting(live.pk.state.get().match);
  const yes =
    !counts ||
    (await ask({
      title: t('rivals.breakOffTitle'),
      text: t('rivals.breakOffText'),
      yes: t('rivals.breakOff'),
      signal: context.signal,
      testid: 'break-off-sheet',
    }));
  if (yes) await context.act(() => live.pk.quit(link.id));
}
