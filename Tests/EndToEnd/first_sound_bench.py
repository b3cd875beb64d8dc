"""M4 in a browser: from the click that enters a room until the first sample that is heard, by the web SDK in Chromium; and beside it, in
the same page, from the click until the first sample over a direct connection between two RTCPeerConnections.

    first_sound_bench.py [--visits N] [--json FILE]

Whoever enters is signed in already, and the page may play sound, as after a click in the lobby."""

import argparse
import json
import pathlib
import statistics
import tempfile

from duet_bench import SDK, WORKLET, open_page, p95, run
from server import Server

# A tone without an end.
SPEAKER = """
const session = await signIn('Speaker');
const room = await OvationRoom.create(session, { kind: 'voice', name: 'First sound', seats: 1 });
await room.takeSeat(0);
const peer = new OvationPeer(room);
peer.start();
await first(peer.state, state => state === 'connected');
const context = new AudioContext({ sampleRate: 48_000 });
await context.resume();
const tone = new OscillatorNode(context, { frequency: 440 });
const microphone = context.createMediaStreamDestination();
tone.connect(new GainNode(context, { gain: 0.5 })).connect(microphone);
tone.start();
await peer.setMicrophone(microphone.stream.getAudioTracks()[0]);
await room.setMicrophone(false).catch(() => {});
window.__kept = [session, room, peer, context];
return String(room.id);
"""

# Tells the first sample above -50 dBFS after it was armed.
ONSET = """
registerProcessor('onset', class extends AudioWorkletProcessor {
  armed = false;
  constructor() { super(); this.port.onmessage = () => { this.armed = true; }; }
  process([input]) {
    if (this.armed && input[0]?.some(v => Math.abs(v) > 0.003162)) { this.armed = false; this.port.postMessage(0); }
    return true;
  }
});
"""

LISTENER = """
const session = await signIn('Listener');
const context = await worklet(arguments_[0]);
const onset = new AudioWorkletNode(context, 'onset');
onset.connect(context.destination);
const tone = new OscillatorNode(context, { frequency: 440 });
const source = context.createMediaStreamDestination();
tone.connect(new GainNode(context, { gain: 0.5 })).connect(source);
tone.start();
const until = async (begin, end) => {
  onset.port.postMessage(0);
  const heard = new Promise(resolve => { onset.port.onmessage = () => resolve(performance.now()); });
  const click = performance.now();
  const track = await begin();
  play(track);
  const node = context.createMediaStreamSource(new MediaStream([track]));
  node.connect(onset);
  const wait = await heard - click;
  node.disconnect();
  await end();
  return wait;
};
window.__through = async id => {
  let room, peer;
  return until(async () => {
    room = new OvationRoom(session, roomFromText(id));
    await room.enter();
    peer = new OvationPeer(room);
    peer.start();
    return (await first(peer.tracks, tracks => tracks[0]))[0];
  }, async () => { peer.close(); await room.exit(); });
};
window.__direct = async () => {
  let one, other;
  return until(async () => {
    [one, other] = [new RTCPeerConnection(), new RTCPeerConnection()];
    one.onicecandidate = ({ candidate }) => { if (candidate) void other.addIceCandidate(candidate); };
    other.onicecandidate = ({ candidate }) => { if (candidate) void one.addIceCandidate(candidate); };
    one.addTrack(source.stream.getAudioTracks()[0]);
    const arrived = new Promise(resolve => { other.ontrack = ({ track }) => resolve(track); });
    await one.setLocalDescription();
    await other.setRemoteDescription(one.localDescription);
    await other.setLocalDescription();
    await one.setRemoteDescription(other.localDescription);
    return arrived;
  }, async () => { one.close(); other.close(); });
};
window.__kept = [session, context, tone];
return true;
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--visits", type=int, default=30)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    folder = tempfile.TemporaryDirectory(prefix="ovation-bench-")
    with folder, Server(pathlib.Path(folder.name) / "data") as server:
        speaker, listener = (open_page(name, server.url, folder.name) for name in ("speaker", "listener"))
        try:
            room = run(speaker, SDK, WORKLET, SPEAKER, [])
            run(listener, SDK, WORKLET, LISTENER, [ONSET])
            ways = {"through": [], "direct": []}
            for _ in range(options.visits):
                ways["through"].append(run(listener, "return await __through(arguments_[0]);", [room]))
                ways["direct"].append(run(listener, "return await __direct();", []))
        finally:
            for browser in (speaker, listener):
                browser.close()
    figures = {name: {"median": statistics.median(waits), "p95": p95(waits), "most": max(waits)} for name, waits in ways.items()}
    for name, text in (("through", "through Ovation"), ("direct", "directly, in one page")):
        of = figures[name]
        print(f"M4  Chromium, {options.visits} visits, {text}: first sound after {of['median']:.0f} ms (median), {of['p95']:.0f} ms (p95)")
    print(f"    {figures['through']['median'] / figures['direct']['median']:.2f} × the direct way (goal: at most 1.5, or 250 and 400 ms)")
    if options.json:
        options.json.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
