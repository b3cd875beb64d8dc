// What the lines of a peer connection offer.

/**
 * Leaves Opus in a line, and packets with copies of earlier ones (RFC 2198) behind it, so that the offer stays small; a browser that
 * cannot offers more, which does no harm.
 * @param {RTCRtpTransceiver} line
 */
export function preferOpus(line) {
  try {
    const codecs = RTCRtpReceiver.getCapabilities('audio')?.codecs ?? [];
    const wanted = ['audio/opus', 'audio/red'].flatMap(type =>
      codecs.filter(codec => codec.mimeType.toLowerCase() === type),
    );
    if (wanted[0]?.mimeType.toLowerCase() === 'audio/opus') line.setCodecPreferences(wanted);
  } catch {
    // Older engines lack it.
  }
}

/**
 * What the pictures of a room come in.
 * @typedef {'vp8' | 'h264' | 'vp9' | 'av1'} PictureFormat
 */

/** @type {Readonly<Record<PictureFormat, string>>} As people know them, in the order in which they are offered. */
export const formatNames = { vp8: 'VP8', h264: 'H.264', vp9: 'VP9', av1: 'AV1' };

/** @param {string} format */
export const formatName = format => formatNames[/** @type {PictureFormat} */ (format)] ?? format;

/**
 * Layers of VP9 and AV1 as sources of their own, which each can be had without the others: without this word, Chromium makes one source of
 * them that only who decodes all of it can take apart.
 * @param {RTCRtpEncodingParameters[]} layers
 * @param {string} format
 * @returns {RTCRtpEncodingParameters[]}
 */
export function separateLayers(layers, format) {
  return format === 'vp9' || format === 'av1'
    ? layers.map(layer => ({ ...layer, scalabilityMode: 'L1T1' }))
    : layers;
}

/**
 * Whether a codec serves a format. H.264 in packets of any size, whatever its profile: the server chooses among them.
 * @param {{mimeType: string, sdpFmtpLine?: string}} codec @param {string} format
 */
function serves(codec, format) {
  if (codec.mimeType.toLowerCase() !== `video/${format}`) return false;
  return format !== 'h264' || /packetization-mode=1/.test(codec.sdpFmtpLine ?? '');
}

/**
 * Whether this browser can show pictures of a format, and send them. Where it does not say, it is tried.
 * @param {string} format
 */
export function canShow(format) {
  try {
    const codecs = RTCRtpReceiver.getCapabilities('video')?.codecs;
    return !codecs || codecs.some(codec => serves(codec, format));
  } catch {
    return true;
  }
}

/**
 * Leaves one format and its repeats alone in a line, so that the offer stays small.
 * @param {RTCRtpTransceiver} line
 * @param {string} format
 */
export function preferVideo(line, format) {
  try {
    const codecs = RTCRtpReceiver.getCapabilities('video')?.codecs ?? [];
    const wanted = codecs.filter(
      codec => serves(codec, format) || codec.mimeType.toLowerCase() === 'video/rtx',
    );
    if (wanted.some(codec => serves(codec, format))) line.setCodecPreferences(wanted);
  } catch {
    // Older engines lack it.
  }
}
