/**
 * This file alone edits session descriptions: here our own offer, before it is set and sent, below the answer to it.
 * Opus lines ask for retransmission (`nack`: a lost packet is asked for again, which browsers do for sound only when
 * told) and, where we receive, for stereo (browsers decode to mono otherwise). What is there already stays as it is.
 * @param {string} sdp
 */
export function editOffer(sdp) {
  const [session, ...sections] = sdp.split(/(?=^m=)/m);
  return (
    session + sections.map(section => (section.startsWith('m=audio') ? editAudio(section) : section)).join('')
  );
}

/** @param {string} section from its `m=` line on */
function editAudio(section) {
  const receives = /^a=(recvonly|sendrecv)\r?$/m.test(section);
  let edited = section;
  for (const [, payloadType] of section.matchAll(/^a=rtpmap:(\d+) opus\/48000/gim)) {
    if (!new RegExp(`^a=rtcp-fb:(${payloadType}|\\*) nack\\r?$`, 'm').test(edited)) {
      edited = edited.replace(rtpmap(payloadType), line => `${line}\r\na=rtcp-fb:${payloadType} nack`);
    }
    if (!receives) continue;
    const fmtp = new RegExp(`^a=fmtp:${payloadType} [^\\r\\n]*`, 'm');
    const found = fmtp.exec(edited)?.[0];
    if (!found)
      edited = edited.replace(rtpmap(payloadType), line => `${line}\r\na=fmtp:${payloadType} stereo=1`);
    else if (!/[ ;]stereo=/.test(found)) edited = edited.replace(fmtp, line => `${line};stereo=1`);
  }
  return edited;
}

/**
 * What my encoder is asked for: bits a second, both sides, and whether silence is sent without packets. A browser encodes at
 * the bandwidth that it thinks right for the bit rate.
 * @typedef {'speech' | 'default' | 'music' | 'duet'} SoundQuality
 */
/** @type {Readonly<Record<SoundQuality, {bitrate: number, stereo: boolean, dtx: boolean}>>} */
export const soundQualities = Object.freeze({
  speech: { bitrate: 16_000, stereo: false, dtx: true },
  default: { bitrate: 50_000, stereo: false, dtx: true },
  music: { bitrate: 128_000, stereo: true, dtx: false },
  // A singer: every packet counts, also the quiet ones between the words.
  duet: { bitrate: 64_000, stereo: false, dtx: false },
});

/**
 * Writes the wish for one line into the server's answer, before it is set: what an answer asks of Opus is what the browser
 * sends (RFC 7587 §6.1).
 * @param {string} sdp
 * @param {string | null} mid of the microphone's line
 * @param {SoundQuality} quality
 * @param {boolean} tight short frames: singers wait for every one, and send each with a copy of the one before
 */
export function editAnswer(sdp, mid, quality, tight = false) {
  const { bitrate, stereo, dtx } = soundQualities[quality];
  const wishes = { stereo: Number(stereo), usedtx: Number(dtx), maxaveragebitrate: bitrate };
  const edited = sdp.split(/(?=^m=)/m).map(section => {
    if (!section.startsWith('m=audio') || !new RegExp(`^a=mid:${mid}\\r?$`, 'm').test(section))
      return section;
    const [, payloadType] = /^a=rtpmap:(\d+) opus\/48000/im.exec(section) ?? [];
    if (!payloadType) return section;
    const found = new RegExp(`^a=fmtp:${payloadType} ([^\\r\\n]*)`, 'm').exec(section);
    const kept = (found?.[1].split(';') ?? []).filter(part => !(part.split('=')[0].trim() in wishes));
    const text = [...kept, ...Object.entries(wishes).map(([name, value]) => `${name}=${value}`)].join(';');
    const line = `a=fmtp:${payloadType} ${text}`;
    const wished = found
      ? section.replace(found[0], line)
      : section.replace(rtpmap(payloadType), known => `${known}\r\n${line}`);
    return tight ? withCopies(withPacketTime(wished)) : wished;
  });
  return edited.join('');
}

/** Milliseconds of sound in a packet: the shortest that browsers make. */
const tightPacketMs = 10;

/** @param {string} section */
function withPacketTime(section) {
  const others = section.replace(/^a=(max|min)?ptime:[^\r\n]*\r?\n/gm, '');
  return `${others.replace(/(\r?\n)?$/, '')}\r\na=ptime:${tightPacketMs}\r\n`;
}

/**
 * Puts packets with copies (RFC 2198) first, which is what the browser sends then; where they are not agreed on, nothing changes.
 * @param {string} section
 */
function withCopies(section) {
  const [, payloadType] = /^a=rtpmap:(\d+) red\/48000\/2\r?$/im.exec(section) ?? [];
  if (!payloadType) return section;
  const types = new RegExp(`(?<=^m=audio \\d+ \\S+)((?: \\d+)*?) ${payloadType}(?=[ \\r\\n])`);
  return section.replace(types, ` ${payloadType}$1`);
}

/** @param {string} payloadType */
function rtpmap(payloadType) {
  return new RegExp(`^a=rtpmap:${payloadType} [^\\r\\n]*`, 'm');
}
