"""Signing in outside development: an operator's own ticket server, guests, and tickets that run out in mid-room."""

import contextlib
import http.server
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import pytest

from browsers import PATIENCE, Chromium
from client import Client, post
from server import EXECUTABLE, ROOT, Server, build, free_port
from steps import live, microphone_is, open_salon, shows, sign_in, sit
from story import story

SAMPLES = {
    "python": [sys.executable, ROOT / "Examples/ticket-servers/ticket_server.py"],
    "node": ["node", ROOT / "Examples/ticket-servers/ticket_server.mjs"],
    "swift": [ROOT / ".build/debug/TicketServer"],
}


def built(sample):
    """The Swift sample is compiled as a target of our own package: its own would build Hummingbird and all below it once more."""
    if sample == "swift":
        build("--product", "TicketServer")
    return sample


def own_application(data):
    """`ovation app create`, as an operator does it: the number and the key."""
    out = subprocess.run([EXECUTABLE, "app", "create", "--name", "Mine", "--data", data], capture_output=True, text=True, check=True).stdout
    return re.search(r"application\s+(\d+)", out)[1], re.search(r"secret key\s+(\S+)", out)[1]


class TicketServer:
    def __init__(self, sample, app, key, origin, lifetime):
        self.port = free_port()
        self.url = f"http://localhost:{self.port}/tickets"
        environment = os.environ | {"OVATION_APP": app, "OVATION_KEY": key, "OVATION_ORIGIN": origin, "PORT": str(self.port), "LIFETIME": str(lifetime)}
        self.process = subprocess.Popen(SAMPLES[sample], env=environment, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        # What a browser asks before it lets a page of another origin send JSON and cookies.
        question = {"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        while True:
            try:
                with urllib.request.urlopen(urllib.request.Request(self.url, method="OPTIONS", headers=question), timeout=1) as answer:
                    allowed = {name.lower(): value for name, value in answer.headers.items()}
                assert allowed["access-control-allow-origin"] == origin
                assert allowed["access-control-allow-credentials"] == "true"
                assert "content-type" in allowed["access-control-allow-headers"].lower()
                return
            except OSError:
                assert time.monotonic() < deadline, "the ticket server did not start"
                time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


@pytest.mark.parametrize("sample", SAMPLES)
@story("A01-L A11-S A11-R the sample ticket servers sign users of an application that the command line made")
def test_samples(tmp_path, sample):
    data = tmp_path / "data"
    app, key = own_application(data)
    with Server(data, "--sign-in-application", app, development=False) as server:
        tickets = TicketServer(built(sample), app, key, server.url, 600)
        try:
            status, account = post(tickets.url, {"name": " 민아 Mina 🎤 "})
            assert status == 200 and account["name"] == "민아 Mina 🎤" and account["user"] == "Mina"
            client = Client(server, account)
            assert client.opened["user"]["id"] == "Mina" and 500 < client.opened["expiresInSeconds"] <= 600
            client.close()
            # A page with an expired ticket asks with its user and the old ticket.
            status, renewed = post(tickets.url, {"user": account["user"], "ticket": account["ticket"]})
            assert status == 200 and renewed["user"] == "Mina" and renewed["app"] == int(app) and renewed["expiresInSeconds"] == 600
            Client(server, renewed).close()
            for question, wanted, code in [
                ({}, 401, 6014), ({"name": " "}, 401, 6014), ({"name": "?!"}, 401, 6014), ("no JSON", 400, -32700),
                ({"name": "x" * 20_000}, 413, 80002), ({"name": "é" * 9_000}, 413, 80002),
            ]:
                status, refusal = ask(tickets.url, question, server.url)
                assert (status, refusal["error"]["code"]) == (wanted, code), (question, refusal)
        finally:
            tickets.stop()


def ask(url, question, origin):
    """As a page of that origin; a page reads a refusal only if the answer allows it."""
    text = question if isinstance(question, str) else json.dumps(question, ensure_ascii=False)
    headers = {"Content-Type": "application/json", "Origin": origin}
    try:
        answer = urllib.request.urlopen(urllib.request.Request(url, text.encode(), headers), timeout=10)
    except urllib.error.HTTPError as refusal:
        answer = refusal
    with answer:
        assert answer.headers["Access-Control-Allow-Origin"] == origin
        assert answer.headers["Access-Control-Allow-Credentials"] == "true"
        return answer.status, json.loads(answer.read())


@contextlib.contextmanager
def signed_in(folder, name, lifetime):
    """Somebody in the lobby by a ticket of the operator's; yields the person and a list of who gives tickets, whose last one is stopped."""
    folder.mkdir()
    data = folder / "data"
    app, key = own_application(data)
    server = Server(data, "--sign-in-application", app, development=False)
    givers = [TicketServer("python", app, key, server.url, lifetime)]
    server.arguments += ["--sign-in-tickets-url", givers[0].url]
    try:
        with server:
            person = Chromium(name, server, folder / "profile")
            try:
                sign_in(person)
                person.sees("lobby")
                yield person, givers
                assert not person.complaints(), person.complaints()
            finally:
                person.close()
    finally:
        givers[-1].stop()


class Refuses:
    """In a ticket server's place: whoever asks is no longer known."""

    def __init__(self, port, origin):
        class Answer(http.server.BaseHTTPRequestHandler):
            def do_POST(self, status=401):
                body = b'{"error": {"code": 6014, "name": "not_signed_in", "message": "who are you?"}}' if status == 401 else b""
                self.send_response(status)
                for name, value in (("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Credentials", "true"),
                                    ("Access-Control-Allow-Headers", "content-type"), ("Content-Length", str(len(body)))):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def do_OPTIONS(self):
                self.do_POST(204)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("localhost", port), Answer)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@story("A10-W A11-W V17-W the page signs in by the operator's tickets and renews one that runs out, without losing the seat; one that is not renewed "
       "ends in a sentence with a way on, in the room too")
def test_page_renews(tmp_path):
    # 62 s of life: the server announces the end at 60 s, so the page has to renew two seconds after signing in. Beside it a page waits
    # for the end of its only ticket.
    with signed_in(tmp_path / "renewed", "Mina", 62) as (mina, _), signed_in(tmp_path / "refused", "Kim", 30) as (kim, givers):
        since = mina.run("return performance.now()")
        givers[0].stop()
        givers.append(Refuses(givers[0].port, kim.server.url))
        open_salon(kim, "Short evening")
        open_salon(mina, "Long evening")
        sit(mina, 0)
        live(mina)
        kim.sees('[data-testid="message-page"][data-kind="session_expired"]', "expired")
        kim.sees_no("salon")
        kim.click("sign-in-again")
        kim.sees("sign-in-name")
        # Past the first ticket's end: a page that had not renewed would have been closed, and have opened a second socket.
        mina.wait("the first ticket's end", "return performance.now() > arguments[0] + 65_000", since, seconds=90)
        microphone_is(mina, "live")
        shows(mina, 0, "Mina")
        assert mina.run("return window.__sockets") == 1, "the connection did not last"


@story("A11-W guests enter by a name where the operator allows it, and nowhere else")
def test_guests(tmp_path):
    data = tmp_path / "data"
    app, _ = own_application(data)
    with Server(data, "--sign-in-application", app, "--sign-in-guests", "true", development=False) as server:
        guest = Chromium("Passer-by", server, tmp_path / "guest")
        try:
            sign_in(guest)
            guest.sees("lobby")
        finally:
            guest.close()
    with Server(data, "--sign-in-application", app, development=False) as server:
        status, refusal = post(f"{server.url}/v1/tickets", {"name": "Passer-by"})
        assert status in (403, 404) and refusal["error"]["name"], refusal


