import { formatMoment, formatSpan, formatWhole, hasText, listed, t } from '../lib/i18n.js';

/**
 * What a line of the audit trail says besides who, what and whom: names with values, as people read them. Deleted messages stand apart
 * (`messagesOf`); what a newer server notes has its own name.
 * @param {any} line
 * @returns {[label: string, value: string][]}
 */
export function factsOf(line) {
  return Object.entries(line.detail)
    .filter(([name]) => name !== 'messages')
    .map(([name, value]) => [labelOf(name, value, line.action), wordsFor(name, value, line.detail)]);
}

/**
 * The texts that were deleted, or that a report is about.
 * @param {any} line
 * @returns {string[]}
 */
export function messagesOf(line) {
  return (line.detail.messages ?? []).map((/** @type {any} */ message) =>
    message.command ? t('common.fact', { label: message.command, value: message.text }) : message.text,
  );
}

/**
 * All of it in a line, for a table.
 * @param {any} line
 */
export function summaryOf(line) {
  const facts = factsOf(line).map(([label, value]) => t('common.fact', { label, value }));
  const reason = line.reason ? [`“${line.reason}”`] : [];
  return [...reason, ...messagesOf(line).map(text => `“${text}”`), ...facts].join(' · ');
}

/** Of these lines `key` is what keeps a movement of coins from being made twice; of the others it is a secret key's name. */
const coinsMoved = ['topUp', 'refund'];

/** @param {string} name @param {unknown} value @param {string} action */
function labelOf(name, value, action) {
  if (name === 'key') return t(coinsMoved.includes(action) ? 'console.wallets.key' : 'console.keys.key');
  // A room notes a host's rooms, as true or false; an operator the whole application, as text.
  if (name === 'everywhere' && value === 'true') return t('console.detail.everywhereInApplication');
  // Settings of an application are called as in their form.
  return t([`console.detail.${name}`, `console.applications.${name}`].find(hasText) ?? name);
}

/** What has one of a few values, each with words of its own. */
const worded = new Set(['kind', 'role', 'consent', 'secondSession', 'roomKeys']);

/** @param {string} name @param {any} value @param {any} [detail] what it stands in @returns {string} */
function wordsFor(name, value, detail) {
  if (value !== null && typeof value === 'object' && 'before' in value)
    return t('console.detail.change', {
      before: wordsFor(name, value.before),
      after: wordsFor(name, value.after),
    });
  if (typeof value === 'boolean' || name === 'everywhere')
    return t(String(value) === 'true' ? 'console.detail.yes' : 'console.detail.no');
  if (Array.isArray(value)) return value.length === 0 ? '–' : listed(value);
  if (name === 'seconds') return value === 0 ? t('console.detail.once') : formatSpan(value);
  if (name === 'slowSeconds') return value === 0 ? t('console.detail.no') : formatSpan(value);
  if (name === 'seat') return String(value + 1);
  if (name === 'until') return formatMoment(Number(value));
  // A room keeps somebody out of a host's rooms, an operator out of the application.
  if (name === 'kind' && value === 'ban' && detail?.everywhere !== 'true')
    return t('console.restricted.roomBan');
  const words = `console.${name === 'kind' ? 'restricted' : name}.${value}`;
  if (worded.has(name) && hasText(words)) return t(words);
  if (name === 'coins' || name === 'price') return formatWhole(Number(value));
  if (typeof value === 'string') return value === '' ? '–' : value;
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}
