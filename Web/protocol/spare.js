import { preferVideo } from './codecs.js';

/** The format that every browser shows (RFC 7742 §5). */
const spareFormat = 'vp8';

/**
 * My camera once more, in VP8 and one size, for those who cannot show the format of the room's pictures. Nothing is sent on its line until
 * one of them watches.
 */
export class SpareCamera {
  #pc;
  #isNeeded;
  /** @type {RTCRtpTransceiver | null} */ #line = null;
  #wanted = false;

  /** @param {RTCPeerConnection} pc @param {string} format of the room's pictures */
  constructor(pc, format) {
    this.#pc = pc;
    this.#isNeeded = format !== spareFormat;
  }

  /** Once it has a track; null in rooms where all can show everything. */
  get line() {
    return this.#line;
  }

  /**
   * @param {MediaStreamTrack | null} track
   * @param {readonly number[]} rates of the camera's layers, the lowest first
   */
  async setTrack(track, rates) {
    if (this.#line) return this.#line.sender.replaceTrack(track);
    if (!track || !this.#isNeeded) return;
    this.#line = this.#pc.addTransceiver(track, {
      direction: 'sendonly',
      sendEncodings: [{ ...this.#layer(rates), active: this.#wanted }],
    });
    preferVideo(this.#line, spareFormat);
  }

  /** @param {boolean} wanted somebody watches it @param {readonly number[]} rates */
  async setWanted(wanted, rates) {
    this.#wanted = wanted;
    await this.limit(rates);
  }

  /**
   * As large as the camera's layer below the highest.
   * @param {readonly number[]} rates
   */
  #layer(rates) {
    const below = Math.max(0, rates.length - 2);
    return { maxBitrate: rates[below], scaleResolutionDownBy: 2 ** (rates.length - 1 - below) };
  }

  /**
   * Says to the encoder what is wanted; again after a negotiation.
   * @param {readonly number[]} rates
   */
  async limit(rates) {
    const sender = this.#line?.sender;
    const parameters = sender?.getParameters();
    const layer = parameters?.encodings?.[0];
    if (!sender || !parameters || !layer) return;
    const wish = { ...this.#layer(rates), active: this.#wanted };
    if (
      (layer.active ?? true) === wish.active &&
      layer.maxBitrate === wish.maxBitrate &&
      layer.scaleResolutionDownBy === wish.scaleResolutionDownBy
    )
      return;
    Object.assign(layer, wish);
    try {
      await sender.setParameters(parameters);
    } catch {
      // It is sent, then, or it is not: what others see of the room's format does not depend on it.
    }
  }
}
