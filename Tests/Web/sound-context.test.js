import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualTime } from './support/time.js';

/** The page: `keepSounding` listens to it once, so there is one for all tests here. */
const page = Object.assign(new EventTarget(), { hidden: false });
Object.assign(globalThis, { document: page });
const { keepSounding } = await import('../../Web/lib/sound-context.js');
Reflect.deleteProperty(globalThis, 'document');

class FakeContext extends EventTarget {
  state = 'running';
  currentTime = 1;
  resumed = 0;

  async resume() {
    this.resumed++;
  }

  become(state) {
    this.state = state;
    this.dispatchEvent(new Event('statechange'));
  }
}

test('L22-W a context that a call interrupts is woken in the next gesture and at the next look, and not while the call lasts', t => {
  VirtualTime.install(t);
  Object.assign(globalThis, { document: page });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const told = [];
  const context = new FakeContext();
  keepSounding(context, how => told.push(how));
  context.become('interrupted');
  assert.deepEqual([context.resumed, told], [0, ['waits']]);
  page.dispatchEvent(new Event('click'));
  assert.equal(context.resumed, 1);
  page.dispatchEvent(new Event('visibilitychange'));
  assert.equal(context.resumed, 2);
  context.become('suspended');
  assert.equal(context.resumed, 3, 'the call is over: at once');
  context.become('running');
  assert.deepEqual(told, ['waits', 'waits', 'runs']);
  page.dispatchEvent(new Event('click'));
  assert.equal(context.resumed, 3);
  context.become('interrupted');
  context.become('closed');
  page.dispatchEvent(new Event('click'));
  assert.equal(context.resumed, 3, 'nobody wakes what was closed');
});

test('L22-W a context that says it runs and whose clock stands is told as such, one that runs is not', async t => {
  const time = VirtualTime.install(t);
  const told = [];
  const context = new FakeContext();
  keepSounding(context, how => told.push(how));
  context.become('interrupted');
  context.become('running');
  context.currentTime += 1;
  await time.advance(1_500);
  assert.deepEqual(told, ['waits', 'runs']);
  context.become('interrupted');
  context.become('running');
  await time.advance(1_500);
  assert.deepEqual(told, ['waits', 'runs', 'waits', 'runs', 'stands']);
});
