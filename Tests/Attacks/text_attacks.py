"""Texts that cost more than they weigh, and those that a mute holds back."""

import contextlib
import itertools
import json
import os
import socket
import struct
import threading
import time

from tools import operator, pace, together, upgraded

from client import Client, Refused, ticket

MARKS = "\u0345\u0327\u0301"
SECONDS = 20


class Caller:
    """A signed-in socket that sends whole frames as they are, as fast as it is told to, and counts the answers by their names."""

    def __init__(self, target, name):
        self.account = ticket(target, name)
        self.line = upgraded(target)
        self.numbers = itertools.count(1)
        self.answers = {}
        self.sent = 0
        self.known = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()
        self.call("session.open", {"version": 1, "app": self.account["app"], "user": self.account["user"], "ticket": self.account["ticket"],
                                   "name": self.account["name"]})
        # Before that a frame is smaller.
        with self.known:
            assert self.known.wait_for(lambda: self.answers, 20)

    def send(self, members):
        """`members` stand in the call beside its id."""
        content = f'{{"jsonrpc":"2.0","id":{next(self.numbers)},{members}}}'.encode()
        length = b"\xff" + struct.pack(">Q", len(content)) if len(content) > 65_535 else b"\xfe" + struct.pack(">H", len(content))
        if len(content) < 126:
            length = bytes([0x80 | len(content)])
        self.line.sendall(b"\x81" + length + bytes(4) + content)
        self.sent += 1

    def call(self, method, params):
        self.send(f'"method":"{method}","params":{json.dumps(params)}')

    def _read(self):
        stream = self.line.makefile("rb")
        with contextlib.suppress(OSError, struct.error):
            while head := stream.read(2):
                kind, length = head
                length = struct.unpack(">H", stream.read(2))[0] if length == 126 else struct.unpack(">Q", stream.read(8))[0] if length == 127 else length
                content = stream.read(length)
                if kind & 15 != 1:
                    if kind & 15 == 8:
                        return
                    continue
                answer = json.loads(content)
                if "method" in answer:
                    continue
                name = answer["error"]["data"]["name"] if "error" in answer else "result"
                with self.known:
                    self.answers[name] = self.answers.get(name, 0) + 1
                    self.known.notify_all()

    def settled(self):
        """Until each call has its answer."""
        with self.known:
            assert self.known.wait_for(lambda: sum(self.answers.values()) >= self.sent, 30), (self.sent, self.answers)
        self.line.close()
        return self.answers


def marks(target):
    """Runs of 126,000 marks in 40 offers of 250 KB, and 60 KB of them in 300 other calls, by a guest in somebody's room; then the same over
    the allowance."""
    os.nice(19)
    host = Client(target, ticket(target, "Marked host"))
    room = host.call("room.create", name="Marks", seats=2)["room"]
    run = "a" + MARKS * 42_000
    short = "a" + MARKS * 10_000
    forms = [
        f'"method":"attributes.set","params":{{"room":{room},"set":{{"{short}":"x"}}}}',
        f'"method":"room.list","params":{{"query":"{short}"}}', f'"method":"room.list","params":{{"tag":"{short}"}}',
        f'"method":"room.list","params":{{"kind":"{short}"}}', f'"method":"{short}","params":{{}}',
        f'"method":"clock.read","params":{{}},"{short}":1', f'"method":"message.send","params":{{"room":{room},"text":"{short}"}}',
        '"method":"clock.read","params":{"' + "".join(f"\\u{ord(mark):04x}" for mark in MARKS) * 3_000 + '":1}']
    guest = Caller(target, "Marker")
    guest.call("room.enter", {"room": room})
    for _ in range(40):
        # What an allowance of bytes lets through, and what it does not.
        guest.send(f'"method":"media.offer","params":{{"room":{room},"number":1,"sdp":"v=0","lines":{{"{run}":"microphone"}}}}')
        time.sleep(0.25)
    for number in range(300):
        guest.send(forms[number % len(forms)])
        time.sleep(0.06)
    answers = guest.settled()
    assert answers["result"] == 2 and set(answers) <= {"result", "too_many_marks", "rate_limited"}, answers
    assert answers["too_many_marks"] >= 60, answers
    flooder = Caller(target, "Flooding marker")
    with contextlib.suppress(OSError):
        for number in range(1_000):
            flooder.send(forms[number % len(forms)])
    flooder.line.close()
    host.close()


def headers(target):
    """Marks of 15 KB in a header, an address and a body, 25 requests a second, of a stranger."""
    run = ("a" + MARKS * 2_500).encode()
    percent = b"a" + "".join(f"%{byte:02X}" for byte in MARKS.encode()).encode() * 800
    forms = [
        b"GET / HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: " + run, b"GET /v1/config HTTP/1.1\r\nHost: localhost\r\nCookie: " + run,
        b"GET /v1/songs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer 1:" + run, b"GET /r/" + percent + b" HTTP/1.1\r\nHost: localhost",
        b"GET /v1/rooms?" + percent + b"=1 HTTP/1.1\r\nHost: localhost"]
    for number in range(25 * SECONDS):
        with socket.create_connection(("127.0.0.1", target.port), 20) as line:
            line.sendall(forms[number % len(forms)] + b"\r\nConnection: close\r\n\r\n")
            answer = line.recv(200)
        assert answer.startswith(b"HTTP/1.1 400 "), answer
        time.sleep(1 / 25)


def wide(target):
    """Four people, 38 calls a second each, with 60 KB of characters that become eighteen: names, messages, attributes, searches."""
    # What the noise itself takes of the processors is not the server's doing.
    os.nice(19)
    text = "\ufdfa" * 20_000
    host = Client(target, ticket(target, "Wide host"))
    room = host.call("room.create", name="Wide", seats=2)["room"]

    calls = [f'"method":"{method}","params":{{{params}}}' for method, params in (
        ("room.update", f'"room":{room},"name":"{text}"'), ("message.send", f'"room":{room},"text":"{text}"'),
        ("attributes.set", f'"room":{room},"set":{{"a":"{text}"}}'), ("room.list", f'"query":"{text}"'))]

    def ask(number):
        """Who is cut off comes back."""
        person, answers, until = None, {}, time.monotonic() + SECONDS
        for turn in range(38 * SECONDS):
            if time.monotonic() > until:
                break
            try:
                if person is None:
                    person = Caller(target, f"Wide {number} {turn}")
                    person.call("room.enter", {"room": room})
                person.send(calls[turn % 4])
            except OSError:
                person = None
            if person:
                answers |= person.answers
            time.sleep(1 / 38)
        # Too long, or too much of it.
        assert {"result", "rate_limited"} <= set(answers) and "internal" not in answers, answers

    together([lambda number=number: ask(number) for number in range(4)])
    host.close()


def muted(target):
    """Somebody whom the host keeps from writing, and somebody whom the operator does, write into everything that others read."""
    word = "Xylograph"
    host = Client(target, ticket(target, "Muting host"))
    room = host.call("room.create", name="Muted", seats=4)["room"]
    people = [Client(target, ticket(target, f"Muted {number}")) for number in range(2)]
    people[0].call("room.enter", room=room)
    own = people[1].call("room.create", name="Own", seats=2, kind="chorus")["room"]
    host.call("restriction.set", room=room, user=people[0].user, kind="chat_mute", seconds=600)
    status, answer = operator(target, "PUT", f"/v1/users/{people[1].user}/restrictions/chat_mute", {"seconds": 600, "reason": "too loud"})
    assert status == 200, answer

    def tries(person, calls):
        passed = []
        for turn in range(30):
            for method, params in calls:
                try:
                    pace(person, method, **params)
                    passed.append((turn, method, sorted(params)))
                except Refused as refusal:
                    if refusal.name not in ("chat_muted", "permission_denied", "rate_limited", "too_frequent", "seat_not_found"):
                        passed.append((turn, method, refusal.name))
        assert not passed, passed

    of_room = [
        ("message.send", {"room": room, "text": word}), ("message.send", {"room": room, "command": "a", "message": f'{{"a":"{word}"}}'}),
        ("invitation.send", {"room": room, "user": host.user, "command": "a", "words": word}),
        ("invitation.send", {"room": room, "user": host.user, "command": "a", "content": word})]
    everywhere = [
        ("message.send", {"room": own, "text": word}), ("room.update", {"room": own, "name": word}), ("room.update", {"room": own, "tags": [word]}),
        ("attributes.set", {"room": own, "set": {"a": word}}), ("attributes.set", {"room": own, "set": {word: "a"}}),
        ("profile.set", {"bio": word}), ("profile.set", {"name": word}), ("signal.send", {"user": host.user, "text": word}),
        ("song.start", {"room": own, "song": {"id": "a", "title": word, "durationMs": 60_000, "accompaniment": "/a.mp3"}}),
        ("restriction.set", {"room": own, "user": host.user, "kind": "ban", "reason": word})]
    together([lambda: tries(people[0], of_room), lambda: tries(people[1], everywhere)])
    entered = json.dumps(host.call("room.enter", room=room)) + json.dumps([*host.events, *host.notes.queue])
    assert word not in entered
    status, answer = operator(target, "GET", f"/v1/rooms/{own}", None)
    assert status == 200 and word not in json.dumps(answer), answer
    for person in [host, *people]:
        person.close()
