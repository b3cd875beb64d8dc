import { html } from '../../lib/html.js';
import { language, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { view } from '../../lib/view.js';

/** @typedef {import('./context.js').SalonContext} SalonContext */

/**
 * In the row of the bar, and in its middle.
 * @type {[WeakMap<SalonContext, HTMLElement>, WeakMap<SalonContext, HTMLElement>]}
 */
const likeButtons = [new WeakMap(), new WeakMap()];

/**
 * Likes the room, and shows it.
 * @param {SalonContext} context
 */
export function like(context) {
  context.salon.talk.like();
  const shown = likeButtons.map(places => places.get(context)).find(place => place?.isConnected);
  const hearts = /** @type {import('../../elements/hearts.js').Hearts | null | undefined} */ (
    shown?.querySelector('ov-hearts')
  );
  hearts?.add(1, 'mine');
}

/**
 * Keeps its own view: the total changes often and alone.
 * @param {SalonContext} context
 * @param {boolean} isMain in the middle of the bar
 */
export function likeButton(context, isMain) {
  const places = likeButtons[isMain ? 1 : 0];
  const place = places.get(context) ?? newButton(context);
  place.toggleAttribute('data-main', isMain);
  places.set(context, place);
  return place;
}

/** @param {SalonContext} context */
function newButton(context) {
  const place = document.createElement('div');
  place.className = 'like-place';
  view(
    place,
    [language, context.salon.likes],
    () => html`<ov-hearts></ov-hearts>
      <button class="dock-button like" type="button" data-testid="like" aria-label=${t('salon.like', { count: context.salon.likes.get() })} @click=${() => like(context)}>
        <span class="dock-sign">${icon('heart')}</span>
        <span class="dock-word numbers"><ov-count data-testid="likes" .value=${context.salon.likes.get()}></ov-count></span></button>`,
    context.signal,
  );
  return place;
}
