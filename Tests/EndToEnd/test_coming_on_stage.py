"""Onto the stage of a live room, and the ways back before anybody has seen one."""

import time

from browsers import PATIENCE
from client import Client, ticket
from steps import IN_SIGHT, allow_microphone, sign_in
from story import story
from test_live import asks, go_live


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
    ben.sees("come-on-stage")
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
    ben.sees("asking-sheet", "Your browser will ask for the camera")
    assert "until you go live" not in ben.text("asking-sheet"), "a viewer who comes on stage does not go live"
    ben.click("asking-voice")
    allow_microphone(ben, ben.selector("asking-three"))
    ben.sees("tile-2")
    ben.sees_no("asking-sheet")


# The picture has been decoded, and is no single colour.
SHOWS_SOMEBODY = """
const image = document.querySelector(arguments[0]);
if (!image?.complete || !image.naturalWidth) return null;
const canvas = document.createElement('canvas');
[canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
const context = canvas.getContext('2d');
context.drawImage(image, 0, 0);
const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
const light = data.filter((_, at) => at % 4 === 1);
return Math.max(...light) - Math.min(...light) > 60 ? [canvas.width, canvas.height] : null;
"""


@story("L03-W with a camera the host sees who asks, with their words, until the answer; without one the words alone")
def test_words_and_still(people, server):
    anna, ben = people("Anna"), people("Ben")
    room = go_live(anna, camera=False)
    luc = Client(server, ticket(server, "Luc"))
    luc.call("room.enter", room=int(room))
    sign_in(ben, f"/r/{room}")
    ben.click("come-on-stage")
    ben.click("asking-camera")
    ben.wait("their own picture", "return document.querySelector('[data-testid=asking-with-camera]')?.disabled === false")
    ben.sees("asking-others", "Others see")
    ben.type("asking-words", "I sing <b>alto</b>")
    # A phone on its side shows all of it, the buttons too.
    ben.size(844, 390)
    ben.wait("the buttons", IN_SIGHT, "asking-with-camera")
    ben.size(390, 844)
    ben.wait("the buttons", IN_SIGHT, "asking-with-camera")
    ben.click("asking-with-camera")
    allow_microphone(ben, ben.selector("asking-waiting"))
    anna.sees("request-words", "I sing <b>alto</b>")
    width, height = anna.wait("a still of Ben", SHOWS_SOMEBODY, anna.selector("request-still"))
    assert max(width, height) <= 360
    assert not [one for one in luc.events if "invitation" in one["type"]], "nobody else learns of it"
    ben.click("asking-cancel")
    anna.sees_no("request")
    ben.type("asking-words", "Only talking")
    ben.click("asking-voice")
    anna.sees("request-words", "Only talking")
    anna.sees_no("request-still")
    luc.close()


# Whether the tile named first is far larger than the other.
LARGER = """
const [a, b] = [...arguments].map(id => document.querySelector(`[data-testid=${id}]`)?.getBoundingClientRect());
return !!a && !!b && a.width * a.height > 3 * b.width * b.height;
"""
ALIKE = """
const [a, b] = ['tile-0', 'tile-1'].map(id => document.querySelector(`[data-testid=${id}]`)?.getBoundingClientRect());
return !!a && !!b && Math.abs(a.width - b.width) < 2;
"""


@story("L03-W a co-host puts one person in the spotlight on everybody's page; a viewer's own choice counts more there")
def test_spotlight(people, server):
    anna, ben, carl = people("Anna"), people("Ben"), people("Carl")
    mina, luc = (Client(server, ticket(server, name)) for name in ("Mina", "Luc"))
    room = mina.call("room.create", name="Two on stage", kind="live", seats=4)["room"]
    luc.call("room.enter", room=room)
    for seat, person in enumerate((mina, luc)):
        person.call("seat.take", room=room, seat=seat)
    for person in (anna, ben):
        sign_in(person, f"/r/{room}")
        person.wait("both alike", ALIKE)
    [co_host] = [one["id"] for one in mina.call("room.members", room=room)["members"] if one["name"] == "Anna"]
    mina.call("role.set", room=room, user=co_host, role="admin")
    anna.click("more")
    anna.click("more-layout")
    for person in (anna, ben):
        person.wait("Mina in the spotlight", LARGER, "tile-0", "tile-1")
    anna.click("seat-1")
    anna.click("person-large-for-all")
    for person in (anna, ben):
        person.wait("Luc in the spotlight", LARGER, "tile-1", "tile-0")
    ben.click("seat-0")
    ben.sees_no("person-large-for-all")
    ben.click("person-large")
    ben.wait("Mina large for Ben", LARGER, "tile-0", "tile-1")
    assert anna.run(LARGER, "tile-1", "tile-0"), "for Ben alone"
    ben.keys("\ue00c")
    ben.wait("Luc large again", LARGER, "tile-1", "tile-0")
    # Who comes later sees it so, and it is over with the seat.
    sign_in(carl, f"/r/{room}")
    carl.wait("Luc in the spotlight", LARGER, "tile-1", "tile-0")
    luc.call("seat.leave", room=room)
    luc.call("seat.take", room=room, seat=1)
    carl.wait("Mina in the spotlight", LARGER, "tile-0", "tile-1")
    anna.click("more")
    anna.click("more-layout")
    for person in (anna, ben, carl):
        person.wait("both alike", ALIKE)
    for person in (mina, luc):
        person.close()
