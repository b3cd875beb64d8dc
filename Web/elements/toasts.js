import { html, keyed } from '../lib/html.js';
import { icon } from '../lib/icon.js';
import { render } from '../lib/render.js';
import './countdown.js';

/**
 * @typedef {object} Toast
 * @property {string} text
 * @property {string} [icon]
 * @property {'plain' | 'bad' | 'good'} [tone]
 * @property {string} [label] of a button
 * @property {() => void} [action]
 * @property {number} [until] local clock; shown as a closing ring
 * @property {string} [testid]
 */

const shownFor = 4500;
/** Between the window's edge, what stays readable, and the toasts. */
const gap = 8;

/** `<ov-toasts>`: short news above everything, read out politely. At most three; the oldest goes first. */
export class Toasts extends HTMLElement {
  /** @type {(Toast & {key: number, timer: number})[]} */ #toasts = [];
  #next = 1;

  connectedCallback() {
    this.setAttribute('role', 'status');
    this.setAttribute('aria-live', 'polite');
    this.setAttribute('popover', 'manual');
  }

  /**
   * Shows it for 4.5 s, or until `toast.until`.
   * @param {Toast} toast
   * @returns {() => void} takes it away
   */
  show(toast) {
    const key = this.#next++;
    const time = toast.until ? Math.max(0, toast.until - Date.now()) : shownFor;
    const remove = () => this.#remove(key);
    // The same sentence twice is one toast.
    for (const old of this.#toasts.filter(old => old.text === toast.text)) this.#remove(old.key);
    this.#toasts.push({ ...toast, key, timer: window.setTimeout(remove, time) });
    while (this.#toasts.length > 3) this.#remove(this.#toasts[0].key);
    this.#draw(true);
    return remove;
  }

  /** @param {number} key */
  #remove(key) {
    const index = this.#toasts.findIndex(toast => toast.key === key);
    if (index < 0) return;
    clearTimeout(this.#toasts[index].timer);
    this.#toasts.splice(index, 1);
    this.#draw(false);
  }

  /** @param {boolean} raise put it above an open sheet */
  #draw(raise) {
    if (raise && this.isConnected) {
      setPopover(this, false);
      setPopover(this, true);
    }
    if (this.#toasts.length === 0) setPopover(this, false);
    render(
      this.#toasts.map(toast =>
        keyed(
          toast.key,
          html`<div class="toast ${toast.tone ?? 'plain'}" data-testid=${toast.testid ?? 'toast'}>
            ${toast.icon && icon(toast.icon)}
            <span>${toast.text}</span>
            ${
              toast.label &&
              html`<button class="button compact" type="button" data-testid="toast-action" @click=${() => {
                this.#remove(toast.key);
                toast.action?.();
              }}>${toast.label}${toast.until && html`<ov-countdown ring .until=${toast.until}></ov-countdown>`}</button>`
            }
          </div>`,
        ),
      ),
      this,
    );
    this.place();
  }

  /** Below what stays readable: the head of a page, the points of two rooms. Over a sheet there is none of it. */
  place() {
    if (this.#toasts.length === 0) return;
    const { height } = this.getBoundingClientRect();
    const kept = document.querySelector('dialog[open]')
      ? []
      : [...document.querySelectorAll('[data-keep-clear]')];
    let top = gap;
    for (const element of kept) {
      const box = element.getBoundingClientRect();
      if (box.top < top + height + gap) top = Math.max(top, box.bottom + gap);
    }
    this.style.setProperty('--top', `${top}px`);
  }
}

/**
 * Puts an element above everything or takes it away. Browsers without popovers show it in its place.
 * @param {any} element
 * @param {boolean} open
 */
function setPopover(element, open) {
  if (!element.showPopover || element.matches(':popover-open') === open) return;
  if (open) element.showPopover();
  else element.hidePopover();
}

customElements.define('ov-toasts', Toasts);
