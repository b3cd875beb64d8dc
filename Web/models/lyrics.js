// Words with their times, as files bring them: LRC (plain, or with a time for each word), WebVTT (with times inside a cue),
// and lines that give offset and duration of each word as `<offset,duration,0>word`.

/** @typedef {{text: string, startMs: number, endMs: number}} LyricWord */
/** @typedef {{startMs: number, endMs: number, words: LyricWord[]}} LyricLine a line without times of words has one word */
/** @typedef {{lines: LyricLine[], timed: boolean}} Lyrics `timed`: words have times of their own */

/** A song of an hour has fewer lines. */
const linesMost = 5_000;
/** A line without an end is sung for at most so long. */
const lineMostMs = 12_000;

/**
 * @param {string} text
 * @returns {Lyrics}
 */
export function parseLyrics(text) {
  const body = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const lines = body.startsWith('WEBVTT') ? fromVTT(body) : fromLRC(body);
  const sorted = lines
    .filter(line => line.words.some(({ text }) => text.trim() !== ''))
    .sort((a, b) => a.startMs - b.startMs)
    .slice(0, linesMost);
  sorted.forEach((line, i) => {
    close(line, sorted[i + 1]?.startMs ?? Infinity);
  });
  return { lines: sorted, timed: sorted.some(({ words }) => words.length > 1) };
}

/**
 * Where in the words a position is.
 * @param {Lyrics} lyrics
 * @param {number} positionMs
 * @returns {{line: number, word: number, share: number}} -1 before the first; `share` of the word that is sung, 0…1
 */
export function placeIn({ lines }, positionMs) {
  let line = lines.length - 1;
  while (line >= 0 && lines[line].startMs > positionMs) line--;
  if (line < 0) return { line, word: -1, share: 0 };
  const { words } = lines[line];
  let word = words.length - 1;
  while (word >= 0 && words[word].startMs > positionMs) word--;
  if (word < 0) return { line, word, share: 0 };
  const { startMs, endMs } = words[word];
  const share = endMs > startMs ? Math.min(1, (positionMs - startMs) / (endMs - startMs)) : 1;
  return { line, word, share };
}

/** @param {string} body @returns {LyricLine[]} */
function fromLRC(body) {
  /** @type {LyricLine[]} */ const found = [];
  let offset = 0;
  for (const line of body.split('\n')) {
    const tag = /^\s*\[offset:\s*([+-]?\d{1,6})\s*\]/i.exec(line);
    if (tag) {
      // A positive offset shows the words sooner.
      offset = -Number(tag[1]);
      continue;
    }
    const ranged = /^\s*\[(\d{1,8}),(\d{1,7})\](.*)$/.exec(line);
    if (ranged) {
      const startMs = Number(ranged[1]);
      found.push(withOffsets(ranged[3], startMs, startMs + Number(ranged[2])));
      continue;
    }
    const times = [];
    let rest = line.trimStart();
    for (let match = lineTime.exec(rest); match; match = lineTime.exec(rest)) {
      times.push(milliseconds(match[1], match[2]));
      rest = rest.slice(match[0].length);
    }
    // One text may be sung at several times.
    for (const startMs of times) found.push(withWordTimes(rest, startMs));
  }
  return offset === 0 ? found : found.map(line => shifted(line, offset));
}

const lineTime = /^\[(\d{1,3}):(\d{1,2}(?:[.:]\d{1,3})?)\]\s*/;
const wordTime = /<(\d{1,3}):(\d{1,2}(?:[.:]\d{1,3})?)>/g;

/**
 * `<00:12.30>word <00:12.80>word<00:13.10>`; times before the line's belong to a text that is sung again.
 * @param {string} text @param {number} startMs @returns {LyricLine}
 */
function withWordTimes(text, startMs) {
  if (/^\s*<-?\d+,\d+(,\d+)?>/.test(text)) return withOffsets(text, startMs, Number.NaN);
  const parts = text.split(wordTime);
  /** @type {LyricWord[]} */ const words = [];
  if (parts[0].trim() !== '') words.push({ text: parts[0], startMs, endMs: Number.NaN });
  let endMs = Number.NaN;
  // Text, minutes, seconds, text, …
  for (let i = 1; i + 2 < parts.length; i += 3) {
    const at = milliseconds(parts[i], parts[i + 1]);
    const word = parts[i + 2];
    if (words.length > 0) words[words.length - 1].endMs = at;
    if (word.trim() === '') endMs = at;
    else words.push({ text: word, startMs: at, endMs: Number.NaN });
  }
  return { startMs, endMs, words };
}

/**
 * `<offset,duration,0>word`, offsets from the line's start.
 * @param {string} text @param {number} startMs @param {number} endMs @returns {LyricLine}
 */
function withOffsets(text, startMs, endMs) {
  const words = [...text.matchAll(/<(-?\d{1,7}),(\d{1,7})(?:,\d+)?>([^<]*)/g)].map(
    ([, offset, duration, word]) => {
      const at = startMs + Number(offset);
      return { text: word, startMs: at, endMs: at + Number(duration) };
    },
  );
  if (words.length === 0) return { startMs, endMs, words: [{ text: text.trim(), startMs, endMs }] };
  return { startMs, endMs: Number.isNaN(endMs) ? words[words.length - 1].endMs : endMs, words };
}

/** @param {string} body @returns {LyricLine[]} */
function fromVTT(body) {
  return body.split(/\n{2,}/).flatMap(block => {
    const lines = block.split('\n');
    const at = lines.findIndex(line => line.includes('-->'));
    const times =
      at >= 0 &&
      /^\s*(?:(\d+):)?(\d{2}):(\d{2}\.\d{3})\s+-->\s+(?:(\d+):)?(\d{2}):(\d{2}\.\d{3})/.exec(lines[at]);
    if (!times) return [];
    const startMs = vttTime(times[1], times[2], times[3]);
    const endMs = vttTime(times[4], times[5], times[6]);
    const text = lines
      .slice(at + 1)
      .join(' ')
      .trimEnd();
    return [/<-?\d+,\d+(,\d+)?>/.test(text) ? withOffsets(text, startMs, endMs) : cue(text, startMs, endMs)];
  });
}

/** @param {string} text @param {number} startMs @param {number} endMs @returns {LyricLine} */
function cue(text, startMs, endMs) {
  /** @type {LyricWord[]} */ const words = [];
  let at = startMs;
  let first = true;
  for (const part of text.split(/(<(?:\d{1,4}:)?\d{2}:\d{2}\.\d{3}>)/)) {
    const time = /^<(?:(\d+):)?(\d{2}):(\d{2}\.\d{3})>$/.exec(part);
    if (time) {
      at = vttTime(time[1], time[2], time[3]);
      const last = words[words.length - 1];
      if (last && Number.isNaN(last.endMs)) last.endMs = at;
      first = false;
      continue;
    }
    const plain = unescaped(part.replace(/<[^<>]*>/g, ''));
    if (plain.trim() === '' && (first || words.length === 0)) continue;
    if (plain.trim() === '') words[words.length - 1].text += plain;
    else words.push({ text: plain, startMs: at, endMs: Number.NaN });
  }
  return { startMs, endMs, words };
}

/**
 * Gives every word an end: the next one's start, the line's, or the next line's.
 * @param {LyricLine} line @param {number} next
 */
function close(line, next) {
  const { words } = line;
  if (!(line.endMs > line.startMs)) line.endMs = Math.min(next, line.startMs + lineMostMs);
  words.forEach((word, i) => {
    if (!(word.endMs >= word.startMs)) word.endMs = words[i + 1]?.startMs ?? line.endMs;
  });
}

/** @param {LyricLine} line @param {number} ms @returns {LyricLine} */
function shifted(line, ms) {
  const move = (/** @type {number} */ at) => Math.max(0, at + ms);
  return {
    startMs: move(line.startMs),
    endMs: move(line.endMs),
    words: line.words.map(word => ({ ...word, startMs: move(word.startMs), endMs: move(word.endMs) })),
  };
}

/** @param {string} minutes @param {string} seconds with a fraction after `.` or, as some write, `:` */
function milliseconds(minutes, seconds) {
  return Math.round(Number(minutes) * 60_000 + Number(seconds.replace(':', '.')) * 1000);
}

/** @param {string | undefined} hours @param {string} minutes @param {string} seconds */
function vttTime(hours, minutes, seconds) {
  return Math.round(Number(hours ?? 0) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000);
}

/** @param {string} text */
function unescaped(text) {
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&nbsp;/g, '\u00a0')
    .replace(/&amp;/g, '&');
}
