import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LobbyModel } from '../../Web/models/lobby.js';
import { openSession, salonServer, snapshot } from './support/rooms.js';
import { Refusal } from './support/server.js';
import { settle, VirtualTime } from './support/time.js';

const info = (room, more = {}) => ({ ...snapshot().info, room, name: `Room ${room}`, ...more });

async function lobbyOn(t, rooms) {
  const time = VirtualTime.install(t);
  const server = salonServer();
  server.on('room.list', ({ limit, cursor, query = '', tag }) => {
    const from = Number(cursor ?? 0);
    const found = rooms.filter(room => room.name.includes(query) && (!tag || room.tags.includes(tag)));
    const page = found.slice(from, from + limit);
    return { rooms: page, ...(from + limit < found.length ? { cursor: String(from + limit) } : {}) };
  });
  const session = await openSession(server);
  const lobby = new LobbyModel(session, 'https://live.example');
  return { time, server, session, lobby, names: () => lobby.state.get().rooms.map(room => room.name) };
}

test('A06-W live rooms come with their links and are read again every few seconds', async t => {
  const rooms = [info(1), info('1')];
  const { time, lobby, server } = await lobbyOn(t, rooms);
  const page = new AbortController();
  assert.equal(lobby.state.get().phase, 'loading');
  lobby.start(page.signal);
  await settle();
  assert.deepEqual(
    lobby.state.get().rooms.map(room => room.link),
    ['https://live.example/r/1', 'https://live.example/r/~1'],
  );
  rooms.push(info(2));
  await time.advance(5000);
  assert.equal(lobby.state.get().rooms.length, 3);
  page.abort();
  const asked = server.of('room.list').length;
  await time.advance(30_000);
  assert.equal(server.of('room.list').length, asked, 'a page that is left asks no more');
});

test('A06-W searching waits for a pause in typing and forgets answers to earlier searches', async t => {
  const { time, lobby, server, names } = await lobbyOn(t, [
    info(1, { name: 'Jazz' }),
    info(2, { name: 'Japanese' }),
    info(3, { name: 'Rock' }),
  ]);
  await lobby.refresh();
  const slow = lobby.refresh();
  for (const query of ['J', 'Ja', 'Jaz']) {
    lobby.setQuery(query);
    await time.advance(100);
  }
  assert.equal(lobby.state.get().phase, 'loading');
  await time.advance(250);
  await slow;
  assert.deepEqual(names(), ['Jazz']);
  assert.deepEqual(
    server.of('room.list').map(({ query }) => query),
    [undefined, undefined, 'Jaz'],
  );
});

test('A06-W an answer to an earlier search is not shown for a later one', async t => {
  const { lobby, names, time } = await lobbyOn(t, [info(1, { name: 'Jazz' }), info(2, { name: 'Rock' })]);
  const early = lobby.refresh();
  lobby.setQuery('Rock');
  await settle();
  await early;
  assert.deepEqual([lobby.state.get().phase, names()], ['loading', []]);
  await time.advance(250);
  assert.deepEqual([lobby.state.get().phase, names()], ['ready', ['Rock']]);
});

test('A06-W tags of the rooms seen narrow the list, and stay to be chosen again', async t => {
  const { lobby, names } = await lobbyOn(t, [
    info(1, { tags: ['music', 'late'] }),
    info(2, { tags: ['music'] }),
    info(3, { tags: ['talk'] }),
  ]);
  await lobby.refresh();
  assert.deepEqual(lobby.state.get().tags, ['music', 'late', 'talk']);
  lobby.setTag('talk');
  await settle();
  assert.deepEqual(names(), ['Room 3']);
  assert.deepEqual(lobby.state.get().tags, ['music', 'late', 'talk']);
  lobby.setTag('');
  await settle();
  assert.equal(names().length, 3);
});

test('A06-W by number of people, a page that is too old is read anew with those before it', async t => {
  const { lobby, names, server } = await lobbyOn(
    t,
    Array.from({ length: 70 }, (_, index) => info(index + 1)),
  );
  lobby.setOrder('busiest');
  await settle();
  assert.deepEqual([server.of('room.list').at(-1).order, names().length], ['busiest', 30]);
  const answer = server.methods['room.list'];
  let refused = false;
  server.on('room.list', (params, call) => {
    if (params.cursor && !refused) {
      refused = true;
      throw new Refusal('invalid_params', -32602, { field: 'cursor' });
    }
    return answer(params, call);
  });
  const more = lobby.loadMore();
  await settle();
  await more;
  assert.deepEqual(
    [refused, names().length, new Set(names()).size, lobby.state.get().error],
    [true, 60, 60, null],
  );
});

test('A06-W further pages are appended once each, and a refresh keeps them', async t => {
  const { lobby, names } = await lobbyOn(
    t,
    Array.from({ length: 70 }, (_, index) => info(index + 1)),
  );
  await lobby.refresh();
  assert.deepEqual([names().length, lobby.state.get().more], [30, true]);
  await lobby.loadMore();
  await lobby.loadMore();
  assert.deepEqual([names().length, lobby.state.get().more], [70, false]);
  await lobby.loadMore();
  await lobby.refresh();
  assert.equal(new Set(names()).size, 70);
});

test('A06-W a long list stays as long as it was unfolded while it is read anew, and shows each room once', async t => {
  const { lobby, server, names } = await lobbyOn(
    t,
    Array.from({ length: 250 }, (_, index) => info(index + 1)),
  );
  await lobby.refresh();
  for (let page = 0; page < 4; page++) await lobby.loadMore();
  assert.equal(names().length, 150);
  await lobby.refresh();
  assert.deepEqual([new Set(names()).size, names().length, lobby.state.get().more], [150, 150, true]);
  assert.ok(server.of('room.list').every(({ limit }) => limit <= 100));
  // Unfolded while it is read: what was unfolded stays.
  const reading = lobby.refresh();
  await lobby.loadMore();
  await reading;
  assert.equal(names().length, 180);
});

test('A09-W a room is found by its id or link; an unknown and a malformed one are told apart', async t => {
  const { lobby } = await lobbyOn(t, []);
  assert.equal((await lobby.find('#48213')).slug, '48213');
  assert.equal((await lobby.find('https://live.example/r/48213')).room, 48213);
  await assert.rejects(lobby.find('99999'), { name: 'room_not_found' });
  await assert.rejects(lobby.find('a/b'), { name: 'room_id_invalid' });
});

test('V01-W a room is created with what was chosen, and its card has the link', async t => {
  const { lobby, server } = await lobbyOn(t, []);
  server.on('room.create', ({ name }) => ({
    room: 48213,
    snapshot: snapshot({ info: info(48213, { name }) }),
  }));
  const card = await lobby.create({ name: '새벽 살롱', seats: 9, needsRequest: true });
  assert.deepEqual([card.name, card.link], ['새벽 살롱', 'https://live.example/r/48213']);
  server.on('room.create', () => {
    throw new Refusal('room_id_taken', 10021);
  });
  await assert.rejects(lobby.create({ room: 1, name: 'x', seats: 2, needsRequest: false }), {
    name: 'room_id_taken',
  });
});

test('a list that cannot be read says so, and keeps what it had', async t => {
  const { lobby, server } = await lobbyOn(t, [info(1)]);
  const list = server.methods['room.list'];
  server.on('room.list', () => {
    throw new Refusal('unavailable', 20503);
  });
  await lobby.refresh();
  assert.deepEqual([lobby.state.get().phase, lobby.state.get().error.name], ['failed', 'unavailable']);
  server.on('room.list', list);
  await lobby.refresh();
  assert.deepEqual([lobby.state.get().phase, lobby.state.get().error], ['ready', null]);
  server.on('room.list', () => {
    throw new Refusal('unavailable', 20503);
  });
  await lobby.refresh();
  assert.deepEqual([lobby.state.get().phase, lobby.state.get().rooms.length], ['ready', 1]);
});
