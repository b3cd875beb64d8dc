"""Webhooks, taken by a receiver that verifies them with the library that the specification's authors publish."""

import contextlib
import http.server
import json
import threading
import time

import pytest
from standardwebhooks import Webhook

from client import Client, Refused
from server import Server
from story import story
from test_back_ends import made
from test_command_line import run, wait_for
from test_rest_api import House
from test_tickets import own_application


class Receiver:
    """An HTTP server that keeps what comes. `answer` gives status and body for a request."""

    def __init__(self):
        self.taken, self.bad, self.lock = [], [], threading.Lock()
        self.answer = lambda path, body: (200, {})
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                data = self.rfile.read(int(self.headers["Content-Length"]))
                status, body = receiver.answer(self.path, json.loads(data))
                with receiver.lock:
                    receiver.taken.append((status, self.path, dict(self.headers), data))
                text = json.dumps(body).encode()
                # A server that stops, or has waited long enough, hangs up on an answer under way.
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def url(self, path="/hook"):
        return f"http://127.0.0.1:{self.port}{path}"

    def events(self, secret, path="/hook"):
        """What was taken there, verified."""
        with self.lock:
            taken = [(headers, data) for status, place, headers, data in self.taken if status == 200 and place == path]
        return [Webhook(secret).verify(data, {name.lower(): value for name, value in headers.items()}) for headers, data in taken]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def place(tmp_path):
    """A data folder with an application and a key that may do everything there; people by name."""
    app, key = own_application(tmp_path / "data")
    data = ("--data", str(tmp_path / "data"))
    keys = {"all": made("--name", "all", "--app", app, *[w for s in ("webhooks", "rooms:read", "audit:read") for w in ("--scope", s)], *data)}

    def server(*arguments):
        return Server(tmp_path / "data", "--webhooks-allow-private", "true", *arguments, development=False)

    def person(running, name):
        ticket = run("usersig", "make", "--app", app, "--user", name, key=key)[1].strip()
        return Client(running, {"app": int(app), "user": name, "ticket": ticket, "name": name.title()})

    def house(running):
        return House(running, app, keys, None, None)

    return server, person, house


def types(events):
    return [event["type"] for event in events]


@story("R02-S what happens in a room comes in its order, signed; what a silent receiver missed comes when it is back, also over kill -9")
def test_events(place, receiver):
    start, person, house = place
    with start() as server:
        operator = house(server)
        status, hook = operator.ask("post", "/v1/webhooks", {"url": receiver.url()})
        assert status == 201 and hook["on"] and hook["secret"].startswith("whsec_")
        host, guest = person(server, "host"), person(server, "guest")
        host.call("room.create", name="Salon", room=48213)
        guest.call("room.enter", room=48213)
        guest.call("seat.take", room=48213, seat=1)
        guest.call("message.send", room=48213, text="hello")
        expected = ["room.created", "audience.entered", "audience.entered", "seat.taken", "message"]
        wait_for("five events", lambda: len(receiver.events(hook["secret"])) >= 5)
        events = receiver.events(hook["secret"])
        assert types(events) == expected
        assert all(event["data"]["room"] == 48213 and str(event["data"]["app"]) == operator.app for event in events)
        assert events[0]["data"]["info"]["name"] == "Salon" and events[4]["data"]["text"] == "hello"
        assert "secret" not in operator.ask("get", "/v1/webhooks")[1]["webhooks"][0]

        receiver.answer = lambda path, body: (503, {})
        for number in range(20):
            guest.patiently("message.send", room=48213, text=f"n {number}")
        wait_for("an attempt", lambda: receiver.taken[-1][0] == 503)
        server.kill()
    receiver.answer = lambda path, body: (200, {})
    with start() as server:
        wait_for("all of them", lambda: len(receiver.events(hook["secret"])) >= 25)
        texts = [event["data"]["text"] for event in receiver.events(hook["secret"]) if event["type"] == "message"]
        assert texts == ["hello"] + [f"n {number}" for number in range(20)]
        operator = house(server)
        wait_for("nothing waits", lambda: operator.ask("get", "/v1/webhooks")[1]["webhooks"][0]["waiting"] == 0)


@story("R02-S webhooks are changed, tried and removed by REST; what is wrong with one is told")
def test_managing(place, receiver):
    start, person, house = place
    with start() as server:
        operator = house(server)
        for wrong in ({}, {"url": "ftp://example.org"}, {"url": receiver.url(), "events": ["moon.*"]}, {"url": receiver.url(), "format": "x"},
                      {"url": 5}, {"url": receiver.url(), "use": "x"}):
            assert operator.ask("post", "/v1/webhooks", wrong)[0] == 400, wrong
        _, hook = operator.ask("post", "/v1/webhooks", {"url": receiver.url(), "events": ["message"]})
        place_of = f"/v1/webhooks/{hook['id']}"
        assert operator.ask("post", f"{place_of}/test", {})[1] == {"taken": True}
        receiver.answer = lambda path, body: (500, {})
        assert operator.ask("post", f"{place_of}/test", {})[1] == {"taken": False, "reason": "answered 500"}
        receiver.answer = lambda path, body: (200, {})
        host = person(server, "host")
        host.call("room.create", name="Salon", room=48213)
        host.call("message.send", room=48213, text="one")
        wait_for("the message", lambda: "message" in types(receiver.events(hook["secret"])))
        assert operator.ask("patch", place_of, {"on": False})[1]["reason"] == "switched off"
        host.call("message.send", room=48213, text="two")
        changed = operator.ask("patch", place_of, {"on": True, "url": receiver.url("/other")})[1]
        assert changed["on"] and changed["url"].endswith("/other")
        host.call("message.send", room=48213, text="three")
        wait_for("the third", lambda: receiver.events(hook["secret"], "/other"))
        told = [event for event in receiver.events(hook["secret"], "/other") if event["type"] == "message"]
        assert [event["data"]["text"] for event in told] == ["three"]
        assert operator.ask("delete", place_of) == (200, {})
        for method, rest, body in (("patch", "", {}), ("delete", "", None), ("get", "/dead", None), ("post", "/replay", {}), ("post", "/test", {})):
            status, answer = operator.ask(method, place_of + rest, body)
            assert (status, answer["error"]["name"]) == (404, "not_found"), (method, rest)
    with Server(server.data, development=False) as server:
        operator = house(server)
        _, hook = operator.ask("post", "/v1/webhooks", {"url": receiver.url()})
        tested = operator.ask("post", f"/v1/webhooks/{hook['id']}/test", {})[1]
        assert not tested["taken"] and "private address 127.0.0.1" in tested["reason"]
        assert "addWebhook" in [line["action"] for line in operator.ask("get", "/v1/audit")[1]["lines"]]


@story("G03-S R02-S a reviewer's word counts before anybody reads a message; without an answer the stated fall-back does")
@pytest.mark.parametrize("form", ["standard", "compatible"])
def test_review(place, receiver, form):
    start, person, house = place

    def review(path, body):
        if path.startswith("/silent"):
            time.sleep(4)
            return 200, {}
        if form == "standard":
            text = body["data"]["text"]
            return 200, {"decision": {"bad": "refuse", "spam": "drop"}.get(text, "allow"), "text": text.replace("damn", "d***")}
        text = body["MsgBody"][0]["MsgContent"]["Text"]
        element = {"MsgType": "TIMTextElem", "MsgContent": {"Text": text.replace("damn", "d***")}}
        return 200, {"ActionStatus": "OK", "ErrorInfo": "", "ErrorCode": {"bad": 1, "spam": 2}.get(text, 0), "MsgBody": [element]}

    receiver.answer = review
    with start() as server:
        operator = house(server)
        wanted = {"url": receiver.url(), "use": "review", "fallback": "refuse", "format": form}
        status, hook = operator.ask("post", "/v1/webhooks", wanted)
        assert status == 201 and hook["use"] == "review"
        assert operator.ask("post", "/v1/webhooks", wanted)[0] == 403, "one reviews"
        host, guest = person(server, "host"), person(server, "guest")
        host.call("room.create", name="Salon", room=48213)
        guest.call("room.enter", room=48213)
        assert guest.call("message.send", room=48213, text="oh damn")["chat"] == 1
        with pytest.raises(Refused) as refusal:
            guest.call("message.send", room=48213, text="bad")
        assert (refusal.value.name, refusal.value.code) == ("review_refused", 10016)
        assert "chat" in guest.call("message.send", room=48213, text="spam")
        guest.call("message.send", room=48213, text="fine")
        wait_for("two messages", lambda: len([e for e in host.events if e["type"] == "message"]) == 2)
        assert [e["text"] for e in host.events if e["type"] == "message"] == ["oh d***", "fine"]
        asked = [path for status, path, *_ in receiver.taken]
        with pytest.raises(Refused) as refusal:
            guest.call("signal.send", user="host", text="bad")
        assert refusal.value.name == "review_refused"
        _, path, _, data = receiver.taken[-1]
        question = json.loads(data)
        if form == "compatible":
            assert "CallbackCommand=C2C.CallbackBeforeSendMsg" in path and "GroupId" not in question
            assert (question["To_Account"], question["From_Account"]) == ("host", "guest")
        else:
            assert question["data"]["to"] == "host" and "room" not in question["data"]
        if form == "compatible":
            assert all("CallbackCommand=Group.CallbackBeforeSendMsg" in path and "Sign=" in path for path in asked)
        place_of = f"/v1/webhooks/{hook['id']}"
        operator.ask("patch", place_of, {"url": receiver.url("/silent")})
        with pytest.raises(Refused):
            guest.call("message.send", room=48213, text="nobody looks")
        operator.ask("patch", place_of, {"use": "review", "fallback": "allow"})
        assert guest.call("message.send", room=48213, text="nobody looks")["chat"] == 3


@story("R02-S webhooks are added, listed, switched and removed on the command line of a stopped server, which then tells them")
def test_command_line(place, receiver, tmp_path):
    start, person, _ = place
    data = ("--data", str(tmp_path / "data"))
    app = run("app", "list", *data)[1].split()[0]
    code, out, _ = run("webhook", "add", "--app", app, "--url", receiver.url(), "--event", "room.*", *data)
    hook = dict(line.split() for line in out.splitlines())
    assert code == 0 and hook["secret"].startswith("whsec_")
    assert run("webhook", "add", "--app", app, "--url", "ftp://example.org", *data)[0] == 78
    assert run("webhook", "add", "--app", "999", "--url", receiver.url(), *data)[0] == 78
    assert run("webhook", "add", "--app", app, "--url", receiver.url(), "--event", "message", "--review-else", "allow", *data)[0] == 64
    assert run("webhook", "off", hook["id"], "--app", app, *data)[0] == 0
    listed = run("webhook", "list", "--app", app, *data)[1].rstrip("\n").split("\t")
    assert listed == [hook["id"], "standard", "room.*", "off: switched off", "0", "0", receiver.url()]
    assert run("webhook", "on", hook["id"], "--app", app, *data)[0] == 0
    with start() as server:
        host = person(server, "host")
        host.call("room.create", name="Salon", room=48213)
        host.call("message.send", room=48213, text="not for it")
        host.call("room.destroy", room=48213)
        wait_for("the end", lambda: len(receiver.events(hook["secret"])) >= 2)
        assert types(receiver.events(hook["secret"])) == ["room.created", "room.destroyed"]
    assert run("webhook", "dead", hook["id"], "--app", app, *data)[:2] == (0, "")
    assert run("webhook", "replay", hook["id"], "--app", app, *data)[:2] == (0, "0\n")
    assert run("webhook", "remove", hook["id"], "--app", app, *data)[0] == 0
    assert run("webhook", "remove", hook["id"], "--app", app, *data)[0] == 78
