"""Walks through the app in engines that are not Chromium's: WebKitGTK, the nearest thing to Safari here, and Firefox."""

import contextlib
import os
import pathlib

import pytest

from client import Client, ticket
from conftest import ARTIFACTS
from steps import create_salon, go_in, microphone_is, reads, say, shows_empty, sign_in, sit
from story import nightly, story
from test_beauty import NO_WORD_OF_FRAMES
from test_console import keys  # noqa: F401
from test_console import sign_in as sign_in_to_console
from test_live import sees_picture
from webkit import BROKEN_PEER, WebKit, missing

pytestmark = nightly
needs_webkit = pytest.mark.skipif(missing() is not None, reason=missing() or "")

# What reaches over the right edge of the page, for an eye to find it.
TOO_WIDE = """
const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth <= width) return [];
return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > width + 1)
  .map(e => `${e.tagName}.${e.className} ${Math.round(e.getBoundingClientRect().right)} of ${width}`).slice(0, 5);
"""


# Keeps what the page does upon a headset's key or a lock screen's button, to press them.
KEEP_KEYS = """
const session = navigator.mediaSession, set = session.setActionHandler.bind(session);
window.__keys = {};
session.setActionHandler = (name, handler) => { window.__keys[name] = handler; set(name, handler); };
"""


class Walk:
    """Looks at each page that somebody comes through: nothing too wide, nothing in the console. With OVATION_PICTURES, keeps a picture."""

    def __init__(self, person, name):
        self.person = person
        self.name = name
        self.pages = 0
        self.faults = []

    def look(self, page):
        self.pages += 1
        self.faults += [f"{page}: {fault}" for fault in self.person.run(TOO_WIDE)]
        if folder := os.environ.get("OVATION_PICTURES"):
            # What was drawn last is what a picture of the window shows.
            self.person.run_async("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 400)))")
            self.person.screenshot(pathlib.Path(folder) / f"{self.name}-{self.pages:02}-{page}.png")

    def end(self, least):
        assert not self.faults and not self.person.complaints(), self.faults + self.person.complaints()
        assert self.pages >= least


@pytest.fixture
def webkit(request, server, tmp_path):
    """`webkit(name, …)` opens a window of WebKitGTK."""
    with contextlib.ExitStack() as windows:
        count = iter(range(9))
        opened = []

        def arrive(name, **look):
            opened.append(windows.enter_context(contextlib.closing(WebKit(name, server, tmp_path / f"webkit-{next(count)}", **look))))
            return opened[-1]

        yield arrive
        if getattr(request.node, "report_call", None) is not None and request.node.report_call.failed:
            for person in opened:
                person.screenshot(ARTIFACTS / f"{request.function.__name__}-{person.name}.png")
                print(f"--- console of {person.name}\n" + "\n".join(person.console()))


def press(person, *names):
    """The first of these that is to be seen: pages have one for each size."""
    shown = person.wait(f"one of {names}", """
        return arguments[0].find(name => [...document.querySelectorAll(`[data-testid="${name}"]`)].some(e => e.getBoundingClientRect().width > 0))
        """, list(names))
    person.click(shown)


def start_room(person, kind):
    press(person, "create-room", "create-room-floating", "create-room-empty")
    person.click(f"create-kind-{kind}")


def write(person, text):
    """On a phone the chat is a sheet that has to be opened."""
    if person.run("return getComputedStyle(document.querySelector('[data-testid=chat-input]')).visibility === 'hidden'"):
        person.click("toggle-chat")
    person.type("chat-input", text)
    person.click("chat-send")
    reads(person, text)


def close_sheets(person):
    person.run("for (const sheet of [...document.querySelectorAll('dialog[open]')].reverse()) sheet.querySelector('[data-testid=sheet-close]')?.click()")
    person.sees_no("dialog[open]")


def leave(person):
    """By the menu, which every size has, and the question that it asks of who is heard."""
    person.click("more")
    person.click("more-leave")
    person.click("ask-yes")
    person.sees("lobby")


def walk_through_rooms(walk, person, others_room, script="", microphone="live"):
    """Lobby and salon, as somebody goes who has come to see everything; the script runs before the salon's page."""
    sign_in(person)
    person.sees("lobby")
    walk.look("lobby")
    person.open(f"/r/{others_room}")
    person.sees("enter-room")
    walk.look("green-room")
    person.run(script)
    person.click("check-microphone")
    person.sees("green-meter")
    person.click("green-effects")
    person.sees("effects-sheet")
    walk.look("effects")
    close_sheets(person)
    go_in(person)
    walk.look("salon")
    write(person, "hello from another engine")
    walk.look("chat")
    if person.run("return innerWidth < 900"):
        person.click(".chat .chat-close")
        person.wait("the chat's sheet away", "return getComputedStyle(document.querySelector('.chat')).visibility === 'hidden'")
    sit(person, 1)
    microphone_is(person, microphone)
    walk.look("seat")
    person.click("seat-0")
    person.sees("person-sheet")
    walk.look("person")
    close_sheets(person)
    person.click("more")
    walk.look("more")
    person.click("more-settings")
    person.sees("setting-playout")
    walk.look("settings")
    close_sheets(person)


@story("L08-W L13-W V16-W V17-W in WebKit one walks through every page, reads and writes, sees one's picture and its beauty, and nothing is "
       "too wide or complains, on a phone and on a desk")
@needs_webkit
@pytest.mark.parametrize("width, height, dark, language", [(390, 844, True, "en"), (1280, 800, False, "ko")])
def test_webkit_walk(server, webkit, keys, width, height, dark, language):  # noqa: F811
    key = keys()
    host = Client(server, ticket(server, "Hana"))
    room = host.call("room.create", name="Late night", seats=8)["room"]
    host.call("seat.take", room=room, seat=0)
    anchor = Client(server, ticket(server, "Mina"))
    shown = anchor.call("room.create", name="Evening live", kind="live", seats=8)["room"]
    anchor.call("seat.take", room=shown, seat=0)
    # WebKitGTK tells of a stream's frames late or never: never, so that nothing hangs on luck.
    wanda = webkit("Wanda", width=width, height=height, dark=dark, language=language, peer=BROKEN_PEER + NO_WORD_OF_FRAMES)
    walk = Walk(wanda, f"webkit-{width}")
    # Nothing of hers goes out.
    walk_through_rooms(walk, wanda, room, microphone="cutOff")
    # Her browser is what failed, and that is what she reads.
    wanda.sees("banner-noMediaPath", "this browser could not open the connection" if language == "en" else "브라우저가 연결을 열지 못했어요")
    leave(wanda)
    start_room(wanda, "chorus")
    walk.look("create")
    wanda.type("create-name", "Two voices")
    wanda.click("create-submit")
    # A host is in at once.
    wanda.sees("duet")
    wanda.click("headphones-yes")
    wanda.sees_no("headphones-sheet")
    wanda.click("choose-song")
    walk.look("songs")
    wanda.click('[data-testid="song"][data-song="harbour-lights"]')
    wanda.sees("main ov-lyrics")
    walk.look("duet")
    leave(wanda)
    start_room(wanda, "live")
    wanda.click("prepare-camera")
    sees_picture(wanda, "prepare-video")
    walk.look("prepare")
    wanda.click("prepare-beauty")
    wanda.click("beauty-on")
    wanda.sees('[data-testid="beauty-picture"][data-mode="canvas"]')
    sees_picture(wanda, "beauty-video")
    walk.look("beauty")
    close_sheets(wanda)
    wanda.open(f"/r/{shown}")
    wanda.sees("live-stage")
    walk.look("live")
    sign_in_to_console(wanda, key)
    wanda.sees("console-card")
    for page in wanda.run("return [...document.querySelectorAll('[data-testid^=nav-]')].map(e => e.dataset.testid)"):
        wanda.run("document.querySelector(`[data-testid=${arguments[0]}]`).click()", page)
        wanda.wait(page, "return document.querySelector(`[data-testid=${arguments[0]}]`).ariaCurrent === 'page' && !document.querySelector('main [aria-busy=true]')", page)
        walk.look(page)
    walk.end(26)


@story("V16-W V17-W without WebRTC, as in WebKitGTK and on an iPhone in Lockdown Mode, one comes in, reads and writes, and learns why there is no "
       "sound before and after entering, and when one wants a seat")
@needs_webkit
def test_without_webrtc(webkit, people):
    anna = people("Anna")
    room = create_salon(anna)
    wanda = webkit("Wanda")
    walk = Walk(wanda, "without-webrtc")
    sign_in(wanda, f"/r/{room}")
    wanda.sees("no-webrtc", "this browser has no WebRTC")
    walk.look("green-room")
    go_in(wanda)
    wanda.sees("banner-noMediaPath", "You can read and write")
    walk.look("salon")
    write(wanda, "I can write")
    reads(anna, "I can write")
    say(anna, "and read")
    reads(wanda, "and read")
    wanda.click(".chat .chat-close")
    wanda.click("seat-1")
    wanda.sees("error-toast", "Sound and picture are not available here")
    shows_empty(anna, 1)
    assert wanda.run("return !document.querySelector(arguments[0])", wanda.selector("microphone-continue")), "and is not asked for a microphone"
    walk.end(2)


@story("L08-W L14-W L22-W V17-W in Firefox one walks through every page without a complaint; a line that it cannot measure is not called slow, "
       "and a pause key is told and taken back on the page")
def test_firefox_walk(server, people):
    host = Client(server, ticket(server, "Hana"))
    room = host.call("room.create", name="Late night", seats=8)["room"]
    host.call("seat.take", room=room, seat=0)
    fox = people("Fox", browser="firefox", width=390, height=844)
    walk = Walk(fox, "firefox")
    walk_through_rooms(walk, fox, room, KEEP_KEYS)
    fox.run("__keys.pause()")
    fox.sees("banner-deafened", "You have muted the room")
    walk.look("deafened")
    assert fox.run("return [...document.querySelectorAll('audio')].every(e => e.muted)")
    fox.click('[data-kind="deafened"] button')
    fox.sees_no("banner-deafened")
    assert fox.run("return [...document.querySelectorAll('audio')].every(e => !e.muted)")
    leave(fox)
    start_room(fox, "live")
    fox.click("prepare-camera")
    sees_picture(fox, "prepare-video")
    fox.wait("the end of the test of the line", "return !['testing', 'idle'].includes(document.querySelector('[data-testid=line]')?.dataset.phase)")
    # On one machine the line carries all that there is.
    assert fox.run("""
        const { phase, quality } = document.querySelector('[data-testid=line]').dataset;
        return phase === 'untold' || (phase === 'done' && quality !== '');
        """), fox.text("line")
    walk.look("prepare")
    fox.click("create-submit")
    fox.sees("live-stage")
    sees_picture(fox, "picture-0")
    walk.look("live")
    walk.end(12)
