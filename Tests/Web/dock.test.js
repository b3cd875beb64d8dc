import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dockOf } from '../../Web/models/dock.js';

/** Everybody who can stand before the bar, as sentences and facts. */
function* standings() {
  for (const kind of ['voice', 'chorus', 'live'])
    for (const wide of [true, false])
      for (const seated of [true, false])
        for (const [isOwner, canManage] of [
          [true, true],
          [false, true],
          [false, false],
        ])
          for (const linked of kind === 'live' ? [true, false] : [false])
            for (const hasGifts of [true, false])
              for (const canShare of [true, false])
                yield { kind, wide, seated, isOwner, canManage, linked, hasGifts, canShare };
}

test('L02-W V04-W the bar has as many cells to the left of its middle as to the right, two on phones, and none twice', () => {
  let looked = 0;
  for (const standing of standings()) {
    const { main, before, after } = dockOf(standing);
    const what = JSON.stringify(standing);
    assert.equal(before.length, after.length, what);
    if (!standing.wide) assert.equal(before.length, 2, what);
    const all = [main, ...before, ...after];
    assert.equal(new Set(all).size, all.length, `${what}: ${all}`);
    looked += 1;
  }
  assert.ok(looked > 150);
});

test('V04-W whoever sits, or is in a salon, has the microphone in the middle; sitting down moves no gift', () => {
  for (const standing of standings()) {
    const { main } = dockOf(standing);
    const middle = standing.seated || standing.isOwner || standing.kind !== 'live';
    assert.equal(main === 'microphone', middle, JSON.stringify(standing));
  }
  const listener = { kind: 'voice', wide: false, seated: false, isOwner: false, canManage: false };
  const facts = { linked: false, hasGifts: true, canShare: false };
  assert.deepEqual(dockOf({ ...listener, ...facts }), {
    main: 'microphone',
    before: ['chat', 'gifts'],
    after: ['invite', 'like'],
  });
});

test('L02-W L04-W a viewer gives a gift with the largest button, and is asked on stage in one place, never while rooms are linked', () => {
  for (const standing of standings()) {
    if (standing.kind !== 'live' || standing.seated || standing.isOwner) continue;
    const { main, before, after } = dockOf(standing);
    const what = JSON.stringify(standing);
    if (standing.hasGifts) assert.equal(main, 'gifts', what);
    const stages = [main, ...before, ...after].filter(cell => cell === 'stage').length;
    assert.equal(stages, standing.linked ? 0 : 1, what);
    // Points of a room without gifts are likes.
    if (standing.linked && !standing.hasGifts) assert.equal(main, 'like', what);
  }
});

test('L02-W V10-W hosts find who asks, and who is on stage without hosting finds the way down', () => {
  for (const standing of standings()) {
    const { before, after } = dockOf(standing);
    const all = [...before, ...after];
    const what = JSON.stringify(standing);
    if (standing.canManage) assert.ok(all.includes('requests'), what);
    if (standing.seated && !standing.canManage) assert.ok(all.includes('stand'), what);
    if (standing.seated && standing.kind === 'live') assert.ok(all.includes('camera'), what);
    if (standing.seated && standing.kind === 'live' && standing.isOwner) assert.ok(all.includes('pk'), what);
  }
});
