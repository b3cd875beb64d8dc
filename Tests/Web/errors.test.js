import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { clientErrors, OvationError, serverErrors } from '../../Web/protocol/errors.js';

const manual = readFileSync(new URL('../../Documentation/build/protocol.md', import.meta.url), 'utf8');

test('every error of the protocol manual is known here with its number', () => {
  const section = manual.slice(manual.indexOf('## 3.'), manual.indexOf('## 4.'));
  const rows = [...section.matchAll(/^\| `(\w+)` \| (-?\d+) \|/gm)];
  assert.ok(rows.length >= 40, `the table was read: ${rows.length} rows`);
  for (const [, name, code] of rows) assert.equal(serverErrors[name], Number(code), name);
});

test('every error that is known here is one that the manual says a server sends', () => {
  const told = [...manual.matchAll(/`(\w+)` (?:\| (-?\d+) \||\((-?\d+)\))/g)];
  const numbers = new Map(told.map(([, name, inTable, inText]) => [name, Number(inTable ?? inText)]));
  assert.deepEqual(
    Object.entries(serverErrors).filter(([name, code]) => numbers.get(name) !== code),
    [],
  );
});

test('this side has no error of a name that the server has', () => {
  for (const name of Object.keys(clientErrors)) assert.equal(name in serverErrors, false, name);
});

test('a refusal keeps its name, number and what the server added', () => {
  const error = OvationError.fromWire({
    code: 10006,
    message: 'slow down',
    data: { name: 'rate_limited', retryAfterMs: 750 },
  });
  assert.ok(error instanceof Error);
  assert.equal(error.name, 'rate_limited');
  assert.equal(error.code, 10006);
  assert.equal(error.message, 'slow down');
  assert.equal(error.retryAfterMs, 750);
});

test('a refusal without a name gets the one of its number, an unknown number "internal"', () => {
  assert.equal(OvationError.fromWire({ code: 10056, message: '' }).name, 'seat_taken');
  assert.equal(OvationError.fromWire({ code: 1, message: '' }).name, 'internal');
  assert.equal(
    OvationError.fromWire({ code: 77, message: '', data: { name: 'of_tomorrow' } }).name,
    'of_tomorrow',
  );
  assert.equal(
    OvationError.fromWire({ code: 20409, name: 'name_taken', message: 'taken' }).name,
    'name_taken',
  );
});

test('whatever is thrown becomes an OvationError', () => {
  const own = new OvationError('offline');
  assert.equal(OvationError.of(own), own);
  assert.equal(OvationError.of(Object.assign(new Error('stop'), { name: 'AbortError' })).name, 'aborted');
  assert.equal(OvationError.of(new TypeError('x')).name, 'internal');
  assert.equal(OvationError.of('text').message, 'text');
  assert.equal(new OvationError('offline', undefined, { data: { retryAfterMs: -5 } }).retryAfterMs, null);
});
