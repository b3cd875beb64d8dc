import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GoingLive } from '../../Web/models/going-live.js';
import { settle, VirtualTime } from './support/time.js';

/** A host who goes live; the test says what the server tells and what the host wants. */
function host(t) {
  const time = VirtualTime.install(t);
  const life = new AbortController();
  const said = { arrives: false, wanted: true };
  const going = new GoingLive(
    async () => said.arrives,
    () => said.wanted,
    life.signal,
    () => time.now,
  );
  /** @type {boolean | null} */ let live = null;
  void going.start().then(result => {
    live = result;
  });
  const pass = async ms => {
    for (let left = ms; left > 0; left -= 100) {
      await time.advance(Math.min(100, left));
      await settle();
    }
    return [going.state.get().phase, live];
  };
  return { said, life, pass, start: time.now, going };
}

test('L01-W a host counts 3, 2, 1, and is live when they are through and the server has the picture', async t => {
  const { said, pass, start, going } = host(t);
  assert.deepEqual(going.state.get(), { phase: 'counting', until: start + 3_000 });
  said.arrives = true;
  assert.deepEqual(await pass(2_900), ['counting', null]);
  said.arrives = false;
  assert.deepEqual(await pass(500), ['idle', true], 'once it has come, it has come');
});

test('L01-W where the server gets no picture, the host waits, and is told so after ten seconds', async t => {
  const late = host(t);
  assert.deepEqual(await late.pass(3_400), ['waiting', null]);
  late.said.arrives = true;
  assert.deepEqual(await late.pass(400), ['idle', true]);
});

test('L01-W after ten seconds without a picture at the server nobody is live', async t => {
  const never = host(t);
  assert.deepEqual(await never.pass(9_900), ['waiting', null]);
  assert.deepEqual(await never.pass(400), ['idle', false]);
});

test('L01-W who does not want to be seen any more, or leaves, waits for nothing', async t => {
  const { said, pass } = host(t);
  await pass(4_000);
  said.wanted = false;
  assert.deepEqual(await pass(400), ['idle', true]);
});

test('L01-W a visit that ends ends the wait', async t => {
  const { life, pass } = host(t);
  await pass(4_000);
  life.abort();
  assert.deepEqual(await pass(400), ['idle', true]);
});
