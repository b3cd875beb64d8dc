/** @typedef {import('./preferences.js').Preferences} Preferences */

/** How large my camera is sent at most; `auto` is what the line was found to carry, up to 720. */
export const sendQualities = /** @type {const} */ (['auto', '1080', '720', '540', '360']);
/** `auto`: as the camera gives it, upright where a phone is held so. */
export const sendShapes = /** @type {const} */ (['auto', 'wide', 'upright']);

/**
 * Points, and bits a second of the layers, the lowest first. Browsers send no more than two of so small a picture.
 * @type {Record<string, {width: number, height: number, rates: readonly number[]}>}
 */
const sizes = {
  1080: { width: 1920, height: 1080, rates: [200_000, 800_000, 3_500_000] },
  720: { width: 1280, height: 720, rates: [150_000, 500_000, 1_700_000] },
  540: { width: 960, height: 540, rates: [120_000, 350_000, 1_000_000] },
  360: { width: 640, height: 360, rates: [150_000, 600_000] },
};

/** @param {Pick<Preferences, 'sendQuality' | 'lineQuality'>} preferences */
const sizeOf = ({ sendQuality, lineQuality }) =>
  sizes[sendQuality === 'auto' ? lineQuality : sendQuality] ?? sizes[720];

/**
 * What the camera is asked for; a smaller one gives what it has.
 * @param {Pick<Preferences, 'sendQuality' | 'sendShape' | 'lineQuality'>} preferences
 * @returns {MediaTrackConstraints}
 */
export function cameraShape({ sendQuality, sendShape, lineQuality }) {
  const { width, height } = sizeOf({ sendQuality, lineQuality });
  const [across, down] = sendShape === 'upright' ? [height, width] : [width, height];
  return {
    width: { ideal: across },
    height: { ideal: down },
    frameRate: { ideal: 30, max: 30 },
    // What is too much at the sides is cut off.
    ...(sendShape !== 'auto' && { aspectRatio: { ideal: across / down } }),
  };
}

/**
 * Bits a second of the layers, the lowest first.
 * @param {Pick<Preferences, 'sendQuality' | 'lineQuality'>} preferences
 */
export function layerRates(preferences) {
  return sizeOf(preferences).rates;
}

/**
 * Bits a second of all layers.
 * @param {string} quality
 */
export function wholeRate(quality) {
  return (sizes[quality] ?? sizes[720]).rates.reduce((sum, rate) => sum + rate, 0);
}
