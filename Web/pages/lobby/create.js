import '../../elements/cover.js';
import { openSheet } from '../../elements/sheet.js';
import { coverURL, isPictureElsewhere } from '../../lib/assets.js';
import { html } from '../../lib/html.js';
import { errorText, listed, sentences, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { canShow, formatNames } from '../../protocol/codecs.js';
import { OvationError } from '../../protocol/errors.js';
import { prepareLive } from '../live/prepare.js';
import { busy, problem } from '../parts.js';
import { OwnCover } from './own-cover.js';
import { expectCreated } from './started.js';

/** @param {string} text */
const isPicture = text => coverURL(text) !== '' || isPictureElsewhere(text);

/** The app's own covers, files of covers/. */
export const coverNames = ['stage', 'lanterns', 'moon', 'aurora', 'vinyl', 'city', 'waves', 'tea'];
const mostTags = 5;
/** Fingers: a field that took the focus would bring up a keyboard over the button that starts. */
const coarse = globalThis.matchMedia?.('(pointer: coarse)') ?? { matches: false };
const duetSeats = 2;
/** The host's, and nine that viewers can come to. */
const liveSeats = 10;
/** What a room is called whose name was left empty. */
const defaultNames = {
  voice: 'create.defaultName',
  chorus: 'create.defaultDuet',
  live: 'create.defaultLive',
};

/**
 * @typedef {object} Draft
 * @property {string} name
 * @property {string} cover
 * @property {string} coverText an address typed by the person
 * @property {number} seats
 * @property {boolean} needsRequest
 * @property {string} tags
 */

/**
 * The fields that describe a room; also used to change it later (then without `seats`).
 * @param {Draft} draft
 * @param {{redraw: () => void, invalid: string | null, seats: boolean, ownCover: OwnCover, asks?: boolean, usual?: string}} more `invalid`: the field that
 *   the server refused; `asks`: whether it is a choice that one asks before speaking; `usual`: the name of a room whose name stays empty
 */
export function roomFields(draft, { redraw, invalid, seats, ownCover, asks = true, usual = '' }) {
  /** @param {Partial<Draft>} change */
  const set = change => {
    Object.assign(draft, change);
    redraw();
  };
  return html`<label class="field">
      <span class="label">${t('create.name')}</span>
      <input class="input" maxlength="100" ?autofocus=${!coarse.matches} data-testid="create-name" enterkeyhint="go" placeholder=${usual || t('create.namePlaceholder')}
        .value=${draft.name} aria-invalid=${invalid === 'name' ? 'true' : null}
        @input=${(/** @type {any} */ event) => set({ name: event.target.value })} />
    </label>
    <div class="field" role="group" aria-label=${t('create.cover')}>
      <span class="label">${t('create.cover')}</span>
      <div class="cover-picker">
        ${ownCover.tile(draft.coverText ? '' : draft.cover, cover => set({ cover, coverText: '' }), redraw)}
        ${['', ...coverNames.map(name => `covers/${name}.svg`)].map(
          cover => html`<button class="cover-choice" type="button" aria-pressed=${String(!draft.coverText && draft.cover === cover)}
            aria-label=${t(cover ? `cover.${cover.slice(7, -4)}` : 'cover.none')} data-testid="cover-choice"
            @click=${() => set({ cover, coverText: '' })}>
            <ov-cover .of=${{ id: draft.name || 'Ovation', cover, title: draft.name || 'Aa', titled: true }}></ov-cover></button>`,
        )}
      </div>
      ${problem(ownCover.error && errorText(ownCover.error))}
      ${ownCover.hint}
      <input class="input" type="url" inputmode="url" data-testid="create-cover-url" placeholder=${t('create.coverURL')}
        aria-label=${t('create.coverURL')} .value=${draft.coverText} aria-invalid=${invalid === 'cover' ? 'true' : null}
        @input=${(/** @type {any} */ event) => set({ coverText: event.target.value })} />
      ${problem(draft.coverText && !isPicture(draft.coverText) ? t('create.coverInvalid') : null)}
      ${isPictureElsewhere(draft.coverText) && html`<p class="small soft" data-testid="cover-elsewhere">${t('picture.elsewhere')}</p>`}
    </div>
    ${
      seats &&
      html`<div class="field">
        <span class="label" id="seats-label">${t('create.seats')}</span>
        <div class="stepper-row">
          <input class="slider" type="range" min="2" max="16" step="1" aria-labelledby="seats-label" data-testid="create-seats"
            .value=${String(draft.seats)} .vars=${{ '--value': `${((draft.seats - 2) / 14) * 100}%` }}
            @input=${(/** @type {any} */ event) => set({ seats: Number(event.target.value) })} />
          <output class="numbers">${t('create.seatCount', { count: draft.seats })}</output>
        </div>
      </div>`
    }
    ${
      asks &&
      html`<label class="switch">
        <span>${t('create.needsRequest')}<span class="about">${t('create.needsRequestAbout')}</span></span>
        <input type="checkbox" role="switch" data-testid="create-needs-request" .checked=${draft.needsRequest}
          @change=${(/** @type {any} */ event) => set({ needsRequest: event.target.checked })} />
      </label>`
    }
    <label class="field">
      <span class="label">${t('create.tags')}</span>
      <input class="input" data-testid="create-tags" placeholder=${t('create.tagsPlaceholder')} .value=${draft.tags}
        aria-invalid=${invalid === 'tags' ? 'true' : null} @input=${(/** @type {any} */ event) => set({ tags: event.target.value })} />
    </label>`;
}

/** @param {Draft} draft */
export function tagsOf(draft) {
  const tags = draft.tags.split(/[\s,#，、]+/).filter(Boolean);
  return [...new Set(tags)].slice(0, mostTags);
}

/** @param {Draft} draft */
export function coverOf(draft) {
  return draft.coverText.trim() || draft.cover;
}

/**
 * Starts a room.
 * @param {import('../app.js').App} app
 * @param {import('../../models/lobby.js').LobbyModel} lobby
 * @param {AbortSignal} signal
 * @param {{name: string} | null} [failed] a live room that is to be tried again
 */
export function openCreate(app, lobby, signal, failed = null) {
  const owner = app.identity.state.get().user?.name ?? '';
  /** @type {Draft} */
  const draft = {
    name: failed?.name ?? '',
    cover: `covers/${coverNames[0]}.svg`,
    coverText: '',
    seats: 8,
    needsRequest: false,
    tags: '',
  };
  /** @type {'voice' | 'chorus' | 'live'} */ let kind = failed ? 'live' : 'voice';
  /** @type {import('../../protocol/codecs.js').PictureFormat} */ let format = 'vp8';
  const usualName = () => t(defaultNames[kind], { name: owner });
  let creating = false;
  let isAgain = failed !== null;
  /** @type {OvationError | null} */ let error = null;
  /** @param {import('../../elements/sheet.js').Sheet} sheet */
  const create = async sheet => {
    if (creating) return;
    creating = true;
    isAgain = false;
    error = null;
    sheet.redraw();
    try {
      const room = await lobby.create({
        kind,
        name: draft.name.trim() || usualName(),
        cover: coverOf(draft),
        seats: kind === 'chorus' ? duetSeats : kind === 'live' ? liveSeats : draft.seats,
        needsRequest: kind === 'live' || draft.needsRequest,
        ...(kind === 'live' && { pictureFormat: format }),
        tags: tagsOf(draft),
      });
      made = coverOf(draft);
      expectCreated(room.slug);
      // The room goes on with the camera as it is.
      if (kind === 'live') prepare.handOver();
      sheet.close();
      await app.router.go(`/r/${room.slug}`);
    } catch (thrown) {
      error = OvationError.of(thrown);
      creating = false;
      sheet.redraw();
    }
  };
  const prepare = prepareLive(app, signal);
  const ownCover = new OwnCover(app, signal);
  /** The cover of the room that came of it; '' as long as there is none. */ let made = '';
  openSheet({
    title: () => t('create.title'),
    testid: 'create-sheet',
    signal,
    stores: [
      app.camera.state,
      app.camera.track,
      app.beauty.state,
      app.beauty.track,
      app.microphone.state,
      app.line.state,
      app.preferences,
    ],
    onClose: () => {
      prepare.end();
      ownCover.settle(made);
    },
    body: sheet => html`<form class="stack" novalidate @submit=${(/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      void create(sheet);
    }}>
      <div class="field">
        <span class="label" id="kind-label">${t('create.kind')}</span>
        <div class="segments" role="group" aria-labelledby="kind-label">${
          /** @type {const} */ (['voice', 'chorus', 'live']).map(
            name =>
              html`<button type="button" data-testid=${`create-kind-${name}`} aria-pressed=${String(kind === name)} @click=${() => {
                kind = name;
                if (kind !== 'live') prepare.end();
                sheet.redraw();
              }}>${t(`kind.${name}`)}</button>`,
          )
        }</div>
        ${kind === 'voice' && html`<p class="small soft">${t(app.preferences.get().joinMuted ? 'create.voiceMuted' : 'create.voiceAbout')}</p>`}
        ${kind === 'chorus' && html`<p class="small soft">${t('create.chorusAbout')}</p>`}
        ${kind === 'live' && html`<p class="small soft">${t('create.liveAbout')}</p>`}
      </div>
      ${kind === 'live' && prepare.preview()}
      ${roomFields(draft, { redraw: sheet.redraw, invalid: error?.data.field ?? null, seats: kind === 'voice', ownCover, asks: kind !== 'live', usual: usualName() })}
      ${kind === 'live' && prepare.choices()}
      ${
        kind === 'live' &&
        formatField(format, chosen => {
          format = chosen;
          sheet.redraw();
        })
      }
      <div class="sheet-actions sticky">
        ${problem(error ? errorText(error) : isAgain ? t('goLive.failed') : null)}
        <button class="button primary wide" type="submit" data-testid="create-submit" aria-busy=${creating}
          ?disabled=${draft.coverText !== '' && !isPicture(draft.coverText)}>${creating ? busy() : icon(kind === 'live' ? 'radio' : 'mic')}${t(kind === 'live' ? 'create.submit' : 'create.start')}</button>
      </div>
    </form>`,
  });
}

/**
 * What all pictures of the room are to come in, as the host's programs need it.
 * @param {import('../../protocol/codecs.js').PictureFormat} format
 * @param {(format: import('../../protocol/codecs.js').PictureFormat) => void} choose
 */
function formatField(format, choose) {
  const names = /** @type {import('../../protocol/codecs.js').PictureFormat[]} */ (Object.keys(formatNames));
  const missing = names.filter(name => !canShow(name)).map(name => formatNames[name]);
  const about = [t(`create.formatAbout.${format}`)];
  if (missing.length) about.push(t('create.formatMissing', { formats: listed(missing) }));
  return html`<div class="field">
    <span class="label" id="format-label">${t('create.format')}</span>
    <div class="segments" role="group" aria-labelledby="format-label">${names.map(
      name =>
        html`<button type="button" data-testid=${`create-format-${name}`} aria-pressed=${String(format === name)}
            ?disabled=${!canShow(name)} @click=${() => choose(name)}>${formatNames[name]}</button>`,
    )}</div>
    <p class="small soft" data-testid="create-format-about">${sentences(...about)}</p>
  </div>`;
}
