import { Store } from './store.js';

/**
 * How much room the page has, as the style sheets divide it: `wide` has a column for the chat, `tall` is a phone or a small tablet held
 * upright, `turned` a phone on its side.
 * @typedef {'wide' | 'tall' | 'turned'} PageShape
 */

const wide = matchMedia('(min-width: 900px)');
// Lower than any tablet: what is left of a phone's shorter side.
const turned = matchMedia('(max-width: 899px) and (max-height: 480px) and (orientation: landscape)');

/** @returns {PageShape} */
const read = () => (wide.matches ? 'wide' : turned.matches ? 'turned' : 'tall');

/** @type {Store<PageShape>} Changes as the window does. */
export const pageShape = new Store(read());

for (const query of [wide, turned]) query.addEventListener('change', () => pageShape.set(read()));
