import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { highPass, highShelf, lowPass, peak } from '../../Web/audio/dsp/biquad.js';
import { noSway } from '../../Web/audio/dsp/colours.js';
import { plainReverb, reverbNames, reverbPresets } from '../../Web/audio/dsp/reverb-settings.js';
import { plainColour, plainShifter, voiceNames, voicePresets } from '../../Web/audio/dsp/voice-settings.js';

const read = name => readFileSync(new URL(`../../Sources/Audio/AudioGraph/${name}`, import.meta.url), 'utf8');
const band = {
  highPass,
  lowPass,
  peak: (f, shape) => peak(f, shape),
  highShelf: (f, shape) => highShelf(f, shape),
};

/** The value of a Swift expression as these tables have them: numbers, lists, `.init(name: value)`, `.peak(…)`. */
function value(text) {
  const js = text
    .replace(/(\d)_(?=\d)/g, '$1')
    .replace(/\.init\(([^()]*)\)/g, '({$1})')
    .replace(/\.(highPass|lowPass)\(([^()]*)\)/g, 'band.$1($2)')
    .replace(/\.(peak|highShelf)\((\d+), ([^()]*)\)/g, 'band.$1($2, {$3})');
  return Function('band', `return (${js});`)(band);
}

/** Each `case .name:` of a preset table with what it sets, dotted names included. */
function table(source) {
  const found = {};
  for (const [, name, body] of source.matchAll(
    /case \.(\w+):(?! return)([\s\S]*?)(?=\n {8}case|\n {8}\}\n)/g,
  )) {
    const settings = {};
    // One statement a line: what is broken within brackets is joined first.
    const lines = body.replace(/[([][^()[\]]*(?:\([^()]*\)[^()[\]]*)*[)\]]/g, text =>
      text.replace(/\s*\n\s*/g, ' '),
    );
    for (const line of lines
      .split('\n')
      .map(text => text.trim())
      .filter(Boolean)) {
      const [left, right] = line.split(/ = (.*)/s);
      const names = left.startsWith('(') ? left.slice(1, -1).split(', ') : [left];
      const values = left.startsWith('(') ? value(`[${right.slice(1, -1)}]`) : [value(right)];
      for (const [i, each] of names.entries()) settings[each] = values[i];
    }
    found[name] = settings;
  }
  return found;
}

test('V15-W reverbs have the documented numbers, and the very settings of the native client', () => {
  assert.equal(reverbNames.length, 11);
  assert.equal(reverbPresets[0], null);
  const native = table(read('Reverb/ReverbSettings.swift'));
  assert.deepEqual(Object.keys(native), reverbNames.slice(1));
  const cases = [...read('Reverb/ReverbPreset.swift').matchAll(/case (\w+) = (\d+)/g)];
  assert.deepEqual(
    cases.map(([, name]) => name),
    [...reverbNames],
  );
  for (const [name, settings] of Object.entries(native)) {
    const expected = { ...plainReverb };
    for (const [key, own] of Object.entries(settings)) {
      assert.ok(key in expected, `${name}: ${key}`);
      expected[key] = typeof own === 'object' ? { ...plainReverb[key], ...own } : own;
    }
    assert.deepEqual({ ...reverbPresets[reverbNames.indexOf(name)] }, expected, name);
  }
});

test('V15-W voices have the documented numbers, and the very settings of the native client', () => {
  assert.equal(voiceNames.length, 12);
  const native = table(read('VoiceChanger/VoiceSettings.swift'));
  assert.deepEqual(Object.keys(native), voiceNames.slice(1));
  const cases = [...read('VoiceChanger/VoicePreset.swift').matchAll(/case (\w+) = (\d+)/g)];
  assert.deepEqual(
    cases.map(([, name]) => name),
    [...voiceNames],
  );
  for (const [name, { shifter = {}, ...colours }] of Object.entries(native)) {
    const colour = { ...plainColour };
    for (const [key, own] of Object.entries(colours)) {
      const part = key.replace('colour.', '');
      assert.ok(part in colour, `${name}: ${key}`);
      const nested = typeof own === 'object' && !Array.isArray(own);
      colour[part] = nested ? { ...plainColour[part], ...own } : own;
    }
    const found = voicePresets[voiceNames.indexOf(name)];
    assert.deepEqual({ ...found.shifter }, { ...plainShifter, ...shifter }, name);
    assert.deepEqual({ ...found.colour }, colour, name);
  }
  assert.equal(noSway.mix, 0);
});
