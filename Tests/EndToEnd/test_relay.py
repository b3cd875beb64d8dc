"""People whose network lets nothing through to the media port: sound goes by a relay, Debian's coturn."""

import shutil
import socket
import subprocess
import time

import pytest
from browsers import PATIENCE
from server import Server, free_port
from steps import create_salon, enter_salon, sit
from story import story

coturn = shutil.which("turnserver")
SECRET = "north-and-south"
# Nothing but the relay's own addresses are tried, as behind a firewall that blocks all others.
RELAYED = """
(() => {
  const Direct = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Direct {
    constructor(configuration, ...rest) { super({ ...configuration, iceTransportPolicy: 'relay' }, ...rest); }
  };
})()
"""
PAIR = """
const done = arguments[arguments.length - 1];
(async () => {
  const peer = window.__peers.filter((p) => p.connectionState === 'connected').pop();
  const report = await peer.getStats();
  const pair = [...report.values()].find((e) => e.type === 'candidate-pair' && e.nominated);
  done(report.get(pair.localCandidateId).candidateType);
})().catch((e) => done(String(e && e.stack || e)));
"""


@pytest.fixture
def relay(tmp_path):
    """Where a relay listens that knows the secret; it relays to loopback, which relays for others must not."""
    port = free_port(socket.SOCK_DGRAM)
    ports = free_port(socket.SOCK_DGRAM)
    with open(tmp_path / "relay.log", "wb") as log:
        process = subprocess.Popen(
            [coturn, "-n", "--listening-ip=127.0.0.1", f"--listening-port={port}", "--relay-ip=127.0.0.1",
             f"--min-port={ports}", f"--max-port={ports + 40}", "--use-auth-secret", f"--static-auth-secret={SECRET}",
             "--realm=ovation", "--no-tls", "--no-dtls", "--no-cli", "--cli-password=none", "--allow-loopback-peers",
             f"--pidfile={tmp_path}/relay.pid", f"--userdb={tmp_path}/relay.db", "--log-file=stdout"],
            stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    deadline = time.monotonic() + PATIENCE
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        assert process.poll() is None, (tmp_path / "relay.log").read_text()
        assert time.monotonic() < deadline, "the relay does not listen"
        time.sleep(0.05)
    yield port
    process.terminate()
    process.wait(10)


@pytest.fixture
def server(relay, tmp_path):
    with Server(tmp_path / "data", "--media-relays", f"turn:127.0.0.1:{relay}?transport=tcp",
                "--media-relay-secret", SECRET) as running:
        yield running


@pytest.mark.skipif(coturn is None, reason="coturn is not installed")
@story("Who can reach nothing but a relay by TCP speaks and hears, with the password that the server made; the relay knows no other")
def test_relayed(people):
    anna, ben = people("Anna", tone_hertz=440), people("Ben", tone_hertz=660)
    ben.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": RELAYED})
    room = create_salon(anna)
    sit(anna, 0)
    enter_salon(ben, room)
    sit(ben, 1)
    ben.hears_tone(440)
    anna.hears_tone(660)
    assert ben.run_async(PAIR) == "relay"
    assert anna.run_async(PAIR) != "relay"
