import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silenceOf } from '../../Web/models/salon-connection.js';
import { FakePeerConnection } from './support/media.js';
import { member, people, snapshot } from './support/rooms.js';
import { obedient, Script, salonTab } from './support/salon.js';
import { Refusal, silence } from './support/server.js';
import { settle } from './support/time.js';

async function done(promise) {
  await settle();
  return promise;
}

const shown = tab =>
  tab.state.chat.map(line =>
    line.kind === 'system'
      ? `${line.what} ${line.count}`
      : line.kind === 'gap'
        ? `gap ${line.from}-${line.to}`
        : `${line.from.name}: ${line.text}`,
  );

test("V16-W one's own line is shown at once and becomes the server's, without a double", async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  tab.server.on('message.send', ({ id, text }, call) => {
    const event = script.said('bob', text, { id });
    call.after = () => tab.server.news(48213, [event]);
    return { chat: event.chat, time: event.time };
  });
  const sending = tab.salon.talk.send('안녕하세요');
  assert.deepEqual(
    tab.state.chat.map(line => line.status),
    ['sending'],
  );
  const [{ key }] = tab.state.chat;
  await done(sending);
  assert.deepEqual(shown(tab), ['Bob: 안녕하세요']);
  assert.deepEqual(
    tab.state.chat.map(line => [line.key, line.status, line.mine]),
    [[key, 'sent', true]],
  );
  assert.equal(tab.state.unread, 0, "one's own is not news");
});

test('a line that could not be sent stays, says why, and can be sent again or taken back', async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  tab.server.on('message.send', () => {
    throw new Refusal('rate_limited', 10006, { retryAfterMs: 1000 });
  });
  await done(assert.rejects(tab.salon.talk.send('hello'), { name: 'rate_limited' }));
  const [{ key, status, error }] = tab.state.chat;
  assert.deepEqual([status, error.name], ['failed', 'rate_limited']);
  await script.tell(script.said('alice', 'meanwhile'));
  assert.deepEqual(shown(tab), ['Alice: meanwhile', 'Bob: hello'], 'unsent lines stay below');
  tab.server.on('message.send', ({ id, text }, call) => {
    const event = script.said('bob', text, { id });
    call.after = () => tab.server.news(48213, [event]);
    return { chat: event.chat, time: event.time };
  });
  await done(tab.salon.talk.resend(key));
  assert.deepEqual(
    tab.state.chat.map(line => line.status),
    ['sent', 'sent'],
  );
  const [first, second] = tab.server.of('message.send');
  assert.equal(first.key, second.key, 'so that it cannot arrive twice');
  tab.server.on('message.send', () => {
    throw new Refusal('unavailable', 20503);
  });
  await done(assert.rejects(tab.salon.talk.send('oops')));
  assert.equal(tab.salon.talk.discard(tab.state.chat.at(-1).key), 'oops');
  assert.equal(tab.state.chat.length, 2);
});

test('a line that is too long is refused before it is sent', async t => {
  const tab = await salonTab(t);
  await done(
    assert.rejects(tab.salon.talk.send('가'.repeat(4097)), { name: 'message_too_large', code: 80002 }),
  );
  assert.equal(tab.server.of('message.send').length, 0);
  await done(tab.salon.talk.send('가'.repeat(4096)));
  assert.equal(tab.server.of('message.send').length, 1);
});

test('a line whose answer was lost with the connection is not sent twice, and not shown twice', async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  let first = true;
  tab.server.on('message.send', ({ text, id }) => {
    if (!first) return { chat: 1, time: 1 };
    first = false;
    tab.said = script.said('bob', text, { id });
    return silence;
  });
  const sending = tab.salon.talk.send('once');
  await settle();
  tab.server.on('room.enter', () => ({
    resumed: true,
    epoch: 1,
    seq: 1,
    chat: 1,
    events: [tab.said],
    mediaEpoch: 1,
    state: { memberCount: 2, presence: [], invitations: [], likes: 0 },
  }));
  tab.server.drop();
  await tab.time.advance(1000);
  await sending;
  const keys = tab.server.of('message.send').map(({ key }) => key);
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
  assert.deepEqual(shown(tab), ['Bob: once']);
  assert.equal(tab.state.chat[0].status, 'sent');
});

test('a line that came back is sent, even if its answer never comes', async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  tab.server.on('message.send', ({ text, id }) => {
    tab.server.news(48213, [script.said('bob', text, { id })]);
    return silence;
  });
  const sending = tab.salon.talk.send('there');
  await tab.time.advance(10_000);
  await sending;
  assert.deepEqual(
    tab.state.chat.map(line => line.status),
    ['sent'],
  );
});

test('who comes and goes is folded into one line; what concerns a seat is not', async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  const crowd = ['a', 'b', 'c', 'd', 'e'].map(id => ({
    type: 'audience.entered',
    member: { ...member('carol'), id, name: id },
  }));
  await script.tell(...crowd);
  await script.tell(script.taken(0, 'alice'), script.taken(1, 'carol'));
  await script.tell({ type: 'audience.entered', member: { ...member('carol'), id: 'f', name: 'f' } });
  await tab.time.advance(61_000);
  await script.tell({ type: 'audience.entered', member: { ...member('carol'), id: 'g', name: 'g' } });
  assert.deepEqual(shown(tab), ['entered 5', 'seatTaken 1', 'seatTaken 1', 'entered 1', 'entered 1']);
  assert.deepEqual(
    tab.state.chat[0].people.map(({ name }) => name),
    ['a', 'b', 'c'],
  );
  assert.equal(tab.state.memberCount, 9);
});

test('the number of those who are here leaves out the host, and whoever is here counts while the host is away', async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  assert.deepEqual([tab.state.memberCount, tab.state.audienceCount], [2, 1]);
  await script.tell({ type: 'owner.absent', until: 1_795_267_900_000 });
  await script.tell({ type: 'audience.left', user: 'alice' });
  assert.deepEqual([tab.state.memberCount, tab.state.audienceCount], [1, 1]);
  await script.tell({ type: 'owner.back' });
  await script.tell({ type: 'audience.entered', member: member('alice', { role: 'owner' }) });
  assert.deepEqual([tab.state.memberCount, tab.state.audienceCount], [2, 1]);
});

test('G05-W late joiners see the last messages, a hole is a line of its own, unread ones are counted', async t => {
  const script = { chat: 0 };
  const messages = [1, 2].map(chat => ({ chat, from: people.alice, text: `m${chat}`, time: chat }));
  const tab = await salonTab(t, { first: { messages, chat: 2 } });
  void script;
  assert.deepEqual(shown(tab), ['Alice: m1', 'Alice: m2']);
  assert.equal(tab.state.unread, 0);
  const live = new Script(tab.server);
  await live.tell(live.said('alice', 'm3'), { type: 'dropped', from: 4, to: 6 });
  live.chat = 6;
  await live.tell(live.said('carol', 'm7'));
  assert.deepEqual(shown(tab).slice(2), ['Alice: m3', 'gap 4-6', '캐롤: m7']);
  assert.equal(tab.state.unread, 2);
  assert.equal(tab.state.unreadKey, tab.state.chat[2].key);
  tab.salon.talk.markRead();
  assert.deepEqual([tab.state.unread, tab.state.unreadKey], [0, null]);
});

test('G05-W after a gap too long to be told, what was read stays and a line says how many are missing', async t => {
  const said = (chat, text) => ({ chat, from: people.alice, text, time: 10 * chat });
  const tab = await salonTab(t, { first: { messages: [said(1, 'm1'), said(2, 'm2')], chat: 2 } });
  const live = new Script(tab.server);
  live.chat = 2;
  await live.tell({ type: 'message', ...said(3, 'm3') });
  const comeBack = async (chat, messages, epoch = 1) => {
    tab.server.on('room.enter', () => ({ resumed: false, snapshot: snapshot({ epoch, chat, messages }) }));
    tab.server.drop();
    await tab.time.advance(20_000);
  };
  await comeBack(90, [said(89, 'm89'), said(90, 'm90')]);
  assert.deepEqual(shown(tab), [
    'Alice: m1',
    'Alice: m2',
    'Alice: m3',
    'gap 4-88',
    'Alice: m89',
    'Alice: m90',
  ]);
  await comeBack(91, [said(90, 'm90'), said(91, 'm91')]);
  assert.deepEqual(
    shown(tab).slice(4),
    ['Alice: m89', 'Alice: m90', 'Alice: m91'],
    'nothing is missing here',
  );
  await comeBack(95, []);
  assert.deepEqual(shown(tab).at(-1), 'gap 92-95');
  await comeBack(2, [said(2, 'anew')], 2);
  assert.deepEqual(
    shown(tab).filter(line => line.startsWith('Alice')),
    ['Alice: anew'],
    'another life of the room has numbers of its own',
  );
});

test('V16-W a whole new state keeps what is unsent and shows nothing twice', async t => {
  const messages = [{ chat: 1, from: people.alice, text: 'one', time: 1 }];
  const tab = await salonTab(t, { first: { messages, chat: 1 } });
  tab.server.on('message.send', () => {
    throw new Refusal('unavailable', 20503);
  });
  await done(assert.rejects(tab.salon.talk.send('mine')));
  tab.server.on('room.enter', () => ({
    resumed: false,
    snapshot: snapshot({
      epoch: 2,
      chat: 2,
      messages: [...messages, { chat: 2, from: people.carol, text: 'two', time: 2 }],
    }),
  }));
  tab.server.drop();
  await tab.time.advance(1000);
  assert.deepEqual(shown(tab), ['Alice: one', '캐롤: two', 'Bob: mine']);
});

test('G01-W danmu goes as CMD_DANMU, is told apart, and other custom messages are no chat', async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  await done(tab.salon.talk.send('flying', { danmu: true }));
  const [{ command, message, text }] = tab.server.of('message.send');
  assert.deepEqual([command, message, text], ['CMD_DANMU', 'flying', undefined]);
  await script.tell(
    script.said('alice', undefined, { command: 'CMD_DANMU', message: 'hi' }),
    script.said('alice', undefined, { command: 'OTHER', message: 'x' }),
  );
  assert.deepEqual(
    tab.heard('chat').map(({ line }) => [line.kind, line.text]),
    [['danmu', 'hi']],
  );
});

test("G01-W likes are gathered, counted at once, and the total is the server's to the last one", async t => {
  const tab = await salonTab(t, { first: { likes: 10 } });
  const script = new Script(tab.server);
  let total = 10;
  tab.server.on('like.send', ({ count }, call) => {
    total += count;
    const event = { type: 'likes', total: total + 4, added: count + 4, users: ['bob', 'alice'] };
    total += 4;
    call.after = () => tab.server.news(48213, [event]);
    return { total: total - 4 };
  });
  for (let click = 0; click < 3; click++) tab.salon.talk.like();
  assert.equal(tab.salon.likes.get(), 13, 'at once');
  assert.equal(tab.server.of('like.send').length, 0);
  await tab.time.advance(400);
  assert.deepEqual(
    tab.server.of('like.send').map(({ count }) => count),
    [3],
  );
  assert.equal(tab.salon.likes.get(), 17);
  assert.deepEqual(
    tab.heard('likes').map(({ added, users }) => [added, users]),
    [[4, ['alice']]],
    "others' share alone",
  );
  for (let click = 0; click < 150; click++) tab.salon.talk.like();
  await tab.time.advance(1500);
  assert.deepEqual(
    tab.server.of('like.send').map(({ count }) => count),
    [3, 100, 50],
  );
  assert.equal(tab.salon.likes.get(), total);
  await script.tell({ type: 'likes', total: total + 1, added: 1, users: ['carol'] });
  assert.equal(tab.salon.likes.get(), total + 1);
});

test('likes that the server refused are taken off again', async t => {
  const tab = await salonTab(t, { first: { likes: 5 } });
  tab.server.on('like.send', () => {
    throw new Refusal('rate_limited', 10006);
  });
  tab.salon.talk.like();
  await tab.time.advance(400);
  assert.equal(tab.salon.likes.get(), 5);
});

test("V11-W each person has a volume and a mute of one's own, which move with them from seat to seat", async t => {
  const tab = await salonTab(t);
  const script = new Script(tab.server);
  await script.tell(script.taken(0, 'carol'));
  tab.salon.hearing.setListening('carol', { volume: 30 });
  assert.deepEqual(tab.state.seats[0].listening, { volume: 30, muted: false });
  assert.deepEqual(tab.playout.listening[0], { volume: 30, muted: false });
  await script.tell(script.left(0, 'carol', 'moved'), script.taken(2, 'carol'));
  assert.equal(tab.playout.listening[2].volume, 30);
  await script.tell(script.taken(0, 'alice'));
  assert.deepEqual(
    tab.playout.listening[0],
    { volume: 100, muted: false },
    "the seat's next person is as loud as ever",
  );
  tab.salon.hearing.setListening('carol', { muted: true });
  assert.deepEqual(tab.playout.listening[2], { volume: 30, muted: true });
});

test('V11-W L22-W who mutes the whole room, by the menu or a pause key, reads so and hears it again with one tap', async t => {
  const tab = await salonTab(t);
  const kinds = () => tab.state.banners.map(({ kind }) => kind);
  tab.salon.hearing.setDeafened(true);
  assert.ok(tab.playout.silencers.has('deafened'));
  assert.equal(tab.salon.hearing.deafened.get(), true, 'the menu and the lock screen know it too');
  assert.deepEqual(kinds(), ['deafened']);
  await tab.salon.unlockSound();
  assert.deepEqual([tab.playout.silencers.has('deafened'), kinds()], [false, []]);
  // It ends with the visit.
  tab.salon.hearing.setDeafened(true);
  await tab.salon.leave();
  assert.equal(tab.salon.hearing.deafened.get(), false);
});

test('the connection chip says in one word how it is, and after five seconds that no sound comes', async t => {
  const tab = await salonTab(t);
  const word = () => tab.salon.connection.get().word;
  assert.equal(word(), 'good');
  tab.connections[0].become('failed');
  assert.equal(word(), 'connecting');
  await tab.time.advance(5000);
  assert.equal(word(), 'noMedia');
  assert.deepEqual(
    tab.state.banners.map(({ kind }) => kind),
    ['noMediaPath'],
  );
  tab.connections.at(-1).become('connected');
  assert.equal(word(), 'good');
  assert.deepEqual(tab.state.banners, []);
  tab.server.down = true;
  tab.server.drop();
  await settle();
  assert.equal(word(), 'reconnecting');
  assert.ok(tab.salon.connection.get().retryAt > tab.time.now);
  assert.deepEqual(
    tab.state.banners.map(({ kind }) => kind),
    ['reconnecting'],
  );
});

test('V17-W what keeps the sound away is told by its cause: the network, the browser or the server', async t => {
  const tab = await salonTab(t);
  const told = () => tab.state.banners.map(({ kind, error }) => [kind, silenceOf(error)]);
  tab.connections[0].become('failed');
  await tab.time.advance(5000);
  assert.deepEqual(told(), [['noMediaPath', 'noMediaPath']]);
  // The browser itself throws from now on.
  const offer = FakePeerConnection.prototype.createOffer;
  t.after(() => Object.assign(FakePeerConnection.prototype, { createOffer: offer }));
  FakePeerConnection.prototype.createOffer = async () => {
    throw new DOMException('no network', 'OperationError');
  };
  tab.salon.hearing.testMedia();
  await tab.time.advance(6000);
  assert.equal(tab.salon.connection.get().error, 'media_browser');
  assert.deepEqual(told(), [['noMediaPath', 'noMediaBrowser']]);
  FakePeerConnection.prototype.createOffer = offer;
  tab.server.on('media.offer', () => {
    throw new Refusal('media_refused', 20441, { reason: 'overloaded' });
  });
  tab.salon.hearing.testMedia();
  await tab.time.advance(6000);
  assert.deepEqual(told(), [['noMediaPath', 'noMediaRefused']]);
});

test('V19-W the microphone of somebody who is cut off does not say that people hear it, and only who sits is told of a seat', async t => {
  const tab = await salonTab(t);
  obedient(tab.server);
  const seated = () => tab.state.banners.find(({ kind }) => kind === 'reconnecting')?.seated;
  const lose = async () => {
    tab.server.down = true;
    tab.server.drop();
    await settle();
  };
  const comeBack = async () => {
    tab.server.down = false;
    await tab.time.advance(5_000);
  };
  await lose();
  assert.equal(seated(), false);
  await comeBack();
  const sat = tab.salon.seats.sit(2);
  await settle();
  await sat;
  assert.equal(tab.mic, 'live');
  tab.connections.at(-1).become('failed');
  assert.equal(tab.mic, 'cutOff', 'no media path');
  assert.equal(tab.salon.asksBeforeLeaving, true, 'the seat is still there to be lost');
  tab.connections.at(-1).become('connected');
  assert.equal(tab.mic, 'live');
  await lose();
  assert.equal(tab.mic, 'cutOff', 'no control connection');
  assert.equal(seated(), true);
});

test('the test button tells whether a path came', async t => {
  const tab = await salonTab(t);
  let found = tab.salon.hearing.testMedia();
  await settle();
  tab.connections.at(-1).become('connected');
  await settle();
  assert.equal((await found).connected, true);
  found = tab.salon.hearing.testMedia();
  await tab.time.advance(5000);
  assert.deepEqual(await found.then(({ connected, error }) => [connected, error]), [false, 'media_failed']);
});

test('sound that the browser holds back is a banner until it is unlocked', async t => {
  const tab = await salonTab(t);
  tab.playout.blocked.set(true);
  assert.deepEqual(
    tab.state.banners.map(({ kind }) => kind),
    ['soundBlocked'],
  );
  await tab.salon.unlockSound();
  assert.deepEqual(tab.state.banners, []);
});

test('the tracks of the seats reach the loudspeaker', async t => {
  const tab = await salonTab(t);
  assert.deepEqual(
    tab.playout.tracks,
    tab.connections[0].transceivers.slice(1).map(line => line.receiver.track),
  );
  void obedient;
});
