import { ModulatedDelay, OctaveShimmer, Resonances, SlapEcho } from './colours.js';
import { OnePole } from './delay-line.js';
import { FeedbackDelayNetwork } from './feedback-network.js';
import { plainReverb, reverbPresets } from './reverb-settings.js';
import { DirectSound, EarlyReflections } from './room.js';
import { controlPeriod, rate, saturate, softCeiling, usable } from './shaping.js';

/** A tail below this (−120 dB) for so long, with nothing coming in, is over: the engine forgets it and rests. */
const silence = 1e-6;
const silentFrames = rate / 2;

const block = () => new Float32Array(controlPeriod);

/**
 * One preset at work on two channels: the voice itself, its reflections and its tail.
 *
 *     in ─┬─ direct ── doubling ──────────────────────────────┐
 *         └─ band ── pre-delay, early ── smear ── network ──┬─┤── sway ── out
 *                │                          └── octave ◄────┘ │
 *                ├── resonances ──────────────────────────────┤
 *                └── echo ────────────────────────────────────┘
 */
class ReverbEngine {
  #settings = plainReverb;
  #on = false;
  #directLeft = new DirectSound();
  #directRight = new DirectSound();
  #doublingLeft = new ModulatedDelay(0);
  #doublingRight = new ModulatedDelay(0.35);
  #lowCutLeft = new OnePole(1);
  #lowCutRight = new OnePole(1);
  #highCutLeft = new OnePole(1);
  #highCutRight = new OnePole(1);
  #early = new EarlyReflections();
  #network = new FeedbackDelayNetwork();
  #shimmer = new OctaveShimmer();
  #octave = block();
  /** Which frame of `#octave` is next: what the tail gives the shimmer returns one control period later. */
  #octaveFrame = 0;
  #resonancesLeft = new Resonances();
  #resonancesRight = new Resonances();
  #echo = new SlapEcho();
  #swayLeft = new ModulatedDelay(0);
  #swayRight = new ModulatedDelay(0.25);
  #steadyLeft = new OnePole(8);
  #steadyRight = new OnePole(8);
  #roomLeft = block();
  #roomRight = block();
  #wetLeft = block();
  #wetRight = block();
  #earlyLeft = block();
  #earlyRight = block();
  #quiet = 0;
  #rests = true;

  /**
   * Starts a preset in silence.
   * @param {number} preset
   */
  configure(preset) {
    const settings = reverbPresets[preset];
    this.#on = settings !== null;
    if (!settings) return;
    this.#settings = settings;
    this.#directLeft.configure(settings.direct);
    this.#directRight.configure(settings.direct);
    this.#doublingLeft.configure(settings.doubling);
    this.#doublingRight.configure(settings.doubling);
    this.#lowCutLeft.tune(settings.lowCut);
    this.#lowCutRight.tune(settings.lowCut);
    this.#highCutLeft.tune(settings.highCut);
    this.#highCutRight.tune(settings.highCut);
    this.#early.configure(settings.preDelay, settings.earlySpan);
    this.#network.configure(settings.late);
    this.#resonancesLeft.configure(settings.resonances);
    this.#resonancesRight.configure(settings.resonances, 1.013);
    this.#echo.configure(settings.echo);
    this.#swayLeft.configure(settings.sway);
    this.#swayRight.configure(settings.sway);
    this.#clear();
  }

  #clear() {
    this.#directLeft.clear();
    this.#directRight.clear();
    this.#doublingLeft.clear();
    this.#doublingRight.clear();
    this.#lowCutLeft.clear();
    this.#lowCutRight.clear();
    this.#highCutLeft.clear();
    this.#highCutRight.clear();
    this.#early.clear();
    this.#network.clear();
    this.#resonancesLeft.clear();
    this.#resonancesRight.clear();
    this.#echo.clear();
    this.#swayLeft.clear();
    this.#swayRight.clear();
    this.#shimmer.clear();
    this.#octave.fill(0);
    this.#octaveFrame = 0;
    this.#steadyLeft.clear();
    this.#steadyRight.clear();
    this.#rests = true;
    this.#quiet = 0;
  }

  /**
   * In place, on at most one control period; `startsPeriod` at the beginning of one.
   * @param {Float32Array} left @param {Float32Array} right @param {number} count @param {boolean} startsPeriod
   */
  process(left, right, count, startsPeriod) {
    if (!this.#on) return;
    const heard = loudest(left, right, count);
    if (this.#rests && heard === 0) return;
    if (startsPeriod || this.#rests) this.#move();
    this.#rests = false;
    const settings = this.#settings;
    const wetLeft = this.#wetLeft;
    const wetRight = this.#wetRight;
    for (let frame = 0; frame < count; frame++) {
      this.#roomLeft[frame] = left[frame];
      this.#roomRight[frame] = right[frame];
    }
    this.#lowCutLeft.highBlock(this.#roomLeft, count);
    this.#lowCutRight.highBlock(this.#roomRight, count);
    this.#highCutLeft.lowBlock(this.#roomLeft, count);
    this.#highCutRight.lowBlock(this.#roomRight, count);
    wetLeft.fill(0, 0, count);
    wetRight.fill(0, 0, count);
    this.#echo.process(this.#roomLeft, this.#roomRight, wetLeft, wetRight, count);
    this.#resonancesLeft.process(this.#roomLeft, wetLeft, count);
    this.#resonancesRight.process(this.#roomRight, wetRight, count);
    this.#addRoom(count);
    this.#swayLeft.process(wetLeft, count);
    this.#swayRight.process(wetRight, count);
    this.#directLeft.process(left, count);
    this.#directRight.process(right, count);
    this.#doublingLeft.process(left, count);
    this.#doublingRight.process(right, count);
    const near = 0.5 + 0.5 * settings.width;
    const far = 0.5 - 0.5 * settings.width;
    for (let frame = 0; frame < count; frame++) {
      left[frame] = settings.directLevel * left[frame] + near * wetLeft[frame] + far * wetRight[frame];
      right[frame] = settings.directLevel * right[frame] + near * wetRight[frame] + far * wetLeft[frame];
    }
    this.#steadyLeft.highBlock(left, count);
    this.#steadyRight.highBlock(right, count);
    softCeiling(left, 0, count);
    softCeiling(right, 0, count);
    this.#watchForSilence(heard, count);
  }

  #move() {
    this.#network.move();
    this.#directLeft.move();
    this.#directRight.move();
    this.#doublingLeft.move();
    this.#doublingRight.move();
    this.#swayLeft.move();
    this.#swayRight.move();
  }

  /**
   * Reflections and tail of what is in the room, added to what is wet.
   * @param {number} count
   */
  #addRoom(count) {
    const { shimmer, earlyLevel, lateLevel } = this.#settings;
    this.#early.process(this.#roomLeft, this.#roomRight, this.#earlyLeft, this.#earlyRight, count);
    if (shimmer > 0) {
      for (let frame = 0; frame < count; frame++) {
        const risen = shimmer * this.#octave[(this.#octaveFrame + frame) & (controlPeriod - 1)];
        this.#roomLeft[frame] += risen;
        this.#roomRight[frame] += risen;
      }
    }
    this.#network.process(this.#roomLeft, this.#roomRight, count);
    for (let frame = 0; frame < count; frame++) {
      this.#wetLeft[frame] += earlyLevel * this.#earlyLeft[frame] + lateLevel * this.#roomLeft[frame];
      this.#wetRight[frame] += earlyLevel * this.#earlyRight[frame] + lateLevel * this.#roomRight[frame];
    }
    if (shimmer === 0) return;
    for (let frame = 0; frame < count; frame++) {
      // The curve bounds what goes round, whatever the input.
      const tail = saturate(0.5 * (this.#roomLeft[frame] + this.#roomRight[frame]));
      this.#octave[this.#octaveFrame] = this.#shimmer.next(tail);
      this.#octaveFrame = (this.#octaveFrame + 1) & (controlPeriod - 1);
    }
  }

  /**
   * Watches for the end of a tail: nothing heard from the voice and nothing from the room.
   * @param {number} heard @param {number} count
   */
  #watchForSilence(heard, count) {
    if (heard >= silence || loudest(this.#wetLeft, this.#wetRight, count) >= silence) {
      this.#quiet = 0;
      return;
    }
    this.#quiet += count;
    if (this.#quiet >= silentFrames) this.#clear();
  }
}

/** @param {Float32Array} left @param {Float32Array} right @param {number} count */
function loudest(left, right, count) {
  let most = 0;
  for (let frame = 0; frame < count; frame++) {
    const one = Math.abs(left[frame]);
    const other = Math.abs(right[frame]);
    if (one > most) most = one;
    if (other > most) most = other;
  }
  return most;
}

/** About 60 ms: longer than a period of the lowest voice, shorter than a syllable. */
const fadeFrames = 90 * controlPeriod;

/**
 * Puts a voice into a room, or gives it a colour. Two engines take turns, so that a new preset fades in while the old one
 * fades out. Never louder than full scale for sound within it, free of DC, and without latency: the voice itself is not
 * delayed.
 */
export class Reverb {
  /** 0…10, see `reverbNames`. A change is heard within 120 ms; of several at once the last one counts. */
  preset = 0;

  #current = new ReverbEngine();
  #former = new ReverbEngine();
  #playing = 0;
  #fadeLeft = 0;
  #periodFrame = 0;
  #newLeft = block();
  #newRight = block();
  #oldLeft = block();
  #oldRight = block();

  /** @param {number} [preset] */
  constructor(preset = 0) {
    this.preset = preset;
    this.reset();
  }

  /** Forgets all tails; the preset stays and begins without a fade. */
  reset() {
    this.#fadeLeft = 0;
    this.#periodFrame = 0;
    this.#playing = this.preset;
    this.#current.configure(this.preset);
  }

  /**
   * In place.
   * @param {Float32Array} left @param {Float32Array} right @param {number} frames
   */
  process(left, right, frames) {
    if (this.#playing === 0 && this.preset === 0 && this.#fadeLeft === 0) return;
    for (let start = 0; start < frames; ) {
      const count = Math.min(frames - start, controlPeriod - this.#periodFrame);
      if (this.#periodFrame === 0) this.#changePreset();
      this.#run(left, right, start, count);
      this.#periodFrame = (this.#periodFrame + count) % controlPeriod;
      start += count;
    }
  }

  #changePreset() {
    if (this.#fadeLeft > 0 || this.preset === this.#playing) return;
    const former = this.#former;
    this.#former = this.#current;
    this.#current = former;
    this.#playing = this.preset;
    this.#current.configure(this.#playing);
    this.#fadeLeft = fadeFrames;
  }

  /** @param {Float32Array} left @param {Float32Array} right @param {number} start @param {number} count */
  #run(left, right, start, count) {
    const startsPeriod = this.#periodFrame === 0;
    for (let frame = 0; frame < count; frame++) {
      this.#newLeft[frame] = this.#oldLeft[frame] = usable(left[start + frame]);
      this.#newRight[frame] = this.#oldRight[frame] = usable(right[start + frame]);
    }
    const fades = this.#fadeLeft > 0;
    if (fades) this.#former.process(this.#oldLeft, this.#oldRight, count, startsPeriod);
    this.#current.process(this.#newLeft, this.#newRight, count, startsPeriod);
    for (let frame = 0; frame < count; frame++) {
      // Linear: both sides of the fade hold the same voice, which must not swell in the middle.
      const old = fades ? Math.max(0, this.#fadeLeft - frame) / fadeFrames : 0;
      left[start + frame] = this.#newLeft[frame] + old * (this.#oldLeft[frame] - this.#newLeft[frame]);
      right[start + frame] = this.#newRight[frame] + old * (this.#oldRight[frame] - this.#newRight[frame]);
    }
    if (fades) this.#fadeLeft = Math.max(0, this.#fadeLeft - count);
  }
}
