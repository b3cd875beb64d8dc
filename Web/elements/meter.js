const bars = 24;

/** `<ov-meter .level=${0…100}>`: how loud the microphone is, as a row of lights. */
export class Meter extends HTMLElement {
  #level = 0;

  connectedCallback() {
    this.setAttribute('role', 'meter');
    this.setAttribute('aria-valuemin', '0');
    this.setAttribute('aria-valuemax', '100');
    if (this.childElementCount === 0) for (let i = 0; i < bars; i++) this.append(document.createElement('i'));
    this.#show();
  }

  get level() {
    return this.#level;
  }

  set level(level) {
    if (level === this.#level) return;
    this.#level = level;
    this.#show();
  }

  #show() {
    const lit = Math.round((Math.min(100, this.#level) / 100) * bars);
    this.setAttribute('aria-valuenow', String(Math.round(this.#level)));
    for (let i = 0; i < this.children.length; i++) this.children[i].classList.toggle('lit', i < lit);
  }
}

customElements.define('ov-meter', Meter);
