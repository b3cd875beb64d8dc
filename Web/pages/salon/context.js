import { errorText } from '../../lib/i18n.js';
import { layerWhile } from '../../lib/layers.js';
import { pageShape } from '../../lib/page-shape.js';
import { derive, Store } from '../../lib/store.js';
import { OvationError } from '../../protocol/errors.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../../models/salon.js').SalonModel} SalonModel */
/** @typedef {import('../../models/salon-state.js').SalonState} SalonState */

/**
 * What only this page knows: which of its parts are open.
 * @typedef {object} Opened
 * @property {boolean} tray the queue of requests
 * @property {boolean} chat the drawer, on phones
 * @property {boolean} gifts the tray of gifts
 * @property {boolean} pictureAlone what lies over a phone's picture is put away
 * @property {string | null} declining the request for which the host is choosing the words of a refusal
 */

/** Parts that people open, are in, and close. */
const parts = /** @type {const} */ (['tray', 'gifts', 'chat']);
const places = { tray: '[data-testid=request-tray]', gifts: '[data-testid=gift-tray]', chat: '.chat' };
const buttons = {
  tray: '[data-testid=hand]',
  gifts: '[data-testid=gifts]',
  chat: '[data-testid=toggle-chat]',
};

/** What the parts of the salon page share. */
export class SalonContext {
  /**
   * @param {App} app
   * @param {SalonModel} salon
   * @param {import('../../lib/tones.js').Tones} tones
   * @param {AbortSignal} signal the page's life
   */
  constructor(app, salon, tones, signal) {
    this.app = app;
    this.salon = salon;
    this.tones = tones;
    this.signal = signal;
    // On phones the parts lie over the page.
    for (const part of parts) {
      const isOver = derive([this.opened, pageShape], (opened, shape) => opened[part] && shape !== 'wide');
      layerWhile(isOver, () => this.open({ [part]: false }), signal);
    }
  }

  get state() {
    return this.salon.state.get();
  }

  /** @type {Store<Readonly<Opened>>} */ opened = new Store(
    /** @type {Readonly<Opened>} */ ({
      tray: false,
      chat: false,
      gifts: false,
      pictureAlone: false,
      declining: null,
    }),
  );

  /** Where the focus was when a part was opened. @type {Map<string, Element | null>} */ #openers = new Map();

  /** @param {Partial<Opened>} some */
  open(some) {
    const former = this.opened.get();
    for (const part of parts) {
      if (some[part] === undefined || some[part] === former[part]) continue;
      if (some[part]) this.#openers.set(part, document.activeElement);
      else this.#giveBack(part);
    }
    this.opened.set({ ...former, ...some });
  }

  /**
   * Opens a part because somebody wants to be in it: it stands before its button in the page, so that Tab alone would not lead there.
   * @param {typeof parts[number]} part
   */
  enter(part) {
    this.open({ [part]: true });
    // After the page has been drawn anew.
    queueMicrotask(() => {
      const place = /** @type {HTMLElement | null} */ (document.querySelector(places[part]));
      place?.focus({ preventScroll: true });
    });
  }

  /**
   * Whoever was in a part that closes is where they opened it from.
   * @param {typeof parts[number]} part
   */
  #giveBack(part) {
    const opener = this.#openers.get(part);
    this.#openers.delete(part);
    if (!document.activeElement?.closest(places[part])) return;
    // Not every browser gives the focus to a button that is pressed.
    const button = document.querySelector(buttons[part]);
    const target = opener && opener !== document.body && opener.isConnected ? opener : button;
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  }

  /** The server's clock, for countdowns. */
  now = () => this.salon.serverNow();

  /**
   * Runs an action; a refusal is told as a sentence.
   * @param {() => Promise<unknown>} action
   * @returns {Promise<boolean>} whether it went through
   */
  async act(action) {
    try {
      await action();
      return true;
    } catch (thrown) {
      const error = OvationError.of(thrown);
      if (error.name !== 'aborted') this.complain(error);
      return false;
    }
  }

  /** @param {import('../../protocol/errors.js').OvationError} error @param {string} [text] where there is more to say than of the error alone */
  complain(error, text = errorText(error)) {
    if (this.signal.aborted) return;
    this.app.toasts.show({
      text,
      icon: 'triangle-alert',
      tone: 'bad',
      testid: 'error-toast',
    });
  }

  /** @param {string} text @param {string} [sign] */
  say(text, sign) {
    this.app.toasts.show({ text, icon: sign });
  }

  /** Where somebody who asks for no seat in particular would sit: the first seat is left to the host while there is another. */
  freeSeat() {
    const { seats, me } = this.state;
    const free = seats.filter(seat => seat.state === 'empty' && !seat.reserved);
    const first = me.isOwner ? free[0] : (free.find(seat => seat.index > 0) ?? free[0]);
    return first?.index ?? null;
  }
}
