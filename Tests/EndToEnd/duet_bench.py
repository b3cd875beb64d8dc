"""The browsers' part of `make bench-duet`: somebody who listens to a duet (D3), and tone bursts from one browser to another (D4).

    duet_bench.py listen --url http://localhost:PORT --room ID --seconds N --out FILE
    duet_bench.py tabs [--bursts N] [--json FILE]

Both use the web SDK alone, on a page without an app. What is measured is what the page gets out of its tracks, before any loudspeaker."""

import argparse
import base64
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time
import types

from browsers import Chromium
from server import Server

# Real addresses in candidates, as between two machines: names for them are resolved by multicast, which not every machine has.
FLAGS = ["--disable-features=WebRtcHideLocalIpsWithMdns"]

# How often a page hands over what it has recorded: it keeps 16 bits a sample in memory until then.
FETCH_SECONDS = 2
# The jitter buffers find their length before bursts count.
SETTLING_SECONDS = 5
# How long both ways stay connected to the page's graph in one order.
BATCH_SECONDS = 6
# A burst in which they change is over before the next look.
CHANGE_SECONDS = 0.3

# A page of the server's origin with the SDK's modules, signed in.
SDK = """
const build = /\\/assets\\/([^/]+)\\//.exec(await (await fetch('/')).text())[1];
const part = name => import(`/assets/${build}/protocol/${name}.js`);
const { Session } = await part('session');
const { OvationRoom } = await part('room');
const { OvationPeer } = await part('peer');
const { roomFromText } = await part('ids');
const { editAnswer, editOffer } = await part('sdp');
async function signIn(name) {
  const response = await fetch('/v1/tickets', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name }) });
  const session = new Session({ url: location.origin.replace('http', 'ws') + '/v1/connect', credentials: await response.json() });
  await session.open();
  return session;
}
const first = (store, fits) => new Promise(resolve => {
  let isDone = false;
  store.subscribe(value => { if (!isDone && fits(value)) { isDone = true; resolve(value); } });
});
// A remote track gives nothing before an element plays it.
function play(track) {
  const element = new Audio();
  element.srcObject = new MediaStream([track]);
  void element.play();
  (window.__elements ??= []).push(element);
}
"""

LISTEN = """
const session = await signIn('Browser');
const room = new OvationRoom(session, roomFromText(arguments_[0]));
await room.enter();
const peer = new OvationPeer(room);
peer.start();
const track = await first(peer.mix, found => found !== null);
await first(peer.state, state => state === 'connected');
play(track);
const parts = [];
const reader = new MediaStreamTrackProcessor({ track, maxBufferSize: 200 }).readable.getReader();
window.__kept = [session, room, peer, reader];
window.__frames = { rate: 0, lost: 0 };
(async () => {
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const samples = new Float32Array(value.numberOfFrames);
    value.copyTo(samples, { planeIndex: 0, format: 'f32-planar' });
    window.__frames.rate = value.sampleRate;
    value.close();
    parts.push(Int16Array.from(samples, v => Math.max(-1, Math.min(1, v)) * 32767));
  }
})();
window.__take = () => {
  const bytes = new Uint8Array(parts.reduce((sum, p) => sum + p.byteLength, 0));
  let place = 0;
  for (const p of parts.splice(0)) { bytes.set(new Uint8Array(p.buffer), place); place += p.byteLength; }
  let text = '';
  for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
  return btoa(text);
};
return true;
"""

# A burst of 2 kHz every 0.6 s or so; says when each was made, by the machine's clock.
BURSTS = """
registerProcessor('bursts', class extends AudioWorkletProcessor {
  next = currentFrame + sampleRate; left = 0; phase = 0; count = 0;
  process(_, [[out]]) {
    for (let i = 0; i < out.length; i++) {
      if (this.left === 0 && currentFrame + i >= this.next) {
        this.left = 480; this.phase = 0;
        this.next += Math.round(sampleRate * (0.55 + 0.1 * Math.random()));
        this.port.postMessage({ date: Date.now(), frame: currentFrame + i });
      }
      out[i] = this.left > 0 ? 0.6 * Math.sin(2 * Math.PI * 2000 * this.phase++ / sampleRate) : 0;
      if (this.left > 0) this.left--;
    }
    return true;
  }
});
"""

# The first frame of each burst, per input: counted by the one clock that both ways are heard on.
ONSETS = """
registerProcessor('onsets', class extends AudioWorkletProcessor {
  quiet = [0, 0];
  process(inputs) {
    for (let way = 0; way < 2; way++) {
      const samples = inputs[way]?.[0];
      if (!samples) { this.quiet[way] += 128; continue; }
      for (let i = 0; i < samples.length; i++) {
        if (Math.abs(samples[i]) < 0.09) { this.quiet[way]++; continue; }
        if (this.quiet[way] > 9600) this.port.postMessage({ way, frame: currentFrame + i, date: Date.now() });
        this.quiet[way] = 0;
      }
    }
    return true;
  }
});
"""

WORKLET = """
async function worklet(text) {
  const context = new AudioContext({ latencyHint: 'interactive', sampleRate: 48_000 });
  await context.audioWorklet.addModule(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
  await context.resume();
  return context;
}
function onlyOpus(line) {
  line.setCodecPreferences(RTCRtpReceiver.getCapabilities('audio').codecs.filter(c => c.mimeType.toLowerCase() === 'audio/opus'));
}
const gathered = pc => pc.iceGatheringState === 'complete' ? null : new Promise(resolve => {
  pc.onicegatheringstatechange = () => { if (pc.iceGatheringState === 'complete') resolve(); };
});
async function sit(room, seat) {
  await room.takeSeat(seat);
  const peer = new OvationPeer(room);
  // As the duet's page does for who sits.
  peer.setTight(true);
  peer.start();
  await first(peer.state, state => state === 'connected');
  return peer;
}
"""

SENDER = """
const session = await signIn('Sender');
const room = await OvationRoom.create(session, { kind: 'chorus', name: 'Bursts', seats: 2 });
const peer = await sit(room, 0);
const context = await worklet(arguments_[0]);
const source = new AudioWorkletNode(context, 'bursts', { numberOfInputs: 0, numberOfOutputs: 1, outputChannelCount: [1] });
const microphone = context.createMediaStreamDestination();
microphone.channelCount = 1;
source.connect(microphone);
const made = [];
source.port.onmessage = ({ data }) => made.push(data);
const [track] = microphone.stream.getAudioTracks();
await peer.setMicrophone(track);
await room.setMicrophone(false).catch(() => {});
// The direct way: the same track, the SDK's own words for Opus.
const direct = new RTCPeerConnection();
const line = direct.addTransceiver(track, { direction: 'sendonly' });
onlyOpus(line);
await direct.setLocalDescription({ type: 'offer', sdp: editOffer((await direct.createOffer()).sdp) });
await gathered(direct);
window.__made = () => made.splice(0);
window.__accept = async sdp => {
  await direct.setRemoteDescription({ type: 'answer', sdp: editAnswer(sdp, line.mid, 'duet', true) });
  const parameters = line.sender.getParameters();
  parameters.encodings[0].maxBitrate = 64_000;
  await line.sender.setParameters(parameters);
};
window.__kept = [session, room, peer, context, direct];
return { room: String(room.id), offer: direct.localDescription.sdp };
"""

HEARER = """
const session = await signIn('Hearer');
const room = new OvationRoom(session, roomFromText(arguments_[1]));
await room.enter();
const peer = await sit(room, 1);
const direct = new RTCPeerConnection();
const arrived = new Promise(resolve => { direct.ontrack = ({ track, transceiver }) => resolve({ track, transceiver }); });
await direct.setRemoteDescription({ type: 'offer', sdp: arguments_[2] });
const { track: directly, transceiver } = await arrived;
transceiver.receiver.jitterBufferTarget = 0;
await direct.setLocalDescription({ type: 'answer', sdp: editOffer((await direct.createAnswer()).sdp) });
await gathered(direct);
const through = (await first(peer.tracks, tracks => tracks[0]))[0];
play(through);
play(directly);
const context = await worklet(arguments_[0]);
const heard = [];
const onsets = new AudioWorkletNode(context, 'onsets', { numberOfInputs: 2, numberOfOutputs: 1 });
onsets.connect(context.destination);
onsets.port.onmessage = ({ data }) => heard.push(data);
// Connected anew from time to time, now one first and now the other: what a connection happens to cost evens out.
let sources = [], turn = 0;
window.__connect = () => {
  for (const source of sources) source.disconnect();
  const order = turn++ % 2 ? [1, 0] : [0, 1];
  sources = order.map(way => {
    const source = context.createMediaStreamSource(new MediaStream([[through, directly][way]]));
    source.connect(onsets, 0, way);
    return source;
  });
};
window.__connect();
window.__heard = () => heard.splice(0);
window.__buffers = async () => {
  const read = async (report, track) => {
    for (const entry of report.values())
      if (entry.type === 'inbound-rtp' && entry.trackIdentifier === track.id)
        return { delay: entry.jitterBufferDelay, emitted: entry.jitterBufferEmittedCount, target: entry.jitterBufferTargetDelay,
          concealed: entry.concealedSamples, samples: entry.totalSamplesReceived, packets: entry.packetsReceived };
    return null;
  };
  return [await read(await peer.statistics(), through), await read(await direct.getStats(), directly)];
};
window.__kept = [session, room, peer, context, direct];
return direct.localDescription.sdp;
"""


def run(browser, *scripts_and_arguments):
    *scripts, arguments = scripts_and_arguments
    body = "\n".join(scripts)
    result = browser.run_async(
        f"const done = arguments[arguments.length - 1], arguments_ = [...arguments].slice(0, -1);"
        f"(async () => {{ {body} }})().then(value => done({{ value }}), e => done({{ error: String(e && e.stack || e) }}));",
        *arguments)
    if "error" in result:
        raise SystemExit(f"{browser.name}: {result['error']}")
    return result["value"]


def open_page(name, url, folder):
    browser = Chromium(name, types.SimpleNamespace(url=url), pathlib.Path(folder) / name, flags=FLAGS)
    # Our worklets come from the bench, not from the server.
    browser.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    browser.open("/healthz")
    return browser


def listen(options):
    with tempfile.TemporaryDirectory(prefix="ovation-bench-") as folder, open(options.out, "wb") as file:
        browser = open_page("listener", options.url, folder)
        try:
            run(browser, SDK, LISTEN, [options.room])
            print("ready", flush=True)
            end = time.monotonic() + options.seconds
            while time.monotonic() < end:
                time.sleep(FETCH_SECONDS)
                file.write(base64.b64decode(browser.run("return __take()")))
            rate = browser.run("return __frames.rate")
            if rate != 48000:
                raise SystemExit(f"the browser gives {rate} Hz")
        finally:
            browser.close()


def tabs(options):
    folder = tempfile.TemporaryDirectory(prefix="ovation-bench-")
    with folder, Server(pathlib.Path(folder.name) / "data") as server:
        sender, hearer = (open_page(name, server.url, folder.name) for name in ("sender", "hearer"))
        try:
            offer = run(sender, SDK, WORKLET, SENDER, [BURSTS])
            answer = run(hearer, SDK, WORKLET, HEARER, [ONSETS, offer["room"], offer["offer"]])
            run(sender, "await window.__accept(arguments_[0]);", [answer])
            time.sleep(SETTLING_SECONDS)
            made, heard, before = sender.run("return __made()"), hearer.run("return __heard()"), run(hearer, "return __buffers();", [])
            made, heard, pairs = [], [], []
            deadline = time.monotonic() + 30 + options.bursts
            while len(pairs) < options.bursts and time.monotonic() < deadline:
                time.sleep(BATCH_SECONDS)
                made += sender.run("return __made()")
                heard += hearer.run("return __heard()")
                pairs = pair(made, heard)
                hearer.run("__connect()")
                time.sleep(CHANGE_SECONDS)
            after = run(hearer, "return __buffers();", [])
        finally:
            for browser in (sender, hearer):
                browser.close()
    report(options, pairs[:options.bursts], before, after)


def pair(made, heard):
    """Per burst, in ms: what it took through the server, directly, and by how much the former is more."""
    found = []
    for burst in made:
        # Bursts are at least 550 ms apart; a way takes less.
        ways = [[onset for onset in heard if onset["way"] == way and 0 <= onset["date"] - burst["date"] < 500] for way in (0, 1)]
        if all(ways):
            ours, direct = ways[0][0], ways[1][0]
            found.append((ours["date"] - burst["date"], direct["date"] - burst["date"], (ours["frame"] - direct["frame"]) / 48))
    return found


def p95(values):
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]


def report(options, pairs, before, after):
    if len(pairs) < min(20, options.bursts):
        raise SystemExit(f"D4 could not be measured: {len(pairs)} bursts were heard both ways")
    ours, direct, more = ([p[i] for p in pairs] for i in range(3))
    buffers = [1000 * (b["delay"] - a["delay"]) / max(1, b["emitted"] - a["emitted"]) for a, b in zip(before, after)]
    concealed = [(b["concealed"] - a["concealed"]) / max(1, b["samples"] - a["samples"]) for a, b in zip(before, after)]
    goal = statistics.median(more) <= 10
    load = " ".join(f"{v:.2f}" for v in os.getloadavg())
    print("D4  tone burst in one Chromium to another, bursts made by the page in place of a microphone, the same track both ways")
    print("way                 bursts   median      p95   jitter buffer   concealed")
    for name, values, buffer, lost in (("through Ovation", ours, buffers[0], concealed[0]), ("direct", direct, buffers[1], concealed[1])):
        print(f"{name:20}{len(values):6} {statistics.median(values):5.0f} ms {p95(values):5.0f} ms {buffer:12.1f} ms {lost * 100:9.2f} %")
    print(f"{'more by':20}{len(more):6} {statistics.median(more):5.1f} ms {p95(more):5.1f} ms   (goal: median 10 ms; {'met' if goal else 'MISSED'})")
    print(f"load of the machine at the end: {load}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"D4": {
            "bursts": len(pairs), "oursMs": statistics.median(ours), "oursP95Ms": p95(ours), "directMs": statistics.median(direct),
            "directP95Ms": p95(direct), "moreMs": statistics.median(more), "moreP95Ms": p95(more), "bufferMs": buffers,
            "concealed": concealed, "goalMet": goal, "load": load}}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    listening = commands.add_parser("listen")
    listening.add_argument("--url", required=True)
    listening.add_argument("--room", required=True)
    listening.add_argument("--seconds", type=float, required=True)
    listening.add_argument("--out", required=True)
    listening.set_defaults(run=listen)
    bursting = commands.add_parser("tabs")
    bursting.add_argument("--bursts", type=int, default=100)
    bursting.add_argument("--json")
    bursting.set_defaults(run=tabs)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    main()
