import { guestPicture } from './pictures.js';

/**
 * How one picture does, over the time since the last reading.
 * @typedef {object} PictureStatistics
 * @property {import('./pictures.js').PictureName | 'mine'} picture a seat's, the room's screen, another room's host, or what I send
 * @property {number} width of what is sent or shown now, in pixels
 * @property {number} height
 * @property {number | null} framesPerSecond
 * @property {number | null} kilobits a second, of all layers that I send together
 * @property {number | null} lossPercent of the packets that should have come, or of mine that others missed
 * @property {string | null} codec such as `VP8`
 * @property {number | null} stills how often it stood still since it began; of mine unknown
 * @property {'bandwidth' | 'cpu' | 'other' | null} limit why my browser sends less than it could
 */

/** @typedef {{at: number, bytes: number, packets: number, lost: number}} Totals */

/**
 * Reads what comes and goes of pictures from statistics reports, one after another.
 */
export class PictureStatisticsReader {
  /** @type {Map<string, Totals>} By line. */ #before = new Map();

  /**
   * @param {RTCStatsReport | Map<string, any>} report
   * @param {Record<string, string>} lines what each line is for, by mid: `camera`, `picture:<number>`
   * @param {number} seats
   * @returns {PictureStatistics[]} of pictures that come or go; mine first, then by seat
   */
  read(report, lines, seats) {
    /** @type {Map<string, any[]>} */ const streams = new Map();
    /** @type {Map<string, any>} */ const told = new Map();
    report.forEach((/** @type {any} */ entry) => {
      const isPicture = entry.kind === 'video' && lines[entry.mid] !== undefined;
      if (isPicture && (entry.type === 'inbound-rtp' || entry.type === 'outbound-rtp'))
        streams.set(entry.mid, [...(streams.get(entry.mid) ?? []), entry]);
      if (entry.type === 'remote-inbound-rtp') told.set(entry.localId, entry);
    });
    const now = new Map();
    /** @type {PictureStatistics[]} */ const found = [];
    for (const [mid, entries] of streams) {
      const totals = sum(entries, told);
      now.set(mid, totals);
      const picture = pictureOf(lines[mid], seats);
      // The largest that goes out now stands for the others.
      const [first] = entries
        .filter(entry => (entry.framesPerSecond ?? 0) > 0)
        .sort((a, b) => (b.frameHeight ?? 0) - (a.frameHeight ?? 0));
      if (picture === null || !first) continue;
      const before = this.#before.get(mid);
      found.push({
        picture,
        width: first.frameWidth ?? 0,
        height: first.frameHeight ?? 0,
        framesPerSecond: Math.round(first.framesPerSecond),
        ...since(before, totals),
        codec: report.get(first.codecId)?.mimeType?.replace('video/', '') ?? null,
        stills: first.type === 'inbound-rtp' ? (first.freezeCount ?? null) : null,
        limit: limitOf(first),
      });
    }
    this.#before = now;
    const place = (/** @type {PictureStatistics} */ { picture }) =>
      picture === 'mine'
        ? -1
        : typeof picture === 'number'
          ? picture
          : seats + (picture === 'screen' ? 0 : 1);
    return found.sort((a, b) => place(a) - place(b));
  }
}

/** @param {string} name @param {number} seats @returns {PictureStatistics['picture'] | null} */
function pictureOf(name, seats) {
  if (name === 'camera') return 'mine';
  const number = /^picture:(\d+)$/.exec(name)?.[1];
  if (number === undefined) return null;
  const after = Number(number) - seats;
  return after < 0 ? Number(number) : after === 0 ? 'screen' : guestPicture(after - 1);
}

/**
 * @param {any[]} entries of one line
 * @param {Map<string, any>} told what the other side says of them, by their ids
 * @returns {Totals}
 */
function sum(entries, told) {
  const totals = { at: 0, bytes: 0, packets: 0, lost: 0 };
  for (const entry of entries) {
    totals.at = Math.max(totals.at, entry.timestamp);
    totals.bytes += entry.bytesReceived ?? entry.bytesSent ?? 0;
    totals.packets += entry.packetsReceived ?? entry.packetsSent ?? 0;
    totals.lost += Math.max(0, entry.packetsLost ?? told.get(entry.id)?.packetsLost ?? 0);
  }
  return totals;
}

/** @param {Totals | undefined} before @param {Totals} now */
function since(before, now) {
  const seconds = before ? (now.at - before.at) / 1000 : 0;
  if (!before || seconds <= 0) return { kilobits: null, lossPercent: null };
  const came = Math.max(0, now.packets - before.packets);
  const lost = Math.max(0, now.lost - before.lost);
  return {
    kilobits: Math.max(0, Math.round(((now.bytes - before.bytes) * 8) / seconds / 1000)),
    lossPercent: came + lost > 0 ? (100 * lost) / (came + lost) : null,
  };
}

/** @param {any} entry @returns {PictureStatistics['limit']} */
function limitOf(entry) {
  const reason = entry.qualityLimitationReason;
  return reason === 'bandwidth' || reason === 'cpu' || reason === 'other' ? reason : null;
}
