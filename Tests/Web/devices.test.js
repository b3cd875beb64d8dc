import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Store } from '../../Web/lib/store.js';
import { Playout } from '../../Web/models/audio.js';
import { MicrophoneModel, SpeakerModel } from '../../Web/models/devices.js';
import { EchoWatch } from '../../Web/models/echo.js';
import { ListeningModel } from '../../Web/models/listening.js';
import { loudness } from '../../Web/models/meter.js';
import { defaultPreferences, PreferencesModel } from '../../Web/models/preferences.js';
import { FakeMediaDevices, FakeStorage, FakeTrack } from './support/media.js';
import { salonTab } from './support/salon.js';
import { silence } from './support/server.js';
import { settle, VirtualTime } from './support/time.js';

const two = [
  { kind: 'audioinput', deviceId: 'default', label: 'Default' },
  { kind: 'audioinput', deviceId: 'a', label: 'A' },
  { kind: 'audioinput', deviceId: 'b', label: 'B' },
  { kind: 'audiooutput', deviceId: 'out', label: 'Out' },
];

function microphoneOn(devices, storage = new FakeStorage()) {
  const preferences = new PreferencesModel(storage, null);
  return { preferences, microphone: new MicrophoneModel(preferences, devices) };
}

test('the microphone is opened for speech, once, and let go', async () => {
  const devices = new FakeMediaDevices(two);
  const { microphone } = microphoneOn(devices);
  const [one, other] = await Promise.all([microphone.open(), microphone.open()]);
  assert.equal(one, other);
  assert.equal(devices.asked.length, 1);
  const { echoCancellation, noiseSuppression, autoGainControl } = devices.asked[0].audio;
  assert.deepEqual([echoCancellation, noiseSuppression, autoGainControl], [true, true, true]);
  assert.deepEqual(
    microphone.state.get().devices.map(({ id }) => id),
    ['a', 'b'],
    "the system's choice is no device",
  );
  assert.equal(microphone.state.get().permission, 'granted');
  microphone.close();
  assert.equal(one.readyState, 'ended');
  assert.equal(microphone.track.get(), null);
});

test('a chosen device is remembered and swapped to at once', async () => {
  const devices = new FakeMediaDevices(two);
  const storage = new FakeStorage();
  const { microphone } = microphoneOn(devices, storage);
  await microphone.open();
  await microphone.choose('b');
  assert.equal(microphone.track.get().label, 'B');
  assert.equal(devices.tracks[0].readyState, 'ended');
  const later = microphoneOn(devices, storage).microphone;
  assert.equal((await later.open()).label, 'B');
});

test("a remembered device that is not plugged in gives way to the system's choice", async () => {
  const storage = new FakeStorage();
  const devices = new FakeMediaDevices(two);
  await microphoneOn(devices, storage).microphone.choose('gone');
  assert.equal((await microphoneOn(devices, storage).microphone.open()).label, 'Default');
});

test('a microphone that was let go while the browser was asking stays off', async () => {
  const devices = new FakeMediaDevices(two);
  const { microphone } = microphoneOn(devices);
  const opening = assert.rejects(microphone.open(), { name: 'aborted' });
  microphone.close();
  await opening;
  assert.equal(devices.tracks[0].readyState, 'ended');
  assert.equal(microphone.state.get().open, false);
});

test('on plain HTTP there is no microphone, and it is named so', async () => {
  const { microphone } = microphoneOn(undefined);
  assert.equal(microphone.state.get().permission, 'insecure');
  await assert.rejects(microphone.open(), { name: 'microphone_insecure' });
});

test('a microphone taken away for a call is a problem until it is given back', async () => {
  const devices = new FakeMediaDevices(two);
  const { microphone } = microphoneOn(devices);
  const track = await microphone.open();
  track.onmute();
  assert.equal(microphone.state.get().problem, 'microphone_busy');
  track.onunmute();
  assert.equal(microphone.state.get().problem, null);
});

test('L22-W after a call the microphone is opened anew, since an iPhone’s old track stays silent, and the voice goes on with it', async () => {
  const devices = new FakeMediaDevices(two);
  const page = Object.assign(new EventTarget(), { hidden: false });
  const preferences = new PreferencesModel(new FakeStorage(), null);
  const microphone = new MicrophoneModel(preferences, devices, page);
  const old = await microphone.open('voice');
  old.onmute();
  old.onunmute();
  await settle();
  assert.notEqual(microphone.track.get(), old);
  assert.equal(old.readyState, 'ended');
  assert.deepEqual([microphone.state.get().open, microphone.state.get().problem], [true, null]);
  // The call goes on while the page is looked at: the device is not to be had, and is held until it is.
  const second = microphone.track.get();
  second.onmute();
  devices.refusal = 'NotReadableError';
  page.dispatchEvent(new Event('visibilitychange'));
  await settle();
  assert.equal(microphone.track.get(), second);
  assert.equal(microphone.state.get().problem, 'microphone_busy');
  devices.refusal = null;
  page.dispatchEvent(new Event('visibilitychange'));
  await settle();
  assert.notEqual(microphone.track.get(), second);
  assert.equal(microphone.state.get().problem, null);
  // Nothing has happened: nothing is opened.
  const asked = devices.asked.length;
  page.dispatchEvent(new Event('visibilitychange'));
  await settle();
  assert.equal(devices.asked.length, asked);
  microphone.close('voice');
  assert.equal(microphone.track.get(), null);
});

test('the list follows what is plugged in; no browser without a choice shows one', async () => {
  const devices = new FakeMediaDevices(two);
  const preferences = new PreferencesModel(new FakeStorage(), null);
  const microphone = new MicrophoneModel(preferences, devices);
  const speaker = new SpeakerModel(preferences, devices);
  await settle();
  devices.devices = two.slice(2);
  devices.dispatchEvent(new Event('devicechange'));
  await settle();
  assert.deepEqual(microphone.state.get().devices, [{ id: 'b', label: 'B' }]);
  assert.deepEqual(speaker.state.get().devices, [{ id: 'out', label: 'Out' }]);
  assert.equal(speaker.state.get().selectable, false, 'this engine has no setSinkId');
  await speaker.choose('out');
  assert.equal(preferences.get().speaker, 'out');
});

test('loudness is 0 for silence, 100 for full scale, in even steps of decibels between', () => {
  const sine = amplitude =>
    Float32Array.from(
      { length: 2048 },
      (_, n) => amplitude * Math.SQRT2 * Math.sin((2 * Math.PI * 37 * n) / 2048),
    );
  assert.equal(loudness(new Float32Array(2048)), 0);
  assert.equal(loudness(sine(1)), 100);
  assert.equal(loudness(sine(0.001)), 0);
  assert.equal(loudness(sine(10 ** (-30 / 20))), 50);
  assert.equal(loudness(sine(10 ** (-15 / 20))), 75);
});

test("preferences survive a reload, ignore strangers' values, and live on without storage", () => {
  const storage = new FakeStorage();
  const preferences = new PreferencesModel(storage, null);
  preferences.change({ theme: 'light', joinMuted: true });
  assert.deepEqual(new PreferencesModel(storage, null).get(), {
    ...defaultPreferences,
    theme: 'light',
    joinMuted: true,
  });
  storage.setItem('ovation.preferences', '{"theme":5,"danmu":"yes","evil":1}');
  assert.deepEqual(new PreferencesModel(storage, null).get(), defaultPreferences);
  storage.setItem('ovation.preferences', 'not json');
  assert.deepEqual(new PreferencesModel(storage, null).get(), defaultPreferences);
  const none = new PreferencesModel(null, null);
  none.change({ sounds: false });
  assert.equal(none.get().sounds, false);
  const refusing = {
    getItem: () => null,
    setItem: () => {
      throw new Error('quota');
    },
  };
  const full = new PreferencesModel(refusing, null);
  full.change({ sounds: false });
  assert.equal(full.get().sounds, false);
});

test('preferences changed in another tab are taken up', () => {
  const storage = new FakeStorage();
  const events = new EventTarget();
  const here = new PreferencesModel(storage, events);
  new PreferencesModel(storage, null).change({ language: 'ko' });
  events.dispatchEvent(Object.assign(new Event('storage'), { key: 'ovation.preferences' }));
  assert.equal(here.get().language, 'ko');
});

test('V11-W how loud one hears a person is kept over rooms, for as many as fit', () => {
  const storage = new FakeStorage();
  const listening = new ListeningModel(storage);
  listening.change('ann', { volume: 40 });
  listening.change('bob', { muted: true });
  listening.change('bob', { muted: false });
  assert.deepEqual([...new ListeningModel(storage).get()], [['ann', { volume: 40, muted: false }]]);
  for (let n = 0; n < 300; n++) listening.change(`p${n}`, { volume: 10 });
  const kept = new ListeningModel(storage);
  assert.equal(kept.get().size, 200);
  assert.equal(kept.of('ann').volume, 100, 'the longest unchanged is forgotten');
  assert.equal(kept.of('p299').volume, 10);
});

/** Two tabs of one browser. */
function pair(t) {
  const time = VirtualTime.install(t);
  const channels = new Set();
  const open = () => {
    const channel = {
      onmessage: null,
      postMessage: data => {
        for (const other of channels)
          if (other !== channel) other.onmessage?.({ data: structuredClone(data) });
      },
      close: () => channels.delete(channel),
    };
    channels.add(channel);
    return channel;
  };
  const tab = room => {
    const watch = new EchoWatch(room, { channel: open(), now: () => time.now });
    t.after(() => watch.close());
    return watch;
  };
  return { time, tab };
}

test('of two tabs in one room with an open microphone, the newer is told to be silent', async t => {
  const { time, tab } = pair(t);
  const older = tab('number:5');
  await time.advance(10);
  const newer = tab('number:5');
  const elsewhere = tab('number:6');
  const pairs = () => [older, newer, elsewhere].map(({ paired }) => paired.get());
  assert.deepEqual(pairs(), [false, false, false], 'two listeners do no harm');
  older.setLive(true);
  assert.deepEqual(pairs(), [false, true, false]);
  older.setLive(false);
  newer.setLive(true);
  assert.deepEqual(pairs(), [false, true, false]);
  older.close();
  assert.deepEqual(pairs(), [false, false, false], 'alone again');
});

test('a tab that crashed is forgotten after a while', async t => {
  const { time, tab } = pair(t);
  const other = { onmessage: null };
  void other;
  const older = tab('r');
  await time.advance(10);
  const newer = tab('r');
  newer.setLive(true);
  assert.equal(newer.paired.get(), true);
  older.close = () => {};
  await time.advance(1000);
  assert.equal(newer.paired.get(), true);
});

/** The little of a document that `Playout` touches. */
function fakeDocument({ refusesPlay = false } = {}) {
  const made = [];
  const element = name => ({
    name,
    dataset: {},
    children: [],
    volume: 1,
    muted: false,
    paused: true,
    srcObject: null,
    plays: 0,
    append(child) {
      this.children.push(child);
    },
    remove() {
      this.removed = true;
    },
    setAttribute(name, value) {
      this[name] = value;
    },
    pause() {
      this.paused = true;
    },
    async play() {
      this.plays++;
      if (document.refusesPlay) throw Object.assign(new Error('no'), { name: 'NotAllowedError' });
      this.paused = false;
    },
  });
  const document = Object.assign(new EventTarget(), {
    hidden: false,
    refusesPlay,
    made,
    body: element('body'),
    createElement: name => {
      const one = element(name);
      made.push(one);
      return one;
    },
  });
  return document;
}

test('each seat has its own volume; silence has reasons and ends with the last one', async t => {
  const had = globalThis.MediaStream;
  globalThis.MediaStream = class {
    constructor(tracks) {
      this.tracks = tracks;
    }
    getTracks() {
      return this.tracks;
    }
  };
  t.after(() => Object.assign(globalThis, { MediaStream: had }));
  const document = fakeDocument();
  const playout = new Playout(document);
  const tracks = [new FakeTrack(), null, new FakeTrack()];
  playout.setTracks(tracks);
  const audio = document.made.filter(({ name }) => name === 'audio');
  assert.deepEqual(
    audio.map(({ srcObject, plays }) => [srcObject?.tracks[0] ?? null, plays]),
    [
      [tracks[0], 1],
      [null, 0],
      [tracks[2], 1],
    ],
  );
  playout.setTracks(tracks);
  assert.deepEqual(
    audio.map(({ plays }) => plays),
    [1, 0, 1],
    'what plays is not disturbed',
  );
  playout.setListening(0, { volume: 30, muted: false });
  playout.setListening(2, { volume: 250, muted: true });
  assert.deepEqual(
    audio.map(({ volume, muted }) => [volume, muted]),
    [
      [0.3, false],
      [1, false],
      [1, true],
    ],
  );
  playout.setSilenced('echo', true);
  playout.setSilenced('deafened', true);
  playout.setSilenced('echo', false);
  assert.deepEqual(
    audio.map(({ muted }) => muted),
    [true, true, true],
  );
  playout.setSilenced('deafened', false);
  assert.deepEqual(
    audio.map(({ muted }) => muted),
    [false, false, true],
  );
  playout.close();
  assert.equal(audio[0].srcObject, null);
});

test('sound that needs a click is told, and unlocked by one', async t => {
  const had = globalThis.MediaStream;
  globalThis.MediaStream = class {
    getTracks() {
      return [];
    }
  };
  t.after(() => Object.assign(globalThis, { MediaStream: had }));
  const document = fakeDocument({ refusesPlay: true });
  const playout = new Playout(document);
  playout.setTracks([new FakeTrack()]);
  await settle();
  assert.equal(playout.blocked.get(), true);
  await playout.unlock();
  assert.equal(playout.blocked.get(), true, 'not by wishing');
  document.refusesPlay = false;
  await playout.unlock();
  assert.equal(playout.blocked.get(), false);
  void Store;
});

test('V11-W what is to sound is made and played in the click that enters, before the server has answered', async t => {
  const document = fakeDocument();
  let asked = 0;
  const tab = await salonTab(t, { enter: false, host: { playout: () => new Playout(document) } });
  const audio = () => document.made.filter(({ name }) => name === 'audio');
  tab.server.on('room.enter', () => {
    asked++;
    return silence;
  });
  void tab.salon.enter().catch(() => {});
  assert.equal(audio().length, 20, 'for every seat, the mix and the guests of a room');
  assert.ok(audio().every(({ plays, autoplay }) => plays === 1 && !autoplay));
  await settle();
  assert.equal(asked, 1);
  // Who gives up leaves nothing behind.
  await tab.salon.leave();
});

test('V11-W who comes in without a click, by a link, is asked for a tap once there is something to hear, and not before', async t => {
  const had = globalThis.MediaStream;
  globalThis.MediaStream = class {
    getTracks() {
      return [];
    }
  };
  t.after(() => Object.assign(globalThis, { MediaStream: had }));
  const playout = new Playout(fakeDocument({ refusesPlay: true }));
  playout.begin();
  await settle();
  assert.equal(playout.blocked.get(), false);
  playout.setTracks([new FakeTrack()]);
  await settle();
  assert.equal(playout.blocked.get(), true);
});

test('V11-W D02-W one tap unlocks the voices and the song: the first does not spend it on the wait for the second', async t => {
  const tab = await salonTab(t);
  const begun = [];
  tab.playout.unlock = async () => void begun.push('voices');
  tab.salon.duet = {
    unlock: () => {
      begun.push('song');
      return new Promise(() => {});
    },
  };
  void tab.salon.unlockSound();
  assert.deepEqual(begun.sort(), ['song', 'voices']);
  tab.salon.duet = null;
});

test('L22-W sound that a call or pulled headphones paused goes on by itself, and else with a tap', async t => {
  const had = globalThis.MediaStream;
  globalThis.MediaStream = class {
    getTracks() {
      return [];
    }
  };
  t.after(() => Object.assign(globalThis, { MediaStream: had }));
  const time = VirtualTime.install(t);
  const document = fakeDocument();
  const playout = new Playout(document);
  playout.setTracks([new FakeTrack()]);
  await settle();
  const [audio] = document.made.filter(({ name }) => name === 'audio');
  const pause = async () => {
    audio.paused = true;
    audio.onpause();
    await settle();
  };
  await pause();
  assert.deepEqual([audio.paused, playout.blocked.get()], [false, false]);
  await time.advance(5_000);
  document.refusesPlay = true;
  await pause();
  assert.deepEqual([audio.paused, playout.blocked.get()], [true, true], 'it asks for a tap');
  document.refusesPlay = false;
  await playout.unlock();
  assert.deepEqual([audio.paused, playout.blocked.get()], [false, false]);
  // What is paused again and again is not fought with.
  await time.advance(5_000);
  await pause();
  await pause();
  assert.deepEqual([audio.paused, playout.blocked.get()], [true, true]);
  // The page is looked at again.
  document.dispatchEvent(new Event('visibilitychange'));
  await settle();
  assert.deepEqual([audio.paused, playout.blocked.get()], [false, false]);
  // Who leaves pauses nothing by accident.
  const { plays } = audio;
  playout.close();
  await pause();
  assert.equal(audio.plays, plays);
});

test('a page that lets the microphone go does not take it from the room', async () => {
  const devices = new FakeMediaDevices(two);
  const { microphone } = microphoneOn(devices);
  await microphone.open();
  const track = await microphone.open('voice');
  microphone.close();
  assert.equal(track.readyState, 'live');
  microphone.close('voice');
  assert.equal(track.readyState, 'ended');
});

test('a page whose attempt failed holds nothing', async () => {
  const devices = new FakeMediaDevices(two);
  const { microphone } = microphoneOn(devices);
  devices.refusal = 'NotAllowedError';
  await assert.rejects(microphone.open(), { name: 'microphone_denied' });
  devices.refusal = null;
  const track = await microphone.open('voice');
  microphone.close('voice');
  assert.equal(track.readyState, 'ended');
});

test('V12-W for music nothing is filtered and both sides are captured, at once when the device is open', async () => {
  const devices = new FakeMediaDevices(two);
  const { microphone, preferences } = microphoneOn(devices);
  const first = await microphone.open();
  await microphone.setQuality('speech');
  assert.equal(microphone.track.get(), first, 'speech is captured as before');
  await microphone.setQuality('music');
  assert.notEqual(microphone.track.get(), first);
  assert.equal(first.readyState, 'ended');
  const { echoCancellation, noiseSuppression, autoGainControl, channelCount } = devices.asked.at(-1).audio;
  assert.deepEqual(
    [echoCancellation, noiseSuppression, autoGainControl, channelCount],
    [false, false, false, 2],
  );
  assert.equal(preferences.get().quality, 'music');
  await microphone.setQuality('default');
  assert.equal(devices.asked.at(-1).audio.echoCancellation, true);
});

test("V13-W the volume of everybody multiplies each person's own", () => {
  const document = fakeDocument();
  const playout = new Playout(document);
  playout.setListening(0, { volume: 50, muted: false });
  playout.setTracks([null, null]);
  playout.setVolume(40);
  playout.setTracks([null, null, null]);
  const volumes = document.made.filter(({ name }) => name === 'audio').map(({ volume }) => volume);
  assert.deepEqual(volumes, [0.2, 0.4, 0.4]);
  playout.setVolume(300);
  assert.deepEqual(
    document.made.filter(({ name }) => name === 'audio').map(({ volume }) => volume),
    [0.5, 1, 1],
  );
});
