import { highPass, highShelf, lowPass, peak } from './biquad.js';
import { noEcho, noResonances, noSway } from './colours.js';

// The characters that a speaker can slip into: the same table as the native client's (VoiceSettings.swift), which a test
// holds it to.

/**
 * `pitch` and `formants` are new over old; `fixedPitch` in hertz gives every voiced sound this pitch (0: follows the
 * voice); vibrato in hertz and share of the pitch; `wandering` in semitones, between which the speech melody strays at
 * irregular times; `jitter`: share by which single periods differ; `growl` 0…1: how much softer every second period is.
 * @typedef {{pitch: number, formants: number, fixedPitch: number, vibratoRate: number, vibratoDepth: number, wandering: number, jitter: number, growl: number}} ShifterSettings
 */
/** @type {Readonly<ShifterSettings>} */
export const plainShifter = Object.freeze({
  pitch: 1,
  formants: 1,
  fixedPitch: 0,
  vibratoRate: 0,
  vibratoDepth: 0,
  wandering: 0,
  jitter: 0,
  growl: 0,
});

/**
 * Up to four filters before and behind the distortion; `ring`: multiplication with a sine; `drive` into saturation;
 * `tremolo`, chopped or swelling; `buzz` and `sparks` of a live wire, as loud as the voice allows; `octave` above, added;
 * `gain` in decibels.
 * @typedef {object} ColourSettings
 * @property {readonly import('./biquad.js').Coefficients[]} bandsBefore
 * @property {readonly import('./biquad.js').Coefficients[]} bands
 * @property {{rate: number, mix: number}} ring
 * @property {number} drive
 * @property {{rate: number, depth: number, isChopped: boolean}} tremolo
 * @property {number} buzz
 * @property {number} sparks
 * @property {Readonly<import('./colours.js').ResonanceSettings>} resonances
 * @property {number} octave
 * @property {Readonly<import('./colours.js').SwaySettings>} sway
 * @property {Readonly<import('./colours.js').EchoSettings>} echo
 * @property {number} gain
 */
/** @type {Readonly<ColourSettings>} */
export const plainColour = Object.freeze({
  bandsBefore: [],
  bands: [],
  ring: { rate: 0, mix: 0 },
  drive: 0,
  tremolo: { rate: 0, depth: 0, isChopped: false },
  buzz: 0,
  sparks: 0,
  resonances: noResonances,
  octave: 0,
  sway: noSway,
  echo: noEcho,
  gain: 0,
});

/** @typedef {{shifter: Readonly<ShifterSettings>, colour: Readonly<ColourSettings>}} VoiceSettings */

/** Their places are the documented numbers of `setVoiceChangerType`. */
export const voiceNames = Object.freeze(
  /** @type {const} */ ([
    'off',
    'naughtyKid',
    'lolita',
    'uncle',
    'heavyMetal',
    'cold',
    'foreignAccent',
    'trappedBeast',
    'indoorsman',
    'strongCurrent',
    'heavyMachinery',
    'ethereal',
  ]),
);
/** @typedef {(typeof voiceNames)[number]} VoiceName */

/** @type {Record<Exclude<VoiceName, 'off'>, {shifter?: Partial<ShifterSettings>, colour: Partial<ColourSettings>}>} */
const presets = {
  naughtyKid: {
    shifter: { pitch: 1.5, formants: 1.3 },
    colour: { bands: [highPass(180), peak(3_400, { q: 0.9, gain: 4 })] },
  },
  lolita: {
    shifter: { pitch: 1.8, formants: 1.17, vibratoRate: 5.8, vibratoDepth: 0.012 },
    colour: {
      bands: [highPass(260), peak(1_100, { q: 0.8, gain: -4 }), highShelf(5_500, { gain: 7 })],
      gain: 3,
    },
  },
  uncle: {
    shifter: { pitch: 0.75, formants: 0.85 },
    colour: { bands: [peak(190, { q: 0.7, gain: 4 }), highShelf(4_500, { gain: -4 })] },
  },
  heavyMetal: {
    shifter: { pitch: 0.84, formants: 0.95 },
    colour: {
      bandsBefore: [highPass(140), peak(850, { q: 0.7, gain: 8 })],
      drive: 40,
      bands: [peak(600, { q: 0.8, gain: -5 }), peak(2_900, { q: 1, gain: 6 }), lowPass(5_200)],
      gain: -1.5,
    },
  },
  cold: {
    shifter: { pitch: 0.94, formants: 0.95 },
    colour: {
      bands: [
        peak(300, { q: 1.4, gain: 9 }),
        peak(1_000, { q: 0.9, gain: -16 }),
        lowPass(2_300),
        highPass(130),
      ],
      gain: 4,
    },
  },
  foreignAccent: {
    shifter: { pitch: 1.06, formants: 1.08, wandering: 5 },
    colour: { bands: [peak(1_700, { q: 0.8, gain: 4 })] },
  },
  trappedBeast: {
    shifter: { pitch: 0.56, formants: 0.72, jitter: 0.05, growl: 0.65 },
    colour: {
      drive: 4,
      bands: [peak(140, { q: 0.8, gain: 5 }), lowPass(3_400)],
      tremolo: { rate: 23, depth: 0.35, isChopped: false },
      gain: 3,
    },
  },
  indoorsman: {
    shifter: { pitch: 0.85, formants: 0.79 },
    colour: { bands: [peak(240, { q: 0.8, gain: 3 }), lowPass(1_700)], gain: 1 },
  },
  strongCurrent: {
    colour: {
      tremolo: { rate: 100, depth: 0.95, isChopped: true },
      drive: 5,
      bands: [highPass(220), peak(2_400, { q: 1.2, gain: 6 })],
      buzz: 0.5,
      sparks: 2.2,
      gain: 3,
    },
  },
  heavyMachinery: {
    shifter: { formants: 0.9, fixedPitch: 82 },
    colour: {
      resonances: { pitch: 176, decay: 0.35, level: 0.9 },
      drive: 6,
      ring: { rate: 61, mix: 0.4 },
      bands: [highPass(70), lowPass(6_500)],
      tremolo: { rate: 7.5, depth: 0.45, isChopped: true },
      gain: 3,
    },
  },
  ethereal: {
    shifter: { pitch: 1.06, formants: 1.1, vibratoRate: 4.2, vibratoDepth: 0.008 },
    colour: {
      bands: [highPass(420), highShelf(5_000, { gain: 6 })],
      octave: 0.4,
      sway: { middle: 13, sway: 4.5, rate: 0.7, feedback: 0.35, mix: 0.5 },
      tremolo: { rate: 3.1, depth: 0.25, isChopped: false },
      echo: { time: 210, feedback: 0.55, level: 0.55 },
      gain: 2,
    },
  },
};

/**
 * By number; null for off, which changes nothing.
 * @type {readonly (Readonly<VoiceSettings> | null)[]}
 */
export const voicePresets = Object.freeze(
  voiceNames.map(name => {
    if (name === 'off') return null;
    const { shifter, colour } = presets[name];
    return Object.freeze({
      shifter: Object.freeze({ ...plainShifter, ...shifter }),
      colour: Object.freeze({ ...plainColour, ...colour }),
    });
  }),
);
