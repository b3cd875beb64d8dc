// Where each person on the stage of a live room is seen: the host in `a`, the others by seat, without gaps. Pure.

/**
 * `areas` is a value of `grid-template-areas`, `shape` the width of the whole block over its height.
 * @typedef {{areas: string, shape: number}} Layout
 */

/** The rows of each number of people, in a block of 16 to 9. */
const wide = [
  ['a'],
  ['ab'],
  ['aab', 'aac'],
  ['ab', 'cd'],
  ['aaabbb', 'ccddee'],
  ['aab', 'aac', 'def'],
  ['aaaabbbbcccc', 'dddeeefffggg'],
  ['abcd', 'efgh'],
  ['abc', 'def', 'ghi'],
  ['abcde', 'fghij'],
];
/** The host and nine others. */
export const mostOnStage = 10;

/**
 * @param {number} count people on the stage, 1…10
 * @returns {Layout}
 */
export function layoutOf(count) {
  const rows = wide[Math.min(Math.max(count, 1), mostOnStage) - 1];
  return { areas: rows.map(row => `"${[...row].join(' ')}"`).join(' '), shape: 16 / 9 };
}

/**
 * One of them large, the others beside it: one column of up to four, or two.
 * @param {number} count people on the stage, 1…10
 * @returns {Layout}
 */
export function largeLayoutOf(count) {
  const others = Math.min(count, mostOnStage) - 1;
  if (others < 1) return layoutOf(count);
  const columns = others <= 4 ? 1 : 2;
  const rows = Math.max(3, Math.ceil(others / columns));
  const lines = Array.from({ length: rows }, (_, row) => {
    const beside = Array.from({ length: columns }, (_, column) => {
      const place = row * columns + column;
      return place < others ? areaOf(place + 1) : '.';
    });
    return `"${[...'a'.repeat(columns === 1 ? 4 : 6), ...beside].join(' ')}"`;
  });
  return { areas: lines.join(' '), shape: 16 / 9 };
}

/** @param {number} place among those on the stage */
export function areaOf(place) {
  return String.fromCharCode('a'.charCodeAt(0) + place);
}

/**
 * How large a picture is worth asking for, by the height in which it is shown.
 * @param {number} height in CSS pixels
 * @param {number} density device pixels in one of them
 * @returns {'low' | 'middle' | 'high'}
 */
export function sizeFor(height, density) {
  // A layer is good for a fifth more than its own lines: 180, 360 and 720.
  const lines = height * density;
  return lines <= 216 ? 'low' : lines <= 432 ? 'middle' : 'high';
}
