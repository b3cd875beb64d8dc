import { DelayLine, OnePole } from './delay-line.js';
import { controlPeriod, denormalGuard, framesOf, rate } from './shaping.js';

// Parts that the reverbs and the voice changer have in common.

/**
 * Delay in the middle and its sway to either side in milliseconds, `rate` in hertz, `feedback` −0.9…0.9, `mix` the share
 * of the delayed sound; the sound itself keeps the rest of the power.
 * @typedef {{middle: number, sway: number, rate: number, feedback: number, mix: number}} SwaySettings
 */
/** @type {Readonly<SwaySettings>} */
export const noSway = Object.freeze({ middle: 0, sway: 0, rate: 0.5, feedback: 0, mix: 0 });

/**
 * A delay that sways: short and fed back it is a flanger, longer and beside the sound itself a chorus, slow and slight the
 * wow of a tape.
 */
export class ModulatedDelay {
  static #capacity = 2_000;
  #line = new DelayLine(ModulatedDelay.#capacity);
  #settings = noSway;
  #startPhase;
  #phase;
  #delay = 1;
  #slope = 0;
  #direct = 1;
  #delayed = 0;

  /** @param {number} phase 0…1, sets the sides of a stereo pair apart */
  constructor(phase) {
    this.#startPhase = phase;
    this.#phase = phase;
  }

  /** @param {Readonly<SwaySettings>} settings */
  configure(settings) {
    this.#settings = settings;
    // Equal power: the delayed sound is nearly uncorrelated with the sound itself.
    this.#delayed = Math.sqrt(settings.mix);
    this.#direct = Math.sqrt(1 - settings.mix);
    this.clear();
  }

  clear() {
    this.#line.clear();
    this.#phase = this.#startPhase;
    this.#delay = this.#target();
    this.#slope = 0;
  }

  #target() {
    const { middle, sway } = this.#settings;
    const frames = framesOf(middle + sway * Math.sin(2 * Math.PI * this.#phase));
    return Math.max(1, Math.min(ModulatedDelay.#capacity, frames));
  }

  /** Sets out how the delay sways during the next control period. */
  move() {
    if (this.#settings.mix === 0) return;
    this.#phase += (this.#settings.rate * controlPeriod) / rate;
    if (this.#phase >= 1) this.#phase -= 1;
    this.#slope = (this.#target() - this.#delay) / controlPeriod;
  }

  /**
   * In place.
   * @param {Float32Array} sound @param {number} count at most one control period
   */
  process(sound, count) {
    const { mix, feedback } = this.#settings;
    if (mix === 0) return;
    for (let frame = 0; frame < count; frame++) {
      this.#delay += this.#slope;
      const past = this.#line.between(this.#delay);
      const sample = sound[frame];
      this.#line.write(sample + feedback * past + denormalGuard);
      sound[frame] = this.#direct * sample + this.#delayed * past;
    }
  }
}

/**
 * Hertz of the lowest one, seconds in which the ringing decays by 60 dB, and level; 0 is off.
 * @typedef {{pitch: number, decay: number, level: number}} ResonanceSettings
 */
/** @type {Readonly<ResonanceSettings>} */
export const noResonances = Object.freeze({ pitch: 0, decay: 1, level: 0 });

/** Not multiples of one another: inharmonic, therefore metallic. */
const ratios = [1, 1.51, 2.13, 2.83];
const signs = [1, -1, 1, -1];

/** Four tuned combs that ring at pitches of their own, as a pipe or a sheet of iron does. */
export class Resonances {
  #lines = ratios.map(() => new DelayLine(1_024));
  #delays = new Float64Array(ratios.length);
  #gains = new Float64Array(ratios.length);
  #level = 0;

  /** @param {Readonly<ResonanceSettings>} settings @param {number} [detune] the other side rings a little apart */
  configure({ pitch, decay, level }, detune = 1) {
    this.#level = level;
    for (let i = 0; i < ratios.length; i++) {
      const delay = pitch > 0 ? Math.max(2, Math.min(1_000, rate / (pitch * detune * ratios[i]))) : 2;
      this.#delays[i] = delay;
      this.#gains[i] = 10 ** ((-3 * delay) / rate / decay);
    }
    this.clear();
  }

  clear() {
    for (const line of this.#lines) line.clear();
  }

  /**
   * Adds the ringing of `sound` to `sum`.
   * @param {Float32Array} sound @param {Float32Array} sum @param {number} count
   */
  process(sound, sum, count) {
    if (this.#level === 0) return;
    for (let i = 0; i < ratios.length; i++) {
      const line = this.#lines[i];
      const delay = this.#delays[i];
      const gain = this.#gains[i];
      const level = this.#level * signs[i];
      for (let frame = 0; frame < count; frame++) {
        // Fed at about the share that the feedback leaves, so that a tone on a resonance does not tower over the rest.
        const ring = line.between(delay);
        line.write((sound[frame] + denormalGuard) * 0.2 + gain * ring);
        sum[frame] += level * ring;
      }
    }
  }
}

/**
 * Milliseconds until the first repeat and from one to the next on the other side, what is left of a repeat in the next
 * one (0…0.9), and level; 0 is off.
 * @typedef {{time: number, feedback: number, level: number}} EchoSettings
 */
/** @type {Readonly<EchoSettings>} */
export const noEcho = Object.freeze({ time: 0, feedback: 0, level: 0 });

/** Distinct repeats that change sides, a little duller each time. */
export class SlapEcho {
  static #capacity = 16_000;
  #left = new DelayLine(SlapEcho.#capacity);
  #right = new DelayLine(SlapEcho.#capacity);
  #dullLeft = new OnePole(3_500);
  #dullRight = new OnePole(3_500);
  #delay = 1;
  #feedback = 0;
  #level = 0;

  /** @param {Readonly<EchoSettings>} settings */
  configure({ time, feedback, level }) {
    this.#delay = Math.max(1, Math.min(SlapEcho.#capacity, Math.floor(framesOf(time))));
    this.#feedback = feedback;
    this.#level = level;
    this.clear();
  }

  clear() {
    this.#left.clear();
    this.#right.clear();
    this.#dullLeft.clear();
    this.#dullRight.clear();
  }

  /**
   * Adds the repeats of both sides, heard as one, to the sums.
   * @param {Float32Array} left @param {Float32Array} right
   * @param {Float32Array} sumLeft @param {Float32Array} sumRight @param {number} count
   */
  process(left, right, sumLeft, sumRight, count) {
    if (this.#level === 0) return;
    for (let frame = 0; frame < count; frame++) {
      const echoLeft = this.#dullLeft.low(this.#left.at(this.#delay));
      const echoRight = this.#dullRight.low(this.#right.at(this.#delay));
      this.#left.write(0.5 * (left[frame] + right[frame]) + this.#feedback * echoRight + denormalGuard);
      this.#right.write(this.#feedback * echoLeft + denormalGuard);
      sumLeft[frame] += this.#level * echoLeft;
      // The first repeat is heard a little on the other side as well: no ear is left empty.
      sumRight[frame] += this.#level * (echoRight + 0.35 * echoLeft);
    }
  }
}

/** Frames between one head's returns: 85 ms. */
const grain = 4_096;

/**
 * The octave above of a diffuse sound: two play heads run through the latest 85 ms at double speed and take turns. Coarse
 * for a voice, right for a tail, in which the seams are lost.
 */
export class OctaveShimmer {
  #line = new DelayLine(grain);
  #window = Float32Array.from({ length: grain }, (_, frame) => Math.sin((Math.PI * frame) / grain) ** 2);
  #head = 0;
  // In a feedback loop the octave of next to nothing hertz is next to nothing hertz, and what is above 12 kHz would come
  // back below: neither may go round.
  #lowCut = new OnePole(250);
  #highCut = new OnePole(6_000);

  clear() {
    this.#line.clear();
    this.#head = 0;
    this.#lowCut.clear();
    this.#highCut.clear();
  }

  /** @param {number} sample */
  next(sample) {
    this.#line.write(this.#highCut.low(sample - this.#lowCut.low(sample)));
    const head = this.#head;
    const other = (head + grain / 2) & (grain - 1);
    // A head that starts far back and comes one frame nearer per frame hears the past at double speed.
    const sum =
      this.#window[head] * this.#line.at(grain - head) + this.#window[other] * this.#line.at(grain - other);
    this.#head = (head + 1) & (grain - 1);
    return sum;
  }
}
