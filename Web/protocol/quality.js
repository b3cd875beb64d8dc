/**
 * How the media path does, over the time since the last reading.
 * @typedef {object} MediaQuality
 * @property {'good' | 'fair' | 'poor'} word
 * @property {number | null} rttMs
 * @property {number | null} lossPercent of what should have come in
 * @property {number | null} jitterMs of the worst stream
 * @property {'udp' | 'tcp' | 'relay' | null} way how it reaches the server; null while it does not, or where the engine does not say
 * @property {number | null} bufferMs how long sound waited to be played, since the last reading
 */
/**
 * Totals of a reading, to be compared with the next.
 * @typedef {{received: number, lost: number, waited: number, played: number}} Totals
 */

/** Up to here people talk as if in one room (ITU-T G.114: 150 ms one way is good, 400 ms the limit; loss by ear). */
const good = { rttMs: 200, lossPercent: 2 };
const fair = { rttMs: 400, lossPercent: 8 };

/**
 * Reads a statistics report.
 * @param {RTCStatsReport | Map<string, any>} report
 * @param {Totals | null} before
 * @returns {{quality: MediaQuality, totals: Totals}}
 */
export function readQuality(report, before) {
  /** @type {number | null} */ let rtt = null;
  /** @type {number | null} */ let remoteRTT = null;
  /** @type {number | null} */ let jitter = null;
  const totals = { received: 0, lost: 0, waited: 0, played: 0 };
  /** @type {MediaQuality['way']} */ let way = null;
  report.forEach((/** @type {any} */ entry) => {
    if (entry.type === 'candidate-pair' && entry.nominated && entry.state === 'succeeded') {
      if (typeof entry.currentRoundTripTime === 'number') rtt = entry.currentRoundTripTime * 1000;
      way = wayOf(report.get(entry.localCandidateId));
    } else if (entry.type === 'remote-inbound-rtp' && typeof entry.roundTripTime === 'number') {
      remoteRTT = entry.roundTripTime * 1000;
    } else if (entry.type === 'inbound-rtp' && entry.packetsReceived > 0) {
      totals.received += entry.packetsReceived;
      totals.lost += Math.max(0, entry.packetsLost ?? 0);
      totals.waited += entry.jitterBufferDelay ?? 0;
      totals.played += entry.jitterBufferEmittedCount ?? 0;
      jitter = Math.max(jitter ?? 0, (entry.jitter ?? 0) * 1000);
    }
  });
  const came = totals.received - (before?.received ?? 0);
  const lost = Math.max(0, totals.lost - (before?.lost ?? 0));
  const lossPercent = came + lost > 0 ? (100 * lost) / (came + lost) : null;
  const played = totals.played - (before?.played ?? 0);
  const waited = totals.waited - (before?.waited ?? 0);
  const quality = {
    rttMs: rtt ?? remoteRTT,
    lossPercent,
    jitterMs: jitter,
    way,
    bufferMs: played > 0 ? Math.max(0, (1000 * waited) / played) : null,
    word: wordFor(rtt ?? remoteRTT, lossPercent),
  };
  return { quality, totals };
}

/** @param {any} candidate our own of the pair in use @returns {MediaQuality['way']} */
function wayOf(candidate) {
  if (candidate?.candidateType === 'relay') return 'relay';
  return candidate?.protocol === 'udp' || candidate?.protocol === 'tcp' ? candidate.protocol : null;
}

/**
 * @param {number | null} rttMs @param {number | null} lossPercent
 * @returns {'good' | 'fair' | 'poor'}
 */
export function wordFor(rttMs, lossPercent) {
  const within = (/** @type {typeof good} */ limit) =>
    (rttMs ?? 0) <= limit.rttMs && (lossPercent ?? 0) <= limit.lossPercent;
  if (within(good)) return 'good';
  return within(fair) ? 'fair' : 'poor';
}

/** A path that carries sound or pictures shows it in this time, reports included. */
const signMs = 700;

/**
 * Whether anything comes over the path of this connection now. A browser itself takes seconds to notice that nothing does.
 * @param {RTCPeerConnection} pc
 * @param {import('./connection.js').Host} host
 */
export async function carries(pc, host) {
  const before = bytesCome(await pc.getStats());
  await new Promise(resolve => host.setTimer(() => resolve(null), signMs));
  return bytesCome(await pc.getStats()) > before;
}

/** @param {RTCStatsReport | Map<string, any>} report */
function bytesCome(report) {
  let bytes = 0;
  report.forEach((/** @type {any} */ entry) => {
    if (entry.type === 'candidate-pair' && entry.nominated) bytes += entry.bytesReceived ?? 0;
  });
  return bytes;
}

const periodMs = 2_000;

/** Reads the statistics of one connection after another, every two seconds while it stands. */
export class QualityWatch {
  #host;
  #tell;
  /** @type {any} */ #timer = null;
  /** @type {RTCPeerConnection | null} */ #pc = null;
  /** @type {Totals | null} */ #totals = null;

  /**
   * @param {import('./connection.js').Host} host
   * @param {(quality: MediaQuality) => void} tell
   */
  constructor(host, tell) {
    this.#host = host;
    this.#tell = tell;
  }

  /** @param {RTCPeerConnection} pc */
  start(pc) {
    if (pc !== this.#pc) this.#totals = null;
    this.#pc = pc;
    this.#later();
  }

  stop() {
    this.#host.clearTimer(this.#timer);
    this.#pc = null;
    this.#totals = null;
  }

  #later() {
    this.#host.clearTimer(this.#timer);
    this.#timer = this.#host.setTimer(() => this.#read(), periodMs);
  }

  async #read() {
    const pc = this.#pc;
    if (!pc) return;
    try {
      const { quality, totals } = readQuality(await pc.getStats(), this.#totals);
      if (pc !== this.#pc) return;
      this.#totals = totals;
      this.#tell(quality);
    } catch {
      // A connection that is closing has none.
    }
    if (pc === this.#pc) this.#later();
  }
}
