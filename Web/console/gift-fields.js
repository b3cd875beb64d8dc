import { languages } from '../lib/i18n.js';

/**
 * The languages in which a gift can be named beside its name: those of the app, and those in which it has a name already.
 * @param {import('../protocol/events.js').Gift | null} gift
 */
export function nameLanguages(gift) {
  const named = Object.keys(gift?.names ?? {});
  const primary = (/** @type {string} */ tag) => tag.split('-')[0];
  const offered = Object.keys(languages)
    .map(primary)
    .filter(tag => tag !== 'en');
  return [...offered.filter(tag => !named.some(other => primary(other) === tag)), ...named].sort();
}

/**
 * What stands in the fields of a gift, as the server takes it.
 * @param {Record<string, string>} values
 */
export function giftBody(values) {
  const names = Object.entries(values).flatMap(([field, name]) =>
    field.startsWith('name-') && name.trim() ? [[field.slice('name-'.length), name.trim()]] : [],
  );
  const other = values.language.trim();
  if (other && values.other.trim()) names.push([other, values.other.trim()]);
  return {
    name: values.name.trim(),
    names: Object.fromEntries(names),
    price: Number(values.price),
    picture: values.picture.trim(),
    large: values.large === '1',
  };
}
