import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CameraModel } from '../../Web/models/camera.js';
import { PreferencesModel } from '../../Web/models/preferences.js';
import { cameraShape, layerRates, sendQualities, wholeRate } from '../../Web/models/sending.js';
import { FakeMediaDevices } from './support/media.js';

test('L09-W each quality asks for less than the one before, and the shape turns it', () => {
  const chosen = sendQualities.slice(1).map(sendQuality => ({ sendQuality, sendShape: 'auto' }));
  const heights = chosen.map(each => /** @type {any} */ (cameraShape(each).height).ideal);
  assert.deepEqual(heights, [1080, 720, 540, 360]);
  const rates = chosen.map(({ sendQuality }) => wholeRate(sendQuality));
  assert.deepEqual(
    rates,
    rates.toSorted((a, b) => b - a),
  );
  const upright = /** @type {any} */ (cameraShape({ sendQuality: '720', sendShape: 'upright' }));
  assert.deepEqual([upright.width.ideal, upright.height.ideal], [720, 1280]);
  assert.equal(upright.aspectRatio.ideal, 9 / 16);
  assert.equal(cameraShape({ sendQuality: 'auto', sendShape: 'auto' }).aspectRatio, undefined);
  assert.deepEqual(layerRates({ sendQuality: 'of another version' }), layerRates({ sendQuality: 'auto' }));
});

test('L09-W an open camera changes its size without being let go; a closed one opens in it', async () => {
  const preferences = new PreferencesModel(null, null);
  const devices = new FakeMediaDevices([{ kind: 'videoinput', deviceId: 'front', label: 'Front' }]);
  const camera = new CameraModel(preferences, /** @type {any} */ (devices));
  preferences.change({ sendQuality: '360' });
  const track = /** @type {any} */ (await camera.open('test'));
  assert.equal(/** @type {any} */ (devices).asked.at(-1).video.height.ideal, 360);
  /** @type {any[]} */ const applied = [];
  track.applyConstraints = async (/** @type {any} */ shape) => void applied.push(shape.height.ideal);
  preferences.change({ mirror: false });
  preferences.change({ sendQuality: '1080' });
  assert.deepEqual(applied, [1080]);
  assert.equal(camera.track.get(), track);
});
