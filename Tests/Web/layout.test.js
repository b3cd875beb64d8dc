import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areaOf, largeLayoutOf, layoutOf, mostOnStage, sizeFor } from '../../Web/models/layout.js';

test('L03-W each person has one box, up to ten of them, without gaps where nobody is large', () => {
  for (const [layout, count] of [layoutOf, largeLayoutOf].flatMap(layout =>
    Array.from({ length: mostOnStage }, (_, people) => /** @type {const} */ ([layout, people + 1])),
  )) {
    const rows = layout(count)
      .areas.match(/"[^"]*"/g)
      .map(row => row.slice(1, -1).split(' '));
    assert.ok(
      rows.every(row => row.length === rows[0].length),
      `${count}: equal rows`,
    );
    const letters = [...new Set(rows.flat())].filter(letter => layout === layoutOf || letter !== '.').sort();
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
  assert.deepEqual(layoutOf(0), layoutOf(1));
  assert.deepEqual(layoutOf(99), layoutOf(mostOnStage));
  const share = (/** @type {string} */ areas) => areas.split('a').length / areas.split(/[a-j.]/).length;
  for (let count = 2; count <= mostOnStage; count++)
    assert.ok(share(largeLayoutOf(count).areas) > 0.7, `${count}`);
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
