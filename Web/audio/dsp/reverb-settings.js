import { noEcho, noResonances, noSway } from './colours.js';
import { plainTail } from './feedback-network.js';
import { plainDirect } from './room.js';

// The rooms and colours that a singer can put around the voice: the same table as the native client's (ReverbSettings.swift),
// which a test holds it to.

/**
 * Levels are factors on amplitude. `lowCut` and `highCut`: the hertz that reach the room; `preDelay` and `earlySpan` in
 * milliseconds; `doubling`: tape wow or doubling of the voice itself; `sway`: chorus or flanger over all that the room
 * answers; `shimmer`: the share of the tail that returns to the room an octave higher; `width` 0 is in the middle, 1 as
 * wide as it comes.
 * @typedef {object} ReverbSettings
 * @property {Readonly<import('./room.js').DirectSettings>} direct
 * @property {Readonly<import('./colours.js').SwaySettings>} doubling
 * @property {number} directLevel
 * @property {number} lowCut
 * @property {number} highCut
 * @property {number} preDelay
 * @property {number} earlySpan
 * @property {number} earlyLevel
 * @property {Readonly<import('./feedback-network.js').TailSettings>} late
 * @property {number} lateLevel
 * @property {Readonly<import('./colours.js').SwaySettings>} sway
 * @property {Readonly<import('./colours.js').ResonanceSettings>} resonances
 * @property {Readonly<import('./colours.js').EchoSettings>} echo
 * @property {number} shimmer
 * @property {number} width
 */

/** @type {Readonly<ReverbSettings>} */
export const plainReverb = Object.freeze({
  direct: plainDirect,
  doubling: noSway,
  directLevel: 1,
  lowCut: 120,
  highCut: 10_000,
  preDelay: 10,
  earlySpan: 40,
  earlyLevel: 0.3,
  late: plainTail,
  lateLevel: 0.3,
  sway: noSway,
  resonances: noResonances,
  echo: noEcho,
  shimmer: 0,
  width: 1,
});

/** Their places are the documented numbers of `setVoiceReverbType`. */
export const reverbNames = Object.freeze(
  /** @type {const} */ ([
    'off',
    'ktv',
    'smallRoom',
    'greatHall',
    'deep',
    'loud',
    'metallic',
    'magnetic',
    'ethereal',
    'studio',
    'melodious',
  ]),
);
/** @typedef {(typeof reverbNames)[number]} ReverbName */

/** @param {Partial<import('./room.js').DirectSettings>} some */
const direct = some => ({ ...plainDirect, ...some });
/** @param {Partial<import('./feedback-network.js').TailSettings>} some */
const late = some => ({ ...plainTail, ...some });
/** @param {Partial<import('./colours.js').SwaySettings>} some */
const sway = some => ({ ...noSway, ...some });

/** @type {Record<Exclude<ReverbName, 'off'>, Partial<ReverbSettings>>} */
const presets = {
  ktv: {
    direct: direct({ treble: 1.5, threshold: -14, ratio: 2, gain: 0 }),
    preDelay: 28,
    earlySpan: 60,
    earlyLevel: 0.22,
    late: late({ lowDecay: 1.8, highDecay: 1.0, crossover: 4_500, shortest: 31, longest: 79 }),
    lateLevel: 0.34,
    echo: { time: 165, feedback: 0.42, level: 0.42 },
  },
  smallRoom: {
    lowCut: 150,
    highCut: 8_000,
    preDelay: 3,
    earlySpan: 22,
    earlyLevel: 0.62,
    late: late({
      lowDecay: 0.42,
      highDecay: 0.25,
      crossover: 4_000,
      shortest: 7,
      longest: 23,
      motionDepth: 2,
    }),
    lateLevel: 0.42,
    width: 0.7,
  },
  greatHall: {
    directLevel: 0.9,
    lowCut: 80,
    highCut: 6_000,
    preDelay: 42,
    earlySpan: 95,
    earlyLevel: 0.3,
    late: late({
      lowDecay: 3.1,
      highDecay: 1.3,
      crossover: 3_200,
      shortest: 47,
      longest: 121,
      motionDepth: 9,
    }),
    lateLevel: 0.62,
    width: 1.1,
  },
  deep: {
    direct: direct({ bass: 7, treble: -7, gain: -2.5 }),
    lowCut: 40,
    highCut: 1_600,
    preDelay: 18,
    earlySpan: 70,
    earlyLevel: 0.25,
    late: late({ lowDecay: 2.2, highDecay: 0.7, crossover: 900, shortest: 41, longest: 97 }),
    lateLevel: 0.6,
    width: 0.8,
  },
  loud: {
    direct: direct({ bass: -4, treble: 8, threshold: -24, ratio: 3.5, gain: 8 }),
    lowCut: 250,
    highCut: 16_000,
    preDelay: 6,
    earlySpan: 48,
    earlyLevel: 0.75,
    late: late({ lowDecay: 1.1, highDecay: 1.05, crossover: 6_000, shortest: 23, longest: 61 }),
    lateLevel: 0.34,
    width: 1.2,
  },
  metallic: {
    directLevel: 0.75,
    lowCut: 200,
    highCut: 14_000,
    preDelay: 4,
    earlySpan: 18,
    earlyLevel: 0.35,
    late: late({
      lowDecay: 0.9,
      highDecay: 0.9,
      crossover: 6_000,
      shortest: 5,
      longest: 13,
      motionDepth: 0,
    }),
    lateLevel: 0.18,
    resonances: { pitch: 287, decay: 1.0, level: 0.55 },
    sway: sway({ middle: 3.2, sway: 2.3, rate: 0.35, feedback: 0.62, mix: 0.5 }),
  },
  magnetic: {
    direct: direct({ bass: 6, treble: -6, drive: 3.2, gain: 0 }),
    doubling: sway({ middle: 17, sway: 0.5, rate: 0.9, mix: 0.22 }),
    lowCut: 160,
    highCut: 4_500,
    preDelay: 12,
    earlySpan: 30,
    earlyLevel: 0.18,
    late: late({ lowDecay: 0.8, highDecay: 0.4, crossover: 3_000, shortest: 17, longest: 47 }),
    lateLevel: 0.22,
    width: 0.8,
    echo: { time: 96, feedback: 0.25, level: 0.18 },
  },
  ethereal: {
    direct: direct({ bass: -3, treble: 2 }),
    directLevel: 0.8,
    lowCut: 260,
    highCut: 12_000,
    preDelay: 55,
    earlySpan: 110,
    earlyLevel: 0.15,
    late: late({
      lowDecay: 5.2,
      highDecay: 4.2,
      crossover: 6_500,
      shortest: 53,
      longest: 139,
      motionDepth: 14,
      motionRate: 0.4,
    }),
    lateLevel: 0.5,
    width: 1.3,
    shimmer: 0.35,
  },
  studio: {
    direct: direct({ bass: 2, treble: 2, threshold: -18, ratio: 2, gain: 2 }),
    lowCut: 220,
    highCut: 13_000,
    preDelay: 16,
    earlySpan: 14,
    earlyLevel: 0.1,
    late: late({
      lowDecay: 0.7,
      highDecay: 0.65,
      crossover: 7_000,
      shortest: 9,
      longest: 33,
      motionDepth: 3,
    }),
    lateLevel: 0.26,
    width: 1,
  },
  melodious: {
    direct: direct({ treble: 3 }),
    doubling: sway({ middle: 14, sway: 2.4, rate: 0.8, mix: 0.38 }),
    directLevel: 0.9,
    lowCut: 170,
    highCut: 13_000,
    preDelay: 30,
    earlySpan: 80,
    earlyLevel: 0.22,
    late: late({
      lowDecay: 2.3,
      highDecay: 1.9,
      crossover: 4_500,
      shortest: 37,
      longest: 101,
      motionDepth: 18,
      motionRate: 0.9,
    }),
    lateLevel: 0.48,
    sway: sway({ middle: 11, sway: 3.5, rate: 0.5, mix: 0.5 }),
  },
};

/**
 * By number; null for off, which changes nothing.
 * @type {readonly (Readonly<ReverbSettings> | null)[]}
 */
export const reverbPresets = Object.freeze(
  reverbNames.map(name => (name === 'off' ? null : Object.freeze({ ...plainReverb, ...presets[name] }))),
);
