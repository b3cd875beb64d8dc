import { avatar } from '../../elements/avatar.js';
import { html, keyed } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { openPeople } from './people.js';
import { openPerson } from './person.js';

const faces = 24;

/**
 * Those who listen, below the stage.
 * @param {import('./context.js').SalonContext} context
 */
export function audienceStrip(context) {
  const { audience, memberCount, seats } = context.state;
  const seated = seats.filter(seat => seat.user).length;
  const listening = Math.max(audience.length, memberCount - seated);
  return html`<section class="audience" aria-label=${t('salon.audience')} data-testid="audience">
    <button class="audience-count soft small" type="button" @click=${() => openPeople(context)}>
      ${listening === 0 ? t('salon.noListeners') : t('salon.listeners', { count: listening })}${icon('chevron-right')}</button>
    <ul class="audience-faces">${audience.slice(0, faces).map(person =>
      keyed(
        person.id,
        html`<li><button class="face" type="button" title=${person.name} aria-label=${person.name} data-testid="listener" data-user=${person.id}
          ?data-away=${person.presence === 'reconnecting'} @click=${() => openPerson(context, person.id)}>
          ${avatar(person, 's40')}
          ${person.role === 'owner' && html`<span class="host-mark">${icon('crown')}</span>`}
          ${person.role === 'admin' && html`<span class="admin-mark">${icon('shield')}</span>`}
        </button></li>`,
      ),
    )}${
      listening > faces &&
      html`<li><button class="face more-faces numbers" type="button" @click=${() => openPeople(context)}>+${listening - faces}</button></li>`
    }</ul>
  </section>`;
}
