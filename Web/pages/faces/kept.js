import { html, keyed } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';

/**
 * One's own pictures on the server, to make room for another.
 * @param {import('../../models/face-library.js').FaceLibrary} library
 */
export function keptFaces(library) {
  return html`<ul class="kept-faces" data-testid="kept-faces">${library.state.get().faces.map(face =>
    keyed(
      face.id,
      html`<li><img src=${face.sizes.small} alt="" /><button class="icon-button" type="button" data-testid="kept-remove"
        aria-label=${t('faces.remove')} @click=${() => void library.remove(face.id).catch(() => {})}>${icon('trash-2')}</button></li>`,
    ),
  )}</ul>`;
}
