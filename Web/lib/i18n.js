import { Store } from './store.js';

/**
 * A text, or its plural forms by CLDR category (`one`, `other`, …) chosen by the value `count`.
 * @typedef {string | {[category: string]: string, other: string}} Message
 * @typedef {Readonly<Record<string, Message>>} Catalogue
 * @typedef {'en' | 'ko' | 'zh-Hans'} Language
 *
 * Where texts come from: each language is loaded when it is shown.
 * @typedef {Readonly<Record<Language, () => Promise<{strings: Catalogue}>>>} Texts
 */

/**
 * The languages of the app, by the name that their own readers use.
 * @type {Readonly<Record<Language, string>>}
 */
export const languages = Object.freeze({ en: 'English', ko: '한국어', 'zh-Hans': '简体中文' });

/**
 * Beginnings of keys that are put together while running (`error.` + name); every other key stands in the code as it is.
 */
export const dynamicKeys = Object.freeze([
  'error.',
  'rules.',
  'report.cause.',
  'mic.',
  'micHint.',
  'connection.',
  'banner.',
  'system.',
  'undo.',
  'ended.reason.',
  'ended.mine.',
  'role.',
  'news.role.',
  'settings.gifts.',
  'theme.',
  'cover.',
  'face.',
  'effects.voices.',
  'effects.rooms.',
  'effects.quality.',
  'effects.qualityAbout.',
  'kind.',
  'quality.',
  'quality.short.',
  'rivals.state.',
  'beauty.style.',
  'create.formatAbout.',
  'programs.',
  'statistics.word.',
  'statistics.limit.',
  'duet.words.',
  'duet.track.',
  'duet.leading.',
  'duet.quality.',
  'duet.file.',
  'console.page.',
  'console.entry.',
  'console.role.',
  'console.way.',
  'console.restricted.',
  'console.consent.',
  'console.secondSession.',
  'console.roomKeys.',
  'console.scope.',
  'console.action.',
  'console.detail.',
]);

/**
 * The language shown now; `t` speaks it. Watch it to redraw.
 * @type {Store<Language>}
 */
export const language = new Store(/** @type {Language} */ ('en'));

/** @type {Texts[]} */
const sources = [
  {
    en: () => import('../strings/en.js'),
    ko: () => import('../strings/ko.js'),
    'zh-Hans': () => import('../strings/zh-Hans.js'),
  },
];

/** @type {Map<Language, Catalogue>} */
const catalogues = new Map();

/** @type {Language | null} the language that was asked for last */
let wish = null;

/**
 * Adds the texts of an entry that has its own, such as the console, before it chooses a language.
 * @param {Texts} texts
 */
export function addTexts(texts) {
  sources.push(texts);
}

/**
 * Before anything is said: the wanted language, or one that comes.
 * @param {Language} wanted
 */
export async function useFirstLanguage(wanted) {
  /** @type {unknown} */ let failure;
  for (const one of new Set([wanted, .../** @type {Language[]} */ (Object.keys(languages))])) {
    try {
      return await useLanguage(one);
    } catch (thrown) {
      failure = thrown;
    }
  }
  throw failure;
}

/**
 * Loads a language and shows it. Keeps the present one if it cannot be loaded. Nothing is shown before the first has come: until then `t`
 * gives keys.
 * @param {Language} wanted
 */
export async function useLanguage(wanted) {
  wish = wanted;
  if (!catalogues.has(wanted)) {
    const modules = await Promise.all(sources.map(texts => texts[wanted]()));
    catalogues.set(wanted, Object.assign({}, ...modules.map(module => module.strings)));
  }
  // Another was asked for while this one was on its way.
  if (wish !== wanted) return;
  if (globalThis.document) document.documentElement.lang = wanted;
  language.set(wanted);
}

/**
 * The best of our languages for what the browser asks for.
 * @param {readonly string[]} wishes such as `navigator.languages`
 * @returns {Language}
 */
export function preferredLanguage(wishes) {
  for (const wish of wishes) {
    const tag = wish.toLowerCase();
    if (tag.startsWith('ko')) return 'ko';
    if (tag.startsWith('zh')) return 'zh-Hans';
    if (tag.startsWith('en')) return 'en';
  }
  return 'en';
}

/**
 * The text for a key, `{name}` places filled.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  return pattern(key, values).replace(/\{(\w+)\}/g, (_, name) => shown(values[name]));
}

/**
 * The same as a list of pieces, so that a place can hold markup (a bold name).
 * @param {string} key
 * @param {Record<string, unknown>} values
 * @returns {unknown[]}
 */
export function parts(key, values) {
  return pattern(key, values)
    .split(/\{(\w+)\}/)
    .map((piece, i) =>
      i % 2 === 0 ? piece : typeof values[piece] === 'number' ? shown(values[piece]) : values[piece],
    );
}

/**
 * Words or names after each other.
 * @param {readonly string[]} words
 */
export function listed(words) {
  return words.join(t('common.comma'));
}

/**
 * A name and what is said of it.
 * @param {readonly string[]} words
 */
export function qualified(words) {
  return words.join(t('common.clause'));
}

/**
 * What is said after each other, the last as it ends itself. What ends itself already gets no stop, only the space after one.
 * @param {readonly string[]} said
 */
export function sentences(...said) {
  const stop = t('common.stop');
  return said.reduce((before, next) => before + (/[.…!?。！？]$/.test(before) ? stop.slice(1) : stop) + next);
}

/**
 * Whether there is a text for this key.
 * @param {string} key
 */
export function hasText(key) {
  return key in (catalogues.get(language.get()) ?? {});
}

/** @param {string} key @param {Record<string, unknown>} values @returns {string} */
function pattern(key, values) {
  const message = catalogues.get(language.get())?.[key];
  if (message === undefined) return key;
  if (typeof message === 'string') return message;
  const category = new Intl.PluralRules(language.get()).select(Number(values.count ?? 0));
  return message[category] ?? message.other;
}

/** @param {unknown} value */
function shown(value) {
  return typeof value === 'number' ? formatNumber(value) : String(value ?? '');
}

/**
 * A count for people: 980, 9,840, 12.4K.
 * @param {number} value
 */
export function formatNumber(value) {
  const compact = Math.abs(value) >= 10_000;
  return new Intl.NumberFormat(
    language.get(),
    compact ? { notation: 'compact', maximumFractionDigits: 1 } : {},
  ).format(value);
}

/**
 * A count of which each unit matters, such as money: 12,400.
 * @param {number} value
 */
export function formatWhole(value) {
  return new Intl.NumberFormat(language.get()).format(value);
}

/**
 * Minutes and seconds as a clock shows them: 0:07, 12:30, 1:02:03.
 * @param {number} seconds
 */
export function formatClock(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const two = (/** @type {number} */ value) => String(value).padStart(2, '0');
  const minutes = Math.floor(whole / 60) % 60;
  const hours = Math.floor(whole / 3600);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/**
 * How long something takes, in the largest unit that fits, rounded up: 30 seconds, 10 minutes, 3 hours, 2 days.
 * @param {number} seconds
 * @param {'long' | 'short'} [unitDisplay]
 */
export function formatSpan(seconds, unitDisplay = 'long') {
  const whole = Math.max(1, Math.ceil(seconds));
  /** @type {[string, number]} */ let fitting = ['second', 1];
  for (const [unit, size] of /** @type {[string, number][]} */ (units)) {
    if (whole >= size) fitting = [unit, size];
  }
  const [unit, size] = fitting;
  const format = { style: 'unit', unit, unitDisplay };
  return new Intl.NumberFormat(language.get(), /** @type {Intl.NumberFormatOptions} */ (format)).format(
    Math.ceil(whole / size),
  );
}

const units = [
  ['second', 1],
  ['minute', 60],
  ['hour', 3_600],
  ['day', 86_400],
];

/**
 * A day with its time.
 * @param {number} time milliseconds since 1970
 */
export function formatMoment(time) {
  return new Intl.DateTimeFormat(language.get(), { dateStyle: 'medium', timeStyle: 'short' }).format(time);
}

/**
 * Time of day of a chat line.
 * @param {number} time milliseconds since 1970
 */
export function formatTime(time) {
  return new Intl.DateTimeFormat(language.get(), { hour: 'numeric', minute: '2-digit' }).format(time);
}

/**
 * A sentence for people with a next step, whatever went wrong. What a newer server refuses is told in that server's words.
 * @param {{name: string, message?: string, retryAfterMs?: number | null, data?: Record<string, any>}} error an OvationError
 */
export function errorText(error) {
  const wait = Math.max(1, Math.ceil((error.retryAfterMs ?? 1000) / 1000));
  if (error.name === 'invalid_params' && hasText(`error.invalid_params.${error.data?.field}`))
    return t(`error.invalid_params.${error.data?.field}`);
  const key = `error.${error.name}`;
  if (hasText(key)) return t(key, { count: wait, time: formatSpan(wait), name: error.data?.reason ?? '' });
  const { name, message = '' } = error;
  return message && message !== name ? t('error.said', { name, message }) : t('error.other', { name });
}
