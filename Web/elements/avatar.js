import { pictureURL } from '../lib/assets.js';
import { hues, initials } from '../lib/color.js';
import { html } from '../lib/html.js';
import { render } from '../lib/render.js';

/** @typedef {{id: string, name: string, avatar: string}} User */

/**
 * `<ov-avatar .user=${user}>`: the picture, else two letters on a gradient made from the user's id.
 * The name stands beside it wherever it is used, so it is hidden from screen readers.
 */
export class Avatar extends HTMLElement {
  /** @type {User | null} */ #user = null;
  #broken = '';

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
    const picture = user.avatar === this.#broken ? '' : pictureURL(user.avatar);
    const failed = () => {
      this.#broken = user.avatar;
      this.#draw();
    };
    render(
      html`<span class="letters">${initials(user.name || user.id)}</span>
        ${picture && html`<img src=${picture} alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer" @error=${failed} />`}`,
      this,
    );
  }
}

/** @param {User | null} user @param {string} [className] */
export function avatar(user, className = '') {
  return html`<ov-avatar class=${className} .user=${user}></ov-avatar>`;
}

customElements.define('ov-avatar', Avatar);
