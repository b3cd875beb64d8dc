import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { errorText, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { nameLengthMost, soundLength, titleOf } from '../../models/song-library.js';
import { OvationError } from '../../protocol/errors.js';
import { busy, problem } from '../parts.js';

/** @param {File | null} file */
const isOgg = file => /ogg|opus/i.test(file?.type ?? '') || /\.(ogg|oga|opus)$/i.test(file?.name ?? '');

/**
 * A song of one's own into the library.
 * @param {import('../salon/context.js').SalonContext} context
 * @param {import('../../models/duet.js').DuetModel} duet
 */
export function openUpload(context, duet) {
  const { library } = duet;
  /** @type {{audio: File | null, original: File | null, lyrics: File | null, title: string, artist: string}} */
  const draft = { audio: null, original: null, lyrics: null, title: '', artist: '' };
  let sending = false;
  /** @type {OvationError | null} */ let error = null;
  openSheet({
    title: () => t('duet.bring'),
    testid: 'upload-sheet',
    className: 'small-sheet',
    signal: context.signal,
    stores: [library.state],
    body: sheet => {
      const { sent } = library.state.get();
      const send = async () => {
        if (sending || !draft.audio) return;
        sending = true;
        error = null;
        sheet.redraw();
        try {
          const { audio, ...rest } = draft;
          const durationMs = await soundLength(audio);
          await library.upload({ ...rest, audio, durationMs, title: draft.title.trim() }, sheet.signal);
          sheet.close();
        } catch (thrown) {
          error = OvationError.of(thrown);
        }
        sending = false;
        sheet.redraw();
      };
      /** @param {'audio' | 'original' | 'lyrics'} name @param {string} accept */
      const file = (name, accept) => html`<label class="field file-field">
          <span class="label">${t(`duet.file.${name}`)}</span>
          <span class="button file-button">${icon(name === 'lyrics' ? 'captions' : 'file-music')}<span class="clip" dir="auto">${draft[name]?.name ?? t('duet.file.choose')}</span>
            <input class="only-read" type="file" accept=${accept} data-testid=${`upload-${name}`} @change=${(
              /** @type {any} */ event,
            ) => {
              draft[name] = event.target.files[0] ?? null;
              if (name === 'audio' && !draft.title) draft.title = titleOf(draft.audio?.name ?? '');
              sheet.redraw();
            }} /></span>
        </label>`;
      /** @param {'title' | 'artist'} name */
      const text = name => html`<label class="field"><span class="label">${t(`duet.file.${name}`)}</span>
          <input class="input" maxlength=${nameLengthMost} data-testid=${`upload-${name}`} .value=${draft[name]}
            @input=${(/** @type {any} */ event) => {
              draft[name] = event.target.value;
              sheet.redraw();
            }} /></label>`;
      return html`<form class="stack" novalidate @submit=${(/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        void send();
      }}>
        <p class="hint">${icon('info')}<span>${t('duet.file.rights')}</span></p>
        ${file('audio', 'audio/*')}
        ${[draft.audio, draft.original].some(isOgg) && html`<p class="hint" role="status" data-testid="upload-ogg">${icon('info')}<span>${t('duet.file.ogg')}</span></p>`}
        ${text('title')} ${text('artist')} ${file('original', 'audio/*')} ${file('lyrics', '.lrc,.vtt,text/plain,text/vtt')}
        ${problem(error && errorText(error))}
        ${
          sent !== null &&
          html`<div class="progress" role="progressbar" aria-label=${t('duet.file.sending')} aria-valuemin="0" aria-valuemax="100"
            aria-valuenow=${String(Math.round(sent * 100))} data-testid="upload-progress" .vars=${{ '--value': `${sent * 100}%` }}><i></i></div>`
        }
        <div class="sheet-actions sticky"><button class="button primary wide" type="submit" data-testid="upload-send" aria-busy=${sending}
          ?disabled=${!draft.audio || !draft.title.trim()}>${sending ? busy() : icon('plus')}${t('duet.file.send')}</button></div>
      </form>`;
    },
  });
}
