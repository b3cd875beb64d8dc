"""How long a text may be: the manual's table, asked for one byte more than it says."""

import contextlib
import json
import re

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from client import Client, Gone, Refused, ticket
from server import ROOT
from story import story

MANUAL = (ROOT / "Documentation/build/protocol.md").read_text()
ROOM = 4711
GUEST, SONG = "guest-of-this-room", {"id": "a", "title": "A", "durationMs": 60_000, "accompaniment": "/a.mp3"}
# What each call needs beside the text.
CALLS = {
    "session.open": {"version": 1, "client": {}}, "profile.set": {}, "room.create": {"name": "A"}, "room.update": {"room": ROOM},
    "attributes.set": {"room": ROOM, "replace": True}, "message.send": {"room": ROOM, "text": "a"}, "signal.send": {"user": GUEST, "text": "a"},
    "invitation.send": {"room": ROOM, "user": GUEST, "command": "a"}, "invitation.reject": {"room": ROOM, "id": "a"},
    "pk.challenge": {"room": ROOM, "other": 4712, "terms": {"seconds": 60, "forfeitSeconds": 60}},
    "restriction.set": {"room": ROOM, "user": GUEST, "kind": "chat_mute", "seconds": 1}, "report.send": {"room": ROOM, "user": GUEST, "cause": "spam"},
    "song.start": {"room": ROOM, "song": SONG}, "room.list": {}, "media.offer": {"room": ROOM, "number": 1, "sdp": "v=0"}, "still.set": {"room": ROOM},
    "session.renew": {}, "room.enter": {"room": ROOM}, "room.get": {}, "profile.get": {}, "seat.take": {"room": ROOM, "seat": 0}, "room.members": {"room": ROOM},
    "role.set": {"room": ROOM, "role": "admin"}, "line.test": {}, "gift.send": {"room": ROOM, "gift": "rose"}}
# Rows without a call of their own, by calls that have such a parameter.
ANYWHERE = {
    "*.user": ["role.set.user", "restriction.set.user"], "*.users.[]": ["profile.get.users.[]"], "*.to": ["gift.send.to"], "*.room": ["room.enter.room"],
    "*.rooms.[]": ["room.get.rooms.[]"], "*.other": ["pk.challenge.other"], "*.id": ["invitation.reject.id"], "*.gift": ["gift.send.gift"],
    "*.kind": ["restriction.set.kind"], "*.role": ["role.set.role"], "*.cause": ["report.send.cause"], "*.key": ["message.send.key", "seat.take.key"],
    "*.ticket": ["session.open.ticket", "session.renew.ticket"], "*.resume": ["session.open.resume"],
    "*.privateMapKey": ["room.create.privateMapKey", "room.enter.privateMapKey"], "*.cursor": ["room.list.cursor", "room.members.cursor"],
    "*.sdp": ["media.offer.sdp", "line.test.sdp"]}
# Counted in characters too: the fullest has the largest ones.
WIDE = {"personName", "personBio", "roomName", "attributeValue", "messageText", "messageContent", "invitationWords", "forfeit", "restrictionReason",
        "reportWords", "songTitle", "songArtist", "rejectionReason", "search"}
ADDRESSES = {"pictureAddress", "songFile"}
# So many bytes pass; the others' texts are nothing that there is.
PASS = WIDE | ADDRESSES | {"attributeName", "messageCommand", "invitationCommand", "invitationContent", "clientID", "idempotencyKey", "clientName"}
# An app's message counts with its command, which has one byte here.
BESIDE = {"messageContent": 1}
NAMES = {"invalid_params", "message_too_large", "user_id_invalid", "room_id_invalid", "ticket_failed", "room_key_failed", "gift_unknown"}


def rows():
    """Kind, place and bytes of the manual's table."""
    section = MANUAL.split("\n## 10. Texts\n")[1].split("\n## ")[0]
    for line in section.splitlines():
        if line.startswith("| `"):
            kind, places, *_, limit = (cell.strip() for cell in line.strip("|").split("|"))
            for place in re.findall(r"`([^`]+)`", places):
                if not place.startswith("POST "):
                    yield kind.strip("`"), place, int(limit.replace(",", ""))


def text(kind, size):
    if kind in WIDE:
        return "\U00020000" * (size // 4) + "a" * (size % 4)
    return ("/" if kind in ADDRESSES else "") + "a" * (size - (kind in ADDRESSES))


def params(method, path, value):
    """Those of the call, with the value where `path` says."""
    whole = {name: dict(given) if isinstance(given, dict) else given for name, given in CALLS[method].items()}
    if path[0] in ("command", "message"):
        whole.pop("text", None)
        whole.setdefault("command", "a")
        if method.startswith(("message.", "signal.")):
            whole.setdefault("message", "a")
    inner = whole
    for step, following in zip(path, path[1:]):
        if following == "[]":
            inner[step] = [value]
            return whole
        if following == "*":
            inner[step] = {"a": value}
            return whole
        if following == "{}":
            # What has a text there is no number to which something is added.
            inner[step] = {value.upper(): 1} if step == "add" else {value: "camera" if step == "lines" else "a"}
            return whole
        inner = inner.setdefault(step, {})
    inner[path[-1]] = value
    return whole


def open_line(server):
    return connect(server.url.replace("http", "ws", 1) + "/v1/connect", subprotocols=["ovation.v1"], origin=server.url, compression=None, max_size=None)


class Asker:
    """Says one call after another, and signs in anew where the server has hung up."""

    def __init__(self, server):
        self.server, self.host, self.founder = server, None, None

    def error(self, method, given):
        """Of the answer; nothing if it was taken, and `{}` if the connection was closed over it."""
        try:
            if method == "session.open":
                account = ticket(self.server, "Comer")
                given = {"app": account["app"], "user": account["user"], "ticket": account["ticket"], "name": "Comer", **given}
                with open_line(self.server) as line:
                    line.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": given}))
                    return json.loads(line.recv(20)).get("error")
            if method == "room.create":
                self.founder = self.founder or Client(self.server, ticket(self.server, "Founder"))
                made = self.founder.patiently(method, **given)
                self.founder.call("room.exit", room=made["room"])
                return None
            if self.host is None:
                self.host = Client(self.server, ticket(self.server, "Host"))
                # Patiently: coming in is a change too, and the calls before have used the allowance.
                with contextlib.suppress(Refused):
                    self.host.patiently("room.create", room=ROOM, name="Sizes", seats=2)
                self.host.patiently("room.enter", room=ROOM)
            self.host.patiently(method, **given)
            return None
        except Refused as refusal:
            return {"data": {"name": refusal.name, "field": refusal.field}}
        except (Gone, ConnectionClosed):
            self.host = None
            return {}


def is_for_size(error, path):
    found, field = (error or {}).get("data", {}), ".".join(step for step in path if step.isalpha())
    return found.get("name") == "message_too_large" or found.get("name") == "invalid_params" and found.get("field") in (field, path[-1])


@story("R05-S each text of the manual's table may be as long as it says, and one byte more is refused")
def test_sizes(server):
    asker, wrong = Asker(server), []
    for kind, row, limit in rows():
        for place in ANYWHERE.get(row, [row]):
            # What REST alone takes has its own tests.
            if place.startswith("*.") or " " in place:
                continue
            method, path = ".".join(place.split(".")[:2]), place.split(".")[2:]
            more = asker.error(method, params(method, path, text(kind, limit + 1)))
            if more is None or kind in PASS and not is_for_size(more, path) or more and more["data"]["name"] not in NAMES:
                wrong.append(f"{place} with {limit + 1} bytes: {more}")
            if kind in PASS and is_for_size(full := asker.error(method, params(method, path, text(kind, limit - BESIDE.get(kind, 0)))), path):
                wrong.append(f"{place} with {limit} bytes: {full}")
    assert not wrong, "\n".join(wrong)
