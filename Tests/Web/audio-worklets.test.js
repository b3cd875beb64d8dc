import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MusicPlayer } from '../../Web/audio/dsp/music-player.js';
import { level, rate, sine } from './support/sound.js';

// What a worklet's global scope has.
const processors = {};
Object.assign(globalThis, {
  sampleRate: rate,
  AudioWorkletProcessor: class {
    told = [];
    port = { onmessage: null, postMessage: word => this.told.push({ ...word }) };
  },
  registerProcessor: (name, processor) => {
    processors[name] = processor;
  },
});
await Promise.all(['voice', 'music', 'limiter'].map(name => import(`../../Web/audio/worklets/${name}.js`)));

const quantum = 128;
const stereo = () => [new Float32Array(quantum), new Float32Array(quantum)];

/** Runs a processor for so long; gives the left side and whether it wants to go on. */
function run(processor, seconds, input = null) {
  const heard = new Float32Array(Math.ceil((seconds * rate) / quantum) * quantum);
  let goesOn = true;
  for (let at = 0; at < heard.length; at += quantum) {
    const output = stereo();
    goesOn = processor.process([input ? [input.subarray(at, at + quantum)] : []], [output], {});
    heard.set(output[0], at);
  }
  return { heard, goesOn };
}

test('V15-W music tells its place about five times a second while it plays, and its end once', () => {
  const music = new processors['ovation-music']();
  const margin = new Float32Array(MusicPlayer.margin);
  const tone = sine(500, 1.5);
  const left = new Float32Array(tone.length + 2 * margin.length);
  left.set(tone, margin.length);
  music.port.onmessage({ data: { load: { sound: { left }, range: {} }, play: false } });
  assert.ok(level(run(music, 0.3).heard) < -100);
  assert.deepEqual(music.told, [], 'nothing to tell while paused');
  music.port.onmessage({ data: { play: true } });
  run(music, 1.4);
  assert.ok(music.told.length >= 7 && music.told.length <= 8, `${music.told.length} times in 1.4 s`);
  const places = music.told.map(({ positionMs }) => positionMs);
  for (let i = 1; i < places.length; i++)
    assert.ok(Math.abs(places[i] - places[i - 1] - 200) < 10, places.join());
  run(music, 1);
  const ends = music.told.filter(({ ended }) => ended);
  assert.deepEqual(ends, [{ positionMs: 1500, ended: true }]);
  music.port.onmessage({ data: { seek: 500 } });
  assert.deepEqual(music.told.at(-1), { positionMs: 500, ended: false }, 'a seek is told at once');
  music.port.onmessage({ data: { stop: true } });
  assert.equal(run(music, 0.01).goesOn, false, 'the browser may forget it');
});

test('a voice passes untouched until something is chosen, and its tail rings on without a source', () => {
  const processor = new processors['ovation-voice']();
  const tone = sine(300, 0.4, 0.3);
  const { heard } = run(processor, 0.4, tone);
  assert.deepEqual(heard.subarray(0, tone.length), tone);
  processor.port.onmessage({ data: { pitch: 0, changer: 0, reverb: 3 } });
  run(processor, 0.4, tone);
  const tail = run(processor, 0.3);
  assert.ok(level(tail.heard.slice(4_800)) > -50 && tail.goesOn);
});

test('what leaves is limited, on both sides also when one comes in', () => {
  const processor = new processors['ovation-limiter']();
  const { heard } = run(processor, 0.2, sine(300, 0.3, 3));
  assert.ok(Math.max(...heard.map(Math.abs)) <= 1);
  assert.ok(level(heard) > -5);
});
