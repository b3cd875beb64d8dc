"""What attacks are made of.

Sleeps in the attacks pace them (a crawling upload, a call's budget, a voice that others are to ask for); nothing is synchronised by them.
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import socket
import struct
import sys
import threading
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("OVATION_EXECUTABLE", str(ROOT / ".build/release/ovation"))
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))

from client import CALL_SECONDS, Refused  # noqa: E402


class Target:
    """The server as processes see it that did not start it."""

    def __init__(self, url):
        self.url = url
        self.port = int(url.rsplit(":", 1)[1])

    def context(self):
        return None


def together(jobs):
    """Threads; the first that fails fails all."""
    failures = []

    def guarded(job):
        try:
            job()
        except BaseException as failure:  # noqa: BLE001
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def pace(person, method, **params):
    """As fast as the server lets one. Who is never let in attacks nothing: that fails, also where a refusal is expected."""
    ends = time.monotonic() + CALL_SECONDS
    while True:
        try:
            return person.call(method, **params)
        except Refused as refusal:
            if refusal.name not in ("rate_limited", "too_frequent"):
                raise
            if time.monotonic() > ends:
                raise TimeoutError(f"{method} was refused for {CALL_SECONDS} s: {refusal.name}, {refusal}") from refusal
            time.sleep(0.4)


def operator(target, method, path, body=None, key=None, **headers):
    """A request of an operator's program, with the key of the server under attack."""
    line = http.client.HTTPConnection("127.0.0.1", target.port, timeout=30)
    key = key or (target.folder / "key").read_text().strip()
    line.request(method, path, None if body is None else json.dumps(body), {
        "Authorization": f"Bearer {key}", "Content-Type": "application/json", **headers})
    answer = line.getresponse()
    text = answer.read()
    line.close()
    return answer.status, json.loads(text) if text else None


def pipeline(person, calls):
    for method, params in calls:
        person.socket.send(json.dumps({"jsonrpc": "2.0", "id": next(person.numbers), "method": method, "params": params}))


def signed(target, user):
    """An account that the operator's own ticket server lets in: more people than may sign in as guests of one address."""
    app, key = (target.folder / "secret").read_text().split()
    now, lifetime = int(time.time()), 3600
    text = f"TLS.identifier:{user}\nTLS.sdkappid:{app}\nTLS.time:{now}\nTLS.expire:{lifetime}\n"
    fields = {"TLS.ver": "2.0", "TLS.identifier": user, "TLS.sdkappid": int(app), "TLS.expire": lifetime, "TLS.time": now,
              "TLS.sig": base64.b64encode(hmac.new(key.encode(), text.encode(), hashlib.sha256).digest()).decode()}
    packed = base64.b64encode(zlib.compress(json.dumps(fields).encode())).decode()
    return {"app": int(app), "user": user, "name": user, "ticket": packed.translate(str.maketrans("+/=", "*-_"))}


def upgraded(target):
    line = socket.create_connection(("127.0.0.1", target.port))
    line.sendall((
        "GET /v1/connect HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\nSec-WebSocket-Protocol: ovation.v1\r\n\r\n").encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        more = line.recv(1)
        assert more, answer
        answer += more
    assert b" 101 " in answer, answer
    line.settimeout(20)
    return line


def send_text(line, text):
    content = text.encode()
    length = bytes([0x80 | len(content)]) if len(content) < 126 else b"\xfe" + struct.pack(">H", len(content))
    line.sendall(b"\x81" + length + bytes(4) + content)
