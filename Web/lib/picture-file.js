import { OvationError } from '../protocol/errors.js';

// Pictures from this device: read, and written anew as JPEG. Nothing else of the file leaves the device, such as where it was taken.

/** More than any camera writes. */
const fileMost = 64 * 2 ** 20;
/** Twice what is sent and more: phones have no memory for several pictures of fifty megapixels. */
const sideMost = 4096;
const quality = 0.9;

/**
 * A picture upright, as whoever took it held the camera. Throws `face_too_large`, or `face_format` for what this browser cannot read.
 * @param {Blob} file
 * @returns {Promise<ImageBitmap>}
 */
export async function readPicture(file) {
  if (file.size > fileMost) throw new OvationError('face_too_large');
  try {
    const whole = await createImageBitmap(file, /** @type {any} */ ({ imageOrientation: 'from-image' }));
    const scale = sideMost / Math.max(whole.width, whole.height);
    if (scale >= 1) return whole;
    const smaller = await createImageBitmap(whole, {
      resizeWidth: Math.max(1, Math.round(whole.width * scale)),
      resizeHeight: Math.max(1, Math.round(whole.height * scale)),
      resizeQuality: 'high',
    });
    whole.close();
    return smaller;
  } catch (thrown) {
    throw new OvationError('face_format', String(thrown), { cause: thrown });
  }
}

/**
 * Draws a part of a picture so that it fills a canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {ImageBitmap} picture
 * @param {import('../models/crop.js').Crop} crop
 */
export function drawCrop(canvas, picture, crop) {
  const pen = canvas.getContext('2d');
  if (!pen) return;
  // JPEG knows nothing clear.
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(picture, crop.x, crop.y, crop.width, crop.height, 0, 0, canvas.width, canvas.height);
}

/**
 * A part of a picture as a file to be sent.
 * @param {ImageBitmap} picture
 * @param {import('../models/crop.js').Crop} crop
 * @param {import('../models/crop.js').Size} size
 * @returns {Promise<Blob>}
 */
export async function jpegOf(picture, crop, size) {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, size);
  drawCrop(canvas, picture, crop);
  const blob = await new Promise(resolve => canvas.toBlob(resolve, 'image/jpeg', quality));
  if (!blob) throw new OvationError('face_format');
  return blob;
}
