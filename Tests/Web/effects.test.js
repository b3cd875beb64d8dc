import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MicrophoneModel, SpeakerModel } from '../../Web/models/devices.js';
import { EffectsModel } from '../../Web/models/effects.js';
import { fetchMusic } from '../../Web/models/music.js';
import { PreferencesModel } from '../../Web/models/preferences.js';
import { FakeMediaDevices, FakeStorage, FakeTrack } from './support/media.js';
import { obedient, salonTab } from './support/salon.js';
import { settle } from './support/time.js';

/** The desk without a browser: remembers what it was told. */
class FakeMixer {
  static opened = [];
  static refuses = false;
  track = new FakeTrack('mix');
  plugged = null;
  voice = null;
  ear = 0;
  channels = [];
  closed = false;
  waits = false;
  changed = () => {};

  static async open() {
    if (FakeMixer.refuses) throw new Error('no worklets');
    const mixer = new FakeMixer();
    FakeMixer.opened.push(mixer);
    return mixer;
  }

  static get last() {
    return FakeMixer.opened.at(-1);
  }

  setMicrophone(track) {
    this.plugged = track;
  }

  setVoice(setting, volume) {
    this.voice = { ...setting, volume };
  }

  setEar(volume) {
    this.ear = volume;
  }

  async setOutput(id) {
    this.output = id;
  }

  async resume() {}

  async decode(bytes) {
    if (bytes.byteLength === 0) throw new Error('EncodingError');
    if (bytes.byteLength > 1000) throw new RangeError('too long');
    return { left: new Float32Array(1), durationMs: 60_000 };
  }

  addMusic(_sound, range, tell) {
    const channel = { range, tell, words: [], volumes: null, removed: false };
    this.channels.push(channel);
    return {
      send: word => channel.words.push(word),
      setVolumes: (...volumes) => {
        channel.volumes = volumes;
      },
      remove: () => {
        channel.removed = true;
      },
    };
  }

  close() {
    this.closed = true;
  }
}

function effectsOn(devices = new FakeMediaDevices()) {
  FakeMixer.opened = [];
  FakeMixer.refuses = false;
  const preferences = new PreferencesModel(new FakeStorage(), null);
  const microphone = new MicrophoneModel(preferences, devices);
  const speaker = new SpeakerModel(preferences, devices);
  const files = async source => ({ name: String(source), bytes: new ArrayBuffer(Number(source) || 8) });
  const effects = new EffectsModel(microphone, speaker, { open: FakeMixer.open, fetch: files });
  return { effects, microphone, speaker, preferences };
}

test("V15-W nothing on: the microphone's own track goes out, and there is no desk", async () => {
  const { effects } = effectsOn();
  const voice = new FakeTrack('voice');
  effects.carry(voice);
  await settle();
  assert.equal(effects.outgoing.get(), voice);
  assert.equal(FakeMixer.opened.length, 0);
  assert.equal(effects.active.get(), false);
  effects.carry(null);
  assert.equal(effects.outgoing.get(), null);
});

test('L22-W while a call has the page’s sound the bare voice goes out; a desk that stands is built anew, and its music is told as lost', async () => {
  const { effects } = effectsOn();
  const voice = new FakeTrack('voice');
  effects.carry(voice);
  await effects.setVoice({ changer: 3 });
  const desk = FakeMixer.last;
  assert.equal(effects.outgoing.get(), desk.track);
  desk.waits = true;
  desk.changed('waits');
  await settle();
  assert.equal(effects.outgoing.get(), voice);
  desk.waits = false;
  desk.changed('runs');
  await settle();
  assert.equal(effects.outgoing.get(), desk.track);
  await effects.addMusic('8');
  desk.changed('stands');
  await settle();
  assert.equal(desk.closed, true);
  assert.notEqual(FakeMixer.last, desk);
  assert.equal(effects.outgoing.get(), FakeMixer.last.track);
  assert.equal(FakeMixer.last.voice.changer, 3);
  assert.deepEqual([effects.state.get().music.length, effects.state.get().problem], [0, 'music_interrupted']);
  assert.equal(effects.publishing.get(), false);
});

test('an effect puts the mix in its place, and taking it off gives the track back and closes the desk', async () => {
  const { effects } = effectsOn();
  await effects.setVoice({ changer: 3 });
  assert.equal(FakeMixer.opened.length, 0, 'nobody hears a voice yet');
  const voice = new FakeTrack('voice');
  effects.carry(voice);
  await settle();
  const mixer = FakeMixer.last;
  assert.equal(effects.outgoing.get(), mixer.track);
  assert.equal(mixer.plugged, voice);
  assert.deepEqual(mixer.voice, { pitch: 0, changer: 3, reverb: 0, volume: 1 });
  const other = new FakeTrack('another device');
  effects.carry(other);
  assert.equal(mixer.plugged, other);
  await effects.setVoice({ changer: 0 });
  assert.equal(effects.outgoing.get(), other);
  assert.equal(mixer.closed, true);
  await effects.setVoice({ volume: 40 });
  assert.equal(FakeMixer.opened.length, 2);
  assert.equal(FakeMixer.last.voice.volume, 0.4);
});

test('values out of bounds are brought within them', async () => {
  const { effects } = effectsOn();
  await effects.setVoice({ pitch: 9, changer: 40, reverb: -3, volume: 1000, earVolume: Number.NaN });
  const { pitch, changer, reverb, volume, earVolume } = effects.state.get();
  assert.deepEqual([pitch, changer, reverb, volume, earVolume], [1, 11, 0, 150, 0]);
});

test('V13-W the ear monitor opens the microphone outside a seat, changes nothing that goes out, and lets the device go', async () => {
  const { effects, microphone } = effectsOn();
  await effects.setEar(true);
  const device = microphone.track.get();
  assert.equal(FakeMixer.last.plugged, device);
  assert.equal(FakeMixer.last.ear, 1);
  assert.equal(effects.outgoing.get(), null);
  const voice = new FakeTrack('voice');
  effects.carry(voice);
  await settle();
  assert.equal(effects.outgoing.get(), voice, 'heard by oneself alone');
  assert.equal(FakeMixer.last.plugged, voice);
  await effects.setVoice({ earVolume: 30 });
  assert.equal(FakeMixer.last.ear, 0.3);
  await effects.setEar(false);
  assert.equal(device.readyState, 'ended');
  assert.equal(FakeMixer.last.closed, true);
});

test('V13-W the ear monitor that is called off, or whose room is left, while the browser asks for the microphone stays off', async () => {
  for (const end of [effects => effects.setEar(false), effects => effects.reset()]) {
    const devices = new FakeMediaDevices();
    const { effects, microphone } = effectsOn(devices);
    /** @type {() => void} */ let answer = () => {};
    const asked = new Promise(resolve => {
      answer = resolve;
    });
    const give = devices.getUserMedia.bind(devices);
    devices.getUserMedia = async constraints => {
      await asked;
      return give(constraints);
    };
    const wished = effects.setEar(true).catch(error => error.name);
    await settle();
    await end(effects);
    answer();
    assert.equal(await wished, 'aborted');
    assert.equal(effects.state.get().ear, false);
    assert.equal(microphone.track.get(), null);
    assert.equal(devices.tracks[0].readyState, 'ended');
    // Another holder keeps the device; the monitor stays off all the same.
    await microphone.open('voice');
    assert.equal(effects.state.get().ear, false);
    await effects.setEar(true);
    assert.equal(FakeMixer.last.ear, 1);
  }
  // The room's voice asks for the device too: it opens, and nobody hears themselves.
  const { effects, microphone } = effectsOn();
  const wished = effects.setEar(true);
  const voice = microphone.open('voice');
  await effects.reset();
  await wished;
  await voice;
  assert.equal(effects.state.get().ear, false);
  assert.ok(microphone.track.get());
});

test('a browser without worklets sends the plain voice and says why', async () => {
  const { effects } = effectsOn();
  FakeMixer.refuses = true;
  const voice = new FakeTrack('voice');
  effects.carry(voice);
  await effects.setVoice({ reverb: 2 });
  assert.equal(effects.outgoing.get(), voice);
  assert.equal(effects.state.get().problem, 'effects_unsupported');
  await assert.rejects(effects.addMusic('song'), { name: 'effects_unsupported' });
});

test('V15-W music is mine alone until it is published; several play, pause, seek, end and begin anew', async () => {
  const { effects } = effectsOn();
  const voice = new FakeTrack('voice');
  effects.carry(voice);
  const first = await effects.addMusic('one', { startMs: 1000, endMs: 9000, loops: 2 });
  const second = await effects.addMusic('two');
  const mixer = FakeMixer.last;
  const [one, two] = mixer.channels;
  assert.deepEqual(one.range, { startMs: 1000, endMs: 9000, loops: 2 });
  assert.deepEqual(one.volumes, [0, 0.6]);
  assert.equal(effects.outgoing.get(), voice);
  assert.equal(effects.publishing.get(), false);

  effects.music(first).change({ publish: true, publishVolume: 80, localVolume: 500, pitch: 0.5, speed: 9 });
  assert.deepEqual(one.volumes, [0.8, 1.5]);
  const range = { startMs: 1000, endMs: 9000 };
  assert.deepEqual(one.words.at(-1), { pitch: 6, speed: 2, loops: 2, range });
  assert.equal(effects.outgoing.get(), mixer.track);
  assert.equal(effects.publishing.get(), true);
  assert.equal(effects.active.get(), true);

  effects.music(first).pause();
  assert.equal(effects.publishing.get(), false);
  assert.equal(effects.outgoing.get(), mixer.track, 'a pause changes no track');
  effects.music(first).seek(99_000);
  assert.deepEqual(one.words.at(-1), { seek: 9000 });
  effects.music(first).play();
  one.tell({ positionMs: 9000, ended: true });
  const state = effects.state.get().music.find(({ id }) => id === first);
  assert.deepEqual([state.status, state.positionMs], ['ended', 9000]);
  assert.equal(effects.outgoing.get(), voice, 'over: the plain voice again');
  effects.music(first).play();
  assert.deepEqual(one.words.slice(-3), [{ loops: 2 }, { seek: 1000 }, { play: true }]);

  effects.removeMusic(first);
  effects.removeMusic(second);
  await settle();
  assert.ok(one.removed && two.removed && mixer.closed);
  assert.deepEqual(effects.state.get().music, []);
});

test('sounds that cannot be played are refused by name, and leave no desk behind', async () => {
  const { effects } = effectsOn();
  await assert.rejects(effects.addMusic('2000'), { name: 'music_too_long' });
  const { effects: other } = effectsOn();
  const { microphone, speaker } = effectsOn();
  const broken = new EffectsModel(microphone, speaker, {
    open: FakeMixer.open,
    fetch: async () => ({ name: '', bytes: new ArrayBuffer(0) }),
  });
  await assert.rejects(broken.addMusic('x'), { name: 'music_unreadable' });
  assert.equal(FakeMixer.last.closed, true);
  assert.deepEqual(other.state.get().music, []);
});

test('V15-W leaving the room gives back the own voice and ends the music', async () => {
  const { effects } = effectsOn();
  effects.carry(new FakeTrack('voice'));
  await effects.setVoice({ reverb: 4, pitch: 0.2, changer: 2 });
  await effects.addMusic('one', { publish: true });
  await effects.setEar(true);
  effects.carry(null);
  await effects.reset();
  const { pitch, changer, reverb, ear, music } = effects.state.get();
  assert.deepEqual([pitch, changer, reverb, ear, music.length], [0, 0, 0, false, 0]);
  assert.equal(FakeMixer.last.closed, true);
  assert.equal(effects.publishing.get(), false);
});

test('music that was still being loaded when the room was left does not begin', async () => {
  const { effects } = effectsOn();
  const adding = effects.addMusic('song');
  await effects.reset();
  await assert.rejects(adding, { name: 'aborted' });
  assert.deepEqual(effects.state.get().music, []);
  assert.equal(FakeMixer.last.closed, true);
});

test('a microphone that the desk cannot take in goes out as it is', async () => {
  const { effects } = effectsOn();
  await effects.addMusic('song', { publish: true });
  FakeMixer.last.setMicrophone = () => {
    throw new Error('NotSupportedError: another sample rate');
  };
  const voice = new FakeTrack('voice');
  effects.carry(voice);
  assert.equal(effects.outgoing.get(), voice);
  assert.equal(effects.state.get().problem, 'effects_unsupported');
});

test('the chosen loudspeaker is the one of the desk too', async () => {
  const { effects, speaker } = effectsOn();
  await effects.setEar(true);
  await speaker.choose('headset');
  assert.equal(FakeMixer.last.output, 'headset');
});

test('files and addresses: what is fetched, what it is called, and how it fails', async t => {
  const had = globalThis.fetch;
  t.after(() => Object.assign(globalThis, { fetch: had }));
  const asked = [];
  globalThis.fetch = async (url, options) => {
    asked.push([String(url), options.credentials]);
    if (url.pathname.includes('missing')) return new Response('', { status: 404 });
    if (url.pathname.includes('huge'))
      return new Response('', { headers: { 'content-length': '900000000' } });
    if (url.host === 'closed.example') throw new TypeError('Failed to fetch');
    return new Response('sound');
  };
  const found = await fetchMusic(' https://music.example/a/My%20song.mp3?x=1 ');
  assert.equal(found.name, 'My song');
  assert.equal(found.bytes.byteLength, 5);
  // No cookies to strangers.
  assert.deepEqual(asked, [['https://music.example/a/My%20song.mp3?x=1', 'omit']]);
  const file = { name: '노래.flac', size: 3, arrayBuffer: async () => new ArrayBuffer(3) };
  assert.deepEqual(await fetchMusic(file), { name: '노래', bytes: new ArrayBuffer(3) });
  for (const [source, name] of [
    ['https://music.example/missing.mp3', 'music_not_found'],
    ['https://music.example/huge.mp3', 'music_too_large'],
    ['https://closed.example/a.mp3', 'music_unreachable'],
    ['javascript:alert(1)', 'music_address_invalid'],
    ['no address', 'music_address_invalid'],
    [{ ...file, size: 900_000_000 }, 'music_too_large'],
  ]) {
    await assert.rejects(fetchMusic(source), { name });
  }
});

test('V15-W an address is asked only if its site is this server or one that the operator named', async t => {
  const had = [globalThis.fetch, globalThis.location];
  t.after(() => Object.assign(globalThis, { fetch: had[0], location: had[1] }));
  const asked = [];
  Object.assign(globalThis, {
    location: new URL('https://salon.example/r/1'),
    fetch: async url => {
      asked.push(url.origin);
      return new Response('sound');
    },
  });
  const named = ['https://music.example', 'http://localhost:9001'];
  for (const url of [
    'https://salon.example/songs/a.mp3',
    'https://music.example/a.mp3',
    'http://localhost:9001/a.mp3',
  ])
    await fetchMusic(url, named);
  assert.deepEqual(asked, ['https://salon.example', ...named]);
  for (const url of [
    'http://music.example/a.mp3',
    'https://music.example:8443/a.mp3',
    'https://music.example.evil.example/a.mp3',
    'https://evil.example/https://music.example/a.mp3',
    'http://localhost:9002/a.mp3',
  ])
    await assert.rejects(fetchMusic(url, named), { name: 'music_not_allowed' }, url);
  await assert.rejects(fetchMusic('https://music.example/a.mp3', []), { name: 'music_not_allowed' });
  assert.equal(asked.length, 3, 'nobody else was asked');
});

test('V15-W muted while music goes out: the server hears of the mute when the music is over, the voice is silent at once', async t => {
  const { effects } = effectsOn();
  const tab = await salonTab(t, { effects });
  obedient(tab.server);
  const told = () => tab.server.of('microphone.set').map(({ muted }) => muted);
  await tab.salon.seats.sit(1);
  await settle();
  assert.equal(tab.mic, 'live');
  const voice = tab.sending;
  const id = await effects.addMusic('song', { publish: true });
  await settle();
  assert.equal(tab.sending, FakeMixer.last.track);

  await tab.salon.seats.toggleMicrophone();
  assert.equal(tab.mic, 'mutedByMe');
  assert.equal(voice.enabled, false);
  assert.deepEqual(told(), []);
  effects.music(id).pause();
  await settle();
  assert.deepEqual(told(), [true]);
  effects.music(id).play();
  await settle();
  assert.deepEqual(told(), [true, false]);
  assert.equal(tab.mic, 'mutedByMe');
  assert.equal(voice.enabled, false, 'music lets no voice through');

  // Over and on again before the server's news of the first has come.
  effects.music(id).pause();
  effects.music(id).play();
  await settle();
  assert.deepEqual(told(), [true, false, true, false]);
  effects.music(id).pause();
  await settle();
  effects.music(id).play();
  effects.music(id).pause();
  await settle();
  assert.deepEqual(told().slice(4), [true, false, true]);
  effects.music(id).play();
  await settle();
  const before = told();

  await tab.salon.seats.toggleMicrophone();
  assert.equal(tab.mic, 'live');
  assert.equal(voice.enabled, true);
  effects.removeMusic(id);
  await settle();
  assert.deepEqual(told(), before, 'who is live stays live');
  assert.equal(tab.sending, voice);
});
