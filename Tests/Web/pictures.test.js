import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OvationPeer } from '../../Web/protocol/peer.js';
import { OvationRoom } from '../../Web/protocol/room.js';
import { FakePeerConnection, FakeTrack } from './support/media.js';
import { openSession, salonServer } from './support/rooms.js';
import { settle, VirtualTime } from './support/time.js';

/** A live room of four seats: line 0 is the microphone, 1 to 4 hear the seats, 5 to 8 see them, 9 sees the screen. */
async function open(t, { answer = () => {}, pictureFormat } = {}) {
  const time = VirtualTime.install(t);
  const server = salonServer().on('media.offer', async ({ number, lines }) => {
    await answer(number);
    return {
      number,
      sdp: 'answer',
      mediaEpoch: 1,
      iceServers: [],
      slots: [],
      pictures: Object.entries(lines)
        .filter(([, name]) => name.startsWith('picture:'))
        .map(([mid, name]) =>
          name === 'picture:4' ? { screen: true, mid } : { seat: Number(name.slice(8)), mid },
        ),
    };
  });
  server.on('media.view', () => ({}));
  server.snapshot.info = { ...server.snapshot.info, kind: 'live', seats: 4, pictureFormat };
  const session = await openSession(server);
  const room = new OvationRoom(session, 48213);
  const entered = room.enter();
  await settle();
  await entered;
  const made = [];
  const peer = new OvationPeer(room, {
    createPeerConnection: configuration => {
      made.push(new FakePeerConnection(configuration));
      return made.at(-1);
    },
  });
  return { time, server, room, peer, made };
}

test('L02-W a live room has a line for each picture and the screen, and tracks follow their names', async t => {
  const { server, peer, made } = await open(t);
  peer.start();
  await settle();
  const lines = made[0].transceivers;
  assert.deepEqual(
    lines.slice(5).map(line => [line.kind, line.direction]),
    Array.from({ length: 5 }, () => ['video', 'recvonly']),
  );
  assert.deepEqual(server.of('media.offer')[0].lines, {
    5: 'picture:0',
    6: 'picture:1',
    7: 'picture:2',
    8: 'picture:3',
    9: 'picture:4',
  });
  assert.deepEqual(
    peer.pictures.get(),
    lines.slice(5).map(line => line.receiver.track),
  );
});

test('L11-W a camera gets a line of its own in three layers, and is taken away and put back without an offer', async t => {
  const { server, peer, made } = await open(t);
  peer.start();
  await settle();
  const camera = new FakeTrack('camera');
  await peer.setCamera(camera);
  await settle();
  assert.equal(server.of('media.offer').length, 2);
  assert.equal(server.of('media.offer')[1].lines[10], 'camera');
  assert.deepEqual(
    made[0].transceivers[10].sendEncodings.map(({ rid, scaleResolutionDownBy }) => [
      rid,
      scaleResolutionDownBy,
    ]),
    [
      ['q', 4],
      ['h', 2],
      ['f', 1],
    ],
  );
  await peer.setCamera(null);
  await peer.setCamera(camera);
  await settle();
  assert.equal(server.of('media.offer').length, 2);
  assert.equal(made[0].transceivers[10].sender.track, camera);
});

test('a camera that is put on while an offer is under way is offered after it', async t => {
  let go = () => {};
  const { server, peer, made } = await open(t, {
    answer: number =>
      number === 1
        ? new Promise(resolve => {
            go = resolve;
          })
        : undefined,
  });
  peer.start();
  await settle();
  await peer.setCamera(new FakeTrack('camera'));
  await settle();
  assert.equal(server.of('media.offer').length, 1);
  go();
  await settle();
  assert.equal(server.of('media.offer').length, 2);
  assert.equal(server.of('media.offer')[1].lines[10], 'camera');
  // A connection that begins anew has it from the start.
  peer.restart();
  await settle();
  assert.equal(made.length, 2);
  assert.equal(server.of('media.offer')[2].lines[10], 'camera');
});

test('L08-W the size of a picture is told once there is a path, again after it was lost, and only when it changes', async t => {
  const { server, peer } = await open(t);
  peer.view(0, 'low');
  assert.equal(server.of('media.view').length, 0);
  peer.start();
  await settle();
  const told = () => server.of('media.view').map(({ seat, screen, size }) => [seat ?? screen, size]);
  assert.deepEqual(told(), [[0, 'low']]);
  peer.view(0, 'low');
  peer.view('screen', 'high');
  await settle();
  assert.deepEqual(told(), [
    [0, 'low'],
    [true, 'high'],
  ]);
  peer.restart();
  await settle();
  assert.equal(told().length, 4);
});

test('L11-W layers of my camera that nobody wants are not sent, on a line that is made later too', async t => {
  const { server, peer, made } = await open(t);
  const wanted = (camera, room = 48213) => {
    server.news(room, [{ type: 'media.wanted', camera }]);
    return settle();
  };
  peer.start();
  await settle();
  await wanted('middle');
  await peer.setCamera(new FakeTrack('camera'));
  await settle();
  const active = () => made.at(-1).transceivers[10].sendEncodings.map(layer => layer.active ?? true);
  assert.deepEqual(active(), [true, true, false]);
  await wanted('off');
  assert.deepEqual(active(), [true, false, false], 'the lowest goes on');
  await wanted('some size of later');
  assert.deepEqual(active(), [true, false, false]);
  await wanted('high');
  assert.deepEqual(active(), [true, true, true]);
  // Another connection is another source: the server tells it anew.
  await wanted('low');
  peer.restart();
  await settle();
  assert.deepEqual(active(), [true, true, true]);
});

test('L02-W my camera has a line of VP8 beside the format of the room, on which nothing is sent until somebody needs it', async t => {
  const { server, peer, made } = await open(t, { pictureFormat: 'h264' });
  const wanted = (camera, spare) => {
    server.news(48213, [{ type: 'media.wanted', camera, spare }]);
    return settle();
  };
  peer.start();
  await settle();
  const camera = new FakeTrack('camera');
  await peer.setCamera(camera);
  await settle();
  assert.deepEqual(
    [10, 11].map(mid => server.of('media.offer')[1].lines[mid]),
    ['camera', 'spare'],
  );
  const spare = () => made.at(-1).transceivers[11].sendEncodings;
  assert.deepEqual(spare(), [{ maxBitrate: 500_000, scaleResolutionDownBy: 2, active: false }]);
  await wanted('low', true);
  assert.equal(spare()[0].active, true);
  await wanted('high');
  assert.equal(spare()[0].active, false);
  // It follows what the camera may take, and the camera itself.
  await peer.setCameraRates([150_000]);
  assert.deepEqual(spare(), [{ maxBitrate: 150_000, scaleResolutionDownBy: 1, active: false }]);
  await peer.setCamera(null);
  assert.equal(made[0].transceivers[11].sender.track, null);
  await peer.setCamera(camera);
  assert.equal(made[0].transceivers[11].sender.track, camera);
});

test('L11-W what comes of pictures, and why it is less, is known until the path ends', async t => {
  const { server, peer } = await open(t);
  peer.start();
  await settle();
  const pictures = [
    { seat: 0, size: 'low', lack: 'line' },
    { screen: true, size: 'off', lack: 'sender' },
  ];
  server.news(48213, [{ type: 'media.pictures', pictures }]);
  await settle();
  assert.deepEqual(peer.received.get(), pictures);
  peer.restart();
  await settle();
  assert.deepEqual(peer.received.get(), []);
});

test('L11-W after a lost connection all layers are sent: a wish for more may have been lost with it', async t => {
  const { time, server, peer, made } = await open(t);
  peer.start();
  await settle();
  made[0].become('connected');
  await peer.setCamera(new FakeTrack('camera'));
  await settle();
  server.news(48213, [{ type: 'media.wanted', camera: 'low' }]);
  await settle();
  const active = () => made[0].transceivers[10].sendEncodings.map(layer => layer.active ?? true);
  assert.deepEqual(active(), [true, false, false]);
  const gap = { resumed: true, epoch: 1, seq: 1, chat: 0, events: [], mediaEpoch: 1 };
  const state = { memberCount: 2, presence: [], invitations: [], likes: 0 };
  server.on('room.enter', () => ({ ...gap, state })).drop();
  for (let step = 0; step < 3 && active()[2] === false; step++) await time.advance(600);
  assert.deepEqual(active(), [true, true, true]);
});

test('L09-W what layers may take is said before the camera is shown, while it is, and on the next connection', async t => {
  const { peer, made } = await open(t);
  await peer.setCameraRates([1_000, 2_000, 3_000]);
  peer.start();
  await settle();
  made[0].become('connected');
  await peer.setCamera(new FakeTrack('camera'));
  await settle();
  const rates = () => made.at(-1)?.transceivers[10].sendEncodings.map(layer => layer.maxBitrate);
  assert.deepEqual(rates(), [1_000, 2_000, 3_000]);
  await peer.setCameraRates([4_000, 5_000, 6_000]);
  assert.deepEqual(rates(), [4_000, 5_000, 6_000]);
  peer.restart();
  await settle();
  assert.equal(made.length, 2);
  assert.deepEqual(rates(), [4_000, 5_000, 6_000]);
});
