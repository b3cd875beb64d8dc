import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CameraModel } from '../../Web/models/camera.js';
import { isInvitable, isTooLate } from '../../Web/models/pk.js';
import { PreferencesModel } from '../../Web/models/preferences.js';
import { FakeMediaDevices, FakeStorage } from './support/media.js';
import { emptySeat, salonServer, usedSeat } from './support/rooms.js';
import { salonTab } from './support/salon.js';
import { settle } from './support/time.js';

const leo = { id: 'leo', name: 'Leo', avatar: '' };
const link = {
  id: '48213/1/7',
  place: 1,
  room: 5,
  host: leo,
  isOurs: true,
  muted: false,
  isEnding: false,
  since: 1,
};
const terms = { seconds: 60, forfeitSeconds: 30, forfeit: 'Sing' };
const match = {
  link: link.id,
  terms,
  ours: 0,
  theirs: 0,
  isReady: false,
  isOtherReady: false,
  hasFinal: false,
};

/** Alice's live room of three seats, as she or Bob has it. */
async function live(t, { user = 'alice', pk } = {}) {
  Object.assign(globalThis, { document: Object.assign(new EventTarget(), { hidden: false }) });
  t.after(() => {
    globalThis.document = undefined;
  });
  const server = salonServer({ seats: [usedSeat(0, 'alice', { camera: 'on' }), emptySeat(1), emptySeat(2)] });
  server.snapshot.info = { ...server.snapshot.info, kind: 'live', seats: 3 };
  if (pk) server.snapshot.pk = pk;
  if (user === 'alice')
    server.snapshot.me = { ...server.snapshot.me, id: 'alice', name: 'Alice', role: 'owner', seat: 0 };
  for (const method of ['media.view', 'camera.set', 'pk.ready', 'pk.challenge', 'pk.answer', 'pk.quit'])
    server.on(method, () => ({}));
  server.on('media.offer', ({ number, lines }) => ({
    number,
    sdp: 'answer',
    mediaEpoch: 1,
    iceServers: [],
    slots: answers(lines, /^sound:(\d+)$/, 3),
    pictures: answers(lines, /^picture:(\d+)$/, 4),
  }));
  const devices = new FakeMediaDevices([{ kind: 'videoinput', deviceId: 'front', label: 'Front' }]);
  const camera = new CameraModel(new PreferencesModel(new FakeStorage(), null), devices);
  const tab = await salonTab(t, { server, camera, user });
  await settle();
  let seq = 1;
  const changed = async (pk, cause) => {
    seq++;
    server.news(48213, [{ seq, type: 'pk.changed', pk, cause, time: 1 }]);
    await settle();
  };
  return { ...tab, server, changed, pk: tab.salon.live.pk };
}

/** Lines by the names that they were offered under; from `first` on they are other rooms' hosts. */
function answers(lines, pattern, first) {
  return Object.entries(lines).flatMap(([mid, name]) => {
    const number = pattern.exec(name)?.[1];
    if (number === undefined) return [];
    return [Number(number) < first ? { seat: Number(number), mid } : { guest: Number(number) - first, mid }];
  });
}

test('L04-W a linked host gets lines when the link begins, each named; sound and picture are found by them', async t => {
  const { server, changed, pk, salon, playout } = await live(t, { user: 'bob' });
  const offers = server.of('media.offer').length;
  await changed({ links: [link] }, 'accepted');
  assert.equal(server.of('media.offer').length, offers + 1);
  const names = Object.values(server.of('media.offer').at(-1).lines);
  for (const name of ['microphone', 'sound:0', 'sound:2', 'sound:4', 'picture:5'])
    assert.ok(names.includes(name), `${name} in ${names}`);
  const { guests, links } = pk.state.get();
  assert.equal(links[0].host.name, 'Leo');
  assert.ok(guests[1].sound && guests[1].picture && !guests[0].sound);
  assert.equal(playout.tracks.at(4), guests[1].sound, 'after those of the seats');
  salon.live.place(new Map([['guest:1', 'middle']]));
  await settle();
  assert.deepEqual(
    { ...server.of('media.view').at(-1), key: undefined },
    { room: 48213, guest: 1, size: 'middle', key: undefined },
  );
  // The next link on the same place needs no new lines.
  await changed({ links: [] }, 'quit');
  await changed({ links: [{ ...link, id: '48213/1/9' }] }, 'accepted');
  assert.equal(server.of('media.offer').length, offers + 1);
});

test('L04-W the host says once that the other one is seen, for each PK; viewers never do', async t => {
  const { server, changed, pk } = await live(t);
  await changed({ links: [link], match: { ...match, phase: 'linking', until: 1 } }, 'accepted');
  assert.equal(server.of('pk.ready').length, 0);
  pk.noteFrame(1);
  pk.noteFrame(1);
  await settle();
  assert.equal(server.of('pk.ready').length, 1);
  await changed({ links: [link], match: { ...match, phase: 'linking', until: 1, isReady: true } }, 'ready');
  assert.equal(server.of('pk.ready').length, 1);
  // A rematch on the same link: the picture is there already.
  await changed({ links: [link] }, 'cleared');
  await changed({ links: [link], match: { ...match, phase: 'linking', until: 2 } }, 'accepted');
  assert.equal(server.of('pk.ready').length, 2);
});

test('L04-W a viewer who sees the other host says nothing', async t => {
  const { server, pk } = await live(t, {
    user: 'bob',
    pk: { links: [link], match: { ...match, phase: 'linking', until: 1 } },
  });
  pk.noteFrame(1);
  await settle();
  assert.equal(server.of('pk.ready').length, 0);
});

test('L05-W points are taken up alone; the result is shown, then the forfeit, then neither', async t => {
  const { server, changed, pk, time, salon } = await live(t, { user: 'bob' });
  await changed({ links: [link], match: { ...match, phase: 'running', startAt: 1, endAt: 2 } }, 'began');
  server.news(48213, [{ type: 'pk.points', ours: 7, theirs: 4 }]);
  await settle();
  assert.deepEqual([pk.state.get().match.ours, pk.state.get().match.theirs], [7, 4]);
  const until = salon.serverNow() + 34_000;
  await changed(
    { links: [link], match: { ...match, phase: 'over', until, result: { outcome: 'won', cause: 'time' } } },
    'over',
  );
  assert.equal(pk.state.get().ending.phase, 'card');
  await time.advance(4_100);
  assert.equal(pk.state.get().ending.phase, 'forfeit');
  await time.advance(30_000);
  assert.equal(pk.state.get().ending.phase, 'after');
  await changed({ links: [link] }, 'cleared');
  assert.equal(pk.state.get().ending, null);
});

test('L20-W a host who is linked already can be asked for one link more, and for no PK', () => {
  assert.deepEqual(
    ['free', 'linked', 'in_pk', 'away', 'refused'].map(state =>
      [true, false].map(toPK => isInvitable({ state }, toPK)),
    ),
    [
      [true, true],
      [false, true],
      [false, false],
      [false, false],
      [false, false],
    ],
  );
});

test('L20-W the list has who is free first, and says of who declined until when; it is read again while it is open', async t => {
  const { server, pk, time, salon } = await live(t);
  const room = (number, state, memberCount = 1) => ({
    ...server.snapshot.info,
    room: number,
    owner: { ...leo, id: `host${number}` },
    memberCount,
    ...(state && { pk: state }),
  });
  let rooms = [
    room(48213, 'free'),
    room(2, 'in_pk', 50),
    room(3, 'free', 2),
    room(4, 'free', 9),
    room(5, undefined, 70),
  ];
  server.on('room.list', () => ({ rooms }));
  const open = new AbortController();
  void pk.watchList(open.signal);
  await settle();
  const seen = () => pk.list.get().rivals.map(({ room, state }) => `${room} ${state}`);
  assert.deepEqual(seen(), ['4 free', '3 free', '2 in_pk'], 'not the own room, nor one of an older server');
  const challenge = { id: 'c', isOurs: true, room: 4, host: { ...leo, id: 'host4' }, terms, expiresAt: 1 };
  server.news(48213, [
    { type: 'pk.challenge', challenge, state: 'declined', until: salon.serverNow() + 180_000 },
  ]);
  rooms = rooms.slice(0, 4);
  await time.advance(3_100);
  assert.deepEqual(seen(), ['3 free', '2 in_pk', '4 refused']);
  const asked = server.of('room.list').length;
  open.abort();
  await time.advance(10_000);
  assert.equal(server.of('room.list').length, asked);
});

test('L20-W an invitation cannot be sent any more once the room has company, a rematch once a third room has come', () => {
  const [one, two] = [{ room: 1 }, { room: 2 }];
  assert.deepEqual(
    [[], [one]].map(links => isTooLate(links)),
    [false, true],
  );
  assert.deepEqual(
    [[], [one], [one, two], [two]].map(links => isTooLate(links, 1)),
    [false, false, true, true],
  );
});
