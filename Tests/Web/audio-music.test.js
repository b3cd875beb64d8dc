import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MusicPlayer } from '../../Web/audio/dsp/music-player.js';
import { band, joined, level, noise, peakOf, rate, sine, spectrum, strongest } from './support/sound.js';

/** The player of a sound, with the silence around it that it wants. */
function player(left, range, right = left) {
  const wrap = sound => {
    const whole = new Float32Array(sound.length + 2 * MusicPlayer.margin);
    whole.set(sound, MusicPlayer.margin);
    return whole;
  };
  const [one, other] = [wrap(left), wrap(right)];
  return new MusicPlayer({ left: one, right: other, mix: MusicPlayer.mixed(one, other) }, range);
}

function render(music, seconds) {
  const left = new Float32Array(Math.round(seconds * rate));
  const right = new Float32Array(left.length);
  for (let at = 0; at < left.length; at += 128) {
    const end = Math.min(left.length, at + 128);
    music.render(left.subarray(at, end), right.subarray(at, end), end - at);
  }
  return left;
}

test('at its own speed and pitch a sound is played as it is', () => {
  const sound = noise(0.5, 0.7);
  const heard = render(player(sound), 0.6);
  assert.deepEqual(heard.slice(300, sound.length), sound.slice(300));
  assert.equal(peakOf(heard.slice(sound.length)), 0);
});

test('V15-W speed keeps the pitch, pitch keeps the speed', () => {
  for (const [speed, semitones] of [
    [1.5, 0],
    [0.5, 0],
    [2, 0],
    [1, 12],
    [1, -12],
    [1, 5],
    [0.75, -4],
    [2, 12],
  ]) {
    const music = player(sine(330, 6));
    music.setSpeed(speed);
    music.setPitch(semitones);
    const heard = render(music, 2);
    const found = strongest(spectrum(heard.slice(9_600)));
    const wanted = 330 * 2 ** (semitones / 12);
    assert.ok(Math.abs(found / wanted - 1) < 0.01, `${speed}, ${semitones}: ${found.toFixed(1)} Hz`);
    assert.ok(Math.abs(level(heard.slice(9_600)) - level(sine(330, 1))) < 1, `${speed}, ${semitones}`);
    assert.ok(Math.abs(music.positionMs - 2000 * speed) < 60, `${speed}: at ${music.positionMs} ms`);
  }
});

test('a sound of two parts ends as early as its speed says', () => {
  const music = player(joined(sine(300, 1), sine(600, 1)));
  music.setSpeed(1.6);
  let seconds = 0;
  while (!music.ended && seconds < 3) {
    render(music, 0.01);
    seconds += 0.01;
  }
  assert.ok(Math.abs(seconds - 2 / 1.6) < 0.05, `${seconds} s`);
});

test('a range is played as often as asked for, then it has ended', () => {
  const music = player(joined(sine(300, 1), sine(600, 1), sine(900, 1)), {
    startMs: 1000,
    endMs: 1500,
    loops: 1,
  });
  assert.equal(music.positionMs, 1000);
  const heard = render(music, 0.9);
  assert.ok(!music.ended);
  assert.ok(Math.abs(strongest(spectrum(heard)) - 600) < 4);
  render(music, 0.2);
  assert.ok(music.ended);
  assert.equal(peakOf(render(music, 0.1)), 0);
  const forever = player(sine(300, 0.1), { loops: -1 });
  render(forever, 2);
  assert.ok(!forever.ended);
});

test('the range can be changed while it plays', () => {
  const music = player(joined(sine(300, 2), sine(600, 2)));
  render(music, 0.5);
  music.setRange(2500, 3000);
  assert.ok(Math.abs(music.positionMs - 2500) < 1, 'what was before its beginning is skipped');
  assert.ok(Math.abs(strongest(spectrum(render(music, 0.4).slice(2_000))) - 600) < 6);
  render(music, 0.2);
  assert.ok(music.ended);
  music.setRange(0, 0);
  music.seek(0);
  assert.ok(Math.abs(strongest(spectrum(render(music, 0.4).slice(2_000))) - 300) < 6);
});

test('pausing fades out and keeps the place, seeking goes to another one within the range, neither clicks', () => {
  const music = player(joined(sine(300, 2, 0.5), sine(600, 2, 0.5)), { endMs: 3500 });
  // Not at a zero of the tone.
  const first = render(music, 0.5008);
  music.play(false);
  const fading = render(music, 0.1);
  assert.equal(peakOf(fading.slice(300)), 0);
  const at = music.positionMs;
  assert.ok(Math.abs(at - 506) < 10, `${at}`);
  render(music, 0.5);
  assert.equal(music.positionMs, at);
  music.play(true);
  music.seek(2500);
  const second = render(music, 0.5);
  assert.ok(Math.abs(strongest(spectrum(second.slice(2_000))) - 600) < 6);
  const all = joined(first, fading, second);
  for (let n = 1; n < all.length; n++) assert.ok(Math.abs(all[n] - all[n - 1]) < 0.06, `at ${n}`);
  music.seek(99_000);
  render(music, 0.01);
  assert.ok(music.ended, 'beyond the range is its end');
  music.seek(100);
  assert.ok(!music.ended, 'and from there one can go back');
});

test('stereo whose sides cancel out is stretched like any other', () => {
  const tone = sine(220, 3);
  const music = player(
    tone,
    {},
    tone.map(v => -v),
  );
  music.setSpeed(0.7);
  const heard = render(music, 1);
  assert.ok(Math.abs(level(heard.slice(9_600)) - level(tone)) < 1);
  const { magnitudes, width } = spectrum(heard.slice(9_600));
  const beside = band({ magnitudes, width }, 20, 190) - band({ magnitudes, width }, 200, 240);
  assert.ok(beside < -30, `pieces that do not fit: ${beside} dB`);
});
