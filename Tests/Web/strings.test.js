import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  addTexts,
  dynamicKeys,
  errorText,
  language,
  preferredLanguage,
  t,
  useFirstLanguage,
  useLanguage,
} from '../../Web/lib/i18n.js';
import { clientErrors, OvationError, serverErrors } from '../../Web/protocol/errors.js';
import { strings as consoleEn } from '../../Web/strings/console/en.js';
import { strings as consoleKo } from '../../Web/strings/console/ko.js';
import { strings as consoleZh } from '../../Web/strings/console/zh-Hans.js';
import { strings as appEn } from '../../Web/strings/en.js';
import { strings as appKo } from '../../Web/strings/ko.js';
import { strings as appZh } from '../../Web/strings/zh-Hans.js';

await useLanguage('en');
const en = { ...appEn, ...consoleEn };
const ko = { ...appKo, ...consoleKo };
const zh = { ...appZh, ...consoleZh };

const catalogues = { en, ko, 'zh-Hans': zh };
const web = fileURLToPath(new URL('../../Web/', import.meta.url));

/** Every script that speaks to people. */
function sources(folder = web) {
  return readdirSync(folder).flatMap(name => {
    const path = `${folder}/${name}`;
    if (statSync(path).isDirectory())
      return ['strings', 'example', 'protocol'].includes(name) ? [] : sources(path);
    return name.endsWith('.js') ? [readFileSync(path, 'utf8')] : [];
  });
}
const code = sources()
  .join('\n')
  .replace(/^\s*(\*|\/\/|\/\*\*).*$/gm, '');
const literals = new Set([...code.matchAll(/['"`]([a-z]\w*(?:\.[\w-]+)+)['"`]/gi)].map(([, text]) => text));
const spaces = new Set(Object.keys(en).map(key => key.split('.')[0]));

const forms = message => (typeof message === 'string' ? [message] : Object.values(message));
const places = text => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
const placesOf = message => [...new Set(forms(message).flatMap(places))].sort();

test('R07-W every language has a text for every key, and no other', () => {
  assert.ok(Object.keys(en).length > 150, 'the catalogue was read');
  for (const [language, catalogue] of Object.entries(catalogues)) {
    assert.deepEqual(Object.keys(catalogue).sort(), Object.keys(en).sort(), language);
  }
});

test('R04-W what the console alone says is not loaded by the app', () => {
  assert.ok(Object.keys(consoleEn).length > 300, 'the catalogue was read');
  assert.deepEqual(
    Object.keys(appEn).filter(key => key.startsWith('console.')),
    [],
  );
  assert.deepEqual(
    Object.keys(consoleEn).filter(key => !key.startsWith('console.')),
    [],
  );
});

test('R07-W every key that a page asks for is there', () => {
  const unknown = [...literals].filter(text => spaces.has(text.split('.')[0]) && !(text in en));
  // Names of the wire, of modules and of events are written alike; they are no keys.
  const wire =
    /^(room|seat|message|invitation|microphone|session|profile|role|chat|news|media|error|connection)\.[a-z]+$/;
  const asked = [...code.matchAll(/\b(?:t|parts)\(\s*'([^']+)'/g)].map(([, key]) => key);
  assert.ok(asked.length > 80, 'calls were found');
  assert.deepEqual(
    asked.filter(key => !(key in en)),
    [],
  );
  assert.deepEqual(
    unknown.filter(text => !wire.test(text) && !text.endsWith('.js')),
    [],
  );
});

test('R07-W every key is used by a page, or belongs to a family that is put together while running', () => {
  const unused = Object.keys(en).filter(
    key => !literals.has(key) && !dynamicKeys.some(start => key.startsWith(start)),
  );
  assert.deepEqual(unused, []);
  for (const start of dynamicKeys) {
    assert.ok(
      Object.keys(en).some(key => key.startsWith(start)),
      `${start} has members`,
    );
    assert.ok(
      code.includes(`\`${start}\${`) || code.includes(`'${start}'`),
      `${start} is put together somewhere`,
    );
  }
});

test('R07-W a text has the same places in every language', () => {
  for (const [language, catalogue] of Object.entries(catalogues)) {
    for (const key of Object.keys(en))
      assert.deepEqual(placesOf(catalogue[key]), placesOf(en[key]), `${language} ${key}`);
  }
});

test('R07-W plurals have exactly the forms that their language needs', () => {
  for (const [language, catalogue] of Object.entries(catalogues)) {
    const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [key, message] of Object.entries(catalogue)) {
      if (typeof message === 'string') continue;
      assert.deepEqual(Object.keys(message).sort(), [...needed].sort(), `${language} ${key}`);
    }
  }
});

test('R04-W each number of the overview has a label in the singular and the plural', () => {
  const page = readFileSync(new URL('../../Web/console/pages/overview.js', import.meta.url), 'utf8');
  const counted = [...page.matchAll(/t\('(console\.overview\.\w+)', \{ count/g)].map(([, key]) => key);
  assert.deepEqual(
    Object.keys(en).filter(key => key.startsWith('console.overview.') && typeof en[key] !== 'string'),
    counted,
  );
  for (const key of counted) assert.notEqual(en[key].one, en[key].other, key);
  assert.deepEqual(en['console.overview.rooms'], { one: 'open room', other: 'open rooms' });
});

test('R07-W no page joins a name and its value with a colon of its own', () => {
  // Times of day and keys have a colon without a space.
  const template = /\}(?:(?::\s|：)\s*(?:\$\{|`)|[:：]\s*<)/;
  const sum = /(?<!\s)(?::\s|：)['"`]\s*\+|(?<!['"`])\+\s*['"`](?::\s|：)/;
  const call = /\b(?:join|concat)\(\s*['"`](?::\s|：)/;
  const joins = line => [template, sum, call].some(way => way.test(line));
  // Here places are written with @.
  const joined = [
    '`@{name}: @{value}`',
    '`@{name}：@{value}`',
    '`@{name}: ` + value',
    '`<dt>@{name}:</dt>`',
    "name + ': ' + value",
    'name + "：" + value',
    "t('coins.name') + ': '",
    "'Name: ' + value",
    "[name, value].join(': ')",
    "name.concat(': ', value)",
  ];
  assert.deepEqual(
    joined.filter(line => !joins(line.replaceAll('@', '$'))),
    [],
    'what the pattern must see',
  );
  assert.equal(joins('`@{minutes}:@{seconds}`'.replaceAll('@', '$')), false);
  assert.deepEqual(code.split('\n').filter(joins), []);
});

test('R07-W no text is empty or left in English by mistake', () => {
  for (const key of Object.keys(en)) {
    for (const catalogue of Object.values(catalogues)) {
      for (const text of forms(catalogue[key])) assert.ok(text.trim().length > 0, key);
    }
  }
  const words = key =>
    forms(en[key])
      .join(' ')
      .replace(/\{\w+\}/g, '')
      .trim();
  const same = Object.keys(en).filter(
    key =>
      /[a-z]{3,} [a-z]{3,}/i.test(words(key)) &&
      [ko, zh].some(other => forms(other[key]).join(' ') === forms(en[key]).join(' ')),
  );
  assert.deepEqual(same, []);
  assert.match(forms(ko['signIn.submit']).join(), /[가-힣]/);
  assert.match(forms(zh['signIn.submit']).join(), /[\u4e00-\u9fff]/);
});

test('R07-W every error has a sentence in every language', () => {
  const names = [...Object.keys(serverErrors), ...Object.keys(clientErrors)];
  for (const [language, catalogue] of Object.entries(catalogues)) {
    const missing = names.filter(name => !(`error.${name}` in catalogue));
    assert.deepEqual(missing, [], language);
  }
  // A page may refuse something itself, before it asks anybody.
  const own = [...code.matchAll(/new OvationError\('(\w+)'/g)].map(([, name]) => name);
  const known = new Set([...names, ...own, 'other', 'said']);
  const strangers = Object.keys(en)
    .filter(key => key.startsWith('error.') && !key.startsWith('error.invalid_params.'))
    .filter(key => !known.has(key.slice('error.'.length)));
  assert.deepEqual(strangers, [], 'no sentence for an error that does not exist');
});

test("V17-W every code that the server's sources can answer has a sentence in English, Korean and Chinese", () => {
  const source = path => readFileSync(new URL(`../../Sources/${path}`, import.meta.url), 'utf8');
  const table = source('Model/RoomModel/RoomError.swift');
  const numbers = new Map(
    [...table.matchAll(/^ +case \.(\w+):\s+\((-?\d+), /gm)].map(([, id, number]) => [id, number]),
  );
  const codes = [...table.matchAll(/^ +case (\w+) = "(\w+)"/gm)].map(([line, id, name]) => [
    line,
    name,
    numbers.get(id),
  ]);
  const farewells = [
    ...source('Server/Signalling/Sockets/SocketCloseReason.swift').matchAll(/name: "(\w+)"/g),
  ];
  const door = [...source('Server/HTTP/Requests/HTTPReply.swift').matchAll(/name: "(origin_\w+)"/g)];
  const names = [...codes, ...farewells, ...door].map(([, name]) => name);
  assert.ok(codes.length >= 40 && farewells.length >= 2 && door.length === 1, 'the sources were read');
  // From this one the page comes back by itself, before anybody could read a sentence.
  const unseen = new Set(['too_slow']);
  for (const [language, catalogue] of Object.entries(catalogues)) {
    assert.deepEqual(
      names.filter(name => !unseen.has(name) && !(`error.${name}` in catalogue)),
      [],
      language,
    );
  }
  for (const [, name, code] of codes) assert.equal(serverErrors[name], Number(code), name);
});

test('V17-W two refusals never share a sentence, and what ends a session says what to do next', () => {
  const sentences = new Map();
  for (const name of [...Object.keys(serverErrors), ...Object.keys(clientErrors)]) {
    const text = errorText(new OvationError(name));
    assert.equal(sentences.get(text), undefined, `${name} says what ${sentences.get(text)} says`);
    sentences.set(text, name);
  }
  const session = readFileSync(new URL('../../Web/protocol/session.js', import.meta.url), 'utf8');
  const list = session.slice(session.indexOf('const finalErrors'));
  const final = [...list.slice(0, list.indexOf(']')).matchAll(/'(\w+)'/g)].map(([, name]) => name);
  assert.ok(final.length >= 10, 'the list was read');
  // The page of that one has a button which takes the session back.
  const told = final.filter(name => name !== 'session_replaced');
  for (const name of told)
    assert.match(errorText(new OvationError(name)), /[.:] .+\.$|[Pp]lease|[Ss]ign in/, name);
});

test("V17-W an error that this page does not know is told in the server's own words, with its name", () => {
  const error = OvationError.fromWire({
    code: 77,
    message: 'the moon is too low',
    data: { name: 'of_tomorrow' },
  });
  const text = errorText(error);
  assert.ok(text.includes('the moon is too low') && text.includes('of_tomorrow'), text);
  const silent = errorText(OvationError.fromWire({ code: 77, data: { name: 'of_tomorrow' } }));
  assert.ok(silent.includes('of_tomorrow') && !silent.includes('“'), silent);
});

test('R07-W wrong Origin, clock skew and an expired ticket are three different sentences', () => {
  const sentences = ['origin_refused', 'ticket_not_yet_valid', 'ticket_expired'].map(name =>
    errorText(new OvationError(name)),
  );
  assert.equal(new Set(sentences).size, 3);
  assert.equal(
    errorText(new OvationError('of_tomorrow')).includes('of_tomorrow'),
    true,
    'an unknown error is named',
  );
});

test("R07-W the browser's wishes choose the language", () => {
  for (const [wishes, language] of [
    [['ko-KR', 'en'], 'ko'],
    [['zh-CN'], 'zh-Hans'],
    [['zh-TW'], 'zh-Hans'],
    [['fr', 'ko'], 'ko'],
    [['de'], 'en'],
    [[], 'en'],
    [['EN-gb', 'ko'], 'en'],
  ]) {
    assert.equal(preferredLanguage(wishes), language, wishes.join());
  }
});

test('R12-W a language is loaded when it is shown: the one asked for last stays, and who cannot have theirs reads another', async () => {
  /** @type {(() => void)[]} */ const arrivals = [];
  addTexts({
    en: async () => ({ strings: {} }),
    ko: () => new Promise(resolve => arrivals.push(() => resolve({ strings: { 'late.text': '늦은 글' } }))),
    'zh-Hans': () => Promise.reject(new TypeError('the network is gone')),
  });
  await useLanguage('en');
  assert.equal(t('late.text'), 'late.text', 'nobody loaded Korean');
  const slow = useLanguage('ko');
  await useLanguage('en');
  for (const arrive of arrivals) arrive();
  await slow;
  assert.equal(language.get(), 'en', 'asked for last');
  await useLanguage('ko');
  assert.deepEqual(
    [language.get(), t('late.text'), t('common.loading')],
    ['ko', '늦은 글', appKo['common.loading']],
  );
  await assert.rejects(useLanguage('zh-Hans'));
  assert.equal(language.get(), 'ko');
  await useFirstLanguage('zh-Hans');
  assert.equal(language.get(), 'en');
});
