import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OwnVoice } from '../../Web/models/salon-voice.js';

/** Seats of which the first is taken; `taken` is what I asked for. */
function seats(mine) {
  const taken = [];
  const seat = (index, name) => ({ index, user: name, state: name ? 'taken' : 'empty', muted: false });
  const voice = new OwnVoice({
    needMedia: () => {},
    room: {
      now: {
        me: { id: 'bob', seat: mine },
        seats: [seat(0, 'alice'), seat(1, null), seat(2, mine === 2 ? 'bob' : null)],
      },
      takeSeat: async index => void taken.push(index),
    },
    run: (_name, work) => work(),
    change: () => {},
    device: () => null,
    joinsMuted: () => false,
    publishes: () => false,
  });
  return { voice, taken };
}

test('L03-W who comes on stage sits on the wished seat, or on the next that is free', async () => {
  const { voice, taken } = seats(undefined);
  await voice.sitSomewhere(2);
  await voice.sitSomewhere(0);
  assert.deepEqual(taken, [2, 1]);
});

test('L03-W whom the host has seated meanwhile keeps that seat: no error, no move', async () => {
  const { voice, taken } = seats(2);
  await voice.sitSomewhere(1);
  await voice.sitSomewhere(null);
  assert.deepEqual(taken, []);
});
