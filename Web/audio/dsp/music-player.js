import { Crossfade } from './crossfade.js';
import { rate } from './shaping.js';
import { SincKernel } from './sinc-kernel.js';
import { findAlike } from './splice-search.js';

/** 40 ms: longer pieces double syllables, shorter ones roughen deep notes. */
const hop = 1_920;
/** 10 ms. */
const overlap = 480;
/** Either way from the even course; both ways together hold a period of 40 Hz. */
const reach = 600;
const taps = 32;
/** Pausing and resuming fade over 5 ms. */
const gateStep = 1 / 240;

/**
 * Plays a decoded sound at another speed and pitch, in a range and in loops. The output consists of pieces of `hop` frames
 * (WSOLA): each is read at the pitch's ratio and begins near where the speed wants it to, at the place that is most like what
 * would have followed the piece before; the two are crossfaded. At speed 1 and pitch 0 nothing is touched.
 */
export class MusicPlayer {
  /** The whole range was played as often as asked for. */
  ended = false;

  #left;
  #right;
  #mix;
  #frames;
  #start = 0;
  #end = 0;
  #loops;
  #fade = new Crossfade(overlap);
  #kernel = new SincKernel(taps, 1);
  #speed = 1;
  #ratio = 1;
  #playing = true;
  #gate = 0;
  /** Input positions: of the next frame, of what is being left, and of the piece's even course. */
  #cursor = Number.POSITIVE_INFINITY;
  #ending = 0;
  #course = 0;
  #faded = overlap;
  #remaining = hop;

  /**
   * @param {{left: Float32Array, right?: Float32Array, mix?: Float32Array}} sound with `MusicPlayer.margin` of silence at both ends; `right` and `mix` are those of stereo, see `mixed`
   * @param {{startMs?: number, endMs?: number, loops?: number}} range `endMs` 0 is the end; `loops` more times, −1 for ever
   */
  constructor({ left, right = left, mix = left }, { startMs = 0, endMs = 0, loops = 0 } = {}) {
    const margin = MusicPlayer.margin;
    this.#left = left;
    this.#right = right;
    this.#frames = left.length - 2 * margin;
    this.#mix = mix;
    this.setRange(startMs, endMs);
    this.#loops = loops;
    this.#cursor = this.#start;
    this.#course = this.#start;
  }

  /** Frames of silence around the sound, so that reading near its ends needs no questions. */
  static margin = 8_192;

  /**
   * What places of stereo are compared by: half of the right side, so that no two sides cancel out.
   * @param {Float32Array} left @param {Float32Array} right
   */
  static mixed(left, right) {
    const mix = new Float32Array(left.length);
    for (let i = 0; i < mix.length; i++) mix[i] = left[i] + 0.5 * right[i];
    return mix;
  }

  /** @param {number} frame @param {number} least */
  #within(frame, least) {
    return Math.max(Math.min(least, this.#frames), Math.min(this.#frames, Math.round(frame)));
  }

  get durationMs() {
    return (this.#frames * 1000) / rate;
  }

  /** In the sound, not in the time that it has played. */
  get positionMs() {
    return (Math.max(0, Math.min(this.#end, this.#cursor)) * 1000) / rate;
  }

  /** @param {boolean} playing */
  play(playing) {
    this.#playing = playing;
  }

  /**
   * Goes on from another place, kept within the range.
   * @param {number} ms
   */
  seek(ms) {
    this.ended = false;
    this.#splice(Math.max(this.#start, this.#within((ms * rate) / 1000, 0)), 0);
  }

  /**
   * What is played. A place that is no longer within it is left for its beginning.
   * @param {number} startMs @param {number} endMs 0 is the end of the sound
   */
  setRange(startMs, endMs) {
    this.#start = this.#within((startMs * rate) / 1000, 0);
    this.#end = endMs > 0 ? this.#within((endMs * rate) / 1000, this.#start + 1) : this.#frames;
    if (this.#cursor < this.#start) this.#splice(this.#start, 0);
  }

  /**
   * How many more times the range is played, −1 for ever.
   * @param {number} loops
   */
  setLoops(loops) {
    this.#loops = loops;
  }

  /**
   * 0.5…2; the pitch stays.
   * @param {number} speed
   */
  setSpeed(speed) {
    this.#speed = Math.max(0.5, Math.min(2, Number.isFinite(speed) ? speed : 1));
  }

  /**
   * −12…12 semitones; the speed stays.
   * @param {number} semitones
   */
  setPitch(semitones) {
    const bounded = Math.max(-12, Math.min(12, Number.isFinite(semitones) ? semitones : 0));
    const ratio = 2 ** (bounded / 12);
    if (ratio === this.#ratio) return;
    this.#ratio = ratio;
    this.#kernel = new SincKernel(taps, 0.95 * Math.min(1, 1 / ratio));
  }

  /** True when nothing would be heard: paused and faded out, or ended. */
  get silent() {
    return this.ended || (!this.#playing && this.#gate === 0);
  }

  /**
   * Fills both sides.
   * @param {Float32Array} left @param {Float32Array} right @param {number} frames
   */
  render(left, right, frames) {
    for (let frame = 0; frame < frames; frame++) {
      if (this.silent) {
        left[frame] = 0;
        right[frame] = 0;
        continue;
      }
      this.#gate = Math.max(0, Math.min(1, this.#gate + (this.#playing ? gateStep : -gateStep)));
      this.#next(left, right, frame);
    }
  }

  /** @param {Float32Array} left @param {Float32Array} right @param {number} frame */
  #next(left, right, frame) {
    if (this.#remaining === 0) this.#follow();
    let one = this.#read(this.#left, this.#cursor);
    let other = this.#read(this.#right, this.#cursor);
    if (this.#faded < overlap) {
      const up = this.#fade.rising[this.#faded];
      const down = this.#fade.falling[this.#faded];
      one = up * one + down * this.#read(this.#left, this.#ending);
      other = up * other + down * this.#read(this.#right, this.#ending);
      this.#ending = Math.min(this.#ending + this.#ratio, this.#frames + overlap);
      this.#faded++;
    }
    left[frame] = one * this.#gate;
    right[frame] = other * this.#gate;
    this.#cursor += this.#ratio;
    this.#remaining--;
    if (this.#cursor >= this.#end) this.#turn();
  }

  /** The end of the range. */
  #turn() {
    if (this.#loops === 0) {
      this.ended = true;
      return;
    }
    if (this.#loops > 0) this.#loops--;
    this.#splice(this.#start, 0);
  }

  /** The next piece: where the speed wants it, at the place that is most like what follows here. */
  #follow() {
    const wanted = this.#course + hop * this.#speed;
    if (this.#speed === this.#ratio) {
      // On from here: whatever distance there is to the even course stays.
      this.#course = this.#cursor;
      this.#remaining = hop;
      return;
    }
    const margin = MusicPlayer.margin;
    const whole = Math.floor(this.#cursor);
    const centre = Math.round(Math.min(wanted, this.#end));
    const length = Math.ceil(overlap * this.#ratio);
    const alike = findAlike(
      this.#mix,
      -1,
      whole + margin,
      length,
      centre - reach + margin,
      centre + reach + margin,
    );
    // A whole number of frames away: both read between the same samples.
    const place = alike.position - margin + (this.#cursor - whole);
    const correlation = alike.correlation;
    if (place !== this.#cursor) this.#splice(place, correlation);
    this.#course = wanted;
    this.#remaining = hop;
  }

  /** @param {number} place @param {number} correlation */
  #splice(place, correlation) {
    this.#fade.prepare(correlation);
    this.#ending = this.#cursor;
    this.#cursor = place;
    this.#course = place;
    this.#faded = 0;
    this.#remaining = hop;
  }

  /** @param {Float32Array} sound @param {number} position */
  #read(sound, position) {
    const whole = Math.floor(position);
    const place = whole + MusicPlayer.margin;
    if (this.#ratio === 1 && position === whole) return sound[place];
    return this.#kernel.read(sound, -1, place, position - whole);
  }
}
