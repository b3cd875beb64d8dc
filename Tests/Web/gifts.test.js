import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giftName } from '../../Web/lib/gift-name.js';
import { language } from '../../Web/lib/i18n.js';
import { people } from './support/rooms.js';
import { Script, salonTab } from './support/salon.js';
import { Refusal } from './support/server.js';
import { settle } from './support/time.js';

const catalogue = [
  { id: 'rose', name: 'Rose', price: 1, picture: 'gifts/rose.svg' },
  { id: 'crown', name: 'Crown', price: 1000, large: true },
];

/** A tab whose server has a catalogue and a wallet, and writes down what it was asked to send. */
async function giftTab(t, coins = 2000) {
  const tab = await salonTab(t);
  const sent = [];
  let left = coins;
  tab.server.on('gift.list', () => ({ gifts: catalogue }));
  tab.server.on('wallet.get', () => ({ coins: left, earnings: 0, faucet: true }));
  tab.server.on('gift.send', params => {
    const { price } = catalogue.find(({ id }) => id === params.gift);
    if (price * params.count > left) throw new Refusal('balance_low', 20491, { reason: String(left) });
    left -= price * params.count;
    sent.push(params);
    return { gift: sent.length, balance: left };
  });
  const { gifts } = tab.salon;
  await Promise.all([gifts.load(), gifts.refresh(), settle()]);
  return { tab, gifts, sent };
}

test('G02-W what is pressed at once is one gift of several, paid under one key', async t => {
  const { tab, gifts, sent } = await giftTab(t);
  gifts.choose({ chosen: 'rose' });
  for (let press = 0; press < 3; press++) gifts.give();
  assert.equal(gifts.state.get().waiting, 3);
  await tab.time.advance(250);
  assert.equal(sent.length, 1);
  assert.deepEqual([sent[0].gift, sent[0].count, sent[0].room], ['rose', 3, 48213]);
  assert.ok(sent[0].key.length > 8);
  gifts.give();
  await tab.time.advance(250);
  assert.notEqual(sent[1].key, sent[0].key);
  const { wallet, combo, waiting } = gifts.state.get();
  assert.deepEqual([wallet.coins, combo, waiting], [1996, { gift: 'rose', count: 4, coins: 4 }, 0]);
  await tab.time.advance(3000);
  assert.equal(gifts.state.get().combo, null, 'a row ends after three seconds');
});

test('G02-W a number of one’s own is what its digits say, up to what one call takes; nothing counts as one', async t => {
  const { gifts } = await giftTab(t);
  gifts.choose({ chosen: 'rose' });
  const typed = ['0a12', '', '99999', '0'].map(text => {
    gifts.chooseOwn(text);
    const { own, count } = gifts.state.get();
    return [own, count, gifts.price];
  });
  assert.deepEqual(typed, [
    ['12', 12, 12],
    ['', 1, 1],
    ['999', 999, 999],
    ['', 1, 1],
  ]);
  gifts.chooseOwn('12');
  gifts.choose({ to: 'alice' });
  assert.equal(gifts.state.get().own, '12');
  gifts.choose({ count: 10 });
  assert.deepEqual([gifts.state.get().own, gifts.state.get().count], ['', 10]);
});

test('G02-W another gift, or one for somebody else, does not go along with what is gathered', async t => {
  const { tab, gifts, sent } = await giftTab(t);
  gifts.choose({ chosen: 'rose', count: 10 });
  gifts.give();
  gifts.choose({ to: 'alice' });
  gifts.give();
  gifts.choose({ chosen: 'crown', count: 1 });
  gifts.give();
  await tab.time.advance(250);
  assert.deepEqual(
    sent.map(({ gift, count, to }) => [gift, count, to]),
    [
      ['rose', 10, undefined],
      ['rose', 10, 'alice'],
      ['crown', 1, 'alice'],
    ],
  );
});

test('G02-W a refusal is told, pays nothing, and shows what is left', async t => {
  const { tab, gifts, sent } = await giftTab(t, 10);
  const problems = [];
  gifts.news.on('unsent', ({ error, coins }) => problems.push(error.name, coins));
  gifts.choose({ chosen: 'crown' });
  assert.ok(gifts.isMuch);
  gifts.give();
  await tab.time.advance(250);
  const { wallet, combo, waiting } = gifts.state.get();
  assert.deepEqual([problems, sent, wallet.coins, combo, waiting], [['balance_low', 1000], [], 10, null, 0]);
});

test("G02-W the room's gifts are told one by one, and add to what the room and I have been given", async t => {
  const { tab, gifts } = await giftTab(t);
  const script = new Script(tab.server);
  const heard = [];
  gifts.news.on('sent', sent => heard.push(sent.number));
  const person = id => ({ id, name: id, avatar: '' });
  const gift = (number, to) => ({
    number,
    gift: catalogue[0],
    count: 5,
    combo: 5,
    from: person('alice'),
    to: person(to),
    time: 1,
  });
  const standing = { coins: 10, supporters: [{ user: person('alice'), coins: 10 }] };
  await script.tell({
    seq: ++script.seq,
    type: 'gifts.sent',
    gifts: [gift(1, 'carol'), gift(2, 'bob')],
    standing,
    time: 1,
  });
  assert.deepEqual(heard, [1, 2]);
  assert.equal(gifts.state.get().wallet.earnings, 5);
  assert.deepEqual(tab.state.gifts, standing);
  const line = tab.state.chat.at(-1);
  assert.equal(line.kind, 'gift');
});

test('G02-W the chat says which gift it was and how many; what goes on in a row counts on in its line', async t => {
  const { tab } = await giftTab(t);
  const script = new Script(tab.server);
  const [rose, crown] = catalogue;
  let number = 0;
  const give = (gift, from, to, count, time) =>
    script.tell({
      seq: ++script.seq,
      type: 'gifts.sent',
      gifts: [{ number: ++number, gift, count, combo: count, from: people[from], to: people[to], time }],
      standing: { coins: 0, supporters: [] },
      time,
    });
  await give(rose, 'carol', 'alice', 1, 1_000);
  await give(rose, 'carol', 'alice', 2, 2_000);
  await give(rose, 'carol', 'bob', 1, 3_000);
  await give(crown, 'carol', 'bob', 1, 4_000);
  await give(crown, 'carol', 'bob', 1, 400_000);
  const lines = tab.state.chat.filter(({ kind }) => kind === 'gift');
  assert.deepEqual(
    lines.map(({ gift, to, count }) => [gift.id, to.id, count]),
    [
      ['rose', 'alice', 3],
      ['rose', 'bob', 1],
      ['crown', 'bob', 1],
      ['crown', 'bob', 1],
    ],
  );
  assert.equal(new Set(lines.map(({ key }) => key)).size, 4);
});

test('G02-W a gift is called what the operator calls it in the language of the page', t => {
  const gift = { id: 'rose', name: 'Rose', price: 1, names: { ko: '장미', zh: '玫瑰' } };
  const former = language.get();
  t.after(() => language.set(former));
  const called = wanted => {
    language.set(wanted);
    return giftName(gift);
  };
  assert.deepEqual(['en', 'ko', 'zh-Hans'].map(called), ['Rose', '장미', '玫瑰']);
  assert.equal(giftName({ id: 'tea', name: 'Tea', price: 1 }), 'Tea');
});

test('G02-W without a catalogue, or after the visit, nothing is drawn or sent', async t => {
  const { tab, gifts, sent } = await giftTab(t);
  gifts.choose({ chosen: 'bicycle' });
  gifts.give();
  gifts.choose({ chosen: 'rose' });
  gifts.give();
  const leaving = tab.salon.leave();
  await tab.time.advance(300);
  await leaving;
  assert.deepEqual(sent, []);
});
