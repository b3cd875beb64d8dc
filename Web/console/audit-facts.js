import { formatSpan, formatWhole, hasText, t } from '../lib/i18n.js';

/**
 * What a line of the audit trail says besides who, what and whom: names with values, as people read them. Deleted messages stand apart
 * (`messagesOf`); what a newer server notes has its own name.
 * @param {any} line
 * @returns {[label: string, value: string][]}
 */
export function factsOf(line) {
  return Object.entries(line.detail)
    .filter(([name]) => name !== 'messages')
    .map(([name, value]) => [labelOf(name), wordsFor(name, value)]);
}

/**
 * The texts that were deleted, or that a report is about.
 * @param {any} line
 * @returns {string[]}
 */
export function messagesOf(line) {
  return (line.detail.messages ?? []).map((/** @type {any} */ message) =>
    message.command ? `${message.command}: ${message.text}` : message.text,
  );
}

/**
 * All of it in a line, for a table.
 * @param {any} line
 */
export function summaryOf(line) {
  const facts = factsOf(line).map(([label, value]) => `${label}: ${value}`);
  const reason = line.reason ? [`“${line.reason}”`] : [];
  return [...reason, ...messagesOf(line).map(text => `“${text}”`), ...facts].join(' · ');
}

/** @param {string} name */
function labelOf(name) {
  const key = `console.detail.${name}`;
  return hasText(key) ? t(key) : name;
}

/** @param {string} name @param {any} value @returns {string} */
function wordsFor(name, value) {
  if (value !== null && typeof value === 'object' && 'before' in value)
    return t('console.detail.change', {
      before: wordsFor(name, value.before),
      after: wordsFor(name, value.after),
    });
  if (typeof value === 'boolean') return t(value ? 'console.detail.yes' : 'console.detail.no');
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.join(', ');
  if (name === 'seconds') return value === 0 ? t('console.detail.once') : formatSpan(value);
  if (name === 'slowSeconds') return value === 0 ? t('console.detail.no') : formatSpan(value);
  if (name === 'seat') return String(value + 1);
  if (name === 'kind' && hasText(`console.restricted.${value}`)) return t(`console.restricted.${value}`);
  if (name === 'role' && hasText(`console.role.${value}`)) return t(`console.role.${value}`);
  if (name === 'coins' || name === 'price') return formatWhole(Number(value));
  if (typeof value === 'string') return value === '' ? '–' : value;
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}
