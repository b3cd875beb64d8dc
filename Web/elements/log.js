const nearEnd = 48;

/**
 * `<ov-log>`: a scrolling list that stays at its end while the reader is there, and stays put while they read further up.
 * With `data-holds` it also stays put while the pointer rests on it, so that nobody presses another line than the one they saw.
 * Sends `ov-end` (detail: whether the end is in view) when that changes.
 */
export class Log extends HTMLElement {
  #atEnd = true;
  /** @type {ResizeObserver | null} */ #observer = null;
  /** @type {MutationObserver | null} */ #mutations = null;

  get atEnd() {
    return this.#atEnd;
  }

  /** Whether a mouse rests on it, and that matters. */
  get #isHeld() {
    return this.hasAttribute('data-holds') && matchMedia('(hover: hover)').matches && this.matches(':hover');
  }

  connectedCallback() {
    this.tabIndex = 0;
    this.addEventListener('pointerleave', this.#left);
    this.addEventListener('scroll', this.#scrolled, { passive: true });
    this.#observer = new ResizeObserver(() => this.#follow());
    this.#observer.observe(this);
    this.#mutations = new MutationObserver(() => this.#follow());
    this.#mutations.observe(this, { childList: true, subtree: true, characterData: true });
    this.#follow();
  }

  disconnectedCallback() {
    this.removeEventListener('scroll', this.#scrolled);
    this.removeEventListener('pointerleave', this.#left);
    this.#observer?.disconnect();
    this.#mutations?.disconnect();
  }

  /** Goes to the end and stays there. */
  toEnd() {
    this.#tell(true);
    this.scrollTop = this.scrollHeight;
  }

  #left = () => this.#follow();

  #scrolled = () => this.#tell(this.scrollHeight - this.scrollTop - this.clientHeight < nearEnd);

  #follow() {
    if (this.#atEnd && this.#isHeld) return;
    if (this.#atEnd) this.scrollTop = this.scrollHeight;
    else this.#scrolled();
  }

  /** @param {boolean} atEnd */
  #tell(atEnd) {
    if (atEnd === this.#atEnd) return;
    this.#atEnd = atEnd;
    this.dispatchEvent(new CustomEvent('ov-end', { detail: atEnd }));
  }
}

customElements.define('ov-log', Log);
