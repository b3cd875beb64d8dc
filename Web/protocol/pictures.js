import { preferVideo, separateLayers } from './codecs.js';
import { SpareCamera } from './spare.js';

/**
 * How much of a picture is wanted: nothing, a thumbnail, a part of the window, or all there is.
 * @typedef {'off' | 'low' | 'middle' | 'high'} PictureSize
 */
/**
 * A seat's number, the room's screen, or another room's host by its place.
 * @typedef {number | 'screen' | `guest:${number}`} PictureName
 */
/** @typedef {{seat?: number, guest?: number, screen?: boolean, mid: string}} PictureLine */
/**
 * What comes of one picture, and why it is less than is wanted: my own line carries no more, or nothing comes from who shows it. Without
 * `lack` it is all that is wanted, or there is.
 * @typedef {{seat?: number, guest?: number, screen?: boolean, size: PictureSize, lack?: 'line' | 'sender'}} PictureNews
 */

/**
 * The name of another room's host among the pictures.
 * @param {number} place
 * @returns {PictureName}
 */
export const guestPicture = place => `guest:${place}`;

/**
 * As calls name a picture.
 * @param {PictureName} picture
 */
export function whichPicture(picture) {
  if (picture === 'screen') return { screen: true };
  return typeof picture === 'number' ? { seat: picture } : { guest: Number(picture.slice(6)) };
}

/**
 * What a camera is sent as: three layers, the lowest first, so that everybody gets one that their line and window bear. Bits a second
 * for 1280 × 720; a smaller camera needs less and takes it.
 */
const cameraLayers = [
  { rid: 'q', scaleResolutionDownBy: 4, maxBitrate: 150_000 },
  { rid: 'h', scaleResolutionDownBy: 2, maxBitrate: 500_000 },
  { rid: 'f', scaleResolutionDownBy: 1, maxBitrate: 1_700_000 },
];
/** Up to which layer of a camera each size needs. @type {Record<PictureSize, number>} */
const layersOf = { off: 0, low: 0, middle: 1, high: 2 };
/** A screen is read: it is sent sharp, in one size. */
const screenLayers = [{ maxBitrate: 2_500_000 }];

/**
 * The lines of one peer connection that carry pictures: one for each seat and one for the room's screen, to see them, and those of my
 * own camera and screen, once I show one.
 */
export class PictureLines {
  #pc;
  #seats;
  #format;
  /** @type {RTCRtpTransceiver[]} To see the seats, and last the screen. */ #views = [];
  /** @type {RTCRtpTransceiver | null} */ #camera = null;
  #spare;
  /** @type {RTCRtpTransceiver | null} */ #screen = null;
  /** @type {PictureSize} How large anybody wants my camera. */ #wanted = 'high';
  /** @type {readonly number[]} Bits a second of my camera's layers at most. */ #rates = cameraLayers.map(
    layer => layer.maxBitrate,
  );

  /** @param {RTCPeerConnection} pc @param {number} seats @param {string} format of the room's pictures */
  constructor(pc, seats, format) {
    this.#pc = pc;
    this.#seats = seats;
    this.#format = format;
    this.#spare = new SpareCamera(pc, format);
    for (let view = 0; view <= seats; view++) {
      const line = pc.addTransceiver('video', { direction: 'recvonly' });
      preferVideo(line, format);
      this.#views.push(line);
    }
  }

  /** A line that the server has not been offered. */
  get hasNew() {
    return [this.#camera, this.#spare.line, this.#screen].some(line => line && line.mid === null);
  }

  /** What each line is for, by mid, for lines that have one. */
  get names() {
    /** @type {Record<string, string>} */
    const names = {};
    /** @param {RTCRtpTransceiver | null} line @param {string} name */
    const add = (line, name) => {
      if (line?.mid) names[line.mid] = name;
    };
    add(this.#camera, 'camera');
    add(this.#spare.line, 'spare');
    add(this.#screen, 'screen');
    this.#views.forEach((line, view) => {
      add(line, `picture:${view}`);
    });
    return names;
  }

  /**
   * Shows a camera, or nothing.
   * @param {MediaStreamTrack | null} track
   * @returns {Promise<boolean>} whether the server must be offered a new line
   */
  async setCamera(track) {
    if (this.#camera) {
      await Promise.all([this.#camera.sender.replaceTrack(track), this.#spare.setTrack(track, this.#rates)]);
      return false;
    }
    if (!track) return false;
    this.#camera = this.#add(track, this.#layers);
    await this.#spare.setTrack(track, this.#rates);
    return true;
  }

  /**
   * Shows a screen, or nothing.
   * @param {MediaStreamTrack | null} track
   * @returns {Promise<boolean>} whether the server must be offered a new line
   */
  async setScreen(track) {
    if (this.#screen) {
      await this.#screen.sender.replaceTrack(track);
      return false;
    }
    if (!track) return false;
    this.#screen = this.#add(track, screenLayers);
    return true;
  }

  /**
   * How large anybody wants my camera: layers above that are not sent.
   * @param {PictureSize} size
   * @param {boolean} [spare] somebody wants it in VP8 too, since they cannot show the room's format; else as before
   */
  async setWanted(size, spare) {
    if (size in layersOf) this.#wanted = size;
    if (spare !== undefined) await this.#spare.setWanted(spare, this.#rates);
    await this.#limitCamera();
  }

  /**
   * How much my camera's layers may take, the lowest first: three at most, each twice as wide and high as the one below.
   * @param {readonly number[]} rates bits a second
   */
  async setRates(rates) {
    this.#rates = rates;
    await this.limit();
  }

  get #layers() {
    const count = this.#rates.length;
    return cameraLayers.map((layer, at) => ({
      ...layer,
      ...(at < count
        ? { maxBitrate: this.#rates[at], scaleResolutionDownBy: 2 ** (count - 1 - at) }
        : { active: false }),
    }));
  }

  /** Whether the other side has reported on what my camera sends: it does so of what it gets. */
  async cameraArrives() {
    const report = await this.#camera?.sender.getStats();
    return [...(report?.values() ?? [])].some(({ type }) => type === 'remote-inbound-rtp');
  }

  /** Says to the encoder what is wanted; again after a negotiation, which may have come between. */
  async limit() {
    await this.#spare.limit(this.#rates);
    await this.#limitCamera();
  }

  async #limitCamera() {
    const sender = this.#camera?.sender;
    const parameters = sender?.getParameters();
    if (!sender || !parameters?.encodings?.length) return;
    const highest = Math.min(layersOf[this.#wanted], this.#rates.length - 1);
    const layers = this.#layers;
    const isAsWanted = (/** @type {RTCRtpEncodingParameters} */ layer, /** @type {number} */ at) =>
      (layer.active ?? true) === at <= highest &&
      layer.maxBitrate === layers[at]?.maxBitrate &&
      layer.scaleResolutionDownBy === layers[at].scaleResolutionDownBy;
    if (parameters.encodings.every(isAsWanted)) return;
    parameters.encodings.forEach((layer, at) => {
      layer.active = at <= highest;
      layer.maxBitrate = layers[at]?.maxBitrate;
      layer.scaleResolutionDownBy = layers[at]?.scaleResolutionDownBy;
    });
    try {
      await sender.setParameters(parameters);
    } catch {
      // All layers are sent, then, as in browsers that cannot leave any out.
    }
  }

  /** @param {MediaStreamTrack} track @param {RTCRtpEncodingParameters[]} layers */
  #add(track, layers) {
    const line = this.#pc.addTransceiver(track, {
      direction: 'sendonly',
      sendEncodings: separateLayers(layers, this.#format),
    });
    preferVideo(line, this.#format);
    return line;
  }

  /**
   * The tracks of the seats, and last that of the screen, as the answer says.
   * @param {readonly PictureLine[]} pictures
   */
  tracks(pictures) {
    /** @type {(MediaStreamTrack | null)[]} */
    const tracks = Array.from({ length: this.#seats + 1 }, () => null);
    for (const { seat, screen, mid } of pictures) {
      const line = this.#pc.getTransceivers().find(transceiver => transceiver.mid === mid);
      const view = screen ? this.#seats : seat;
      if (line && view !== undefined && view < tracks.length) tracks[view] = line.receiver.track;
    }
    return tracks;
  }
}
