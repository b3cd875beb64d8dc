/** Weights for going over from one stretch of sound to another that is more or less like it, at an even loudness. */
export class Crossfade {
  /** For what begins, and for what ends. @type {Float32Array} */ rising;
  /** @type {Float32Array} */ falling;
  #shape;

  /** @param {number} frames */
  constructor(frames) {
    this.frames = frames;
    this.#shape = Float32Array.from(
      { length: frames },
      (_, frame) => 0.5 - 0.5 * Math.cos((Math.PI * (frame + 0.5)) / frames),
    );
    this.rising = new Float32Array(frames);
    this.falling = new Float32Array(frames);
    this.prepare(1);
  }

  /**
   * For two sounds with this correlation, 0…1: alike ones add up by amplitude, unlike ones by power.
   * @param {number} correlation
   */
  prepare(correlation) {
    const likeness = Math.max(0, Math.min(1, correlation));
    for (let frame = 0; frame < this.frames; frame++) {
      const up = this.#shape[frame];
      const down = 1 - up;
      const scale = 1 / Math.sqrt(up * up + down * down + 2 * likeness * up * down);
      this.rising[frame] = up * scale;
      this.falling[frame] = down * scale;
    }
  }
}
