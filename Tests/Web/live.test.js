import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CameraModel } from '../../Web/models/camera.js';
import { PreferencesModel } from '../../Web/models/preferences.js';
import { FakeMediaDevices, FakeStorage } from './support/media.js';
import { emptySeat, salonServer, usedSeat } from './support/rooms.js';
import { salonTab } from './support/salon.js';
import { settle } from './support/time.js';

class FakePage extends EventTarget {
  hidden = false;

  turn(hidden) {
    this.hidden = hidden;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

/** Bob in Alice's live room of three seats; on the second one if asked. */
async function live(t, { sits = false } = {}) {
  const page = new FakePage();
  Object.assign(globalThis, { document: page });
  t.after(() => {
    globalThis.document = undefined;
  });
  const server = salonServer({
    seats: [usedSeat(0, 'alice'), sits ? usedSeat(1, 'bob') : emptySeat(1), emptySeat(2)],
  });
  server.snapshot.info = { ...server.snapshot.info, kind: 'live', seats: 3 };
  if (sits) server.snapshot.me = { ...server.snapshot.me, seat: 1 };
  server.on('media.view', () => ({}));
  server.on('media.offer', ({ number, lines }) => ({
    number,
    sdp: 'answer',
    mediaEpoch: 1,
    iceServers: [],
    slots: [],
    pictures: Object.entries(lines)
      .filter(([, name]) => name.startsWith('picture:'))
      .map(([mid, name]) => ({ seat: Number(name.slice(8)), mid })),
  }));
  const devices = new FakeMediaDevices([
    { kind: 'videoinput', deviceId: 'front', label: 'Front' },
    { kind: 'audioinput', deviceId: 'built-in', label: 'Built-in' },
  ]);
  const camera = new CameraModel(new PreferencesModel(new FakeStorage(), null), devices);
  const tab = await salonTab(t, { server, camera });
  await settle();
  const sizes = () => {
    const last = {};
    for (const { seat, size } of server.of('media.view')) last[seat] = size;
    return last;
  };
  return { ...tab, server, camera, devices, page, model: tab.salon.live, sizes };
}

test('L02-W pictures are asked for as large as their places are, and not at all without one, or in a hidden tab', async t => {
  const { model, sizes, page, time } = await live(t);
  const places = new Map([
    [0, 'high'],
    [1, 'middle'],
  ]);
  model.place(places);
  await settle();
  assert.deepEqual(sizes(), { 0: 'high', 1: 'middle', 2: 'off' });
  model.choose('middle');
  await settle();
  assert.deepEqual(sizes(), { 0: 'middle', 1: 'middle', 2: 'off' });
  model.choose('off');
  await settle();
  assert.deepEqual(sizes(), { 0: 'off', 1: 'off', 2: 'off' });
  model.choose('auto');
  page.turn(true);
  await time.advance(2000);
  assert.equal(sizes()[0], 'high', 'a short look elsewhere changes nothing');
  await time.advance(2000);
  assert.deepEqual(sizes(), { 0: 'off', 1: 'off', 2: 'off' });
  page.turn(false);
  await settle();
  assert.deepEqual(sizes(), { 0: 'high', 1: 'middle', 2: 'off' });
});

test('L01-W L07-W my camera is seen while I sit and want it, and let go with the seat and with the room', async t => {
  const { model, server, camera, devices, salon } = await live(t, { sits: true });
  await model.setCamera(true);
  assert.equal(model.state.get().showing, true);
  assert.equal(model.state.get().tracks[1], camera.track.get(), 'I see myself without a way over the server');
  await model.setCamera(false);
  assert.equal(camera.track.get(), null);
  await model.setCamera(true);
  const left = { seq: 2, type: 'seat.left', seat: emptySeat(1), reason: 'kicked', by: 'alice', time: 1 };
  server.news(48213, [{ ...left, user: { id: 'bob', name: 'Bob', avatar: '' } }]);
  await settle();
  assert.equal(model.state.get().showing, false);
  assert.ok(devices.tracks.every(track => track.readyState === 'ended'));
  await model.setCamera(true);
  await salon.leave();
  assert.equal(camera.track.get(), null);
});

test('L14-W a camera that is switched off while the browser asks stays off', async t => {
  const { model, camera, devices } = await live(t, { sits: true });
  const on = model.setCamera(true);
  void model.setCamera(false);
  await assert.rejects(on, { name: 'aborted' });
  await settle();
  assert.equal(model.state.get().showing, false);
  assert.equal(camera.track.get(), null);
  devices.refusal = 'NotReadableError';
  await assert.rejects(model.setCamera(true), { name: 'camera_busy' });
  assert.equal(model.state.get().problem, 'camera_busy');
});

test('L02-W a picture counts as being on its way for five seconds after a path opens, and after somebody sits down', async t => {
  const { model, server, connections, time } = await live(t);
  const awaited = () => [...model.state.get().awaited].sort();
  connections.at(-1).become('connected');
  assert.deepEqual(awaited(), [0]);
  await time.advance(6000);
  assert.deepEqual(awaited(), []);
  connections.at(-1).become('disconnected');
  connections.at(-1).become('connected');
  assert.deepEqual(awaited(), [0]);
  await time.advance(6000);
  assert.deepEqual(awaited(), []);
  const carol = { id: 'carol', name: 'Carol', avatar: '' };
  server.news(48213, [
    { seq: 2, type: 'seat.taken', seat: usedSeat(2, 'carol'), user: carol, by: 'carol', time: 1 },
  ]);
  await settle();
  assert.deepEqual(awaited(), [2]);
  await time.advance(6000);
  assert.deepEqual(awaited(), []);
});

test('L01-W closing the tab asks while one is seen, muted or not', async t => {
  const { model, salon } = await live(t, { sits: true });
  await salon.seats.setMuted(true).catch(() => {});
  await settle();
  assert.equal(salon.asksBeforeLeaving, false);
  await model.setCamera(true);
  assert.equal(salon.asksBeforeLeaving, true);
  await model.setCamera(false);
  assert.equal(salon.asksBeforeLeaving, false);
});

test('L14-W a camera that somebody else holds is not shown by a wish that was taken back', async t => {
  const { model, camera } = await live(t, { sits: true });
  await camera.open('prepare');
  const on = model.setCamera(true);
  void model.setCamera(false);
  await assert.rejects(on, { name: 'aborted' });
  assert.equal(model.state.get().showing, false);
  camera.close('prepare');
});
