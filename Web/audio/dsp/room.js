import { DelayLine } from './delay-line.js';
import {
  amplitude,
  controlPeriod,
  denormalGuard,
  framesOf,
  onePoleCoefficient,
  rate,
  saturate,
} from './shaping.js';

// What answers a voice in a room, and what a preset does to the voice itself.

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

/**
 * Seconds in which low and high sound decays by 60 dB and the hertz between the two; milliseconds of the shortest and of
 * the longest line (the size of the room); how far lines move, in frames, and how fast, in hertz.
 * @typedef {{lowDecay: number, highDecay: number, crossover: number, shortest: number, longest: number, motionDepth: number, motionRate: number}} TailSettings
 */
/** @type {Readonly<TailSettings>} */
export const plainTail = Object.freeze({
  lowDecay: 1,
  highDecay: 0.6,
  crossover: 4_000,
  shortest: 20,
  longest: 60,
  motionDepth: 6,
  motionRate: 0.6,
});

const lines = 8;
/** 8,192 frames are 170 ms per line. */
const lineCapacity = 8_192;
/** Keeps the lengths from sharing factors, which would make echoes coincide. */
const unevenness = [0, 7, -11, 17, -5, 13, -19, 3];
/** Each line moves at its own multiple of the rate. */
const motionRatios = [1, 0.83, 1.19, 0.71, 1.33, 0.91, 1.07, 0.77];
const leftShares = [0.5, 0, -0.5, 0, 0.5, 0, -0.5, 0];
const rightShares = [0, 0.5, 0, -0.5, 0, 0.5, 0, -0.5];
/** 1/√8 keeps the energy of the Hadamard matrix. */
const scale = 1 / Math.sqrt(lines);

/**
 * The late reverberation: eight delay lines that feed one another through a Hadamard matrix, which loses no energy, so that
 * the decay is decided by the lines' own filters alone (Jot, 1991). The lines' lengths move a little, each in its own time,
 * so that no resonance stands still.
 */
export class FeedbackDelayNetwork {
  #memory = new Float32Array(lines * lineCapacity);
  #length = new Float64Array(lines);
  #delay = new Float64Array(lines);
  #slope = new Float64Array(lines);
  #damping = new Float64Array(lines);
  #lowGain = new Float64Array(lines);
  #highGain = new Float64Array(lines);
  #phase = new Float64Array(lines);
  #mixed = new Float64Array(lines);
  #position = 0;
  #dampingStep = 1;
  #motionDepth = 0;
  #motionStep = 0;

  /** @param {Readonly<TailSettings>} settings */
  configure({ lowDecay, highDecay, crossover, shortest, longest, motionDepth, motionRate }) {
    this.#dampingStep = onePoleCoefficient(crossover);
    this.#motionDepth = motionDepth;
    this.#motionStep = (motionRate * controlPeriod) / rate;
    for (let line = 0; line < lines; line++) {
      const milliseconds = shortest * (longest / shortest) ** (line / (lines - 1));
      const most = lineCapacity - controlPeriod - motionDepth;
      const length = Math.min(most, Math.round(framesOf(milliseconds) + unevenness[line]));
      this.#length[line] = length;
      this.#lowGain[line] = 10 ** ((-3 * length) / rate / lowDecay);
      this.#highGain[line] = 10 ** ((-3 * length) / rate / highDecay);
    }
    this.clear();
  }

  clear() {
    this.#memory.fill(0);
    this.#damping.fill(0);
    this.#position = 0;
    for (let line = 0; line < lines; line++) {
      this.#phase[line] = line / lines;
      this.#delay[line] = this.#length[line] + this.#motionDepth * Math.sin(2 * Math.PI * this.#phase[line]);
      this.#slope[line] = 0;
    }
  }

  /** Sets out where the lines move during the next control period. */
  move() {
    for (let line = 0; line < lines; line++) {
      let phase = this.#phase[line] + this.#motionStep * motionRatios[line];
      if (phase >= 1) phase -= 1;
      this.#phase[line] = phase;
      const target = this.#length[line] + this.#motionDepth * Math.sin(2 * Math.PI * phase);
      this.#slope[line] = (target - this.#delay[line]) / controlPeriod;
    }
  }

  /**
   * Replaces both channels by what comes out of the lines.
   * @param {Float32Array} left @param {Float32Array} right @param {number} count
   */
  process(left, right, count) {
    const mask = lineCapacity - 1;
    const memory = this.#memory;
    const mixed = this.#mixed;
    for (let frame = 0; frame < count; frame++) {
      const position = this.#position;
      let leftOut = 0;
      let rightOut = 0;
      for (let line = 0; line < lines; line++) {
        const exact = this.#delay[line];
        this.#delay[line] = exact + this.#slope[line];
        const whole = Math.floor(exact);
        const start = line * lineCapacity;
        const near = memory[start + ((position - whole) & mask)];
        const far = memory[start + ((position - whole - 1) & mask)];
        const sample = near + (exact - whole) * (far - near);
        const low = this.#damping[line] + this.#dampingStep * (sample - this.#damping[line]);
        this.#damping[line] = low;
        const high = this.#highGain[line];
        const damped = high * sample + (this.#lowGain[line] - high) * low;
        mixed[line] = damped;
        leftOut += damped * leftShares[line];
        rightOut += damped * rightShares[line];
      }
      hadamard(mixed);
      const leftIn = left[frame] + denormalGuard;
      const rightIn = right[frame] + denormalGuard;
      for (let line = 0; line < lines; line++) {
        memory[line * lineCapacity + (position & mask)] =
          mixed[line] + leftIn * leftShares[line] + rightIn * rightShares[line];
      }
      left[frame] = leftOut;
      right[frame] = rightOut;
      this.#position = (position + 1) & 0x3fffffff;
    }
  }
}

/**
 * The orthogonal 8 × 8 Hadamard matrix by three rounds of sums and differences.
 * @param {Float64Array} x
 */
function hadamard(x) {
  for (let span = 1; span < lines; span *= 2) {
    for (let i = 0; i < lines; i++) {
      if (i & span) continue;
      const a = x[i];
      const b = x[i + span];
      x[i] = a + b;
      x[i + span] = a - b;
    }
  }
  for (let i = 0; i < lines; i++) x[i] *= scale;
}
