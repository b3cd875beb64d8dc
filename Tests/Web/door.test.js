import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isNewEnough } from '../../Web/lib/door.js';
import { CameraModel } from '../../Web/models/camera.js';
import { MicrophoneModel } from '../../Web/models/devices.js';
import { PreferencesModel } from '../../Web/models/preferences.js';
import { OvationPeer } from '../../Web/protocol/peer.js';
import { strings as en } from '../../Web/strings/en.js';
import { strings as ko } from '../../Web/strings/ko.js';
import { strings as zh } from '../../Web/strings/zh-Hans.js';
import { FakeStorage } from './support/media.js';
import { salonTab } from './support/salon.js';
import { settle } from './support/time.js';

/** A style sheet that keeps as much of a nested rule as an engine of that age does. */
function sheetOf(nested) {
  return class {
    replaceSync() {
      this.cssRules = [{ cssRules: nested }];
    }
  };
}

const current = () => ({
  WebSocket: class {},
  HTMLDialogElement: class {},
  HTMLVideoElement: class {
    requestVideoFrameCallback() {}
  },
  CSSStyleSheet: sheetOf([{}]),
  RTCPeerConnection: class {},
});

test('V17-W a browser is let in by what it can: Safari from 17.2, Firefox from 132, Chrome from 120, with or without WebRTC', () => {
  assert.equal(isNewEnough(current()), true);
  const lockdown = current();
  delete lockdown.RTCPeerConnection;
  assert.equal(isNewEnough(lockdown), true, 'Lockdown Mode and WebKitGTK');
  const refused = {
    'Safari 16.5 to 17.1 and Chrome 112 to 119: nesting, but not for type selectors': {
      CSSStyleSheet: sheetOf([]),
    },
    'Safari 16.4: no nesting': { CSSStyleSheet: sheetOf(undefined) },
    'Safari 15.4: no sheets to construct': { CSSStyleSheet: undefined },
    'Firefox 131: no word when a frame is shown': { HTMLVideoElement: class {} },
    'Safari 15.3: no dialogs': { HTMLDialogElement: undefined },
  };
  for (const [name, lacks] of Object.entries(refused)) {
    const old = { ...current(), ...lacks };
    for (const [key, value] of Object.entries(lacks)) if (value === undefined) delete old[key];
    assert.equal(isNewEnough(old), false, name);
  }
});

test('X04-W the refusal, the README and the page on iPhones name the same least versions', () => {
  const read = path => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const texts = {
    ...Object.fromEntries([en, ko, zh].map((each, at) => [at, each['error.unsupported_browser']])),
    readme: read('README.md'),
    apple: read('Documentation/build/apple.md'),
  };
  for (const [where, text] of Object.entries(texts))
    for (const version of ['Safari 17.2', 'Firefox 132', 'Chrome 120'])
      assert.ok(
        text.includes(version) || (where === 'apple' && version !== 'Safari 17.2'),
        `${where}: ${version}`,
      );
});

test('V17-W without WebRTC one enters, reads and writes, is told so at once, and is offered no seat in silence', async t => {
  // Nothing stands in for the browser's WebRTC here, and Node has none.
  const tab = await salonTab(t, { host: { peer: room => new OvationPeer(room) } });
  await settle();
  assert.equal(tab.state.phase, 'in');
  assert.deepEqual(
    tab.state.banners.map(({ kind, error }) => [kind, error]),
    [['noMediaPath', 'webrtc_missing']],
  );
  assert.equal(tab.salon.connection.get().word, 'noMedia');
  await assert.rejects(tab.salon.seats.sit(1), { name: 'webrtc_missing' });
  await assert.rejects(tab.salon.requests.ask(), { name: 'webrtc_missing' });
  assert.equal(tab.server.of('seat.take').length + tab.server.of('invitation.send').length, 0);
  assert.equal(tab.devices.asked.length, 0, 'and the browser does not ask for a microphone');
  tab.server.on('message.send', () => ({ chat: 2, time: Date.now() }));
  const sending = tab.salon.talk.send('I can write');
  await settle();
  await sending;
  assert.equal(tab.server.of('message.send')[0].text, 'I can write');
});

test('L14-W a secure page that gets no devices says that the browser gives none, and not to use https', async t => {
  t.after(() => Reflect.deleteProperty(globalThis, 'isSecureContext'));
  const preferences = () => new PreferencesModel(new FakeStorage(), null);
  for (const [secure, word] of [
    [true, 'withheld'],
    [false, 'insecure'],
  ]) {
    Object.assign(globalThis, { isSecureContext: secure });
    const microphone = new MicrophoneModel(preferences(), undefined);
    assert.equal(microphone.state.get().permission, word);
    await assert.rejects(microphone.open(), { name: `microphone_${word}` });
    const camera = new CameraModel(preferences(), undefined);
    await assert.rejects(camera.open('live'), { name: `camera_${word}` });
    assert.equal(camera.state.get().problem, `camera_${word}`);
  }
});
