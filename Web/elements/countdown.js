import { formatClock } from '../lib/i18n.js';

/**
 * `<ov-countdown .until=${time} .now=${() => salon.serverNow()}>`: the time left, as text or, with the attribute `ring`,
 * as a closing ring around its parent (CSS reads `--left`, 1…0), or, with the attribute `seconds`, as whole seconds that are gone at the
 * end. Both times are milliseconds of the same clock.
 */
export class Countdown extends HTMLElement {
  /** @type {number | null} */ #until = null;
  /** @type {() => number} */ now = Date.now;
  #timer = 0;
  #whole = 1;

  connectedCallback() {
    this.setAttribute('aria-hidden', 'true');
    this.#restart();
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
  }

  get until() {
    return this.#until;
  }

  set until(until) {
    if (until === this.#until) return;
    this.#until = until;
    if (this.isConnected) this.#restart();
  }

  #restart() {
    clearInterval(this.#timer);
    this.#whole = Math.max(1, (this.#until ?? 0) - this.now());
    this.#show();
    if (this.#until !== null) this.#timer = window.setInterval(() => this.#show(), 250);
  }

  #show() {
    const left = Math.max(0, (this.#until ?? 0) - this.now());
    if (this.hasAttribute('ring')) this.style.setProperty('--left', String(left / this.#whole));
    else if (this.hasAttribute('seconds')) {
      this.textContent = String(Math.ceil(left / 1000));
      this.hidden = left === 0;
    } else this.textContent = formatClock(left / 1000);
    if (left === 0) clearInterval(this.#timer);
  }
}

/** `<ov-since .since=${time} .now=${clock}>`: how long something has lasted. */
export class Since extends HTMLElement {
  /** @type {() => number} */ now = Date.now;
  since = 0;
  #timer = 0;

  connectedCallback() {
    this.classList.add('numbers');
    const show = () => {
      this.textContent = formatClock(Math.max(0, this.now() - this.since) / 1000);
    };
    // The properties are set before the element stands in the page, so the first reading is right.
    show();
    this.#timer = window.setInterval(show, 1000);
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
  }
}

customElements.define('ov-countdown', Countdown);
customElements.define('ov-since', Since);
