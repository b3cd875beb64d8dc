"""A live room on a phone: the picture to every edge, the chat over it, and what fingers do there."""

from story import story
from steps import IN_SIGHT, sign_in
from test_live import go_live, on_stage, prepare_live, sees_picture

BOX = "const { left, top, right, bottom } = document.querySelector(arguments[0]).getBoundingClientRect(); return [left, top, right, bottom].map(Math.round)"
OVER = "return document.querySelector('.salon').matches('[data-over]') === arguments[0]"


def box(person, css):
    return person.run(BOX, css)


def send_upright(person):
    person.click("more")
    person.click("more-sending")
    person.click("sending-upright")
    person.click("sheet-close")


def upright_room(people, **options):
    """Anna is live with an upright picture on her phone; Ben watches on his."""
    anna, ben = (people(name, width=390, height=844, **options) for name in ("Anna", "Ben"))
    room = go_live(anna)
    sees_picture(anna, "picture-0")
    send_upright(anna)
    sign_in(ben, f"/r/{room}")
    sees_picture(ben, "picture-0")
    for person in (anna, ben):
        person.wait("the chat over the picture", OVER, True)
    return anna, ben, room


def say(person, count):
    for line in range(count):
        person.type("chat-input", f"Line {line} of a chat that is longer than it is high")
        person.click("chat-send")


@story("L02-W L03-W one upright picture fills a phone to every edge with the chat over its lower left, in either theme, and two share a block")
def test_over_the_picture(people):
    anna, ben, _ = upright_room(people, dark=False)
    say(ben, 9)
    for person in (anna, ben):
        assert box(person, ".live-stage") == [0, 0, 390, 844]
        person.wait("the last line", "return [...document.querySelectorAll('.chat-line')].length === 9")
        left, top, right, bottom = box(person, ".chat-log")
        assert right <= 0.73 * 390 and bottom - top <= 0.37 * 844 and top > 844 * 0.4 and bottom < 844 - 100, (left, top, right, bottom)
        # Light letters over a dark ground, although the theme is light.
        ink = person.run("return getComputedStyle(document.querySelector('.chat-text')).color")
        assert ink == "rgb(242, 241, 238)", ink
        assert person.run("return document.documentElement.scrollWidth <= innerWidth")
    # The plate of the only person on stage does not lie over anything.
    assert box(ben, ".tile-plate")[1] >= box(ben, ".salon-head h1")[3]
    anna.click("hand")
    on_stage(anna, ben)
    sees_picture(anna, "picture-1")
    for person in (anna, ben):
        person.wait("the chat below", OVER, False)
        left, top, right, bottom = box(person, ".live-stage")
        assert abs((bottom - top) - 0.885 * (right - left)) < 3 and right - left == 390, (left, top, right, bottom)
        assert bottom <= box(person, ".chat")[1] + 1
    ben.click("stand-button")
    for person in (anna, ben):
        person.wait("the chat over it again", OVER, True)


@story("L02-W a phone that is turned shows the picture on the whole screen, with the chat in its last third; a desktop shows an upright one upright")
def test_turned(people):
    anna, ben, _ = upright_room(people)
    say(ben, 2)
    ben.size(844, 390)
    ben.wait("the turned page", "return document.querySelector('.salon').matches('[data-turned]')")
    assert box(ben, ".live-stage") == [0, 0, 844, 390]
    for part in (".chat", ".dock"):
        left, top, right, bottom = box(ben, part)
        assert left >= 0.6 * 844 and right <= 844 and bottom <= 390 and top >= 0, (part, left, top, right, bottom)
    assert box(ben, ".chat")[3] <= box(ben, ".dock")[1] + 1
    ben.size(1280, 800)
    ben.wait("the chat beside it", OVER, False)
    left, top, right, bottom = box(ben, ".live-stage")
    assert abs((bottom - top) / (right - left) - 16 / 9) < 0.02 and bottom - top > 500, (left, top, right, bottom)


@story("L02-W on a phone two taps on the picture are a like, a swipe leaves nothing but the picture, and a swipe back, the button or Escape shows the rest")
def test_gestures(people):
    anna, ben, _ = upright_room(people)
    shown = "return getComputedStyle(document.querySelector('.salon-foot')).visibility === arguments[0]"
    ben.touch((200, 200))
    ben.touch((202, 203))
    anna.sees("likes", "1")
    # Down, or from the edge, is something else; so is what begins on the chat.
    ben.touch((150, 150), (160, 250), (170, 340))
    ben.touch((4, 200), (120, 200), (300, 200))
    assert ben.run(shown, "visible")
    ben.touch((100, 200), (180, 202), (300, 205))
    ben.wait("only the picture", shown, "hidden")
    ben.sees("bring-back")
    ben.touch((300, 200), (200, 202), (100, 205))
    ben.wait("everything", shown, "visible")
    ben.sees_no("bring-back")
    ben.click("more")
    ben.click("more-alone")
    ben.wait("only the picture", shown, "hidden")
    ben.click("bring-back")
    ben.wait("everything", shown, "visible")
    ben.touch((100, 200), (180, 202), (300, 205))
    ben.wait("only the picture", shown, "hidden")
    from selenium.webdriver.common.keys import Keys

    ben.keys(Keys.ESCAPE)
    ben.wait("everything", shown, "visible")
    # A second picture has no place under what is put away.
    ben.touch((100, 200), (180, 202), (300, 205))
    ben.wait("only the picture", shown, "hidden")
    ben.size(1280, 800)
    ben.wait("everything", shown, "visible")
    ben.size(390, 844)
    ben.wait("the chat over the picture", OVER, True)
    assert ben.run(shown, "visible")


@story("L01-W on a phone the room's name stands below the preview, and beside it on its side; the preview and the button stay in sight")
def test_turned_preview(people):
    anna = people("Anna", width=844, height=390)
    anna.size(844, 390)
    prepare_live(anna)
    anna.click("prepare-camera")
    sees_picture(anna, "prepare-video")
    anna.type("create-name", "Evening live")
    for part in ("create-name", "prepare-video", "create-submit"):
        anna.wait(part, IN_SIGHT, part)
    anna.size(390, 844)
    anna.run("document.querySelector('[data-testid=create-sheet] .sheet-body').scrollTop = 0")
    for part in ("prepare-video", "create-name", "create-submit"):
        anna.wait(part, IN_SIGHT, part)
