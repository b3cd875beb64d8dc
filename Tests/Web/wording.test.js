import assert from 'node:assert/strict';
import { test } from 'node:test';
import { qualified, sentences, t, useLanguage } from '../../Web/lib/i18n.js';
import { strings as consoleEn } from '../../Web/strings/console/en.js';
import { strings as consoleKo } from '../../Web/strings/console/ko.js';
import { strings as consoleZh } from '../../Web/strings/console/zh-Hans.js';
import { strings as en } from '../../Web/strings/en.js';
import { strings as ko } from '../../Web/strings/ko.js';
import { strings as zh } from '../../Web/strings/zh-Hans.js';

const forms = message => (typeof message === 'string' ? [message] : Object.values(message));

/** Texts in which a word stands that the language has another one for, with what is to be said instead. */
function against(catalogues, rules) {
  const texts = catalogues.flatMap(Object.entries);
  assert.ok(texts.length > 900, 'the catalogues were read');
  return texts.flatMap(([key, message]) =>
    forms(message).flatMap(text =>
      rules
        .filter(([word]) => word.test(text))
        .map(([word, instead]) => `${key}: ${word} → ${instead}: ${text}`),
    ),
  );
}

test('R07-W Korean says one word for one thing, writes 님 without a space, and speaks in 해요체', () => {
  const found = against(
    [ko, consoleKo],
    [
      [/룸/, '방'],
      [/좌석|예약석|\}석/, '자리'],
      [/\} 님/, '}님'],
      [/[가-힣]니다(?![가-힣])/, '해요체'],
      [/열쇠/, '키'],
      [/새로 고[치쳐]/, '새로고침'],
      [/채팅 금지|이용 금지/, '제한'],
      [/당신/, '나, or nothing'],
    ],
  );
  assert.deepEqual(found, []);
});

test('R07-W Chinese says what people of voice rooms say: 麦位, 上麦, 下麦, 抱下麦, 锁麦, 闭麦, 房主, 主播 and 房管', () => {
  const found = against(
    [zh, consoleZh],
    [
      [/座位|号座|空座/, '麦位'],
      [/入座|上座|上台/, '上麦'],
      [/离座|下台/, '下麦'],
      [/(?<![申邀])请[上下]麦|申抱/, '抱上麦, 抱下麦'],
      [/(?<!舞)台上/, '麦上'],
      [/主持人/, '房主 or 主播'],
      [/协管/, '房管'],
      [/管理[员者]/, '房管 or 运营方'],
      [/钥匙/, '密钥'],
      [/您/, '你'],
      [/直播间/, '房间'],
      [/[关开][闭放]此?麦位/, '锁麦'],
      [/静音(了)?(此|你的)?麦位|麦位(已被|的)?静音/, '闭麦'],
    ],
  );
  assert.deepEqual(found, []);
});

/** The texts that break a rule of their language's punctuation. */
function breaking(catalogues, rule) {
  return catalogues
    .flatMap(Object.entries)
    .flatMap(([key, message]) => forms(message).map(text => `${key}: ${text}`))
    .filter(text => !text.startsWith('create.default') && rule.test(text.slice(text.indexOf(': ') + 2)));
}

test('R07-W English has ’ and “ ”, and … for three dots', () => {
  assert.deepEqual(breaking([en, consoleEn], /['"]|\.\.\./), []);
});

test('R07-W Korean writes a parenthesis to the word before it, with “ ” and ‘ ’, and no sign of Chinese', () => {
  assert.deepEqual(breaking([ko, consoleKo], /['"]|\.\.\.|[가-힣}] \(|[，。：；！？（）、]/), []);
});

test('R07-W Chinese has wide signs without a space after them, and a space between its letters and what is put in', () => {
  const signs = /['"]|\.\.\.|[\u4e00-\u9fff}“”][,.:;?!()](?!\w)|[，。：；！？（）、…] /;
  const spaces = /[\u4e00-\u9fff][A-Za-z0-9{]|[A-Za-z0-9}][\u4e00-\u9fff]|[\u4e00-\u9fff] [\u4e00-\u9fff]/;
  // Tags are written with spaces between them.
  const { 'create.tagsPlaceholder': _, ...sentences } = zh;
  assert.deepEqual(breaking([zh, consoleZh], signs), []);
  assert.deepEqual(breaking([withChineseWords(sentences), withChineseWords(consoleZh)], spaces), []);
});

/** Places in whose stead a Chinese word comes, in the texts whose keys begin so: the same place is a number or a name elsewhere. */
const chineseWords = { gift: '', language: '', text: '', time: 'error.', quality: 'live.' };

/** @param {Record<string, any>} catalogue */
function withChineseWords(catalogue) {
  const filled = (key, text) =>
    text.replace(/\{(\w+)\}/g, (place, name) => (key.startsWith(chineseWords[name] ?? '?') ? '字' : place));
  return Object.fromEntries(
    Object.entries(catalogue).map(([key, message]) => [key, forms(message).map(text => filled(key, text))]),
  );
}

test('R07-W Korean puts no two parentheses after each other', () => {
  const quality = ko['quality.low'];
  for (const key of ['quality.autoLowered', 'quality.autoNow', 'live.lowered'])
    assert.doesNotMatch(ko[key].replace('{quality}', quality), /\) ?\(/, key);
});

test('R07-W what is put together reads as one sentence in each language: a colon, a comma and a stop of its own, and none after “…” or a stop', async () => {
  const told = {};
  for (const name of ['en', 'ko', 'zh-Hans']) {
    await useLanguage(name);
    told[name] = [
      t('common.fact', { label: 'A', value: 'B' }),
      qualified(['A', 'B', 'C']),
      sentences('A', 'B', 'C'),
      sentences('A…', 'B'),
      sentences(t('create.formatAbout.vp8'), 'B').slice(-3),
    ];
  }
  assert.deepEqual(told, {
    en: ['A: B', 'A, B, C', 'A. B. C', 'A… B', '. B'],
    ko: ['A: B', 'A, B, C', 'A. B. C', 'A… B', '. B'],
    'zh-Hans': ['A：B', 'A，B，C', 'A。B。C', 'A…B', '）。B'],
  });
});
