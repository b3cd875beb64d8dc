import '../../elements/crop.js';
import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { errorText, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { drawCrop, jpegOf, readPicture } from '../../lib/picture-file.js';
import { sentSize, shapes } from '../../models/crop.js';
import { OvationError } from '../../protocol/errors.js';
import { busy, problem } from '../parts.js';
import { keptFaces } from './kept.js';

/** How others see a face: on a card, and in the chat. */
const previews = [72, 36];

/**
 * Asks which part of a picture is meant, and hands it over as a file. The sheet stays with what went wrong until it worked, or was given up.
 * @param {object} options
 * @param {File} options.file
 * @param {import('../../models/face-library.js').FaceKind} options.kind
 * @param {import('../../models/face-library.js').FaceLibrary | null} options.library null where nothing is sent yet
 * @param {(picture: Blob, signal: AbortSignal) => Promise<unknown>} options.use
 * @param {AbortSignal} options.signal
 */
export async function openCrop({ file, kind, library, use, signal }) {
  const shape = shapes[kind];
  const picture = await readPicture(file);
  if (signal.aborted) return picture.close();
  /** @type {AbortController | null} */ let sending = null;
  /** @type {OvationError | null} */ let error = null;
  /** @type {import('../../elements/crop.js').CropFrame | null} */ let frame = null;
  openSheet({
    title: () => t(kind === 'avatar' ? 'crop.title' : 'crop.titleCover'),
    testid: 'crop-sheet',
    className: 'small-sheet crop-sheet',
    signal,
    stores: library ? [library.state] : [],
    onClose: () => {
      sending?.abort();
      picture.close();
    },
    body: sheet => {
      const send = async () => {
        if (sending || !frame?.crop) return;
        const mine = new AbortController();
        sending = mine;
        error = null;
        sheet.redraw();
        try {
          const { crop } = frame;
          await use(await jpegOf(picture, crop, sentSize(shape, crop)), mine.signal);
          sheet.close();
        } catch (thrown) {
          error = OvationError.of(thrown);
          // Given up by the person: they know.
          if (error.name === 'aborted') error = null;
          if (error?.name === 'face_library_full') void library?.load().catch(() => {});
        }
        sending = null;
        sheet.redraw();
      };
      const changed = () => {
        for (const canvas of frame?.closest('.crop')?.querySelectorAll('canvas.preview') ?? [])
          if (frame?.crop) drawCrop(/** @type {HTMLCanvasElement} */ (canvas), picture, frame.crop);
        sheet.redraw();
      };
      const sent = library?.state.get().sent ?? null;
      const near = frame?.near ?? 0;
      return html`<form class="stack" novalidate @submit=${(/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        void send();
      }}>
        <div class="crop" data-kind=${kind}>
          <ov-crop role="application" autofocus aria-label=${t('crop.label')} data-testid="crop" .of=${{ picture, shape, round: kind === 'avatar' }}
            @crop=${changed} ref=${(/** @type {import('../../elements/crop.js').CropFrame} */ element) => {
              frame = element;
              changed();
            }}></ov-crop>
          ${
            kind === 'avatar' &&
            html`<div class="crop-previews" aria-hidden="true">${previews.map(
              size =>
                html`<canvas class="preview" width=${size * 2} height=${size * 2} .vars=${{ '--size': `${size}px` }}></canvas>`,
            )}</div>`
          }
        </div>
        <label class="crop-zoom"><span class="only-read">${t('crop.zoom')}</span>${icon('image')}
          <input class="slider" type="range" min="0" max="1" step="0.01" data-testid="crop-zoom" .value=${String(near)}
            .vars=${{ '--value': `${near * 100}%` }} @input=${(/** @type {any} */ event) => {
              if (frame) frame.near = Number(event.target.value);
            }} />${icon('image')}</label>
        <p class="small soft crop-hint">${t('crop.hint')}</p>
        ${problem(error && errorText(error))}
        ${error?.name === 'face_library_full' && library && keptFaces(library)}
        ${
          sending &&
          sent !== null &&
          html`<div class="progress" role="progressbar" aria-label=${t('crop.sending')} aria-valuemin="0" aria-valuemax="100"
            aria-valuenow=${String(Math.round(sent * 100))} data-testid="crop-progress" .vars=${{ '--value': `${sent * 100}%` }}><i></i></div>`
        }
        <div class="sheet-actions sticky">
          <button class="button" type="button" data-testid="crop-cancel" @click=${() => (sending ? sending.abort() : sheet.close())}>${t('common.cancel')}</button>
          <button class="button primary" type="submit" data-testid="crop-use" aria-busy=${sending !== null}>${sending && busy()}${t(error ? 'common.retry' : 'crop.use')}</button>
        </div>
      </form>`;
    },
  });
}
