import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';

/**
 * A place for a picture from this device: press to choose one (phones offer their camera and its roll), or drop one.
 * @param {{testid: string, label: string, take: (file: File) => void}} options
 */
export function fileTaker({ testid, label, take }) {
  /** @param {DragEvent} event */
  const over = event => {
    event.preventDefault();
    /** @type {HTMLElement} */ (event.currentTarget).toggleAttribute('data-over', event.type === 'dragover');
  };
  /** @param {DragEvent} event */
  const drop = event => {
    over(event);
    const [file] = event.dataTransfer?.files ?? [];
    if (file) take(file);
  };
  return html`<label class="file-drop file-button" @dragover=${over} @dragleave=${over} @drop=${drop}>
    ${icon('image')}<span class="file-drop-label">${label}<span class="about">${t('faces.drop')}</span></span>
    <input class="only-read" type="file" accept="image/*" data-testid=${testid} @change=${(
      /** @type {any} */ event,
    ) => {
      const [file] = event.target.files;
      // The same file may be chosen again.
      if (file) take(file);
      event.target.value = '';
    }} /></label>`;
}
