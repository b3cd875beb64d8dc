import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apartOf, mixBehindMs, tightMs, usualBufferMs } from '../../Web/models/duet.js';
import { correctionOf, jumpMs, positionAt, SongPlayer, toleranceMs } from '../../Web/models/song-player.js';
import { RoomClock } from '../../Web/protocol/clock.js';
import { editAnswer } from '../../Web/protocol/sdp.js';
import { member, usedSeat } from './support/rooms.js';
import { Script, salonTab } from './support/salon.js';
import { settle } from './support/time.js';

const song = {
  id: 's',
  title: 'Song',
  durationMs: 60_000,
  accompaniment: '/a',
  original: '/o',
  lyrics: '/l',
};
const play = (more = {}) => ({
  song,
  by: 'alice',
  track: 'accompaniment',
  startAt: 1_000_000,
  positionMs: 0,
  ...more,
});

/** A clock that is read over a network, and the truth. */
class ClockWorld {
  local = 0;
  /** The server's clock minus ours. */
  ahead = 5_000;
  clock = new RoomClock(() => this.local);

  /** @param {number} there @param {number} back milliseconds that question and answer take */
  read(there, back) {
    const asked = this.local;
    this.local += there;
    const time = this.local + this.ahead;
    this.local += back;
    this.clock.read(time, asked);
  }

  /** How far the clock is from the truth. */
  get off() {
    return this.clock.now() - this.local - this.ahead;
  }
}

test('D02-W what all readings allow is the room time, and how wrong it may be', () => {
  const world = new ClockWorld();
  const { clock } = world;
  assert.equal(clock.known, false);
  assert.equal(clock.errorMs, Number.POSITIVE_INFINITY);
  world.read(80, 20);
  world.read(3, 3);
  world.read(10, 90);
  assert.ok(Math.abs(world.off) < 0.02);
  assert.equal(clock.localOf(clock.now()), world.local);
  assert.ok(clock.errorMs >= 3 && clock.errorMs < 3.1, String(clock.errorMs));
  world.local += 10_000;
  assert.ok(clock.errorMs >= 4 && clock.errorMs < 4.1, 'an hour old says little');
  // A machine that slept, or a server anew: the old readings are wrong by more than they could be.
  world.ahead = 9_000;
  world.read(2, 2);
  assert.equal(world.off, 0);
  clock.read(Number.NaN, world.local);
  clock.read('5', world.local);
  assert.equal(world.off, 0);
});

test('D02-W the quickest way there of all readings is set against the quickest way back', () => {
  const world = new ClockWorld();
  for (const [there, back] of [
    [2, 40],
    [40, 2],
    [25, 25],
  ])
    world.read(there, back);
  assert.ok(Math.abs(world.off) < 0.1, String(world.off));
  assert.ok(world.clock.errorMs >= 2 && world.clock.errorMs < 2.1, String(world.clock.errorMs));
});

test('D02-W over any ways and a drifting clock the room time is within its stated error', () => {
  let seed = 7;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let round = 0; round < 50; round++) {
    const world = new ClockWorld();
    const ppm = (random() - 0.5) * 180;
    for (let reading = 0; reading < 100; reading++) {
      world.read(1 + random() * 40, 1 + random() * 40);
      const pause = random() * 2_000;
      world.local += pause;
      world.ahead += (pause * ppm) / 1e6;
      assert.ok(Math.abs(world.off) <= world.clock.errorMs + 0.01, `${world.off} of ${world.clock.errorMs}`);
    }
    assert.ok(world.clock.errorMs < 6, `a hundred readings tell more than one: ${world.clock.errorMs}`);
  }
});

test('D02-W a browser that tells time coarsely costs no more than that', () => {
  const world = new ClockWorld();
  const clock = new RoomClock(() => Math.floor(world.local));
  for (let reading = 0; reading < 40; reading++) {
    const asked = Math.floor(world.local);
    world.local += 0.37;
    clock.read(world.local + world.ahead, asked);
    world.local += 0.41 + 0.137 * reading;
    assert.ok(Math.abs(clock.now() - Math.floor(world.local) - world.ahead) <= 1.3);
  }
});

test('D02-W a song stands before its start, moves from there, and ends at its end', () => {
  assert.deepEqual(positionAt(play({ positionMs: 500 }), 999_000), { positionMs: 500, moving: false });
  assert.deepEqual(positionAt(play({ positionMs: 500 }), 1_002_000), { positionMs: 2_500, moving: true });
  assert.deepEqual(positionAt(play(), 1_999_000), { positionMs: 60_000, moving: false });
  assert.deepEqual(positionAt(play({ startAt: undefined, positionMs: 700 }), 5e6), {
    positionMs: 700,
    moving: false,
  });
});

test('D02-W small differences are left, larger ones made good by speed within half a percent, great ones by a jump', () => {
  assert.deepEqual(correctionOf(toleranceMs), { jump: false, rate: 1 });
  for (const drift of [3, 10, 20, 29.9]) {
    const { jump, rate } = correctionOf(drift);
    assert.ok(!jump && rate < 1 && rate >= 0.995, String(rate));
    assert.ok(Math.abs(correctionOf(-drift).rate - 1 - (1 - rate)) < 1e-9);
  }
  assert.equal(correctionOf(jumpMs + 0.1).jump, true);
  assert.equal(correctionOf(-400).jump, true);
});

/** An audio device whose clock may run at another speed than the room's, with some latency. */
class FakeAudio {
  /** ms since the machine was switched on */ local = 50_000;
  speed = 1;
  latency = 0.03;
  currentTime = 4;
  state = 'running';
  baseLatency = 0;
  outputLatency = 0;
  destination = {};
  sources = [];
  /** @type {{at: number, run: () => void}[]} */ timers = [];

  getOutputTimestamp() {
    return { contextTime: this.currentTime - this.latency, performanceTime: this.local };
  }

  createGain() {
    const gain = { value: 1 };
    for (const name of [
      'setTargetAtTime',
      'setValueAtTime',
      'linearRampToValueAtTime',
      'cancelScheduledValues',
    ])
      gain[name] = (...values) => values;
    return { gain, connect: to => to };
  }

  createBufferSource() {
    const audio = this;
    const source = {
      buffer: null,
      steps: [],
      stopped: Number.POSITIVE_INFINITY,
      playbackRate: {
        setValueAtTime(rate, at) {
          const last = source.steps.at(-1);
          source.steps.push({ at, position: last.position + (at - last.at) * last.rate, rate });
        },
      },
      connect: to => to,
      disconnect() {},
      start(at, position) {
        assert.ok(at >= audio.currentTime, 'scheduled ahead');
        source.steps.push({ at, position, rate: 1 });
      },
      stop(at = audio.currentTime) {
        source.stopped = at;
      },
    };
    this.sources.push(source);
    return source;
  }

  async decodeAudioData(bytes) {
    return { duration: 60, name: bytes };
  }

  resume = async () => {};
  close = async () => {};

  /** What leaves the loudspeaker now: which file, and where in it, in ms. */
  get heard() {
    const at = this.currentTime - this.latency;
    const source = this.sources.findLast(({ steps, stopped }) => steps[0].at <= at && stopped > at);
    const step = source?.steps.findLast(each => each.at <= at);
    return step
      ? { file: source.buffer.name, ms: 1000 * (step.position + (at - step.at) * step.rate) }
      : null;
  }

  async pass(ms) {
    for (let passed = 0; passed < ms; passed += 10) {
      this.local += 10;
      this.currentTime += 0.01 * this.speed;
      for (const timer of this.timers.filter(each => each.at <= this.local)) {
        this.timers = this.timers.filter(each => each !== timer);
        timer.run();
      }
    }
    await settle();
  }
}

/** A player in a room whose time is 1,000,000 when the machine's is 50,000. */
function player(audio = new FakeAudio()) {
  const clock = new RoomClock(() => audio.local);
  clock.read(1_000_000, audio.local);
  const fetched = [];
  const sounds = new SongPlayer(clock, {
    createContext: () => audio,
    fetch: async url => {
      fetched.push(url);
      if (url === '/broken') throw new Error('404');
      return url;
    },
    resolve: url => url,
    setTimer: (run, ms) => {
      const timer = { at: audio.local + ms, run };
      audio.timers.push(timer);
      return timer;
    },
    clearTimer: timer => {
      audio.timers = audio.timers.filter(each => each !== timer);
    },
  });
  return { audio, clock, sounds, fetched };
}

test('D02-W a song is heard at its place in the room time: from its start, by a late joiner, after seek and resume', async () => {
  const { audio, clock, sounds } = player();
  const right = (play, what) => {
    const { positionMs } = positionAt(play, clock.now());
    assert.ok(Math.abs(audio.heard.ms - positionMs) < 1, `${what}: ${audio.heard?.ms} for ${positionMs}`);
  };
  const first = play({ startAt: 1_003_000 });
  sounds.follow(first);
  await settle();
  await audio.pass(2_900);
  assert.equal(audio.heard, null, 'silence before the start');
  await audio.pass(1_000);
  right(first, 'started');
  const sought = play({ startAt: clock.now() + 1_000, positionMs: 30_000 });
  sounds.follow(sought);
  await settle();
  await audio.pass(500);
  assert.equal(audio.heard, null, 'silence on the way to the other place');
  await audio.pass(1_500);
  right(sought, 'sought');
  sounds.follow({ ...sought, startAt: undefined, positionMs: 31_000 });
  await settle();
  await audio.pass(300);
  assert.equal(audio.heard, null, 'paused');
  const late = play({ startAt: clock.now() - 20_000, positionMs: 5_000 });
  sounds.follow(late);
  await settle();
  await audio.pass(400);
  right(late, 'joined late');
  assert.equal(sounds.state.get().sounding, true);
  sounds.follow(null);
  await settle();
  await audio.pass(300);
  assert.equal(audio.heard, null);
  assert.equal(sounds.state.get().phase, 'idle');
});

test('D02-W a device whose clock runs wrong is kept in step by speed alone, one that was held up jumps', async () => {
  const audio = new FakeAudio();
  audio.speed = 1.001;
  const { clock, sounds } = player(audio);
  sounds.follow(play({ startAt: 1_000_500 }));
  await settle();
  await audio.pass(40_000);
  const wrong = () => audio.heard.ms - positionAt(play({ startAt: 1_000_500 }), clock.now()).positionMs;
  // Left alone it would be 40 ms ahead by now.
  assert.ok(Math.abs(wrong()) < 8, `${wrong()} ms`);
  assert.equal(audio.sources.length, 1, 'no jump was needed');
  assert.ok(Math.max(...audio.sources[0].steps.map(({ rate }) => Math.abs(rate - 1))) <= 0.005);
  audio.local += 300;
  await audio.pass(2_000);
  assert.equal(audio.sources.length, 2, 'a jump');
  assert.ok(Math.abs(wrong()) < 8, `${wrong()} ms`);
});

test('D02-W the other track takes over at the same place; whoever hears the mix plays nothing; a follower plays later', async () => {
  const { audio, clock, sounds, fetched } = player();
  const now = play({ startAt: 999_000 });
  sounds.follow(now);
  await settle();
  await audio.pass(500);
  assert.equal(audio.heard.file, '/a');
  sounds.follow({ ...now, track: 'original' });
  await settle();
  await audio.pass(500);
  assert.equal(audio.heard.file, '/o');
  assert.ok(Math.abs(audio.heard.ms - positionAt(now, clock.now()).positionMs) < 1);
  sounds.setDelay(120);
  await settle();
  await audio.pass(500);
  assert.ok(Math.abs(audio.heard.ms + 120 - positionAt(now, clock.now()).positionMs) < 1);
  sounds.setAudible(false);
  await settle();
  await audio.pass(200);
  assert.equal(audio.heard, null);
  sounds.setDelay(0);
  sounds.setAudible(true);
  await settle();
  await audio.pass(500);
  assert.ok(
    Math.abs(audio.heard.ms - positionAt(now, clock.now()).positionMs) < 1,
    'who sits down hears it at once',
  );
  assert.deepEqual(fetched, ['/a', '/o'], 'each file once');
});

test('D02-W a file that cannot be had is told; a page that may not sound yet waits for a click', async () => {
  const { audio, sounds } = player();
  sounds.follow(play({ song: { ...song, accompaniment: '/broken' } }));
  await settle();
  assert.equal(sounds.state.get().phase, 'failed');
  audio.state = 'suspended';
  sounds.follow(play());
  await settle();
  assert.equal(sounds.state.get().phase, 'blocked');
  audio.state = 'running';
  await sounds.unlock();
  await audio.pass(300);
  assert.equal(sounds.state.get().phase, 'ready');
  assert.ok(audio.heard);
});

test('D07-W what lies between two singers is both ways to the server, the waiting and a frame; far is beyond the limit', () => {
  const quality = more => ({ word: 'good', rttMs: 20, lossPercent: 0, jitterMs: 2, bufferMs: 15, ...more });
  assert.deepEqual(apartOf(quality()), { ms: 45, jitterMs: 2, far: false });
  assert.deepEqual(apartOf(quality({ bufferMs: null })), { ms: 34, jitterMs: 2, far: false });
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
async function duetTab(t, more = {}, first = {}) {
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
    host: { songPlayer, readText: async () => '[00:01.00]<00:01.00>one <00:02.00>two<00:03.00>' },
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
  // Just below the limit the room's word counts, not the number.
  await tab.script.tell(network(47, false));
  assert.equal(tab.duet.state.get().apart.far, true);
  await tab.script.tell(network(40, true));
  assert.equal(tab.duet.state.get().apart.far, false);
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
