import { giftURL } from '../lib/assets.js';
import { giftName } from '../lib/gift-name.js';
import { html, keyed } from '../lib/html.js';
import { t } from '../lib/i18n.js';
import { render } from '../lib/render.js';
import { avatar } from './avatar.js';

/** @typedef {import('../protocol/events.js').SentGift} SentGift */

const still = matchMedia('(prefers-reduced-motion: reduce)');
const wide = matchMedia('(min-width: 900px)');
/** A banner stands so long after the last gift in it, and no longer than that in all. */
const standsMs = 3000;
const longestMs = 8000;
/** What has no place waits; beyond that it is in the chat alone. */
const waitingMost = 20;
const largeMs = 3000;
const largeWaiting = 3;

/**
 * @typedef {object} Lane
 * @property {SentGift} sent the last one in it
 * @property {number} began
 * @property {number} until
 */

/**
 * `<ov-gifts>`: gifts as they come. Each sender's gift has a banner, which counts on while more of it come; large ones are shown one
 * at a time as well.
 */
export class Gifts extends HTMLElement {
  /** @type {Lane[]} */ #lanes = [];
  /** @type {SentGift[]} */ #waiting = [];
  /** @type {SentGift[]} */ #large = [];
  #showsLarge = false;
  /** @type {any} */ #timer = null;

  connectedCallback() {
    this.setAttribute('aria-hidden', 'true');
    this.#draw();
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
  }

  /** @param {SentGift} sent @param {{large?: boolean}} [options] `large`: large ones are shown large */
  add(sent, options = {}) {
    const { large = true } = options;
    if (document.hidden || !this.isConnected) return;
    const now = performance.now();
    const lane = this.#lanes.find(lane => sameRow(lane.sent, sent));
    if (lane) {
      lane.sent = sent;
      lane.until = Math.min(now + standsMs, lane.began + longestMs);
    } else if (this.#lanes.length < this.#places) {
      this.#lanes.push({ sent, began: now, until: now + standsMs });
    } else {
      this.#waiting = [...this.#waiting.filter(other => !sameRow(other, sent)), sent].slice(-waitingMost);
    }
    if (large && sent.gift.large) this.#addLarge(sent);
    this.#draw();
  }

  get #places() {
    return wide.matches ? 3 : 2;
  }

  #turn() {
    const now = performance.now();
    this.#lanes = this.#lanes.filter(({ until }) => until > now);
    while (this.#lanes.length < this.#places) {
      const sent = this.#waiting.shift();
      if (!sent) break;
      this.#lanes.push({ sent, began: now, until: now + standsMs });
    }
    this.#draw();
  }

  #draw() {
    clearTimeout(this.#timer);
    if (this.#lanes.length > 0) {
      const next = Math.min(...this.#lanes.map(({ until }) => until)) - performance.now();
      this.#timer = setTimeout(() => this.#turn(), Math.max(16, next));
    }
    render(
      html`<div class="gift-lanes">${this.#lanes.map(({ sent }) =>
        keyed(
          `${sent.from.id} ${sent.to.id} ${sent.gift.id}`,
          html`<div class="gift-banner" data-testid="gift-banner">
          ${avatar(sent.from, 's36')}
          <span class="gift-words"><b class="clip" dir="auto">${sent.from.name}</b><span class="clip" dir="auto">${t('gift.sentTo', { gift: giftName(sent.gift), name: sent.to.name })}</span></span>
          ${picture(sent.gift)}
          <span class="gift-times numbers" data-testid="gift-times">×${sent.combo}</span>
        </div>`,
        ),
      )}</div>`,
      this,
    );
  }

  /** @param {SentGift} sent */
  #addLarge(sent) {
    if (still.matches) return;
    this.#large = [...this.#large, sent].sort((a, b) => b.gift.price - a.gift.price).slice(0, largeWaiting);
    if (!this.#showsLarge) this.#nextLarge();
  }

  #nextLarge() {
    const sent = this.#large.shift();
    this.#showsLarge = Boolean(sent);
    const url = giftURL(sent?.gift.picture);
    if (!sent || !url || !this.isConnected) {
      this.#showsLarge = false;
      return;
    }
    const large = document.createElement('img');
    large.className = 'gift-large';
    large.src = url;
    large.alt = '';
    large.dataset.testid = 'gift-large';
    this.after(large);
    const rise = large.animate(
      [
        { transform: 'translate(-50%, 40%) scale(0.4)', opacity: 0 },
        { transform: 'translate(-50%, 0) scale(1)', opacity: 1, offset: 0.2 },
        { transform: 'translate(-50%, 0) scale(1.04)', opacity: 1, offset: 0.8 },
        { transform: 'translate(-50%, -30%) scale(0.9)', opacity: 0 },
      ],
      { duration: largeMs, easing: 'cubic-bezier(.2,.6,.4,1)' },
    );
    rise.onfinish = rise.oncancel = () => {
      large.remove();
      this.#nextLarge();
    };
  }
}

/** @param {SentGift} one @param {SentGift} other */
function sameRow(one, other) {
  return one.from.id === other.from.id && one.to.id === other.to.id && one.gift.id === other.gift.id;
}

/** @param {import('../protocol/events.js').Gift} gift */
export function picture(gift) {
  const url = giftURL(gift.picture);
  return url
    ? html`<img class="gift-picture" src=${url} alt="" loading="lazy" decoding="async">`
    : html`<span class="gift-picture none" dir="auto">${[...giftName(gift)][0] ?? ''}</span>`;
}

customElements.define('ov-gifts', Gifts);
