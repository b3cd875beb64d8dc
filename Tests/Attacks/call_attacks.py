"""Attacks by calls and frames on the signalling socket."""

import asyncio
import contextlib
import json
import os
import random
import struct
import time

import websockets.asyncio.client
from tools import pace, pipeline, send_text, signed, together, upgraded

from client import Client, Refused, post, ticket


def unenterable(target):
    """A room full of what is longest after escaping; then somebody enters it, and comes back with an old point."""
    host = Client(target, ticket(target, "Filler"))
    room = host.call("room.create", name="Full", seats=2)["room"]
    heavy = "\x07" * 10_600
    escaped = '"' * 12_288
    for number in range(60):
        with contextlib.suppress(Refused):
            pace(host, "message.send", room=room, text=heavy if number % 2 else escaped)
    guests = [Client(target, ticket(target, f"Inviter {number}")) for number in range(6)]
    for guest in guests:
        guest.call("room.enter", room=room)
        for number in range(30):
            with contextlib.suppress(Refused):
                pace(guest, "invitation.send", room=room, user=host.user, command="C", content=f"{number}" + '"' * 3_900)
    for since in (None, {"epoch": 1, "seq": 1, "chat": 1}):
        late = Client(target, ticket(target, f"Late {since is None}"))
        entered = late.call("room.enter", room=room, **({"since": since} if since else {}))
        assert entered["snapshot"]["messages"] if "snapshot" in entered else entered["events"] is not None
        late.close()
    for person in [host, *guests]:
        person.close()


def ghosts(target):
    """Exits and entries in one breath, two hundred times, by as many people as may do that; nobody is left behind."""
    host = Client(target, ticket(target, "Ghost host"))
    room = host.call("room.create", name="Ghosts", seats=4)["room"]
    for number in range(20):
        ghost = Client(target, signed(target, f"ghost-{number}"))
        pace(ghost, "room.enter", room=room)
        for _ in range(10):
            pipeline(ghost, [("seat.take", {"room": room, "seat": 1}), ("room.exit", {"room": room}), ("room.enter", {"room": room})])
            # Three calls a time stay under the 40 a second of a connection: what is refused would leave nothing behind.
            time.sleep(0.08)
        with contextlib.suppress(Refused):
            ghost.call("room.exit", room=room)
        ghost.close()
    host.call("room.exit", room=room)
    seats = host.call("room.enter", room=room)["snapshot"]["seats"]
    assert all("user" not in seat for seat in seats), seats
    host.close()


# A small server and a small machine take fewer.
LISTENERS = int(os.environ.get("OVATION_ATTACK_LISTENERS", "1000"))


async def listener(target, room, number, heard, entered):
    account = signed(target, f"listener-{number}")
    async with websockets.asyncio.client.connect(
            target.url.replace("http", "ws", 1) + "/v1/connect", subprotocols=["ovation.v1"], origin=target.url, compression=None, max_size=None) as line:
        opening = {"version": 1, "app": account["app"], "user": account["user"], "ticket": account["ticket"]}
        for call, (method, params) in enumerate([("session.open", opening), ("room.enter", {"room": room})]):
            await line.send(json.dumps({"jsonrpc": "2.0", "id": call, "method": method, "params": params}))
            while (answer := json.loads(await line.recv())).get("id") != call:
                pass
            assert "error" not in answer, answer
        entered.append(number)
        async for text in line:
            heard[0] += text.count('"seat.taken"')


async def seated(target, room, seconds):
    """What a thousand people hear while somebody takes and leaves a seat, by as many calls as a connection may make."""
    heard, entered = [0], []
    listening = []

    async def all_are_in():
        # Looked at twenty times a second, since nothing tells when all are in. Nobody waits for one who was refused.
        while len(entered) < len(listening):
            for task in listening:
                if task.done():
                    task.result()
            # No listener tells that it is in; nothing is judged by how long this takes.
            await asyncio.sleep(0.05)

    # Fifty at a time.
    for number in range(LISTENERS):
        listening.append(asyncio.create_task(listener(target, room, number, heard, entered)))
        if number % 50 == 49:
            await all_are_in()
    await all_are_in()
    account = signed(target, "restless")
    person = await asyncio.to_thread(Client, target, account)
    await asyncio.to_thread(lambda: person.call("room.enter", room=room))

    def change():
        ends = time.monotonic() + seconds
        taken = 0
        while time.monotonic() < ends:
            for method, params in (("seat.take", {"seat": 1}), ("seat.leave", {})):
                with contextlib.suppress(Refused):
                    person.call(method, room=room, **params)
                    taken += method == "seat.take"
                # Below the 40 calls a second of a connection, whose refusal would hide that of changes.
                time.sleep(1 / 38)
        return taken

    taken = await asyncio.to_thread(change)
    # What was told last is on its way to a thousand listeners.
    await asyncio.sleep(1)
    for task in listening:
        task.cancel()
    await asyncio.gather(*listening, return_exceptions=True)
    person.close()
    return taken, heard[0]


def changes(target):
    """A member takes and leaves a seat as fast as a connection lets one, before a thousand listeners."""
    host = Client(target, ticket(target, "Restless host"))
    room = host.call("room.create", name="Restless", seats=4)["room"]
    seconds = 20
    taken, heard = asyncio.run(seated(target, room, seconds))
    # Twenty at once and two a second.
    assert 20 <= taken <= 20 + 2 * seconds + 2, f"{taken} seats were taken"
    # Most hear of most: what comes late is not waited for.
    assert taken * LISTENERS // 2 <= heard <= taken * LISTENERS, (taken, heard)
    host.close()


def pings(target):
    """400,000 pings from four sockets that read nothing."""

    def flood():
        line = upgraded(target)
        frame = b"\x89\xfd" + bytes(4) + bytes(125)
        with contextlib.suppress(OSError):
            for _ in range(1_000):
                line.sendall(frame * 100)
        line.close()

    together([flood] * 4)


def unsigned(target):
    """80 MiB of calls before anybody has signed in, from four sockets."""

    def flood():
        line = upgraded(target)
        text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "clock.read", "params": {"x": "a" * 60_000}}).encode()
        frame = b"\x81\xfe" + struct.pack(">H", len(text)) + bytes(4) + text
        with contextlib.suppress(OSError):
            for _ in range(20 * 1024 * 1024 // len(frame)):
                line.sendall(frame)
        line.close()

    together([flood] * 4)


def unread(target):
    """Six people fill a room with chatter that a seventh asks for and never reads."""
    host = Client(target, ticket(target, "Chatter host"))
    room = host.call("room.create", name="Chatter", seats=2)["room"]
    deaf = upgraded(target)
    account = ticket(target, "Deaf")
    for number, (method, params) in enumerate([
        ("session.open", {"version": 1, "app": account["app"], "user": account["user"], "ticket": account["ticket"], "name": "Deaf"}),
        ("room.enter", {"room": room}),
    ]):
        send_text(deaf, json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
    people = [Client(target, ticket(target, f"Talker {number}")) for number in range(6)]

    def talk(person):
        person.call("room.enter", room=room)
        for number in range(150):
            with contextlib.suppress(Refused):
                pace(person, "message.send", room=room, text=f"{number} " + "x" * 8_000)

    together([lambda person=person: talk(person) for person in people])
    for person in [host, *people]:
        person.close()
    deaf.close()


def renewals(target):
    """3,000 renewals of one ticket on one connection."""
    account = ticket(target, "Renewer")
    person = Client(target, account)
    for _ in range(3_000):
        pace(person, "session.renew", ticket=account["ticket"])
    person.close()


def lists(target):
    """1,680 rooms with as many tags as there may be; then four people list them as fast as they may, for tags and words."""
    owners = [Client(target, ticket(target, f"Owner {number}")) for number in range(84)]

    def fill(owner):
        for number in range(20):
            with contextlib.suppress(Refused):
                room = pace(owner, "room.create", name=f"Room {number} of many", seats=16, tags=[f"tag {number} {n}" for n in range(5)])
                pace(owner, "room.exit", room=room["room"])

    together([lambda owner=owner: fill(owner) for owner in owners])

    def ask(owner):
        for number in range(400):
            with contextlib.suppress(Refused):
                pace(owner, "room.list", limit=100, tag=f"tag {number % 20} 1", query="many")

    together([lambda owner=owner: ask(owner) for owner in owners[:4]])
    for owner in owners:
        owner.close()


def strangers(target):
    """Rooms that do not exist, asked for by the thousand, four people at once."""

    def ask(number):
        person = Client(target, ticket(target, f"Stranger {number}"))
        for _ in range(500):
            with contextlib.suppress(Refused):
                pace(person, "room.enter", room=random.randrange(10_000_000, 99_999_999))
        person.close()

    together([lambda number=number: ask(number) for number in range(4)])


def guests(target):
    """2,000 sign-ins under names that are taken, in every spelling."""
    held = Client(target, ticket(target, "Taken"))
    for number in range(2_000):
        name = "".join(letter.upper() if number >> place & 1 else letter for place, letter in enumerate("taken"))
        status, _ = post(target.url + "/v1/tickets", {"name": name})
        assert status in (409, 429), status
    held.close()
