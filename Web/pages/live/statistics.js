import { openSheet } from '../../elements/sheet.js';
import { copy } from '../../lib/clipboard.js';
import { html, keyed } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { guestPicture } from '../../protocol/pictures.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/live.js').LiveModel} LiveModel */
/** @typedef {import('../../protocol/statistics.js').PictureStatistics} PictureStatistics */
/** @typedef {'good' | 'fair' | 'poor' | 'none'} Word */
/** @typedef {{title: string, rows: [string, string][]}} Part */

/** Numbers are read once a second: faster ones cannot be read by eye. */
const periodMs = 1_000;
const signs = { good: 'signal-high', fair: 'signal-medium', poor: 'signal-low', none: 'signal-zero' };

/**
 * How the pictures and the line do, in three words and then in numbers.
 * @param {SalonContext} context
 * @param {LiveModel} live
 */
export function openStatistics(context, live) {
  const { salon, signal } = context;
  /** @type {PictureStatistics[]} */ let pictures = [];
  const sheet = openSheet({
    title: () => t('statistics.title'),
    testid: 'statistics-sheet',
    className: 'small-sheet',
    signal,
    stores: [salon.connection, live.state],
    body: () => {
      const words = [
        { label: t('statistics.you'), word: myWord(context, live, pictures) },
        { label: t('statistics.server'), word: serverWord(context) },
        { label: t('statistics.them'), word: theirWord(live, pictures) },
      ];
      const parts = [
        linePart(context, live),
        ...pictures.map(picture => picturePart(context, live, picture)),
      ];
      const press = async () => {
        const lines = [
          ...words.map(({ label, word }) => t('common.fact', { label, value: t(`statistics.word.${word}`) })),
          ...parts.flatMap(({ title, rows }) => [
            '',
            title,
            ...rows.map(([label, value]) => t('common.fact', { label, value })),
          ]),
        ];
        const done = await copy(lines.join('\n'));
        context.say(
          t(done ? 'statistics.copied' : 'statistics.notCopied'),
          done ? 'check' : 'triangle-alert',
        );
      };
      return html`<div class="stack">
        <ul class="statistics-words">${words.map(
          ({ label, word }) =>
            html`<li data-word=${word}>${icon(signs[word])}<span>${label}</span><strong>${t(`statistics.word.${word}`)}</strong></li>`,
        )}</ul>
        ${parts.map(({ title, rows }, at) =>
          keyed(
            at,
            html`<section class="statistics-part"><h3>${title}</h3><dl class="details">${rows.map(
              ([name, value]) =>
                html`<div class="detail"><dt>${name}</dt><dd class="numbers">${value}</dd></div>`,
            )}</dl></section>`,
          ),
        )}
        ${pictures.length === 0 && html`<p class="soft" data-testid="statistics-none">${t('statistics.none')}</p>`}
        <button class="button wide" type="button" data-testid="statistics-copy" @click=${() => void press()}>${icon('copy')}${t('statistics.copy')}</button>
      </div>`;
    },
  });
  const read = async () => {
    const found = await live.pictureStatistics();
    if (sheet.signal.aborted) return;
    pictures = found;
    sheet.redraw();
  };
  void read();
  const timer = setInterval(read, periodMs);
  sheet.signal.addEventListener('abort', () => clearInterval(timer));
}

/**
 * Whether it is the server when a picture is poor.
 * @param {SalonContext} context @returns {Word}
 */
function serverWord({ salon }) {
  const { media, signalling } = salon.connection.get();
  return media === 'connected' && signalling === 'open' ? 'good' : 'poor';
}

/**
 * Whether it is those who show it.
 * @param {LiveModel} live @param {PictureStatistics[]} pictures @returns {Word}
 */
function theirWord(live, pictures) {
  if (live.state.get().received.some(({ lack }) => lack === 'sender')) return 'poor';
  return pictures.some(({ picture }) => picture !== 'mine') ? 'good' : 'none';
}

/**
 * Whether it is I: my line, or my machine.
 * @param {SalonContext} context @param {LiveModel} live @param {PictureStatistics[]} pictures @returns {Word}
 */
function myWord({ salon }, live, pictures) {
  const { received } = live.state.get();
  const connection = salon.connection.get();
  const mine = pictures.find(({ picture }) => picture === 'mine');
  if (received.some(({ lack, size }) => lack === 'line' && size === 'off')) return 'poor';
  if (received.some(({ lack }) => lack === 'line') || mine?.limit) return 'fair';
  return connection.word === 'good' || connection.word === 'fair' || connection.word === 'poor'
    ? connection.word
    : 'none';
}

/** @param {SalonContext} context @param {LiveModel} live @returns {Part} */
function linePart({ salon }, live) {
  const { rttMs, lossPercent, jitterMs, way } = salon.connection.get();
  const { firstFrameMs } = live.state.get();
  const ms = (/** @type {number | null} */ value) =>
    value === null ? t('connection.unknown') : t('connection.ms', { ms: Math.max(1, Math.round(value)) });
  return {
    title: t('statistics.line'),
    rows: [
      [t('statistics.firstFrame'), ms(firstFrameMs)],
      [t('connection.rtt'), ms(rttMs)],
      [t('connection.loss'), percent(lossPercent)],
      [t('connection.jitter'), ms(jitterMs)],
      [t('connection.way'), way === null ? t('connection.unknown') : t(`connection.way.${way}`)],
    ],
  };
}

/** @param {number | null} value */
const percent = value =>
  value === null ? t('connection.unknown') : t('effects.percent', { value: value.toFixed(1) });

/** @param {SalonContext} context @param {LiveModel} live @param {PictureStatistics} picture @returns {Part} */
function picturePart(
  context,
  live,
  { picture, width, height, framesPerSecond, kilobits, lossPercent, codec, stills, limit },
) {
  const seat = context.state.seats.find(({ index }) => index === picture);
  const link = live.pk.state.get().links.find(({ place }) => guestPicture(place) === picture);
  const { received } = live.state.get();
  const size = received.find(news => (link ? news.guest === link.place : news.seat === picture))?.size;
  /** @type {[string, string][]} */ const rows = [
    [t('statistics.size'), `${width} × ${height}`],
    [t('statistics.frames'), t('statistics.perSecond', { count: framesPerSecond ?? 0 })],
    [
      t('statistics.rate'),
      kilobits === null ? t('connection.unknown') : t('statistics.kilobits', { count: kilobits }),
    ],
    [t('statistics.loss'), percent(lossPercent)],
    [t('statistics.codec'), codec ?? t('connection.unknown')],
  ];
  if (size && size !== 'off') rows.push([t('statistics.layer'), t(`quality.${size}`)]);
  if (stills !== null) rows.push([t('statistics.stills'), String(stills)]);
  if (limit) rows.push([t('statistics.limit'), t(`statistics.limit.${limit}`)]);
  const name = seat?.user?.name ?? link?.host.name ?? t('statistics.screen');
  const title = picture === 'mine' ? t('statistics.mine') : name;
  return { title, rows };
}
