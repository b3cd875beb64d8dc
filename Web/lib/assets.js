// Bundles do not stand among the app's files: their page says where those are.
const stated = globalThis.document?.documentElement?.dataset?.assets;
const root = stated ? new URL(stated, document.baseURI) : new URL('..', import.meta.url);

/**
 * The address of one of the app's own files, whatever build it is served from.
 * @param {string} path relative to the app's root, for example `icons/sprite.svg`
 */
export function asset(path) {
  return new URL(path, root).href;
}

/** @type {readonly string[]} */
let pictureOrigins = [];

/**
 * Says which sites' pictures the page may show beside its own server's; its content policy allows no others.
 * @param {readonly string[]} origins
 */
export function allowPictures(origins) {
  pictureOrigins = origins;
}

/**
 * The address of a picture that somebody stated, if the page may show it. A picture tells its site who looks at it, so
 * only those of this server and of the sites that the operator names are shown.
 * @param {string} stated
 * @returns {string} '' for one that is not shown
 */
export function pictureURL(stated) {
  const url = parsed(stated);
  if (!url) return '';
  return url.origin === location.origin || pictureOrigins.includes(url.origin) ? url.href : '';
}

/**
 * Whether a text is the address of a picture that this page does not show, since its site is not among the operator's.
 * @param {string} stated
 */
export function isPictureElsewhere(stated) {
  return parsed(stated) !== null && pictureURL(stated) === '';
}

/** @param {string} stated */
function parsed(stated) {
  if (!stated) return null;
  try {
    const url = new URL(stated, document.baseURI);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
  } catch {
    return null;
  }
}

/**
 * The address of a gift's picture: the app's own are stored as `gifts/<name>.svg`. Others are pictures like any.
 * @param {string} [picture]
 * @returns {string} '' for none
 */
export function giftURL(picture) {
  if (!picture) return '';
  if (/^gifts\/[a-z0-9-]+\.svg$/.test(picture)) return asset(picture);
  return pictureURL(picture);
}

/**
 * The address of a cover: the app's own covers are stored as `covers/<name>.svg`, so that a room keeps its cover
 * when a new build moves the files. Others are pictures like any (see `pictureURL`).
 * @param {string} cover
 * @returns {string} '' for none
 */
export function coverURL(cover) {
  if (!cover) return '';
  if (/^covers\/[a-z0-9-]+\.svg$/.test(cover)) return asset(cover);
  return pictureURL(cover);
}
