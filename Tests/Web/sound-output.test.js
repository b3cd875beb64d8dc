import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SoundOutput } from '../../Web/lib/sound-output.js';
import { settle } from './support/time.js';

/** A context, and a page's `<audio>`, of which each may lack the choice of a device. */
function setUp({ moves = false, elements = true, refuses = false } = {}) {
  const destination = { name: 'system' };
  const made = [];
  const node = {
    to: [],
    connect: to => void node.to.push(to),
    disconnect: () => {
      node.to = [];
    },
  };
  const context = {
    destination,
    createGain: () => node,
    createMediaStreamDestination: () => ({ name: 'aside', stream: 'stream' }),
    ...(moves && {
      setSinkId: async id => {
        context.sink = id;
      },
    }),
  };
  const document = {
    createElement: () => {
      const audio = {
        srcObject: null,
        paused: true,
        play: async () => {
          audio.paused = false;
        },
        pause: () => {
          audio.paused = true;
        },
        ...(elements && {
          setSinkId: async id => {
            if (refuses) throw new DOMException('', 'NotFoundError');
            audio.sink = id;
          },
        }),
      };
      made.push(audio);
      return audio;
    },
  };
  const output = new SoundOutput(/** @type {any} */ (context), /** @type {any} */ (document));
  return { output, context, made, goes: () => node.to.map(({ name }) => name) };
}

test('V13-W music, tones and the ear monitor come out of the chosen device, also where a context cannot be moved', async () => {
  const firefox = setUp();
  assert.deepEqual(firefox.goes(), ['system']);
  await firefox.output.route('headphones');
  const [audio] = firefox.made;
  assert.deepEqual([audio.sink, audio.srcObject, audio.paused], ['headphones', 'stream', false]);
  assert.deepEqual(firefox.goes(), ['aside'], 'and out of no other');
  await firefox.output.route('');
  assert.deepEqual([firefox.goes(), audio.paused], [['system'], true]);
  await firefox.output.route('headphones');
  firefox.output.close();
  await settle();
  assert.deepEqual([firefox.goes(), audio.paused, firefox.made.length], [[], true, 1]);

  const unplugged = setUp();
  await unplugged.output.route('headphones');
  unplugged.made[0].setSinkId = async () => {
    throw new DOMException('', 'NotFoundError');
  };
  await unplugged.output.route('another');
  assert.deepEqual(unplugged.goes(), ['system'], 'rather than out of the one that was chosen before');

  const chromium = setUp({ moves: true });
  await chromium.output.route('headphones');
  assert.deepEqual([chromium.context.sink, chromium.goes(), chromium.made], ['headphones', ['system'], []]);
});

test('V13-W without a choice of devices, and with one that is gone, the system’s goes on sounding', async () => {
  for (const lacks of [{ elements: false }, { refuses: true }]) {
    const { output, goes } = setUp(lacks);
    await output.route('headphones');
    assert.deepEqual(goes(), ['system']);
  }
});
