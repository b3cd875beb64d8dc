import { asset } from './assets.js';
import { html } from './html.js';

const sprite = asset('icons/sprite.svg');

/**
 * A picture from the sprite; it says nothing to screen readers, so the control around it carries the words.
 * @param {string} name a Lucide name that is in icons/sprite.svg
 * @param {string} [className]
 */
export function icon(name, className = '') {
  return html`<svg class="icon ${className}" aria-hidden="true" focusable="false"><use href="${sprite}#${name}"></use></svg>`;
}
