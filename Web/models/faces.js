import { asset, pictureURL } from '../lib/assets.js';
import { hash } from '../lib/color.js';

// Whose face is shown how. Pure; pictures of one's own are sent by face-library.js.

/** The animals of avatars/, in the order of their files. */
export const builtInNames = Object.freeze([
  'fox',
  'owl',
  'cat',
  'hare',
  'bear',
  'deer',
  'tiger',
  'panda',
  'penguin',
  'koala',
  'lion',
  'ram',
]);

/** What a profile says that has one of them. */
export const builtInFaces = Object.freeze(builtInNames.map((_, i) => `/avatars/${i + 1}.svg`));

/**
 * The face of who has no picture: the same everywhere and for ever.
 * @param {string} user
 */
export function builtInFace(user) {
  return builtInFaces[hash(user) % builtInFaces.length];
}

/**
 * The address of what a profile states as its picture.
 * @param {string} avatar
 * @returns {string} '' for none, or one that this page does not show
 */
export function faceURL(avatar) {
  // The app's own come with the build, so that browsers keep them.
  return builtInFaces.includes(avatar) ? asset(avatar.slice(1)) : pictureURL(avatar);
}

const upload = /^\/faces\/\d+\/([A-Za-z0-9_-]{26})\/(?:small|medium|large)\.jpg$/;

/**
 * Which upload an address shows.
 * @param {string} picture what a profile or a room states
 * @returns {string | null} its id; null for anything else
 */
export function uploadOf(picture) {
  return upload.exec(picture)?.[1] ?? null;
}
