"""Media paths over HTTP: WHIP in and WHEP out, by clients that we did not write."""

import asyncio
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request

import numpy
import pytest
from client import Client, ticket
from server import ROOT
from story import story
from test_foreign_clients import Chart, near

aiortc = pytest.importorskip("aiortc")
av = pytest.importorskip("av")

FRAGMENT = "application/trickle-ice-sdpfrag"


class Tone(aiortc.MediaStreamTrack):
    """A sine of 440 Hz."""

    kind = "audio"

    def __init__(self):
        super().__init__()
        self.position = 0
        self.start = None

    async def recv(self):
        if self.start is None:
            self.start = time.monotonic()
        await asyncio.sleep(max(0, self.start + self.position / 48_000 - time.monotonic()))
        times = (self.position + numpy.arange(960)) / 48_000
        samples = (numpy.sin(2 * numpy.pi * 440 * times) * 8_000).astype(numpy.int16)
        frame = av.AudioFrame.from_ndarray(numpy.repeat(samples, 2).reshape(1, -1), format="s16", layout="stereo")
        frame.sample_rate, frame.pts = 48_000, self.position
        self.position += 960
        return frame


def bearer(server, name):
    """As somebody writes it into OBS: everything that the server must know in one text."""
    made = ticket(server, name)
    return f"{made['app']}:{made['user']}:{made['ticket']}", made["user"]


def request(url, method, token=None, body=None, headers=()):
    """Status, headers, text."""
    wanted = urllib.request.Request(url, method=method, data=body.encode() if body is not None else None)
    if token:
        wanted.add_header("Authorization", f"Bearer {token}")
    for name, value in dict(headers).items():
        wanted.add_header(name, value)
    try:
        with urllib.request.urlopen(wanted, timeout=20) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


async def open_session(peer, url, token):
    await peer.setLocalDescription(await peer.createOffer())
    status, headers, text = await asyncio.to_thread(
        request, url, "POST", token, peer.localDescription.sdp, {"Content-Type": "application/sdp"})
    assert status == 201, (status, text)
    await peer.setRemoteDescription(aiortc.RTCSessionDescription(text, "answer"))
    return headers["Location"], headers["ETag"]


async def sees_chart(track):
    for count in range(400):
        frame = await asyncio.wait_for(track.recv(), 20)
        if near(frame.to_ndarray(format="rgb24")) == [0, 1, 2, 3]:
            return
    raise AssertionError("no chart in 400 frames")


async def hears_tone(track, hertz=440):
    heard = numpy.zeros(0)
    for count in range(1000):
        frame = await asyncio.wait_for(track.recv(), 20)
        samples = frame.to_ndarray().reshape(-1)[::2].astype(float)
        heard = numpy.concatenate([heard, samples])[-48_000 // 4:]
        if len(heard) == 48_000 // 4:
            peak = numpy.argmax(numpy.abs(numpy.fft.rfft(heard * numpy.hanning(len(heard))))) * 4
            if abs(peak - hertz) <= 8 and numpy.abs(heard).max() > 1_000:
                return
    raise AssertionError("the tone is not heard")


def live(server, encoding="vp8", name="Live"):
    anna = Client(server, ticket(server, "Anna"))
    created = anna.call("room.create", name=name, kind="live", seats=[{}, {}], pictureFormat=encoding)
    return anna, created["room"]


@story("L17-S a camera by WHIP is on a seat and in everybody's room, a player by WHEP shows it; both end by DELETE, and with them their places")
def test_aiortc(server):
    anna, room = live(server)
    token, camera = bearer(server, "Camera")
    player_token, player = bearer(server, "Player")
    whip, whep = (f"{server.url}/v1/{kind}/{room}" for kind in ("whip", "whep"))

    async def play():
        publisher, viewer = aiortc.RTCPeerConnection(), aiortc.RTCPeerConnection()
        try:
            publisher.addTransceiver(Tone(), direction="sendonly")
            publisher.addTransceiver(Chart(), direction="sendonly")
            session, tag = await open_session(publisher, whip + "?seat=1", token)
            snapshot = (await asyncio.to_thread(anna.call, "room.enter", room=room))["snapshot"]
            assert snapshot["seats"][1]["user"] == camera

            tracks = {}
            arrived = asyncio.Event()

            def on_track(track):
                tracks[track.kind] = track
                if len(tracks) == 2:
                    arrived.set()

            viewer.on("track", on_track)
            viewer.addTransceiver("audio", direction="recvonly")
            viewer.addTransceiver("video", direction="recvonly")
            watching, _ = await open_session(viewer, whep + "?seat=1", player_token)
            await asyncio.wait_for(arrived.wait(), 20)
            await asyncio.gather(sees_chart(tracks["video"]), hears_tone(tracks["audio"]))
            # Only who opened it may end it.
            assert request(session, "DELETE", player_token)[0] == 404
            assert request(watching, "DELETE", player_token)[0] == 200
            assert request(watching, "DELETE", player_token)[0] == 404
            assert request(session, "DELETE", token)[0] == 200
            snapshot = (await asyncio.to_thread(anna.call, "room.enter", room=room))["snapshot"]
            assert not snapshot["seats"][1].get("user")
            assert {member["id"] for member in snapshot["members"]}.isdisjoint({camera, player})
        finally:
            await publisher.close()
            await viewer.close()

    asyncio.run(play())
    anna.close()


SYSTEM_PYTHON = "/usr/bin/python3"


def has_webrtcbin():
    """Debian's GStreamer with its Python bindings, which are the system's own."""
    look = ("import gi; gi.require_version('Gst', '1.0'); gi.require_version('GstWebRTC', '1.0'); "
            "from gi.repository import Gst, GstWebRTC; Gst.init(None); "
            "assert all(Gst.ElementFactory.find(n) for n in ('webrtcbin', 'nicesrc', 'vp8enc', 'openh264enc', 'h264parse', 'opusenc'))")
    return os.path.exists(SYSTEM_PYTHON) and subprocess.run(
        [SYSTEM_PYTHON, "-c", look], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not has_webrtcbin(), reason="GStreamer's webrtcbin is not installed")
@pytest.mark.parametrize("encoding", ["vp8", "h264"])
@story("L17-S GStreamer's webrtcbin pushes sound and pictures by WHIP; a player by WHEP that names no seat shows the first")
def test_webrtcbin(server, tmp_path, encoding):
    anna, room = live(server, encoding)
    token, camera = bearer(server, "Camera")
    player_token, _ = bearer(server, "Player")
    log = tmp_path / "push.log"
    with open(log, "wb") as output:
        pusher = subprocess.Popen(
            [SYSTEM_PYTHON, ROOT / "Tests/EndToEnd/webrtcbin_push.py", f"{server.url}/v1/whip/{room}", token, encoding],
            stdout=output, stderr=output, stdin=subprocess.DEVNULL)

    async def play():
        viewer = aiortc.RTCPeerConnection()
        tracks, arrived = {}, asyncio.Event()

        def on_track(track):
            tracks[track.kind] = track
            if len(tracks) == 2:
                arrived.set()

        try:
            viewer.on("track", on_track)
            viewer.addTransceiver("audio", direction="recvonly")
            viewer.addTransceiver("video", direction="recvonly")
            await open_session(viewer, f"{server.url}/v1/whep/{room}", player_token)
            await asyncio.wait_for(arrived.wait(), 20)
            await asyncio.gather(sees_chart(tracks["video"]), hears_tone(tracks["audio"]))
        finally:
            await viewer.close()

    try:
        asyncio.run(play())
        assert anna.call("room.enter", room=room)["snapshot"]["seats"][0]["user"] == camera
        pusher.send_signal(signal.SIGINT)
        pusher.wait(20)
        assert not anna.call("room.enter", room=room)["snapshot"]["seats"][0].get("user")
    except BaseException:
        print(log.read_text()[-5000:])
        raise
    finally:
        pusher.kill()
        anna.close()
