"""An operator's first minute: from the command line into the console."""

import hashlib
import json
import os
import pty
import re
import subprocess
import urllib.error
import urllib.request

import pytest

from client import Client, ticket
from server import Server
from story import story
from test_command_line import run
from test_console import has_row, open_row, pick

LINK = re.compile(rb"(http://\S+/console/)#key=(ovk_[0-9a-f]{12}_[0-9a-f]{64})")


class OnTerminal(Server):
    """The server as somebody starts it: what it says stands on a terminal."""

    def start(self):
        self.terminal, end = pty.openpty()
        with open(self.output, "ab") as log:
            self.process = subprocess.Popen(
                self.command(), stdout=end, stderr=log, stdin=subprocess.DEVNULL,
                env={k: v for k, v in os.environ.items() if not k.startswith("OVATION_")})
        os.close(end)
        said = b""
        while not (found := LINK.search(said)):
            said += os.read(self.terminal, 4096)
        self.link, self.key = found[0].decode(), found[2].decode()

    def stop(self):
        super().stop()
        os.close(self.terminal)


def asked(server, method, path, key, body=None):
    """The answer of the REST API, or the status of a refusal."""
    request = urllib.request.Request(
        f"{server.url}/v1/{path}", method=method, headers={"Authorization": f"Bearer {key}"},
        data=None if body is None else json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        return refusal.code


@story("R14-L serve --dev shows a link with a key for that run on a terminal, and nowhere else; key create --scope all makes one that stays")
def test_printed(tmp_path):
    data = tmp_path / "data"
    server = OnTerminal(data)
    server.start()
    assert server.link.startswith(f"{server.url}/console/")
    scopes = asked(server, "GET", "key", server.key)["scopes"]
    assert "rooms:write" in scopes and "keys" in scopes
    key_id, secret = server.key.split("_")[1:]
    former = server.key
    server.stop()
    traces = [key_id.encode(), secret.encode(), hashlib.sha256(secret.encode()).digest()]
    for path in [server.output, *data.rglob("*")]:
        if path.is_file():
            assert not any(trace in path.read_bytes() for trace in traces), path
    with Server(data) as quiet:
        assert "on a terminal alone" in quiet.log() and "ovk_" not in quiet.log()
        assert asked(quiet, "GET", "key", former) == 401

    code, out, _ = run("key", "create", "--name", "console", "--scope", "all", "--data", str(data))
    assert code == 0
    kept = re.search(r"ovk_\w+", out)[0]
    code, _, complaint = run("key", "create", "--name", "shop", "--scope", "everything", "--data", str(data))
    assert code == 78 and "rooms:read" in complaint and "and all for" in complaint
    with Server(data) as again:
        assert asked(again, "GET", "key", kept)["scopes"] == scopes


@pytest.fixture
def server(tmp_path):
    with OnTerminal(tmp_path / "data") as running:
        yield running


def address(person):
    return person.run("return location.href")


@story("R14-W the printed link leads into the console and leaves no key in the address; applications are chosen, and one that is not there is refused")
def test_first_minute(server, people):
    jo = people("Jo")
    jo.driver.get(server.link)
    jo.sees("console-card")
    assert address(jo) == f"{server.url}/console/"
    jo.run("location.reload()")
    jo.sees("console-card")
    jo.sees_no("console-application")

    # With a second application one chooses, at the door and inside.
    made = asked(server, "POST", "applications", server.key, {"name": "Karaoke"})["app"]
    jo.click("console-leave")
    jo.sees("console-how", "ovation key create --name console --scope all")
    jo.type("console-key", server.key)
    jo.click("console-enter")
    jo.sees("console-problem", "Which one")
    assert jo.run("return [...document.querySelectorAll('[data-testid=console-app] option')].map(option => option.innerText)") \
        == ["Demo · 1400000001", f"Karaoke · {made}"]
    pick(jo, "console-app", str(made))
    jo.click("console-enter")
    jo.click("nav-gifts")
    jo.sees("console-empty", "nothing to give")
    pick(jo, "console-application", "1400000001")
    has_row(jo, "gifts-table", "Rose", "1")

    # A key that may not read which applications there are is asked for the number, and a wrong one is said at once.
    lesser = asked(server, "POST", "keys", server.key, {"name": "reader", "scopes": ["rooms:read"]})["key"]
    jo.click("console-leave")
    jo.type("console-key", lesser)
    jo.click("console-enter")
    jo.sees("console-problem", "Which one")
    jo.type("console-app", "1400000009")
    jo.click("console-enter")
    jo.sees("console-problem", "no application of that number")
    jo.type("console-app", "1400000001")
    jo.click("console-enter")
    jo.sees("nav-rooms")
    # The link again, in a tab that is signed in with another key.
    jo.driver.get(server.link)
    jo.sees("console-app")
    jo.click("console-enter")
    jo.sees("nav-keys")
    assert "ovk_" not in address(jo)


@story("R14-W on a phone the console's pages have names, and a report with its sender's name is settled")
def test_on_a_phone(server, people):
    host, guest = (Client(server, ticket(server, name)) for name in ("Hana", "Gil"))
    room = host.call("room.create", name="Late night")["room"]
    guest.call("room.enter", room=room)
    guest.call("message.send", room=room, text="buy coins")
    host.call("report.send", room=room, user=guest.user, cause="spam", words="again and again")
    kim = people("Kim", width=390, height=844)
    kim.driver.get(server.link)
    kim.sees("console-card")
    unnamed = kim.run("""
        return [...document.querySelectorAll('nav .console-link span')]
          .filter(words => words.getBoundingClientRect().width < 20).map(words => words.innerText)
        """)
    assert unnamed == []
    kim.click("nav-reports")
    open_row(kim, "reports-table", "Gil")
    kim.sees("report-detail", "Hana")
    kim.sees("report-evidence", "buy coins")
    kim.click("report-settle")
    kim.type("field-words", "warned")
    kim.click("ask-yes")
    kim.sees("console-empty", "Nothing waits")
    assert asked(server, "GET", "reports?all=true&app=1400000001", server.key)["reports"][0]["settled"]["words"] == "warned"
