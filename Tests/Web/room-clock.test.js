import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RoomClock } from '../../Web/protocol/clock.js';

/** A clock that is read over a network, and the truth. */
class ClockWorld {
  local = 0;
  /** The server's clock minus ours. */
  ahead = 5_000;
  clock = new RoomClock(() => this.local);

  /** @param {number} there @param {number} back milliseconds that question and answer take */
  read(there, back) {
    const asked = this.local;
    this.local += there;
    const time = this.local + this.ahead;
    this.local += back;
    this.clock.read(time, asked);
  }

  /** How far the clock is from the truth. */
  get off() {
    return this.clock.now() - this.local - this.ahead;
  }
}

test('D02-W what all readings allow is the room time, and how wrong it may be', () => {
  const world = new ClockWorld();
  const { clock } = world;
  assert.equal(clock.known, false);
  assert.equal(clock.errorMs, Number.POSITIVE_INFINITY);
  world.read(80, 20);
  world.read(3, 3);
  world.read(10, 90);
  assert.ok(Math.abs(world.off) < 0.02);
  assert.equal(clock.localOf(clock.now()), world.local);
  assert.ok(clock.errorMs >= 3 && clock.errorMs < 3.1, String(clock.errorMs));
  world.local += 10_000;
  assert.ok(clock.errorMs >= 4 && clock.errorMs < 4.1, 'an hour old says little');
  // A machine that slept, or a server anew: the old readings are wrong by more than they could be.
  world.ahead = 9_000;
  world.read(2, 2);
  assert.equal(world.off, 0);
  clock.read(Number.NaN, world.local);
  clock.read('5', world.local);
  assert.equal(world.off, 0);
});

test('D02-W the quickest way there of all readings is set against the quickest way back', () => {
  const world = new ClockWorld();
  for (const [there, back] of [
    [2, 40],
    [40, 2],
    [25, 25],
  ])
    world.read(there, back);
  assert.ok(Math.abs(world.off) < 0.1, String(world.off));
  assert.ok(world.clock.errorMs >= 2 && world.clock.errorMs < 2.1, String(world.clock.errorMs));
});

test('D02-W over any ways and a drifting clock the room time is within its stated error', () => {
  let seed = 7;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let round = 0; round < 50; round++) {
    const world = new ClockWorld();
    const ppm = (random() - 0.5) * 180;
    for (let reading = 0; reading < 100; reading++) {
      world.read(1 + random() * 40, 1 + random() * 40);
      const pause = random() * 2_000;
      world.local += pause;
      world.ahead += (pause * ppm) / 1e6;
      assert.ok(Math.abs(world.off) <= world.clock.errorMs + 0.01, `${world.off} of ${world.clock.errorMs}`);
    }
    assert.ok(world.clock.errorMs < 6, `a hundred readings tell more than one: ${world.clock.errorMs}`);
  }
});

test('D02-W a browser that tells time coarsely costs no more than that', () => {
  const world = new ClockWorld();
  const clock = new RoomClock(() => Math.floor(world.local));
  for (let reading = 0; reading < 40; reading++) {
    const asked = Math.floor(world.local);
    world.local += 0.37;
    clock.read(world.local + world.ahead, asked);
    world.local += 0.41 + 0.137 * reading;
    assert.ok(Math.abs(clock.now() - Math.floor(world.local) - world.ahead) <= 1.3);
  }
});
