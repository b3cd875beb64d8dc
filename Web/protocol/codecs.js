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
 * Leaves VP8 and its repeats alone in a line, so that the offer stays small.
 * @param {RTCRtpTransceiver} line
 */
export function preferVideo(line) {
  try {
    const codecs = RTCRtpReceiver.getCapabilities('video')?.codecs ?? [];
    const wanted = codecs.filter(codec => ['video/vp8', 'video/rtx'].includes(codec.mimeType.toLowerCase()));
    if (wanted.length > 0) line.setCodecPreferences(wanted);
  } catch {
    // Older engines lack it.
  }
}
