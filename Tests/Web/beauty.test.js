import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Store } from '../../Web/lib/store.js';
import { BeautyModel } from '../../Web/models/beauty.js';
import { PreferencesModel } from '../../Web/models/preferences.js';

/** @param {string} name */
const picture = name => /** @type {any} */ ({ name });

/** A camera, and pipelines that begin and fail when the test says so. */
function setUp() {
  const camera = {
    track: new Store(/** @type {MediaStreamTrack | null} */ (null)),
    state: new Store({ facesMe: true }),
  };
  const preferences = new PreferencesModel(null, null);
  /** @type {any[]} */ const pipelines = [];
  const startPipeline = (
    /** @type {any} */ source,
    /** @type {any} */ levels,
    /** @type {() => void} */ failed,
  ) =>
    new Promise((resolve, reject) => {
      const track = picture(`${source.name}, changed`);
      const pipeline = { mode: 'worker', track, levels: [levels], ended: false, failed, refuse: reject };
      pipelines.push(
        Object.assign(pipeline, {
          begin: () => resolve(/** @type {any} */ (pipeline)),
          set: (/** @type {any} */ next) => pipeline.levels.push(next),
          end: () => {
            pipeline.ended = true;
          },
        }),
      );
    });
  let loads = 0;
  const load = async () => {
    loads += 1;
    return { startPipeline };
  };
  const beauty = new BeautyModel(/** @type {any} */ (camera), preferences, /** @type {any} */ (load));
  return { beauty, camera, preferences, pipelines, loads: () => loads };
}

const settled = () => new Promise(resolve => setImmediate(resolve));

test('L13-W without beauty the camera is shown as it is, and nothing is loaded', async () => {
  const { beauty, camera, loads } = setUp();
  const plain = picture('plain');
  camera.track.set(plain);
  await settled();
  assert.equal(beauty.track.get(), plain);
  assert.equal(beauty.state.get().mode, 'off');
  assert.equal(loads(), 0);
});

test('L13-W a camera that opens with beauty on is not shown before the first changed picture, nor the next camera', async () => {
  const { beauty, camera, preferences, pipelines } = setUp();
  preferences.change({ beauty: true });
  camera.track.set(picture('front'));
  await settled();
  assert.equal(beauty.track.get(), null);
  assert.equal(beauty.state.get().mode, 'starting');
  pipelines[0].begin();
  await settled();
  assert.equal(beauty.track.get(), pipelines[0].track);
  camera.track.set(null);
  assert.equal(beauty.track.get(), null);
  assert.equal(pipelines[0].ended, true);
  camera.track.set(picture('rear'));
  await settled();
  assert.equal(beauty.track.get(), null);
});

test('L13-W who was seen plainly stays so until the first changed picture; off shows the plain picture again', async () => {
  const { beauty, camera, preferences, pipelines } = setUp();
  const plain = picture('plain');
  camera.track.set(plain);
  preferences.change({ beauty: true });
  await settled();
  assert.equal(beauty.track.get(), plain);
  pipelines[0].begin();
  await settled();
  assert.equal(beauty.track.get(), pipelines[0].track);
  preferences.change({ beauty: false });
  assert.equal(beauty.track.get(), plain);
  assert.equal(pipelines[0].ended, true);
});

test('L13-W levels reach what runs, and nonsense in the storage becomes a level', async () => {
  const { camera, preferences, pipelines } = setUp();
  camera.track.set(picture('plain'));
  preferences.change({ beauty: true, beautySmooth: 99, beautyWhiten: -3, beautyRuddy: Number.NaN });
  await settled();
  pipelines[0].begin();
  await settled();
  preferences.change({ beautySmooth: 7, beautyStyle: 'strong' });
  const { levels } = pipelines[0];
  assert.deepEqual(levels[0], { smooth: 9, whiten: 0, ruddy: 0, style: 'balanced', mirror: false });
  assert.deepEqual(levels.at(-1), { smooth: 7, whiten: 0, ruddy: 0, style: 'strong', mirror: false });
  assert.equal(pipelines.length, 1);
});

test('L13-W when it fails, at the start or later, nothing is shown until one tries again or switches it off', async () => {
  const { beauty, camera, preferences, pipelines } = setUp();
  const plain = picture('plain');
  camera.track.set(plain);
  preferences.change({ beauty: true });
  await settled();
  pipelines[0].refuse(new Error('no WebGL 2'));
  await settled();
  assert.equal(beauty.track.get(), null);
  assert.equal(beauty.state.get().mode, 'failed');
  beauty.retry();
  await settled();
  assert.equal(beauty.track.get(), null, 'not the plain picture meanwhile');
  pipelines[1].begin();
  await settled();
  pipelines[1].failed();
  assert.equal(beauty.track.get(), null);
  preferences.change({ beauty: false });
  assert.equal(beauty.track.get(), plain);
  assert.equal(beauty.state.get().mode, 'off');
});

test('L13-W a start that comes after beauty was switched off is ended', async () => {
  const { beauty, camera, preferences, pipelines } = setUp();
  const plain = picture('plain');
  camera.track.set(plain);
  preferences.change({ beauty: true });
  await settled();
  preferences.change({ beauty: false });
  pipelines[0].begin();
  await settled();
  assert.equal(pipelines[0].ended, true);
  assert.equal(beauty.track.get(), plain);
});

test('L10-W the mirror for everyone changes what is sent alone, and I see myself as I have chosen', async () => {
  const { beauty, camera, preferences, pipelines } = setUp();
  const plain = picture('plain');
  camera.track.set(plain);
  assert.equal(beauty.turns(plain), true);
  preferences.change({ mirrorSent: true });
  await settled();
  assert.equal(beauty.turns(beauty.track.get()), true, 'still the plain picture');
  pipelines[0].begin();
  await settled();
  assert.deepEqual(pipelines[0].levels[0], {
    smooth: 0,
    whiten: 0,
    ruddy: 0,
    style: 'balanced',
    mirror: true,
  });
  assert.equal(beauty.turns(beauty.track.get()), false, 'it is turned already');
  assert.equal(beauty.turns(plain), true);
  preferences.change({ mirror: false });
  assert.equal(beauty.turns(beauty.track.get()), true);
  camera.state.set({ facesMe: false });
  assert.equal(beauty.turns(beauty.track.get()), false);
  preferences.change({ mirrorSent: false });
  assert.equal(beauty.track.get(), plain);
});
