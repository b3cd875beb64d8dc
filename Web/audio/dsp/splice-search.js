/** Samples per coarse sample. */
const unit = 4;

/** What a search found: where the alike stretch begins, and how alike it is, 0…1. Kept for the next call. */
const found = { position: 0, correlation: 0 };

/**
 * Finds where a stretch begins that is most like the one at `template`, among positions from `first` to `last`: every
 * fourth sample decides roughly, all of them around the best place then. Where nothing is alike, the middle.
 * @param {Float32Array} sound @param {number} mask of a ring; −1 for an array that is no ring
 * @param {number} template @param {number} length @param {number} first @param {number} last whole numbers
 * @returns {Readonly<{position: number, correlation: number}>} valid until the next call
 */
export function findAlike(sound, mask, template, length, first, last) {
  found.position = (first + last) >> 1;
  found.correlation = 0;
  let energy = 0;
  for (let i = 0; i < length; i++) energy += sound[(template + i) & mask] ** 2;
  if (energy < 1e-7) return found;
  let best = 0;
  let rough = found.position;
  for (let place = first; place <= last; place += unit) {
    const score = likeness(sound, mask, template, place, length, unit);
    if (score > best) {
      best = score;
      rough = place;
    }
  }
  if (best === 0) return found;
  best = 0;
  for (let place = Math.max(first, rough - unit); place <= Math.min(last, rough + unit); place++) {
    const score = likeness(sound, mask, template, place, length, 1);
    if (score <= best) continue;
    best = score;
    found.position = place;
  }
  found.correlation = Math.min(1, Math.sqrt(best / energy));
  return found;
}

/**
 * Correlation² over the energy there; 0 where they are not alike.
 * @param {Float32Array} sound @param {number} mask @param {number} template @param {number} place @param {number} length @param {number} step
 */
function likeness(sound, mask, template, place, length, step) {
  let correlation = 0;
  let energy = 0;
  for (let i = 0; i < length; i += step) {
    const there = sound[(place + i) & mask];
    correlation += sound[(template + i) & mask] * there;
    energy += there * there;
  }
  return correlation > 0 && energy > 1e-9 ? (correlation * correlation) / energy : 0;
}
