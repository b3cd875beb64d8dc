"""The server's own TLS: certificate files that are replaced while it runs, and the certificate that it makes for a local network."""

import hashlib
import os
import shutil
import socket
import ssl
import stat
import subprocess
import time
import urllib.request

import pytest

from browsers import Chromium
from client import Client, ticket
from server import EXECUTABLE, Server, free_port
from steps import create_salon, live, shows, sit
from story import story
from test_tickets import own_application

PATIENCE = 20


def certificate(folder, name):
    """A certificate of its own for localhost: `tls.crt` and `tls.key` in a new folder."""
    made = folder / name
    made.mkdir()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost", "-keyout", made / "tls.key", "-out", made / "tls.crt"],
        check=True, capture_output=True)
    return made


def fingerprint(pem):
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem.read_text())).hexdigest()


def shown(host, port):
    """The fingerprint of the certificate that a new connection is shown."""
    anything = ssl.create_default_context()
    anything.check_hostname = False
    anything.verify_mode = ssl.CERT_NONE
    with socket.create_connection((host, port), timeout=5) as plain, anything.wrap_socket(plain) as secure:
        return hashlib.sha256(secure.getpeercert(binary_form=True)).hexdigest()


def until(what, check):
    deadline = time.monotonic() + PATIENCE
    while not check():
        assert time.monotonic() < deadline, f"waited {PATIENCE} s for {what}"
        time.sleep(0.05)


def point(link, target):
    """As issuers do it: the link's new target is there in one moment."""
    new = link.with_name("new")
    new.symlink_to(target)
    os.replace(new, link)


@story("R08-S HTTPS and wss by certificate files: a replaced one serves new connections, open ones go on, an unfit one is refused and named")
def test_certificate_files(tmp_path):
    first, second, third = (certificate(tmp_path, name) for name in ("first", "second", "third"))
    # As Kubernetes and certbot lay them out: links that stay, to a place that is replaced.
    current = tmp_path / "current"
    current.symlink_to(first)
    files = tmp_path / "live"
    files.mkdir()
    for name in ("tls.crt", "tls.key"):
        (files / name).symlink_to(current / name)
    data = tmp_path / "data"
    app, _ = own_application(data)
    server = Server(
        data, "--sign-in-application", app, "--sign-in-guests", "true", "--tls-certificate", files / "tls.crt",
        "--tls-key", files / "tls.key", development=False, trusted=first / "tls.crt")
    with server:
        assert "https://localhost" in server.log()
        with urllib.request.urlopen(server.url, context=server.context()) as page:
            assert page.status == 200 and b"<html" in page.read()
        # Who speaks plain HTTP to that port gets nothing, and nobody else notices.
        with pytest.raises(OSError):
            urllib.request.urlopen(f"http://localhost:{server.port}/", timeout=5)
        early = Client(server, ticket(server, "Early"))
        room = early.call("room.create", name="Through a renewal")["room"]
        early.call("seat.take", room=room, seat=0)

        point(current, second)
        until("the second certificate", lambda: shown("localhost", server.port) == fingerprint(second / "tls.crt"))
        assert "new TLS certificate in use" in server.log()
        # The old connection was opened with the old certificate, and goes on.
        early.call("message.send", room=room, text="still here")
        with pytest.raises(ssl.SSLCertVerificationError):
            Client(server, early.account)
        server.trusted = second / "tls.crt"
        late = Client(server, ticket(server, "Late"))
        late.call("room.enter", room=room)

        # Half a replacement: the certificate of one pair and the key of another.
        half = tmp_path / "half"
        half.mkdir()
        shutil.copy(third / "tls.crt", half)
        shutil.copy(second / "tls.key", half)
        point(current, half)
        until("the refusal of a pair that does not fit", lambda: "do not fit" in server.log())
        assert "the old one stays in use" in server.log()
        # No certificate at all.
        (half / "tls.crt").write_text("what a full disk leaves")
        until("the refusal of what is no certificate", lambda: f"cannot read the TLS certificate {files / 'tls.crt'}" in server.log())
        assert shown("localhost", server.port) == fingerprint(second / "tls.crt")
        Client(server, ticket(server, "Later")).close()
        early.call("message.send", room=room, text="and here")

        # The rest of it arrives.
        shutil.copy(third / "tls.crt", half)
        shutil.copy(third / "tls.key", half)
        until("the third certificate", lambda: shown("localhost", server.port) == fingerprint(third / "tls.crt"))
        for client in (early, late):
            client.call("message.send", room=room, text="to the end")
            client.close()


@story("R08-S R08-L certificate files that cannot be used are named before the server starts")
def test_unusable_files(tmp_path):
    one, two = certificate(tmp_path, "one"), certificate(tmp_path, "two")
    (tmp_path / "empty").write_text("")
    for arguments, sentence in [
        (("--tls-certificate", tmp_path / "none", "--tls-key", one / "tls.key"), f"cannot read the TLS certificate {tmp_path}/none"),
        (("--tls-certificate", tmp_path / "empty", "--tls-key", one / "tls.key"), f"cannot read the TLS certificate {tmp_path}/empty"),
        (("--tls-certificate", one / "tls.crt", "--tls-key", one / "tls.crt"), f"cannot read the TLS key {one}/tls.crt"),
        (("--tls-certificate", one / "tls.crt", "--tls-key", two / "tls.key"), "do not fit"),
        (("--tls-certificate", one / "tls.crt"), "tls.certificate and tls.key go together"),
    ]:
        done = subprocess.run(
            [EXECUTABLE, "serve", "--data", tmp_path / "data", "--port", str(free_port()), "--media-port", "0", *arguments],
            capture_output=True, text=True, timeout=30, env={k: v for k, v in os.environ.items() if not k.startswith("OVATION_")})
        assert done.returncode == 78, (arguments, done)
        assert done.stderr.startswith("ovation: ") and sentence in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


def network_address():
    """Of this machine beside loopback; no packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))
        except OSError:
            return None
        address = probe.getsockname()[0]
    return None if address.startswith("127.") else address


@pytest.mark.skipif(network_address() is None, reason="this machine has no network address beside loopback")
@story("R08-S R08-L R08-W on a local network: an own certificate, a QR code, guests, and a page that gets a microphone")
def test_local_network(tmp_path):
    data = tmp_path / "data"
    host = network_address()
    server = Server(data, "--lan", development=False, host=host, trusted=data / "lan-certificate.pem")
    with server:
        assert f"ready at {server.url} " in server.log()
        assert sum(line.count("█") + line.count("▀") + line.count("▄") for line in server.log().splitlines()) > 200, "no QR code"
        assert stat.S_IMODE((data / "lan-key.pem").stat().st_mode) == 0o600
        made = shown(host, server.port)
        assert made == fingerprint(data / "lan-certificate.pem")
        # The certificate is good for the address in the URL: the client checks it.
        guest = Client(server, ticket(server, "Guest"))

        # A phone's browser warns, and its owner goes on; without TLS there would be no microphone at that address.
        person = Chromium("Anna", server, tmp_path / "anna", flags=("--ignore-certificate-errors",))
        try:
            room = create_salon(person, "On this network")
            assert person.run("return location.origin") == server.url
            assert person.run("return isSecureContext && !!navigator.mediaDevices")
            sit(person, 0)
            live(person)
            shows(person, 0, "Anna")
            [seat] = [s for s in guest.call("room.enter", room=int(room))["snapshot"]["seats"] if s.get("user")]
            assert seat["user"]
            assert not person.complaints(), person.complaints()
        finally:
            person.close()
        guest.close()
        server.stop()
        # Another evening on the same network: whoever trusted the certificate still does.
        server.start()
        assert shown(host, server.port) == made
