/**
 * What people take for one letter each.
 * @param {string} text
 */
export function* graphemes(text) {
  const Segmenter = /** @type {any} */ (Intl).Segmenter;
  if (!Segmenter) yield* text;
  else
    for (const { segment } of new Segmenter(undefined, { granularity: 'grapheme' }).segment(text))
      yield segment;
}

/**
 * As much of a text as a field with this `maxlength` takes, without half a letter at its end.
 * @param {string} text
 * @param {number} most in UTF-16 units, as `maxlength` counts
 */
export function shortened(text, most) {
  if (text.length <= most) return text;
  let short = '';
  for (const letter of graphemes(text)) {
    if (short.length + letter.length > most) break;
    short += letter;
  }
  return short.trimEnd();
}
