/**
 * `next`, made of the parts of `before` wherever they say the same: `before` itself where all of it does. For values that are never changed in
 * place; lists, sets and plain objects are looked into, everything else is compared by identity.
 * @template T
 * @param {T} before
 * @param {T} next
 * @returns {T}
 */
export function shared(before, next) {
  if (Object.is(before, next)) return before;
  if (Array.isArray(before) && Array.isArray(next)) return /** @type {any} */ (sharedList(before, next));
  if (before instanceof Set && next instanceof Set) {
    return before.size === next.size && [...next].every(one => before.has(one)) ? before : next;
  }
  if (isPlain(before) && isPlain(next)) return /** @type {any} */ (sharedObject(before, next));
  return next;
}

/** @param {unknown[]} before @param {unknown[]} next */
function sharedList(before, next) {
  const made = next.map((value, i) => (i < before.length ? shared(before[i], value) : value));
  return made.length === before.length && made.every((value, i) => Object.is(value, before[i]))
    ? before
    : made;
}

/** @param {Record<string, unknown>} before @param {Record<string, unknown>} next */
function sharedObject(before, next) {
  const keys = Object.keys(next);
  const made = Object.fromEntries(keys.map(key => [key, shared(before[key], next[key])]));
  const same =
    keys.length === Object.keys(before).length &&
    keys.every(key => key in before && Object.is(made[key], before[key]));
  return same ? before : made;
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isPlain(value) {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
