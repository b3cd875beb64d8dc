import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hiddenPeople, setHidden } from '../../Web/models/hidden.js';
import { PreferencesModel } from '../../Web/models/preferences.js';
import { FakeStorage } from './support/media.js';
import { member } from './support/rooms.js';
import { Script, salonTab } from './support/salon.js';
import { Refusal } from './support/server.js';
import { settle } from './support/time.js';

const mute = (more = {}) => ({
  kind: 'chat_mute',
  user: 'bob',
  name: 'Bob',
  by: 'alice',
  until: 1_795_000_600_000,
  ...more,
});

test('G06-W a deleted message keeps its number and its place, and for hosts what it was', async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  const [first, second] = [script.said('alice', 'one'), script.said('alice', 'two')];
  await script.tell(first, second);
  await script.tell({ seq: ++script.seq, type: 'message.deleted', chat: first.chat, by: 'alice', time: 1 });
  assert.deepEqual(
    tab.state.chat.map(({ chat, deleted, text }) => [chat, deleted, text]),
    [
      [first.chat, true, 'one'],
      [second.chat, false, 'two'],
    ],
  );
});

test('G06-W a mute of mine stands in the state until it is lifted; those of others do not', async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  const heard = [];
  tab.salon.news.on('restriction', ({ lifted, mine, by }) => heard.push([lifted, mine, by.name]));
  await script.tell({ type: 'restriction.set', restriction: mute({ user: 'carol' }) });
  assert.equal(tab.state.me.chatMute, null);
  await script.tell({ type: 'restriction.set', restriction: mute({ reason: 'spam' }) });
  assert.deepEqual(
    [tab.state.me.chatMute.by.name, tab.state.me.chatMute.until, tab.state.me.chatMute.reason],
    ['Alice', 1_795_000_600_000, 'spam'],
  );
  await script.tell({ type: 'restriction.lifted', restriction: mute() });
  assert.equal(tab.state.me.chatMute, null);
  assert.deepEqual(heard, [
    [false, false, 'Alice'],
    [false, true, 'Alice'],
    [true, true, 'Alice'],
  ]);
});

test('G06-W slow mode tells when the next message is taken, by the rule and by the refusal', async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  const info = { chat: { slowSeconds: 30, hostsOnly: false, noLinks: false } };
  await script.tell({ seq: ++script.seq, type: 'room.updated', info, time: 1 });
  assert.equal(tab.state.room.chat.slowSeconds, 30);
  tab.server.on('message.send', ({ id, text }, call) => {
    const event = script.said('bob', text, { id });
    call.after = () => tab.server.news(48213, [event]);
    return { chat: event.chat, time: event.time };
  });
  const sending = tab.salon.talk.send('hello');
  await settle();
  await sending;
  const { writesAt } = tab.state.me;
  assert.ok(Math.abs(writesAt - tab.salon.serverNow() - 30_000) < 1_000);
  tab.server.on('message.send', () => {
    throw new Refusal('slow_mode', 20511, { retryAfterMs: 12_000 });
  });
  const refused = assert.rejects(tab.salon.talk.send('again'), { name: 'slow_mode' });
  await settle();
  await refused;
  assert.ok(Math.abs(tab.state.me.writesAt - tab.salon.serverNow() - 12_000) < 1_000);
  // What is said no more of the chat holds no more.
  await script.tell({ seq: ++script.seq, type: 'room.updated', info: { name: 'Salon' }, time: 1 });
  assert.equal(tab.state.room.chat.slowSeconds, 0);
});

test('G06-W whoever is put out is out: no news, no way back by itself, and the page knows whose room it was', async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  tab.server.notify('room.removed', {
    room: 48213,
    restriction: mute({ kind: 'ban', until: undefined, everywhere: true, reason: 'shouting' }),
  });
  await settle();
  const { phase, error } = tab.state;
  assert.deepEqual(
    [phase, error.name, error.data.reason, error.data.why, error.data.host],
    ['failed', 'banned_for_good', 'Alice', 'shouting', 'alice'],
  );
  const { length } = tab.state.chat;
  await script.tell(script.said('alice', 'gone'));
  assert.equal(tab.state.chat.length, length);
});

test('G06-W whoever an admin put out reads the host, as at the door, whether the admin is in the room or not', async t => {
  for (const members of [[], [member('carol', { role: 'admin' })]]) {
    const tab = await salonTab(t, { first: { members: [member('alice', { role: 'owner' }), ...members] } });
    tab.server.notify('room.removed', { room: 48213, restriction: mute({ kind: 'ban', by: 'carol' }) });
    await settle();
    assert.deepEqual([tab.state.error.name, tab.state.error.data.reason], ['banned', 'Alice']);
  }
});

test('G06-W whoever is put out by anything but a ban is out of the room, and may enter again', async t => {
  const tab = await salonTab(t);
  tab.server.notify('room.removed', { room: 48213, restriction: mute({ kind: 'kick', until: undefined }) });
  await settle();
  assert.deepEqual([tab.state.phase, tab.state.error.name], ['failed', 'not_in_room']);
});

test('G06-W people are hidden on this device, up to a number, and shown again', () => {
  const preferences = new PreferencesModel(new FakeStorage(), null);
  setHidden(preferences, 'ann', true);
  setHidden(preferences, 'bob', true);
  assert.deepEqual([...hiddenPeople(preferences)], ['ann', 'bob']);
  setHidden(preferences, 'ann', false);
  assert.deepEqual([...hiddenPeople(preferences)], ['bob']);
  for (let i = 0; i < 250; i++) setHidden(preferences, `u${i}`, true);
  const hidden = hiddenPeople(preferences);
  assert.ok(hidden.size === 200 && hidden.has('u249') && !hidden.has('bob'));
});
