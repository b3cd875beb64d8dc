import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Biquad, highPass, lowPass } from '../../Web/audio/dsp/biquad.js';
import { Reverb } from '../../Web/audio/dsp/reverb.js';
import { reverbNames } from '../../Web/audio/dsp/reverb-settings.js';
import { VoiceChain } from '../../Web/audio/dsp/voice-chain.js';
import {
  decayTime,
  distance,
  joined,
  level,
  noise,
  peakOf,
  print,
  sine,
  through,
  throughBoth,
  voice,
} from './support/sound.js';

const numbers = reverbNames.map((_, number) => number);
const rooms = numbers.slice(1);
const click = Float32Array.from({ length: 3 * 48_000 }, (_, n) => (n === 0 ? 0.8 : 0));

test('off changes no sample', () => {
  const sound = noise(0.1, 1);
  assert.deepEqual(throughBoth(new Reverb(), sound), [sound, sound]);
});

/** The octave around 1 kHz. */
function middle(sound) {
  return [highPass(707), highPass(707), lowPass(1414), lowPass(1414)].reduce((passed, coefficients) => {
    const filter = new Biquad();
    filter.coefficients = coefficients;
    return through(filter, passed);
  }, sound);
}

test('every room rings as long as the manual says of the native one', () => {
  const manual = readFileSync(new URL('../../Documentation/build/effects.md', import.meta.url), 'utf8');
  for (const room of rooms) {
    const row = new RegExp(
      `^\\| \`${reverbNames[room]}\` \\| ${room} \\|.*?\\| [\\d.]+ · ([\\d.]+) · [\\d.]+ \\|`,
      'm',
    );
    const documented = Number(row.exec(manual)?.[1]);
    const [left] = throughBoth(new Reverb(room), joined(click, room === 8 ? 4 : 1));
    const found = decayTime(middle(left).slice(2400));
    assert.ok(
      Math.abs(found - documented) < 0.06 + 0.06 * documented,
      `${reverbNames[room]}: ${found} s, not ${documented}`,
    );
  }
});

test('V15-W every two voice reverbs differ measurably, on a click and on a voice that stops', () => {
  const spoken = joined(voice(140, 0.6), 1);
  const prints = numbers.map(number => {
    const [left] = throughBoth(new Reverb(number), joined(click.slice(0, 60_000)));
    const [voiced] = throughBoth(new Reverb(number), spoken);
    return [
      ...print(left, [
        [0, 0.03],
        [0.03, 0.08],
        [0.08, 0.2],
        [0.2, 0.5],
        [0.5, 1.1],
      ]),
      ...print(voiced, [
        [0.3, 0.6],
        [0.6, 0.7],
        [0.7, 0.9],
        [0.9, 1.5],
      ]),
    ];
  });
  for (const one of numbers) {
    for (let other = 0; other < one; other++) {
      const apart = distance(prints[one], prints[other]);
      assert.ok(apart > 2.5, `${reverbNames[one]} and ${reverbNames[other]}: ${apart.toFixed(1)} dB`);
    }
  }
});

test('no sound within full scale comes out above it, and a voice keeps its loudness', () => {
  const loud = noise(0.3, 1).map(v => Math.sign(v) || 1);
  const spoken = voice(140, 1.2);
  for (const room of rooms) {
    const heard = throughBoth(
      new Reverb(room),
      loud,
      loud.map(v => -v),
    );
    assert.ok(
      heard.every(side => peakOf(side) <= 1 && peakOf(side) > 0.5),
      reverbNames[room],
    );
    const change =
      level(throughBoth(new Reverb(room), spoken)[0].slice(-38_400)) - level(spoken.slice(-38_400));
    assert.ok(Math.abs(change) < 6, `${reverbNames[room]}: ${change.toFixed(1)} dB`);
  }
});

test('the same sound comes out each time and for blocks of any length; stereo has a room on each side', () => {
  const sound = joined(voice(130, 0.3), 0.2);
  for (const room of rooms) {
    const [left, right] = throughBoth(new Reverb(room), sound);
    const again = throughBoth(new Reverb(room), sound, sound, [1, 33, 128, 7, 500]);
    assert.ok(
      left.every((v, n) => Math.abs(v - again[0][n]) < 1e-6),
      reverbNames[room],
    );
    assert.ok(
      left.some((v, n) => Math.abs(v - right[n]) > 1e-3),
      reverbNames[room],
    );
  }
});

test('a change of room makes no click, and what is no number does not stay in it', () => {
  const reverb = new Reverb();
  const tone = sine(220, 3, 0.3);
  const sides = [Float32Array.from(tone), Float32Array.from(tone)];
  for (let at = 0, turn = 0; at < tone.length; at += 12_000, turn++) {
    reverb.preset = [0, 3, 1, 0, 8, 2, 6, 0, 10, 9, 4, 0][turn];
    const part = sides.map(side => side.subarray(at, at + 12_000));
    reverb.process(part[0], part[1], 12_000);
  }
  // A tone of 220 Hz moves by 0.0086 a sample; the brightest room answers within a multiple of that.
  for (let n = 1; n < tone.length; n++) assert.ok(Math.abs(sides[0][n] - sides[0][n - 1]) < 0.06, `at ${n}`);
  const poison = Float32Array.from([Number.NaN, Number.POSITIVE_INFINITY, 1e30, -0.5]);
  reverb.preset = 3;
  reverb.process(poison, Float32Array.from(poison), 4);
  const after = throughBoth(reverb, voice(150, 0.3));
  assert.ok(after[0].every(v => Math.abs(v) <= 1) && level(after[0]) > -40);
});

test('the whole chain keeps time: 2 s of sound are worked through much faster than they last', () => {
  const chain = new VoiceChain();
  chain.set({ pitch: 0.4, changer: 11, reverb: 8 });
  const sound = joined(voice(140, 2));
  const [left] = throughBoth(chain, sound);
  assert.ok(level(left.slice(-48_000)) > -40);
});
