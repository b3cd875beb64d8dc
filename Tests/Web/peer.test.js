import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OvationPeer } from '../../Web/protocol/peer.js';
import { OvationRoom } from '../../Web/protocol/room.js';
import { FakePeerConnection, FakeTrack } from './support/media.js';
import { openSession, salonServer, snapshot } from './support/rooms.js';
import { Refusal, silence } from './support/server.js';
import { settle, VirtualTime } from './support/time.js';

async function open(t, { server = salonServer(), prepare = () => {} } = {}) {
  const time = VirtualTime.install(t);
  const session = await openSession(server);
  const room = new OvationRoom(session, 48213);
  const entered = room.enter();
  await settle();
  await entered;
  const made = [];
  const peer = new OvationPeer(room, {
    createPeerConnection: configuration => {
      const pc = new FakePeerConnection(configuration);
      prepare(pc, made.length);
      made.push(pc);
      return pc;
    },
  });
  peer.start();
  await settle();
  return { time, server, session, room, peer, made };
}

test('the first line sends the microphone, then one receives for each seat, in seat order', async t => {
  const { server, peer, made } = await open(t);
  assert.deepEqual(
    made[0].transceivers.map(line => line.direction),
    ['sendonly', 'recvonly', 'recvonly', 'recvonly', 'recvonly'],
  );
  assert.equal(made[0].configuration.bundlePolicy, 'max-bundle');
  const [offer] = server.of('media.offer');
  assert.equal(offer.number, 1);
  assert.match(offer.sdp, /a=rtcp-fb:111 nack/);
  for (const [seat, track] of peer.tracks.get().entries()) {
    assert.equal(track, made[0].transceivers[seat + 1].receiver.track, `seat ${seat}`);
  }
});

test('relays that the server tells at sign-in are there from the first path on', async t => {
  const relay = { urls: ['turn:relay.example'], username: '1:me', credential: 'c' };
  const server = salonServer();
  const sign = server.methods['session.open'];
  server.on('session.open', params => ({ ...sign(params), iceServers: [relay] }));
  const { made } = await open(t, { server });
  assert.deepEqual(made[0].configuration.iceServers, [relay]);
  assert.equal('iceServers' in (await open(t)).made[0].configuration, false);
});

test("tracks follow the answer's mids, not the order of lines", async t => {
  const server = salonServer().on('media.offer', ({ number }) => ({
    number,
    sdp: 'answer',
    mediaEpoch: 1,
    iceServers: [],
    slots: [
      { seat: 3, mid: '1' },
      { seat: 0, mid: '4' },
      { seat: 1, mid: 'gone' },
    ],
  }));
  const { peer, made } = await open(t, { server });
  const lines = made[0].transceivers;
  assert.deepEqual(peer.tracks.get(), [lines[4].receiver.track, null, null, lines[1].receiver.track]);
});

test('sixteen lines are the most, whatever the room has', async t => {
  const server = salonServer();
  server.snapshot.info = { ...server.snapshot.info, seats: 40 };
  const { made } = await open(t, { server });
  assert.equal(made[0].transceivers.length, 17);
});

test('V11-W the microphone is put on and taken off without a new offer', async t => {
  const { server, peer, made } = await open(t);
  const track = new FakeTrack('mic');
  await peer.setMicrophone(track);
  assert.equal(made[0].transceivers[0].sender.track, track);
  await peer.setMicrophone(null);
  assert.equal(made[0].transceivers[0].sender.track, null);
  assert.equal(server.of('media.offer').length, 1);
});

test('a browser that refuses the edited offer gets its own', async t => {
  const { server, peer, made } = await open(t, { prepare: pc => Object.assign(pc, { refusesEdits: true }) });
  assert.equal(server.of('media.offer')[0].sdp.includes('nack'), false);
  made[0].become('connected');
  assert.equal(peer.state.get(), 'connected');
});

test('a server that refuses the edited offer gets a plain one', async t => {
  let offers = 0;
  const server = salonServer();
  const accept = server.methods['media.offer'];
  server.on('media.offer', params => {
    if (++offers === 1) throw new Refusal('media_refused', 20441, { reason: 'bad' });
    return accept(params);
  });
  const { time, peer } = await open(t, { server });
  assert.equal(peer.error.get().name, 'media_refused');
  assert.equal(peer.state.get(), 'failed');
  await time.advance(600);
  assert.deepEqual(
    server.of('media.offer').map(offer => offer.sdp.includes('nack')),
    [true, false],
  );
  assert.equal(peer.error.get(), null);
});

test('a server that is too busy is asked again after the time that it says, with the same offer', async t => {
  let offers = 0;
  const server = salonServer();
  const accept = server.methods['media.offer'];
  server.on('media.offer', params => {
    if (++offers === 1)
      throw new Refusal('media_refused', 20441, { reason: 'overloaded', retryAfterMs: 5000 });
    return accept(params);
  });
  const { time, peer } = await open(t, { server });
  await time.advance(4900);
  assert.equal(server.of('media.offer').length, 1);
  await time.advance(200);
  assert.deepEqual(
    server.of('media.offer').map(offer => offer.sdp.includes('nack')),
    [true, true],
  );
  assert.equal(peer.error.get(), null);
});

test('a lost path is restarted on the same connection, and begun anew when that does not help', async t => {
  const { time, server, peer, made } = await open(t);
  const track = new FakeTrack('mic');
  await peer.setMicrophone(track);
  made[0].become('connected');
  made[0].become('disconnected');
  await time.advance(2900);
  assert.equal(made[0].restarts, 0, 'ICE may find back by itself');
  await time.advance(200);
  assert.equal(made[0].restarts, 1);
  assert.equal(made.length, 1);
  assert.deepEqual(
    server.of('media.offer').map(offer => offer.number),
    [1, 2],
  );
  await time.advance(10_000);
  assert.ok(made.length >= 2, 'then a fresh connection');
  assert.equal(made[0].connectionState, 'closed');
  assert.equal(made.at(-1).transceivers[0].sender.track, track, 'the microphone comes along');
  made.at(-1).become('connected');
  assert.equal(peer.state.get(), 'connected');
  const offers = server.of('media.offer').map(offer => offer.number);
  assert.deepEqual(
    offers,
    offers.map((_, index) => index + 1),
    'numbers grow by one',
  );
});

test('a path that comes back by itself is left alone', async t => {
  const { time, peer, made } = await open(t);
  made[0].become('connected');
  made[0].become('disconnected');
  await time.advance(1000);
  made[0].become('connected');
  await time.advance(20_000);
  assert.equal(made.length, 1);
  assert.equal(made[0].restarts, 0);
  assert.equal(peer.state.get(), 'connected');
});

test('another media epoch after a resume means a fresh connection at once, the same one keeps it', async t => {
  const { time, server, peer, made } = await open(t);
  made[0].become('connected');
  const resume = mediaEpoch => () => ({
    resumed: true,
    epoch: 1,
    seq: 1,
    chat: 0,
    events: [],
    mediaEpoch,
    state: { memberCount: 2, presence: [], invitations: [], likes: 0 },
  });
  server.on('room.enter', resume(1)).drop();
  await time.advance(600);
  assert.equal(made.length, 1);
  server.snapshot.mediaEpoch = 2;
  server.on('room.enter', resume(2)).drop();
  await time.advance(1500);
  assert.equal(made.length, 2);
  assert.equal(made[0].connectionState, 'closed');
  made[1].become('connected');
  assert.equal(peer.state.get(), 'connected');
});

test('L02-W a path over which nothing comes when the connection to the room is back gets a restart, one that carries does not', async t => {
  const { time, server, peer, made } = await open(t);
  const [pc] = made;
  pc.become('connected');
  const path = bytesReceived => ({
    type: 'candidate-pair',
    nominated: true,
    state: 'succeeded',
    bytesReceived,
  });
  let bytes = 1000;
  pc.getStats = async () => {
    bytes += 500;
    return new Map([['pair', path(bytes)]]);
  };
  server
    .on('room.enter', () => ({
      resumed: true,
      epoch: 1,
      seq: 1,
      chat: 0,
      events: [],
      mediaEpoch: 1,
      state: { memberCount: 2, presence: [], invitations: [], likes: 0 },
    }))
    .drop();
  await time.advance(2500);
  assert.equal(pc.restarts, 0);
  pc.getStats = async () => new Map([['pair', path(bytes)]]);
  server.drop();
  await time.advance(2500);
  assert.equal(pc.restarts, 1);
  assert.equal(made.length, 1, 'keys and streams stay');
  assert.equal(peer.state.get(), 'connected');
});

test('a new state after a restart of the server also brings the sound back', async t => {
  const { time, server, made } = await open(t);
  made[0].become('connected');
  server.snapshot = snapshot({ epoch: 2, mediaEpoch: 7 });
  server.on('room.enter', () => ({ resumed: false, snapshot: server.snapshot })).drop();
  await time.advance(600);
  assert.equal(made.length, 2);
});

test('an answer that comes after a newer offer is dropped', async t => {
  const answers = [];
  const server = salonServer();
  const accept = server.methods['media.offer'];
  server.on('media.offer', params => new Promise(resolve => answers.push(() => resolve(accept(params)))));
  const { peer, made } = await open(t, { server });
  peer.restart();
  // The fake server answers one call after the other: the first answer lets the second offer be heard.
  answers[0]();
  await settle();
  assert.deepEqual(peer.tracks.get(), [], 'the first one is stale');
  answers[1]();
  await settle();
  assert.equal(peer.tracks.get()[0], made[1].transceivers[1].receiver.track);
});

test('without a path it goes on trying, further and further apart', async t => {
  const { time, server, peer } = await open(t);
  await time.advance(60_000);
  const tries = server.of('media.offer').length;
  assert.ok(tries >= 4 && tries <= 9, `${tries} offers in a minute`);
  assert.notEqual(peer.state.get(), 'connected');
});

test('while signalling is lost no offer is made, and the way back makes one', async t => {
  const { time, server, made } = await open(t);
  made[0].become('connected');
  server.down = true;
  server.drop();
  await settle();
  made[0].become('failed');
  await time.advance(20_000);
  assert.equal(server.of('media.offer').length, 1);
  assert.equal(made.length, 1, 'and nothing is built that nobody can answer');
  server.down = false;
  server.on('room.enter', () => ({
    resumed: true,
    epoch: 1,
    seq: 1,
    chat: 0,
    events: [],
    mediaEpoch: 1,
    state: { memberCount: 2, presence: [], invitations: [], likes: 0 },
  }));
  await time.advance(11_000);
  assert.ok(server.of('media.offer').length >= 2);
});

test('V02-W the end of the room closes the path', async t => {
  const { time, server, peer, made } = await open(t);
  server.news(48213, [{ seq: 2, type: 'room.destroyed', reason: 'owner', summary: {}, time: 2 }]);
  await settle();
  assert.equal(peer.state.get(), 'closed');
  assert.equal(made[0].connectionState, 'closed');
  await time.advance(30_000);
  assert.equal(made.length, 1);
});

test('V17-W closing tells the server; a browser without WebRTC is named, and is not tried again', async t => {
  const { time, server, peer, room } = await open(t);
  peer.close();
  await settle();
  assert.equal(server.of('media.close').length, 1);
  // As here, where nothing stands in for the browser's own.
  const none = new OvationPeer(room);
  let failures = 0;
  none.error.subscribe(() => failures++, { now: false });
  none.start();
  await time.advance(60_000);
  assert.deepEqual([none.error.get().name, none.state.get(), failures], ['webrtc_missing', 'failed', 1]);
  none.close();
});

test('quality is read while connected, as the difference of two readings', async t => {
  const { time, peer, made } = await open(t);
  const report = (received, lost) =>
    new Map([
      ['pair', { type: 'candidate-pair', nominated: true, state: 'succeeded', currentRoundTripTime: 0.024 }],
      [
        'a',
        { type: 'inbound-rtp', kind: 'audio', packetsReceived: received, packetsLost: lost, jitter: 0.004 },
      ],
      ['idle', { type: 'inbound-rtp', kind: 'audio', packetsReceived: 0, packetsLost: 50 }],
    ]);
  made[0].report = report(100, 50);
  made[0].become('connected');
  await time.advance(2000);
  made[0].report = report(190, 60);
  await time.advance(2000);
  assert.deepEqual(peer.quality.get(), {
    word: 'poor',
    rttMs: 24,
    lossPercent: 10,
    jitterMs: 4,
    way: null,
    bufferMs: null,
  });
  made[0].report = report(290, 60);
  await time.advance(2000);
  assert.equal(peer.quality.get().word, 'good');
  assert.equal(peer.quality.get().lossPercent, 0);
  made[0].become('failed');
  assert.equal(peer.quality.get(), null);
});

test('an offer that is never answered is repeated', async t => {
  const server = salonServer();
  const accept = server.methods['media.offer'];
  let offers = 0;
  server.on('media.offer', params => (++offers === 1 ? silence : accept(params)));
  const { time, made, peer } = await open(t, { server });
  await time.advance(11_000);
  made.at(-1).become('connected');
  assert.equal(peer.state.get(), 'connected');
  assert.equal(offers, 2);
});

test('V12-W D03-W what is wished while the browser takes an answer is negotiated after it', async t => {
  const answered = [];
  /** @type {(() => void)[]} */ const wishes = [];
  const { server, peer } = await open(t, {
    server: salonServer().on('media.offer', ({ number }) => ({
      number,
      sdp: 'm=audio 9 X 111\r\na=mid:0\r\na=rtpmap:111 opus/48000/2\r\n',
      mediaEpoch: 1,
      iceServers: [],
      slots: [],
    })),
    prepare: pc => {
      const set = pc.setRemoteDescription.bind(pc);
      pc.setRemoteDescription = async description => {
        answered.push(description.sdp);
        await settle();
        wishes.shift()?.();
        await set(description);
      };
    },
  });
  await settle();
  wishes.push(() => peer.setTight(true));
  peer.setQuality('music');
  await settle();
  await settle();
  await settle();
  assert.match(answered.at(-1), /maxaveragebitrate=64000/, 'singers’ packets');
  const offers = server.of('media.offer').length;
  await settle();
  assert.equal(server.of('media.offer').length, offers, 'and then there is rest');
});

test('V12-W another quality is negotiated at once on the same connection, and again by the next one', async t => {
  const answered = [];
  const { server, peer, made } = await open(t, {
    server: salonServer().on('media.offer', ({ number }) => ({
      number,
      sdp: 'm=audio 9 X 111\r\na=mid:0\r\na=rtpmap:111 opus/48000/2\r\n',
      mediaEpoch: 1,
      iceServers: [],
      slots: [],
    })),
    prepare: pc => {
      const set = pc.setRemoteDescription.bind(pc);
      pc.setRemoteDescription = async description => {
        answered.push(description.sdp);
        await set(description);
      };
      pc.transceivers.push = function push(...lines) {
        for (const line of lines) {
          line.sender.parameters = { encodings: [{}] };
          line.sender.getParameters = () => line.sender.parameters;
          line.sender.setParameters = async parameters => void Object.assign(line.sender, { parameters });
        }
        return Array.prototype.push.apply(this, lines);
      };
    },
  });
  made[0].become('connected');
  assert.match(answered[0], /maxaveragebitrate=50000/);
  peer.setQuality('music');
  await settle();
  assert.equal(made.length, 1);
  assert.equal(server.of('media.offer').length, 2);
  assert.match(answered[1], /stereo=1;usedtx=0;maxaveragebitrate=128000/);
  assert.equal(made[0].transceivers[0].sender.parameters.encodings[0].maxBitrate, 128_000);
  peer.setQuality('music');
  peer.setQuality('of tomorrow');
  await settle();
  assert.equal(server.of('media.offer').length, 2, 'no news, no offer');
  peer.restart();
  await settle();
  assert.match(answered[2], /maxaveragebitrate=128000/);
});
