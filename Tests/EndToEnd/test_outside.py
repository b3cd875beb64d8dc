"""Servers behind an address that is not theirs: 1:1 NAT and Docker, as the manual sets them up, seen from inside and from outside."""

import contextlib
import os
import re
import signal
import subprocess
import time

import pytest

import gate
from gate import GATE, INSIDE, Gate
from image import Docker, Image
from server import EXECUTABLE, ROOT
from story import story
from test_tickets import own_application

MANUAL = (ROOT / "Documentation/operate/go-public.md").read_text()
READY_SECONDS = 30

pytestmark = pytest.mark.skipif(not gate.is_possible(), reason="network namespaces and NAT need root and nftables")


def recipe(title):
    """The commands of a section of the manual, one a line."""
    text = re.search(rf"^### {re.escape(title)}\n(.*?)(?=^##|\Z)", MANUAL, re.MULTILINE | re.DOTALL)[1]
    commands = "\n".join(re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    return [line for line in re.sub(r"\\\n\s*", "", commands).splitlines() if line]


def output(command, **more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OVATION_")} | more
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=90)
    return done.returncode, done.stdout + done.stderr


@contextlib.contextmanager
def serving(command, asked_from, log):
    """A server that runs until the end of the block, and answers there."""
    with open(log, "ab") as file:
        process = subprocess.Popen(
            command, stdout=file, stderr=file, stdin=subprocess.DEVNULL, start_new_session=True,
            env={k: v for k, v in os.environ.items() if not k.startswith("OVATION_")})
    try:
        deadline = time.monotonic() + READY_SECONDS
        question = Gate.inside(asked_from, "python3", "-c", f"import urllib.request; urllib.request.urlopen('http://{GATE}:8080/readyz', timeout=2)")
        while output(question)[0] != 0:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(15)


def findings(text):
    """What the doctor said, by its grade: subjects and sentences."""
    return {grade: re.findall(rf"^{grade} +(\S+) +(.*)", text, re.MULTILINE) for grade in ("ok", "warning", "PROBLEM")}


def subjects(found, grade):
    return [subject for subject, _ in found[grade]]


@pytest.fixture
def way():
    with contextlib.ExitStack() as exits:
        yield lambda **kind: exits.enter_context(contextlib.closing(Gate(**kind)))


class Outside:
    """Somebody on another machine, who asks the doctor."""

    def __init__(self, way, app, key):
        self.command = way.inside(
            way.somebody, EXECUTABLE, "doctor", "--from", f"http://{GATE}:8080", "--app", app, "--user", "test")
        self.key = key

    def looks(self):
        code, text = output(self.command, OVATION_KEY=self.key)
        return code, findings(text)


@story("R08-S R08-L behind 1:1 NAT the doctor says inside what is missing, and proves from outside that sound comes through by UDP and by TCP, or which of them does not")
def test_one_to_one(way, tmp_path):
    app, key = own_application(tmp_path / "data")
    way = way(one_to_one=True)
    outside = Outside(way, app, key)
    data, log = ("--data", tmp_path / "data"), tmp_path / "server.log"
    serve = way.inside(way.server, EXECUTABLE, "serve", *data, "--web-root", ROOT / "Web")
    inside = way.inside(way.server, EXECUTABLE, "doctor", *data)

    with serving(serve, way.somebody, log):
        found = findings(output(inside)[1])
        assert ("addresses", f"Clients are told {INSIDE}: only people in the same network as {INSIDE} reach them.") in found["warning"], found
        code, found = outside.looks()
        assert code == 1 and subjects(found, "ok") == ["page", "sign-in", "clock"], found
        assert found["PROBLEM"] == [("media-udp", "Nothing comes back from the media port by UDP."),
                                    ("media-tcp", "Nothing comes back from the media port by TCP.")]

    line, = [line for line in recipe("Behind 1:1 NAT") if line.startswith("public_address:")]
    settings = tmp_path / "ovation.yml"
    settings.write_text(f"{line}\n")
    with serving([*serve, "--config", str(settings)], way.somebody, log):
        code, text = output([*inside, "--config", str(settings)])
        found = findings(text)
        assert code == 0 and ("addresses", f"Clients are told {GATE}, {INSIDE}.") in found["ok"], text
        code, found = outside.looks()
        assert code == 0 and subjects(found, "ok") == ["page", "sign-in", "media-udp", "clock", "media-tcp"], found
        for protocol, other in (("udp", "tcp"), ("tcp", "udp")):
            with way.without(protocol, 7882):
                code, found = outside.looks()
            assert code == 1 and found["PROBLEM"] == [
                (f"media-{protocol}", f"Nothing comes back from the media port by {protocol.upper()}.")], found
            assert f"media-{other}" in subjects(found, "ok")


@pytest.fixture
def image(tmp_path):
    return Image(tmp_path / "image")


@story("R08-S R08-L the manual's Docker recipes, with the host's network and with published ports, let people in by UDP and by TCP")
@pytest.mark.parametrize("title", ["Docker with the host's network", "Docker with published ports"])
def test_docker(way, image, tmp_path, title):
    way = way()
    volume = tmp_path / "volume"
    volume.mkdir()
    # A new volume has the folder's owner.
    owner = (image.root / "data").stat()
    assert owner.st_uid != 0
    os.chown(volume, owner.st_uid, owner.st_gid)
    docker = Docker(image, way, volume)
    make, start, look = recipe(title)
    code, text = output(docker.line(make))
    assert code == 0, text
    app, key = re.search(r"application\s+(\d+)", text)[1], re.search(r"secret key\s+(\S+)", text)[1]
    with serving(docker.line(start), way.somebody, tmp_path / "server.log"):
        code, text = output(docker.line(look))
        found = findings(text)
        assert code == 0 and "A server runs on the data folder /data." in text and not found["PROBLEM"], text
        assert any(subject == "addresses" and GATE in sentence for subject, sentence in found["ok"]), text
        code, found = Outside(way, app, key).looks()
        assert code == 0 and {"media-udp", "media-tcp"} <= set(subjects(found, "ok")), found
        page = way.inside(way.somebody, "python3", "-c", f"import urllib.request; print(urllib.request.urlopen('http://{GATE}:8080/').read().decode())")
        assert "<title>" in output(page)[1]
