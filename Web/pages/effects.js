import { reverbNames } from '../audio/dsp/reverb-settings.js';
import { voiceNames } from '../audio/dsp/voice-settings.js';
import { openSheet } from '../elements/sheet.js';
import { semitones, slider } from '../elements/slider.js';
import { html } from '../lib/html.js';
import { errorText, t } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';
import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { announceMicrophone } from './devices.js';
import { MusicPanel } from './music.js';
import { problem } from './parts.js';

/** @typedef {import('./app.js').App} App */

/** Those that one chooses; a duet has its own. */
const qualities = /** @type {const} */ (['speech', 'default', 'music']);
/** From an octave down to an octave up. */
const octave = 12;

/**
 * My voice and my music. In the green room nobody hears it yet: hearing oneself is how to try it on.
 * @param {App} app
 * @param {AbortSignal} signal
 * @param {{salon?: import('../models/salon.js').SalonModel, part?: 'voice' | 'music'}} where
 */
export function openEffects(app, signal, { salon, part = 'voice' } = {}) {
  const { effects, preferences, microphone } = app;
  /** @type {Store<{part: 'voice' | 'music', error: OvationError | null}>} */
  const own = new Store({ part, error: /** @type {OvationError | null} */ (null) });
  const panel = new MusicPanel(app, signal, () => !salon || salon.state.get().me.seat !== null);
  void effects.resume();

  /** @param {boolean} on */
  const hear = async on => {
    own.update(state => ({ ...state, error: null }));
    try {
      if (on && !(await announceMicrophone(app, signal))) return own.update(state => ({ ...state }));
      await effects.setEar(on);
    } catch (thrown) {
      own.update(state => ({ ...state, error: OvationError.of(thrown) }));
    }
  };

  openSheet({
    title: () => t('effects.title'),
    testid: 'effects-sheet',
    className: 'effects-sheet',
    signal,
    stores: [own, effects.state, preferences, microphone.state, panel.state, ...(salon ? [salon.state] : [])],
    body: () => {
      const { error, part: shown } = own.get();
      const state = effects.state.get();
      const trouble = error ?? (state.problem ? new OvationError(state.problem) : null);
      return html`<div class="stack">
        <div class="segments" role="group" aria-label=${t('effects.parts')}>
          ${[/** @type {const} */ ('voice'), /** @type {const} */ ('music')].map(
            each => html`<button type="button" aria-pressed=${String(shown === each)} data-testid=${`effects-${each}`}
              @click=${() => own.update(now => ({ ...now, part: each }))}>
              <span class="with-icon">${icon(each === 'voice' ? 'mic-vocal' : 'music')}${t(each === 'voice' ? 'effects.myVoice' : 'effects.music')}</span></button>`,
          )}
        </div>
        ${
          state.supported
            ? html`${problem(trouble && errorText(trouble))}${shown === 'voice' ? voicePart(app, salon === undefined, hear) : panel.show()}`
            : problem(errorText({ name: 'effects_unsupported' }))
        }
      </div>`;
    },
  });
}

/**
 * @param {App} app
 * @param {boolean} tries nobody hears me yet
 * @param {(on: boolean) => Promise<void>} hear
 */
function voicePart({ effects, preferences, microphone }, tries, hear) {
  const state = effects.state.get();
  const { quality } = preferences.get();
  const { permission } = microphone.state.get();
  const silent = permission === 'insecure' || permission === 'withheld';
  const plain = state.pitch === 0 && state.changer === 0 && state.reverb === 0 && state.volume === 100;
  return html`
    ${tries && html`<p class="hint">${icon('info')}<span>${t('effects.tryIt')}</span></p>`}
    ${choices('changer', t('effects.voice'), voiceNames, 'effects.voices.', state.changer, changer => effects.setVoice({ changer }))}
    ${choices('reverb', t('effects.room'), reverbNames, 'effects.rooms.', state.reverb, reverb => effects.setVoice({ reverb }))}
    ${slider({
      id: 'effects-pitch',
      label: t('effects.pitch'),
      value: Math.round(state.pitch * octave),
      range: [-octave, octave],
      text: semitones(Math.round(state.pitch * octave)),
      change: value => effects.setVoice({ pitch: value / octave }),
    })}
    ${slider({
      id: 'effects-volume',
      label: t('effects.volume'),
      value: state.volume,
      range: [0, 150],
      text: t('effects.percent', { value: state.volume }),
      change: volume => effects.setVoice({ volume }),
    })}
    <label class="switch">
      <span>${t('effects.ear')}<span class="about">${t('effects.earAbout')}</span></span>
      <input type="checkbox" role="switch" data-testid="effects-ear" .checked=${state.ear} ?disabled=${silent}
        @change=${(/** @type {any} */ event) => void hear(event.target.checked)} />
    </label>
    ${
      state.ear &&
      slider({
        id: 'effects-ear-volume',
        label: t('effects.earVolume'),
        value: state.earVolume,
        range: [0, 150],
        text: t('effects.percent', { value: state.earVolume }),
        change: earVolume => effects.setVoice({ earVolume }),
      })
    }
    <div class="field" role="group" aria-label=${t('effects.quality')}>
      <span class="label">${t('effects.quality')}</span>
      <div class="segments">
        ${qualities.map(
          each => html`<button type="button" aria-pressed=${String(quality === each)} data-testid=${`quality-${each}`}
            @click=${() => void microphone.setQuality(each)}>${t(`effects.quality.${each}`)}</button>`,
        )}
      </div>
      <span class="small soft">${t(`effects.qualityAbout.${quality}`)}</span>
    </div>
    <button class="button" type="button" data-testid="effects-reset" ?disabled=${plain}
      @click=${() => void effects.setVoice({ pitch: 0, changer: 0, reverb: 0, volume: 100 })}>${icon('rotate-ccw')}${t('effects.reset')}</button>`;
}

/**
 * One of several, as chips that are radio buttons: arrow keys go from one to the next.
 * @param {string} group @param {string} label @param {readonly string[]} names @param {string} keys what the texts' keys begin with
 * @param {number} chosen @param {(number: number) => unknown} choose
 */
function choices(group, label, names, keys, chosen, choose) {
  return html`<fieldset class="choices" data-testid=${`effects-${group}`}>
    <legend>${label}</legend>
    ${names.map(
      (name, number) => html`<label class="chip choice">
        <input type="radio" name=${group} value=${number} data-testid=${`${group}-${name}`} .checked=${number === chosen}
          @change=${() => void choose(number)} />${t(keys + name)}</label>`,
    )}
  </fieldset>`;
}
