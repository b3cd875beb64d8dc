"""Wherever somebody is in the app, there is a way on: out of a sheet, to another address, after a reload or a lost connection."""

from selenium.webdriver.common.keys import Keys

from client import Client, ticket
from steps import create_salon, enter_salon, go_in, microphone_is, open_salon, sit, sits
from story import story

# What hides its overflow and is scrolled all the same: nobody can scroll it back.
SCROLLED = """
return [...document.querySelectorAll('html, body, body *')].filter(element => {
  const { overflowX, overflowY } = getComputedStyle(element);
  const page = element.matches('html, body');
  return element.scrollTop !== 0 && (page || overflowY === 'hidden') || element.scrollLeft !== 0 && (page || overflowX === 'hidden');
}).map(element => `${element.tagName} ${element.className}: ${element.scrollLeft}, ${element.scrollTop}`)
"""

# What is pressed and cannot be hit over 44 by 44 px: a point that far from its middle leads elsewhere. What touches its edge, or scrolls,
# is judged by its own box.
SMALL = """
const within = 21.5;
return [...document.querySelectorAll('.salon button, .salon a, .salon input')].filter(element => {
  const box = element.getBoundingClientRect();
  const seen = element.checkVisibility({ visibilityProperty: true }) && box.width > 1 && element.tabIndex >= 0 && !element.matches('.skip');
  if (!seen || box.width >= 43.5 && box.height >= 43.5) return false;
  const x = box.left + box.width / 2, y = box.top + box.height / 2;
  const middle = document.elementFromPoint(x, y);
  if (!middle || !element.contains(middle)) return false;
  const reach = [[0, -within], [0, within], [-within, 0], [within, 0]];
  return !reach.every(([dx, dy]) => element.contains(document.elementFromPoint(x + dx, y + dy)));
}).map(element => element.dataset.testid ?? element.className)
"""


def stays_put(person, what):
    """Nothing was scrolled away, also after the page was drawn once more."""
    person.run_async("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")
    scrolled = person.run(SCROLLED)
    assert not scrolled, f"after {what}: {scrolled}"


def opens(person, *way):
    """Presses one after the other; the last one names the sheet."""
    for press in way[:-1]:
        person.click(press)
    person.sees(way[-1])


@story("R07-W on a phone the room stays where it is whichever sheet is opened and closed, with Escape in a field too, and what is pressed is as large as a finger")
def test_sheets_scroll_nothing(people, server):
    anna = people("Anna", width=390, height=844)
    room = create_salon(anna)
    sit(anna, 0)
    guest = Client(server, ticket(server, "Ben"))
    guest.call("room.enter", room=int(room))
    guest.call("seat.take", room=int(room), seat=1)
    asker = Client(server, ticket(server, "Carl"))
    asker.call("room.enter", room=int(room))
    asker.call("invitation.send", room=int(room), user=anna.run("return JSON.parse(sessionStorage['ovation.identity']).user"), command="seat.ask")
    anna.sees("request-badge", "1")
    for field in (True, False):
        opens(anna, "toggle-chat", "chat-input")
        if field:
            anna.click("chat-input")
        anna.keys(Keys.ESCAPE)
        anna.sees_no("[data-testid=chat][data-open]")
        assert anna.run("return document.activeElement.dataset.testid") == "toggle-chat", "the focus did not go back"
        stays_put(anna, "the chat")
    for way in (
        ("member-count", "people-sheet"), ("more", "more-sheet"), ("seat-0", "person-sheet"), ("seat-1", "person-sheet"),
        ("seat-3", "seat-sheet"), ("listener", "person-sheet"), ("show-id", "id-sheet"), ("connection", "connection-sheet"),
        ("effects", "effects-sheet"), ("more", "more-settings", "settings-sheet"), ("more", "more-ranking", "ranking-sheet"),
        ("more", "more-coins", "coins-sheet"), ("more", "more-edit", "room-sheet"), ("more", "more-rules", "rules-sheet"),
        ("more", "more-end", "end-sheet"),
    ):
        opens(anna, *way)
        anna.keys(Keys.ESCAPE)
        anna.sees_no(way[-1])
        stays_put(anna, " > ".join(way))
    for way in (("hand", "request-tray"), ("more", "more-gifts", "gift-tray")):
        opens(anna, *way)
        stays_put(anna, f"{way[1]} has opened")
        anna.keys(Keys.ESCAPE)
        anna.sees_no(way[-1])
        stays_put(anna, way[-1])
    small = anna.run(SMALL)
    assert not small, f"too small for a finger: {small}"
    anna.click("back")
    anna.click("ask-yes")
    for way in (("open-settings", "settings-sheet"), ("open-profile", "profile-sheet"), ("create-room-floating", "create-sheet")):
        opens(anna, *way)
        anna.keys(Keys.ESCAPE)
        anna.sees_no(way[-1])
        stays_put(anna, way[-1])


def host_of(server, name, title):
    """Somebody without a browser who has a room; gives its id as well."""
    host = Client(server, ticket(server, name))
    return host, host.call("room.create", name=title, seats=4)["room"]


@story("A09-W another address in the tab of a room: who listens goes there, a seat or a room of one's own is asked about, and a reload leads back to the seat")
def test_another_address(people, server):
    _, keyboard = host_of(server, "Mina", "Keyboard salon")
    _, tea = host_of(server, "Leo", "Tea at four")
    ben = people("Ben")
    enter_salon(ben, keyboard)
    ben.open("/")
    ben.sees("lobby")
    ben.open(f"/r/{keyboard}")
    go_in(ben)
    ben.open(f"/r/{tea}")
    go_in(ben)
    ben.sees("room-name", "Tea at four")
    ben.open(f"/r/{keyboard}")
    go_in(ben)
    sit(ben, 1)
    # The seat is there after a reload, without another press.
    ben.driver.refresh()
    sits(ben, 1)
    ben.click("microphone")
    microphone_is(ben, "mutedByMe")
    ben.open(f"/r/{tea}")
    ben.sees("held-page", "Leave Keyboard salon?")
    ben.click("held-back")
    sits(ben, 1)
    ben.open("/")
    ben.sees("held-page", "You have a seat there")
    ben.click("held-leave")
    ben.sees("lobby")
    # Nothing is in the way of a room of one's own.
    own = open_salon(ben, "By the window")
    ben.open(f"/r/{tea}")
    ben.sees("held-page", "Leave By the window?")
    ben.sees("held-page", "your room")
    ben.click("held-leave")
    go_in(ben)
    ben.sees("room-name", "Tea at four")
    assert own != str(tea)
