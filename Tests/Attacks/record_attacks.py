"""What is kept: the trail of operators, reports, news for webhooks, pictures, and what is left of an erased person."""

import base64
import contextlib
import json
import os
import time
import urllib.error
import urllib.request

from tools import operator, pace, together

from client import Client, Refused, ticket

# Of an application, what waits for its webhooks and what was given up.
MOST_WEBHOOK_BYTES = 256 << 20
# 48 by 27 pixels.
PICTURE = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODh"
    "MREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAbADADASIAAhEBAxEB/8QAGQABAQADAQAAAAAAAAAA"
    "AAAABAUAAgMG/8QAGBAAAwEBAAAAAAAAAAAAAAAAAAIEYVH/xAAXAQEBAQEAAAAAAAAAAAAAAAAFBgQH/8QAHREAAgICAwEAAAAAAAAAAAAAAAQBAwIFIoHBMv/aAAwDAQ"
    "ACEQMRAD8A8ckuCElwqJLghJMKfJgwUNktJcNElwvpJhokuAG3Y+O/BxVslpLghJcKiS4ISXADJgdobMSTDukuDkVeCEVeFFldJyKhiQSSYc0kwsoq8NEVeAG3unh34Oqs"
    "SBSXBCSYORV4IRV4AZXSOUMSf//Z")
EXIF = b"\xff\xe1\x00\x1bExif\0\0GPS 52.5163 13.3777"
SCAN = bytes([0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0])


def trail(target):
    """A hundred guests, two in each room, change its attributes five times a second, for a minute, and report each other as often as they may."""
    # What the noise itself takes of the processors is not the server's doing.
    os.nice(19)
    early = Client(target, ticket(target, "Honest host"))
    room = early.call("room.create", name="Honest", seats=2)["room"]
    early.call("room.update", room=room, name="Noted before")
    people = [Client(target, ticket(target, f"Noisy {number}")) for number in range(100)]
    rooms = []
    for host, guest in zip(people[::2], people[1::2]):
        rooms += [host.call("room.create", name="Noise", seats=2)["room"]] * 2
        guest.call("room.enter", room=rooms[-1])
        host.call("role.set", room=rooms[-1], user=guest.user, role="admin")

    def change(number):
        person, began = people[number], time.monotonic()
        for turn in range(300):
            with contextlib.suppress(Refused):
                person.call("attributes.set", room=rooms[number], set={"a": f"{turn}"})
            if turn % 10 == 0:
                with contextlib.suppress(Refused):
                    person.call("report.send", room=rooms[number], user=people[number ^ 1].user, cause="spam", words="x" * 190)
            time.sleep(max(0, began + (turn + 1) / 5 - time.monotonic()))

    began = time.monotonic()
    together([lambda number=number: change(number) for number in range(len(people))])
    # Twenty at once and one in ten seconds, and what else they did.
    most = 20 + (time.monotonic() - began) / 10 + 5
    for person in people[::10]:
        status, answer = operator(target, "GET", f"/v1/audit?user={person.user}&limit=1000")
        assert status == 200 and len(answer["lines"]) <= most, (status, len(answer["lines"]))
        assert "merged" in json.dumps(answer), "what is not listed is counted"
    status, answer = operator(target, "GET", f"/v1/audit?user={early.user}&limit=1000")
    assert "Noted before" in json.dumps(answer), "what others did before is still there"
    status, answer = operator(target, "GET", "/v1/reports?limit=1000")
    assert status == 200 and len(answer["reports"]) <= 100 * 7, len(answer["reports"])
    for person in [early, *people]:
        person.close()


def erasure(target):
    """Somebody writes two hundred texts of all kinds into two rooms while a webhook waits for each, and is erased; then every byte of the
    server's folder is read."""
    word = "Qvz"
    status, hook = operator(target, "POST", "/v1/webhooks", {"url": "http://127.0.0.1:9/", "use": "events", "events": [
        "message", "room.created", "seat.*", "song.*", "gifts.sent", "role.changed", "invitation.*", "restriction.*", "audience.*"]})
    assert status == 201, hook
    host = Client(target, ticket(target, "Erasing host"))
    room = host.call("room.create", name="Erasure", seats=2)["room"]
    mina = Client(target, ticket(target, "Qvz Mina"))
    mina.call("profile.set", bio="Qvz bio", avatar="https://example.org/Qvz.png")
    mina.call("room.enter", room=room)
    for number in range(100):
        pace(mina, "message.send", room=room, text=f"Qvz {number}", key=f"Qvz-{number}")
        with contextlib.suppress(Refused):
            mina.call("invitation.send", room=room, user=host.user, command="Qvz", content=f"Qvz {number}", words="Qvz words")
    mina.call("report.send", room=room, user=host.user, cause="spam", words="Qvz reported")
    host.call("report.send", room=room, user=mina.user, cause="spam", words="look")
    mina.call("room.exit", room=room)
    own = mina.call("room.create", name="Qvz salon", tags=["Qvz"], seats=2)["room"]
    mina.call("attributes.set", room=own, set={"Qvz": "Qvz"})

    def traces():
        found = []
        for path in (target.folder / "data").rglob("*"):
            with contextlib.suppress(FileNotFoundError):
                content = path.read_bytes() if path.is_file() else b""
                place = content.find(word.encode())
                if place >= 0:
                    found.append((path.name, content[max(0, place - 80):place + 40]))
        return found

    assert traces(), "it was written down"
    status, answer = operator(target, "DELETE", f"/v1/users/{mina.user}")
    assert status == 200 and answer["messages"] == 100, answer
    assert not traces(), traces()
    entered = host.call("room.enter", room=room)
    assert word not in json.dumps(entered)
    for path in ("rooms", f"rooms/{room}/messages", "reports?all=true", "audit?limit=1000", f"users/{mina.user}"):
        status, answer = operator(target, "GET", f"/v1/{path}")
        assert status == 200 and word not in json.dumps(answer), path
    assert operator(target, "DELETE", f"/v1/webhooks/{hook['id']}")[0] == 200
    assert not traces(), traces()
    host.close()


def keys(target):
    """Two thousand requests with keys that nobody has, and now and then one with a good key from the same address."""
    wrong, right = [], []
    for number in range(2_000):
        status, _ = operator(target, "GET", "/v1/rooms", key=f"ovk_{number:012}_{'0' * 43}")
        wrong.append(status)
        if number % 10 == 0:
            right.append(operator(target, "GET", "/v1/rooms")[0])
    assert set(wrong) == {401, 429}, set(wrong)
    assert set(right) == {200}, "the honest key from that address is served"


def backlog(target):
    """Twenty webhooks whose receiver is deaf wait for 250,000 news of 4 KB."""
    os.nice(19)
    hooks = []
    for _ in range(20):
        status, hook = operator(target, "POST", "/v1/webhooks", {"url": "http://127.0.0.1:9/", "use": "events", "events": ["attributes.changed"]})
        assert status == 201, hook
        hooks.append(hook["id"])
    people = [Client(target, ticket(target, f"Newsmaker {number}")) for number in range(25)]

    def change(person):
        room = person.call("room.create", name="News", seats=2)["room"]
        for number in range(250_000 // len(hooks) // len(people) + 1):
            pace(person, "attributes.set", room=room, set={"a": f"{number:04}" + "x" * 3_900})

    together([lambda person=person: change(person) for person in people])
    status, answer = operator(target, "GET", "/v1/webhooks")
    ours = [hook for hook in answer["webhooks"] if hook["id"] in hooks]
    told = sum(hook["waiting"] + hook["dead"] + hook["lost"] for hook in ours)
    held = sum(hook["bytes"] for hook in ours)
    print(f"{'':12} {told:,} news, {sum(hook['lost'] for hook in ours):,} of them lost, {held / (1 << 20):.0f} MiB held")
    assert told >= 250_000, told
    assert held <= MOST_WEBHOOK_BYTES, held
    for hook in hooks:
        assert operator(target, "DELETE", f"/v1/webhooks/{hook}")[0] == 200
    for person in people:
        person.close()


def stills(target):
    """Pictures with what their makers did not mean to show, behind the first scan and behind the end; pictures of 1,164 empty scans; by
    twenty hosts."""
    middle = PICTURE[:-2] + EXIF + PICTURE[-2:]
    kinds = [middle, PICTURE + EXIF, PICTURE[:2] + EXIF + PICTURE[2:], PICTURE[:-2] + SCAN * 1_164 + PICTURE[-2:]]
    hosts = [Client(target, ticket(target, f"Painter {number}")) for number in range(20)]

    def paint(host):
        room = host.call("room.create", name="Still", kind="live", seats=2)["room"]
        with contextlib.suppress(Refused):
            host.call("seat.take", room=room, seat=0)
        host.call("camera.set", room=room, on=True)
        for picture in [PICTURE, *kinds]:
            try:
                still = pace(host, "still.set", room=room, picture=base64.b64encode(picture).decode())["still"]
            except Refused as refusal:
                assert picture is not PICTURE and refusal.name in ("invalid_params", "unavailable"), refusal
                continue
            status, served = raw(target, f"/v1/rooms/{room}/still/{still}.jpg")
            assert status == 200 and b"GPS" not in served and b"Exif" not in served and len(served) < 15 << 10, (status, served[:40])

    together([lambda host=host: paint(host) for host in hosts])
    for host in hosts:
        host.close()


def raw(target, path):
    try:
        with urllib.request.urlopen(target.url + path, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read()
