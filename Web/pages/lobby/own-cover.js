import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { FaceLibrary } from '../../models/face-library.js';
import { uploadOf } from '../../models/faces.js';
import { OvationError } from '../../protocol/errors.js';
import { loadFaces } from '../late.js';

/** A cover of one's own in a form that describes a room: what the form sent and the room does not show is taken back when it closes. */
export class OwnCover {
  /** @type {OvationError | null} What went wrong with the last file. */ error = null;

  #signal;
  #library;
  /** @type {string[]} What this form has sent. */ #sent = [];

  /**
   * @param {import('../app.js').App} app
   * @param {AbortSignal} signal
   */
  constructor(app, signal) {
    this.#signal = signal;
    const { session } = app.identity.state.get();
    this.#library = session && app.identity.takesFaces ? new FaceLibrary(session) : null;
    if (this.#library) void loadFaces().catch(() => {});
  }

  /** Why there is no such choice, where there is none. */
  get hint() {
    return this.#library
      ? null
      : html`<p class="small soft" data-testid="covers-unavailable">${t('error.faces_unavailable')}</p>`;
  }

  /**
   * The choice beside the drawn covers; nothing where the server takes no pictures.
   * @param {string} cover the draft's @param {(cover: string) => void} choose @param {() => void} redraw
   */
  tile(cover, choose, redraw) {
    if (!this.#library) return null;
    const own = uploadOf(cover) !== null;
    const take = async (/** @type {File | undefined} */ file) => {
      if (!file) return;
      this.error = null;
      try {
        await this.#crop(file, choose);
      } catch (thrown) {
        this.error = OvationError.of(thrown);
      }
      redraw();
    };
    const press = (/** @type {Event} */ event) =>
      /** @type {HTMLElement} */ (event.currentTarget).parentElement
        ?.querySelector('input')
        ?.click();
    const over = (/** @type {DragEvent} */ event) => event.preventDefault();
    const drop = (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      void take(event.dataTransfer?.files[0]);
    };
    return html`<span class="own-cover">
      <button class="cover-choice" type="button" aria-pressed=${String(own)} data-testid="cover-own" @click=${press} @dragover=${over} @drop=${drop}>
        ${own && html`<ov-cover .of=${{ id: 'own', cover, title: '' }}></ov-cover>`}
        <span class="own-cover-label">${icon('image')}<span>${t('cover.own')}</span></span></button>
      <input class="only-read" type="file" accept="image/*" tabindex="-1" aria-hidden="true" data-testid="cover-file" @change=${(
        /** @type {any} */ event,
      ) => {
        const [file] = event.target.files;
        event.target.value = '';
        void take(file);
      }} /></span>`;
  }

  /** @param {File} file @param {(cover: string) => void} choose */
  async #crop(file, choose) {
    const library = this.#library;
    if (!library) return;
    const { openCrop } = await loadFaces();
    await openCrop({
      file,
      kind: 'cover',
      library,
      signal: this.#signal,
      use: async (picture, sending) => {
        const { picture: cover } = await library.upload('cover', picture, sending);
        this.#sent.push(cover);
        choose(cover);
      },
    });
  }

  /**
   * The form is over.
   * @param {string} shown the room's cover from now on @param {string} [before] what it was
   */
  settle(shown, before = '') {
    for (const cover of new Set([...this.#sent, before]))
      if (cover !== shown) void this.#library?.discard(cover);
  }
}
