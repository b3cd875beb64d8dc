import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseLyrics, placeIn } from '../../Web/models/lyrics.js';

const words = line => line.words.map(({ text, startMs, endMs }) => [text, startMs, endMs]);

test('D05-W plain LRC gives lines, each sung until the next; one text may have several times, and an offset moves all', () => {
  const { lines, timed } = parseLyrics(
    '[ti:Song]\r\n[offset:+500]\r\n[00:10.5][1:20.00]La la\n[00:12:25] second\n[00:15]\nno time\n',
  );
  assert.equal(timed, false);
  assert.deepEqual(
    lines.map(({ startMs, endMs, words: [word] }) => [startMs, endMs, word.text]),
    [
      [10_000, 11_750, 'La la'],
      [11_750, 23_750, 'second'],
      [79_500, 91_500, 'La la'],
    ],
  );
});

test('D05-W LRC with times of words gives each word its own, the last one until the time at the end', () => {
  const { lines, timed } = parseLyrics(
    '[00:01.00]<00:01.00>Hello <00:01.50>my <00:02.25>world<00:03.00>\n[00:09]x',
  );
  assert.equal(timed, true);
  assert.deepEqual(words(lines[0]), [
    ['Hello ', 1000, 1500],
    ['my ', 1500, 2250],
    ['world', 2250, 3000],
  ]);
});

test('D05-W offsets and durations after each tag are read in lines of LRC, of milliseconds and of WebVTT', () => {
  const expected = [
    ['I ', 5000, 5200],
    ['am', 5200, 5500],
  ];
  assert.deepEqual(words(parseLyrics('[00:05.00]<0,200,0>I <200,300,0>am').lines[0]), expected);
  assert.deepEqual(words(parseLyrics('[5000,600]<0,200>I <200,300>am').lines[0]), expected);
  const vtt = 'WEBVTT\n\n00:05.000 --> 00:06.000\n<0,200,0>I <200,300,0>am\n';
  assert.deepEqual(words(parseLyrics(vtt).lines[0]), expected);
});

test('D05-W WebVTT cues have times inside, classes and hours; markup is never text', () => {
  const { lines } = parseLyrics(
    'WEBVTT - song\n\nNOTE x\n\n1\n00:01.000 --> 00:04.000 align:start\n<c.a>Never </c><00:02.500><c>drink</c>\n<01:00:00.000><b>a &lt;tea&gt;</b>\n\n01:00:02.000 --> 01:00:03.500\nlate\n',
  );
  assert.deepEqual(words(lines[0]).slice(0, 2), [
    ['Never ', 1000, 2500],
    ['drink ', 2500, 3_600_000],
  ]);
  assert.equal(lines[0].words[2].text, 'a <tea>');
  assert.deepEqual([lines[1].startMs, lines[1].endMs], [3_602_000, 3_603_500]);
});

test('D05-W the place in the words is exact at every boundary, and outside of them', () => {
  const lyrics = parseLyrics('[00:01.00]<00:01.00>a<00:02.00>b<00:03.00>\n[00:10.00]c');
  assert.deepEqual(placeIn(lyrics, 999), { line: -1, word: -1, share: 0 });
  assert.deepEqual(placeIn(lyrics, 1000), { line: 0, word: 0, share: 0 });
  assert.deepEqual(placeIn(lyrics, 1500), { line: 0, word: 0, share: 0.5 });
  assert.deepEqual(placeIn(lyrics, 2000), { line: 0, word: 1, share: 0 });
  assert.deepEqual(placeIn(lyrics, 9999), { line: 0, word: 1, share: 1 });
  assert.equal(placeIn(lyrics, 10_000).line, 1);
  assert.deepEqual(placeIn({ lines: [], timed: false }, 5), { line: -1, word: -1, share: 0 });
});

test('D05-W anything that is no lyrics gives none, and never an error', () => {
  for (const text of [
    '',
    'la la',
    '\0',
    '[',
    '[99:99',
    '<>',
    'WEBVTT',
    'WEBVTT\n\n-->',
    '[00:01.00]',
    '[00:01.00]<00:',
    '[1,2]',
  ])
    assert.doesNotThrow(() => parseLyrics(text), text);
  assert.deepEqual(parseLyrics('[ar:nobody]\nla').lines, []);
  let state = 7;
  const random = most => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state % most;
  };
  const pieces = [
    '[00:01.00]',
    '<00:02.00>',
    '<1,2,0>',
    'la ',
    '\n',
    '-->',
    'WEBVTT',
    '[',
    '>',
    '00:01.000',
    '&lt;',
  ];
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: random(20) }, () => pieces[random(pieces.length)]).join('');
    for (const line of parseLyrics(text).lines) {
      assert.ok(line.endMs >= line.startMs, text);
      for (const word of line.words) assert.ok(word.endMs >= word.startMs || word.endMs >= 0, text);
    }
  }
});

test("D05-W the built-in songs' words are timed, in order, and within the song", () => {
  const songs = new URL('../../Web/songs/', import.meta.url);
  const folders = readdirSync(songs, { withFileTypes: true }).filter(entry => entry.isDirectory());
  assert.ok(folders.length >= 3);
  for (const { name } of folders) {
    const about = JSON.parse(readFileSync(new URL(`${name}/song.json`, songs), 'utf8'));
    const { lines, timed } = parseLyrics(readFileSync(new URL(`${name}/${about.lyrics}`, songs), 'utf8'));
    assert.ok(timed && lines.length >= 7, name);
    const all = lines.flatMap(line => line.words);
    for (const [i, word] of all.entries()) {
      assert.ok(
        word.endMs > word.startMs && word.startMs >= (all[i - 1]?.endMs ?? 0),
        `${name}: ${word.text}`,
      );
    }
    assert.ok(all.at(-1).endMs <= about.durationMs, name);
  }
});

test('R05-W a cue of nothing but beginnings of markup or of times is read in a time that grows with it', () => {
  // With the square of the length each of these would take minutes.
  for (const unit of ['<', '<1', '<00:', '&', '[', '<00:00.000']) {
    const cue = unit.repeat(256_000 / unit.length);
    const { lines } = parseLyrics(`WEBVTT\n\n00:00.000 --> 00:05.000\n${cue}\n`);
    assert.ok(lines.length <= 1, unit);
    parseLyrics(`[00:01.00]${cue}`);
  }
});
