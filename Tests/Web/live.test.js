import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CameraModel } from '../../Web/models/camera.js';
import { PreferencesModel } from '../../Web/models/preferences.js';
import { addressField } from '../../Web/pages/live/programs.js';
import { FakeMediaDevices, FakeStorage } from './support/media.js';
import { emptySeat, salonServer, usedSeat } from './support/rooms.js';
import { salonTab } from './support/salon.js';
import { Refusal } from './support/server.js';
import { settle } from './support/time.js';

class FakePage extends EventTarget {
  hidden = false;

  turn(hidden) {
    this.hidden = hidden;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

/** Bob in Alice's live room of three seats; on the second one if asked. */
async function live(
  t,
  {
    sits = false,
    role = 'member',
    seat = {},
    screen = undefined,
    still = undefined,
    memory = new FakeStorage(),
  } = {},
) {
  const page = new FakePage();
  Object.assign(globalThis, { document: page });
  t.after(() => {
    globalThis.document = undefined;
  });
  const server = salonServer({
    seats: [
      usedSeat(0, 'alice'),
      sits ? usedSeat(1, 'bob', { camera: 'off', ...seat }) : emptySeat(1),
      emptySeat(2),
    ],
  });
  server.snapshot.info = { ...server.snapshot.info, kind: 'live', seats: 3, still };
  if (screen) server.snapshot.screen = screen;
  if (sits) server.snapshot.me = { ...server.snapshot.me, seat: 1 };
  server.snapshot.me = { ...server.snapshot.me, role };
  for (const method of ['media.view', 'camera.set', 'screen.start', 'screen.stop'])
    server.on(method, () => ({}));
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
  Object.assign(globalThis, { sessionStorage: memory });
  t.after(() => Reflect.deleteProperty(globalThis, 'sessionStorage'));
  Object.assign(globalThis, { navigator: { ...globalThis.navigator, mediaDevices: devices } });
  t.after(() => Object.assign(globalThis, { navigator: undefined }));
  const camera = new CameraModel(new PreferencesModel(new FakeStorage(), null), devices);
  const tab = await salonTab(t, { server, camera });
  await settle();
  const sizes = () => {
    const last = {};
    for (const { seat, screen, size } of server.of('media.view')) last[screen ? 'screen' : seat] = size;
    return last;
  };
  return { ...tab, server, camera, devices, page, model: tab.salon.live, sizes };
}

test('L08-W a tile says that its person has a poor line, and no longer once the room does not say so', async t => {
  const { server, salon } = await live(t, { sits: true });
  const poor = () => salon.state.get().seats.map(({ poorLine }) => poorLine);
  const tell = async users => {
    server.news(48213, [{ type: 'network', users }]);
    await settle();
    return poor();
  };
  assert.deepEqual(poor(), [false, false, false]);
  const way = quality => ({ quality, lossPercent: 4 });
  assert.deepEqual(await tell({ alice: way(3), carol: way(6) }), [true, false, false]);
  assert.deepEqual(await tell({ alice: way(2), bob: way(5) }), [false, true, false]);
  assert.deepEqual(await tell({}), [false, false, false]);
});

test("L02-W who comes has the room's still until its picture is there", async t => {
  const { model } = await live(t, { still: 77 });
  assert.equal(model.before, '/v1/rooms/48213/still/77.jpg');
});

test('L02-W pictures are asked for as large as their places are, and not at all without one, or in a hidden tab', async t => {
  const { model, sizes, page, time } = await live(t);
  const places = new Map([
    [0, 'high'],
    [1, 'middle'],
    ['screen', 'high'],
  ]);
  model.place(places);
  await settle();
  assert.deepEqual(sizes(), { 0: 'high', 1: 'middle', 2: 'off', screen: 'high' });
  model.choose('middle');
  await settle();
  assert.deepEqual(sizes(), { 0: 'middle', 1: 'middle', 2: 'off', screen: 'middle' });
  model.choose('off');
  await settle();
  assert.deepEqual(sizes(), { 0: 'off', 1: 'off', 2: 'off', screen: 'off' });
  model.choose('auto');
  page.turn(true);
  await time.advance(2000);
  assert.equal(sizes()[0], 'high', 'a short look elsewhere changes nothing');
  await time.advance(2000);
  assert.deepEqual(sizes(), { 0: 'off', 1: 'off', 2: 'off', screen: 'off' });
  page.turn(false);
  await settle();
  assert.deepEqual(sizes(), { 0: 'high', 1: 'middle', 2: 'off', screen: 'high' });
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

/** What the room says of Bob's camera. */
const camera = (seq, state, by = 'bob') => ({
  seq,
  type: 'camera.changed',
  user: 'bob',
  camera: state,
  seat: 1,
  by,
  time: 1,
});

test('L07-W the room is told of my camera once I sit, again after a failure, and when I switch it off', async t => {
  const { model, server, time } = await live(t);
  await model.setCamera(true);
  assert.deepEqual(server.of('camera.set'), [], 'without a seat there is nothing to say');
  server.on('camera.set', () => {
    throw new Refusal('unavailable', 20503);
  });
  const bob = { id: 'bob', name: 'Bob', avatar: '' };
  const seat = usedSeat(1, 'bob', { camera: 'off' });
  server.news(48213, [{ seq: 2, type: 'seat.taken', seat, user: bob, by: 'bob', time: 1 }]);
  await settle();
  const words = () => server.of('camera.set').map(({ on }) => on);
  assert.equal(words()[0], true);
  server.on('camera.set', () => ({}));
  const failed = words().length;
  await time.advance(2500);
  await settle();
  assert.equal(words().length, failed + 1);
  server.news(48213, [camera(3, 'on')]);
  await settle();
  await model.setCamera(false);
  await settle();
  assert.equal(words().at(-1), false);
});

test('L07-W a host who switches my camera off lets the device go, and it cannot be switched on until it is allowed', async t => {
  const { model, server, devices } = await live(t, { sits: true });
  await model.setCamera(true);
  server.news(48213, [camera(2, 'on')]);
  await settle();
  server.news(48213, [camera(3, 'blocked', 'alice')]);
  await settle();
  assert.equal(model.state.get().showing, false);
  assert.ok(devices.tracks.every(track => track.readyState === 'ended'));
  await assert.rejects(model.setCamera(true), { name: 'camera_blocked' });
  server.news(48213, [camera(4, 'off', 'alice')]);
  await settle();
  await model.setCamera(true);
  assert.equal(model.state.get().showing, true);
});

test('L07-W a tab that was loaded anew says that its camera is off, and leaves alone what another program films', async t => {
  const other = await live(t, { sits: true, seat: { camera: 'on' } });
  assert.deepEqual(other.server.of('camera.set'), []);
  const memory = new FakeStorage();
  memory.setItem('ovation.camera.48213', '1');
  const again = await live(t, { sits: true, seat: { camera: 'on' }, memory });
  assert.deepEqual(
    again.server.of('camera.set').map(({ on }) => on),
    [false],
  );
});

test('L21-W L22-W a camera that a call has taken is off for the room, and on again when it is back', async t => {
  const { model, server, camera: device } = await live(t, { sits: true });
  const words = () => server.of('camera.set').map(({ on }) => on);
  await model.setCamera(true);
  await settle();
  server.news(48213, [camera(2, 'on')]);
  await settle();
  const track = device.track.get();
  track.onmute();
  await settle();
  assert.deepEqual(words(), [true, false]);
  assert.equal(model.state.get().tracks[1], null, 'and I do not see a frozen picture of myself');
  assert.equal(model.state.get().showing, true, 'it is still wanted');
  server.news(48213, [camera(3, 'off')]);
  await settle();
  device.state.set({ ...device.state.get(), away: false });
  await settle();
  assert.deepEqual(words(), [true, false, true]);
  assert.equal(model.state.get().tracks[1], track);
});

/** What the room says of the screen. */
const shares = (seq, user, by = user) => ({
  seq,
  type: 'screen.changed',
  ...(user && { user }),
  by,
  time: 1,
});

test('L16-W my screen is shared when I choose one, and ends with the button, with the host and with the seat', async t => {
  const { model, server, devices } = await live(t, { sits: true });
  const { screen } = model;
  devices.refusal = 'NotAllowedError';
  // Somebody looks at the question for a while, and closes it.
  const clock = performance.now.bind(performance);
  t.after(() => Reflect.deleteProperty(performance, 'now'));
  const give = devices.getDisplayMedia.bind(devices);
  devices.getDisplayMedia = () => {
    performance.now = () => clock() + 2_000;
    return give();
  };
  await screen.share();
  assert.deepEqual(server.of('screen.start'), [], 'a closed question says nothing');
  devices.getDisplayMedia = give;
  // The system refuses at once, without a question, and without a word of its own in Firefox and Safari.
  await assert.rejects(screen.share(), { name: 'screen_denied' });
  assert.equal(screen.state.get().asking, false);
  devices.refusal = null;
  const begin = async seq => {
    await screen.share();
    server.news(48213, [shares(seq, 'bob')]);
    await settle();
    assert.equal(screen.state.get().track?.readyState, 'live');
  };
  await begin(2);
  assert.equal(model.state.get().tracks[3], screen.state.get().track, 'the last of the pictures');
  devices.tracks.at(-1).stop();
  devices.tracks.at(-1).onended();
  await settle();
  assert.equal(screen.state.get().track, null, "the browser's own button");
  assert.equal(server.of('screen.stop').length, 1);
  server.news(48213, [shares(3, null, 'bob')]);
  await settle();
  await begin(4);
  server.news(48213, [shares(5, null, 'alice')]);
  await settle();
  assert.equal(screen.state.get().track, null, 'the host');
  assert.equal(devices.tracks.at(-1).readyState, 'ended');
  await begin(6);
  screen.stop();
  await settle();
  assert.equal(server.of('screen.stop').length, 2);
  server.news(48213, [shares(7, null, 'bob'), shares(8, 'alice')]);
  await settle();
  await assert.rejects(screen.share(), { name: 'screen_taken' });
});

test('L16-W a screen that was shared before the page was loaded anew is said to have ended', async t => {
  const { server } = await live(t, { sits: true, screen: 'bob' });
  assert.equal(server.of('screen.stop').length, 1);
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

test('L02-W a picture counts as being on its way for eight seconds after a path opens, and after somebody sits down', async t => {
  const { model, server, connections, time } = await live(t);
  const awaited = () => [...model.state.get().awaited].map(([seat, phase]) => `${seat} ${phase}`);
  connections.at(-1).become('connected');
  assert.deepEqual(awaited(), ['0 connecting']);
  await time.advance(2000);
  assert.deepEqual(awaited(), ['0 soundFirst']);
  await time.advance(6000);
  assert.deepEqual(awaited(), []);
  connections.at(-1).become('disconnected');
  connections.at(-1).become('connected');
  assert.deepEqual(awaited(), ['0 connecting']);
  await time.advance(2000);
  await time.advance(6000);
  assert.deepEqual(awaited(), []);
  const carol = { id: 'carol', name: 'Carol', avatar: '' };
  server.news(48213, [
    { seq: 2, type: 'seat.taken', seat: usedSeat(2, 'carol'), user: carol, by: 'carol', time: 1 },
  ]);
  await settle();
  assert.deepEqual(awaited(), ['2 connecting']);
  await time.advance(2000);
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

test('L03-W a co-host sees who asks, with their words, as long as the request waits; nobody else asks for it', async t => {
  const request = id => ({
    id,
    from: 'carol',
    to: 'alice',
    command: 'ENTER_SEAT',
    content: '',
    words: 'I sing alto',
    hasStill: true,
    state: 'waiting',
    createdAt: 0,
  });
  for (const role of ['admin', 'member']) {
    const { server, salon } = await live(t, { role });
    server.on('invitation.still', ({ id }) => (id === 'lost' ? {} : { picture: 'AAAA' }));
    const shown = () => salon.state.get().requests.map(({ words, still }) => [words, still]);
    server.news(48213, [
      { type: 'invitation.received', invitation: request('hand') },
      { type: 'invitation.received', invitation: request('lost') },
    ]);
    await settle();
    const asked = server.of('invitation.still').map(({ id }) => id);
    if (role === 'member') {
      assert.deepEqual([asked, shown()], [[], []]);
      continue;
    }
    assert.deepEqual(asked, ['hand', 'lost'], 'once each');
    assert.deepEqual(shown(), [
      ['I sing alto', 'data:image/jpeg;base64,AAAA'],
      ['I sing alto', null],
    ]);
    server.news(48213, [
      { type: 'invitation.cancelled', invitation: { ...request('hand'), state: 'cancelled' } },
    ]);
    await settle();
    assert.deepEqual(shown(), [['I sing alto', null]]);
  }
});

test('L03-W how the host arranges the stage is told to every page', async t => {
  const { server, salon } = await live(t, { role: 'admin' });
  server.on('stage.arrange', () => ({ seq: 1 }));
  assert.deepEqual(salon.state.get().stage, { form: 'grid', large: null });
  await salon.command('stage.arrange', { form: 'spotlight', large: 'alice' });
  await salon.command('stage.arrange', { form: 'grid' });
  assert.deepEqual(
    server.of('stage.arrange').map(({ form, large }) => [form, large]),
    [
      ['spotlight', 'alice'],
      ['grid', undefined],
    ],
  );
  server.news(48213, [
    {
      type: 'stage.arranged',
      seq: server.snapshot.seq + 1,
      time: 0,
      stage: { form: 'spotlight', large: 'alice' },
    },
  ]);
  await settle();
  assert.deepEqual(salon.state.get().stage, { form: 'spotlight', large: 'alice' });
});

test('L17-W an address for programs is read out once, with its label and with what it is for', () => {
  const attributes = ({ strings, values }) =>
    Object.fromEntries(values.map((value, i) => [strings[i].match(/[^\s]+(?==$)/)?.[0], value]));
  const { label, shown } = addressField('whip', 'https://live.example/v1/whip/48213');
  const field = attributes(shown);
  assert.equal(attributes(label).for, field.id);
  assert.equal(field['aria-describedby'], 'programs-whip-about');
  assert.equal(field.title, undefined);
});
