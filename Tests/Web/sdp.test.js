import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { editAnswer, editOffer, soundQualities } from '../../Web/protocol/sdp.js';

const offer = browser => readFileSync(new URL(`./fixtures/offer-${browser}.sdp`, import.meta.url), 'utf8');
const sections = sdp => sdp.split(/(?=^m=)/m).slice(1);

for (const [browser, payloadType] of [
  ['chromium', 111],
  ['firefox', 109],
]) {
  test(`${browser}'s own offer asks for retransmission on every line, for stereo where it receives`, () => {
    const edited = editOffer(offer(browser));
    assert.equal(sections(edited).length, 3);
    for (const [index, section] of sections(edited).entries()) {
      assert.equal(
        section.match(new RegExp(`^a=rtcp-fb:${payloadType} nack\r$`, 'gm'))?.length,
        1,
        `nack in line ${index}`,
      );
      assert.equal(section.match(/^a=rtcp-fb:\d+ nack\r$/gm).length, 1, 'for Opus alone');
      const fmtp = new RegExp(`^a=fmtp:${payloadType} .*\r$`, 'm').exec(section)[0];
      const had = /stereo=1/.test(sections(offer(browser))[index]);
      assert.equal(/[ ;]stereo=1/.test(fmtp), index > 0 || had, `stereo in line ${index}: ${fmtp}`);
      assert.match(fmtp, /useinbandfec=1/, 'what was there stays');
    }
  });

  test(`nothing else of ${browser}'s offer changes, and editing twice is editing once`, () => {
    const before = offer(browser);
    const edited = editOffer(before);
    const rest = edited.replace(/^a=rtcp-fb:\d+ nack\r\n/gm, '').replace(/;stereo=1(?=\r)/g, '');
    assert.equal(rest, before.replace(/;stereo=1(?=\r)/g, ''));
    assert.equal(editOffer(edited), edited);
    assert.equal(edited.includes('\r\r'), false);
    assert.ok(edited.endsWith('\r\n'));
  });
}

test('a line without fmtp gets one, a line without Opus and a video line stay as they are', () => {
  const video = 'm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=recvonly\r\na=rtpmap:96 VP8/90000\r\n';
  const pcm = 'm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=recvonly\r\na=rtpmap:0 PCMU/8000\r\n';
  const bare = 'm=audio 9 UDP/TLS/RTP/SAVPF 96\r\na=recvonly\r\na=rtpmap:96 opus/48000/2\r\n';
  const edited = editOffer(`v=0\r\n${video}${pcm}${bare}`);
  assert.ok(edited.includes(video));
  assert.ok(edited.includes(pcm));
  assert.match(
    edited,
    /a=rtpmap:96 opus\/48000\/2\r\na=fmtp:96 stereo=1\r\na=rtcp-fb:96 nack\r\n$|a=rtcp-fb:96 nack\r\na=fmtp:96 stereo=1\r\n$/,
  );
});

test('stereo=0 and a wildcard nack are respected', () => {
  const line =
    'v=0\r\nm=audio 9 X 96\r\na=recvonly\r\na=rtpmap:96 opus/48000/2\r\na=fmtp:96 stereo=0\r\na=rtcp-fb:* nack\r\n';
  assert.equal(editOffer(line), line);
});

test('sprop-stereo alone is not stereo', () => {
  const line =
    'v=0\r\nm=audio 9 X 96\r\na=recvonly\r\na=rtpmap:96 opus/48000/2\r\na=fmtp:96 sprop-stereo=1\r\n';
  assert.match(editOffer(line), /a=fmtp:96 sprop-stereo=1;stereo=1\r\n/);
});

const answer = [
  'v=0',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111 63',
  'a=mid:0',
  'a=recvonly',
  'a=rtpmap:111 opus/48000/2',
  'a=rtpmap:63 red/48000/2',
  'a=fmtp:111 minptime=10;useinbandfec=1;usedtx=1',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111',
  'a=mid:01',
  'a=sendonly',
  'a=rtpmap:111 opus/48000/2',
  'a=fmtp:111 minptime=10;useinbandfec=1;usedtx=1',
  '',
].join('\r\n');

test('V12-W each quality asks my encoder for its bit rate, its sides and its silence, and no other line for anything', () => {
  for (const [quality, { bitrate, stereo, dtx }] of Object.entries(soundQualities)) {
    const [microphone, seat] = sections(editAnswer(answer, '0', quality));
    const fmtp = `stereo=${Number(stereo)};usedtx=${Number(dtx)};maxaveragebitrate=${bitrate}`;
    assert.match(microphone, new RegExp(`^a=fmtp:111 minptime=10;useinbandfec=1;${fmtp}\r$`, 'm'));
    assert.equal(seat, sections(answer)[1], 'mid 01 is not mid 0');
    const again = editAnswer(editAnswer(answer, '0', 'music'), '0', quality);
    assert.equal(again, editAnswer(answer, '0', quality));
  }
  assert.deepEqual(
    ['speech', 'default', 'music'].map(quality => soundQualities[quality].bitrate),
    [16_000, 50_000, 128_000],
  );
  const bare = answer.replace(/a=fmtp[^\n]*\n/g, '');
  assert.match(
    editAnswer(bare, '0', 'speech'),
    /opus\/48000\/2\r\na=fmtp:111 stereo=0;usedtx=1;maxaveragebitrate=16000\r\n/,
  );
  assert.equal(
    editAnswer('v=0\r\nm=audio 9 X 8\r\na=mid:0\r\n', '0', 'music'),
    'v=0\r\nm=audio 9 X 8\r\na=mid:0\r\n',
  );
});

test('D01-W a singer sends each packet with a copy of the one before where that is agreed on, everybody else sends Opus alone', () => {
  const answer = [
    'v=0',
    'm=audio 9 UDP/TLS/RTP/SAVPF 111 63',
    'a=mid:0',
    'a=rtpmap:111 opus/48000/2',
    'a=rtpmap:63 red/48000/2',
    'a=fmtp:63 111/111',
    'm=audio 9 UDP/TLS/RTP/SAVPF 111 63',
    'a=mid:1',
    'a=rtpmap:111 opus/48000/2',
    'a=rtpmap:63 red/48000/2',
    '',
  ].join('\r\n');
  const [microphone, seat] = sections(editAnswer(answer, '0', 'duet', true));
  assert.match(microphone, /^m=audio 9 UDP\/TLS\/RTP\/SAVPF 63 111\r\n/);
  assert.match(seat, /^m=audio 9 UDP\/TLS\/RTP\/SAVPF 111 63\r\n/);
  assert.match(sections(editAnswer(answer, '0', 'duet'))[0], /SAVPF 111 63\r\n/);
  // Not agreed on: nothing changes.
  const without = answer.replaceAll(/a=(rtpmap|fmtp):63.*\r\n/g, '').replaceAll(' 63', '');
  assert.match(sections(editAnswer(without, '0', 'duet', true))[0], /SAVPF 111\r\n/);
});
