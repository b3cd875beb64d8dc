"""The server under test: the built executable, as a process of its own, on ports that stay the same over restarts."""

import functools
import itertools
import os
import pathlib
import random
import signal
import socket
import ssl
import subprocess
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXECUTABLE = pathlib.Path(os.environ.get("OVATION_EXECUTABLE", ROOT / ".build/debug/ovation"))
# The sources of the pages, or another folder of them, such as the one that `scripts/pages` makes.
WEB = pathlib.Path(os.environ.get("OVATION_WEB_ROOT", ROOT / "Web"))
READY_SECONDS = 20
BUILD_SECONDS = 1_200


def build(*what):
    """More of what stands beside the server, built in the same way: with other flags all of it would be built anew."""
    flags = os.environ.get("SWIFT_BUILD_FLAGS", "").split()
    subprocess.run(["swift", "build", *flags, "--package-path", ROOT, *what], check=True, capture_output=True, timeout=BUILD_SECONDS)


# Below those that the system gives to whoever asks for any (32768 and up on Linux): otherwise another socket takes a port between the
# choice and the server, or while a server is dead that is to come back there.
# Workers that run stories beside each other have a part each.
_WORKERS, _WORKER = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)), int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
_PORTS = range(20_000, 32_000)
PORTS = _PORTS[_WORKER * len(_PORTS) // _WORKERS:(_WORKER + 1) * len(_PORTS) // _WORKERS]
_next = itertools.count(random.randrange(len(PORTS)))
_logs = itertools.count()


def is_free(port, kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        # As the server does: connections that have ended keep nobody from listening.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1 if kind == socket.SOCK_STREAM else 0)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port(*kinds):
    """One that is free for TCP, or for all the kinds of sockets that are named."""
    for step in itertools.islice(_next, len(PORTS)):
        port = PORTS[step % len(PORTS)]
        if all(is_free(port, kind) for kind in kinds or (socket.SOCK_STREAM,)):
            return port
    raise RuntimeError("no port is free")


@functools.cache
def _home():
    return free_port()


def usual_port():
    """The same for one server after the other, so that browsers find in their caches what they have loaded from the one before."""
    return _home() if is_free(_home(), socket.SOCK_STREAM) else free_port()


class Server:
    """`trusted` is the PEM file of a certificate: the server speaks TLS, and whoever uses `url` and `context()` believes it alone."""

    ready_seconds = READY_SECONDS

    def __init__(self, data, *arguments, development=True, host="localhost", trusted=None):
        self.data = pathlib.Path(data)
        self.port = usual_port()
        self.media_port = free_port(socket.SOCK_DGRAM, socket.SOCK_STREAM)
        self.arguments = (["--dev"] if development else []) + list(arguments)
        self.process = None
        # Its own: another one may have had this port before.
        self.output = self.data.parent / f"server-{self.port}-{next(_logs)}.log"
        self.trusted = trusted
        self.url = f"{'https' if trusted else 'http'}://{host}:{self.port}"

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def context(self):
        return ssl.create_default_context(cafile=self.trusted) if self.trusted else None

    def command(self):
        return [EXECUTABLE, "serve", "--data", self.data, "--port", str(self.port), "--media-port", str(self.media_port),
                "--web-root", WEB, *self.arguments]

    def start(self):
        with open(self.output, "ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                # Variables of that prefix are settings of the server; those of the tests are not for it.
                env={k: v for k, v in os.environ.items() if not k.startswith("OVATION_")},
            )
        deadline = time.monotonic() + self.ready_seconds
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=2, context=self.context()) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                pass
            assert self.process.poll() is None, f"the server ended:\n{self.log()}"
            assert time.monotonic() < deadline, f"not ready after {self.ready_seconds} s:\n{self.log()}"
            time.sleep(0.02)

    def kill(self):
        """kill -9: no goodbye, no flush."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()
                raise AssertionError("the server did not end within 10 s of SIGTERM")

    def log(self):
        return self.output.read_text(errors="replace") if self.output.exists() else ""
