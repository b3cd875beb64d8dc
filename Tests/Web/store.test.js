import assert from 'node:assert/strict';
import { test } from 'node:test';
import { derive, Store } from '../../Web/lib/store.js';

test('a watcher hears the present value at once and every later one', () => {
  const store = new Store(1);
  const heard = [];
  const stop = store.subscribe(value => heard.push(value));
  store.set(2);
  store.set(2);
  store.update(value => value + 1);
  stop();
  store.set(9);
  assert.deepEqual(heard, [1, 2, 3]);
});

test('an aborted signal ends watching, also one aborted before', () => {
  const store = new Store('a');
  const controller = new AbortController();
  const heard = [];
  store.subscribe(value => heard.push(value), { signal: controller.signal, now: false });
  store.set('b');
  controller.abort();
  store.set('c');
  store.subscribe(value => heard.push(value), { signal: controller.signal });
  store.set('d');
  assert.deepEqual(heard, ['b']);
  assert.equal(store.watched, false);
});

test('a watcher that an earlier one sent away is not told any more', () => {
  const store = new Store(0);
  const heard = [];
  let stop = () => {};
  store.subscribe(() => stop(), { now: false });
  stop = store.subscribe(value => heard.push(value), { now: false });
  store.set(1);
  assert.deepEqual(heard, []);
});

test('demand is told when the first watcher comes and the last one goes', () => {
  const told = [];
  const store = new Store(0, { first: () => told.push('first'), last: () => told.push('last') });
  const one = store.subscribe(() => {});
  const two = store.subscribe(() => {});
  one();
  one();
  two();
  assert.deepEqual(told, ['first', 'last']);
});

test('a derived value follows its sources while watched and computes when asked otherwise', () => {
  const a = new Store(1);
  const b = new Store(10);
  const sum = derive([a, b], (x, y) => x + y);
  assert.equal(sum.get(), 11);
  a.set(2);
  assert.equal(sum.get(), 12);
  const heard = [];
  const stop = sum.subscribe(value => heard.push(value));
  b.set(20);
  a.set(2);
  stop();
  assert.equal(a.watched, false, 'sources are let go with the last watcher');
  a.set(5);
  assert.deepEqual(heard, [12, 22]);
  assert.equal(sum.get(), 25);
});

test('a derived value that is the same by its own measure is no news', () => {
  const source = new Store(['x']);
  const joined = derive(
    [source],
    list => [...list],
    (x, y) => x?.join() === y?.join(),
  );
  const heard = [];
  joined.subscribe(value => heard.push(value));
  source.set(['x']);
  source.set(['y']);
  assert.deepEqual(heard, [['x'], ['y']]);
});
