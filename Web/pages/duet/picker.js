import '../../elements/cover.js';
import { openSheet } from '../../elements/sheet.js';
import { html, keyed } from '../../lib/html.js';
import { errorText, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { OvationError } from '../../protocol/errors.js';
import { busy, clockText, problem } from '../parts.js';
import { openUpload } from './upload.js';

/**
 * The library: choose what to sing, or bring a song.
 * @param {import('../salon/context.js').SalonContext} context
 * @param {import('../../models/duet.js').DuetModel} duet
 */
export function openPicker(context, duet) {
  const { library } = duet;
  void library.load();
  /** @type {OvationError | null} */ let error = null;
  let choosing = '';
  openSheet({
    title: () => t('duet.songs'),
    testid: 'picker',
    signal: context.signal,
    stores: [library.state],
    body: sheet => {
      const { phase, songs, error: failure } = library.state.get();
      /** @param {import('../../models/song-library.js').SongEntry} song */
      const choose = async song => {
        if (choosing) return;
        choosing = song.id;
        error = null;
        sheet.redraw();
        try {
          await duet.start(song);
          sheet.close();
        } catch (thrown) {
          error = OvationError.of(thrown);
        }
        choosing = '';
        sheet.redraw();
      };
      /** @param {import('../../models/song-library.js').SongEntry} song */
      const remove = song => void context.act(() => library.remove(song.id));
      return html`<div class="stack">
        ${
          phase === 'loading'
            ? html`<p class="centered">${busy()}</p>`
            : phase === 'failed'
              ? html`<div class="stack" role="alert"><p class="problem">${failure && errorText(failure)}</p>
                  <button class="button" type="button" @click=${() => void library.load()}>${icon('refresh-cw')}${t('common.retry')}</button></div>`
              : songs.length === 0
                ? html`<p class="hint" data-testid="no-songs">${icon('info')}<span>${t('duet.noSongs')}</span></p>`
                : html`<ul class="song-list" data-testid="songs">${songs.map(song =>
                    keyed(
                      song.id,
                      html`<li class="song-row">
                        <button class="song-choice" type="button" data-testid="song" data-song=${song.id} aria-busy=${choosing === song.id} @click=${() => void choose(song)}>
                          <ov-cover .of=${{ id: song.id, cover: song.cover ?? '', title: song.title }}></ov-cover>
                          <span class="song-names"><span class="clip song-title" dir="auto">${song.title}</span>
                            <span class="clip soft small" dir="auto">${song.artist ?? ''}</span></span>
                          ${song.original && html`<span class="soft small song-has">${t('duet.track.original')}</span>`}
                          <span class="numbers small soft">${clockText(song.durationMs)}</span>
                        </button>
                        ${
                          song.by === context.state.me.id &&
                          html`<button class="icon-button" type="button" data-testid="remove-song" aria-label=${t('duet.remove', { name: song.title })} @click=${() => remove(song)}>${icon('trash-2')}</button>`
                        }
                      </li>`,
                    ),
                  )}</ul>`
        }
        ${problem(error && errorText(error))}
        <button class="button wide" type="button" data-testid="upload-song" @click=${() => openUpload(context, duet)}>${icon('plus')}${t('duet.bring')}</button>
      </div>`;
    },
  });
}
