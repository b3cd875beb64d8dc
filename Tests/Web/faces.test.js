import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import './support/engine.js';
import { builtInFace, builtInFaces, builtInNames, faceURL, uploadOf } from '../../Web/models/faces.js';

const here = 'https://rooms.example';
Object.assign(globalThis, { document: { baseURI: `${here}/r/7` }, location: new URL(`${here}/r/7`) });

const upload = `/faces/1400000001/${'a'.repeat(26)}/medium.jpg`;
const web = path => new URL(`../../Web${path}`, import.meta.url);

test('A13-W twelve built-in faces are there, each drawn in under 2 KiB, without a script or anything from elsewhere', () => {
  assert.equal(builtInFaces.length, 12);
  assert.equal(new Set(builtInNames).size, 12);
  const drawings = builtInFaces.map(path => {
    assert.ok(existsSync(web(path)) && statSync(web(path)).size < 2048, path);
    return readFileSync(web(path), 'utf8');
  });
  assert.equal(new Set(drawings).size, 12, 'each is another');
  for (const drawing of drawings) {
    assert.match(drawing, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 96 96">/);
    assert.doesNotMatch(drawing, /<script|href|url\(|on\w+=|<style|<image/i);
  }
});

test('A13-W who has no picture gets the same built-in face everywhere, and the faces are dealt out evenly', () => {
  assert.equal(builtInFace('demo-anna'), builtInFace('demo-anna'));
  const counts = new Map(builtInFaces.map(path => [path, 0]));
  for (let i = 0; i < 12_000; i++) {
    const path = builtInFace(`demo-${i.toString(36)}`);
    counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  assert.equal(counts.size, 12);
  for (const [path, count] of counts) assert.ok(count > 700 && count < 1300, `${path}: ${count}`);
});

test('A13-W a profile names a built-in face, an upload or a picture of the web; nothing else is shown', () => {
  assert.match(faceURL('/avatars/3.svg'), /Web\/avatars\/3\.svg$/);
  assert.equal(faceURL(upload), here + upload);
  for (const stated of ['', 'https://elsewhere.example/me.jpg', 'javascript:alert(1)', 'blob:x'])
    assert.equal(faceURL(stated), '', stated);
  assert.equal(uploadOf(upload), 'a'.repeat(26));
  for (const stated of [
    '',
    '/avatars/3.svg',
    `${here}${upload}`,
    '/faces/1/short/medium.jpg',
    `/faces/1/${'a'.repeat(26)}/huge.jpg`,
    `/faces/1/../${'a'.repeat(26)}/medium.jpg`,
  ])
    assert.equal(uploadOf(stated), null, stated);
});
