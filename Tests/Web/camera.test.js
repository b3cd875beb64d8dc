import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CameraModel } from '../../Web/models/camera.js';
import { MicrophoneModel } from '../../Web/models/devices.js';
import { jointMedia } from '../../Web/models/joint-media.js';
import { PreferencesModel } from '../../Web/models/preferences.js';
import { FakeMediaDevices, FakeStorage } from './support/media.js';
import { settle } from './support/time.js';

const front = { kind: 'videoinput', deviceId: 'front', label: 'Front camera' };
const back = { kind: 'videoinput', deviceId: 'back', label: 'Back camera' };

function cameraOf(devices = new FakeMediaDevices([front, back])) {
  return { devices, camera: new CameraModel(new PreferencesModel(new FakeStorage(), null), devices) };
}

test('L01-W a camera is opened once for all who want it, and let go with the last of them', async () => {
  const { devices, camera } = cameraOf();
  const [one, other] = await Promise.all([camera.open('prepare'), camera.open('live')]);
  assert.equal(one, other);
  assert.equal(devices.asked.length, 1);
  camera.close('prepare');
  assert.equal(one.readyState, 'live');
  assert.equal(camera.state.get().open, true);
  camera.close('live');
  assert.equal(one.readyState, 'ended');
  assert.equal(camera.track.get(), null);
});

test('L14-W what the browser refuses has a name and a number; trying again forgets it', async () => {
  for (const [thrown, name, code] of [
    [new DOMException('', 'NotAllowedError'), 'camera_denied', -1314],
    [new DOMException('Permission denied by system', 'NotAllowedError'), 'camera_denied_by_system', -1314],
    [new DOMException('', 'NotFoundError'), 'camera_missing', -1301],
    [new DOMException('', 'NotReadableError'), 'camera_busy', -1316],
  ]) {
    const { devices, camera } = cameraOf();
    const give = devices.getUserMedia.bind(devices);
    devices.getUserMedia = async () => {
      throw thrown;
    };
    await assert.rejects(camera.open('live'), { name, code });
    assert.equal(camera.state.get().problem, name);
    devices.getUserMedia = give;
    await camera.open('live');
    assert.equal(camera.state.get().problem, null);
    camera.close('live');
  }
  const none = new CameraModel(new PreferencesModel(new FakeStorage(), null), undefined);
  await assert.rejects(none.open('live'), { name: 'camera_insecure' });
});

test('L14-W closing it while the browser asks keeps it off', async () => {
  const { devices, camera } = cameraOf();
  const opening = camera.open('live');
  camera.close('live');
  await assert.rejects(opening, { name: 'aborted' });
  await settle();
  assert.equal(camera.state.get().open, false);
  assert.ok(devices.tracks.every(track => track.readyState === 'ended'));
});

test('L14-W a camera that is pulled out is replaced by another one, and by none with a sentence', async () => {
  const { devices, camera } = cameraOf();
  const track = await camera.open('live');
  track.unplug();
  await settle();
  assert.notEqual(camera.track.get(), track);
  assert.equal(camera.state.get().open, true);
  devices.refusal = 'NotFoundError';
  camera.track.get().unplug();
  await settle();
  assert.equal(camera.state.get().problem, 'camera_missing');
  // It is plugged in again.
  devices.refusal = null;
  devices.devices = [front, back, { ...front, deviceId: 'third' }];
  await camera.refresh();
  await settle();
  assert.equal(camera.state.get().open, true);
});

test('L14-W flip goes to the other side of a phone, whatever lenses it lists', async () => {
  const lenses = ['Front', 'Back Triple', 'Back Dual Wide', 'Back Ultra Wide', 'Back Telephoto'];
  const devices = new FakeMediaDevices(
    lenses.map(label => ({ kind: 'videoinput', deviceId: label, label: `${label} Camera` })),
  );
  const give = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async constraints => {
    const stream = await give(constraints);
    const { facingMode = 'environment' } = constraints.video;
    stream.getVideoTracks()[0].getSettings = () => ({ facingMode, deviceId: 'any' });
    return stream;
  };
  const { camera } = cameraOf(devices);
  await camera.open('live');
  const sides = [];
  for (let press = 0; press < 3; press++) {
    await camera.flip();
    sides.push([devices.asked.at(-1).video.facingMode, camera.state.get().facesMe]);
  }
  assert.deepEqual(sides, [
    ['environment', false],
    ['user', true],
    ['environment', false],
  ]);
  assert.equal(devices.asked.length, 4);
});

test('L14-W camera and microphone that are wanted at once are one question; each is told its own trouble', async () => {
  const mic = { kind: 'audioinput', deviceId: 'mic', label: 'Mic' };
  const pair = devices => {
    const preferences = new PreferencesModel(new FakeStorage(), null);
    const media = jointMedia(devices);
    const camera = new CameraModel(preferences, media);
    const microphone = new MicrophoneModel(preferences, media);
    return Promise.allSettled([camera.open('live'), microphone.open('live')]);
  };
  /** Gives both kinds in one stream, as browsers do. */
  const browser = listed => {
    const devices = new FakeMediaDevices(listed);
    const give = devices.getUserMedia.bind(devices);
    devices.questions = [];
    devices.getUserMedia = async constraints => {
      devices.questions.push(Object.keys(constraints).sort().join(' and '));
      const { audio, video } = constraints;
      const heard = audio ? (await give({ audio })).getAudioTracks() : [];
      const seen = video ? (await give({ video })).getVideoTracks() : [];
      return {
        getAudioTracks: () => heard,
        getVideoTracks: () => seen,
        getTracks: () => [...heard, ...seen],
      };
    };
    return devices;
  };
  const whole = browser([front, mic]);
  const opened = await pair(whole);
  assert.deepEqual(whole.questions, ['audio and video']);
  assert.deepEqual(
    opened.map(({ value }) => value.label),
    ['Front camera', 'Mic'],
  );
  const silent = browser([front]);
  const [seen, heard] = await pair(silent);
  assert.equal(seen.value.label, 'Front camera');
  assert.equal(heard.reason.name, 'microphone_missing');
  const denied = browser([front, mic]);
  denied.refusal = 'NotAllowedError';
  assert.deepEqual(
    (await pair(denied)).map(({ reason }) => reason.name),
    ['camera_denied', 'microphone_denied'],
  );
  assert.equal(denied.questions.length, 1, 'who has said no is not asked again');
});

test('L22-W a camera that a call takes away is away meanwhile, and is opened anew when it comes back without a picture', async () => {
  const devices = new FakeMediaDevices([front, back]);
  const page = Object.assign(new EventTarget(), { hidden: false });
  const looked = [];
  const preferences = new PreferencesModel(new FakeStorage(), null);
  const camera = new CameraModel(preferences, devices, {
    page,
    framesCome: track => new Promise(resolve => looked.push({ track, resolve })),
  });
  const old = await camera.open('live');
  const away = () => camera.state.get().away;
  old.onmute();
  assert.equal(away(), true);
  // It shows something again: it is kept.
  old.onunmute();
  await settle();
  looked[0].resolve(true);
  await settle();
  assert.deepEqual([away(), camera.track.get(), devices.asked.length], [false, old, 1]);
  // The page comes back from the background, and the track is as black as before.
  old.onmute();
  page.dispatchEvent(new Event('visibilitychange'));
  await settle();
  devices.refusal = 'NotReadableError';
  looked[1].resolve(false);
  await settle();
  assert.deepEqual([away(), camera.track.get()], [true, old], 'a call still has it');
  devices.refusal = null;
  old.onunmute();
  await settle();
  looked[2].resolve(false);
  await settle();
  assert.equal(away(), false);
  assert.notEqual(camera.track.get(), old);
  assert.equal(old.readyState, 'ended');
  // Let go meanwhile: what was asked for is let go too.
  const now = camera.track.get();
  now.onmute();
  now.onunmute();
  await settle();
  camera.close('live');
  looked[3].resolve(false);
  await settle();
  assert.equal(camera.track.get(), null);
  assert.ok(devices.tracks.every(track => track.readyState === 'ended'));
});

test('L14-W another camera is chosen while one is open, by name or by going on to the next, and remembered', async () => {
  const { devices, camera } = cameraOf();
  await camera.open('live');
  await camera.choose('back');
  assert.deepEqual(devices.asked.at(-1).video.deviceId, { exact: 'back' });
  assert.equal(camera.state.get().facesMe, false, 'and is not mirrored');
  await camera.flip();
  assert.deepEqual(devices.asked.at(-1).video.deviceId, { exact: 'front' });
  assert.equal(camera.state.get().chosen, 'front');
  assert.equal(camera.state.get().facesMe, true);
});
