import { controlPeriod, denormalGuard, framesOf, onePoleCoefficient, rate } from './shaping.js';

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
