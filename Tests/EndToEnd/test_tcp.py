"""People whose network lets no UDP through come to the media port by TCP."""

import pytest
from server import Server, free_port
from steps import create_salon, enter_salon, sign_in, sit
from story import story
from test_live import go_live, sees_picture

# The browser is told of no address for UDP, and the server of none that the browser has.
BY_TCP = """
(() => {
  const native = RTCPeerConnection.prototype.setRemoteDescription;
  RTCPeerConnection.prototype.setRemoteDescription = function (description) {
    const sdp = description.sdp.split('\\r\\n').filter((line) => !/^a=candidate:\\S+ \\d+ udp /i.test(line));
    return native.call(this, { type: description.type, sdp: sdp.join('\\r\\n') });
  };
})()
"""
PAIR = """
const done = arguments[arguments.length - 1];
(async () => {
  const peer = window.__peers.filter((p) => p.connectionState === 'connected').pop();
  const report = await peer.getStats();
  const pair = [...report.values()].find((e) => e.type === 'candidate-pair' && e.nominated);
  const remote = report.get(pair.remoteCandidateId);
  done(`${remote.protocol} ${remote.port}`);
})().catch((e) => done(String(e && e.stack || e)));
"""


@pytest.fixture
def server(tmp_path):
    shared = free_port()
    with Server(tmp_path / "data", "--media-tcp-port", str(shared), "--media-workers", "2") as running:
        running.shared_port = shared
        yield running


@story("R08-S R08-W who has nothing but TCP speaks and hears, and sees a live room's picture")
def test_by_tcp(people, server):
    anna, ben = people("Anna", tone_hertz=440), people("Ben", tone_hertz=660)
    ben.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": BY_TCP})
    room = create_salon(anna)
    sit(anna, 0)
    enter_salon(ben, room)
    sit(ben, 1)
    ben.hears_tone(440)
    anna.hears_tone(660)
    assert ben.run_async(PAIR).split()[0] == "tcp"
    assert anna.run_async(PAIR).split()[0] == "udp"
    carl, dora = people("Carl"), people("Dora")
    dora.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument",
        # Nothing but the port that the workers share.
        {"source": BY_TCP.replace("udp ", f"(udp|tcp) \\d+ \\S+ (?!{server.shared_port} )")})
    live = go_live(carl)
    sign_in(dora, f"/r/{live}")
    sees_picture(dora, "picture-0")
    dora.keys("s")
    dora.wait(
        "the way in the statistics",
        "return [...document.querySelectorAll('[data-testid=statistics-sheet] .detail')].some(row => row.textContent.replace(/\\s/g, '') === 'WayTCP')")
    assert dora.run_async(PAIR) == f"tcp {server.shared_port}"
