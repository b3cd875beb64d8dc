"""What text from outside costs, at each door: counted in instructions, and never timed (decision 0037)."""

import contextlib
import functools
import subprocess

import pytest

import counted
import doors
from client import ticket
from counted import CountedServer
from server import EXECUTABLE, Server
from story import nightly, story
from test_back_ends import made
from test_rest_api import SCOPES
from test_tls import certificate

pytestmark = [pytest.mark.first, pytest.mark.skipif(not counted.is_possible(), reason="counting needs valgrind (scripts/bootstrap test)")]

# Twice the bytes cost at most so many times the work.
MOST_TIMES = 2.5
# What a request costs more or less by chance, with what the server does by itself meanwhile. 8 KB of marks, hashed once, are 80 times
# as much.
NOISE = 3_000_000
# Chance only adds.
TIMES = 3
MEBIBYTE = 1 << 20
# What is refused for its size is received all the same.
RECEIVED = 20 * MEBIBYTE
# Enough to tell a square from a line, at a twentieth of the cost.
SHORT = 8_000


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    data = folder / "data"
    with Server(data) as server:
        admin = ticket(server, "Doors")
    app = str(admin["app"])
    configure = [EXECUTABLE, "app", "configure", "--app", app, "--admin", admin["user"], "--data", data]
    subprocess.run(configure, check=True, capture_output=True)
    key = made("--app", app, "--name", "doors", *[word for scope in SCOPES for word in ("--scope", scope)], "--data", str(data))
    with contextlib.ExitStack() as servers:
        @functools.cache
        def secure():
            pair = certificate(folder, "own")
            (folder / "secure").mkdir()
            return servers.enter_context(
                CountedServer(folder / "secure" / "data", "--tls-certificate", pair / "tls.crt", "--tls-key", pair / "tls.key", trusted=pair / "tls.crt"))

        # The owner comes and goes, with each connection that is closed.
        server = servers.enter_context(CountedServer(data, "--webhooks-allow-private", "true", "--rooms-owner-absence-seconds", "3600"))
        yield doors.House(server, secure, admin["app"], key, {name: admin[name] for name in ("user", "ticket")})


def work(server, send, text):
    """Instructions, and how it was answered."""
    while True:
        send.prepare()
        count, name = server.count(lambda: send(text))
        if name not in doors.TOO_SOON:
            return count, name


def complaint(house, send, door, kind, size, vast):
    """What costs too much, each size measured again while it seems to."""
    least, names = {}, {}

    def measure(bytes_):
        server = house.secure if door.is_streamed else house.server
        count, names[bytes_] = work(server, send, door.text(kind, bytes_))
        least[bytes_] = min(count, least.get(bytes_, count))

    sizes = [0, size // 2, size, *([MEBIBYTE] if vast else [])]
    for _ in range(TIMES):
        for bytes_ in sizes:
            measure(bytes_)
        figures = f"{door.name}, {kind}: " + ", ".join(f"{bytes_:,} bytes {least[bytes_]:,} ({names[bytes_]})" for bytes_ in sizes)
        # An empty text may take another way than one that is refused.
        base = min(least[0], least[size // 2])
        grown = {bytes_: count - base for bytes_, count in least.items()}
        is_open = not any(names[bytes_].startswith("closed") for bytes_ in sizes[:3])
        if is_open and grown[size] <= max(MOST_TIMES * grown[size // 2], NOISE) and (
                not vast or grown[MEBIBYTE] <= max(MOST_TIMES / 2 * grown[size] * MEBIBYTE / size, RECEIVED)):
            print(figures, flush=True)
            return None
    return figures


def complaints(house, kinds, most, vast=False):
    for door in doors.DOORS.values():
        with door.open(house) as send:
            for kind in kinds(door):
                found = complaint(house, send, door, kind, min(door.limit, most), vast)
                if found:
                    yield found


@story("R05-S a text of nothing but marks, or of what looks like links, costs the server no more than its length, by each door of HTTP/1.1 and WebSocket")
def test_marks(house):
    # Heads of streams have a server of their own to start, and come at night with the others.
    assert list(complaints(house, lambda door: () if door.is_streamed else door.always, SHORT)) == []


@nightly
@story("R05-S letters under marks, flags, wide characters, escapes and nested lists, up to a mebibyte, cost no more than their length")
def test_every_kind(house):
    assert list(complaints(house, lambda door: door.kinds(), MEBIBYTE, vast=True)) == []
