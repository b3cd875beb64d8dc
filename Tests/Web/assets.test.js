import assert from 'node:assert/strict';
import { test } from 'node:test';
import './support/engine.js';
import { allowPictures, coverURL, isPictureElsewhere, pictureURL } from '../../Web/lib/assets.js';

const here = 'https://rooms.example';
Object.assign(globalThis, { document: { baseURI: `${here}/r/7` }, location: new URL(`${here}/r/7`) });

test('R05-W pictures are shown of the own server and of named sites, by the whole origin', () => {
  allowPictures(['https://pictures.example']);
  assert.equal(pictureURL('/a.png'), `${here}/a.png`);
  assert.equal(pictureURL('https://pictures.example/b.png'), 'https://pictures.example/b.png');
  for (const stated of [
    'https://pictures.example.evil/b.png',
    'http://pictures.example/b.png',
    'https://pictures.example:8443/b.png',
    'https://rooms.example@evil.example/b.png',
    '//evil.example/b.png',
  ]) {
    assert.equal(pictureURL(stated), '', stated);
    assert.equal(isPictureElsewhere(stated), true, stated);
  }
  for (const stated of ['', 'javascript:alert(1)', 'data:image/png;base64,AAAA', 'https://', 'ftp://x/y']) {
    assert.equal(pictureURL(stated), '', stated);
    assert.equal(isPictureElsewhere(stated), false, stated);
  }
  assert.equal(isPictureElsewhere('/a.png'), false);
  allowPictures([]);
  assert.equal(pictureURL('https://pictures.example/b.png'), '');
});

test('R05-W a cover is one of the app, or a picture like any', () => {
  assert.match(coverURL('covers/moon.svg'), /covers\/moon\.svg$/);
  assert.equal(coverURL('covers/../secret.svg'), `${here}/secret.svg`.replace('secret', 'r/secret'));
  assert.equal(coverURL('https://elsewhere.example/x.svg'), '');
});
