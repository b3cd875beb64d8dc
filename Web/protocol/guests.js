import { preferOpus, preferVideo } from './codecs.js';

/** A room is linked to three others at most. */
export const guestsMost = 3;

/** @typedef {{sound: MediaStreamTrack | null, picture: MediaStreamTrack | null}} GuestTracks */
/** @typedef {{guest?: number, mid: string}[]} GuestAnswer */

/**
 * The lines of one peer connection on which other rooms' hosts are heard and seen, one of each for each place. They are added when a
 * place is first taken, and stay.
 */
export class GuestLines {
  #pc;
  #sounds;
  #format;
  /** @type {Map<number, {sound: RTCRtpTransceiver, picture: RTCRtpTransceiver}>} */ #places = new Map();

  /**
   * @param {RTCPeerConnection} pc
   * @param {readonly RTCRtpTransceiver[]} sounds the microphone, then a line for each seat
   * @param {string} format of the room's pictures
   */
  constructor(pc, sounds, format) {
    this.#pc = pc;
    this.#sounds = sounds;
    this.#format = format;
  }

  /**
   * @param {readonly {place: number}[]} links
   * @returns {boolean} whether there are more lines now, which the server must be offered
   */
  need(links) {
    let isNew = false;
    for (const { place } of links) {
      if (!(place >= 0 && place < guestsMost) || this.#places.has(place)) continue;
      const sound = this.#pc.addTransceiver('audio', { direction: 'recvonly' });
      preferOpus(sound);
      const picture = this.#pc.addTransceiver('video', { direction: 'recvonly' });
      preferVideo(picture, this.#format);
      this.#places.set(place, { sound, picture });
      isNew = true;
    }
    return isNew;
  }

  /** Lines that the server has not been offered. */
  get hasNew() {
    return [...this.#places.values()].some(({ sound }) => sound.mid === null);
  }

  /** What each line is for, by mid, for lines that have one. Where one line of sound has a name, all need theirs. */
  get names() {
    /** @type {Record<string, string>} */
    const names = {};
    if (this.#places.size === 0) return names;
    const seats = this.#sounds.length - 1;
    this.#sounds.forEach(({ mid }, at) => {
      if (mid) names[mid] = at === 0 ? 'microphone' : `sound:${at - 1}`;
    });
    for (const [place, { sound, picture }] of this.#places) {
      if (sound.mid) names[sound.mid] = `sound:${seats + place}`;
      // The number after the last seat's is the screen's.
      if (picture.mid) names[picture.mid] = `picture:${seats + 1 + place}`;
    }
    return names;
  }

  /**
   * Sound and picture of each place, as the answer says.
   * @param {GuestAnswer} slots @param {GuestAnswer} pictures
   * @returns {GuestTracks[]}
   */
  tracks(slots, pictures) {
    const lines = this.#pc.getTransceivers();
    /** @param {GuestAnswer} answer @param {number} place */
    const track = (answer, place) => {
      const entry = answer.find(({ guest }) => guest === place);
      return lines.find(({ mid }) => entry && mid === entry.mid)?.receiver.track ?? null;
    };
    return Array.from({ length: guestsMost }, (_, place) => ({
      sound: track(slots, place),
      picture: track(pictures, place),
    }));
  }
}
