import { html } from '../lib/html.js';
import { t } from '../lib/i18n.js';

/**
 * A slider with its name and its value.
 * @param {{id: string, label: string, value: number, range: [number, number], step?: number, text: string, change: (value: number) => unknown, commit?: (value: number) => unknown}} options
 */
export function slider({ id, label, value, range: [least, most], step = 1, text, change, commit }) {
  const share = ((value - least) / (most - least)) * 100;
  const told = (/** @type {any} */ event) => Number(event.target.value);
  return html`<label class="slider-field">
    <span class="slider-label">${label}</span><output class="numbers">${text}</output>
    <input class="slider" type="range" min=${least} max=${most} step=${step} data-testid=${id} aria-valuetext=${text}
      .value=${String(value)} .vars=${{ '--value': `${share}%` }}
      @input=${(/** @type {any} */ event) => void change(told(event))}
      @change=${(/** @type {any} */ event) => void commit?.(told(event))} />
  </label>`;
}

/** @param {number} count */
export function semitones(count) {
  const value = count > 0 ? `+${count}` : String(count).replace('-', '−');
  return t('effects.semitones', { value });
}
