import { PictureQueue } from '../lib/picture-queue.js';

const queue = new PictureQueue();
/** So wide is what stands for a picture that is not there yet: enlarged, it shows colours and no face. */
const softWidth = 24;

/**
 * `<ov-still .url=${'/v1/…'} ?data-soft>`: what a room looks like now; loaded while it is in view. `data-soft` shows its colours alone,
 * drawn once: while the real picture is on its way, and beside one that does not fill its place.
 */
export class Still extends HTMLElement {
  #url = '';
  #shown = '';
  #inView = false;
  /** @type {AbortController | null} */ #loading = null;
  #views = new IntersectionObserver(entries => {
    this.#inView = entries[entries.length - 1].isIntersecting;
    this.#look();
  });

  connectedCallback() {
    this.setAttribute('aria-hidden', 'true');
    this.#views.observe(this);
  }

  disconnectedCallback() {
    this.#views.disconnect();
    this.#inView = false;
    this.#stop();
  }

  get url() {
    return this.#url;
  }

  /** '' for none. */
  set url(url) {
    if (url === this.#url) return;
    this.#url = url;
    this.#stop();
    if (url === '') {
      this.#shown = '';
      this.replaceChildren();
    } else this.#look();
  }

  #stop() {
    this.#loading?.abort();
    this.#loading = null;
  }

  #look() {
    const url = this.#url;
    if (!this.#inView) return this.#stop();
    if (url === '' || url === this.#shown || this.#loading) return;
    const loading = new AbortController();
    this.#loading = loading;
    queue.load(url, loading.signal).then(
      image => {
        if (this.#loading !== loading) return;
        this.#loading = null;
        this.#shown = url;
        if ('soft' in this.dataset) this.#showSoftly(image);
        else this.#show(image);
      },
      () => {
        // It is gone; the one before stays until the list says that there is none, or a newer one.
        if (this.#loading === loading) this.#loading = null;
      },
    );
  }

  /**
   * Over the one before, which goes with the next.
   * @param {HTMLImageElement} image
   */
  #show(image) {
    while (this.childElementCount > 1) this.firstElementChild?.remove();
    this.append(image);
  }

  /** @param {HTMLImageElement} image */
  #showSoftly(image) {
    const canvas = document.createElement('canvas');
    canvas.width = softWidth;
    canvas.height = Math.max(1, Math.round((softWidth * image.naturalHeight) / image.naturalWidth));
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    this.replaceChildren(canvas);
  }
}

customElements.define('ov-still', Still);
