/** So many at once: a list of rooms must not hold up what else the page waits for. */
const atOnce = 4;

/**
 * Fetches pictures that nobody waits for: a few at once, in the order in which they were asked for, none while the page is hidden or
 * whoever looks at it saves data.
 */
export class PictureQueue {
  /** @type {(() => void)[]} */ #waiting = [];
  #running = 0;
  #page;
  #savesData;
  #fetch;

  /**
   * @param {Pick<Document, 'hidden' | 'addEventListener'>} page
   * @param {() => boolean} savesData
   * @param {(url: string) => Promise<HTMLImageElement>} fetch
   */
  constructor(page = document, savesData = savingData, fetch = fetchPicture) {
    this.#page = page;
    this.#savesData = savesData;
    this.#fetch = fetch;
    page.addEventListener('visibilitychange', () => this.#go());
  }

  /**
   * The picture, ready to be drawn. Throws where there is none, or where it is not wanted any more; while data is saved, at once.
   * @param {string} url
   * @param {AbortSignal} signal it is not wanted any more
   * @returns {Promise<HTMLImageElement>}
   */
  load(url, signal) {
    if (this.#savesData()) return Promise.reject(new DOMException('data is saved', 'AbortError'));
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.#waiting.push(() => {
        // What has scrolled by takes no place.
        if (signal.aborted) return this.#go();
        this.#running++;
        this.#fetch(url)
          .then(resolve, reject)
          .finally(() => {
            this.#running--;
            this.#go();
          });
      });
      this.#go();
    });
  }

  #go() {
    while (!this.#page.hidden && this.#running < atOnce && this.#waiting.length > 0)
      this.#waiting.shift()?.();
  }
}

function savingData() {
  return Boolean(/** @type {any} */ (navigator).connection?.saveData);
}

/** @param {string} url */
async function fetchPicture(url) {
  const image = new Image();
  image.alt = '';
  image.decoding = 'async';
  image.src = url;
  await image.decode();
  return image;
}
