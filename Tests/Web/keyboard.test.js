import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { watchKeyboard } from '../../Web/lib/keyboard.js';

/** A phone: the page, what is seen of it, and where the focus is. */
function phone() {
  const style = new Map();
  const document = Object.assign(new EventTarget(), {
    activeElement: /** @type {any} */ (null),
    documentElement: {
      style: {
        setProperty: (name, value) => style.set(name, value),
        removeProperty: name => style.delete(name),
      },
    },
  });
  const visualViewport = Object.assign(new EventTarget(), { height: 844, offsetTop: 0, scale: 1 });
  watchKeyboard(/** @type {any} */ ({ document, visualViewport, innerHeight: 844 }));
  return {
    style,
    seen: (height, offsetTop = 0, scale = 1) => {
      Object.assign(visualViewport, { height, offsetTop, scale });
      visualViewport.dispatchEvent(new Event('resize'));
    },
    focus: isField => {
      document.activeElement = { matches: () => isField };
      document.dispatchEvent(new Event(isField ? 'focusin' : 'focusout'));
    },
  };
}

test('L21-W while somebody writes on an iPhone the room takes what the keyboard leaves of the page, and all of it afterwards', () => {
  const { style, seen, focus } = phone();
  focus(true);
  assert.deepEqual([...style], []);
  seen(508, 90);
  assert.deepEqual(Object.fromEntries(style), { '--visible': '508px', '--visible-top': '90px' });
  focus(false);
  assert.deepEqual([...style], [], 'the focus has left');
  focus(true);
  assert.equal(style.size, 2);
  seen(844);
  assert.deepEqual([...style], [], 'the keyboard is gone');
  seen(422, 100, 2);
  assert.deepEqual([...style], [], 'the page is magnified');
  seen(790);
  assert.deepEqual([...style], [], 'a bar of the browser');
});

test('L21-W what Safari knows under its own name alone stands under both', () => {
  const folder = new URL('../../Web/styles/', import.meta.url);
  let found = 0;
  for (const name of readdirSync(folder)) {
    const lines = readFileSync(new URL(name, folder), 'utf8').split('\n');
    lines.forEach((line, at) => {
      const plain = /^(\s*)((?:user-select|backdrop-filter):.*)$/.exec(line);
      if (!plain) return;
      found++;
      assert.equal(lines[at - 1], `${plain[1]}-webkit-${plain[2]}`, `${name}:${at + 1}`);
    });
  }
  assert.ok(found >= 5, String(found));
});
