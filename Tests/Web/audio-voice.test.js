import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Limiter } from '../../Web/audio/dsp/limiter.js';
import { PitchShifter } from '../../Web/audio/dsp/pitch-shifter.js';
import { VoiceChanger } from '../../Web/audio/dsp/voice-changer.js';
import { plainShifter, voiceNames } from '../../Web/audio/dsp/voice-settings.js';
import { VoiceShifter } from '../../Web/audio/dsp/voice-shifter.js';
import {
  band,
  distance,
  joined,
  level,
  noise,
  peakOf,
  pitchOf,
  print,
  sine,
  spectrum,
  strongest,
  through,
  throughBoth,
  voice,
} from './support/sound.js';

const numbers = voiceNames.map((_, number) => number);
const voices = numbers.slice(1);
const named = name => voiceNames.indexOf(name);

test('off changes no sample and delays nothing', () => {
  const sound = noise(0.1, 1);
  assert.deepEqual(through(new VoiceChanger(), sound), sound);
  assert.equal(new VoiceChanger().latency, 0);
  assert.deepEqual(through(new PitchShifter(), sound), sound);
});

test('the pitch of a voice moves as the character says, for low and high voices', () => {
  const ratios = { naughtyKid: 1.5, lolita: 1.8, uncle: 0.75, cold: 0.94, indoorsman: 0.85 };
  for (const [name, ratio] of Object.entries(ratios)) {
    for (const hertz of [100, 140, 210]) {
      const heard = through(new VoiceChanger(named(name)), voice(hertz, 0.5));
      const found = pitchOf(heard, { start: 14_000, low: 60, high: 600 });
      assert.ok(Math.abs(found / hertz / ratio - 1) < 0.02, `${name} of ${hertz} Hz: ${found.toFixed(1)}`);
    }
  }
  // One pitch whatever is said.
  const shifter = new VoiceShifter();
  shifter.configure({ ...plainShifter, fixedPitch: 82 });
  const machine = Float32Array.from(voice(150, 0.5));
  for (let at = 0; at < machine.length; at += 32) shifter.process(machine.subarray(at, at + 32), 32);
  assert.ok(Math.abs(pitchOf(machine, { start: 14_000, low: 60, high: 400 }) / 82 - 1) < 0.02);
});

test('V15-W every two changed voices differ measurably', () => {
  const sound = voice(130, 1, { until: 150 });
  const prints = numbers.map(number =>
    print(through(new VoiceChanger(number), sound), [
      [0.2, 0.4],
      [0.4, 0.6],
      [0.6, 0.8],
      [0.8, 1],
    ]),
  );
  for (const one of numbers) {
    for (let other = 0; other < one; other++) {
      const apart = distance(prints[one], prints[other]);
      assert.ok(apart > 2.5, `${voiceNames[one]} and ${voiceNames[other]}: ${apart.toFixed(1)} dB`);
    }
  }
});

test('no sound within full scale comes out above it, and a voice keeps its loudness', () => {
  const square = sine(180, 0.4, 1).map(v => Math.sign(v) || 1);
  const spoken = voice(140, 0.8);
  for (const number of voices) {
    assert.ok(peakOf(through(new VoiceChanger(number), square)) <= 1, voiceNames[number]);
    const heard = through(new VoiceChanger(number), spoken);
    const change = level(heard.slice(-24_000)) - level(spoken.slice(-24_000));
    assert.ok(Math.abs(change) < 6, `${voiceNames[number]}: ${change.toFixed(1)} dB`);
  }
});

test('the same voice comes out each time, for blocks of any length, 32 ms later', () => {
  const sound = joined(0.2, voice(130, 0.3));
  for (const number of voices) {
    const first = through(new VoiceChanger(number), sound);
    const pieces = through(new VoiceChanger(number), sound, [1, 33, 128, 7, 240]);
    assert.ok(
      first.every((v, n) => Math.abs(v - pieces[n]) < 1e-6),
      voiceNames[number],
    );
    const loud = 0.2 * peakOf(first);
    const begins = first.findIndex(v => Math.abs(v) > loud);
    assert.ok(Math.abs(begins - 9_600 - 1_536) < 800, `${voiceNames[number]}: ${begins - 9_600}`);
  }
});

test('silence stays silent, and after a voice it is silent again', () => {
  for (const number of voices) {
    const heard = through(new VoiceChanger(number), joined(0.2, voice(150, 0.3), number === 11 ? 4 : 1));
    assert.ok(peakOf(heard.slice(0, 9_600)) < 1e-6, voiceNames[number]);
    assert.ok(level(heard.slice(-4_800)) < -80, voiceNames[number]);
  }
});

test('switching on, off and over makes no click and no hole', () => {
  const changer = new VoiceChanger();
  const sound = sine(196, 2.5, 0.3);
  for (let at = 0, turn = 0; at < sound.length; at += 12_000, turn++) {
    changer.preset = [0, 3, 1, 0, 5, 2, 6, 8, 3, 0][turn];
    changer.process(sound.subarray(at, at + 12_000), 12_000);
  }
  for (let n = 1; n < sound.length; n++) assert.ok(Math.abs(sound[n] - sound[n - 1]) < 0.09, `at ${n}`);
  // While the first voice is on its way the own one is still there, untouched.
  assert.deepEqual(sound.slice(12_000, 13_500), sine(196, 2.5, 0.3).slice(12_000, 13_500));
  for (let at = 960; at + 480 <= sound.length; at += 480)
    assert.ok(level(sound.slice(at, at + 480)) > -40, `at ${at}`);
});

test('V15-W voice pitch moves a tone by as many semitones as asked for, an octave either way', () => {
  for (const semitones of [-12, -7, -1, 1, 5, 12]) {
    const shifter = new PitchShifter();
    shifter.semitones = semitones;
    const heard = through(shifter, sine(440, 1)).slice(12_000);
    const found = strongest(spectrum(heard));
    const wanted = 440 * 2 ** (semitones / 12);
    assert.ok(Math.abs(found / wanted - 1) < 0.01, `${semitones}: ${found.toFixed(1)} Hz`);
    const change = level(heard) - level(sine(440, 1));
    assert.ok(Math.abs(change) < 1.5, `${semitones}: ${change.toFixed(1)} dB`);
  }
});

test('pitch changed while sound runs does not click; nothing above the octave folds back', () => {
  const shifter = new PitchShifter();
  const sound = sine(300, 2, 0.3);
  for (let at = 0, turn = 0; at < sound.length; at += 9_600, turn++) {
    shifter.semitones = [0, 4, 12, -12, 0, 3, 7, -5, 0, 0][turn];
    shifter.process(sound.subarray(at, at + 9_600), 9_600);
  }
  for (let n = 1; n < sound.length; n++) assert.ok(Math.abs(sound[n] - sound[n - 1]) < 0.06, `at ${n}`);
  const up = new PitchShifter();
  up.semitones = 12;
  const high = through(up, sine(15_000, 0.5)).slice(9_600);
  assert.ok(level(high) < -40, 'an octave above 15 kHz there is nothing to hear');
});

test('the limiter leaves soft sound alone and never lets a mix through above full scale', () => {
  const soft = noise(0.2, 0.8);
  const [left] = throughBoth(new Limiter(), soft);
  assert.deepEqual(left.slice(64), soft.slice(0, -64));
  const loud = joined(sine(200, 0.3, 0.5), sine(200, 0.3, 2.4), noise(0.2, 3), sine(200, 0.8, 0.5));
  const [limited] = throughBoth(new Limiter(), loud);
  assert.ok(peakOf(limited) <= 1);
  assert.ok(level(limited.slice(20_000, 28_000)) > -4, 'it stays loud');
  const steady = spectrum(limited.slice(18_000, 27_000));
  assert.ok(band(steady, 560, 640) < band(steady, 160, 240) - 35, 'and is not clipped');
  assert.ok(Math.abs(level(limited.slice(-9_600)) - level(sine(200, 0.2, 0.5))) < 0.1, 'and recovers');
});
