"""Clients of the media server that we did not write: aiortc, a WebRTC stack in Python."""

import asyncio

import numpy
import pytest
from client import Client, ticket
from story import story

aiortc = pytest.importorskip("aiortc")
av = pytest.importorskip("av")

# What the quarters of the test chart show, as RGB.
CHART = [(230, 20, 20), (20, 230, 20), (20, 20, 230), (230, 230, 230)]
WIDTH, HEIGHT = 640, 360


class Chart(aiortc.VideoStreamTrack):
    """Four quarters, and a bar that moves so that each frame differs."""

    def __init__(self):
        super().__init__()
        self.count = 0

    async def recv(self):
        pts, time_base = await self.next_timestamp()
        picture = numpy.zeros((HEIGHT, WIDTH, 3), numpy.uint8)
        for quarter, colour in enumerate(CHART):
            top, left = (quarter // 2) * HEIGHT // 2, (quarter % 2) * WIDTH // 2
            picture[top:top + HEIGHT // 2, left:left + WIDTH // 2] = colour
        left = self.count * 5 % WIDTH
        picture[HEIGHT // 2 - 8:HEIGHT // 2 + 8, left:left + 20] = 0
        self.count += 1
        frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
        frame.pts, frame.time_base = pts, time_base
        return frame


def near(picture):
    """Which colours of the chart the middles of the quarters have; None where it is none of them."""
    middles = [picture[h * picture.shape[0] // 4, w * picture.shape[1] // 4] for h in (1, 3) for w in (1, 3)]
    found = []
    for middle in middles:
        distances = [max(abs(int(a) - b) for a, b in zip(middle, colour)) for colour in CHART]
        found.append(distances.index(min(distances)) if min(distances) < 60 else None)
    return found


async def negotiate(connection, client, room, number=1):
    await connection.setLocalDescription(await connection.createOffer())
    answer = await asyncio.to_thread(
        client.call, "media.offer", room=room, number=number, sdp=connection.localDescription.sdp)
    await connection.setRemoteDescription(aiortc.RTCSessionDescription(answer["sdp"], "answer"))
    return answer


def connection():
    return aiortc.RTCPeerConnection(aiortc.RTCConfiguration(bundlePolicy=aiortc.RTCBundlePolicy.MAX_BUNDLE))


@story("L02-S L03-S aiortc publishes a camera and another one watches it; who gets off the seat is seen no more")
def test_aiortc(server):
    anna, ben = Client(server, ticket(server, "Anna")), Client(server, ticket(server, "Ben"))
    created = anna.call("room.create", name="Live", kind="live", seats=[{}, {}])
    room = created["room"]
    ben.call("room.enter", room=room)
    if not created["snapshot"]["seats"][0].get("user"):
        anna.call("seat.take", room=room, seat=0)
    anna.call("camera.set", room=room, on=True)

    async def play():
        publisher, viewer = connection(), connection()
        try:
            publisher.addTransceiver(Chart(), direction="sendonly")
            await negotiate(publisher, anna, room)
            viewer.addTransceiver("video", direction="recvonly")
            tracks = asyncio.Queue()
            viewer.on("track", tracks.put_nowait)
            answer = await negotiate(viewer, ben, room)
            assert answer["pictures"] == [{"seat": 0, "mid": viewer.getTransceivers()[0].mid}]
            track = await asyncio.wait_for(tracks.get(), 20)
            frames = []
            while len(frames) < 20 or near(frames[-1]) != [0, 1, 2, 3]:
                frame = await asyncio.wait_for(track.recv(), 20)
                frames.append(frame.to_ndarray(format="rgb24"))
                assert len(frames) < 300, f"the chart shows {near(frames[-1])}"
            assert frames[-1].shape == (HEIGHT, WIDTH, 3)
            await asyncio.to_thread(anna.call, "seat.leave", room=room)

            stats = await viewer.getStats()
            before = sum(entry.packetsReceived for entry in stats.values() if entry.type == "inbound-rtp")
            # That nothing comes any more shows in time alone.
            await asyncio.sleep(1)
            stats = await viewer.getStats()
            after = sum(entry.packetsReceived for entry in stats.values() if entry.type == "inbound-rtp")
            assert before >= 20 and after - before < 5, (before, after)
        finally:
            await publisher.close()
            await viewer.close()

    asyncio.run(play())
    anna.close()
    ben.close()
