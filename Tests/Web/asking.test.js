import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AskingModel } from '../../Web/models/asking.js';
import { settle, VirtualTime } from './support/time.js';

/** Somebody before a stage; `done` is what happened, in order. */
function before(t, { refusal = null } = {}) {
  const time = VirtualTime.install(t);
  const done = [];
  const sent = [];
  const stage = {
    comeUp: null,
    voice: {
      sitSomewhere: async seat => {
        if (refusal) throw refusal;
        done.push(`sits on ${seat}`);
      },
    },
    news: { emit: (name, { error }) => done.push(`${name} ${error.name}`) },
    comeBy: way => {
      stage.comeUp = way;
    },
  };
  const requests = {
    ask: async (seat, { words, still }) => {
      done.push('asks');
      sent.push({ seat, words, still: still ? await still() : null });
    },
    acceptInvitation: async () => stage.comeUp(2),
  };
  const life = new AbortController();
  const show = async () => void done.push('shows');
  const asking = new AskingModel(
    { ...stage, requests },
    show,
    async () => 'a still',
    life.signal,
    () => 0,
  );
  return { time, stage, asking, done, sent, life, phase: () => asking.state.get().phase };
}

test('L03-W who is let onto the stage sees 3, 2, 1 over their own picture, and is seen then', async t => {
  const { time, stage, asking, done, phase } = before(t);
  asking.attend(true);
  await asking.ask(true);
  await stage.comeUp(1);
  assert.deepEqual([phase(), asking.state.get().until, ...done], ['counting', 3_000, 'asks']);
  await time.advance(2_999);
  await settle();
  assert.deepEqual(done, ['asks']);
  await time.advance(1);
  await settle();
  assert.deepEqual([...done, phase()], ['asks', 'sits on 1', 'shows', 'idle']);
});

test('L03-W with the voice alone no camera is shown; an invitation goes the same way', async t => {
  const { time, asking, done } = before(t);
  asking.attend(true);
  await asking.accept(false);
  await time.advance(3_000);
  await settle();
  assert.deepEqual(done, ['sits on 2']);
});

test('L03-W "Not now" before the end, and nobody has been seen', async t => {
  const { time, stage, asking, done, phase } = before(t);
  asking.attend(true);
  await stage.comeUp(1);
  asking.notNow();
  await time.advance(60_000);
  await settle();
  assert.deepEqual([...done, phase()], ['idle']);
});

test('L03-W when the figures are through, "Not now" and closing the sheet come too late to be half on stage', async t => {
  const { time, stage, asking, done, phase } = before(t);
  let sit = () => {};
  stage.voice.sitSomewhere = () =>
    new Promise(resolve => {
      sit = resolve;
    });
  asking.attend(true);
  await asking.ask(true);
  await stage.comeUp(1);
  await time.advance(3_000);
  assert.equal(phase(), 'coming');
  asking.notNow();
  asking.attend(false);
  await stage.comeUp(2);
  assert.equal(phase(), 'coming');
  sit();
  await settle();
  assert.deepEqual([...done, phase()], ['asks', 'shows', 'idle']);
});

test('L03-W who has put the sheet away has ten seconds to come back; then it lapses', async t => {
  const { time, stage, asking, done, phase } = before(t);
  await stage.comeUp(1);
  assert.equal(phase(), 'called');
  await time.advance(9_000);
  asking.attend(true);
  assert.equal(phase(), 'counting');
  // Away again in the middle of it.
  await time.advance(2_000);
  asking.attend(false);
  assert.equal(phase(), 'called');
  await time.advance(10_000);
  await settle();
  assert.deepEqual([...done, phase()], ['idle']);
});

test('L03-W a seat that is gone by then is told, and the end of the visit ends it all', async t => {
  const { time, stage, asking, done, phase, life } = before(t, {
    refusal: Object.assign(new Error('taken'), { name: 'seat_taken' }),
  });
  asking.attend(true);
  await stage.comeUp(1);
  await time.advance(3_000);
  await settle();
  assert.equal(phase(), 'idle');
  assert.equal(done.length, 1);
  await stage.comeUp(1);
  life.abort();
  await time.advance(3_000);
  await settle();
  assert.equal(done.length, 1);
  assert.equal(stage.comeUp, null);
});

test('L03-W a few words go along with a request, and a still with a camera alone', async t => {
  const { asking, sent } = before(t);
  await asking.ask(true, 'I sing alto');
  await asking.ask(false, 'Only talking');
  assert.deepEqual(sent, [
    { seat: null, words: 'I sing alto', still: 'a still' },
    { seat: null, words: 'Only talking', still: null },
  ]);
});
