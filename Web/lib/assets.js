const root = new URL('..', import.meta.url);

/**
 * The address of one of the app's own files, whatever build it is served from.
 * @param {string} path relative to the app's root, for example `icons/sprite.svg`
 */
export function asset(path) {
  return new URL(path, root).href;
}

/**
 * The address of a cover: the app's own covers are stored as `covers/<name>.svg`, so that a room keeps its cover
 * when a new build moves the files. Anything but http(s) and relative addresses shows as no cover.
 * @param {string} cover
 * @returns {string} '' for none
 */
export function coverURL(cover) {
  if (!cover) return '';
  if (/^covers\/[a-z0-9-]+\.svg$/.test(cover)) return asset(cover);
  try {
    const url = new URL(cover, document.baseURI);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : '';
  } catch {
    return '';
  }
}
