/**
 * The one place that edits a session description, and only our own offer, before it is set and sent:
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

/** @param {string} payloadType */
function rtpmap(payloadType) {
  return new RegExp(`^a=rtpmap:${payloadType} [^\\r\\n]*`, 'm');
}
