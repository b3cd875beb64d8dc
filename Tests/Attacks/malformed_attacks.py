"""What is broken on purpose: requests to the REST APIs, calls and frames on sockets, and what a webhook's receiver answers."""

import contextlib
import gzip
import http.client
import json
import os
import random
import socket
import string
import threading
import time

from tools import send_text, together, upgraded

from client import Client, Gone, Refused, ticket

REQUESTS = 500
CALLS = 500
REPLIES = 200
# Between two of one kind. Honest people's delays are measured meanwhile, on the processors on which this runs too.
PAUSE_SECONDS = 0.05

# Values where another one belongs.
ODD = [
    None, True, 0, -1, 1.5, 2**31, 2**53, 2**63, -2**63 - 1, 1e308, "", " ", "\x00", "\ud800", "\u202e", "é" * 500, "x" * 70_000, "9" * 400,
    [], [[]], {}, {"": ""}, [None] * 300, {"a": {"a": {"a": {}}}}, "javascript:alert(1)", "@TGS#", "../../etc/passwd", "' OR 1=1 --"]


def odd(random_):
    return random_.choice(ODD)


def broken_text(random_, value):
    """JSON that is none, or is more than one reader takes."""
    text = json.dumps(value)
    return random_.choice([
        lambda: text[: random_.randrange(len(text) + 1)].encode(),
        lambda: b"[" * 20_000,
        lambda: b'{"a":' * 5_000,
        lambda: text.encode().replace(b'"', b"\xff", 1),
        lambda: text.encode("utf-16"),
        lambda: b"\x00" + text.encode(),
        lambda: text.encode() + b"}",
        lambda: b'{"room":1e99999}',
        lambda: b'{"room":1,"room":"2","\\ud83d":"\\udfff"}',
        lambda: bytes(random_.randrange(256) for _ in range(random_.randrange(400))),
        lambda: b"NaN",
    ])()


def refused(port, raw):
    """Sends what may be no HTTP at all; the server answers or hangs up."""
    with socket.create_connection(("127.0.0.1", port), 10) as line, contextlib.suppress(OSError):
        line.settimeout(5)
        line.sendall(raw)
        line.shutdown(socket.SHUT_WR)
        while line.recv(65_536):
            pass


def requests_to(target, key, random_):
    """To the native API, the compatible calls, and what is no request."""
    paths = [
        ("POST", "/v1/rooms"), ("PATCH", "/v1/rooms/48213"), ("PATCH", "/v1/rooms/48213/attributes"), ("POST", "/v1/rooms/48213/messages"),
        ("PUT", "/v1/rooms/48213/seats/1/user"), ("PUT", "/v1/rooms/48213/restrictions/x/ban"), ("PATCH", "/v1/users/x"),
        ("POST", "/v1/users/x/signals"), ("POST", "/v1/users/x/top-ups"), ("PUT", "/v1/gifts/rose"), ("POST", "/v1/words"), ("POST", "/v1/keys"),
        ("PUT", "/v1/users/x/restrictions/ban"), ("POST", "/v4/group_open_http_svc/send_group_msg"), ("POST", "/v4/openim/sendmsg"),
        ("POST", "/"), ("GET", "/v1/rooms?limit=%00&cursor=%ff"), ("GET", "/v1/audit?cursor=-1&limit=x"), ("GET", "/v1/rooms/%c3%28"),
        ("DELETE", "/v1/rooms/" + "9" * 300), ("GET", "/v1/%2e%2e/%2e%2e/etc/passwd"), ("PUT", "/v1/rooms/~/owner")]
    names = [
        "name", "room", "kind", "seats", "owner", "text", "command", "message", "priority", "set", "add", "remove", "seconds", "reason", "coins", "price",
        "words", "scopes", "GroupId", "MsgBody", "To_Account", "MsgRandom", "RoomId", "UserIds"]
    for number in range(REQUESTS):
        time.sleep(PAUSE_SECONDS)
        method, path = random_.choice(paths)
        body = {random_.choice(names): odd(random_) for _ in range(random_.randrange(6))}
        kind = number % 10
        if kind == 9:
            refused(target.port, random_.choice([
                b"GET /v1/rooms HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n",
                b"POST /v1/rooms HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                b"POST /v1/rooms HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\nContent-Length: 20\r\n\r\n{}",
                b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 5_000 + b"\r\n",
                b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
                b"\x16\x03\x01" + os.urandom(300), os.urandom(1_000), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]))
            continue
        data = broken_text(random_, body) if kind % 2 else json.dumps(body).encode()
        headers = {"Content-Type": random_.choice(["application/json", "text/plain", "application/json; charset=utf-16", ""])}
        if path.startswith("/v1"):
            headers["Authorization"] = f"Bearer {key}" if kind != 8 else f"Bearer {os.urandom(40).hex()}"
            if kind % 3 == 0:
                headers["Idempotency-Key"] = "".join(random_.choices(string.printable[:94], k=random_.choice([1, 64, 500])))
        if path == "/":
            headers |= {"X-TC-Action": "DismissRoom", "X-TC-Version": "2019-07-22", "X-TC-Timestamp": str(odd(random_))[:40].encode("ascii", "ignore").decode(),
                        "Authorization": "TC3-HMAC-SHA256 Credential=x/2026/trtc/tc3_request, SignedHeaders=, Signature=zz"}
        line = http.client.HTTPConnection("127.0.0.1", target.port, timeout=10)
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            line.request(method, path, data, {name: value for name, value in headers.items() if "\n" not in value and "\x00" not in value})
            status = line.getresponse().status
            assert status < 500 or status == 503, (method, path, data[:200], status)
        line.close()


def calls_to(target, random_):
    """Calls whose parameters are odd, and frames that are no calls."""
    methods = {
        "room.create": ["name", "room", "kind", "seats", "cover", "tags"], "room.enter": ["room", "since", "privateMapKey"], "room.list": ["kind", "query", "cursor", "limit"],
        "message.send": ["room", "text", "command", "message", "priority", "id", "key"], "invitation.send": ["room", "user", "command", "content", "timeoutSeconds", "still"],
        "gift.send": ["room", "gift", "count", "to", "key"], "seat.take": ["room", "seat", "key"], "attributes.set": ["room", "set", "add", "remove", "replace"],
        "signal.send": ["user", "text", "command", "message", "id"], "restriction.set": ["room", "user", "kind", "seconds", "everywhere"],
        "media.offer": ["room", "number", "sdp", "lines"], "song.start": ["room", "song", "track", "leadMs"], "still.set": ["room", "picture"],
        "profile.set": ["name", "avatar", "bio"], "report.send": ["room", "user", "cause", "words", "chat"], "pk.challenge": ["room", "other", "terms"],
        "line.test": ["sdp"], "session.renew": ["ticket"], "room.members": ["room", "users", "limit", "cursor"], "no.such": ["a"]}
    person = Client(target, ticket(target, "Odd caller"))
    room = person.call("room.create", name="Odd", seats=2)["room"]
    for number in range(CALLS):
        time.sleep(PAUSE_SECONDS)
        if number % 5 == 4:
            line = upgraded(target)
            with contextlib.suppress(OSError):
                if number % 2:
                    line.sendall(bytes(random_.randrange(256) for _ in range(random_.randrange(2, 300))))
                else:
                    send_text(line, broken_text(random_, {"jsonrpc": "2.0", "id": odd(random_), "method": "session.open", "params": odd(random_)})[:60_000].decode("latin-1"))
                line.settimeout(0.2)
                while line.recv(65_536):
                    pass
            line.close()
            continue
        method = random_.choice(list(methods))
        params = {name: odd(random_) for name in random_.sample(methods[method], random_.randrange(len(methods[method]) + 1))}
        if "room" in methods[method] and number % 3:
            params["room"] = room
        try:
            person.call(method, **params)
        except Refused as refusal:
            assert refusal.name != "internal", (method, params, refusal)
        except Gone:
            person = Client(target, ticket(target, "Odd caller"))
            with contextlib.suppress(Refused):
                person.call("room.enter", room=room)
    person.close()


class OddReceiver:
    """Answers reviews and events with everything but an answer."""

    def __init__(self, random_):
        self.random, self.count = random_, 0
        self.bomb = gzip.compress(b"[" * 50_000_000, 1)[:200_000]
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                line, _ = self.listening.accept()
                threading.Thread(target=self.answer, args=(line,), daemon=True).start()

    def answer(self, line):
        with contextlib.suppress(OSError), line:
            line.settimeout(5)
            line.recv(65_536)
            self.count += 1
            kind = self.count % 14
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
            if kind == 0:
                return
            if kind == 1:
                # Longer than anybody waits.
                for _ in range(25):
                    line.sendall(b"H")
                    time.sleep(0.1)
                return
            line.sendall([
                b"", b"", b"HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", os.urandom(500), head + b"Content-Length: 5\r\n\r\nhello",
                head + b"Content-Length: 9999999999\r\n\r\n" + b" " * 300_000, head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nno\r\n",
                head + b"X-A: b\r\n" * 20_000 + b"\r\n", b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:22/\r\nContent-Length: 0\r\n\r\n",
                head + b"Content-Encoding: gzip\r\n\r\n" + self.bomb,
                head + b"Content-Length: 40000\r\n\r\n" + b"[" * 40_000, head + b"Content-Length: 18\r\n\r\n" + b'{"decision":[1,2]}',
                head + b"Content-Length: 22\r\n\r\n" + b'{"decision":"\xff\xfe\xfd ab"}', head + b"\r\n" + b'{"decision":"allow","text":"' + b"x" * 100_000 + b'"}',
            ][kind])


def replies_of(target, key, random_):
    receiver = OddReceiver(random_)

    def ask(method, path, body):
        line = http.client.HTTPConnection("127.0.0.1", target.port, timeout=20)
        line.request(method, path, json.dumps(body), {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
        answer = line.getresponse()
        return answer.status, json.load(answer)

    url = f"http://127.0.0.1:{receiver.port}/"
    person = Client(target, ticket(target, "Reviewed"))
    room = person.call("room.create", name="Reviewed", seats=2)["room"]
    hooks = []
    for wanted in ({"url": url, "use": "review", "fallback": "refuse"}, {"url": url, "use": "events", "events": ["room.*"]}):
        status, hook = ask("POST", "/v1/webhooks", wanted)
        assert status == 201, hook
        hooks.append(hook["id"])
    while receiver.count < REPLIES:
        with contextlib.suppress(Refused):
            person.call("message.send", room=room, text="look at this")
        with contextlib.suppress(Refused):
            person.call("room.update", room=room, name=f"Reviewed {receiver.count}")
        time.sleep(PAUSE_SECONDS)
    for hook in hooks:
        assert ask("DELETE", f"/v1/webhooks/{hook}", {})[0] == 200
    person.call("message.send", room=room, text="nobody looks")
    person.close()
    receiver.listening.close()


def malformed(target):
    """1,200 broken inputs: 500 requests, 500 calls and frames, 200 answers of a webhook's receiver."""
    seed = int(os.environ.get("SEED", random.randrange(10**6)))
    print(f"malformed: SEED={seed}", flush=True)
    # What the noise itself takes of the processors is not the server's doing.
    os.nice(19)
    key = (target.folder / "key").read_text().strip()
    together([
        lambda: requests_to(target, key, random.Random(seed)), lambda: calls_to(target, random.Random(seed + 1)),
        lambda: replies_of(target, key, random.Random(seed + 2))])
