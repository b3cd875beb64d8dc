"""Takes the pictures under Documentation/images: lobby, green room, salon and live room at 390 and 1280 px, dark and light. Cameras show
a drawn person in a room (scene.py).

Run by `make screenshots`. Look at each one before it is committed."""

import contextlib
import pathlib
import tempfile

import scene
from browsers import Chromium
from client import Client, Refused, ticket
from server import ROOT, Server
from steps import go_in, live, sign_in, speaking, start_room
from test_live import go_live, sees_picture
from test_pk import invite

IMAGES = ROOT / "Documentation/images"
SIZES = {"phone": (390, 844), "desktop": (1280, 800)}
PEOPLE = ["Mina Park", "João Silva", "서연", "Amara Okafor", "李明", "Luc", "Sofia Rossi"]
LINES = [
    ("서연", "안녕하세요! 오늘도 왔어요"), ("Luc", "Salut tout le monde"), ("Mina Park", "Who has a story about a first concert?"),
    ("Amara Okafor", "Mine was in the rain, and the power went out after two songs."), ("李明", "我也是！后来大家一起清唱"),
    ("João Silva", "That is the best kind of concert."),
]
ROOMS = [
    ("Late night stories", ["stories", "calm"]), ("재즈 한 잔", ["jazz", "music"]),
    ("Swift on servers: ask anything", ["swift", "tech"]), ("早晨读书会", ["books"]), ("Piano practice, company welcome", ["music"]),
]


def camera(folder, who):
    """What makes Chromium's camera show that person."""
    return (f"--use-file-for-fake-video-capture={scene.write(who, pathlib.Path(folder) / f'{who}.y4m')}",)


def crowd(server):
    """People by protocol alone: enough life for a picture."""
    people = {name: Client(server, ticket(server, name)) for name in PEOPLE}
    for name, (title, tags) in zip(PEOPLE[2:], ROOMS[1:]):
        people[name].call("room.create", name=title, seats=8, tags=tags)
    return people


def shoot(person, name):
    for size, (width, height) in SIZES.items():
        for scheme in ("dark", "light"):
            person.size(width, height, scale=2 if size == "phone" else 1)
            person.scheme(scheme)
            person.run_async("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 400)))")
            person.screenshot(IMAGES / f"{name}-{size}-{scheme}.png")


def main():
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Server(pathlib.Path(folder) / "data") as server:
        others = crowd(server)
        title, tags = ROOMS[0]
        host = others["Mina Park"]
        room = host.call("room.create", name=title, seats=8, tags=tags, needsRequest=True)["room"]
        host.call("seat.take", room=room, seat=0)
        for seat, name in ((1, "João Silva"),):
            others[name].call("room.enter", room=room)
            host.call("seat.pick", room=room, seat=seat, user=others[name].user)
        me = Chromium("Nora", server, pathlib.Path(folder) / "me", tone_hertz=440, moving=True, flags=camera(folder, "nora"))
        sign_in(me)
        me.sees("room-card", title)
        shoot(me, "lobby")
        me.size(*SIZES["desktop"])
        me.open(f"/r/{room}")
        me.sees("enter-room")
        shoot(me, "green-room")
        me.size(*SIZES["desktop"])
        go_in(me)
        host.call("seat.pick", room=room, seat=2, user=me_id(me))
        # Whoever is brought on stage decides about the own microphone.
        me.click("banner-action")
        live(me)
        for name in ("서연", "Amara Okafor", "李明", "Luc"):
            leave_own(others[name])
            others[name].call("room.enter", room=room)
        for seat, name in ((3, "서연"), (5, "Amara Okafor")):
            host.call("seat.pick", room=room, seat=seat, user=others[name].user)
        host.call("seat.close", room=room, seat=7, closed=True)
        host.call("seat.mute", room=room, seat=3, muted=True)
        for name, text in LINES:
            others[name].call("message.send", room=room, text=text)
        for _ in range(3):
            others["Luc"].call("like.send", room=room, count=41)
        speaking(me, 2)
        me.sees("likes", "123")
        shoot(me, "salon")
        me.size(*SIZES["desktop"])
        me.click("back")
        me.click("ask-yes")
        live_room(me, others)
        leo = Chromium("Leo", server, pathlib.Path(folder) / "leo", tone_hertz=700, moving=True, flags=camera(folder, "leo"))
        two_rooms(me, leo, others)
        leo.close()
        me.close()


def live_room(me, others):
    """Before going live, alone on the stage, and with somebody who came to it with a camera of their own."""
    start_room(me)
    me.click("create-kind-live")
    me.click("prepare-camera")
    sees_picture(me, "prepare-video")
    shoot(me, "prepare")
    me.size(*SIZES["desktop"])
    me.type("create-name", "Kitchen concert")
    me.click("create-submit")
    sees_picture(me, "picture-0")
    room = int(me.run("return location.pathname.slice(3)"))
    for name in ("서연", "Luc", "李明"):
        for entered in others[name].call("room.list")["rooms"]:
            with contextlib.suppress(Refused):
                others[name].call("room.exit", room=entered["room"])
        others[name].call("room.enter", room=room)
    for name, text in LINES:
        with contextlib.suppress(Refused):
            others[name].call("message.send", room=room, text=text)
    me.sees("chat-text", "我也是")
    me.wait("the countdown's end", "return !document.querySelector('[data-testid=going-live]:not([hidden])')")
    shoot(me, "live")
    me.size(*SIZES["desktop"])
    others["Luc"].call("invitation.send", room=room, user=me_id(me), command="seat.ask")
    me.click("accept")
    others["Luc"].call("seat.take", room=room, seat=1)
    me.sees("tile-1", "camera is off")
    shoot(me, "live-two")


def two_rooms(me, leo, others):
    """Who can be invited, what the other host sees of it, and both side by side."""
    others["Luc"].call("seat.leave", room=int(me.run("return location.pathname.slice(3)")))
    room = go_live(leo, "Leo cooks")
    sees_picture(leo, "picture-0")
    me.size(*SIZES["desktop"])
    me.click("pk")
    me.sees("rival", "Leo")
    shoot(me, "pk-invite")
    me.size(*SIZES["desktop"])
    me.click("sheet-close")
    invite(me, room)
    leo.click("pk-accept")
    sees_picture(me, "picture-guest-0")
    me.wait("the clock", "return document.querySelector('[data-testid=pk-three]')?.hidden === true")
    # On a server with gifts they are the points.
    for number, (name, gift) in enumerate((("Luc", "heart"), ("서연", "rose"))):
        others[name].call("wallet.faucet", key=f"coins-for-points-{number}")
        others[name].call("gift.send", room=int(me.run("return location.pathname.slice(3)")), gift=gift, to=me_id(me), count=3, key=f"gift-for-points-{number}")
    me.sees("pk-ours", "18")
    shoot(me, "pk")


def me_id(person):
    return person.run("return JSON.parse(Object.values(sessionStorage).find((v) => v.includes('ticket'))).user")


def leave_own(client):
    """Out of the room that the person made for the lobby's picture; it stays, without its owner."""
    for room in client.call("room.list")["rooms"]:
        if room["owner"]["id"] == client.user:
            client.call("room.exit", room=room["room"])


if __name__ == "__main__":
    main()
    print("\n".join(sorted(str(p.relative_to(ROOT)) for p in IMAGES.glob("*.png"))))
