import { avatar } from '../../elements/avatar.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { openIdSheet } from '../lobby/id-sheet.js';
import { connectionChip } from './connection.js';
import { openMore } from './more.js';
import { openPeople } from './people.js';

/**
 * Title, id, how many are here, how the line is.
 * @param {import('./context.js').SalonContext} context
 * @param {() => void} leave
 */
export function salonHeader(context, leave) {
  const { room, audienceCount } = context.state;
  if (!room) return null;
  return html`<header class="salon-head" data-keep-clear>
    <button class="icon-button" type="button" aria-label=${t('salon.leave')} data-testid="back" @click=${leave}>${icon('arrow-left')}</button>
    ${avatar(room.owner, 's40')}
    <div class="salon-title">
      <h1 class="clip" dir="auto" data-testid="room-name">${room.name}</h1>
      <p class="salon-under">
        <button class="room-id numbers" type="button" data-testid="show-id" aria-label=${t('salon.showId', { id: room.label })}
          @click=${() => openIdSheet(room, context.signal)}>${icon('hash')}<span class="clip" data-testid="header-room-id">${room.label}</span></button>
        <span class="clip soft owner" dir="auto">${room.owner.name}</span>
      </p>
    </div>
    <button class="head-chip numbers" type="button" data-testid="member-count" aria-label=${t('salon.besidesHost', { count: audienceCount })}
      @click=${() => openPeople(context)}>${icon('users-round')}<ov-count .value=${audienceCount}></ov-count></button>
    ${connectionChip(context)}
    <button class="icon-button" type="button" aria-label=${t('more.title')} data-testid="more" @click=${() => openMore(context, leave)}>
      ${icon('ellipsis')}</button>
  </header>`;
}
