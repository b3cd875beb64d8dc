import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  areaOf,
  arrangementOf,
  largeLayoutOf,
  layoutOf,
  mostOnStage,
  sizeFor,
} from '../../Web/models/layout.js';

/** @type {readonly import('../../Web/models/layout.js').Form[]} */
const forms = ['wide', 'upright'];

test('L03-W each person has one box, up to ten of them, without gaps where nobody is large', () => {
  for (const form of forms) {
    for (const [layout, count] of [layoutOf, largeLayoutOf].flatMap(layout =>
      Array.from({ length: mostOnStage }, (_, people) => /** @type {const} */ ([layout, people + 1])),
    )) {
      const rows = (layout(count, form).areas.match(/"[^"]*"/g) ?? []).map(row =>
        row.slice(1, -1).split(' '),
      );
      assert.ok(
        rows.every(row => row.length === rows[0].length),
        `${count}: equal rows`,
      );
      const letters = [...new Set(rows.flat())]
        .filter(letter => layout === layoutOf || letter !== '.')
        .sort();
      const wanted = Array.from({ length: count }, (_, place) => areaOf(place));
      assert.deepEqual(letters, wanted, `${count} people`);
      for (const letter of letters) {
        // A box: the cells that it takes are all those between its corners.
        const cells = rows.flatMap((row, y) => row.flatMap((cell, x) => (cell === letter ? [[x, y]] : [])));
        const [xs, ys] = [cells.map(([x]) => x), cells.map(([, y]) => y)];
        const area = (Math.max(...xs) - Math.min(...xs) + 1) * (Math.max(...ys) - Math.min(...ys) + 1);
        assert.equal(cells.length, area, `${count}: ${letter}`);
      }
    }
    assert.deepEqual(layoutOf(0, form), layoutOf(1, form));
    assert.deepEqual(layoutOf(99, form), layoutOf(mostOnStage, form));
    const share = (/** @type {string} */ areas) => areas.split('a').length / areas.split(/[a-j.]/).length;
    for (let count = 2; count <= mostOnStage; count++)
      assert.ok(share(largeLayoutOf(count, form).areas) > 0.7, `${count}`);
  }
});

test('L03-W upright pictures stand in an upright block, and never lie flatter than 3 to 2 in it', () => {
  for (let count = 1; count <= mostOnStage; count++) {
    const { areas, rows, shape } = layoutOf(count, 'upright');
    assert.ok(shape <= 1.13, `${count}: the block`);
    const lines = (areas.match(/"[^"]*"/g) ?? []).map(row => row.slice(1, -1).split(' '));
    const parts =
      rows === 'none'
        ? lines.map(() => 1)
        : [...rows.matchAll(/([0-9]+)fr/g)].map(([, part]) => Number(part));
    assert.equal(parts.length, lines.length);
    const whole = parts.reduce((sum, part) => sum + part, 0);
    for (const letter of new Set(lines.flat())) {
      const columns = Math.max(...lines.map(line => line.filter(cell => cell === letter).length));
      const high = parts.filter((_, at) => lines[at].includes(letter)).reduce((sum, part) => sum + part, 0);
      const ratio = ((columns / lines[0].length) * shape) / (high / whole);
      assert.ok(ratio <= 1.5 + 1e-9, `${count}: ${letter} is ${ratio}`);
    }
  }
});

test('L02-W L03-W chat lies over one upright picture on a phone, and over any on a phone that is turned', () => {
  const one = { count: 1, hostUpright: true, others: false };
  assert.deepEqual(arrangementOf('tall', one), { form: 'upright', chat: 'over' });
  assert.deepEqual(arrangementOf('tall', { ...one, hostUpright: false }), { form: 'wide', chat: 'below' });
  assert.deepEqual(arrangementOf('tall', { ...one, count: 2 }), { form: 'upright', chat: 'below' });
  assert.deepEqual(arrangementOf('tall', { ...one, count: 2, others: true }), {
    form: 'wide',
    chat: 'below',
  });
  assert.deepEqual(arrangementOf('turned', one), { form: 'wide', chat: 'over' });
  assert.deepEqual(arrangementOf('turned', { count: 4, hostUpright: false, others: true }), {
    form: 'wide',
    chat: 'over',
  });
  assert.deepEqual(arrangementOf('wide', one), { form: 'upright', chat: 'beside' });
  assert.deepEqual(arrangementOf('wide', { ...one, count: 3 }), { form: 'wide', chat: 'beside' });
});

test('L11-W a place asks for no more lines than it shows', () => {
  for (const [height, density, size] of [
    [180, 1, 'low'],
    [216, 1, 'low'],
    [217, 1, 'middle'],
    [180, 2, 'middle'],
    [432, 1, 'middle'],
    [433, 1, 'high'],
    [261, 2, 'high'],
  ]) {
    assert.equal(sizeFor(height, density), size, `${height} × ${density}`);
  }
});
