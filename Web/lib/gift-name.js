import { language } from './i18n.js';

/**
 * What a gift is called in the language of the page, as far as the operator has named it there.
 * @param {import('../protocol/events.js').Gift} gift
 */
export function giftName({ name, names }) {
  const wanted = language.get();
  return names?.[wanted] ?? names?.[wanted.split('-')[0]] ?? name;
}
