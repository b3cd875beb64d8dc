"""Languages, keyboard, sizes: what holds on every page."""

from selenium.webdriver.common.keys import Keys

from client import Client, ticket
from steps import create_salon, go_in, live, microphone_is, sign_in, sit
from story import story

OVERFLOW = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


@story("R07-W the browser's language is taken up, and Korean, Chinese and English can be chosen without a reload")
def test_languages(people):
    person = people("지민", language="ko")
    sign_in(person)
    person.sees("create-room", "만들기")
    assert person.run("return document.documentElement.lang") == "ko"
    seen = {person.text("create-room").strip()}
    for language in ("zh-Hans", "en"):
        person.click("open-settings")
        person.run(
            "const e = document.querySelector(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('change', {bubbles: true}));",
            person.selector("setting-language"), language)
        person.click("sheet-close")
        person.wait(language, "return document.documentElement.lang === arguments[0]", language)
        seen.add(person.text("create-room").strip())
    assert len(seen) == 3, seen


@story("R07-W the salon by keyboard alone: m mutes, Escape closes, the focus stays visible")
def test_keyboard(people):
    person = people("Keys")
    create_salon(person)
    sit(person, 0)
    live(person)
    person.run("document.activeElement.blur()")
    person.keys("m")
    microphone_is(person, "mutedByMe")
    person.keys("m")
    live(person)
    person.click("more")
    person.sees("more-sheet")
    person.keys(Keys.ESCAPE)
    person.sees_no("more-sheet")
    assert person.run("return document.activeElement.dataset.testid") == "more", "the focus went astray"
    reached = set()
    for _ in range(60):
        person.keys(Keys.TAB)
        reached.add(person.run("return document.activeElement.dataset.testid || ''"))
    wanted = {"microphone", "hand", "like", "leave", "chat-input", "seat-0", "seat-3", "more", "show-id"}
    assert wanted <= reached, f"not reached by Tab: {wanted - reached}"


@story("R07-W no page is wider than the window at 360 px, with sixteen seats and names of forty characters")
def test_narrow(people, server):
    long_name = "가나다라마바사아자차카타파하" * 3
    crowd = [Client(server, ticket(server, (long_name + str(n))[-40:])) for n in range(8)]
    room = crowd[0].call("room.create", name=long_name[:40], seats=16)["room"]
    for seat, client in enumerate(crowd):
        if seat:
            client.call("room.enter", room=room)
        client.call("seat.take", room=room, seat=seat)
        client.call("message.send", room=room, text="한" * 300)
    person = people("Narrow", width=360, height=640)
    sign_in(person)
    person.sees("room-card")
    assert person.run(OVERFLOW) <= 0, "the lobby is wider than the window"
    person.open(f"/r/{room}")
    go_in(person)
    assert person.run(OVERFLOW) <= 0, "the salon is wider than the window"
    off = person.run("""
        return [...document.querySelectorAll('[data-testid^="seat-"]')].filter((e) => {
          const box = e.getBoundingClientRect();
          return box.left < 0 || box.right > innerWidth;
        }).map((e) => e.dataset.testid)""")
    assert not off, f"seats beyond the edge: {off}"
    for client in crowd:
        client.close()
