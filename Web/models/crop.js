// Which part of a picture is taken. Pure: a crop is a rectangle in the picture's own pixels that is always inside the picture, has the wanted
// proportion, and is never smaller than what is still sharp.

/**
 * @typedef {{width: number, height: number}} Size
 * @typedef {{x: number, y: number}} Point
 * @typedef {{x: number, y: number, width: number, height: number}} Crop
 *
 * What a crop is made for: width over height, and the least width in pixels of the picture.
 * @typedef {{aspect: number, least: number}} Shape
 */

/** @type {Readonly<Record<'avatar' | 'cover', Shape>>} The least widths are those of the smallest pictures that are kept. */
export const shapes = Object.freeze({
  avatar: { aspect: 1, least: 96 },
  cover: { aspect: 16 / 9, least: 320 },
});

/** The longest side of what is sent. */
export const sentMost = 1600;

/** @param {number} value @param {number} least @param {number} most */
const within = (value, least, most) => Math.min(Math.max(value, least), most);

/** @param {Size} picture @param {Shape} shape how wide a crop can be */
function widths(picture, { aspect, least }) {
  const most = Math.min(picture.width, picture.height * aspect);
  return { most, least: Math.min(least, most) };
}

/** @param {Size} picture @param {Shape} shape @param {Point} centre @param {number} width */
function around(picture, shape, centre, width) {
  const height = width / shape.aspect;
  return {
    x: within(centre.x - width / 2, 0, Math.max(0, picture.width - width)),
    y: within(centre.y - height / 2, 0, Math.max(0, picture.height - height)),
    width,
    height,
  };
}

/**
 * As much as there is, from the middle.
 * @param {Size} picture @param {Shape} shape
 * @returns {Crop}
 */
export function widestCrop(picture, shape) {
  const middle = { x: picture.width / 2, y: picture.height / 2 };
  return around(picture, shape, middle, widths(picture, shape).most);
}

/**
 * The frame goes so far over the picture.
 * @param {Size} picture @param {Shape} shape @param {Crop} crop
 * @param {Point} by in widths and heights of the crop
 * @returns {Crop}
 */
export function movedCrop(picture, shape, crop, by) {
  const centre = { x: crop.x + crop.width * (0.5 + by.x), y: crop.y + crop.height * (0.5 + by.y) };
  return around(picture, shape, centre, crop.width);
}

/**
 * Nearer by `factor`; what stands at a place of the frame stays there, as far as the picture's edges let it.
 * @param {Size} picture @param {Shape} shape @param {Crop} crop @param {number} factor above 1 takes less of the picture
 * @param {Point} at the place, in widths and heights of the crop: the middle is 0.5, 0.5
 * @returns {Crop}
 */
export function zoomedCrop(picture, shape, crop, factor, at = { x: 0.5, y: 0.5 }) {
  const { most, least } = widths(picture, shape);
  const width = within(crop.width / factor, least, most);
  const height = width / shape.aspect;
  const centre = {
    x: crop.x + crop.width * at.x + width * (0.5 - at.x),
    y: crop.y + crop.height * at.y + height * (0.5 - at.y),
  };
  return around(picture, shape, centre, width);
}

/**
 * Two fingers that were at `from` are at `to`: what was between them still is.
 * @param {Size} picture @param {Shape} shape @param {Crop} crop
 * @param {[Point, Point]} from in widths and heights of the crop @param {[Point, Point]} to
 * @returns {Crop}
 */
export function pinchedCrop(picture, shape, crop, from, to) {
  const apart = (/** @type {[Point, Point]} */ [a, b]) =>
    Math.hypot(b.x - a.x, (b.y - a.y) / shape.aspect) || 1e-6;
  const middle = (/** @type {[Point, Point]} */ [a, b]) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
  const [before, now] = [middle(from), middle(to)];
  const zoomed = zoomedCrop(picture, shape, crop, apart(to) / apart(from), before);
  return movedCrop(picture, shape, zoomed, { x: before.x - now.x, y: before.y - now.y });
}

/**
 * How near a crop is: 0 takes as much as there is, 1 the least.
 * @param {Size} picture @param {Shape} shape @param {Crop} crop
 */
export function nearness(picture, shape, crop) {
  const { most, least } = widths(picture, shape);
  return most === least ? 0 : Math.log(most / crop.width) / Math.log(most / least);
}

/**
 * The crop that is so near, around the same middle.
 * @param {Size} picture @param {Shape} shape @param {Crop} crop @param {number} near 0…1
 */
export function cropAt(picture, shape, crop, near) {
  const { most, least } = widths(picture, shape);
  const width = most * (least / most) ** within(near, 0, 1);
  return zoomedCrop(picture, shape, crop, crop.width / width);
}

/**
 * How large the crop is sent: never larger than it is, never longer than `sentMost`, in the proportion to a pixel.
 * @param {Shape} shape @param {Crop} crop
 * @returns {Size}
 */
export function sentSize({ aspect }, crop) {
  const width = Math.max(1, Math.floor(Math.min(crop.width, sentMost, sentMost * aspect)));
  return { width, height: Math.max(1, Math.round(width / aspect)) };
}
