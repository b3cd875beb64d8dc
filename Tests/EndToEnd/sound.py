"""Tones that a fake microphone plays, and what a page really hears of them."""

import atexit
import functools
import math
import shutil
import struct
import subprocess
import tempfile
import wave

RATE = 48000


def tone(path, hertz, seconds=6.0, amplitude=0.5, on=0.4, off=0.2):
    """A sine in bursts with soft edges: a browser's noise suppression takes a steady tone for noise and removes it."""
    period = on + off
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        samples = []
        for n in range(round(round(seconds / period) * period * RATE)):
            at = (n / RATE) % period
            edge = min(at / 0.01, (on - at) / 0.01, 1.0) if at < on else 0.0
            samples.append(struct.pack("<h", round(32767 * amplitude * edge * math.sin(2 * math.pi * hertz * n / RATE))))
        file.writeframes(b"".join(samples))
    return path


@functools.cache
def tone_file(hertz):
    """One file for each tone, for as long as the tests run."""
    folder = tempfile.mkdtemp(prefix="tone-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return tone(f"{folder}/{hertz}.wav", hertz)


def music(path, *parts, amplitude=0.5):
    """A steady sound of two sides: each part is (hertz on the left, hertz on the right, seconds)."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        for left, right, seconds in parts:
            # Whole periods of both in a tenth of a second, so that it can be repeated without a click.
            period = b"".join(
                struct.pack("<hh", *(round(32767 * amplitude * math.sin(2 * math.pi * hertz * n / RATE)) for hertz in (left, right)))
                for n in range(RATE // 10))
            file.writeframes(period * round(seconds * 10))
    return path


# Runs before the page's own code: keeps what a person would find in the console as an error.
REMEMBER_COMPLAINTS = """
(() => {
  const store = [];
  window.__complaints = store;
  const error = console.error.bind(console);
  console.error = (...rest) => { store.push(rest.map(String).join(' ')); error(...rest); };
  window.addEventListener('error', (e) => store.push(String(e.message)));
  window.addEventListener('unhandledrejection', (e) => store.push('unhandled: ' + String(e.reason && e.reason.stack || e.reason)));
  window.addEventListener('securitypolicyviolation', (e) => store.push('CSP: ' + e.violatedDirective + ' ' + e.blockedURI));
})();
"""

# Runs before the page's own code: keeps every peer connection, so that a test can listen to what the page decodes, listens to what
# the page's sound desk gives to the loudspeaker, keeps what the microphone gave, so that a test can tell that it was let go, and
# counts the sockets that it opens, so that a test can tell a connection that lasted from one that came back.
REMEMBER_PEERS = REMEMBER_COMPLAINTS + """
(() => {
  const Real = window.RTCPeerConnection;
  window.__peers = [];
  window.RTCPeerConnection = class extends Real {
    constructor(...rest) { super(...rest); window.__peers.push(this); }
  };
  const devices = navigator.mediaDevices, ask = devices && devices.getUserMedia;
  window.__microphones = [];
  window.__cameras = [];
  if (ask) devices.getUserMedia = async function (...rest) {
    const stream = await ask.apply(devices, rest);
    window.__microphones.push(...stream.getAudioTracks());
    window.__cameras.push(...stream.getVideoTracks());
    return stream;
  };
  const Socket = window.WebSocket;
  window.__sockets = 0;
  window.WebSocket = class extends Socket {
    constructor(...rest) { super(...rest); window.__sockets++; }
  };
  const connect = window.AudioNode && AudioNode.prototype.connect;
  window.__loudspeakers = [];
  if (connect) AudioNode.prototype.connect = function (to, ...rest) {
    if (to instanceof AudioDestinationNode && to.context instanceof AudioContext) {
      const analyser = to.context.createAnalyser();
      analyser.fftSize = 16384;
      analyser.smoothingTimeConstant = 0;
      connect.call(this, analyser);
      window.__loudspeakers.push(analyser);
    }
    return connect.call(this, to, ...rest);
  };
})();
"""

# Energy and strongest frequency of what the page decodes, per receiver: the loudest of several looks over about a second.
LISTEN = """
const done = arguments[arguments.length - 1];
(async () => {
  const peer = (window.__peers || []).filter((p) => p.connectionState === 'connected').pop();
  if (!peer) return done([]);
  window.__ears = window.__ears || new AudioContext({sampleRate: 48000});
  const ears = window.__ears;
  await ears.resume();
  const taps = peer.getReceivers().filter((r) => r.track && r.track.kind === 'audio').map((receiver) => {
    const source = ears.createMediaStreamSource(new MediaStream([receiver.track]));
    const analyser = ears.createAnalyser();
    analyser.fftSize = 16384;
    analyser.smoothingTimeConstant = 0;
    source.connect(analyser);
    const mid = (peer.getTransceivers().find((t) => t.receiver === receiver) || {}).mid;
    return {source, analyser, heard: {mid, rms: 0, hertz: 0, peaks: []}};
  });
  for (let look = 0; look < 5; look++) {
    await new Promise((resolve) => setTimeout(resolve, look ? 170 : 400));
    for (const {analyser, heard} of taps) {
      const wave = new Float32Array(analyser.fftSize);
      analyser.getFloatTimeDomainData(wave);
      let sum = 0;
      for (const v of wave) sum += v * v;
      const rms = Math.sqrt(sum / wave.length);
      const isLoud = rms > 0.003;
      if (!isLoud && rms <= heard.rms) continue;
      const bins = new Float32Array(analyser.frequencyBinCount);
      analyser.getFloatFrequencyData(bins);
      let best = 1;
      for (let i = 2; i < bins.length; i++) if (bins[i] > bins[best]) best = i;
      const hertz = (bin) => bin * ears.sampleRate / analyser.fftSize;
      // Everything within 12 dB of the loudest: voices of one strength may sound at once, or by turns.
      if (isLoud) heard.peaks.push(...[...bins.keys()].slice(1, -1).filter((i) =>
        bins[i] > bins[best] - 12 && bins[i] >= bins[i - 1] && bins[i] > bins[i + 1]).map(hertz));
      if (rms <= heard.rms) continue;
      heard.rms = rms;
      heard.hertz = hertz(best);
    }
  }
  for (const {source} of taps) source.disconnect();
  done(taps.map((t) => t.heard));
})().catch((e) => done([{error: String(e)}]));
"""

# What the page's sound desk gives to the loudspeaker: level and strongest frequency, the loudest of several looks.
LISTEN_HERE = """
const done = arguments[arguments.length - 1];
(async () => {
  const heard = {rms: 0, hertz: 0};
  for (let look = 0; look < 5; look++) {
    await new Promise((resolve) => setTimeout(resolve, look ? 170 : 400));
    for (const analyser of window.__loudspeakers) {
      if (analyser.context.state !== 'running') continue;
      const wave = new Float32Array(analyser.fftSize);
      analyser.getFloatTimeDomainData(wave);
      const rms = Math.sqrt(wave.reduce((sum, v) => sum + v * v, 0) / wave.length);
      if (rms <= heard.rms) continue;
      const bins = new Float32Array(analyser.frequencyBinCount);
      analyser.getFloatFrequencyData(bins);
      heard.rms = rms;
      heard.hertz = bins.indexOf(Math.max(...bins)) * analyser.context.sampleRate / analyser.fftSize;
    }
  }
  done(heard);
})().catch((e) => done({error: String(e)}));
"""

# The loudest decoded track for 2.4 s, in stretches of 43 ms: levels in the order of time, and the strongest frequency of each side.
LISTEN_CLOSELY = """
const done = arguments[arguments.length - 1];
(async () => {
  const peer = (window.__peers || []).filter((p) => p.connectionState === 'connected').pop();
  window.__ears = window.__ears || new AudioContext({sampleRate: 48000});
  const ears = window.__ears;
  await ears.resume();
  const taps = peer.getReceivers().map(({track}) => {
    const source = ears.createMediaStreamSource(new MediaStream([track]));
    const splitter = ears.createChannelSplitter(2);
    source.connect(splitter);
    const sides = [0, 1].map((side) => {
      const analyser = ears.createAnalyser();
      analyser.fftSize = 16384;
      analyser.smoothingTimeConstant = 0;
      splitter.connect(analyser, side);
      return analyser;
    });
    return {source, sides, levels: [], loudest: 0, hertz: [0, 0]};
  });
  const wave = new Float32Array(16384);
  const rms = (analyser, count) => {
    analyser.getFloatTimeDomainData(wave);
    return Math.sqrt(wave.slice(-count).reduce((sum, v) => sum + v * v, 0) / count);
  };
  await new Promise((resolve) => setTimeout(resolve, 400));
  for (let look = 0; look < 60; look++) {
    await new Promise((resolve) => setTimeout(resolve, 40));
    for (const tap of taps) {
      tap.levels.push(Math.max(...tap.sides.map((side) => rms(side, 2048))));
      if (look % 10) continue;
      const whole = rms(tap.sides[0], 16384);
      if (whole <= tap.loudest) continue;
      tap.loudest = whole;
      tap.hertz = tap.sides.map((side) => {
        const bins = new Float32Array(side.frequencyBinCount);
        side.getFloatFrequencyData(bins);
        const best = bins.indexOf(Math.max(...bins));
        return Number.isFinite(bins[best]) ? best * 48000 / 16384 : 0;
      });
    }
  }
  for (const {source} of taps) source.disconnect();
  taps.sort((a, b) => b.loudest - a.loudest);
  const {levels, hertz, loudest} = taps[0];
  done({levels, hertz, rms: loudest});
})().catch((e) => done({error: String(e && e.stack || e)}));
"""


@functools.cache
def silent_sound_device():
    """Starts a PulseAudio of our own with a null sink; gives the environment in which programs find it."""
    runtime = tempfile.mkdtemp(prefix="ovation-pulse-")
    environment = {"XDG_RUNTIME_DIR": runtime}
    process = subprocess.Popen(
        ["pulseaudio", "-n", "--exit-idle-time=-1", "--load=module-null-sink", "--load=module-native-protocol-unix"],
        env={"PATH": "/usr/bin:/bin", "HOME": runtime, **environment},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)

    def stop():
        process.terminate()
        process.wait()
        shutil.rmtree(runtime, ignore_errors=True)

    atexit.register(stop)
    return environment


# Firefox's own fake microphone is a sine of about 0.006; a track without packets decodes to exact or nearly exact silence.
LOUD = 0.003
SILENT = 0.0005


def tones(heard):
    """The frequencies (Hz) that are clearly there."""
    return sorted(round(h["hertz"]) for h in heard if h.get("rms", 0) > LOUD)
