"""Can every page be read: one walk through the app with people in it, at a phone's and a desktop's size, dark and light, the main pages
in Korean and Chinese too. The console's pages are in `test_console.py`."""

import os
import pathlib

import pytest

from browsers import Chromium
from client import Client, ticket
from legibility import DESKTOP, DOUBLE, NORMAL, PHONE, SMALL, Reader
from server import Server
from screens import leave_own
from sound import music
from steps import go_in, live, start_room
from test_live import sees_picture
from story import story

# The web app's word for an invitation that asks for a seat.
REQUEST = "seat.ask"
PEOPLE = ["Mina Park", "João Silva", "서연", "李明", "Amara Okafor", "Luc"]


def crowd(server):
    """People in the lobby with rooms of their own: a name of one line, of two, of another script."""
    people = {name: Client(server, ticket(server, name)) for name in PEOPLE}
    for name, title, tags in (("Mina Park", "Late night stories", ["stories", "calm"]), ("서연", "재즈 한 잔과 함께하는 저녁", ["jazz"]),
                              ("João Silva", "Swift on servers: ask anything, however small it may be", ["swift", "tech"])):
        people[name].call("room.create", name=title, seats=8, tags=tags,
                          cover="covers/stage.svg" if name == "서연" else "", needsRequest=True)
    return people


def walk(server, folder):
    """Through the whole app as somebody would go, looking around on each page."""
    others = crowd(server)
    room = others["Mina Park"].call("room.list", query="Late")["rooms"][0]["room"]
    me = Chromium("Nora", server, folder / "profile", tone_hertz=440)
    pictures = os.environ.get("OVATION_PICTURES")
    reader = Reader(me, pathlib.Path(pictures) if pictures else None)
    both = (NORMAL, DOUBLE)
    me.open("/")
    me.sees("sign-in-name")
    reader.look("sign-in", letters=both, translated=True)
    me.click("choose-face")
    me.sees("faces-sheet")
    reader.look("faces", letters=both)
    me.click("sheet-close")
    me.sees_no("faces-sheet")
    me.type("sign-in-name", me.name)
    me.click("sign-in-submit")
    me.sees("room-card", "Late night stories")
    reader.look("lobby", letters=both, translated=True)
    start_room(me)
    me.sees("create-sheet")
    reader.look("create sheet", letters=both)
    me.click("sheet-close")
    me.open(f"/r/{room}")
    me.sees("enter-room")
    reader.look("green room", letters=both)
    me.click("green-effects")
    me.sees("effects-sheet")
    reader.look("voice sheet", letters=both)
    me.click("sheet-close")
    go_in(me)
    populate(me, others, room)
    # The list of requests opened by itself.
    me.sees("request-tray")
    reader.look("requests", letters=both)
    me.click("hand")
    me.sees_no("request-tray")
    reader.look("salon", letters=both, translated=True)
    me.click("effects")
    me.click("effects-music")
    song = music(folder / "A song whose name is longer than its line.wav", (440, 440, 5))
    me.driver.find_element("css selector", me.selector("music-file")).send_keys(str(song))
    me.sees('[data-testid="music-piece"][data-status="ended"]')
    reader.look("music sheet", letters=both, translated=True)
    me.click("sheet-close")
    me.click("show-id")
    me.sees("id-sheet")
    reader.look("id sheet", sizes=(PHONE,), translated=True)
    me.click("sheet-close")
    me.size(*PHONE)
    me.click("toggle-chat")
    reader.look("chat", sizes=(PHONE,), letters=both)
    me.size(*DESKTOP)
    me.click("back")
    me.click("ask-yes")
    me.sees("lobby")
    others["João Silva"].call("room.exit", room=room)
    duet(me, others["João Silva"], reader)
    live_room(me, others, reader, room)
    me.open("/r/9zzzzzzz")
    me.sees("message-page")
    reader.look("no such room")
    complaints = me.complaints()
    me.close()
    for client in others.values():
        client.close()
    assert not complaints, complaints
    return reader


def duet(me, other, reader):
    """A room for two: before a song, the questions and sheets, and in the middle of a line."""
    both = (NORMAL, DOUBLE)
    room = other.call("room.create", kind="chorus", name="Two voices", seats=2)["room"]
    other.call("seat.take", room=room, seat=0)
    me.open(f"/r/{room}")
    go_in(me)
    me.sees("no-song")
    reader.look("duet, before a song", letters=both)
    me.click("seat-1")
    me.sees("headphones-sheet")
    reader.look("headphones sheet", letters=both, translated=True)
    me.click("headphones-yes")
    me.click("choose-song")
    me.sees("song")
    reader.look("songs", letters=both)
    me.click("upload-song")
    me.sees("upload-sheet")
    reader.look("upload sheet", letters=both)
    me.click('[data-testid="upload-sheet"] [data-testid="sheet-close"]')
    me.click('[data-testid="song"][data-song="harbour-lights"]')
    me.sees("song-bar")
    me.click("song-pause")
    # The middle of "leaves".
    other.call("song.seek", room=room, positionMs=7_900)
    me.sees('[data-testid="word"][data-state="now"]', "leaves")
    reader.look("duet", letters=both)
    other.call("duet.mode", room=room, mode="leadFollow")
    me.sees("leading")
    reader.look("duet, following a leader", letters=both)


def live_room(me, others, reader, salon):
    """Before going live, alone on the stage with a picture, with somebody without one, as a viewer, and the choice of quality."""
    both = (NORMAL, DOUBLE)
    me.click("back")
    me.click("ask-yes")
    me.sees("lobby")
    start_room(me)
    me.click("create-kind-live")
    me.sees("prepare-camera")
    reader.look("before going live", letters=both)
    me.click("prepare-camera")
    sees_picture(me, "prepare-video")
    reader.look("before going live, with a picture", letters=both)
    me.type("create-name", "Morning live")
    me.click("create-submit")
    sees_picture(me, "picture-0")
    # Figures that change while they are measured.
    me.sees_no("going-live")
    room = int(me.run("return location.pathname.slice(3)"))
    host = me.run("return JSON.parse(Object.values(sessionStorage).find((v) => v.includes('ticket'))).user")
    for name in ("Luc", "Amara Okafor"):
        others[name].call("room.exit", room=salon)
        others[name].call("room.enter", room=room)
        others[name].call("message.send", room=room, text=f"안녕하세요, this is {name}")
    others["Luc"].call("invitation.send", room=room, user=host, command=REQUEST)
    me.sees("request-tray")
    reader.look("live, asked", letters=both)
    me.click("accept")
    others["Luc"].call("seat.take", room=room, seat=1)
    me.sees("tile-1", "camera is off")
    reader.look("live, two on stage", letters=both, translated=True)
    me.click("more")
    me.click("more-quality")
    me.sees("quality-sheet")
    reader.look("quality", letters=both)
    me.click("sheet-close")
    me.click("more")
    me.click("more-beauty")
    me.click("beauty-on")
    sees_picture(me, "beauty-video")
    me.sees("beauty-compare")
    reader.look("beauty", letters=both)
    me.click("beauty-on")
    me.click("sheet-close")
    me.click("more")
    me.click("more-sending")
    reader.look("what is sent", letters=both)
    me.click("sending-upright")
    me.click("sheet-close")
    others["Luc"].call("seat.leave", room=room)
    me.size(*PHONE)
    me.wait("the chat over the picture", "return document.querySelector('.salon').matches('[data-over]')")
    reader.look("live, over the picture", letters=both, sizes=(PHONE,))
    me.size(*DESKTOP)
    others["Amara Okafor"].call("room.exit", room=room)
    me.click("camera")
    me.sees("tile-0", "Your camera is off")
    reader.look("live, camera off", sizes=(PHONE,))
    me.size(*DESKTOP)
    me.click("back")
    me.click("ask-yes")
    me.sees("lobby")
    before_the_stage(me, Client(me.server, ticket(me.server, "Inês")), reader)


def before_the_stage(me, host, reader):
    """What one sees of oneself before the host has said yes, while one waits, and where the yes came after the sheet was closed."""
    both = (NORMAL, DOUBLE)
    room = host.call("room.create", name="Open stage", kind="live", seats=4, needsRequest=True)["room"]
    host.call("seat.take", room=room, seat=0)
    me.open(f"/r/{room}")
    me.click("come-on-stage")
    me.sees("asking-voice")
    reader.look("before the stage", letters=both)
    me.click("asking-camera")
    me.sees("asking-others")
    reader.look("before the stage, with a picture", letters=both)
    me.click("asking-with-camera")
    me.sees("asking-waiting")
    reader.look("before the stage, waiting", letters=both)
    me.click("asking-cancel")
    me.click("sheet-close")
    host.call("room.destroy", room=room)
    me.open("/")
    me.sees("lobby")


def populate(me, others, room):
    """Every kind of seat, lines of chat, people in the audience, one who asks for a seat, and me with a microphone."""
    host = others["Mina Park"]
    user = me.run("return JSON.parse(Object.values(sessionStorage).find((v) => v.includes('ticket'))).user")
    host.call("role.set", room=room, user=user, role="admin")
    for name, client in others.items():
        if client is not host:
            leave_own(client)
            client.call("room.enter", room=room)
        client.call("message.send", room=room, text=f"안녕하세요, this is {name}")
    host.call("seat.take", room=room, seat=0)
    for seat, name in ((1, "João Silva"), (3, "서연")):
        host.call("seat.pick", room=room, seat=seat, user=others[name].user)
    host.call("seat.mute", room=room, seat=3, muted=True)
    host.call("seat.close", room=room, seat=7, closed=True)
    others["Luc"].call("invitation.send", room=room, user=host.user, command=REQUEST)
    others["Amara Okafor"].call("like.send", room=room, count=41)
    host.call("seat.pick", room=room, seat=2, user=user)
    me.click("banner-action")
    live(me)
    me.sees("chat-text", "this is Luc")
    me.sees("request-badge", "1")


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What one walk found."""
    folder = tmp_path_factory.mktemp("legibility")
    with Server(folder / "data") as server:
        return walk(server, folder)


@story("R07-W every word stands out from what is behind it by 4.5 to 1, large words, signs and outlines of fields by 3 to 1")
def test_contrast(seen):
    assert not seen.faint, "\n".join(seen.faint)


@story("R07-W no word is cut off without an ellipsis, nor runs out of its shape, also with text of twice the size")
def test_nothing_cut(seen):
    assert not seen.cut, "\n".join(seen.cut)


@story("R07-W axe finds nothing serious or critical on any page")
def test_axe(seen):
    assert not seen.broken, "\n".join(seen.broken)


@story("R07-W on a phone what is pressed is as large as a finger, on every page")
def test_large(seen):
    assert not seen.small, "\n".join(seen.small)


@story("R07-W what is too small for a finger is found below the fold, beyond the edge of a table and under something else too, and the page stays where it was")
def test_finds_small(people):
    anna = people("Anna", width=390, height=844)
    anna.open("/")
    anna.sees("sign-in-name")
    assert not anna.run(SMALL)
    anna.run("""
        const page = document.createElement('div'), wide = document.createElement('div'), table = document.createElement('div');
        Object.assign(page.style, { position: 'fixed', inset: 0, overflow: 'auto', background: 'white' });
        Object.assign(wide.style, { inlineSize: '1500px', blockSize: '3000px', position: 'relative' });
        Object.assign(table.style, { overflow: 'auto' });
        const button = (name, left, top, size, under) => {
          for (const id of under ? [name, `${name}-over`] : [name]) {
            const part = document.createElement(id === name ? 'button' : 'div');
            part.dataset.testid = id;
            Object.assign(part.style, { position: 'absolute', left, top, inlineSize: size, blockSize: size, padding: 0, border: 0, minBlockSize: 0 });
            wide.append(part);
          }
        };
        button('first', '8px', '8px', '44px');
        button('low', '8px', '2500px', '20px');
        button('right', '1300px', '8px', '20px');
        button('under', '8px', '1500px', '44px', true);
        button('far', '1300px', '2500px', '44px');
        table.append(wide);
        page.append(table);
        document.body.replaceChildren(page);
        page.scrollTop = 100;
        return true""")
    assert anna.run(SMALL) == ["low", "right", "under (covered)"]
    assert anna.run("return document.body.firstElementChild.scrollTop") == 100
