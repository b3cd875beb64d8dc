import { hues, initials } from '../lib/color.js';
import { html } from '../lib/html.js';
import { render } from '../lib/render.js';
import { builtInFace, faceURL } from '../models/faces.js';

/** @typedef {{id: string, name: string, avatar: string}} User */

/**
 * `<ov-avatar .user=${user}>`: the picture, else the built-in face that fits the user's id, else two letters; on a gradient of the id.
 * The name stands beside it wherever it is used, so it is hidden from screen readers.
 */
export class Avatar extends HTMLElement {
  /** @type {User | null} */ #user = null;
  /** Addresses that brought no picture. @type {Set<string>} */ #broken = new Set();

  connectedCallback() {
    this.setAttribute('aria-hidden', 'true');
    this.#draw();
  }

  get user() {
    return this.#user;
  }

  set user(user) {
    const old = this.#user;
    this.#user = user;
    if (!old || !user || old.id !== user.id || old.name !== user.name || old.avatar !== user.avatar)
      this.#draw();
  }

  #draw() {
    const user = this.#user;
    if (!user || !this.isConnected) return;
    for (const [name, value] of Object.entries(hues(user.id))) this.style.setProperty(name, String(value));
    const own = faceURL(user.avatar);
    const picture = [own, faceURL(builtInFace(user.id))].find(url => url && !this.#broken.has(url));
    const failed = () => {
      if (picture) this.#broken.add(picture);
      this.#draw();
    };
    render(
      picture
        ? html`<img src=${picture} alt="" ?data-stand-in=${picture !== own} loading="lazy" decoding="async" referrerpolicy="no-referrer" @error=${failed} />`
        : html`<span class="letters">${initials(user.name || user.id)}</span>`,
      this,
    );
  }
}

/** @param {User | null} user @param {string} [className] */
export function avatar(user, className = '') {
  return html`<ov-avatar class=${className} .user=${user}></ov-avatar>`;
}

customElements.define('ov-avatar', Avatar);
