import '../../elements/cover.js';
import '../../elements/still.js';
import { avatar } from '../../elements/avatar.js';
import { html, keyed } from '../../lib/html.js';
import { listed, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { pageKinds } from '../../models/kinds.js';
import { stillPath } from '../../protocol/ids.js';
import { follow } from '../parts.js';

/** @param {import('../app.js').App} app @param {import('../../models/lobby.js').RoomCard} room */
export function roomCard(app, room) {
  const lights = Array.from(
    { length: room.seats },
    (_, i) => html`<i class=${i < room.seated ? 'lit' : ''}></i>`,
  );
  const isLive = room.kind === 'live' && room.seated > 0;
  return keyed(
    room.slug,
    html`<li>
      <a class="card" href=${`/r/${room.slug}`} data-testid="room-card" data-room=${room.slug} ?data-speaking=${room.speaking} ?data-live=${isLive}
        @click=${(/** @type {MouseEvent} */ event) => follow(event, app)}>
        <div class="card-picture">
          <ov-cover .of=${{ id: room.slug, cover: room.cover, title: room.name }}></ov-cover>
          <ov-still data-testid="room-still" .url=${stillPath(room)}></ov-still>
          <span class="card-kind">${icon(signOf(room))}${kindOf(room, isLive)}</span>
          <span class="card-count numbers">${icon('users-round')}<span class="only-read">${t('lobby.people', { count: room.memberCount })}</span><ov-count aria-hidden="true" .value=${room.memberCount}></ov-count></span>
        </div>
        <div class="card-text">
          ${avatar(room.owner, 's40')}
          <div>
            <h2 class="two-lines" dir="auto">${room.name}</h2>
            <p class="soft small clip" dir="auto" data-testid="card-hosts">${hostsOf(room)}</p>
          </div>
        </div>
        <div class="card-foot">
          <span class="lights" role="img" aria-label=${t('lobby.seats', { count: room.seated, all: room.seats })}>${lights}</span>
          <span class="card-tags clip">${room.tags.slice(0, 3).map(tag => html`<span>#${tag}</span>`)}</span>
        </div>
      </a>
    </li>`,
  );
}

/** @param {import('../../models/lobby.js').RoomCard} room */
function signOf(room) {
  if (room.pk === 'in_pk') return 'crown';
  if (room.speaking) return 'audio-lines';
  return room.kind === 'live' ? 'video' : 'mic-vocal';
}

/** @param {import('../../models/lobby.js').RoomCard} room @param {boolean} isLive */
function kindOf(room, isLive) {
  if (room.pk === 'in_pk') return t('lobby.pk');
  if (room.speaking && !isLive) return t('lobby.speaking');
  return t(pageKinds.includes(room.kind) ? `kind.${room.kind}` : 'kind.unknown');
}

/**
 * A room's host, and whose pictures are beside theirs.
 * @param {import('../../models/lobby.js').RoomCard} room
 */
function hostsOf({ owner, linkedHosts, pk }) {
  if (!linkedHosts?.length) return owner.name;
  return t(pk === 'in_pk' ? 'lobby.against' : 'lobby.together', {
    name: owner.name,
    others: listed(linkedHosts),
  });
}

export function skeletonCard() {
  return html`<li class="card" aria-hidden="true">
    <div class="card-picture skeleton"></div>
    <div class="card-text"><span class="skeleton round"></span><div><span class="skeleton line"></span><span class="skeleton line short"></span></div></div>
    <div class="card-foot"><span class="skeleton line short"></span></div>
  </li>`;
}
