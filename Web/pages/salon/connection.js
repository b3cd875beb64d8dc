import { openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { errorText, language, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { view } from '../../lib/view.js';
import { busy } from '../parts.js';

const signs = {
  connecting: 'loader-circle',
  good: 'signal-high',
  fair: 'signal-medium',
  poor: 'signal-low',
  noMedia: 'volume-x',
  reconnecting: 'loader-circle',
  offline: 'wifi-off',
};

/** @type {WeakMap<import('./context.js').SalonContext, HTMLElement>} */
const chips = new WeakMap();

/**
 * "good · 24 ms", details on tap. Has a view of its own, since it changes more often than the room.
 * @param {import('./context.js').SalonContext} context
 */
export function connectionChip(context) {
  const known = chips.get(context);
  if (known) return known;
  const place = document.createElement('div');
  place.className = 'connection';
  chips.set(context, place);
  view(
    place,
    [language, context.salon.connection],
    () => {
      const connection = context.salon.connection.get();
      if (!connection) return null;
      const { word, rttMs } = connection;
      const waits = word === 'connecting' || word === 'reconnecting';
      return html`<button class="head-chip connection-chip" type="button" data-word=${word} data-testid="connection"
        aria-label=${t('connection.label', { word: t(`connection.${word}`) })} @click=${() => openConnection(context)}>
        ${icon(signs[word] ?? 'signal', waits ? 'spin' : '')}<span class="words">${t(`connection.${word}`)}</span>${
          rttMs !== null &&
          !waits &&
          html`<span class="numbers rtt">· ${t('connection.ms', { ms: Math.max(1, Math.round(rttMs)) })}</span>`
        }</button>`;
    },
    context.signal,
  );
  return place;
}

/** @param {import('./context.js').SalonContext} context */
export function openConnection({ salon, signal }) {
  let testing = false;
  /** @type {{connected: boolean, rttMs: number | null, signallingRttMs: number | null, error: string | null} | null} */
  let result = null;
  openSheet({
    title: () => t('connection.title'),
    testid: 'connection-sheet',
    className: 'small-sheet',
    signal,
    stores: [salon.connection],
    body: sheet => {
      const connection = salon.connection.get();
      const test = async () => {
        testing = true;
        sheet.redraw();
        result = await salon.hearing.testMedia();
        testing = false;
        sheet.redraw();
      };
      /** @param {string} label @param {string} value */
      const row = (label, value) =>
        html`<div class="detail"><dt>${label}</dt><dd class="numbers">${value}</dd></div>`;
      const unknown = t('connection.unknown');
      const ms = (/** @type {number | null} */ value) =>
        value === null ? unknown : t('connection.ms', { ms: Math.max(1, Math.round(value)) });
      return html`<div class="stack">
        <p class="connection-word" data-word=${connection.word}>${icon(signs[connection.word] ?? 'signal')}${t(`connection.${connection.word}`)}</p>
        <dl class="details">
          ${row(t('connection.rtt'), ms(connection.rttMs))}
          ${row(t('connection.loss'), connection.lossPercent === null ? unknown : t('effects.percent', { value: connection.lossPercent.toFixed(1) }))}
          ${row(t('connection.jitter'), ms(connection.jitterMs))}
          ${row(t('connection.way'), connection.way === null ? unknown : t(`connection.way.${connection.way}`))}
          ${row(t('connection.sound'), t(connection.media === 'connected' ? 'connection.up' : 'connection.down'))}
          ${row(t('connection.signalling'), t(connection.signalling === 'open' ? 'connection.up' : 'connection.down'))}
        </dl>
        ${
          result &&
          html`<p class=${result.connected ? 'hint' : 'problem'} role="status" data-testid="media-test-result">${icon(
            result.connected ? 'circle-check' : 'triangle-alert',
          )}<span>${testSentence(result)}</span></p>`
        }
        <button class="button wide" type="button" data-testid="test-media" aria-busy=${testing} @click=${test}>
          ${testing ? busy() : icon('refresh-cw')}${t('connection.test')}</button>
      </div>`;
    },
  });
}

/** @param {{connected: boolean, rttMs: number | null, signallingRttMs: number | null, error: string | null}} result */
function testSentence(result) {
  if (result.connected) return t('connection.testGood', { ms: Math.max(1, Math.round(result.rttMs ?? 0)) });
  if (result.error) return errorText({ name: result.error });
  return t('connection.testBad');
}
