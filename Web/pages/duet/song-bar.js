import '../../elements/cover.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { clockText } from '../parts.js';
import { openPicker } from './picker.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/duet.js').DuetModel} DuetModel */

/**
 * What is sung, how far, and, for those who may, the ways to change it.
 * @param {SalonContext} context @param {DuetModel} duet
 */
export function songBar(context, duet) {
  const { play, by, controls } = duet.state.get();
  if (!play) return null;
  const { song, startAt, track } = play;
  const paused = startAt === undefined;
  const busy = context.state.pending.has('song');
  const act = (/** @type {() => Promise<unknown>} */ action) => () => void context.act(action);
  return html`<div class="song-bar" data-testid="song-bar" data-song=${song.id} data-paused=${String(paused)} data-track=${track}>
    <div class="song-about">
      <ov-cover .of=${{ id: song.id, cover: coverOf(duet, song.id), title: song.title }}></ov-cover>
      <div class="song-names"><p class="clip song-title" dir="auto" data-testid="song-title">${song.title}</p>
        <p class="clip soft small" dir="auto">${t('duet.chosenBy', { name: by })}</p></div>
      ${
        song.original &&
        (controls
          ? html`<div class="segments" role="group" aria-label=${t('duet.track')}>${[
              'accompaniment',
              'original',
            ].map(
              name => html`<button type="button" data-testid=${`track-${name}`} aria-pressed=${String(track === name)}
                @click=${act(() => duet.setTrack(/** @type {any} */ (name)))}>${t(`duet.track.${name}`)}</button>`,
            )}</div>`
          : html`<span class="soft small">${t(`duet.track.${track}`)}</span>`)
      }
    </div>
    <div class="song-place">
      <span class="numbers small" data-testid="song-position">0:00</span>
      ${
        controls
          ? html`<input class="slider" type="range" min="0" max=${String(song.durationMs)} step="1000" data-testid="song-seek" aria-label=${t('duet.position')}
              @change=${(/** @type {any} */ event) => void context.act(() => duet.seek(Number(event.target.value)))} />`
          : html`<span class="song-progress" role="progressbar" aria-label=${t('duet.position')} aria-valuemin="0" aria-valuemax=${String(song.durationMs)} data-testid="song-progress"><i></i></span>`
      }
      <span class="numbers small soft">${clockText(song.durationMs)}</span>
    </div>
    ${
      controls &&
      html`<div class="song-buttons">
        <button class="icon-button play" type="button" data-testid="song-pause" aria-busy=${busy} aria-label=${t(paused ? 'duet.resume' : 'duet.pause')}
          @click=${act(() => (paused ? duet.resume() : duet.pause()))}>${icon(paused ? 'play' : 'pause')}</button>
        <button class="icon-button" type="button" data-testid="song-again" aria-label=${t('duet.again')} @click=${act(() => duet.seek(0))}>${icon('rotate-ccw')}</button>
        <button class="icon-button" type="button" data-testid="song-stop" aria-label=${t('duet.stop')} @click=${act(() => duet.stop())}>${icon('x')}</button>
        <button class="icon-button" type="button" data-testid="choose-song" aria-label=${t('duet.chooseOther')} @click=${() => openPicker(context, duet)}>${icon('file-music')}</button>
      </div>`
    }
  </div>`;
}

/**
 * The room tells no cover; the library may.
 * @param {DuetModel} duet @param {string} id
 */
function coverOf(duet, id) {
  return duet.library.state.get().songs.find(song => song.id === id)?.cover ?? '';
}

/** How often the place in the song is written down. */
const placeMs = 200;

/**
 * Keeps the position and the count-in up to date, past the templates.
 * @param {HTMLElement} root @param {SalonContext} context @param {DuetModel} duet
 */
export function watchSong(root, { signal }, duet) {
  const show = () => {
    const bar = /** @type {HTMLElement | null} */ (root.querySelector('.song-bar'));
    const { play } = duet.state.get();
    if (!bar || !play) return;
    const position = duet.position();
    const wait = duet.untilStart();
    const place = bar.querySelector('[data-testid=song-position]');
    const text = wait > 300 ? `−${Math.ceil(wait / 1000)}` : clockText(position);
    if (place && place.textContent !== text) place.textContent = text;
    const share = `${(100 * position) / play.song.durationMs}%`;
    const slider = /** @type {HTMLInputElement | null} */ (bar.querySelector('input[type=range]'));
    // A hand on the slider, or keys: it stays where the person has it.
    if (slider && !slider.matches(':active')) {
      slider.value = String(position);
      slider.setAttribute('aria-valuetext', clockText(position));
    }
    if (slider)
      slider.style.setProperty(
        '--value',
        slider.matches(':active') ? `${(100 * Number(slider.value)) / play.song.durationMs}%` : share,
      );
    const progress = /** @type {HTMLElement | null} */ (bar.querySelector('.song-progress'));
    progress?.style.setProperty('--value', share);
    progress?.setAttribute('aria-valuenow', String(Math.round(position)));
  };
  const timer = setInterval(show, placeMs);
  signal.addEventListener('abort', () => clearInterval(timer));
}
