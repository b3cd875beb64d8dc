import assert from 'node:assert/strict';
import { test } from 'node:test';
import './support/engine.js';
import { SalonDrive } from '../../Web/models/salon-drive.js';
import { emptyState, projectSalon, projectSound } from '../../Web/models/salon-project.js';
import { shared } from '../../Web/models/shared-parts.js';
import { OvationError } from '../../Web/protocol/errors.js';
import { apply, stateOf } from '../../Web/protocol/room-state.js';
import { emptySeat, people, snapshot, usedSeat } from './support/rooms.js';
import { obedient, Script, salonTab } from './support/salon.js';
import { settle } from './support/time.js';

const silence = { wanted: false, opening: false, open: false, problem: null, speakingWhileMuted: false };

/** A visit of Bob's that has just begun. */
function now(more = {}) {
  return {
    room: stateOf(snapshot()),
    local: {
      phase: 'in',
      error: null,
      pending: new Set(),
      later: new Set(),
      positions: new Map(),
      requestStills: new Map(),
      spokeLast: null,
      writesAt: null,
      mutedBy: null,
      broughtBy: null,
      end: null,
      peak: 2,
      echoAllowed: false,
    },
    user: people.bob,
    voice: silence,
    silent: false,
    leads: false,
    listening: new Map(),
    chat: { lines: [], unread: 0, unreadKey: null },
    undo: null,
    connection: { word: 'good', rttMs: 20, signalling: 'open', media: 'connected', error: null },
    soundBlocked: false,
    deafened: false,
    echoes: false,
    origin: 'https://live.example',
    ...more,
  };
}

const told = (value, event) => ({ ...value, room: apply(value.room, event) });
const takes = (index, user, more = {}) => ({
  type: 'seat.taken',
  seat: usedSeat(index, user, more),
  user: people[user],
  by: user,
});

test('V04-W what a page shows follows from the room and the visit alone, and what has not changed stays the very object', () => {
  const first = now();
  const view = projectSalon(first);
  assert.deepEqual(projectSalon(now()), view, 'the same again');
  assert.equal(projectSalon(now(), view), view, 'and no news of it');
  const seated = told(first, takes(1, 'carol'));
  const next = projectSalon(seated, view);
  assert.equal(next.seats[1].user.name, '캐롤');
  for (const part of ['room', 'me', 'requests', 'banners', 'chat', 'gifts'])
    assert.equal(next[part], view[part], part);
  for (const seat of [0, 2, 3]) assert.equal(next.seats[seat], view.seats[seat]);
  assert.notEqual(next.seats, view.seats);
  // A round trip that took longer is shown by the connection's own chip.
  const slower = now({ ...seated, connection: { ...seated.connection, rttMs: 90 } });
  assert.equal(projectSalon(slower, next), next);
  const lost = now({ ...seated, connection: { ...seated.connection, word: 'reconnecting' } });
  assert.deepEqual(
    projectSalon(lost, next).banners.map(({ kind }) => kind),
    ['reconnecting'],
  );
});

test('V04-W whatever happens in whatever order, the view beside the one before equals the view from scratch', () => {
  let seed = 5;
  const next = most => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed % most;
  };
  const names = Object.keys(people);
  const happenings = [
    value => told(value, takes(next(4), names[next(3)], { muted: next(2) === 0 })),
    value =>
      told(value, {
        type: 'seat.left',
        seat: emptySeat(next(4)),
        user: people[names[next(3)]],
        reason: 'left',
      }),
    value => told(value, { type: 'microphone.muted', user: names[next(3)], muted: next(2) === 0 }),
    value => told(value, { type: 'role.changed', user: names[next(3)], role: ['admin', 'member'][next(2)] }),
    value => told(value, { type: 'room.updated', info: { ...value.room.info, name: `Room ${next(3)}` } }),
    value => ({ ...value, silent: next(2) === 0 }),
    value => ({ ...value, local: { ...value.local, spokeLast: names[next(3)] } }),
    value => ({ ...value, local: { ...value.local, pending: new Set([`seat:${next(4)}`]) } }),
    value => ({ ...value, local: { ...value.local, error: next(2) ? new OvationError('timeout') : null } }),
    value => ({
      ...value,
      listening: new Map([[names[next(3)], { volume: next(100), muted: next(2) === 0 }]]),
    }),
    value => ({ ...value, chat: { lines: [{ key: String(next(3)) }], unread: next(2), unreadKey: null } }),
    value => ({
      ...value,
      voice: { ...silence, open: next(2) === 0, problem: next(3) ? null : 'microphone_busy' },
    }),
    value => ({ ...value, room: next(9) ? value.room : null }),
    value => ({ ...value, room: value.room ?? stateOf(snapshot()) }),
  ];
  for (let run = 0; run < 40; run++) {
    let value = now();
    let view = projectSalon(value);
    for (let step = 0; step < 60; step++) {
      const happens = happenings[next(happenings.length)];
      value = value.room || happens === happenings.at(-1) ? happens(value) : happenings.at(-1)(value);
      view = projectSalon(value, view);
      assert.deepEqual(view, projectSalon(value), `run ${run}, step ${step}`);
    }
  }
});

test('V04-W V06-W my voice goes out on a seat that nobody has muted, neither the host, nor I, nor this page before the server knows', () => {
  const seated = told(now({ voice: { ...silence, open: true } }), takes(1, 'bob'));
  const sound = value => projectSound(value);
  assert.deepEqual([sound(seated).audible, sound(seated).live], [true, true]);
  for (const [why, quiet] of [
    ['without a seat', now()],
    ['muted here', { ...seated, silent: true }],
    ['muted by me', told(seated, { type: 'microphone.muted', user: 'bob', muted: true, seat: 1 })],
    ['muted by the host', told(seated, { type: 'seat.muted', seat: usedSeat(1, 'bob', { muted: true }) })],
  ])
    assert.deepEqual([sound(quiet).audible, sound(quiet).live], [false, false], why);
  const closed = { ...seated, voice: silence };
  assert.deepEqual([sound(closed).audible, sound(closed).live], [true, false], 'no device yet');
  assert.equal(projectSound({ ...seated, room: null }), null);
});

test('D07-W L04-W everybody is heard as loud as I want them: those on seats, whoever leads hears none of these, and linked hosts by their places', () => {
  const louder = { volume: 40, muted: false };
  const plain = { volume: 100, muted: false };
  const listening = new Map([
    ['carol', louder],
    ['dora', { volume: 10, muted: true }],
  ]);
  const seated = told(now({ listening }), takes(2, 'carol'));
  assert.deepEqual(projectSound(seated).voices.slice(0, 4), [plain, plain, louder, plain]);
  assert.deepEqual(projectSound({ ...seated, leads: true }).voices[2], { volume: 40, muted: true });
  const linked = {
    ...seated,
    room: { ...seated.room, pk: { links: [{ place: 1, host: { id: 'dora', name: 'Dora', avatar: '' } }] } },
  };
  assert.deepEqual(projectSound(linked).voices.slice(4), [plain, { volume: 10, muted: true }, plain]);
  assert.deepEqual(projectSound(now({ deafened: true, echoes: true })).silenced, {
    deafened: true,
    echo: true,
  });
  const allowed = now({ echoes: true });
  allowed.local.echoAllowed = true;
  assert.deepEqual(projectSound(allowed).silenced, { deafened: false, echo: false });
});

/** A visit that writes down what is done to it. */
function visit(answers = {}) {
  const done = [];
  const note =
    name =>
    (...what) => {
      done.push([name, ...what]);
      answers[name]?.(...what);
    };
  const of = (...names) => Object.fromEntries(names.map(name => [name, note(name)]));
  const parts = { voice: of('setAudible'), echo: of('setLive'), playout: of('setListening', 'setSilenced') };
  return { parts, done, take: () => done.splice(0) };
}

const sound = (more = {}) => ({
  audible: false,
  live: false,
  voices: [{ volume: 100, muted: false }],
  silenced: { deafened: false, echo: false },
  ...more,
});

test('V11-W only what has changed is passed on to microphone and loudspeakers', () => {
  const { parts, take } = visit();
  const drive = new SalonDrive(parts);
  drive.apply(null);
  assert.deepEqual(take(), []);
  drive.apply(sound());
  assert.deepEqual(take(), [['setListening', 0, { volume: 100, muted: false }]], 'once, that it is known');
  drive.apply(sound());
  assert.deepEqual(take(), [], 'nothing is new');
  drive.apply(sound({ audible: true }));
  drive.apply(sound({ audible: true, live: true }));
  drive.apply(sound({ audible: true, live: true, silenced: { deafened: true, echo: false } }));
  assert.deepEqual(take(), [
    ['setAudible', true],
    ['setLive', true],
    ['setSilenced', 'deafened', true],
  ]);
  drive.apply(sound({ voices: [{ volume: 30, muted: false }] }));
  assert.deepEqual(take(), [
    ['setAudible', false],
    ['setLive', false],
    ['setSilenced', 'deafened', false],
    ['setListening', 0, { volume: 30, muted: false }],
  ]);
});

test('V11-W a wish that comes about while an earlier one is passed on is the last word', () => {
  // The other tab answers at once that the two would howl.
  const { parts, take } = visit({
    setLive: live =>
      live && drive.apply(sound({ audible: false, silenced: { deafened: false, echo: true } })),
  });
  const drive = new SalonDrive(parts);
  drive.apply(sound());
  take();
  drive.apply(sound({ audible: true, live: true }));
  assert.deepEqual(take(), [
    ['setAudible', true],
    ['setLive', true],
    ['setAudible', false],
    ['setLive', false],
    ['setSilenced', 'echo', true],
  ]);
});

test('values are made of the parts of those before, wherever these say the same', () => {
  const before = {
    list: [{ a: 1 }, { a: 2 }],
    set: new Set([1]),
    error: new OvationError('timeout'),
    none: null,
  };
  assert.equal(shared(before, structuredClone({ ...before, error: null })).list, before.list);
  assert.equal(shared(before, { ...before, list: [{ a: 1 }, { a: 2 }], set: new Set([1]) }), before);
  const longer = shared(before, { ...before, list: [{ a: 1 }, { a: 3 }, { a: 2 }] });
  assert.deepEqual(longer.list, [{ a: 1 }, { a: 3 }, { a: 2 }]);
  assert.equal(longer.list[0], before.list[0]);
  assert.notEqual(
    shared(before, { ...before, error: new OvationError('timeout') }),
    before,
    'an error is another one',
  );
  assert.deepEqual(Object.keys(shared({ a: 1, b: 2 }, { a: 1 })), ['a'], 'what is gone is gone');
  assert.deepEqual(shared({ a: undefined }, { b: undefined }), { b: undefined });
  assert.deepEqual(shared([1, 2], [1]), [1]);
  assert.deepEqual(shared(new Set([1]), new Set([2])), new Set([2]));
});

test('V16-W a message redraws the chat alone, and news that a page does not show redraws nothing', async t => {
  const tab = await salonTab(t);
  obedient(tab.server);
  const before = tab.state;
  let drawn = 0;
  tab.salon.state.subscribe(() => drawn++, { now: false });
  const script = new Script(tab.server);
  await script.tell(script.said('alice', 'hello'));
  assert.ok(drawn > 0 && tab.state.chat.length === before.chat.length + 1);
  for (const part of ['seats', 'me', 'audience', 'banners', 'room'])
    assert.equal(tab.state[part], before[part], part);
  drawn = 0;
  await script.tell({ type: 'network', users: {}, apartMs: 3, tight: false });
  tab.session.rttMs.set(33);
  await settle();
  assert.equal(drawn, 0);
  assert.deepEqual(Object.keys(emptyState(people.bob)).sort(), Object.keys(tab.state).sort());
});
