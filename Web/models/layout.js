// Where each person on the stage of a live room is seen: the host in `a`, the others by seat, without gaps. Pure.

/**
 * `areas` is a value of `grid-template-areas`, `rows` one of `grid-template-rows`, `shape` the width of the whole block over its height.
 * @typedef {{areas: string, rows: string, shape: number}} Layout
 */
/**
 * Whether the block is made for wide pictures or for upright ones.
 * @typedef {'wide' | 'upright'} Form
 */
/**
 * Where the chat is: in a column beside the pictures, in a list below them, or over them.
 * @typedef {'beside' | 'below' | 'over'} ChatPlace
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
/** The same, of upright pictures in a narrow page. */
const upright = [
  ['a'],
  ['ab'],
  ['aab', 'aac'],
  ['ab', 'cd'],
  ['aaabbb', 'ccddee'],
  ['aab', 'aac', 'def'],
  ['aaabbb', 'cccddd', 'eeffgg'],
  ['aaabbb', 'ccddee', 'ffgghh'],
  ['abc', 'def', 'ghi'],
  ['aaaabbbbcccc', 'ddddeeeeffff', 'ggghhhiiijjj'],
];
const rowsOf = { wide, upright };
/** The host and nine others. */
export const mostOnStage = 10;

/**
 * @param {number} count people on the stage, 1…10
 * @param {Form} form
 * @returns {Layout}
 */
export function layoutOf(count, form) {
  const people = Math.min(Math.max(count, 1), mostOnStage);
  const lines = rowsOf[form][people - 1].map(row => [...row]);
  // Two above three: those above are wider, so they are higher too.
  return block(lines, shapeOf(people, form), people === 5 ? 'minmax(0, 5fr) minmax(0, 4fr)' : 'none');
}

/**
 * One of them large, the others beside it: one column of up to four, or two.
 * @param {number} count people on the stage, 1…10
 * @param {Form} form
 * @returns {Layout}
 */
export function largeLayoutOf(count, form) {
  const others = Math.min(count, mostOnStage) - 1;
  if (others < 1) return layoutOf(count, form);
  const columns = others <= 4 ? 1 : 2;
  const rows = Math.max(3, Math.ceil(others / columns));
  const lines = Array.from({ length: rows }, (_, row) => {
    const beside = Array.from({ length: columns }, (_, column) => {
      const place = row * columns + column;
      return place < others ? areaOf(place + 1) : '.';
    });
    return [...'a'.repeat(columns === 1 ? 4 : 6), ...beside];
  });
  return block(lines, shapeOf(others + 1, form), 'none');
}

/** @param {number} people @param {Form} form */
function shapeOf(people, form) {
  if (form === 'wide') return 16 / 9;
  return people === 1 ? 9 / 16 : people <= 3 ? 1 / 0.885 : 1;
}

/** @param {string[][]} lines @param {number} shape @param {string} rows @returns {Layout} */
function block(lines, shape, rows) {
  return { areas: lines.map(line => `"${line.join(' ')}"`).join(' '), rows, shape };
}

/**
 * How a page shows its people: the block's form, and the place of the chat.
 * @param {import('../lib/page-shape.js').PageShape} page
 * @param {{count: number, hostUpright: boolean, others: boolean}} shown people and linked hosts, whether the room's own host is among
 *   them with an upright picture, and whether a screen or another room's host is shown beside them
 * @returns {{form: Form, chat: ChatPlace}}
 */
export function arrangementOf(page, { count, hostUpright, others }) {
  const upright = hostUpright && !others;
  const alone = upright && count === 1;
  if (page === 'wide') return { form: alone ? 'upright' : 'wide', chat: 'beside' };
  // On its side a phone is as wide as a picture: nothing else has a place of its own.
  if (page === 'turned') return { form: 'wide', chat: 'over' };
  return { form: upright ? 'upright' : 'wide', chat: alone ? 'over' : 'below' };
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
