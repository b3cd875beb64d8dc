import { coverURL } from '../lib/assets.js';
import { hues, initials } from '../lib/color.js';
import { html } from '../lib/html.js';
import { render } from '../lib/render.js';

/**
 * `titled` where the title does not stand beside the cover.
 * @typedef {{id: string, cover: string, title: string, titled?: boolean}} CoverOf
 */

/** `<ov-cover .of=${{id, cover, title}}>`: a room's picture, else a gradient of its own with the title, or its initials, on it. */
export class Cover extends HTMLElement {
  /** @type {CoverOf | null} */ #of = null;
  #broken = '';

  connectedCallback() {
    this.setAttribute('aria-hidden', 'true');
    this.#draw();
  }

  get of() {
    return this.#of;
  }

  set of(of) {
    const old = this.#of;
    this.#of = of;
    if (!old || !of || old.id !== of.id || old.cover !== of.cover || old.title !== of.title) this.#draw();
  }

  #draw() {
    const of = this.#of;
    if (!of || !this.isConnected) return;
    for (const [name, value] of Object.entries(hues(of.id))) this.style.setProperty(name, String(value));
    const url = coverURL(of.cover);
    const picture = url !== '' && url !== this.#broken;
    const failed = () => {
      this.#broken = url;
      this.#draw();
    };
    this.toggleAttribute('generated', !picture);
    render(
      picture
        ? html`<img src=${url} alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer" @error=${failed} />`
        : of.titled
          ? html`<span class="cover-title">${of.title}</span>`
          : html`<span class="cover-initials">${initials(of.title)}</span>`,
      this,
    );
  }
}

customElements.define('ov-cover', Cover);
