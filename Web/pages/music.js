import { semitones, slider } from '../elements/slider.js';
import { html, keyed } from '../lib/html.js';
import { errorText, formatClock, t } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';
import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { busy, problem } from './parts.js';

/** @typedef {import('../models/music.js').MusicState} MusicState */
/** @typedef {import('../models/music.js').MusicTrack} MusicTrack */

/** From an octave down to an octave up. */
const octave = 12;
/** A range is at least so long. */
const leastMs = 500;

/** The accompaniment: which pieces there are, and a player for each. */
export class MusicPanel {
  state = new Store(
    /** @type {Readonly<{address: string, adding: number, error: OvationError | null, open: string | null, seeking: Readonly<Record<string, number>>}>} */ ({
      address: '',
      adding: 0,
      error: null,
      open: null,
      seeking: {},
    }),
  );

  #effects;
  #signal;
  #seated;

  /**
   * @param {import('./app.js').App} app
   * @param {AbortSignal} signal
   * @param {() => boolean} seated whether others could hear it now, or nobody can ask yet
   */
  constructor({ effects }, signal, seated) {
    this.#effects = effects;
    this.#signal = signal;
    this.#seated = seated;
  }

  /** @param {Partial<ReturnType<MusicPanel['state']['get']>>} some */
  #change(some) {
    this.state.update(state => ({ ...state, ...some }));
  }

  /** @param {readonly (File | string)[]} sources */
  async #add(sources) {
    this.#change({ error: null, adding: this.state.get().adding + sources.length });
    for (const source of sources) {
      try {
        const id = await this.#effects.addMusic(source);
        if (this.#signal.aborted) return;
        this.#change({ address: '', open: id });
      } catch (thrown) {
        this.#change({ error: OvationError.of(thrown) });
      }
      this.#change({ adding: this.state.get().adding - 1 });
    }
  }

  show() {
    const { address, adding, error } = this.state.get();
    const { music } = this.#effects.state.get();
    const choose = (/** @type {any} */ event) => {
      const files = [...event.target.files];
      event.target.value = '';
      if (files.length > 0) void this.#add(files);
    };
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      if (address.trim()) void this.#add([address]);
    };
    return html`
      <div class="music-add">
        <label class="button file-button">${adding > 0 ? busy() : icon('file-music')}${t('music.choose')}
          <input class="only-read" type="file" accept="audio/*,video/mp4" multiple data-testid="music-file" @change=${choose} /></label>
        <form class="music-address" novalidate @submit=${submit}>
          <input class="input" type="url" data-testid="music-address" aria-label=${t('music.address')} placeholder=${t('music.address')}
            .value=${address} @input=${(/** @type {any} */ event) => this.#change({ address: event.target.value, error: null })} />
          <button class="button" type="submit" data-testid="music-add" aria-busy=${adding > 0} ?disabled=${!address.trim()}>${t('music.add')}</button>
        </form>
      </div>
      ${problem(error && errorText(error))}
      ${
        music.length === 0
          ? html`<p class="hint">${icon('info')}<span>${t('music.empty')}</span></p>`
          : html`<ul class="music-list">${music.map(piece => keyed(piece.id, this.#piece(piece)))}</ul>`
      }`;
  }

  /** @param {MusicState} piece */
  #piece(piece) {
    const { id, name, status, positionMs, durationMs, publish } = piece;
    const { open, seeking } = this.state.get();
    const track = this.#effects.music(id);
    if (!track) return html`<li></li>`;
    const playing = status === 'playing';
    const at = seeking[id] ?? positionMs;
    const clock = `${formatClock(at / 1000)} / ${formatClock(durationMs / 1000)}`;
    const seek = (/** @type {number | undefined} */ value) => {
      const { [id]: _, ...others } = this.state.get().seeking;
      this.#change({ seeking: value === undefined ? others : { ...others, [id]: value } });
    };
    return html`<li class="music-piece" data-testid="music-piece" data-status=${status}>
      <div class="music-head">
        <button class="icon-button play" type="button" data-testid="music-play" aria-label=${t(playing ? 'music.pause' : 'music.play', { name })}
          @click=${() => (playing ? track.pause() : track.play())}>${icon(playing ? 'pause' : 'play')}</button>
        <span class="clip" dir="auto" data-testid="music-name">${name}</span>
        <button class="icon-button" type="button" aria-pressed=${String(piece.loops !== 0)} data-testid="music-repeat" aria-label=${t('music.repeat')}
          @click=${() => track.change({ loops: piece.loops === 0 ? -1 : 0 })}>${icon('repeat')}</button>
        <button class="icon-button" type="button" data-testid="music-adjust" aria-expanded=${String(open === id)} aria-label=${t('music.adjust', { name })}
          @click=${() => this.#change({ open: open === id ? null : id })}>${icon('sliders-horizontal')}</button>
        <button class="icon-button" type="button" data-testid="music-remove" aria-label=${t('music.remove', { name })}
          @click=${() => this.#effects.removeMusic(id)}>${icon('trash-2')}</button>
      </div>
      ${slider({
        id: 'music-position',
        label: t('music.position'),
        value: Math.round(at),
        range: [0, Math.max(1, Math.round(durationMs))],
        step: 100,
        text: clock,
        change: value => seek(value),
        commit: value => {
          track.seek(value);
          seek(undefined);
        },
      })}
      <label class="switch">
        <span>${t('music.publish')}${publish && !this.#seated() && html`<span class="about">${t('music.sitFirst')}</span>`}</span>
        <input type="checkbox" role="switch" data-testid="music-publish" .checked=${publish}
          @change=${(/** @type {any} */ event) => track.change({ publish: event.target.checked })} />
      </label>
      ${open === id && this.#adjust(piece, track)}
    </li>`;
  }

  /** @param {MusicState} piece @param {MusicTrack} track */
  #adjust(piece, track) {
    const { publishVolume, localVolume, speed } = piece;
    const pitch = Math.round(piece.pitch * octave);
    const whole = Math.max(1, Math.round(piece.durationMs));
    const end = Math.round(piece.endMs || whole);
    return html`<div class="music-adjust">
      ${slider({
        id: 'music-publish-volume',
        label: t('music.forOthers'),
        value: publishVolume,
        range: [0, 150],
        text: t('effects.percent', { value: publishVolume }),
        change: value => track.change({ publishVolume: value }),
      })}
      ${slider({
        id: 'music-local-volume',
        label: t('music.forMe'),
        value: localVolume,
        range: [0, 150],
        text: t('effects.percent', { value: localVolume }),
        change: value => track.change({ localVolume: value }),
      })}
      ${slider({
        id: 'music-pitch',
        label: t('music.pitch'),
        value: pitch,
        range: [-octave, octave],
        text: semitones(pitch),
        change: value => track.change({ pitch: value / octave }),
      })}
      ${slider({
        id: 'music-speed',
        label: t('music.speed'),
        value: speed,
        range: [0.5, 2],
        step: 0.05,
        text: `${speed.toFixed(2)} ×`,
        change: value => track.change({ speed: value }),
      })}
      ${slider({
        id: 'music-from',
        label: t('music.from'),
        value: Math.round(piece.startMs),
        range: [0, whole],
        step: 100,
        text: formatClock(piece.startMs / 1000),
        change: value => track.change({ startMs: Math.min(value, end - leastMs) }),
      })}
      ${slider({
        id: 'music-to',
        label: t('music.to'),
        value: end,
        range: [0, whole],
        step: 100,
        text: formatClock(end / 1000),
        change: value => track.change({ endMs: Math.max(value, piece.startMs + leastMs) }),
      })}
    </div>`;
  }
}
