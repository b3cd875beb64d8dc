import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatementModel } from '../../Web/models/statement.js';
import { OvationError } from '../../Web/protocol/errors.js';

/** A wallet whose answers the test gives. */
function fakeWallet() {
  const asked = [];
  return {
    asked,
    read: async () => ({ coins: 7, earnings: 3, faucet: false }),
    statement: query => new Promise((answer, refuse) => asked.push({ query, answer, refuse })),
  };
}
const settled = () => new Promise(resolve => setImmediate(resolve));
const entry = number => ({ number, time: 0, kind: 'topUp', coins: 1, balance: number });
const numbers = model => model.state.get().entries.map(({ number }) => number);

test('G02-W a statement is read page by page', async () => {
  const wallet = fakeWallet();
  const model = new StatementModel(wallet);
  void model.show('wallet');
  assert.equal(model.state.get().reading, true);
  wallet.asked[0].answer({ entries: [entry(9), entry(8)], cursor: '8' });
  await settled();
  assert.deepEqual(numbers(model), [9, 8]);
  assert.equal(model.state.get().wallet.coins, 7);
  void model.more();
  assert.equal(wallet.asked[1].query.cursor, '8');
  wallet.asked[1].answer({ entries: [entry(7)] });
  await settled();
  assert.deepEqual(numbers(model), [9, 8, 7]);
  assert.equal(model.state.get().cursor, undefined);
  assert.equal(model.state.get().reading, false);
});

test('G02-W what was asked of another account before is not shown', async () => {
  const wallet = fakeWallet();
  const model = new StatementModel(wallet);
  void model.show('wallet');
  void model.show('earnings');
  wallet.asked[1].answer({ entries: [entry(2)] });
  await settled();
  wallet.asked[0].answer({ entries: [entry(9)], cursor: '9' });
  await settled();
  assert.deepEqual(numbers(model), [2]);
  assert.equal(model.state.get().cursor, undefined);
});

test('G02-W a page that could not be read is read again from where it was', async () => {
  const wallet = fakeWallet();
  const model = new StatementModel(wallet);
  void model.show('wallet');
  wallet.asked[0].answer({ entries: [entry(9)], cursor: '9' });
  await settled();
  void model.more();
  wallet.asked[1].refuse(new OvationError('offline'));
  await settled();
  assert.equal(model.state.get().error.name, 'offline');
  assert.deepEqual(numbers(model), [9]);
  void model.more();
  assert.equal(wallet.asked[2].query.cursor, '9');
  wallet.asked[2].answer({ entries: [entry(8)] });
  await settled();
  assert.deepEqual(numbers(model), [9, 8]);
  assert.equal(model.state.get().error, null);
});
