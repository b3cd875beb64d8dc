import { coverURL } from '../lib/assets.js';
import { hues } from '../lib/color.js';
import { html } from '../lib/html.js';
import { render } from '../lib/render.js';

/** @typedef {{id: string, cover: string, title: string}} CoverOf */

/** `<ov-cover .of=${{id, cover, title}}>`: a room's picture, else a gradient of its own with the title on it. */
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
        : html`<span class="cover-title">${of.title}</span>`,
      this,
    );
  }
}

customElements.define('ov-cover', Cover);
