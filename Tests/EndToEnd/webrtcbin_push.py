"""Sends a test chart and a tone by WHIP with GStreamer's webrtcbin, until it is interrupted:
`webrtcbin_push.py <url> <token> vp8|h264`.

For the system's Python, which has GStreamer's bindings. Says "open" once the answer is set."""

import signal
import sys
import urllib.request

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

# The chart of the other tests: four quarters of one colour each, as ARGB.
COLOURS = ["0xffe61414", "0xff14e614", "0xff1414e6", "0xffe6e6e6"]


# What encodes the chart, and how its line is described.
ENCODERS = {
    "vp8": "vp8enc deadline=1 cpu-used=8 keyframe-max-dist=30 target-bitrate=800000 ! rtpvp8pay "
           "! application/x-rtp,media=video,encoding-name=VP8,payload=96",
    "h264": "openh264enc gop-size=30 bitrate=800000 complexity=low ! video/x-h264,profile=constrained-baseline "
            "! h264parse ! rtph264pay config-interval=-1 aggregate-mode=zero-latency "
            "! application/x-rtp,media=video,encoding-name=H264,payload=96,packetization-mode=(string)1",
}


def pipeline(encoding):
    quarters = " ".join(
        f"videotestsrc is-live=true pattern=solid-color foreground-color={colour} "
        f"! video/x-raw,width=320,height=180,framerate=15/1 ! mix.sink_{number}"
        for number, colour in enumerate(COLOURS))
    places = " ".join(
        f"sink_{number}::xpos={320 * (number % 2)} sink_{number}::ypos={180 * (number // 2)}" for number in range(4))
    return (
        f"webrtcbin name=peer bundle-policy=max-bundle {quarters} "
        f"compositor name=mix {places} ! video/x-raw,width=640,height=360 ! videoconvert "
        f"! {ENCODERS[encoding]} ! peer. "
        "audiotestsrc is-live=true freq=440 ! audioconvert ! audioresample ! opusenc ! rtpopuspay "
        "! application/x-rtp,media=audio,encoding-name=OPUS,payload=111 ! peer.")


class Pusher:
    def __init__(self, url, token, encoding):
        self.url, self.token, self.session = url, token, None
        self.loop = GLib.MainLoop()
        self.pipeline = Gst.parse_launch(pipeline(encoding))
        self.peer = self.pipeline.get_by_name("peer")
        self.peer.connect("on-negotiation-needed", lambda _: self.peer.emit(
            "create-offer", None, Gst.Promise.new_with_change_func(self.offered)))
        self.peer.connect("notify::ice-gathering-state", lambda *_: GLib.idle_add(self.post))
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message::error", self.failed)
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGINT, self.end)

    def run(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        self.loop.run()

    def offered(self, promise):
        # The description lives in the reply.
        self.reply = promise.get_reply()
        self.peer.emit("set-local-description", self.reply.get_value("offer"), Gst.Promise.new())

    def post(self):
        if self.session or self.peer.get_property("ice-gathering-state") != GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            return
        offer = self.peer.get_property("local-description").sdp.as_text()
        status, headers, text = self.request(self.url, "POST", offer)
        assert status == 201, (status, text)
        self.session = headers["Location"]
        _, message = GstSdp.SDPMessage.new_from_text(text)
        answer = GstWebRTC.WebRTCSessionDescription.new(GstWebRTC.WebRTCSDPType.ANSWER, message)
        self.peer.emit("set-remote-description", answer, Gst.Promise.new())
        print("open", flush=True)

    def request(self, url, method, body=None):
        wanted = urllib.request.Request(url, method=method, data=body.encode() if body else None)
        wanted.add_header("Authorization", f"Bearer {self.token}")
        if body:
            wanted.add_header("Content-Type", "application/sdp")
        with urllib.request.urlopen(wanted, timeout=20) as answer:
            return answer.status, answer.headers, answer.read().decode()

    def failed(self, _, message):
        print(message.parse_error(), flush=True)
        self.loop.quit()

    def end(self):
        if self.session:
            self.request(self.session, "DELETE")
        self.pipeline.set_state(Gst.State.NULL)
        self.loop.quit()
        return False


Gst.init(None)
Pusher(*sys.argv[1:4]).run()
