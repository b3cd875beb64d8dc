"""What people do in the salon, as steps that several stories share."""

# Whether nothing lies over the part, and it is on the screen whole.
IN_SIGHT = """
const one = document.querySelector(`[data-testid=${arguments[0]}]`), box = one.getBoundingClientRect();
return [box.top + 2, box.bottom - 2].every(y => one.contains(document.elementFromPoint(box.left + box.width / 2, y)));
"""


def sign_in(person, path="/"):
    person.open(path)
    person.type("sign-in-name", person.name)
    person.click("sign-in-submit")
    return person


def create_salon(person, name="Evening salon", seats=None, needs_request=False, tags="", kind="voice"):
    """Signs in and creates a room, whose host gets up from the seat again; gives the room's id as its link has it."""
    sign_in(person)
    person.sees("lobby")
    return open_salon(person, name, seats, needs_request, tags, kind)


def start_room(person):
    """Presses the lobby's button: on phones, and where nobody is live, it is another one."""
    person.wait("the sheet for a new room", """
        if (document.querySelector('[data-testid=create-sheet]')) return true;
        if (!document.querySelector('[data-testid=lobby] [aria-busy=true]'))
          [...document.querySelectorAll('[data-testid^=create-room]')].find(e => e.checkVisibility({ visibilityProperty: true }))?.click();
        return false;""")


def open_salon(person, name, seats=None, needs_request=False, tags="", kind="voice"):
    """As `create_salon` does, by somebody who is in the lobby."""
    start_room(person)
    if kind != "voice":
        person.click(f"create-kind-{kind}")
    person.type("create-name", name)
    if seats:
        person.run(
            "const e = document.querySelector(arguments[0]); e.value = arguments[1];"
            "e.dispatchEvent(new Event('input', {bubbles: true})); e.dispatchEvent(new Event('change', {bubbles: true}));",
            person.selector("create-seats"), str(seats))
    if tags:
        person.type("create-tags", tags)
    if needs_request:
        person.run("document.querySelector(arguments[0]).click()", person.selector("create-needs-request"))
    person.click("create-submit")
    person.sees("salon")
    if kind == "voice":
        sits(person, 0)
        person.click("seat-0")
        person.click("stand")
        shows_empty(person, 0)
    return person.run("return location.pathname.slice(3)")


def go_in(person):
    """Through the green room, if the page is there, into the salon."""
    person.wait("the green room or the salon", "return !!document.querySelector(arguments[0] + ',' + arguments[1])",
                person.selector("enter-room"), person.selector("salon"))
    there = "return !!document.querySelector(arguments[0])"
    if person.run(there, person.selector("enter-room")):
        try:
            person.click("enter-room")
        except Exception:
            # Viewers of a live room go straight in: the green room may be there for a moment alone.
            if person.run(there, person.selector("enter-room")):
                raise
    person.sees("salon")


def enter_salon(person, room):
    """By the link, as somebody who was sent it."""
    sign_in(person, f"/r/{room}")
    go_in(person)
    return person


def sit(person, seat):
    """A plain tap on a seat; the owner chooses "sit" in the seat's sheet; announces the microphone where the page asks."""
    person.click(f"seat-{seat}")
    person.wait("the seat's sheet, the microphone's announcement or the seat", """
        const [sheet, announce, seat] = arguments;
        return document.querySelector(sheet) || document.querySelector(announce) || document.querySelector(seat + '[data-me]');
        """, person.selector("seat-sit"), person.selector("microphone-continue"), person.selector(f"seat-{seat}"))
    if person.run("return !!document.querySelector(arguments[0])", person.selector("seat-sit")):
        person.click("seat-sit")
    allow_microphone(person, f'{person.selector(f"seat-{seat}")}[data-me]')
    sits(person, seat)


def allow_microphone(person, until):
    person.wait("the microphone's announcement or what follows it",
                "return document.querySelector(arguments[0]) || document.querySelector(arguments[1])",
                person.selector("microphone-continue"), until)
    if person.run("return !!document.querySelector(arguments[0])", person.selector("microphone-continue")):
        person.click("microphone-continue")


def sits(person, seat):
    person.sees(f'{person.selector(f"seat-{seat}")}[data-me][data-state="used"]')


def shows(viewer, seat, name):
    """The viewer's stage has that name on the seat."""
    viewer.sees(f'{viewer.selector(f"seat-{seat}")}[data-state="used"]', name)


def shows_empty(viewer, seat, state="empty"):
    viewer.sees(f'{viewer.selector(f"seat-{seat}")}[data-state="{state}"]')


def live(person):
    person.sees('[data-testid="microphone"][data-mic="live"]')


def microphone_is(person, state):
    person.sees(f'[data-testid="microphone"][data-mic="{state}"]')


def person_sheet(person, seat):
    person.click(f"seat-{seat}")
    person.sees("person-sheet")


def say(person, text):
    if person.run("return !document.querySelector(arguments[0])?.getBoundingClientRect().width", person.selector("chat-input")):
        person.click("toggle-chat")
    person.type("chat-input", text)
    person.click("chat-send")


def reads(person, text):
    person.sees("chat-text", text)


def speaking(viewer, seat):
    """The ring around the seat follows a real level."""
    viewer.sees(f'{viewer.selector(f"seat-{seat}")}[data-speaking]')
