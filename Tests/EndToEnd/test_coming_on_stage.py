"""Onto the stage of a live room, and the ways back before anybody has seen one."""

import time

from client import Client, ticket
from steps import allow_microphone, sign_in
from story import story
from test_live import asks

PATIENCE = 15


def newest(client, event, past=0):
    """The newest event of that type, once there are more than `past`."""
    deadline = time.monotonic() + PATIENCE
    while len(found := [one for one in client.events if one["type"] == event]) <= past:
        assert time.monotonic() < deadline, f"no {event}: {client.events[-3:]}"
        time.sleep(0.02)
    return found[-1]


def stage(server, people):
    """Mina's live room with Mina on stage, and Ben before it."""
    mina = Client(server, ticket(server, "Mina"))
    room = mina.call("room.create", name="Open stage", kind="live", seats=4, needsRequest=True)["room"]
    mina.call("seat.take", room=room, seat=0)
    ben = people("Ben")
    sign_in(ben, f"/r/{room}")
    ben.sees("hand")
    return mina, room, ben


def accepts(mina, room, past=0):
    asked = newest(mina, "invitation.received", past)
    mina.call("invitation.accept", room=room, id=asked["invitation"]["id"])


@story("L03-W “Not now” while the figures run: nobody comes on stage, and one may ask again")
def test_not_now(people, server):
    mina, room, ben = stage(server, people)
    asks(ben)
    accepts(mina, room)
    ben.sees("asking-three")
    ben.click("asking-not-now")
    ben.sees_no("asking-three")
    ben.sees("asking-voice")
    assert not [one for one in mina.events if one["type"] == "seat.taken" and one["seat"] == 1]
    ben.click("asking-voice")
    accepts(mina, room, past=1)
    ben.sees("asking-three")
    ben.sees("tile-1")
    ben.sees_no("asking-sheet")


@story("L03-W a yes waits for who has closed the sheet: back in it, the figures run")
def test_called(people, server):
    mina, room, ben = stage(server, people)
    asks(ben)
    ben.click("sheet-close")
    accepts(mina, room)
    ben.sees("called", "You can come on stage")
    ben.click("called-come")
    ben.sees("asking-three")
    ben.sees("tile-1")
    ben.sees_no("called")


@story("L03-W who is invited sees themselves first, too, and comes with voice alone")
def test_invited(people, server):
    mina, room, ben = stage(server, people)
    user = ben.run("return JSON.parse(Object.values(sessionStorage).find(v => v.includes('ticket'))).user")
    mina.call("invitation.send", room=room, user=user, command="seat.invite", content="2")
    ben.sees("invitation", "Mina")
    ben.click("invitation-accept")
    ben.sees("asking-sheet")
    ben.click("asking-voice")
    allow_microphone(ben, ben.selector("asking-three"))
    ben.sees("tile-2")
    ben.sees_no("asking-sheet")
