"""Wherever somebody is in the app, there is a way on: out of a sheet, to another address, after a reload or a lost connection."""

from typing import NamedTuple

from selenium.webdriver.common.keys import Keys

from client import Client, ticket
from legibility import SMALL
from line import Line
from steps import create_salon, enter_salon, go_in, live, microphone_is, open_salon, sign_in, sit, sits, start_room
from story import story
from test_coming_on_stage import accepts, newest
from test_live import asks

# What hides its overflow and is scrolled all the same: nobody can scroll it back.
SCROLLED = """
return [...document.querySelectorAll('html, body, body *')].filter(element => {
  const { overflowX, overflowY } = getComputedStyle(element);
  const page = element.matches('html, body');
  return element.scrollTop !== 0 && (page || overflowY === 'hidden') || element.scrollLeft !== 0 && (page || overflowX === 'hidden');
}).map(element => `${element.tagName} ${element.className}: ${element.scrollLeft}, ${element.scrollTop}`)
"""

# Runs before the page's own code, in each page of the tab: keeps the words of each refusal that it showed, however short, until the test
# asks. A refusal may come later than anything that a test can wait for.
REMEMBER_REFUSALS = """
(() => {
  if (location.protocol === 'about:' || window.__keepsRefusals) return;
  window.__keepsRefusals = true;
  const kept = new WeakSet();
  const look = () => {
    for (const shown of document.querySelectorAll('[data-testid="message-page"], [data-testid="error-toast"]')) {
      if (kept.has(shown)) continue;
      kept.add(shown);
      const before = JSON.parse(sessionStorage['test.refusals'] ?? '[]');
      sessionStorage['test.refusals'] = JSON.stringify([...before, `${location.pathname}: ${shown.textContent.trim()}`]);
    }
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
})();
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


def host_of(server, name, title, **settings):
    """Somebody without a browser who has a room; gives its id as well."""
    host = Client(server, ticket(server, name))
    return host, host.call("room.create", **{"name": title, "seats": 4, **settings})["room"]


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


class Rooms:
    """Rooms whose hosts have no browser: two salons, a duet, and two live rooms that may be in a PK."""

    def __init__(self, server):
        self.mina, self.salon = host_of(server, "Mina", "Keyboard salon")
        self.leo, self.tea = host_of(server, "Leo", "Tea at four")
        self.noa, self.duet = host_of(server, "Noa", "Two voices", kind="chorus", seats=2)
        self.iris, self.concert = host_of(server, "Iris", "Kitchen concert", kind="live", needsRequest=True)
        self.kim, self.garden = host_of(server, "Kim", "Garden concert", kind="live")
        for host, room in ((self.noa, self.duet), (self.iris, self.concert), (self.kim, self.garden)):
            host.call("seat.take", room=room, seat=0)

    def begin_pk(self):
        """The hosts say that they see each other, as their pages would."""
        terms = {"seconds": 600, "forfeitSeconds": 0, "forfeit": ""}
        self.iris.call("pk.challenge", room=self.concert, other=self.garden, terms=terms)
        self.kim.call("pk.answer", room=self.garden, id=newest(self.kim, "pk.challenge")["challenge"]["id"], agreed=True)
        for host, room in ((self.iris, self.concert), (self.kim, self.garden)):
            newest(host, "pk.changed")
            host.call("pk.ready", room=room)


class Wanderer:
    """One person in one state after the other: how they get there out of the lobby, and how it shows that they are there."""

    def __init__(self, person, rooms):
        self.person, self.rooms = person, rooms

    def card(self, room):
        self.person.click(f'[data-testid="room-card"][data-room="{room}"]')
        go_in(self.person)

    def listens(self):
        self.card(self.rooms.salon)

    def is_listening(self):
        microphone_is(self.person, "listener")

    def sits_muted(self):
        self.is_heard_after_sitting()
        self.person.click("microphone")

    def is_muted(self):
        sits(self.person, 1)
        microphone_is(self.person, "mutedByMe")

    def is_heard_after_sitting(self):
        self.card(self.rooms.salon)
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

    def sings(self):
        self.card(self.rooms.duet)
        sit(self.person, 1)
        self.person.click("headphones-yes")

    def is_singing(self):
        self.person.sees("duet")
        self.is_heard()
        self.person.sees_no("headphones-sheet")

    def watches(self):
        self.card(self.rooms.concert)

    def is_watching(self):
        self.person.sees('[data-testid="gifts"][data-main]')

    def comes_on_stage(self):
        self.watches()
        asks(self.person)
        accepts(self.rooms.iris, self.rooms.concert)

    def is_on_stage(self):
        self.person.sees("tile-1")
        self.person.sees("stand-button")
        live(self.person)

    def watches_a_pk(self):
        if not self.rooms.iris.call("room.enter", room=self.rooms.concert)["snapshot"].get("pk"):
            self.rooms.begin_pk()
        self.watches()

    def is_watching_a_pk(self):
        self.person.sees('[data-testid="pk-head"][data-phase="running"]')
        self.person.sees("tile-guest-0")
        self.is_watching()

    def goes_live(self):
        start_room(self.person)
        self.person.click("create-kind-live")
        self.person.click("create-submit")
        self.is_on_air()

    def is_on_air(self):
        self.person.sees("tile-0")
        live(self.person)


class State(NamedTuple):
    """Where somebody is: how they come there and how it shows; whether Back, and another room's link, ask first."""

    go: str
    shows: str
    back_asks: bool
    link_asks: bool


# The host of a PK stands in test_pk.py, since it takes the other host's picture.
STATES = {
    "who listens": State("listens", "is_listening", False, False),
    "who sits with the microphone off": State("sits_muted", "is_muted", False, True),
    "who is heard": State("is_heard_after_sitting", "is_heard", True, True),
    "the host of a salon": State("hosts", "is_hosting", True, True),
    "who sings in a duet": State("sings", "is_singing", True, True),
    "who watches": State("watches", "is_watching", False, False),
    "a guest on stage": State("comes_on_stage", "is_on_stage", True, True),
    "who watches a PK": State("watches_a_pk", "is_watching_a_pk", False, False),
    "the host of a live room": State("goes_live", "is_on_air", True, True),
}


def watch_for_refusals(person):
    """In the page that is open, and in those that follow in this tab."""
    person.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": REMEMBER_REFUSALS})
    person.run(REMEMBER_REFUSALS)


def has_a_way_on(person, what):
    """There is a heading, something to press, and nothing was scrolled away; and there was no refusal until now."""
    stays_put(person, what)
    person.wait(f"a heading and something to press after {what}", """
        const seen = e => e.checkVisibility({ visibilityProperty: true });
        return [...document.querySelectorAll('h1')].some(seen) && [...document.querySelectorAll('button:enabled, a[href]')].some(seen);""")
    kept, refusals = person.run("return [!!window.__keepsRefusals, JSON.parse(sessionStorage['test.refusals'] ?? '[]')]")
    assert kept, "nobody has watched for refusals"
    assert not refusals, f"before or after {what}: {refusals}"


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


def loses_the_line(person, line):
    """For as short as it may be, and the page says so: a PK whose host is away for longer ends, and a page under load may take as long
    to draw."""
    person.run("""
        const banner = arguments[0];
        window.lostTheLine = false;
        const changes = new MutationObserver(() => {
          if (!document.querySelector(banner)) return;
          changes.disconnect();
          window.lostTheLine = true;
        });
        changes.observe(document.body, { childList: true, subtree: true });""", person.selector("banner-reconnecting"))
    line.cut()
    line.mend()
    person.wait("word of the lost connection", "return window.lostTheLine")
    person.sees_no("banner-reconnecting")


def stays(person, line, what, is_there, go=None, again=None):
    """Sheets, Escape, Back, a second tab, a lost connection and a reload lead back to where somebody is; `go` leads there once more where
    Back leaves without a question; `again` is pressed by whoever comes in anew."""
    is_there()
    back_closes(person, "more-sheet", "more")
    back_closes(person, "settings-sheet", "more", "more-settings")
    is_there()
    room = person.run("return location.pathname")
    person.keys(Keys.ESCAPE)
    is_there()
    has_a_way_on(person, f"Escape by {what}")
    # Back.
    person.run("history.back(); return true")
    if go:
        person.sees("lobby")
        has_a_way_on(person, f"Back by {what}")
        go()
    else:
        person.click("ask-no")
        assert person.run("return location.pathname") == room
    is_there()
    another_tab(person)
    is_there()
    loses_the_line(person, line)
    is_there()
    has_a_way_on(person, f"a lost connection of {what}")
    # Anew with a sheet open: it is gone, and its entry too.
    person.click("member-count")
    person.sees("people-sheet")
    person.driver.refresh()
    if again:
        person.click(again)
    is_there()
    person.wait("the entry of the sheet to be gone", "return !history.state?.over")
    has_a_way_on(person, f"a reload by {what}")


def follows(person, link):
    """Another room's link in this tab, after a press, so that the browser would ask before it lets go of a page with an open microphone."""
    person.click("member-count")
    person.click("sheet-close")
    person.open(link)


def is_asked(person, link, what, is_there, again=None):
    """Another room's link asks first, and one may stay."""
    follows(person, link)
    person.sees("held-page")
    has_a_way_on(person, f"another room's link by {what}")
    person.click("held-back")
    if again:
        person.click(again)
    is_there()


@story("A14-W wherever one is in a room, sheets, Escape, Back, a second tab, a lost connection, a reload and another room's link lead somewhere: each back, on, or to a question")
def test_states_and_acts(people, server):
    rooms = Rooms(server)
    link = f"/r/{rooms.tea}"
    line = Line(server.port)
    ben = people("Ben", through=line)
    watch_for_refusals(ben)
    sign_in(ben)
    wanderer = Wanderer(ben, rooms)
    for what, state in STATES.items():
        ben.sees("lobby")
        if what == "who listens":
            back_closes_the_form(ben)
        go, is_there = getattr(wanderer, state.go), getattr(wanderer, state.shows)
        go()
        stays(ben, line, what, is_there, None if state.back_asks else go)
        if state.link_asks:
            is_asked(ben, link, what, is_there)
        follows(ben, link)
        if state.link_asks:
            ben.click("held-leave")
        go_in(ben)
        ben.sees("room-name", "Tea at four")
        has_a_way_on(ben, f"leaving for another room by {what}")
        ben.open("/")
    # Who waits in the lobby is told that the list stands still.
    ben.sees("room-card")
    line.cut()
    ben.sees("lobby-reconnecting")
    line.mend()
    ben.sees_no("lobby-reconnecting")
    has_a_way_on(ben, "a lost connection in the lobby")
    line.close()
