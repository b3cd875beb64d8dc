import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { errorText, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { FaceLibrary, wear } from '../../models/face-library.js';
import { builtInFaces, builtInNames, faceURL } from '../../models/faces.js';
import { OvationError } from '../../protocol/errors.js';
import { busy, problem } from '../parts.js';
import { openCrop } from './crop.js';
import { fileTaker } from './file.js';

/** @typedef {import('../app.js').App} App */
/** @typedef {import('../../models/face-library.js').Choice} Choice */

/**
 * Asks for a face: one of the app's own, or a picture of one's own.
 * @param {App} app
 * @param {object} options
 * @param {string} options.worn the address of the one that is worn now; '' for none
 * @param {FaceLibrary | null} options.library null before one is signed in: nothing is sent yet
 * @param {(choice: Choice, signal?: AbortSignal) => Promise<unknown>} options.use
 * @param {AbortSignal} options.signal
 */
export function chooseFace(app, { worn, library, use, signal }) {
  let pending = '';
  // How much room there is. A list that does not come is no reason to stop here: the server says the same to a picture.
  if (app.identity.takesFaces) void library?.load().catch(() => {});
  /** @type {OvationError | null} */ let error = null;
  const sheet = openSheet({
    title: () => t('faces.title'),
    testid: 'faces-sheet',
    className: 'small-sheet',
    signal,
    body: () => {
      /** @param {string} face */
      const pick = async face => {
        if (pending) return;
        pending = face;
        error = null;
        sheet.redraw();
        try {
          await use(face);
          sheet.close();
        } catch (thrown) {
          error = OvationError.of(thrown);
        }
        pending = '';
        sheet.redraw();
      };
      return html`<div class="stack">
        <div class="face-grid" role="group" aria-label=${t('faces.drawn')}>${builtInFaces.map(
          (face, i) =>
            html`<button class="face-choice" type="button" aria-pressed=${String(face === worn)} aria-busy=${pending === face}
              aria-label=${t(`face.${builtInNames[i]}`)} data-testid="face-choice" @click=${() => void pick(face)}>
              <img src=${faceURL(face)} alt="" />${pending === face && busy()}</button>`,
        )}</div>
        ${
          app.identity.takesFaces
            ? fileTaker({
                testid: 'face-file',
                label: t('faces.own'),
                take: file => void crop(file),
              })
            : html`<p class="hint" data-testid="faces-unavailable">${icon('info')}<span>${t('error.faces_unavailable')}</span></p>`
        }
        ${problem(error && errorText(error))}
      </div>`;
    },
  });
  /** @param {File} file */
  const crop = async file => {
    error = null;
    try {
      await openCrop({
        file,
        kind: 'avatar',
        library,
        use: async (picture, sending) => {
          await use(picture, sending);
          sheet.close();
        },
        signal: sheet.signal,
      });
    } catch (thrown) {
      error = OvationError.of(thrown);
    }
    sheet.redraw();
  };
}

/**
 * Changes the face of who is signed in.
 * @param {App} app
 * @param {string} worn
 * @param {AbortSignal} signal
 */
export function changeFace(app, worn, signal) {
  const { session } = app.identity.state.get();
  if (!session) return;
  const library = new FaceLibrary(session);
  chooseFace(app, {
    worn,
    library,
    use: (choice, sending) => wear(app.identity, library, choice, sending),
    signal,
  });
}

/**
 * Shows a picture of another site, or none, as one's face.
 * @param {App} app
 * @param {string} address
 */
export async function wearAddress(app, address) {
  const { session } = app.identity.state.get();
  if (session) await wear(app.identity, new FaceLibrary(session), address);
}

/**
 * Puts on a picture that was chosen before signing in. Whoever is in a room by now hears what went wrong all the same.
 * @param {App} app
 * @param {Blob} picture
 */
export async function wearChosen(app, picture) {
  const { session } = app.identity.state.get();
  if (!session) return;
  try {
    await wear(app.identity, new FaceLibrary(session), picture);
  } catch (thrown) {
    app.toasts.show({
      text: errorText(OvationError.of(thrown)),
      icon: 'image',
      tone: 'bad',
      label: t('common.retry'),
      action: () => void wearChosen(app, picture),
    });
  }
}

export { openCrop };
