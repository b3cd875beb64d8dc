import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strings as consoleKo } from '../../Web/strings/console/ko.js';
import { strings as consoleZh } from '../../Web/strings/console/zh-Hans.js';
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
    ],
  );
  assert.deepEqual(found, []);
});

test('R07-W Chinese says what people of voice rooms say: 麦位, 上麦, 下麦, 抱下麦, 锁麦, 闭麦, 房主, 主播 and 房管', () => {
  const found = against(
    [zh, consoleZh],
    [
      [/座位|号座|空座/, '麦位'],
      [/入座|上台/, '上麦'],
      [/离座|下台/, '下麦'],
      [/(?<![申邀])请[上下]麦|申抱/, '抱上麦, 抱下麦'],
      [/(?<!舞)台上/, '麦上'],
      [/主持人/, '房主 or 主播'],
      [/协管/, '房管'],
      [/直播间/, '房间'],
      [/[关开][闭放]此?麦位/, '锁麦'],
      [/静音(了)?(此|你的)?麦位|麦位(已被|的)?静音/, '闭麦'],
    ],
  );
  assert.deepEqual(found, []);
});
