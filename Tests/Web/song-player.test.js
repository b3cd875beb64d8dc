import assert from 'node:assert/strict';
import { test } from 'node:test';
import { correctionOf, jumpMs, positionAt, SongPlayer, toleranceMs } from '../../Web/models/song-player.js';
import { RoomClock } from '../../Web/protocol/clock.js';
import { play, song } from './support/songs.js';
import { settle } from './support/time.js';

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
    if (bytes === '/song.ogg') throw new DOMException('', 'EncodingError');
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
function player(audio = new FakeAudio(), createContext = undefined) {
  const clock = new RoomClock(() => audio.local);
  clock.read(1_000_000, audio.local);
  const fetched = [];
  const sounds = new SongPlayer(clock, {
    createContext:
      createContext ??
      (() => {
        audio.opened = (audio.opened ?? 0) + 1;
        return audio;
      }),
    fetch: async (url, signal) => {
      fetched.push(url);
      if (url === '/broken') throw new Error('404');
      if (url === '/flaky' && fetched.length < 4) throw new Error('503');
      if (url === '/slow') await new Promise(resolve => signal.addEventListener('abort', resolve));
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
  // A call takes the sound: the context is left alone, and the page asks for a tap.
  let resumed = 0;
  audio.resume = async () => void resumed++;
  audio.state = 'interrupted';
  audio.onstatechange();
  await settle();
  assert.deepEqual([sounds.state.get().phase, resumed], ['blocked', 0]);
});

test('D02-W a song whose format the browser does not know is told as such, and not fetched again and again', async () => {
  const { audio, sounds, fetched } = player();
  sounds.follow(play({ song: { ...song, accompaniment: '/song.ogg' } }));
  await settle();
  assert.equal(sounds.state.get().phase, 'unheard');
  await audio.pass(60_000);
  sounds.follow(play({ startAt: undefined, song: { ...song, accompaniment: '/song.ogg' } }));
  await settle();
  assert.deepEqual([sounds.state.get().phase, fetched], ['unheard', ['/song.ogg']]);
  sounds.follow(play());
  await settle();
  assert.equal(sounds.state.get().phase, 'ready');
});

test('D02-W where a browser gives pages no sound of their own a song is told as not heard, and a tap for it does no harm', async () => {
  const audio = new FakeAudio();
  const { sounds, fetched } = player(audio, () => {
    throw new ReferenceError('AudioContext is not defined');
  });
  sounds.follow(play());
  await settle();
  assert.equal(sounds.state.get().phase, 'unheard');
  await sounds.unlock();
  await audio.pass(60_000);
  assert.deepEqual([sounds.state.get().phase, fetched], ['unheard', ['/a']]);
});

test('D02-W a file that could not be had is tried again, ever more slowly, until it is there or no longer wanted', async () => {
  const { audio, clock, sounds, fetched } = player();
  const now = play({ startAt: 999_000, song: { ...song, accompaniment: '/flaky' } });
  sounds.follow(now);
  await settle();
  /** In steps, since what was asked for comes after each. */
  const pass = async ms => {
    for (let passed = 0; passed < ms; passed += 100) await audio.pass(100);
  };
  const phases = [];
  sounds.state.subscribe(({ phase }) => phases.push(phase));
  await pass(400);
  assert.equal(fetched.length, 1);
  await pass(200);
  assert.equal(fetched.length, 2);
  await pass(800);
  assert.equal(fetched.length, 2, 'twice as long');
  await pass(5_000);
  assert.equal(fetched.length, 4);
  await pass(500);
  assert.ok(Math.abs(audio.heard.ms - positionAt(now, clock.now()).positionMs) < 1);
  assert.deepEqual([...new Set(phases)], ['failed', 'ready'], 'the word stays until it is there');
  // Another song, or none, ends the attempts.
  sounds.follow(play({ song: { ...song, accompaniment: '/broken' } }));
  await settle();
  sounds.follow(null);
  await pass(60_000);
  assert.equal(fetched.filter(url => url === '/broken').length, 1);
  // They grow to eight seconds.
  sounds.follow(play({ song: { ...song, accompaniment: '/broken' } }));
  await pass(300_000);
  const tries = fetched.filter(url => url === '/broken').length - 1;
  assert.ok(tries >= 38 && tries <= 42, String(tries));
});

test('D02-W a player that was closed opens no sound any more, although a file comes late, or a wish', async () => {
  const { audio, sounds, fetched } = player();
  sounds.follow(play({ song: { ...song, accompaniment: '/slow' } }));
  await settle();
  assert.deepEqual(fetched, ['/slow']);
  sounds.close();
  await settle();
  sounds.follow(play());
  await settle();
  await sounds.unlock();
  await audio.pass(60_000);
  assert.equal(audio.opened ?? 0, 0);
  assert.deepEqual(fetched, ['/slow']);
});
