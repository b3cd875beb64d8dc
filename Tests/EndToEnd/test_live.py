"""A live room on its pages: an anchor goes live, viewers watch, one comes on stage."""

import time
import urllib.error
import urllib.request

import pytest

from browsers import PATIENCE
from client import Client, ticket
from far_way import FarWay
from steps import allow_microphone, microphone_is, sign_in, start_room
from story import story

PLAYS = "const e = document.querySelector(arguments[0] + '[data-playing]'); return !!e && getComputedStyle(e).opacity > 0.9"
WIDTH = "return document.querySelector(arguments[0] + ' video')?.videoWidth ?? 0"


def sees_picture(person, where, seconds=PATIENCE):
    person.wait(f"a moving picture in {where}", PLAYS, person.selector(where), seconds=seconds)


def sees_no_picture(person, where):
    person.wait(f"no picture in {where}", "return !document.querySelector(arguments[0] + '[data-playing]')", person.selector(where))


def choose(person, select, value):
    person.sees(select)
    person.run(
        "const e = document.querySelector(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('change', { bubbles: true }))",
        person.selector(select), value)


def prepare_live(person):
    sign_in(person)
    person.sees("lobby")
    start_room(person)
    person.click("create-kind-live")


def go_live(person, name="Evening live", camera=True, pictures=None, quality=None):
    """Signs in, looks at oneself, goes live; gives the room's id as its link has it."""
    prepare_live(person)
    if camera:
        person.click("prepare-camera")
        sees_picture(person, "prepare-video")
    if pictures:
        # Out from under the button that stays in sight.
        person.run("document.querySelector(arguments[0]).scrollIntoView({ block: 'center' })", person.selector(f"create-format-{pictures}"))
        person.click(f"create-format-{pictures}")
    if quality:
        choose(person, "sending-quality", quality)
    person.type("create-name", name)
    person.click("create-submit")
    person.sees("live-stage")
    person.sees("tile-0")
    return person.run("return location.pathname.slice(3)")


def read_out(person):
    """What a screen reader finds on the page."""
    return {node["name"].get("value") for node in person.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"] if "name" in node}


def is_not_read_out(person, sentence):
    """The page has settled: the sentence is gone for those who hear it, as it is for those who see the picture instead."""
    person.wait(f"“{sentence}” to be hidden", """
        return ![...document.querySelectorAll('.tile-says')].some(e => e.textContent === arguments[0] && e.checkVisibility({ visibilityProperty: true }))""", sentence)
    assert sentence not in read_out(person)


# An iPhone that saves power plays no picture before a tap, whatever the page did before.
LOW_POWER = """
const play = HTMLVideoElement.prototype.play;
let tapped = false;
addEventListener('click', ({ target }) => { tapped ||= !!target.closest('[data-testid=banner-action]'); }, { capture: true });
HTMLVideoElement.prototype.play = function () {
  return tapped ? play.call(this) : Promise.reject(new DOMException('it saves power', 'NotAllowedError'));
};
"""


@story("L01-W L02-W L08-W an anchor sees herself, goes live, and whoever follows the link sees and hears her without doing anything; "
       "a phone that holds pictures back says so and shows them with one tap")
def test_go_live(people):
    anna, ben = people("Anna", tone_hertz=440), people("Ben")
    room = go_live(anna)
    sees_picture(anna, "picture-0")
    assert anna.attribute("tile-0", "data-sent") is not None
    is_not_read_out(anna, "Your camera is off.")
    # The device is captured once: the preview has let it go.
    sign_in(ben, f"/r/{room}")
    ben.sees("live-stage")
    sees_picture(ben, "picture-0")
    is_not_read_out(ben, "Connecting to Anna…")
    ben.hears_tone(440)
    # She switches the camera off: the device is let go, and Ben is told, not left with a still.
    anna.click("camera")
    anna.sees("tile-0", "Your camera is off")
    sees_no_picture(anna, "picture-0")
    assert "Your camera is off." in read_out(anna)
    sees_no_picture(ben, "picture-0")
    ben.sees("tile-0", "Anna is live with sound only")
    ben.hears_tone(440)
    anna.click("camera")
    sees_picture(ben, "picture-0")
    ben.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LOW_POWER})
    ben.open(f"/r/{room}")
    ben.sees("banner-soundBlocked", "holds sound and picture back")
    # On a phone a notice's text has the whole width, and its button stands below; on a desktop it stands beside.
    below = """
        const [text, button] = ['p', 'button'].map(e => document.querySelector(`[data-testid=banner-soundBlocked] ${e}`).getBoundingClientRect());
        return button.top >= text.bottom;
        """
    assert not ben.run(below)
    ben.size(390, 844)
    assert ben.run(below)
    ben.size(1280, 800)
    running = "return [...document.querySelectorAll('ov-video video')].filter(e => e.srcObject).map(e => !e.paused)"
    assert ben.run(running) == [False] and ben.run("return !document.querySelector('[autoplay]')"), "Safari draws its own button over those"
    ben.click("banner-action")
    sees_picture(ben, "picture-0")
    assert ben.run(running) == [True]
    ben.sees_no("banner-soundBlocked")


@story("L14-W before going live the line is tested by itself: one sentence says what it carries, nobody has to wait for it, and it can be tested again")
def test_line(people):
    anna = people("Anna")
    sign_in(anna)
    start_room(anna)
    anna.click("create-kind-live")
    anna.click("prepare-camera")
    anna.sees('[data-testid="line"][data-phase="testing"]')
    # A browser whose processor others use too may not find the end of its line. Its user tests again.
    for _ in range(3):
        ended = anna.wait("the end of the test", """
            const line = document.querySelector('[data-testid=line]');
            return line && line.dataset.phase !== 'testing' && [line.dataset.phase, line.dataset.quality];""")
        if ended[0] == "done" and ended[1]:
            break
        anna.click("line-again")
    anna.sees("line", "automatic quality begins there")
    anna.click("line-again")
    anna.sees('[data-testid="line"][data-phase="testing"]')
    # It goes live while the test is going on, which ends.
    anna.type("create-name", "Evening live")
    anna.click("create-submit")
    # 3, 2, 1 over her own picture.
    anna.sees("going-live")
    sees_picture(anna, "picture-0")
    anna.wait("the figures gone", "return !document.querySelector('[data-testid=going-live]') && !document.querySelector('[data-testid=going-live-wait]')", seconds=30)
    anna.sees("live-stage")


@story("L01-W L14-W whose picture does not get to the server is not live: the room closes, and the preview comes back with the reason and says that nothing gets through")
def test_not_live(server, people):
    anna, ben = people("Anna"), people("Ben")
    nowhere = FarWay(server.media_port, 0)
    nowhere.close()
    nowhere.reroute(anna)
    sign_in(ben)
    room = go_live(anna, name="Into the void")
    anna.wait("the figures", "return document.querySelector('[data-testid=going-live]') || document.querySelector('[data-testid=going-live-wait]')")
    ben.wait("the room in the list", "return !!document.querySelector(`[data-room=\"${arguments[0]}\"]`)", room)
    anna.sees("going-live-wait", "Waiting for the server")
    anna.sees("create-sheet", "The server received no picture, so you are not live", seconds=30)
    assert anna.run("return [location.pathname, document.querySelector(arguments[0]).value]", anna.selector("create-name")) == ["/", "Into the void"]
    ben.wait("no room in the list", "return !document.querySelector(`[data-room=\"${arguments[0]}\"]`)", room)
    anna.click("prepare-camera")
    anna.wait("what is wrong", "return document.querySelector('[data-testid=line]')?.dataset.phase === 'failed'")
    anna.sees("line", "do not get through")


@story("L11-W L09-W a viewer chooses the quality, down to sound alone, and a small place asks for a small picture")
def test_quality(people):
    anna, ben = people("Anna"), people("Ben")
    room = go_live(anna)
    sign_in(ben, f"/r/{room}")
    sees_picture(ben, "picture-0")
    width = ben.run(WIDTH, ben.selector("picture-0"))
    full = anna.run("return document.querySelector(arguments[0] + ' video').videoWidth", anna.selector("picture-0"))
    ben.wait("the whole size", "return document.querySelector(arguments[0] + ' video').videoWidth === arguments[1]", ben.selector("picture-0"), full)
    ben.click("quality")
    ben.click("quality-low")
    ben.wait("a quarter", "return document.querySelector(arguments[0] + ' video').videoWidth === arguments[1] / 4", ben.selector("picture-0"), full)
    ben.click("quality")
    ben.click("quality-off")
    ben.sees("tile-0", "You are listening only")
    sees_no_picture(ben, "picture-0")
    ben.click("quality")
    ben.click("quality-auto")
    sees_picture(ben, "picture-0")
    ben.size(390, 844)
    ben.sees("chat-input")
    ben.wait("a smaller one", "return document.querySelector(arguments[0] + ' video').videoWidth <= arguments[1] / 2", ben.selector("picture-0"), full)
    assert width > 0


@story("L03-W L07-W L10-W a viewer asks, comes on stage, is seen and heard by all, and steps down; a picture is upright and mirrored for oneself alone")
def test_on_stage(people):
    anna, ben, carl = people("Anna", crowded=True), people("Ben", tone_hertz=700, crowded=True), people("Carl", crowded=True)
    room = go_live(anna)
    for viewer in (ben, carl):
        sign_in(viewer, f"/r/{room}")
        sees_picture(viewer, "picture-0")
    asks(ben, with_camera=True)
    ben.sees("asking-waiting", "You are number 1 in line")
    assert carl.run("return document.querySelector('[data-testid=tile-1]') === null"), "nobody sees who only asks"
    anna.click("accept")
    ben.sees("asking-three")
    ben.sees("tile-1")
    ben.sees_no("asking-sheet")
    carl.sees("tile-1")
    carl.hears_tone(700)
    sees_picture(carl, "picture-1")
    sees_picture(anna, "picture-1")
    assert ben.attribute("picture-1", "data-mirror") is not None and carl.attribute("picture-1", "data-mirror") is None
    ben.click("stand-button")
    carl.wait("the tile gone", "return !document.querySelector(arguments[0])", carl.selector("tile-1"))
    ben.wait("the camera let go", "return __cameras.length > 0 && __cameras.every(track => track.readyState === 'ended')")
    ben.sees("quality")


def asks(guest, with_camera=False):
    """The guest asks to come on stage, and keeps their own picture before them."""
    guest.click("come-on-stage")
    if with_camera:
        guest.click("asking-camera")
        guest.sees("asking-others", "Others see")
        guest.wait("their own picture", "return document.querySelector('[data-testid=asking-with-camera]')?.disabled === false")
    guest.click("asking-with-camera" if with_camera else "asking-voice")
    allow_microphone(guest, guest.selector("asking-waiting"))


def on_stage(host, guest):
    """The guest asks, the host says yes, and the guest is on the stage with a camera."""
    asks(guest)
    host.click("accept")
    guest.sees("tile-1")
    guest.click("camera")


@story("L08-W whoever has a poor line on stage is marked on everybody's page, in a word for those who do not see it")
def test_poor_line(server, people):
    anna, ben, carl = people("Anna", crowded=True), people("Ben", crowded=True), people("Carl", crowded=True)
    way = FarWay(server.media_port, 0.2)
    way.reroute(ben)
    room = go_live(anna)
    for viewer in (ben, carl):
        sign_in(viewer, f"/r/{room}")
        sees_picture(viewer, "picture-0")
    on_stage(anna, ben)
    for person in (anna, ben, carl):
        person.sees("poor-1")
        assert "Slow connection" in person.attribute("seat-1", "aria-label")
    way.close()


@story("L07-W a host switches a camera off: nobody sees it from then on, its user is told by whom and cannot switch it on until it is allowed again")
def test_camera_switched_off(people):
    anna, ben, carl = people("Anna", crowded=True), people("Ben", crowded=True), people("Carl", crowded=True)
    room = go_live(anna)
    for viewer in (ben, carl):
        sign_in(viewer, f"/r/{room}")
        sees_picture(viewer, "picture-0")
    on_stage(anna, ben)
    sees_picture(carl, "picture-1")
    anna.click("seat-1")
    anna.sees("person-sheet", "Guest · On stage")
    anna.click("allow-camera")
    # A toast goes after some seconds, the rest stays.
    ben.sees("toast", "Anna switched your camera off")
    sees_no_picture(carl, "picture-1")
    carl.sees("tile-1", "Ben’s camera is off")
    ben.sees("tile-1", "The host has switched your camera off")
    ben.wait("the camera let go", "return __cameras.length > 0 && __cameras.every(track => track.readyState === 'ended')")
    ben.click("camera")
    ben.sees("error-toast", "Ask them to allow it again")
    anna.click("seat-1")
    anna.click("allow-camera")
    ben.sees("tile-1", "Your camera is off")
    ben.click("camera")
    sees_picture(carl, "picture-1")


@story("V20-W a host on a seat that was muted, with a camera that was switched off, allows both again: after inheriting the room too")
def test_host_on_a_muted_seat(people):
    anna, ben = people("Anna", crowded=True), people("Ben", crowded=True)
    room = go_live(anna)
    sign_in(ben, f"/r/{room}")
    on_stage(anna, ben)
    for wanted in ("mute-seat", "allow-camera"):
        anna.click("seat-1")
        anna.click(wanted)
    microphone_is(ben, "mutedByHost")
    ben.sees("tile-1", "The host has switched your camera off")
    anna.click("seat-1")
    anna.click("hand-over")
    anna.click("ask-yes")
    ben.wait("the button's new words", "return document.querySelector('[data-testid=microphone]').title === 'Unmute this seat'")
    ben.click("microphone")
    microphone_is(ben, "live")
    ben.click("seat-1")
    ben.click("allow-camera")
    ben.sees("tile-1", "Your camera is off")
    ben.click("camera")
    sees_picture(anna, "picture-1")


@story("L16-W somebody on stage shares a screen: all see it whole, larger than people, the sharer a still of it; it ends with the button, with the host, and with the seat")
def test_screen(people):
    anna, ben, carl = people("Anna", crowded=True), people("Ben", crowded=True), people("Carl", crowded=True)
    room = go_live(anna)
    for viewer in (ben, carl):
        sign_in(viewer, f"/r/{room}")
        sees_picture(viewer, "picture-0")
    assert carl.run("return !document.querySelector(arguments[0])", carl.selector("screen")), "who watches shares nothing"
    on_stage(anna, ben)
    ben.click("screen")
    for viewer in (anna, carl):
        sees_picture(viewer, "picture-screen")
    sees_picture(ben, "picture-screen")
    assert ben.run("return document.querySelector(arguments[0] + ' video').paused", ben.selector("picture-screen"))
    larger = "const [screen, person] = [...arguments].map(e => document.querySelector(e).getBoundingClientRect().width); return screen > 2 * person"
    for viewer, width, height in ((carl, 1280, 800), (anna, 390, 844)):
        viewer.size(width, height)
        viewer.wait("the screen larger than people", larger, viewer.selector("tile-screen"), viewer.selector("tile-0"))
    sees_picture(carl, "picture-1")
    anna.size(1280, 800)
    assert carl.run("return !document.querySelector(arguments[0])", carl.selector("screen-stop")), "a viewer cannot end it"
    # Who comes later sees it too; a second one cannot be shared.
    dora = people("Dora", crowded=True)
    sign_in(dora, f"/r/{room}")
    sees_picture(dora, "picture-screen")
    anna.click("screen")
    anna.sees("error-toast", "Somebody is sharing a screen")
    anna.click("screen-stop")
    for viewer in (anna, ben, carl, dora):
        viewer.wait("the screen gone", "return !document.querySelector(arguments[0])", viewer.selector("tile-screen"))
    ben.sees("toast", "Screen sharing has stopped")
    ben.click("screen")
    sees_picture(carl, "picture-screen")
    ben.click("stand-button")
    carl.wait("the screen gone", "return !document.querySelector(arguments[0])", carl.selector("tile-screen"))


@story("L14-W a camera and a microphone that are denied have their sentences, and one goes live all the same")
def test_denied(people):
    anna, ben = people("Anna", microphone="denied"), people("Ben")
    sign_in(anna)
    start_room(anna)
    anna.click("create-kind-live")
    anna.click("prepare-camera")
    anna.sees("camera-problem", "The camera is blocked for this page")
    anna.sees("microphone-problem", "The microphone is blocked for this page")
    anna.click("create-submit")
    anna.sees("tile-0")
    room = anna.run("return location.pathname.slice(3)")
    sign_in(ben, f"/r/{room}")
    ben.sees("tile-0", "Anna is live with sound only")


@pytest.mark.parametrize("width,height", [(390, 844), (1280, 800)])
@story("L02-W a live room is used by keyboard, and nothing is cut off or lies over another on phones and wide screens")
def test_pages(people, width, height):
    anna = people("Anna", width=width, height=height)
    go_live(anna)
    sees_picture(anna, "picture-0")
    assert anna.run("return document.documentElement.scrollWidth <= innerWidth")
    boxes = anna.run("""
        return ['.salon-head', '.live-stage', '.chat', '.dock'].map(name => {
          const { left, top, right, bottom } = document.querySelector(name).getBoundingClientRect();
          return { name, left, top, right, bottom };
        });""")
    for box in boxes:
        assert box["left"] >= 0 and box["right"] <= width and box["top"] >= 0 and box["bottom"] <= height, box
    for at, one in enumerate(boxes):
        for other in boxes[at + 1:]:
            apart = (one["right"] <= other["left"] + 1 or other["right"] <= one["left"] + 1
                     or one["bottom"] <= other["top"] + 1 or other["bottom"] <= one["top"] + 1)
            assert apart, (one, other)
    anna.keys("v")
    anna.sees("tile-0", "Your camera is off")
    # Who steps down in a room of their own is still its host.
    anna.click("seat-0")
    anna.sees("stand", "The room stays open")
    anna.sees_no("stand", "as a viewer")


@story("L02-W L03-W Firefox watches a live room, comes on stage with its camera, and is seen in Chromium")
def test_firefox_watches(people):
    anna, fox = people("Anna", tone_hertz=440), people("Fox", browser="firefox")
    room = go_live(anna)
    sign_in(fox, f"/r/{room}")
    sees_picture(fox, "picture-0")
    fox.hears_tone(440)
    asks(fox)
    anna.click("accept")
    fox.sees("tile-1")
    fox.click("camera")
    sees_picture(anna, "picture-1")


HIDE = """
Object.defineProperty(document, 'hidden', { configurable: true, get: () => arguments_hidden });
document.dispatchEvent(new Event('visibilitychange'));
"""
BYTES = """
const done = arguments[arguments.length - 1];
(async () => {
  const sum = { video: 0, audio: 0 };
  for (const peer of window.__peers)
    for (const entry of (await peer.getStats()).values()) if (entry.type === 'inbound-rtp') sum[entry.kind] += entry.bytesReceived;
  return sum;
})().then(done);
"""


def flows(person, seconds=1.5):
    """Bytes of picture and sound that come in so long."""
    before = person.run_async(BYTES)
    time.sleep(seconds)
    after = person.run_async(BYTES)
    return {kind: after[kind] - before[kind] for kind in before}


@story("L22-W in a hidden tab sound goes on and pictures do not, unless the stage, or one of them, is in a window of its own; the room is in the system's controls")
def test_background(people):
    anna, ben = people("Anna", tone_hertz=440), people("Ben", whole=True)
    room = go_live(anna)
    sign_in(ben, f"/r/{room}")
    sees_picture(ben, "picture-0")
    assert ben.run("return navigator.mediaSession.metadata.title") == "Evening live"

    def hide(hidden):
        ben.run(HIDE.replace("arguments_hidden", "true" if hidden else "false"))

    hide(True)
    # Three seconds, and what is under way.
    deadline = time.monotonic() + 20
    while flows(ben)["video"] > 0:
        assert time.monotonic() < deadline, "pictures still come"
    assert flows(ben)["audio"] > 0
    # The stage in a window; and, as in browsers without such windows, one picture.
    for is_apart, back in (
        ("documentPictureInPicture.window", "documentPictureInPicture.window.close()"),
        ("document.pictureInPictureElement", "document.exitPictureInPicture()"),
    ):
        hide(False)
        sees_picture(ben, "picture-0", seconds=5)
        ben.click("more")
        ben.click("more-apart")
        ben.wait("a window of its own", f"return {is_apart} !== null")
        hide(True)
        time.sleep(5)
        assert flows(ben)["video"] > 0
        ben.run(back)
        deadline = time.monotonic() + 20
        while flows(ben)["video"] > 0:
            assert time.monotonic() < deadline, "pictures still come"
        ben.run("Object.defineProperty(window, 'documentPictureInPicture', { value: undefined })")


NUMBERS = """
return [...document.querySelectorAll('[data-testid=statistics-sheet] section')].map(section => [
  section.querySelector('h3').textContent,
  Object.fromEntries([...section.querySelectorAll('.detail')].map(row => [row.children[0].textContent, row.children[1].textContent])),
]);
"""


def whole_number(detail):
    """The number that a detail begins with, which the page groups by thousands: "1,142 ms"."""
    return int(detail.split()[0].replace(",", ""))


@story("L09-W an anchor chooses how large and in which shape her camera is sent, before she is live and while she is, and viewers get it so")
def test_sending(people):
    anna, ben = people("Anna"), people("Ben")
    sized = "const v = document.querySelector(arguments[0] + ' video'); return v.videoWidth === arguments[1] && v.videoHeight === arguments[2]"
    room = go_live(anna, quality="360")
    sign_in(ben, f"/r/{room}")
    sees_picture(ben, "picture-0")
    ben.wait("640 × 360", sized, ben.selector("picture-0"), 640, 360)
    anna.click("more")
    anna.click("more-sending")
    choose(anna, "sending-quality", "1080")
    ben.wait("1920 × 1080", sized, ben.selector("picture-0"), 1920, 1080)
    choose(anna, "sending-quality", "540")
    anna.click("sending-upright")
    ben.wait("an upright picture", "const v = document.querySelector(arguments[0] + ' video'); return v.videoWidth > 0 && Math.abs(v.videoHeight / v.videoWidth - 16 / 9) < 0.03", ben.selector("picture-0"))
    sees_picture(ben, "picture-0")


@story("L02-W L03-W L11-W in a room of H.264 browsers that have it see each other in every size, and one without it sees them in VP8")
def test_h264(people):
    anna, ben = people("Anna", tone_hertz=440), people("Ben")
    room = go_live(anna, pictures="h264")
    sign_in(ben, f"/r/{room}")
    sees_picture(ben, "picture-0")
    whole = "return document.querySelector(arguments[0] + ' video').videoWidth === arguments[1]"
    ben.wait("the whole size", whole, ben.selector("picture-0"), 1280)
    ben.keys("s")
    ben.sees("statistics-sheet", "H264")
    ben.click("sheet-close")
    ben.click("quality")
    ben.click("quality-low")
    ben.wait("the small size", whole, ben.selector("picture-0"), 320)
    sees_picture(ben, "picture-0")
    fox = people("Fox", browser="firefox")
    sign_in(fox, f"/r/{room}")
    sees_picture(fox, "picture-0")
    fox.hears_tone(440)
    # The others go on in the room's format.
    ben.keys("s")
    ben.sees("statistics-sheet", "H264")


@story("L09-W L11-W the statistics say in three words where it is, and then how large, how fast and as what each picture comes and goes, and after what time the first came")
def test_statistics(people):
    anna, ben = people("Anna"), people("Ben")
    room = go_live(anna)
    sign_in(ben, f"/r/{room}")
    sees_picture(ben, "picture-0")
    ben.wait("the whole size", "return document.querySelector(arguments[0] + ' video').videoWidth === 1280", ben.selector("picture-0"))
    ben.keys("s")
    # The server tells of a quality once it has stayed so for two seconds.
    ben.sees("statistics-sheet", "Quality")
    # Rates take two readings, and on a busy machine a picture is less for a while.
    ben.wait("all figures of a whole picture", "const text = document.querySelector(arguments[0]).textContent; return text.includes('1280 × 720') && text.includes('High') && !text.includes('unknown')", ben.selector("statistics-sheet"))
    (line, path), (name, picture) = ben.run(NUMBERS)
    assert line == "Connection" and 1 <= whole_number(path["First picture after"]) < 60_000, path
    assert name == "Anna" and picture["Codec"] == "VP8", picture
    assert whole_number(picture["Bit rate"]) > 50 and whole_number(picture["Frames"]) >= 5, picture
    words = "return [...document.querySelectorAll('.statistics-words li')].map(li => li.dataset.word)"
    ben.wait("three good words", words.replace("return ", "return JSON.stringify(") + ").endsWith('\"good\",\"good\"]')")
    ben.click("statistics-copy")
    ben.sees("toast", "Statistics copied")
    ben.click("sheet-close")
    # What one sends, from the menu.
    anna.click("more")
    anna.click("more-statistics")
    anna.sees("statistics-sheet", "Your picture")
    anna.sees("statistics-sheet", "kbit/s")
    mine = dict(anna.run(NUMBERS))["Your picture"]
    assert mine["Size"] == "1280 × 720" and "Quality" not in mine, mine
    anna.click("sheet-close")
    # Her camera fails without a word: what is missing is hers.
    anna.run("__cameras.forEach(track => track.stop())")
    ben.sees("tile-0", "No picture comes from Anna")
    ben.keys("s")
    ben.wait("the word of the sender", f"return (() => {{ {words} }})()[2] === 'poor'")
    # Whoever switches it off lacks nothing.
    anna.click("camera")
    anna.sees("tile-0", "Your camera is off")
    anna.keys("s")
    anna.sees("statistics-none")
    ben.wait("no word against her", f"return (() => {{ {words} }})()[2] !== 'poor'")


@story("L21-W what lies over a picture says how it stands: on its way, none comes, the host's connection is lost, the host is away")
def test_status_over_the_picture(people, server):
    mina = Client(server, ticket(server, "Mina"))
    room = mina.call("room.create", name="Quiet", kind="live", seats=4)["room"]
    mina.call("seat.take", room=room, seat=0)
    # She says that she is to be seen, and sends nothing.
    mina.call("camera.set", room=room, on=True)
    ben = people("Ben")
    sign_in(ben, f"/r/{room}")
    ben.sees("tile-0", "Connecting to Mina")
    ben.sees("tile-0", "No picture has arrived. Try again, or listen only")
    ben.click("picture-again")
    ben.sees("tile-0", "Connecting to Mina")
    ben.keys("s")
    ben.sees("statistics-sheet")
    ben.click("sheet-close")
    mina.close()
    ben.sees("tile-0", "Reconnecting")
    mina = Client(server, mina.account)
    mina.call("room.enter", room=room)
    mina.call("room.exit", room=room)
    ben.sees("live-empty", "Mina is not on stage right now")
    ben.sees("banner-ownerAbsent", "The host has stepped out")
    mina.close()


@story("L17-S the page gives programs their addresses and a token, which the server takes")
def test_programs(people, server):
    anna = people("Anna")
    room = go_live(anna, camera=False)
    anna.click("more")
    anna.click("more-programs")
    value = "return document.querySelector(arguments[0]).dataset.value"
    whip, whep, token = (anna.run(value, anna.selector(f"programs-{what}")) for what in ("whip", "whep", "token"))
    assert whip == f"{server.url}/v1/whip/{room}" and whep == f"{server.url}/v1/whep/{room}"
    assert token not in anna.text("programs-sheet"), "a stage may be filmed"
    # An address is one line with a button of a finger's size beside it, however long the server's name is; it scrolls to its end.
    for width in (390, 1280):
        anna.size(width, 844)
        for what in ("whip", "whep"):
            height, button, rest = anna.run("""
                const [value, button] = [...arguments].map(one => document.querySelector(one));
                const { height } = value.getBoundingClientRect(), whole = value.value;
                value.value = whole.replace('localhost', 'a-name-that-is-longer-than-any-field-of-a-sheet-on-a-wide-screen.example.com');
                value.scrollLeft = 1e6;
                const rest = value.scrollWidth - value.clientWidth - value.scrollLeft;
                const most = Math.max(height, value.getBoundingClientRect().height);
                value.value = whole;
                return [most, button.getBoundingClientRect().width, rest];""", anna.selector(f"programs-{what}"), anna.selector(f"copy-{what}"))
            assert height <= 48 and button <= 48 and rest <= 1, f"{what} at {width} px: {height} px high, {rest} px stay unseen, the button has {button} px"
    for address in (whip, whep):
        for bearer, status in ((token, 422), (f"{token.rpartition(':')[0]}:x", 401)):
            asked = urllib.request.Request(
                address, data=b"v=0", headers={"Content-Type": "application/sdp", "Authorization": f"Bearer {bearer}"}
            )
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(asked)
            assert refused.value.code == status
    anna.click("copy-token")
    anna.sees("programs-sheet")


@story("L03-W a viewer makes somebody on the stage large, on this screen alone, and Esc undoes it")
def test_large(people, server):
    anna, ben = people("Anna"), people("Ben")
    mina, luc = (Client(server, ticket(server, name)) for name in ("Mina", "Luc"))
    room = mina.call("room.create", name="Two on stage", kind="live", seats=4)["room"]
    luc.call("room.enter", room=room)
    for seat, person in enumerate((mina, luc)):
        person.call("seat.take", room=room, seat=seat)
    for viewer in (anna, ben):
        sign_in(viewer, f"/r/{room}")
        viewer.sees("tile-1")
    wider = "const [a, b] = ['tile-0', 'tile-1'].map(id => document.querySelector(`[data-testid=${id}]`).getBoundingClientRect().width); return arguments[0] ? b > 2 * a : Math.abs(a - b) < 2"
    assert ben.run(wider, False)
    for undo in ("escape", "pin"):
        ben.click("seat-1")
        ben.click("person-large")
        ben.wait("Luc large", wider, True)
        assert anna.run(wider, False), "for Ben alone"
        if undo == "escape":
            ben.keys("\ue00c")
        else:
            ben.click("unpin")
        ben.wait("both alike", wider, False)
    # Who was large leaves the stage: the other one has it whole.
    ben.click("seat-1")
    ben.click("person-large")
    luc.call("seat.leave", room=room)
    ben.wait("Mina alone", "return document.querySelector('[data-testid=live-stage]').dataset.count === '1' && !document.querySelector('[data-testid=unpin]')")
    for person in (mina, luc):
        person.close()


@story("L02-W L03-W L11-W in rooms of VP9 and AV1 browsers see each other, in the size that the viewer chooses")
@pytest.mark.parametrize("pictures", ["vp9", "av1"])
def test_newer_formats(people, pictures):
    anna, ben = people("Anna"), people("Ben")
    room = go_live(anna, pictures=pictures)
    sign_in(ben, f"/r/{room}")
    sees_picture(ben, "picture-0")
    ben.keys("s")
    ben.sees("statistics-sheet", pictures.upper())
    ben.click("sheet-close")
    ben.click("quality")
    ben.click("quality-low")
    ben.wait("the small size", "return document.querySelector(arguments[0] + ' video').videoWidth === arguments[1]", ben.selector("picture-0"), 320)
    sees_picture(ben, "picture-0")


# What stands in the window beside the page, and whether its first picture moves.
APART = """
const page = documentPictureInPicture.window?.document;
const video = page?.querySelector('.tile ov-video[data-playing] video');
return video?.videoWidth > 0 ? [page.querySelectorAll('.tile').length, page.querySelector('[data-testid=apart-lines]').textContent] : null;
"""


@story("L22-W the stage in a window of its own shows who is on it and the last lines, and closes with its button and with the room")
def test_apart(server, people):
    anna, ben = people("Anna", crowded=True), people("Ben", whole=True)
    room = go_live(anna)
    mina = Client(server, ticket(server, "Mina"))
    mina.call("room.enter", room=int(room))
    sign_in(ben, f"/r/{room}")
    sees_picture(ben, "picture-0")
    ben.click("more")
    ben.click("more-apart")
    mina.call("message.send", room=int(room), text="Lovely <i>evening</i>")
    ben.wait("the host and the line in a window", f"const seen = (() => {{ {APART} }})(); return seen?.[0] === 1 && seen[1].includes('Lovely <i>evening</i>')")
    anna.click("camera")
    ben.wait("her camera off in the window too", "return documentPictureInPicture.window.document.querySelector('.tile')?.hasAttribute('data-dark')")
    anna.click("camera")
    ben.run("documentPictureInPicture.window.document.querySelector('[data-testid=apart-back]').click()")
    ben.wait("the window closed", "return documentPictureInPicture.window === null")
    ben.click("more")
    ben.click("more-apart")
    ben.wait("it again", APART)
    ben.click("leave")
    ben.wait("the window closed with the room", "return documentPictureInPicture.window === null")
    mina.close()
