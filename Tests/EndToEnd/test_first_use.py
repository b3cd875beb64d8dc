"""From the first look at the app to being heard: how many presses it takes."""

from steps import live, sign_in, sits
from story import story
from test_live import sees_picture


class Presses:
    """Somebody who presses buttons and fills in nothing."""

    def __init__(self, person):
        self.person = person
        self.count = 0

    def on(self, where):
        self.person.click(where)
        self.count += 1


@story("A14-W after signing in a salon's host is heard after two presses, with nothing filled in; the invitation is in the room until somebody comes")
def test_salon_host(people):
    anna, ben = people("Anna", tone_hertz=440), people("Ben")
    sign_in(anna)
    presses = Presses(anna)
    presses.on("create-room-empty")
    presses.on("create-submit")
    sits(anna, 0)
    live(anna)
    assert presses.count == 2
    anna.sees("room-name", "Anna’s salon")
    anna.sees_no("id-sheet")
    anna.sees("invite-chip")
    anna.click("invite-copy")
    anna.sees("toast", "Link copied")
    room = anna.run("return location.pathname.slice(3)")
    # Who has never given a microphone here tries it before the first room.
    sign_in(ben, f"/r/{room}")
    ben.sees("green-room")
    ben.click("enter-room")
    ben.hears_tone(440)
    anna.sees_no("invite-chip")
    ben.click("microphone")
    live(ben)
    # Whoever has spoken goes straight in.
    ben.click("leave")
    ben.wait("the question, or the lobby", "return document.querySelector(arguments[0] + ',' + arguments[1])",
             ben.selector("ask-yes"), ben.selector("lobby"))
    ben.click("ask-yes")
    ben.click("room-card")
    ben.sees("salon")
    ben.sees_no("enter-room")
    ben.hears_tone(440)


@story("A14-W after signing in a host is on air with picture and sound after four presses, with nothing filled in")
def test_live_host(people):
    anna, ben = people("Anna", tone_hertz=440), people("Ben")
    sign_in(anna)
    presses = Presses(anna)
    presses.on("create-room-empty")
    presses.on("create-kind-live")
    presses.on("prepare-camera")
    sees_picture(anna, "prepare-video")
    presses.on("create-submit")
    sees_picture(anna, "picture-0")
    assert presses.count == 4
    anna.sees("room-name", "Anna’s live")
    sign_in(ben, anna.run("return location.pathname"))
    sees_picture(ben, "picture-0")
    ben.hears_tone(440)
