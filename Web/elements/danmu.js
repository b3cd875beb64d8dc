const speed = 70;
const gap = 28;
const waiting = 12;
/** Without motion a comment stands in the middle for this long, milliseconds. */
const standing = 4000;
const still = matchMedia('(prefers-reduced-motion: reduce)');

/**
 * `<ov-danmu>`: comments that drift across a strip of their own, never over faces. As many lanes as fit its height;
 * a comment waits for a free lane, and when too many wait the oldest is let go (the chat has them all).
 */
export class Danmu extends HTMLElement {
  /** @type {{text: string, mine: boolean}[]} */ #queue = [];
  /** @type {number[]} when each lane's last comment has wholly come in */ #free = [];
  #timer = 0;

  connectedCallback() {
    this.setAttribute('aria-hidden', 'true');
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
    this.#queue = [];
    this.replaceChildren();
  }

  /** @param {string} text @param {boolean} [mine] */
  add(text, mine = false) {
    this.#queue.push({ text, mine });
    if (this.#queue.length > waiting) this.#queue.shift();
    this.#run();
  }

  #run() {
    clearTimeout(this.#timer);
    const height = 30;
    const lanes = Math.max(1, Math.floor(this.clientHeight / height));
    const now = performance.now();
    for (let lane = 0; lane < lanes && this.#queue.length > 0; lane++) {
      if ((this.#free[lane] ?? 0) > now) continue;
      const next = this.#queue.shift();
      if (next) this.#free[lane] = now + this.#fly(next, lane * height);
    }
    if (this.#queue.length > 0) this.#timer = window.setTimeout(() => this.#run(), 200);
  }

  /**
   * @param {{text: string, mine: boolean}} comment
   * @param {number} top pixels
   * @returns {number} milliseconds until the next one may follow in this lane
   */
  #fly({ text, mine }, top) {
    const item = document.createElement('span');
    item.textContent = text;
    item.classList.toggle('mine', mine);
    item.style.top = `${top}px`;
    this.append(item);
    const width = item.offsetWidth;
    if (still.matches) {
      item.style.left = `${Math.max(0, (this.clientWidth - width) / 2)}px`;
      setTimeout(() => item.remove(), standing);
      return standing;
    }
    const whole = this.clientWidth + width;
    const flight = item.animate(
      [{ transform: `translateX(${this.clientWidth}px)` }, { transform: `translateX(${-width}px)` }],
      { duration: (whole / speed) * 1000, easing: 'linear' },
    );
    flight.onfinish = flight.oncancel = () => item.remove();
    return ((width + gap) / speed) * 1000;
  }
}

customElements.define('ov-danmu', Danmu);
