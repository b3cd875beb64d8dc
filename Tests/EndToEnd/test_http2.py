"""HTTP/2 over the server's own TLS: what curl, Chromium and a client that floods get of it."""

import json
import re
import subprocess

import pytest

from browsers import Chromium
from http2 import (
    ACK, DATA, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, GET, GOAWAY, HEADERS, PROTOCOL_ERROR, RST_STREAM, SETTINGS, Raw, frame)
from server import Server, WEB
from steps import create_salon, live, sit
from story import story
from test_tickets import own_application
from test_tls import certificate


@pytest.fixture
def secure(tmp_path):
    pair = certificate(tmp_path, "own")
    data = tmp_path / "data"
    app, _ = own_application(data)
    server = Server(
        data, "--sign-in-application", app, "--sign-in-guests", "true", "--tls-certificate", pair / "tls.crt", "--tls-key", pair / "tls.key",
        development=False, trusted=pair / "tls.crt")
    with server:
        yield server


def curl(server, path, *options):
    """Version, status, headers by lower-case name, and the body."""
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--include", "--max-time", "30", "--cacert", server.trusted, *options, f"{server.url}{path}"],
        capture_output=True, check=True)
    head, body = done.stdout.split(b"\r\n\r\n", 1)
    while head.split()[1] == b"100":
        head, body = body.split(b"\r\n\r\n", 1)
    first, *lines = head.decode().split("\r\n")
    version, status = first.split()[:2]
    return version, int(status), dict(line.lower().split(": ", 1) for line in lines), body


def head(path="/healthz", authority="localhost", more=b""):
    """GET by https, in HPACK without Huffman (RFC 7541): indexed fields, and literals that are not indexed."""
    def literal(index, text):
        return bytes([index, len(text)]) + text.encode()
    return b"\x82\x87" + literal(4, path) + literal(1, authority) + more


@story("R12-S over the server's own TLS pages come by HTTP/2, an older client still gets HTTP/1.1")
def test_versions(secure):
    page = (WEB / "app.js").read_bytes()
    for option, version in (("--http2", "HTTP/2"), ("--http1.1", "HTTP/1.1"), ("--no-alpn", "HTTP/1.1")):
        found = curl(secure, "/app.js", option)
        assert found[:2] == (version, 200) and found[3] == page, found[:3]
    # Nothing of the connection is among an answer's headers (RFC 9113 §8.2.2), not even where HTTP/1.1 has it.
    for path, status in (("/v1/connect", 426), ("/nowhere", 404)):
        version, found, headers, _ = curl(secure, path, "--http2")
        assert (version, found) == ("HTTP/2", status) and not {"connection", "upgrade", "transfer-encoding"} & set(headers), headers


@story("R12-S HTTP/2 refuses what HTTP/1.1 refuses: runs of marks, hosts that lead elsewhere, bodies that are too large")
def test_refusals(secure, tmp_path):
    def body(size):
        file = tmp_path / f"{size}"
        file.write_bytes(b"x" * size)
        return f"@{file}"

    def refused(*options, path="/v1/config"):
        version, status, _, body = curl(secure, path, "--http2", "--header", f"Origin: {secure.url}", "--header", "Content-Type: application/json", *options)
        assert version == "HTTP/2"
        return status, json.loads(body)["error"]["name"]
    marks = "e" + "\u0301" * 200
    assert refused("--header", f"X-Name: {marks}") == (400, "too_many_marks")
    assert refused(path="/v1/config?" + "%CC%81" * 200) == (400, "too_many_marks")
    assert refused("--header", "Host: evil.example/") == (400, "invalid_request")
    # It waits for the word to go on, which does not come; the answer is not spoiled by a reset.
    assert refused("--data-binary", body(300_000), "--header", "Expect: 100-continue", path="/v1/tickets")[0] in (400, 413)
    assert refused("--data-binary", body(3_000_000), "--header", "Expect:", path="/v1/tickets")[0] in (400, 413)
    # And a body that is awaited gets the word.
    assert refused("--data-binary", "{", "--header", "Expect: 100-continue", path="/v1/tickets")[0] == 400
    raw = Raw(secure)
    two = head(authority="localhost", more=b"\x00\x04host\x0cevil.example")
    raw.socket.sendall(frame(HEADERS, END_STREAM | END_HEADERS, 1, two))
    body = next(payload for kind, _, stream, payload in raw.frames() if kind == DATA and stream == 1)
    assert b"a request names one host" in body
    raw.close()


@story("R05-S who opens streams and resets them at once loses the connection, and nobody else notices")
def test_rapid_reset(secure):
    flood = Raw(secure)
    sent = 0
    try:
        for stream in range(1, 20_001, 2):
            flood.socket.sendall(frame(HEADERS, END_STREAM | END_HEADERS, stream, head()) + frame(RST_STREAM, 0, stream, b"\0\0\0\x08"))
            sent += 1
    except OSError:
        pass
    ends = [payload for kind, _, _, payload in flood.frames() if kind == GOAWAY]
    flood.close()
    assert sent < 10_000 or ends
    assert all(int.from_bytes(payload[4:8], "big") == ENHANCE_YOUR_CALM for payload in ends[:1])
    assert curl(secure, "/healthz", "--http2")[3] == b"alive\n"


@story("R12-S who sends a request of HTTP/2 that is malformed loses it, keeps the connection, and is not let do so without end")
def test_malformed(secure):
    raw = Raw(secure)
    without_path = [(name, value) for name, value in GET.items() if name != ":path"]
    assert raw.ask(without_path) == ("reset", PROTOCOL_ERROR)
    assert raw.ask(GET.items()) == ("answer", b"alive\n")
    # The head goes on to the server before the body turns out to be longer than stated.
    assert raw.ask([*GET.items(), ("content-length", "1")], b"xx") == ("reset", PROTOCOL_ERROR)
    # A head in several frames is one head.
    assert raw.ask([*GET.items(), ("x-long", "a" * 20_000)]) == ("answer", b"alive\n")
    assert {raw.ask(without_path) for _ in range(198)} == {("reset", PROTOCOL_ERROR)}
    raw.ask(without_path)
    calm = next(payload for kind, _, _, payload in raw.frames() if kind == GOAWAY)
    assert int.from_bytes(calm[4:8], "big") == ENHANCE_YOUR_CALM
    assert raw.ask(GET.items())[0] == "closed"
    raw.close()
    assert curl(secure, "/healthz", "--http2")[3] == b"alive\n"


@story("R12-S one connection has a limited number of requests at a time, which it states")
def test_streams(secure):
    raw = Raw(secure)
    stated = next(payload for kind, flags, _, payload in raw.frames() if kind == SETTINGS and not flags & ACK)
    settings = {int.from_bytes(stated[at:at + 2], "big"): int.from_bytes(stated[at + 2:at + 6], "big") for at in range(0, len(stated), 6)}
    assert settings[3] == 64 and settings[6] == 32 << 10, settings
    raw.close()


@story("R12-S R12-W in Chromium the page comes by HTTP/2, and the room's WebSocket and sound work beside it")
def test_in_chromium(secure, tmp_path):
    person = Chromium("Anna", secure, tmp_path / "anna", flags=("--ignore-certificate-errors",))
    try:
        create_salon(person, "By streams")
        spoken = person.run(
            "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
            ".filter((each) => each.name.startsWith(location.origin) && each.nextHopProtocol).map((each) => each.nextHopProtocol)")
        assert len(spoken) > 10 and set(spoken) == {"h2"}, spoken
        sit(person, 0)
        live(person)
        assert not person.complaints(), person.complaints()
    finally:
        person.close()
    assert re.search(r"ready", secure.log())
