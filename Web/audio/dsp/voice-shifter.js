import { PitchMarks, ringFrames, unvoicedPeriod } from './pitch-marks.js';
import { PitchTracker } from './pitch-tracker.js';
import { controlPeriod, framesOf, Randomness, rate } from './shaping.js';
import { plainShifter } from './voice-settings.js';

const mask = ringFrames - 1;

/**
 * From a sound to its changed self, in frames: 32 ms. Two periods of a voice must be heard before the piece around them
 * can begin to sound; see `#halfWidth`.
 */
export const shifterLatency = 1_536;

/**
 * Changes pitch and formants of a voice apart from each other (pitch-synchronous overlap-add): takes the voice apart into
 * pieces of two periods, lays them out at the distance of the new pitch, and plays each piece itself faster or slower, which
 * moves the formants. Breath and consonants keep their place and only change their colour.
 */
export class VoiceShifter {
  #source = new Float32Array(ringFrames);
  #sum = new Float32Array(ringFrames);
  #tracker = new PitchTracker();
  #marks = new PitchMarks();
  #settings = plainShifter;
  /** Frames heard so far; a multiple of the control period when pieces are laid. */
  #now = 0;
  /** Where the next piece's middle goes. */
  #next = 0;
  #isEven = false;
  #random = new Randomness();
  #vibratoPhase = 0;
  #melody = 0;
  #melodyTarget = 0;
  #melodyLeft = 0;
  #reach = (/** @type {number} */ period) => this.#halfWidth(period);

  /**
   * Takes effect from piece to piece, therefore without a click.
   * @param {Readonly<import('./voice-settings.js').ShifterSettings>} settings
   */
  configure(settings) {
    this.#settings = settings;
  }

  clear() {
    this.#source.fill(0);
    this.#sum.fill(0);
    this.#tracker.clear();
    this.#marks.clear();
    this.#now = 0;
    this.#next = 0;
    this.#isEven = false;
    this.#random.reset();
    this.#vibratoPhase = 0;
    this.#melody = 0;
    this.#melodyTarget = 0;
    this.#melodyLeft = 0;
  }

  /**
   * In place, `shifterLatency` later.
   * @param {Float32Array} sound @param {number} count at most what is left of a control period
   */
  process(sound, count) {
    if (this.#now % controlPeriod === 0) {
      this.#marks.extend(this.#source, this.#now, this.#tracker.period);
      this.#inflect();
      this.#lay();
    }
    this.#tracker.push(sound, count);
    for (let frame = 0; frame < count; frame++) {
      const place = (this.#now + frame) & mask;
      this.#source[place] = sound[frame];
      sound[frame] = this.#sum[place];
      this.#sum[place] = 0;
    }
    this.#now += count;
  }

  /** Moves vibrato and speech melody on by one control period. */
  #inflect() {
    const { vibratoRate, wandering } = this.#settings;
    this.#vibratoPhase += (vibratoRate * controlPeriod) / rate;
    if (this.#vibratoPhase >= 1) this.#vibratoPhase -= 1;
    if (wandering === 0) {
      this.#melody = 0;
      return;
    }
    this.#melodyLeft -= controlPeriod;
    if (this.#melodyLeft <= 0) {
      // A new turn every 130…360 ms: about as long as syllables, never in step with them.
      this.#melodyLeft = Math.floor(framesOf(130 + 230 * this.#random.unit()));
      this.#melodyTarget = wandering * this.#random.signed();
    }
    // Glides there within about 60 ms.
    this.#melody += 0.011 * (this.#melodyTarget - this.#melody);
  }

  /** Lays every piece that must begin to sound within the next control period. */
  #lay() {
    const { formants, growl } = this.#settings;
    for (;;) {
      const mark = this.#marks.nearest(this.#next - shifterLatency, this.#now, this.#reach);
      if (mark < 0) {
        // Before the first mark there was silence.
        if (this.#next >= this.#now + controlPeriod) return;
        this.#next += unvoicedPeriod;
        continue;
      }
      const period = this.#marks.period(mark);
      const half = this.#halfWidth(period);
      if (this.#next - half / formants >= this.#now + controlPeriod) return;
      const isVoiced = this.#marks.isVoiced(mark);
      const distance = this.#distance(period, isVoiced);
      // Closer pieces add up, shorter pieces carry less: together they keep the power of the voice.
      let gain = Math.sqrt((formants * distance) / period);
      this.#isEven = !this.#isEven;
      if (isVoiced && this.#isEven) gain *= 1 - growl;
      this.#add(this.#marks.position(mark), half, gain);
      this.#next += distance;
    }
  }

  /** @param {number} period @param {boolean} isVoiced */
  #distance(period, isVoiced) {
    const { fixedPitch, pitch, vibratoDepth, jitter } = this.#settings;
    if (!isVoiced) return period;
    if (fixedPitch > 0) return rate / fixedPitch;
    let ratio = pitch;
    if (vibratoDepth > 0) ratio *= 1 + vibratoDepth * Math.sin(2 * Math.PI * this.#vibratoPhase);
    if (this.#melody !== 0) ratio *= 2 ** (this.#melody / 12);
    if (jitter > 0) ratio *= 1 + jitter * this.#random.signed();
    return period / ratio;
  }

  /**
   * Frames of the source to either side of a mark. One period; less for very low voices, whose pieces must have been heard
   * and begin to sound within the latency.
   * @param {number} period
   */
  #halfWidth(period) {
    const most = (shifterLatency - controlPeriod - period / 2) / (1 + 1 / this.#settings.formants);
    return Math.min(period, most);
  }

  /**
   * Adds one piece, faded in and out over its whole length.
   * @param {number} mark @param {number} half @param {number} gain
   */
  #add(mark, half, gain) {
    const { formants } = this.#settings;
    const input = this.#source;
    const output = this.#sum;
    const next = this.#next;
    const reach = half / formants;
    const first = Math.max(this.#now, Math.ceil(next - reach));
    const last = Math.floor(next + reach);
    const middle = Math.floor(mark);
    for (let index = first; index <= last; index++) {
      const offset = index - next;
      // 3v² − 2v³ like a Hann window adds up to one with its neighbour, and needs no cosine.
      const v = Math.max(0, 1 - Math.abs(offset) / reach);
      const window = v * v * (3 - 2 * v);
      const exact = offset * formants + (mark - middle);
      const whole = Math.floor(exact);
      const t = exact - whole;
      const place = middle + whole;
      const a = input[(place - 1) & mask];
      const b = input[place & mask];
      const c = input[(place + 1) & mask];
      const d = input[(place + 2) & mask];
      // Catmull–Rom.
      const slope = 0.5 * (c - a);
      const bend = a - 2.5 * b + 2 * c - 0.5 * d;
      const twist = 0.5 * (d - a) + 1.5 * (b - c);
      output[index & mask] += gain * window * (b + t * (slope + t * (bend + t * twist)));
    }
  }
}
