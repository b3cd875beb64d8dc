import { graphemes } from './text.js';

/**
 * A number from a text, the same on every machine (FNV-1a, 32 bits).
 * @param {string} text
 */
export function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/**
 * The two hues of a person's or room's gradient, in degrees.
 * @param {string} id
 * @returns {{'--hue': number, '--hue-2': number}}
 */
export function hues(id) {
  const value = hash(id);
  const hue = value % 360;
  return { '--hue': hue, '--hue-2': (hue + 35 + ((value >>> 9) % 50)) % 360 };
}

/**
 * Up to two letters that stand for a name: of the first and last word, or the first two signs of a name without spaces in
 * scripts that have no capitals.
 * @param {string} name
 */
export function initials(name) {
  const words = name.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return '?';
  const signs = (/** @type {string} */ word) => [...graphemes(word)];
  if (words.length > 1) return (signs(words[0])[0] + signs(words[words.length - 1])[0]).toUpperCase();
  const first = signs(words[0]);
  return first.slice(0, 2).join('').toUpperCase();
}
