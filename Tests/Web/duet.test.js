import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Store } from '../../Web/lib/store.js';
import { SpeakerModel } from '../../Web/models/devices.js';
import { apartOf, mixBehindMs, tightMs, usualBufferMs } from '../../Web/models/duet.js';
import { HeadphonesModel, HeadphonesQuestion } from '../../Web/models/headphones.js';
import { PreferencesModel } from '../../Web/models/preferences.js';
import { answers, watchHeadphones } from '../../Web/pages/duet/headphones.js';
import { editAnswer } from '../../Web/protocol/sdp.js';
import { FakeMediaDevices, FakeStorage } from './support/media.js';
import { member, usedSeat } from './support/rooms.js';
import { Script, salonTab } from './support/salon.js';
import { silence } from './support/server.js';
import { play } from './support/songs.js';
import { settle } from './support/time.js';

test('D07-W what lies between two singers is both ways to the server, the waiting and a frame; far is beyond the limit', () => {
  const quality = more => ({ word: 'good', rttMs: 20, lossPercent: 0, jitterMs: 2, bufferMs: 15, ...more });
  const near = { jitterMs: 2, far: false, byBrowser: false };
  assert.deepEqual(apartOf(quality()), { ms: 45, browserMs: 15, ...near });
  assert.deepEqual(apartOf(quality({ bufferMs: null })), { ms: 34, browserMs: 4, ...near });
  assert.equal(apartOf(quality({ rttMs: tightMs })).far, true);
  assert.equal(apartOf(quality({ rttMs: null })), null);
  assert.equal(apartOf(null), null);
});

test('D03-W singers ask for packets of 10 ms, other lines stay as they are', () => {
  const line = mid =>
    `m=audio 9 X 111\r\na=mid:${mid}\r\na=rtpmap:111 opus/48000/2\r\na=ptime:20\r\na=maxptime:60\r\n`;
  const edited = editAnswer(`v=0\r\n${line('0')}${line('1')}`, '0', 'duet', true);
  const [, mine, other] = edited.split(/(?=^m=)/m);
  assert.match(mine, /a=ptime:10\r\n$/);
  assert.doesNotMatch(mine, /ptime:20|maxptime/);
  assert.match(mine, /maxaveragebitrate=64000/);
  assert.equal(other, line('1'));
});

/** A duet as Bob sees it; `sounds` is what the player was told. */
async function duetTab(t, more = {}, first = {}, { host = {}, methods = {} } = {}) {
  const told = { play: undefined, audible: null, delay: 0, closed: false };
  const { Store } = await import('../../Web/lib/store.js');
  const songPlayer = () => ({
    state: new Store({ phase: 'ready', sounding: false, driftMs: null, outputMs: 0 }),
    follow: value => {
      told.play = value;
    },
    setAudible: value => {
      told.audible = value;
    },
    setDelay: value => {
      told.delay = value;
    },
    setVolume() {},
    setOutput() {},
    unlock: async () => {},
    close: () => {
      told.closed = true;
    },
  });
  const info = {
    room: 48213,
    kind: 'chorus',
    name: 'Duet',
    cover: '',
    tags: [],
    owner: { id: 'alice', name: 'Alice', avatar: '' },
    seats: 2,
    seated: 1,
    memberCount: 2,
    needsRequest: false,
    createdAt: 1,
    speaking: false,
  };
  const tab = await salonTab(t, {
    first: { info, seats: [usedSeat(0, 'alice'), { index: 1, state: 'empty', muted: false }], ...first },
    host: { songPlayer, readText: async () => '[00:01.00]<00:01.00>one <00:02.00>two<00:03.00>', ...host },
    enter: false,
    ...more,
  });
  for (const method of [
    'song.start',
    'song.pause',
    'song.resume',
    'song.seek',
    'song.track',
    'song.stop',
    'song.latency',
    'duet.mode',
  ])
    tab.server.on(method, () => ({ startAt: Date.now() + 1000 }));
  for (const [method, answer] of Object.entries(methods)) tab.server.on(method, answer);
  const entered = tab.salon.enter();
  await settle();
  await entered;
  tab.connections.at(-1)?.become('connected');
  await settle();
  return Object.assign(tab, { told, duet: tab.salon.duet, script: new Script(tab.server) });
}

test('D05-W what is sung, its words and who may steer it follow the room', async t => {
  const tab = await duetTab(t, {}, { play: play({ startAt: Date.now() }) });
  await settle();
  const { duet } = tab;
  assert.equal(duet.state.get().play.song.title, 'Song');
  assert.equal(duet.state.get().by, 'Alice');
  assert.equal(duet.state.get().words, 'ready');
  assert.equal(duet.state.get().lyrics.lines[0].words[1].text, 'two');
  assert.equal(duet.state.get().controls, false);
  assert.equal(tab.told.audible, true, 'without a mix the audience plays the song itself');
  await tab.script.tell({
    seq: ++tab.script.seq,
    type: 'song.changed',
    play: play({ startAt: undefined, positionMs: 9_000 }),
    reason: 'paused',
    by: 'alice',
    time: 1,
  });
  assert.equal(tab.told.play.positionMs, 9_000);
  assert.equal(duet.position(), 9_000);
  await tab.script.tell(tab.script.taken(1, 'bob'));
  assert.equal(duet.state.get().controls, true);
  assert.equal(duet.state.get().seated, true);
  // The song goes on when I get up.
  await tab.script.tell(tab.script.left(1, 'bob', 'left'));
  assert.equal(duet.state.get().play.positionMs, 9_000);
  await tab.script.tell({
    seq: ++tab.script.seq,
    type: 'song.changed',
    reason: 'stopped',
    by: 'alice',
    time: 1,
  });
  assert.equal(duet.state.get().play, null);
  assert.equal(tab.told.play, null);
  await tab.salon.leave();
  assert.equal(tab.told.closed, true);
});

test('D04-W with a mix the audience hears it alone, later than the room; sitting down it plays the song itself', async t => {
  // The room's time stands, so that only the mix's own lateness is seen.
  t.mock.method(performance, 'now', () => 5);
  const tab = await duetTab(t, {}, { play: play({ startAt: 1_795_267_190_000 }) });
  const before = tab.duet.position();
  tab.server.on('media.offer', ({ number }) => ({
    number,
    sdp: 'answer',
    slots: [
      { seat: 0, mid: '1' },
      { seat: 1, mid: '2' },
      { mix: true, mid: '3' },
    ],
    mediaEpoch: 1,
    iceServers: [],
  }));
  assert.equal(tab.connections.at(-1).transceivers.length, 4, 'microphone, two seats, and the mix');
  const restarted = tab.salon.hearing.testMedia();
  await settle();
  tab.connections.at(-1).become('connected');
  await settle();
  await restarted;
  assert.equal(tab.duet.state.get().mixed, true);
  assert.equal(tab.told.audible, false);
  assert.equal(tab.playout.tracks.length, 3);
  assert.equal(before - tab.duet.position(), mixBehindMs + usualBufferMs);
  await tab.script.tell(tab.script.taken(1, 'bob'));
  assert.equal(tab.told.audible, true);
  assert.equal(tab.duet.state.get().mixed, false);
});

test("D08-W the owner's page sits down by itself, unless the seat is taken or the room another's", async t => {
  const me = member('alice', { role: 'owner' });
  const seats = [
    { index: 0, state: 'empty', muted: false },
    { index: 1, state: 'empty', muted: false },
  ];
  const owner = await duetTab(t, { user: 'alice' }, { me, members: [me], seats });
  const sitting = owner.duet.takeOwnSeat();
  await settle();
  assert.deepEqual(
    owner.server.of('seat.take').map(({ seat }) => seat),
    [0],
  );
  await sitting;
  await owner.salon.leave();
});

test('D02-W the clock is asked often while a singer has a running song, not while one listens', async t => {
  const tab = await duetTab(t, {}, { play: play({ startAt: Date.now() }) });
  const asked = async () => {
    await tab.time.advance(3_000);
    const before = tab.server.of('clock.read').length;
    await tab.time.advance(10_000);
    return tab.server.of('clock.read').length - before;
  };
  assert.ok((await asked()) <= 2, 'a listener');
  await tab.script.tell(tab.script.taken(1, 'bob'));
  assert.ok((await asked()) >= 18, 'a singer');
  await tab.script.tell(tab.script.left(1, 'bob', 'left'));
  assert.ok((await asked()) <= 2, 'no singer any more');
  await tab.script.tell(tab.script.taken(1, 'bob'));
  await tab.salon.leave();
  assert.ok((await asked()) <= 2, 'out of the room');
});

/** What the room says of Alice's and Bob's ways. */
function network(apartMs, tight, quality = 1, roundTripMs = 40) {
  const users = {
    alice: { quality, roundTripMs, jitterMs: 1, lossPercent: 0 },
    bob: { quality: 2, roundTripMs: 70, jitterMs: 1, lossPercent: 0 },
  };
  return { type: 'network', users, ...(apartMs === undefined ? {} : { apartMs, tight }) };
}

test('D07-W how far singers are apart the room says, for everybody who sits by name and quality', async t => {
  const tab = await duetTab(t);
  assert.deepEqual(tab.duet.state.get().ways, []);
  await tab.script.tell(tab.script.taken(1, 'bob'));
  await tab.script.tell(network(64, false, 4));
  const { apart, ways } = tab.duet.state.get();
  assert.equal(apart.ms, 64);
  assert.equal(apart.far, true);
  assert.deepEqual(
    ways.map(({ seat, name, quality, roundTripMs }) => [seat, name, quality, roundTripMs]),
    [
      [0, 'Alice', 4, 40],
      [1, 'Bob', 2, 70],
    ],
  );
  assert.deepEqual([apart.browserMs, apart.byBrowser], [0, false], 'it is the way');
  // Just below the limit the room's word counts, not the number.
  await tab.script.tell(network(47, false));
  assert.equal(tab.duet.state.get().apart.far, true);
  await tab.script.tell(network(40, true));
  assert.equal(tab.duet.state.get().apart.far, false);
});

test('D07-W when a browser and not the way is what keeps singers apart, that is what they read', async t => {
  const tab = await duetTab(t);
  await tab.script.tell(tab.script.taken(1, 'bob'));
  const apart = async (ms, tight, alice, bob) => {
    const report = network(ms, tight, 1, alice);
    if (bob === undefined) delete report.users.bob.roundTripMs;
    else report.users.bob.roundTripMs = bob;
    await tab.script.tell(report);
    const { browserMs, byBrowser } = tab.duet.state.get().apart;
    return [browserMs, byBrowser];
  };
  // Firefox on one machine: 92 ms of 103 are its own.
  assert.deepEqual(await apart(103, false, 1, 1), [92, true]);
  assert.deepEqual(await apart(140, false, 60, 60), [70, false], 'the way alone is too long');
  assert.deepEqual(await apart(40, true, 1, 1), [29, false]);
  assert.deepEqual(
    await apart(103, false, 1, undefined),
    [null, false],
    'nothing is said of what is not known',
  );
});

test('D07-W who leads is agreed in the room: the leader does not hear the other, the follower hears the song later by the way', async t => {
  const tab = await duetTab(t, {}, { play: play({ startAt: Date.now() }) });
  await tab.script.tell(tab.script.taken(1, 'bob'));
  await tab.script.tell(network(120, false));
  const mode = (leader, by = 'alice') => ({
    seq: ++tab.script.seq,
    type: 'duet.changed',
    duet: leader ? { mode: 'leadFollow', leader } : { mode: 'together' },
    by,
    time: 1,
  });
  const asked = tab.duet.setLeading(true);
  await settle();
  assert.deepEqual(
    tab.server.of('duet.mode').map(({ mode, leader }) => [mode, leader]),
    [['leadFollow', undefined]],
  );
  assert.equal(tab.duet.state.get().leading, 'off', 'not before the room says so');
  await asked;
  await tab.script.tell(mode('alice'));
  assert.equal(tab.duet.state.get().leading, 'follow');
  assert.equal(tab.duet.state.get().leader, 'alice');
  // Half of both ways, a packet, and what sound usually waits in a browser.
  assert.equal(tab.told.delay, (40 + 70) / 2 + 10 + usualBufferMs);
  assert.equal(tab.playout.listening[0]?.muted, false, 'a follower hears the leader');
  // A way that changes by less than a step moves no song.
  await tab.script.tell(network(126, false, 1, 78));
  assert.equal(tab.told.delay, 85);
  await tab.script.tell(network(140, false, 1, 180));
  assert.equal(tab.told.delay, (180 + 70) / 2 + 10 + usualBufferMs);
  await tab.script.tell(mode('bob', 'bob'));
  assert.equal(tab.duet.state.get().leading, 'lead');
  assert.equal(tab.playout.listening[0]?.muted, true);
  assert.equal(tab.told.delay, 0);
  await tab.script.tell(mode(null));
  assert.equal(tab.duet.state.get().leading, 'off');
  assert.equal(tab.playout.listening[0]?.muted, false);
  await tab.script.tell(mode('alice'));
  await tab.script.tell(tab.script.left(1, 'bob', 'left'));
  assert.equal(tab.duet.state.get().leading, 'off', 'who listens hears the mix');
  assert.equal(tab.told.delay, 0);
});

test('D07-W whoever has no headphones leads, unless somebody leads already; a page that comes later finds it agreed', async t => {
  const tab = await duetTab(t, {}, { duet: { mode: 'leadFollow', leader: 'alice' } });
  await tab.script.tell(tab.script.taken(1, 'bob'));
  assert.equal(tab.duet.state.get().leading, 'follow');
  await tab.duet.leadAlone();
  assert.equal(tab.server.of('duet.mode').length, 0);
  await tab.script.tell({ seq: ++tab.script.seq, type: 'duet.changed', duet: { mode: 'together' }, time: 1 });
  await tab.duet.leadAlone();
  assert.deepEqual(
    tab.server.of('duet.mode').map(({ mode, leader }) => [mode, leader]),
    [['leadFollow', 'bob']],
  );
});

const outputs = [
  { kind: 'audioinput', deviceId: 'built-in', groupId: 'card', label: 'Built-in' },
  { kind: 'audiooutput', deviceId: 'default', groupId: 'card', label: 'Default - Speakers' },
  { kind: 'audiooutput', deviceId: 'hdmi', groupId: 'screen', label: 'Screen' },
  { kind: 'audiooutput', deviceId: 'headset', groupId: 'card', label: 'Headset' },
  { kind: 'audiooutput', deviceId: 'speakers', groupId: 'card', label: 'Speakers' },
];
/** The system's choice is another device from now on. */
async function plug(devices, label) {
  devices.devices = outputs.map(one =>
    one.deviceId === 'default' ? { ...one, label: `Default - ${label}` } : one,
  );
  devices.dispatchEvent(new Event('devicechange'));
  await settle();
}

test('D07-W what a singer says of headphones holds in the tab for the next visit too, until sound goes to another device', async t => {
  const kept = new FakeStorage();
  const visit = async () => {
    const devices = new FakeMediaDevices(outputs);
    const headphones = session => new HeadphonesModel(session, kept);
    const tab = await duetTab(t, { devices }, {}, { host: { headphones } });
    await tab.script.tell(tab.script.taken(1, 'bob'));
    return tab;
  };
  const first = await visit();
  assert.equal(first.speaker.state.get().output, 'speakers');
  assert.equal(first.duet.state.get().headphones, 'unknown');
  await plug(first.devices, 'Headset');
  await first.duet.setHeadphones('yes');
  assert.equal(first.devices.asked.at(-1).audio.echoCancellation, false);
  await first.salon.leave();

  const second = await visit();
  assert.equal(second.duet.state.get().headphones, 'unknown', 'the loudspeakers again');
  assert.equal(second.devices.asked.at(-1).audio.echoCancellation, true);
  await plug(second.devices, 'Headset');
  assert.equal(second.duet.state.get().headphones, 'yes');
  assert.equal(second.devices.asked.at(-1).audio.echoCancellation, false, 'captured as a singer');
  await second.speaker.choose('hdmi');
  assert.equal(second.duet.state.get().headphones, 'unknown');
  await settle();
  assert.equal(second.devices.asked.at(-1).audio.echoCancellation, true, 'no echo until they say so again');
  await second.speaker.choose('');
  await settle();
  assert.equal(second.duet.state.get().headphones, 'yes');
  await second.salon.leave();
  await settle();
  await second.microphone.open();
  assert.equal(second.devices.asked.at(-1).audio.echoCancellation, true, 'elsewhere one speaks');
});

test('D07-W an answer about headphones is of one person in one tab, and of the device that the browser tells first', () => {
  const whole = text => `{"app":1,"user":"bob",${text}}`;
  const kept = new FakeStorage();
  const said = (user = 'bob', app = 1) =>
    new HeadphonesModel({ app, user: new Store({ id: user, name: user, avatar: '' }) }, kept);
  assert.equal(said().answerFor(''), 'unknown');
  said().say('no', '');
  assert.equal(said().answerFor(''), 'no');
  assert.equal(said().answerFor('headset'), 'no');
  assert.equal(
    said().answerFor('speakers'),
    'unknown',
    'the device that was told first is the one that was meant',
  );
  said().say('yes', 'headset');
  assert.deepEqual(
    ['', 'headset', 'speakers'].map(output => said().answerFor(output)),
    ['yes', 'yes', 'unknown'],
  );
  assert.equal(said('carol').answerFor('headset'), 'unknown', 'whoever signs in next is asked');
  assert.equal(said('bob', 2).answerFor('headset'), 'unknown', 'another application, another Bob');
  for (const broken of [
    '{',
    'null',
    '[]',
    whole('"answer":"perhaps","output":""'),
    whole('"answer":"yes"'),
  ]) {
    kept.setItem('ovation.headphones', broken);
    assert.equal(said().answerFor(''), 'unknown', broken);
  }
});

test("D07-W sound that goes to the system's device is known by its whole name, where another's name is the end of it", async () => {
  const names = ['Speakers', 'USB Speakers'];
  const devices = new FakeMediaDevices([
    { kind: 'audiooutput', deviceId: 'default', groupId: 'card', label: 'Default - USB Speakers' },
    ...names.map(label => ({ kind: 'audiooutput', deviceId: label, groupId: 'card', label })),
  ]);
  const speaker = new SpeakerModel(new PreferencesModel(new FakeStorage(), null), devices);
  await settle();
  assert.equal(speaker.state.get().output, 'USB Speakers');
});

test('D07-W of two lists of devices the one that was asked for last counts, whichever is answered first', async () => {
  const asked = [];
  const media = new FakeMediaDevices([]);
  media.enumerateDevices = () => new Promise(answer => asked.push(answer));
  const speaker = new SpeakerModel(new PreferencesModel(new FakeStorage(), null), media);
  void speaker.refresh();
  const only = deviceId => [{ kind: 'audiooutput', deviceId, groupId: '', label: deviceId }];
  asked[1](only('Headset'));
  await settle();
  asked[0](only('Speakers'));
  await settle();
  assert.equal(speaker.state.get().output, 'Headset');
});

test('D07-W a question that was closed comes again for another device, not when the browser tells the device at last', () => {
  const question = new HeadphonesQuestion();
  const singer = { seated: true, headphones: 'unknown' };
  assert.equal(question.asks({ ...singer, seated: false }, ''), false);
  assert.equal(question.asks({ ...singer, headphones: 'no' }, ''), false);
  assert.equal(question.asks(singer, ''), true);
  assert.equal(question.asks(singer, 'speakers'), false, 'it is open');
  question.closed(singer, '');
  assert.equal(question.asks(singer, 'headset'), false, 'the same device, told now');
  assert.equal(question.asks(singer, ''), false);
  assert.equal(question.asks(singer, 'speakers'), true);
  question.closed(singer, 'speakers');
  question.asks({ ...singer, seated: false }, 'speakers');
  assert.equal(question.asks(singer, 'speakers'), true, 'who sits down anew is asked anew');
});

test('D07-W who answers before the browser tells the device is asked again when sound goes to another one', () => {
  const singer = { seated: true, headphones: 'unknown' };
  const answered = { ...singer, headphones: 'yes' };
  const closings = [
    // The sheet closes before its answer holds, or after.
    question => {
      question.closed(singer, '');
      question.asks(answered, '');
    },
    question => {
      question.asks(answered, '');
      question.closed(answered, '');
    },
  ];
  for (const close of closings) {
    const question = new HeadphonesQuestion();
    assert.equal(question.asks(singer, ''), true);
    close(question);
    assert.equal(question.asks(answered, 'headset'), false);
    assert.equal(question.asks(singer, 'speakers'), true);
  }
});

test('D07-W the question that a singer has opened is not asked a second time over it', () => {
  const question = new HeadphonesQuestion();
  const singer = { seated: true, headphones: 'unknown' };
  question.opened();
  assert.equal(question.asks(singer, 'speakers'), false, 'it is open');
  question.closed({ headphones: 'no' }, 'speakers');
  assert.equal(question.asks(singer, 'headset'), true);
});

test('D07-W who has said no keeps that answer; sitting down again does not change how the room sings', () => {
  const duet = {
    state: new Store({ seated: false, headphones: 'no' }),
    question: new HeadphonesQuestion(),
    leadAlone: () => assert.fail('nobody has answered now'),
  };
  const context = {
    signal: new AbortController().signal,
    app: { speaker: { state: new Store({ output: 'speakers', chosen: '' }) } },
    act: work => work(),
    say: () => assert.fail('it was said with the answer'),
  };
  watchHeadphones(context, duet);
  duet.state.set({ seated: true, headphones: 'no' });
});

test('D07-W whoever changes an answer about headphones sees and hears which one holds', () => {
  /** Whether an answer is pressed, and its sign. */
  const marks = holds => {
    const { strings, values } = answers(holds, () => {});
    const pressed = values.filter((_, i) => strings[i].endsWith('aria-pressed='));
    const signs = values.flatMap(value => value?.values ?? []).map(String);
    return [...pressed, signs.filter(sign => sign === 'check').length];
  };
  assert.deepEqual(marks('unknown'), [null, null, 0]);
  assert.deepEqual(marks('yes'), ['true', 'false', 1]);
  assert.deepEqual(marks('no'), ['false', 'true', 1]);
});

test('D04-W a singer tells the round trip of the sound, when it has changed and now and then', async t => {
  let local = 5;
  t.mock.method(performance, 'now', () => local);
  const tab = await duetTab(t);
  const told = () =>
    tab.server.of('song.latency').map(({ roundTripMs, bufferMs }) => [roundTripMs, bufferMs]);
  let played = 0;
  const measure = async (rttMs, bufferMs) => {
    const pair = {
      type: 'candidate-pair',
      nominated: true,
      state: 'succeeded',
      currentRoundTripTime: rttMs / 1000,
    };
    const report = new Map([['pair', pair]]);
    played += 480;
    if (bufferMs !== null) {
      const waited = (played * bufferMs) / 1000;
      const entry = { packetsReceived: played, jitterBufferDelay: waited, jitterBufferEmittedCount: played };
      report.set('in', { type: 'inbound-rtp', ...entry });
    }
    tab.connections.at(-1).report = report;
    await tab.time.advance(2_000);
    await settle();
  };
  await measure(80, null);
  assert.deepEqual(told(), [], 'whoever listens tells nothing');
  await tab.script.tell(tab.script.taken(1, 'bob'));
  await settle();
  assert.deepEqual(told(), [[80, undefined]]);
  await measure(81, null);
  assert.equal(told().length, 1);
  await measure(95, 30.4);
  assert.deepEqual(told().at(-1), [95, 30]);
  local += 10_001;
  await measure(95, 30.4);
  assert.equal(told().length, 3);
  await measure(5_000, 30.4);
  assert.deepEqual(told().at(-1), [2_000, 30]);
});

test('D05-W lyrics that cannot be had are asked for again, ever more slowly, until they are there', async t => {
  let asked = 0;
  const readText = async () => {
    if (++asked < 3) throw new Error('503');
    return '[00:01.00]Here they are';
  };
  const { duet, time } = await duetTab(
    t,
    {},
    { play: play({ startAt: Date.now() }) },
    { host: { readText } },
  );
  assert.equal(duet.state.get().words, 'failed');
  await time.advance(1_900);
  assert.equal(asked, 1);
  await time.advance(100);
  assert.equal(asked, 2);
  assert.equal(duet.state.get().words, 'failed');
  await time.advance(3_900);
  assert.equal(asked, 2);
  await time.advance(100);
  assert.equal(duet.state.get().words, 'ready');
  assert.equal(duet.state.get().lyrics.lines.length, 1);
});

test('D02-W D05-W who has left a duet asks for no lyrics any more, and no song begins when the clock is measured at last', async t => {
  let asked = 0;
  const readText = async () => {
    asked++;
    throw new Error('503');
  };
  const tab = await duetTab(
    t,
    {},
    { play: play({ startAt: Date.now() }) },
    { host: { readText }, methods: { 'clock.read': () => silence } },
  );
  assert.equal(asked, 1);
  void tab.salon.leave();
  await settle();
  assert.equal(tab.told.closed, true);
  tab.told.play = 'nothing since';
  await tab.time.advance(60_000);
  assert.equal(asked, 1);
  assert.equal(tab.told.play, 'nothing since');
});

test('D05-W a song whose sheet was closed while its length was measured is not sent', async () => {
  const { SongLibrary } = await import('../../Web/models/song-library.js');
  const library = new SongLibrary(/** @type {any} */ ({ authorization: 'Bearer' }));
  const draft = { audio: new File(['x'], 'a.mp3'), title: 'A', durationMs: 1_000 };
  // There is no XMLHttpRequest here: one that was begun would fail otherwise.
  await assert.rejects(library.upload(draft, AbortSignal.abort()), { name: 'aborted' });
  assert.equal(library.state.get().sent, null);
});

test('D05-W a title that comes from a long file name fits, without half a letter at its end', async () => {
  const { nameLengthMost, titleOf } = await import('../../Web/models/song-library.js');
  assert.equal(titleOf('Morning walk.mp3'), 'Morning walk');
  assert.equal(titleOf(`${'a'.repeat(123)}.m4a`), 'a'.repeat(nameLengthMost));
  assert.equal(titleOf(`${'a'.repeat(99)} b.m4a`), 'a'.repeat(99), 'no space at the end');
  const family = '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}';
  assert.equal(titleOf(`${'a'.repeat(95)}${family}.mp3`), 'a'.repeat(95));
  assert.equal(titleOf('각'.normalize('NFD').repeat(40)), '각'.normalize('NFD').repeat(33));
});

test('D05-W what is sent of a title and an artist is no longer than the server takes', async t => {
  const { SongLibrary } = await import('../../Web/models/song-library.js');
  /** @type {FormData | null} */ let sent = null;
  const call = class {
    upload = {};
    open() {}
    setRequestHeader() {}
    send(form) {
      sent = form;
      this.onerror();
    }
  };
  globalThis.XMLHttpRequest = /** @type {any} */ (call);
  t.after(() => Reflect.deleteProperty(globalThis, 'XMLHttpRequest'));
  const library = new SongLibrary(/** @type {any} */ ({ authorization: 'Bearer' }));
  const long = 'x'.repeat(123);
  const draft = { audio: new File(['x'], 'a.mp3'), title: long, artist: long, durationMs: 1_000 };
  await assert.rejects(library.upload(draft), { name: 'server_unreachable' });
  assert.equal(sent?.get('title'), 'x'.repeat(100));
  assert.equal(sent?.get('artist'), 'x'.repeat(100));
});
