"""Songs of every kind that people have, and how a browser plays them."""

import fractions
import json
import urllib.error
import urllib.request

import av
import numpy
from client import ticket

# The name of the file, its container, its codec. What stands in TAKEN, the server takes.
KINDS = [
    ("a.mp3", "mp3", "libmp3lame"), ("aac.m4a", "mp4", "aac"), ("opus.m4a", "mp4", "libopus"), ("alac.m4a", "mp4", "alac"),
    ("pcm.m4a", "mov", "pcm_s16le"), ("opus.ogg", "ogg", "libopus"), ("vorbis.ogg", "ogg", "vorbis"), ("flac.ogg", "ogg", "flac"),
    ("a.flac", "flac", "flac"), ("u8.wav", "wav", "pcm_u8"), ("s16.wav", "wav", "pcm_s16le"), ("s24.wav", "wav", "pcm_s24le"),
    ("s32.wav", "wav", "pcm_s32le"), ("f32.wav", "wav", "pcm_f32le"), ("f64.wav", "wav", "pcm_f64le"), ("alaw.wav", "wav", "pcm_alaw"),
    ("mulaw.wav", "wav", "pcm_mulaw"), ("adpcm.wav", "wav", "adpcm_ms"),
]
TAKEN = {name for name, _, _ in KINDS} - {"alac.m4a", "pcm.m4a", "f64.wav", "adpcm.wav"}

# As the player does it: [seconds, loudest sample], or the error's name.
PLAY = """
const [address, done] = arguments;
(async () => {
  const bytes = await (await fetch(address)).arrayBuffer();
  const sound = await new OfflineAudioContext(2, 48000, 48000).decodeAudioData(bytes);
  done([sound.duration, sound.getChannelData(0).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)]);
})().catch(error => done(String(error.name)));"""


def make(path, container, codec, seconds=1.0, rate=48_000):
    """Writes a tone of half the full scale."""
    tone = (0.5 * numpy.sin(2 * numpy.pi * 440 * numpy.arange(int(seconds * rate)) / rate)).astype(numpy.float32)
    with av.open(str(path), "w", format=container) as file:
        # FFmpeg calls its own Vorbis encoder experimental.
        stream = file.add_stream(codec, rate=rate, layout="stereo", options={"strict": "experimental"})
        stream.codec_context.open()
        resampler = av.AudioResampler(stream.format, "stereo", rate, frame_size=stream.codec_context.frame_size or 1024)
        frame = av.AudioFrame.from_ndarray(numpy.stack([tone, tone]), format="fltp", layout="stereo")
        frame.sample_rate, frame.pts, frame.time_base = rate, 0, fractions.Fraction(1, rate)
        for piece in [*resampler.resample(frame), *resampler.resample(None)]:
            file.mux(stream.encode(piece))
        file.mux(stream.encode(None))


def upload(server, account, path):
    """The path of the song's accompaniment in the library, or the refusal's name and message."""
    parts = [('name="title"', path.name.encode()), (f'name="audio"; filename="{path.name}"', path.read_bytes())]
    body = b"".join(b"--edge\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n" % (name.encode(), data) for name, data in parts)
    request = urllib.request.Request(server.url + "/v1/songs", body + b"--edge--\r\n", {
        "Content-Type": "multipart/form-data; boundary=edge",
        "Authorization": f"Bearer {account['app']}:{account['user']}:{account['ticket']}"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())["song"]["accompaniment"], None
    except urllib.error.HTTPError as refused:
        return None, json.loads(refused.read())["error"]


def library(server, folder):
    """Tries to upload one of each kind; the addresses of those that were taken, and the refusals, by name."""
    account = ticket(server, "Uploader")
    addresses, refusals = {}, {}
    for name, container, codec in KINDS:
        make(folder / name, container, codec)
        address, refusal = upload(server, account, folder / name)
        if address:
            addresses[name] = address
        else:
            refusals[name] = refusal
    return addresses, refusals
