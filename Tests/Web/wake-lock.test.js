import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WakeLock } from '../../Web/lib/wake-lock.js';
import { settle } from './support/time.js';

function parts({ refuses = false } = {}) {
  const document = Object.assign(new EventTarget(), { hidden: false });
  const locks = [];
  const navigator = {
    wakeLock: {
      request: async () => {
        if (refuses) throw new DOMException('', 'NotAllowedError');
        const lock = Object.assign(new EventTarget(), { held: true, release: async () => {} });
        lock.release = async () => {
          lock.held = false;
          lock.dispatchEvent(new Event('release'));
        };
        locks.push(lock);
        return lock;
      },
    },
  };
  const life = new AbortController();
  return { document, locks, life, lock: new WakeLock(life.signal, { navigator, document }) };
}

test('L22-W the screen is kept awake while wanted, once, and again when the page is back', async () => {
  const { document, locks, life, lock } = parts();
  lock.set(true);
  lock.set(true);
  await settle();
  assert.deepEqual(
    locks.map(({ held }) => held),
    [true],
  );
  // The browser lets it sleep with a hidden page.
  document.hidden = true;
  await locks[0].release();
  document.dispatchEvent(new Event('visibilitychange'));
  await settle();
  assert.equal(locks.length, 1);
  document.hidden = false;
  document.dispatchEvent(new Event('visibilitychange'));
  await settle();
  assert.deepEqual(
    locks.map(({ held }) => held),
    [false, true],
  );
  lock.set(false);
  await settle();
  assert.equal(locks[1].held, false);
  lock.set(true);
  await settle();
  life.abort();
  await settle();
  assert.ok(locks.every(({ held }) => !held));
});

test('L22-W what is not wanted any more when it comes is let go; a refusal is none of the page’s business', async () => {
  const { locks, lock } = parts();
  lock.set(true);
  lock.set(false);
  await settle();
  assert.ok(locks.every(({ held }) => !held));
  const refusing = parts({ refuses: true });
  refusing.lock.set(true);
  await settle();
  assert.equal(refusing.locks.length, 0);
});
