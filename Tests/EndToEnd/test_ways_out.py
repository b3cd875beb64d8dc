"""Wherever somebody is in the app, there is a way on: out of a sheet, to another address, after a reload or a lost connection."""

from selenium.webdriver.common.keys import Keys

from client import Client, ticket
from line import Line
from steps import create_salon, enter_salon, go_in, live, microphone_is, open_salon, sign_in, sit, sits, start_room
from story import story

# What hides its overflow and is scrolled all the same: nobody can scroll it back.
SCROLLED = """
return [...document.querySelectorAll('html, body, body *')].filter(element => {
  const { overflowX, overflowY } = getComputedStyle(element);
  const page = element.matches('html, body');
  return element.scrollTop !== 0 && (page || overflowY === 'hidden') || element.scrollLeft !== 0 && (page || overflowX === 'hidden');
}).map(element => `${element.tagName} ${element.className}: ${element.scrollLeft}, ${element.scrollTop}`)
"""

# What is pressed on the page, or in the sheet over it, and cannot be hit over 44 by 44 px: a point that far from its middle leads
# elsewhere. A label belongs to its field, and a browser rounds a part of a pixel away.
SMALL = """
const within = 21;
const sheet = [...document.querySelectorAll('dialog[open]')].at(-1);
return [...(sheet ?? document).querySelectorAll('button, a[href], input, select, summary')].filter(element => {
  const seen = element.checkVisibility({ visibilityProperty: true }) && element.tabIndex >= 0 && !element.disabled && !element.matches('.skip');
  const { width, height } = element.getBoundingClientRect();
  if (!seen || width <= 1 || width >= 43.5 && height >= 43.5) return false;
  // What lies under the edge of a sheet would be judged by what shows of it.
  if (sheet) element.scrollIntoView({ block: 'center' });
  const box = element.getBoundingClientRect();
  const x = box.left + box.width / 2, y = box.top + box.height / 2;
  const isHit = (dx, dy) => {
    const point = document.elementFromPoint(x + dx, y + dy);
    return !!point && (element.contains(point) || [...element.labels ?? []].some(label => label.contains(point)));
  };
  if (!isHit(0, 0)) return false;
  return ![[0, -within], [0, within], [-within, 0], [within, 0]].every(([dx, dy]) => isHit(dx, dy));
}).map(element => element.dataset.testid ?? element.className)
"""


def stays_put(person, what):
    """Nothing was scrolled away, also after the page was drawn once more."""
    person.run_async("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")
    scrolled = person.run(SCROLLED)
    assert not scrolled, f"after {what}: {scrolled}"


def reaches_all(person, what):
    small = person.run(SMALL)
    assert not small, f"too small for a finger in {what}: {small}"


def opens(person, *way):
    """Presses one after the other; the last one names the sheet."""
    for press in way[:-1]:
        person.click(press)
    person.sees(way[-1])
    reaches_all(person, " > ".join(way))


@story("R07-W on a phone the room stays where it is whichever sheet is opened and closed, with Escape in a field too, and what is pressed is as large as a finger")
def test_sheets_scroll_nothing(people, server):
    anna = people("Anna", width=390, height=844)
    room = create_salon(anna)
    sit(anna, 0)
    anna.sees("invite-chip")
    reaches_all(anna, "the room")
    guest = Client(server, ticket(server, "Ben"))
    guest.call("room.enter", room=int(room))
    guest.call("seat.take", room=int(room), seat=1)
    asker = Client(server, ticket(server, "Carl"))
    asker.call("room.enter", room=int(room))
    # Eight seats and the faces of those who listen are seen whole.
    anna.sees("listener")
    for height in (760, 844):
        anna.size(390, height)
        hidden = anna.run("const { scrollHeight, clientHeight } = document.querySelector('.stage'); return scrollHeight - clientHeight")
        assert hidden <= 0, f"{hidden} px of the stage are hidden on a phone of {height} px"
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
    for button, part in (("toggle-chat", "[data-testid=chat][data-open]"), ("hand", "request-tray")):
        anna.click(button)
        anna.sees(part)
        anna.run("history.back(); return true")
        anna.sees_no(part)
    anna.sees("salon")
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
        # The next Tab leads to what it has.
        anna.wait(f"the focus in {way[-1]}", "return document.activeElement === document.querySelector(arguments[0])", anna.selector(way[-1]))
        anna.keys(Keys.TAB)
        assert anna.run("return document.activeElement.closest('.tray') !== null"), f"Tab leads past {way[-1]}"
        anna.keys(Keys.ESCAPE)
        anna.sees_no(way[-1])
        stays_put(anna, way[-1])
    reaches_all(anna, "the room")
    anna.click("back")
    anna.click("ask-yes")
    anna.sees("lobby")
    reaches_all(anna, "the lobby")
    for way in (("open-settings", "settings-sheet"), ("open-profile", "profile-sheet"), ("create-room-floating", "create-sheet")):
        opens(anna, *way)
        anna.keys(Keys.ESCAPE)
        anna.sees_no(way[-1])
        stays_put(anna, way[-1])


def host_of(server, name, title):
    """Somebody without a browser who has a room; gives its id as well."""
    host = Client(server, ticket(server, name))
    return host, host.call("room.create", name=title, seats=4)["room"]


@story("A09-W A14-W another address in the tab of a room: who listens goes there, a seat or a room of one's own is asked about, and a reload leads back to the seat")
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


class Wanderer:
    """One person in one state after the other: how they get there out of the lobby, and how it shows that they are there."""

    def __init__(self, person, salon, concert):
        self.person, self.salon, self.concert = person, salon, concert

    def card(self, room):
        self.person.click(f'[data-testid="room-card"][data-room="{room}"]')
        go_in(self.person)

    def listens(self):
        self.card(self.salon)

    def is_listening(self):
        microphone_is(self.person, "listener")

    def sits_muted(self):
        self.is_heard_after_sitting()
        self.person.click("microphone")

    def is_muted(self):
        sits(self.person, 1)
        microphone_is(self.person, "mutedByMe")

    def is_heard_after_sitting(self):
        self.card(self.salon)
        sit(self.person, 1)
        live(self.person)

    def is_heard(self):
        sits(self.person, 1)
        live(self.person)

    def hosts(self):
        start_room(self.person)
        self.person.click("create-submit")
        self.is_hosting()

    def is_hosting(self):
        sits(self.person, 0)
        live(self.person)

    def watches(self):
        self.card(self.concert)

    def is_watching(self):
        self.person.sees('[data-testid="gifts"][data-main]')

    def goes_live(self):
        start_room(self.person)
        self.person.click("create-kind-live")
        self.person.click("create-submit")
        self.is_on_air()

    def is_on_air(self):
        self.person.sees("tile-0")
        live(self.person)


# Where somebody is: how they come there and how it shows; whether Back asks first; whether another room's link asks first.
STATES = {
    "who listens": ("listens", "is_listening", False, False),
    "who sits with the microphone off": ("sits_muted", "is_muted", False, True),
    "who is heard": ("is_heard_after_sitting", "is_heard", True, True),
    "the host of a salon": ("hosts", "is_hosting", True, True),
    "who watches": ("watches", "is_watching", False, False),
    "the host of a live room": ("goes_live", "is_on_air", True, True),
}


def has_a_way_on(person, what):
    """There is a heading, something to press, no refusal, and nothing was scrolled away."""
    stays_put(person, what)
    person.wait(f"a heading and something to press after {what}", """
        const seen = e => e.checkVisibility({ visibilityProperty: true });
        return [...document.querySelectorAll('h1')].some(seen) && [...document.querySelectorAll('button:enabled, a[href]')].some(seen);""")
    for refusal in ("message-page", "error-toast"):
        assert person.run("return !document.querySelector(arguments[0])", person.selector(refusal)), f"after {what}: {person.text(refusal)}"


def back_closes(person, sheet, *way):
    """Back closes what those presses open, and nothing else; what is closed otherwise has left the history."""
    path, entries = person.run("return [location.pathname, history.length]")
    for press in way:
        person.click(press)
    person.sees(sheet)
    person.run("history.back(); return true")
    person.sees_no(sheet)
    for press in way:
        person.click(press)
    person.sees(sheet)
    person.keys(Keys.ESCAPE)
    person.sees_no(sheet)
    person.wait("its entry to be gone", "return !history.state?.over")
    assert person.run("return location.pathname") == path
    # The browser keeps what is ahead, of which there is one at most.
    assert person.run("return history.length") <= entries + 1


def another_tab(person):
    """A copy of this tab is nobody, and takes nothing from this one."""
    first = person.driver.current_window_handle
    person.run("window.open(location.href); return true")
    person.driver.switch_to.window(next(handle for handle in person.driver.window_handles if handle != first))
    person.sees("sign-in-name")
    person.driver.close()
    person.driver.switch_to.window(first)


def back_closes_the_form(ben):
    """The form for a room, over it what lies there too; what was typed stays as long as the form is open."""
    start_room(ben)
    ben.click("create-kind-live")
    ben.type("create-name", "Not yet")
    ben.click("prepare-camera")
    ben.click("prepare-beauty")
    ben.sees("beauty-sheet")
    ben.run("history.back(); return true")
    ben.sees_no("beauty-sheet")
    assert ben.run("return document.querySelector(arguments[0]).value", ben.selector("create-name")) == "Not yet"
    ben.run("history.back(); return true")
    ben.sees_no("create-sheet")
    ben.sees("lobby")
    assert ben.run("return location.pathname") == "/"


@story("A14-W wherever one is in a room, sheets, Escape, Back, a second tab, a lost connection, a reload and another room's link lead somewhere: each back, on, or to a question")
def test_states_and_acts(people, server):
    _, salon = host_of(server, "Mina", "Keyboard salon")
    leo, tea = host_of(server, "Leo", "Tea at four")
    iris = Client(server, ticket(server, "Iris"))
    concert = iris.call("room.create", name="Kitchen concert", kind="live", seats=4, needsRequest=True)["room"]
    iris.call("seat.take", room=concert, seat=0)
    line = Line(server.port)
    ben = people("Ben", through=line)
    sign_in(ben)
    wanderer = Wanderer(ben, salon, concert)
    for state, (go, shows, asked_back, asked_link) in STATES.items():
        ben.sees("lobby")
        if state == "who listens":
            back_closes_the_form(ben)
        getattr(wanderer, go)()
        is_there = getattr(wanderer, shows)
        is_there()
        back_closes(ben, "more-sheet", "more")
        back_closes(ben, "settings-sheet", "more", "more-settings")
        is_there()
        room = ben.run("return location.pathname")
        ben.keys(Keys.ESCAPE)
        is_there()
        has_a_way_on(ben, f"Escape by {state}")
        # Back.
        ben.run("history.back(); return true")
        if asked_back:
            ben.click("ask-no")
            is_there()
            assert ben.run("return location.pathname") == room
        else:
            ben.sees("lobby")
            has_a_way_on(ben, f"Back by {state}")
            getattr(wanderer, go)()
            is_there()
        another_tab(ben)
        is_there()
        # A lost connection.
        line.cut()
        ben.sees("banner-reconnecting", seconds=30)
        line.mend()
        ben.sees_no("banner-reconnecting", seconds=30)
        is_there()
        has_a_way_on(ben, f"a lost connection of {state}")
        # Anew with a sheet open: it is gone, and its entry too.
        ben.click("member-count")
        ben.sees("people-sheet")
        ben.driver.refresh()
        is_there()
        ben.wait("the entry of the sheet to be gone", "return !history.state?.over")
        has_a_way_on(ben, f"a reload by {state}")
        # A press, so that the browser would ask before it lets go of a page with an open microphone.
        ben.click("member-count")
        ben.click("sheet-close")
        ben.open(f"/r/{tea}")
        if asked_link:
            ben.sees("held-page")
            has_a_way_on(ben, f"another room's link by {state}")
            ben.click("held-back")
            is_there()
            ben.click("member-count")
            ben.click("sheet-close")
            ben.open(f"/r/{tea}")
            ben.click("held-leave")
        go_in(ben)
        ben.sees("room-name", "Tea at four")
        has_a_way_on(ben, f"leaving for another room by {state}")
        ben.open("/")
    # Who waits in the lobby is told that the list stands still.
    ben.sees("room-card")
    line.cut()
    ben.sees("lobby-reconnecting", seconds=30)
    line.mend()
    ben.sees_no("lobby-reconnecting", seconds=30)
    line.close()
    leo.close()
