"""The ways in for text from outside, and texts that can cost more than they weigh.

`DOORS` are functions of a house that give a function of a text: it brings the text in, waits for the answer, and gives its name.
`Tests/House/test_outside_text.py` says which reader stands behind which door, and fails where a reader has none.
"""

import base64
import contextlib
import dataclasses
import hashlib
import hmac
import itertools
import json
import socket
import threading
import time
import urllib.parse
import urllib.request
import zlib

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import http2

MARKS = "\u0345\u0327\u0301"
FLAG = "\U0001f1e6"
# What is repeated. Marks and flags without end are refused; thirty marks on each letter and 64 flags in a row are not.
UNITS = {
    "marks": MARKS, "flags": FLAG, "letters of 30 marks": "a" + MARKS * 10, "rows of 64 flags": FLAG * 128 + "a", "wide characters": "\ufdfa",
    "letters": "a", "marks beside what is unseen": "a" + MARKS * 10 + "\u00ad", "colons": ":", "names with paths": "a.b/",
    "escaped marks": "".join(f"\\u{ord(mark):04x}" for mark in MARKS), "escaped quotation marks": r"\\\""}
ESCAPED = {"escaped marks", "escaped quotation marks"}
NESTED = "nested lists"
KINDS = [*UNITS, NESTED]
# Refused before it was read: nothing was measured.
TOO_SOON = {"rate_limited", "too_frequent", "slow_mode", "RequestLimitExceeded"}
# Refused at the door: who stands outside costs little, and the reader behind the door was not measured.
KEPT_OUT = {"not_in_room", "not_signed_in"}
# Whoever comes back as often as they may has another entry after this time, in seconds.
NEXT_ENTRY = 0.5
ANSWER_SECONDS = 240

DOORS = {}


@dataclasses.dataclass(frozen=True)
class Door:
    name: str
    # As much as it takes at once, in bytes.
    limit: int
    # How a text stands there: "json" (any value), "json key", "percent" (of an address), "plain".
    notation: str
    # A context that gives the function.
    open: object
    # What is counted in each run; the other kinds at night.
    always: tuple = ("marks",)
    # Of the server that speaks HTTP/2.
    is_streamed: bool = False

    def kinds(self):
        escapes = self.notation.startswith("json")
        return [kind for kind in KINDS if (escapes or kind not in ESCAPED) and (self.notation == "json" or kind != NESTED)]

    def text(self, kind, size):
        """Of that size, or a unit less."""
        if kind == NESTED:
            return "[" * (size // 2) + "]" * (size // 2) if size else '""'
        unit = urllib.parse.quote(UNITS[kind]) if self.notation == "percent" else UNITS[kind]
        text = unit * (size // len(unit.encode()))
        return f'"{text}"' if self.notation.startswith("json") else text


def prepared(send):
    """What has to stand before something is sent is not measured; most needs nothing."""
    if not hasattr(send, "prepare"):
        send.prepare = lambda: None
    return send


def door(name, limit, notation, always=("marks",), is_streamed=False):
    def add(function):
        DOORS[name] = Door(name, limit, notation, contextlib.contextmanager(function), always, is_streamed)
        return function

    return add


class House:
    """A server with a room, a key for programs, and the room's owner, who is an admin of the compatible API and comes in by all doors."""

    def __init__(self, server, secure, app, key, admin):
        """`secure` starts another server, which speaks TLS. `key` as the command gives it: `id`, `key`, `secret`. `admin` is somebody's `user` and `ticket`."""
        self.server, self._secure, self.app, self.admin = server, secure, app, admin
        self.key, self.key_id, self.secret = key["key"], key["id"], key["secret"]
        self.numbers = itertools.count(1)
        self.made("/v1/rooms", {"room": 4711, "name": "Doors", "seats": 2, "owner": admin["user"]})
        # Whoever runs a room may write links there: this one is another's.
        self.made("/v1/rooms", {"room": 4712, "name": "Without links", "seats": 2, "owner": "keeper"})
        assert self.rest("PATCH /v1/rooms/4712", '{"noLinks":true}') == "200"

    @property
    def secure(self):
        return self._secure()

    # Frames.

    def socket(self):
        return connect(f"ws://localhost:{self.server.port}/v1/connect", subprotocols=["ovation.v1"], origin=self.server.url, compression=None,
                       max_size=None, open_timeout=ANSWER_SECONDS, ping_interval=None)

    def sign_in(self, line):
        opening = {"version": 1, "app": self.app, **self.admin, "name": "Doors"}
        assert self.say(line, f'"method":"session.open","params":{json.dumps(opening)}') == "result"

    def enter(self, line, room):
        """As soon as the server lets somebody in who comes and goes so often."""
        ends = time.monotonic() + ANSWER_SECONDS
        while (answer := self.say(line, f'"method":"room.enter","params":{{"room":{room}}}')) == "rate_limited" and time.monotonic() < ends:
            time.sleep(NEXT_ENTRY)
        assert answer == "result", f"room {room} lets nobody in: {answer}"

    def say(self, line, members):
        """One call; gives the name of its refusal, `result`, or how the connection ended."""
        number = next(self.numbers)
        try:
            line.send(f'{{"jsonrpc":"2.0","id":{number},{members}}}')
            while True:
                message = json.loads(line.recv(ANSWER_SECONDS))
                if "method" not in message and message.get("id") in (number, None):
                    return message["error"]["data"]["name"] if "error" in message else "result"
        except ConnectionClosed as end:
            return f"closed {end.rcvd.code if end.rcvd else ''}"

    # Requests.

    def ask(self, head, body=None, more=()):
        """One request; gives its status with the name of the refusal, or how the connection ended."""
        lines = [f"{head} HTTP/1.1", "Host: localhost", "Connection: close", *more]
        if body is not None:
            lines.append(f"Content-Length: {len(body.encode())}")
        answer = b""
        with socket.create_connection(("localhost", self.server.port), ANSWER_SECONDS) as line:
            # Who is refused for its size is told so while it still sends.
            with contextlib.suppress(OSError):
                line.sendall("\r\n".join([*lines, "", body or ""]).encode())
            with contextlib.suppress(ConnectionResetError):
                while more := line.recv(65_536):
                    answer += more
        if not answer:
            return "closed"
        content = answer.partition(b"\r\n\r\n")[2]
        found = [name for name in TOO_SOON if name.encode() in content]
        return found[0] if found else answer[9:12].decode()

    def rest(self, head, body=None, *more):
        return self.ask(head, body, [f"Authorization: Bearer {self.key}", "Content-Type: application/json", *more])

    def made(self, path, body):
        request = urllib.request.Request(self.server.url + path, json.dumps(body).encode(), {
            "Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
            return json.load(answer)

    @property
    def bearer(self):
        return f"Authorization: Bearer {self.app}:{self.admin['user']}:{self.admin['ticket']}"


# Frames. Each has a connection that is opened anew after it was closed, or had to wait.

def frames(members, signed_in=True, room=4711):
    """`members` is what stands in a call beside its id."""

    def opened(house):
        line = None

        def prepare():
            nonlocal line
            if line is None:
                line = house.socket()
                if signed_in:
                    house.sign_in(line)
                    house.enter(line, room)

        def send(text):
            nonlocal line
            name = house.say(line, members(house, text))
            assert not signed_in or name not in KEPT_OUT, name
            # The server hangs up on what is no JSON, behind its answer.
            if name in TOO_SOON or name == "parse_error" or name.startswith("closed"):
                line.close()
                line = None
            return name

        send.prepare = prepare
        try:
            yield send
        finally:
            if line:
                line.close()

    return opened


def call(method, params):
    return frames(lambda house, text: f'"method":"{method}","params":{{{params(text)}}}')


FRAME = 64_000
door("frame: a message", FRAME, "json")(call("message.send", lambda text: f'"room":4711,"text":{text}'))
door("frame: a message where links are refused", FRAME, "json", ("marks beside what is unseen", "colons", "names with paths"))(
    frames(lambda house, text: f'"method":"message.send","params":{{"room":4712,"text":"[{text[1:] if text[0] == chr(34) else text}}}', room=4712))
door("frame: an app's message", FRAME, "json")(call("message.send", lambda text: f'"room":4711,"command":"a","message":{text}'))
door("frame: a room's name", FRAME, "json")(call("room.update", lambda text: f'"room":4711,"name":{text}'))
door("frame: a search", FRAME, "json")(call("room.list", lambda text: f'"query":{text}'))
door("frame: a cursor", FRAME, "json")(call("room.list", lambda text: f'"cursor":{text}'))
door("frame: a link", FRAME, "json")(call("room.update", lambda text: f'"room":4711,"cover":{text}'))
door("frame: an attribute's name", FRAME, "json key")(call("attributes.set", lambda text: f'"room":4711,"set":{{{text}:"x"}}'))
door("frame: lines of an offer", 250_000, "json key")(
    call("media.offer", lambda text: f'"room":4711,"number":1,"sdp":"v=0","lines":{{{text}:"microphone"}}'))
door("frame: an offer", 250_000, "json")(call("media.offer", lambda text: f'"room":4711,"number":1,"sdp":{text}'))
door("frame: a member nobody knows", FRAME, "json key")(frames(lambda house, text: f'"method":"clock.read","params":{{}},{text}:1'))
door("frame: a method", FRAME, "json")(frames(lambda house, text: f'"method":{text},"params":{{}}'))
door("frame: before signing in", 8_000, "json key")(frames(lambda house, text: f'"method":"clock.read","params":{{{text}:1}}', signed_in=False))


def inflated(house, text):
    """A ticket of somebody who has no key."""
    fields = f'{{"TLS.ver":"2.0","TLS.identifier":"doors","TLS.sdkappid":{house.app},"TLS.expire":9,"TLS.time":9,"TLS.sig":"","x":{text}}}'
    packed = base64.b64encode(zlib.compress(fields.encode())).decode().translate(str.maketrans("+/=", "*-_"))
    return f'"method":"session.open","params":{{"version":1,"app":{house.app},"user":"doors","ticket":"{packed}","name":"Doors"}}'


door("a ticket", 8_000, "json")(frames(inflated, signed_in=False))


# Heads of requests.

def requests(ask):
    def opened(house):
        def send(text):
            return ask(house, text)

        yield prepared(send)

    return opened


HEAD = 32_000
door("head: a header", HEAD, "plain")(requests(lambda house, text: house.ask("GET /", more=[f'If-None-Match: "{text}"'])))
door("head: a header with parameters", HEAD, "plain")(
    requests(lambda house, text: house.ask("POST /v1/tickets", "{}", [f"Content-Type: application/json; x={text}"])))
door("head: a page", HEAD, "percent")(requests(lambda house, text: house.ask(f"GET /assets/x/{text}")))
door("head: a room's link", HEAD, "percent")(requests(lambda house, text: house.ask(f"GET /r/{text}")))
door("head: a query", HEAD, "percent")(requests(lambda house, text: house.rest(f"GET /v1/rooms?query={text}")))
door("head: a cursor", HEAD, "percent")(requests(lambda house, text: house.rest(f"GET /v1/audit?cursor={text}")))
door("head: an id", HEAD, "percent")(requests(lambda house, text: house.rest(f"GET /v1/users/{text}")))
door("head: an idempotency key", HEAD, "plain")(
    requests(lambda house, text: house.rest("PATCH /v1/rooms/4711", '{"name":"Doors"}', f"Idempotency-Key: {text}")))


# Heads of streams. Those that are malformed end alone; a connection that was idle for too long is opened anew.

def stream(name, limit, fields):
    """`fields` of a text stand in a head instead of a GET's own, or beside them."""

    def opened(house):
        line = None

        def prepare():
            nonlocal line
            if line and line.ask(http2.GET.items())[0] == "answer":
                return
            if line:
                line.close()
            line = http2.Raw(house.secure, ANSWER_SECONDS)
            end, what = line.ask(http2.GET.items())
            assert end == "answer", f"a new connection is {end}: {what}"

        def send(text):
            given = fields(text)
            usual = [pair for pair in http2.GET.items() if pair[0] not in dict(given)]
            # Those with a colon come first.
            end, what = line.ask(sorted([*usual, *given], key=lambda pair: pair[0][0] != ":"))
            return f"{end} {what}"

        send.prepare = prepare
        try:
            yield send
        finally:
            if line:
                line.close()

    door(f"stream: {name}", limit, "plain", is_streamed=True)(opened)


stream("a method", HEAD, lambda text: [(":method", text)])
stream("a field's name", HEAD, lambda text: [(f"x-{text}", "1")])
stream("a field's value", HEAD, lambda text: [("if-none-match", f'"{text}"')])
stream("lengths that differ", HEAD // 2, lambda text: [("content-length", f"1{text}"), ("content-length", f"2{text}")])
stream("codings that a client takes", HEAD, lambda text: [("te", text)])


# Bodies of requests.

BODY = 64_000
door("body: a guest's name", 16_000, "json")(
    requests(lambda house, text: house.ask("POST /v1/tickets", f'{{"name":{text}}}', ["Content-Type: application/json"])))
door("body: a room's name", BODY, "json")(requests(lambda house, text: house.rest("PATCH /v1/rooms/4711", f'{{"name":{text}}}')))
door("body: words to filter", BODY, "json")(requests(lambda house, text: house.rest("POST /v1/words", f'{{"remove":[{text}]}}')))
door("body: a member nobody knows", BODY, "json key")(requests(lambda house, text: house.rest("PATCH /v1/rooms/4711", f'{{"name":"x",{text}:1}}')))


@door("body: a compatible message", BODY, "json")
def compatible_message(house):
    query = urllib.parse.urlencode({"sdkappid": house.app, "identifier": house.admin["user"], "usersig": house.admin["ticket"], "random": 1, "contenttype": "json"})

    def send(text):
        element = f'{{"MsgType":"TIMTextElem","MsgContent":{{"Text":{text}}}}}'
        return house.ask(f"POST /v4/group_open_http_svc/send_group_msg?{query}", f'{{"GroupId":"4711","Random":1,"MsgBody":[{element}]}}')

    yield prepared(send)


@door("body: a compatible action", BODY, "json key")
def compatible_action(house):
    def code(key, text):
        return hmac.new(key, text.encode(), hashlib.sha256).digest()

    def send(text):
        body = f'{{"SdkAppId":{house.app},"RoomId":1,{text}:1}}'
        now = int(time.time())
        day = time.strftime("%Y-%m-%d", time.gmtime(now))
        asked = "\n".join(["POST", "/", "", "content-type:application/json", "host:localhost", "", "content-type;host",
                           hashlib.sha256(body.encode()).hexdigest()])
        scope = f"{day}/trtc/tc3_request"
        signed = "\n".join(["TC3-HMAC-SHA256", str(now), scope, hashlib.sha256(asked.encode()).hexdigest()])
        key = code(code(code(f"TC3{house.secret}".encode(), day), "trtc"), "tc3_request")
        return house.ask("POST /", body, [
            "X-TC-Action: DismissRoom", "X-TC-Version: 2019-07-22", f"X-TC-Timestamp: {now}", "Content-Type: application/json",
            f"Authorization: TC3-HMAC-SHA256 Credential={house.key_id}/{scope}, SignedHeaders=content-type;host, Signature={code(key, signed).hex()}"])

    yield prepared(send)


door("body: an offer", BODY, "plain")(
    requests(lambda house, text: house.ask("POST /v1/whip/4711", f"v=0\r\ns={text}\r\n", [house.bearer, "Content-Type: application/sdp"])))


# Forms.

def form(house, part):
    return house.ask("POST /v1/songs", f"--edge\r\n{part}\r\n--edge--\r\n", [house.bearer, "Content-Type: multipart/form-data; boundary=edge"])


door("form: a field", 1_000, "plain")(requests(lambda house, text: form(house, f"Content-Disposition: form-data; name=title\r\n\r\n{text}")))
door("form: the words of a song", 250_000, "plain")(
    requests(lambda house, text: form(house, f"Content-Disposition: form-data; name=lyrics\r\n\r\n[00:01.00]{text}")))
door("form: a file's name", 4_000, "plain")(
    requests(lambda house, text: form(house, f'Content-Disposition: form-data; name=audio; filename="{text}"\r\n\r\nx')))
door("form: a file's name with escapes", 4_000, "percent")(
    requests(lambda house, text: form(house, f"Content-Disposition: form-data; name=audio; filename*=UTF-8''{text}\r\n\r\nx")))


# Answers to the server.

class Reviewer:
    """Allows each message in the words that a test gives it."""

    def __init__(self):
        self.body, self.header = '{"decision":"allow"}', ""
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}/"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                line, _ = self.listening.accept()
                threading.Thread(target=self.answer, args=(line,), daemon=True).start()

    def answer(self, line):
        with contextlib.suppress(OSError), line:
            asked = b""
            while b"\r\n\r\n" not in asked:
                asked += line.recv(65_536)
            head, _, body = asked.partition(b"\r\n\r\n")
            length = next(int(field.split(b":")[1]) for field in head.split(b"\r\n") if field.lower().startswith(b"content-length"))
            while len(body) < length:
                body += line.recv(65_536)
            content = self.body.encode()
            line.sendall(f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {len(content)}\r\n{self.header}\r\n".encode() + content)


def reviews(set_answer):
    def opened(house):
        reviewer = Reviewer()
        hook = house.made("/v1/webhooks", {"url": reviewer.url, "use": "review", "fallback": "refuse"})["id"]
        say = contextlib.contextmanager(call("message.send", lambda text: f'"room":4711,"text":"hello"'))
        try:
            with say(house) as message:

                def send(text):
                    set_answer(reviewer, text)
                    return message("")

                send.prepare = message.prepare
                yield send
        finally:
            house.rest(f"DELETE /v1/webhooks/{hook}")
            reviewer.listening.close()

    return opened


door("answer: a reviewed message", BODY, "json")(
    reviews(lambda reviewer, text: setattr(reviewer, "body", f'{{"decision":"allow","text":{text}}}')))
door("answer: a member nobody knows", BODY, "json key")(
    reviews(lambda reviewer, text: setattr(reviewer, "body", f'{{"decision":"allow",{text}:1}}')))
door("answer: a header", HEAD, "plain")(reviews(lambda reviewer, text: setattr(reviewer, "header", f"Retry-After: {text}\r\n")))
