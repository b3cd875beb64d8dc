import { formatNumber } from '../lib/i18n.js';

const duration = 450;
const still = matchMedia('(prefers-reduced-motion: reduce)');

/** `<ov-count .value=${n}>`: a number that counts smoothly to its new value. */
export class Count extends HTMLElement {
  #shown = NaN;
  #value = 0;
  #frame = 0;

  connectedCallback() {
    this.classList.add('numbers');
    this.#show(this.#value);
  }

  disconnectedCallback() {
    cancelAnimationFrame(this.#frame);
  }

  get value() {
    return this.#value;
  }

  set value(value) {
    this.#value = value;
    cancelAnimationFrame(this.#frame);
    if (!this.isConnected) return;
    if (Number.isNaN(this.#shown) || still.matches || document.hidden) this.#show(value);
    else this.#animate(this.#shown, value);
  }

  /** @param {number} from @param {number} to */
  #animate(from, to) {
    const begin = performance.now();
    const step = (/** @type {number} */ now) => {
      const part = Math.min(1, (now - begin) / duration);
      this.#show(Math.round(from + (to - from) * (1 - (1 - part) ** 3)));
      if (part < 1) this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }

  /** @param {number} value */
  #show(value) {
    this.#shown = value;
    const text = formatNumber(value);
    const shown = /** @type {Node} */ (this).textContent;
    if (shown !== text) this.replaceChildren(text);
  }
}

customElements.define('ov-count', Count);
