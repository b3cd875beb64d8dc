const atOnce = 24;
const still = matchMedia('(prefers-reduced-motion: reduce)');

/** `<ov-hearts>`: likes that rise and fade. A flood shows as a full column, never as a slow page. */
export class Hearts extends HTMLElement {
  connectedCallback() {
    this.setAttribute('aria-hidden', 'true');
  }

  /** @param {number} count @param {string} [className] */
  add(count, className = '') {
    if (still.matches || document.hidden) return;
    const some = Math.min(count, 6, atOnce - this.childElementCount);
    for (let i = 0; i < some; i++) this.#rise(i * 90, className);
  }

  /** @param {number} delay @param {string} className */
  #rise(delay, className) {
    const heart = document.createElement('i');
    heart.className = className;
    heart.style.setProperty('--tone', String(Math.floor(Math.random() * 4)));
    this.append(heart);
    const sway = (Math.random() - 0.5) * 60;
    const size = 0.7 + Math.random() * 0.6;
    const rise = heart.animate(
      [
        { transform: `translate(0, 0) scale(0)`, opacity: 0 },
        { transform: `translate(${sway * 0.3}px, -28px) scale(${size})`, opacity: 1, offset: 0.15 },
        {
          transform: `translate(${sway}px, -${170 + Math.random() * 60}px) scale(${size * 0.9})`,
          opacity: 0,
        },
      ],
      { duration: 1500 + Math.random() * 500, delay, easing: 'cubic-bezier(.2,.6,.4,1)', fill: 'backwards' },
    );
    rise.onfinish = rise.oncancel = () => heart.remove();
  }
}

customElements.define('ov-hearts', Hearts);
