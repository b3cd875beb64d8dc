import { DelayLine } from './delay-line.js';
import {
  amplitude,
  controlPeriod,
  denormalGuard,
  framesOf,
  onePoleCoefficient,
  saturate,
} from './shaping.js';

// What a preset does to the voice itself, and the first answers of a room.

/**
 * Decibels below 220 Hz and above 3 kHz (gentle shelves), drive into saturation (0: none), compression of what is louder
 * than `threshold` dBFS (0: none) by `ratio`, and gain in decibels before the saturation.
 * @typedef {{bass: number, treble: number, drive: number, threshold: number, ratio: number, gain: number}} DirectSettings
 */
/** @type {Readonly<DirectSettings>} */
export const plainDirect = Object.freeze({ bass: 0, treble: 0, drive: 0, threshold: 0, ratio: 1, gain: 0 });

/** What a preset does to the voice itself before any room answers: bass and treble, compression, saturation. */
export class DirectSound {
  #bassStep = onePoleCoefficient(220);
  #trebleStep = onePoleCoefficient(3_000);
  /** The compressor follows a rise within about 3 ms and a fall within about 100 ms. */
  #attack = onePoleCoefficient(50);
  #release = onePoleCoefficient(1.6);
  #settings = plainDirect;
  #bassGain = 0;
  #trebleGain = 0;
  #relief = 1;
  #gain = 1;
  #low = 0;
  #smooth = 0;
  #envelope = 0;
  #pressed = 1;
  #slope = 0;

  /** @param {Readonly<DirectSettings>} settings */
  configure(settings) {
    this.#settings = settings;
    this.#bassGain = amplitude(settings.bass) - 1;
    this.#trebleGain = amplitude(settings.treble) - 1;
    // Loud passages lose to the curve what quiet ones gain; a voice's usual level stays.
    this.#relief = settings.drive > 0 ? 0.2 / saturate(0.2 * settings.drive) : 1;
    this.#gain = amplitude(settings.gain);
    this.clear();
  }

  clear() {
    this.#low = 0;
    this.#smooth = 0;
    this.#envelope = 0;
    this.#pressed = 1;
    this.#slope = 0;
  }

  /** Sets out how the compressor moves during the next control period. */
  move() {
    const { threshold, ratio } = this.#settings;
    let target = 1;
    if (threshold < 0) {
      const over = 20 * Math.log10(Math.max(this.#envelope, 1e-6)) - threshold;
      if (over > 0) target = amplitude(-over * (1 - 1 / ratio));
    }
    this.#slope = (target - this.#pressed) / controlPeriod;
  }

  /**
   * In place.
   * @param {Float32Array} sound @param {number} count at most one control period
   */
  process(sound, count) {
    const { drive } = this.#settings;
    for (let frame = 0; frame < count; frame++) {
      let sample = sound[frame] + denormalGuard;
      this.#low += this.#bassStep * (sample - this.#low);
      sample += this.#bassGain * this.#low;
      this.#smooth += this.#trebleStep * (sample - this.#smooth);
      sample += this.#trebleGain * (sample - this.#smooth);
      const rise = Math.abs(sample) - this.#envelope;
      this.#envelope += (rise > 0 ? this.#attack : this.#release) * rise;
      this.#pressed += this.#slope;
      sample *= this.#pressed * this.#gain;
      sound[frame] = drive > 0 ? saturate(sample * drive) * this.#relief : sample;
    }
  }
}

/** Where the taps lie between 0 and the end of the early part; the two sides never coincide. */
const leftTimes = [0.07, 0.16, 0.29, 0.38, 0.54, 0.66, 0.83, 1.0];
const rightTimes = [0.09, 0.2, 0.25, 0.43, 0.5, 0.72, 0.79, 0.96];
const levels = [0.55, -0.48, 0.43, 0.37, -0.33, 0.28, -0.24, 0.2];
/** Pre-delay and early part together, in frames: 250 ms. */
const earlyCapacity = 12_000;
const smearGain = 0.62;
const smearLeft = [229, 347, 587];
const smearRight = [251, 331, 601];

/**
 * The first echoes of the walls: eight per side, at times and levels that differ between the sides, so that the room has
 * width. Also the pre-delay: what feeds the late reverberation leaves here later and smeared by all-passes.
 */
export class EarlyReflections {
  #left = new DelayLine(earlyCapacity);
  #right = new DelayLine(earlyCapacity);
  #smearsLeft = smearLeft.map(() => new DelayLine(640));
  #smearsRight = smearRight.map(() => new DelayLine(640));
  #leftDelays = new Int32Array(levels.length);
  #rightDelays = new Int32Array(levels.length);
  #preDelay = 1;

  /** @param {number} preDelay milliseconds until the room answers @param {number} span of the reflections after it */
  configure(preDelay, span) {
    this.#preDelay = Math.max(1, Math.min(earlyCapacity, Math.floor(framesOf(preDelay))));
    for (let tap = 0; tap < levels.length; tap++) {
      this.#leftDelays[tap] = this.#delay(leftTimes[tap] * span);
      this.#rightDelays[tap] = this.#delay(rightTimes[tap] * span);
    }
    this.clear();
  }

  /** @param {number} milliseconds */
  #delay(milliseconds) {
    return Math.min(earlyCapacity, this.#preDelay + Math.floor(framesOf(milliseconds)));
  }

  clear() {
    this.#left.clear();
    this.#right.clear();
    for (const line of this.#smearsLeft) line.clear();
    for (const line of this.#smearsRight) line.clear();
  }

  /**
   * Takes the sound of both sides; reflections go to `earlyLeft` and `earlyRight`, the sound is replaced by what goes on
   * into the late reverberation.
   * @param {Float32Array} left @param {Float32Array} right
   * @param {Float32Array} earlyLeft @param {Float32Array} earlyRight @param {number} count
   */
  process(left, right, earlyLeft, earlyRight, count) {
    this.#left.writeBlock(left, count);
    this.#right.writeBlock(right, count);
    earlyLeft.fill(0, 0, count);
    earlyRight.fill(0, 0, count);
    for (let tap = 0; tap < levels.length; tap++) {
      this.#left.addTo(this.#leftDelays[tap], levels[tap], earlyLeft, count);
      this.#right.addTo(this.#rightDelays[tap], levels[tap], earlyRight, count);
    }
    left.fill(0, 0, count);
    right.fill(0, 0, count);
    this.#left.addTo(this.#preDelay, 1, left, count);
    this.#right.addTo(this.#preDelay, 1, right, count);
    for (let i = 0; i < smearLeft.length; i++) {
      this.#smearsLeft[i].smear(left, smearLeft[i], smearGain, count);
      this.#smearsRight[i].smear(right, smearRight[i], smearGain, count);
    }
  }
}
