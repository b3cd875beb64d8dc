import { Biquad } from './biquad.js';
import { ModulatedDelay, OctaveShimmer, Resonances, SlapEcho } from './colours.js';
import { OnePole } from './delay-line.js';
import { amplitude, controlPeriod, denormalGuard, Randomness, rate, saturate } from './shaping.js';
import { plainColour } from './voice-settings.js';

const mostBands = 4;
const block = () => new Float32Array(controlPeriod);
const filters = () => Array.from({ length: mostBands }, () => new Biquad());

/**
 * A sine to within 0.1 %, by two parabolas.
 * @param {number} phase 0…1, without 1
 */
function roundWave(phase) {
  const x = 2 * phase - 1;
  const parabola = -4 * x * (1 - Math.abs(x));
  return parabola * (0.775 + 0.225 * Math.abs(parabola));
}

/**
 * What happens to a voice after its pitch and formants are changed:
 *
 *     ring ── bands before ── drive ── bands ── tremolo ── buzz, sparks ── resonances, octave, sway, echo ── gain
 */
export class VoiceColour {
  #settings = plainColour;
  #filtersBefore = filters();
  #filters = filters();
  #resonances = new Resonances();
  #octave = new OctaveShimmer();
  #sway = new ModulatedDelay(0);
  #echo = new SlapEcho();
  #steady = new OnePole(15);
  /** The loudness that buzz and sparks follow. */
  #envelope = new OnePole(25);
  #random = new Randomness();
  #ringPhase = 0;
  #tremoloPhase = 0;
  #tremoloGain = 1;
  #buzzPhase = 0;
  #spark = 0;
  #relief = 1;
  #gain = 1;
  #wet = block();
  #far = block();

  /**
   * Starts in silence.
   * @param {Readonly<import('./voice-settings.js').ColourSettings>} settings
   */
  configure(settings) {
    this.#settings = settings;
    for (let i = 0; i < settings.bandsBefore.length; i++)
      this.#filtersBefore[i].coefficients = settings.bandsBefore[i];
    for (let i = 0; i < settings.bands.length; i++) this.#filters[i].coefficients = settings.bands[i];
    this.#resonances.configure(settings.resonances);
    this.#sway.configure(settings.sway);
    this.#echo.configure(settings.echo);
    this.#relief = settings.drive > 0 ? 0.2 / saturate(0.2 * settings.drive) : 1;
    this.#gain = amplitude(settings.gain);
    this.clear();
  }

  clear() {
    for (const filter of this.#filtersBefore) filter.clear();
    for (const filter of this.#filters) filter.clear();
    this.#resonances.clear();
    this.#octave.clear();
    this.#sway.clear();
    this.#echo.clear();
    this.#steady.clear();
    this.#envelope.clear();
    this.#random.reset();
    this.#ringPhase = 0;
    this.#tremoloPhase = 0;
    this.#tremoloGain = 1;
    this.#buzzPhase = 0;
    this.#spark = 0;
  }

  /**
   * In place.
   * @param {Float32Array} sound @param {number} count at most one control period @param {boolean} startsPeriod
   */
  process(sound, count, startsPeriod) {
    const settings = this.#settings;
    if (startsPeriod) this.#sway.move();
    if (settings.ring.mix > 0) this.#multiply(sound, count);
    for (let i = 0; i < settings.bandsBefore.length; i++) this.#filtersBefore[i].process(sound, count);
    if (settings.drive > 0) {
      for (let frame = 0; frame < count; frame++)
        sound[frame] = saturate(sound[frame] * settings.drive) * this.#relief;
    }
    for (let i = 0; i < settings.bands.length; i++) this.#filters[i].process(sound, count);
    if (settings.tremolo.depth > 0) this.#tremble(sound, count);
    if (settings.buzz > 0) this.#electrify(sound, count);
    this.#addWet(sound, count);
    this.#steady.highBlock(sound, count);
    for (let frame = 0; frame < count; frame++) sound[frame] *= this.#gain;
  }

  /**
   * The ring modulator.
   * @param {Float32Array} sound @param {number} count
   */
  #multiply(sound, count) {
    const { ring } = this.#settings;
    for (let frame = 0; frame < count; frame++) {
      this.#ringPhase += ring.rate / rate;
      if (this.#ringPhase >= 1) this.#ringPhase -= 1;
      sound[frame] *= 1 - ring.mix + Math.SQRT2 * ring.mix * roundWave(this.#ringPhase);
    }
  }

  /** @param {Float32Array} sound @param {number} count */
  #tremble(sound, count) {
    const { tremolo } = this.#settings;
    // Switching takes about 0.3 ms, so that it buzzes but does not crack.
    const slew = tremolo.isChopped ? 0.07 : 1;
    for (let frame = 0; frame < count; frame++) {
      this.#tremoloPhase += tremolo.rate / rate;
      if (this.#tremoloPhase >= 1) this.#tremoloPhase -= 1;
      const phase = this.#tremoloPhase;
      const swing = tremolo.isChopped ? (phase < 0.5 ? 0 : 1) : 0.5 - 0.5 * roundWave(phase);
      this.#tremoloGain += slew * (1 - tremolo.depth * swing - this.#tremoloGain);
      sound[frame] *= this.#tremoloGain;
    }
  }

  /** @param {Float32Array} sound @param {number} count */
  #electrify(sound, count) {
    const { buzz, sparks } = this.#settings;
    for (let frame = 0; frame < count; frame++) {
      const loudness = this.#envelope.low(Math.abs(sound[frame]) + denormalGuard);
      this.#buzzPhase += 100 / rate;
      if (this.#buzzPhase >= 1) this.#buzzPhase -= 1;
      // A rectified sine without its mean: what a transformer's hum looks like.
      const wave = Math.abs(roundWave(this.#buzzPhase * 0.5)) - 0.667;
      // About 90 sparks a second, each a burst of under a millisecond.
      if (this.#random.unit() < 0.0019) this.#spark = this.#random.signed();
      this.#spark = -0.9 * this.#spark + denormalGuard;
      sound[frame] += loudness * (buzz * wave + sparks * this.#spark);
    }
  }

  /**
   * What rings on beside the voice.
   * @param {Float32Array} sound @param {number} count
   */
  #addWet(sound, count) {
    const { octave } = this.#settings;
    const wet = this.#wet;
    wet.fill(0, 0, count);
    this.#far.fill(0, 0, count);
    this.#resonances.process(sound, wet, count);
    if (octave > 0) {
      for (let frame = 0; frame < count; frame++)
        wet[frame] += octave * this.#octave.next(sound[frame] + denormalGuard);
    }
    this.#sway.process(sound, count);
    this.#echo.process(sound, sound, wet, this.#far, count);
    for (let frame = 0; frame < count; frame++) sound[frame] += wet[frame];
  }
}
