"""The bar below a room: what stands in it, whole and in its place."""

from client import Client, ticket
from steps import enter_salon, go_in, live, sign_in, sit, start_room
from story import story
from test_live import choose

PHONES, DESKTOP = ((360, 780), (390, 844)), (1280, 800)
LANGUAGES = ("en", "ko", "zh-Hans")

# What is wrong with the bar: words that are cut, a middle that stands elsewhere, cells of different widths.
WRONG = """
const dock = document.querySelector('.dock'), box = dock.getBoundingClientRect();
const cells = [...dock.children].map(cell => cell.getBoundingClientRect());
const middle = cells[(cells.length - 1) / 2], found = [];
for (const word of dock.querySelectorAll('.dock-word, .mic-word, .mic-word > span'))
  if (word.scrollWidth > word.clientWidth) found.push(`cut: ${word.textContent}`);
if (innerWidth < 900 && cells.length !== 5) found.push(`${cells.length} cells`);
if (!middle) found.push('no middle');
else if (Math.abs(middle.left + middle.width / 2 - box.left - box.width / 2) > 1) found.push('the middle is elsewhere');
const widths = cells.filter(cell => cell !== middle).map(cell => Math.round(cell.width));
if (Math.max(...widths) - Math.min(...widths) > 1) found.push(`uneven: ${widths}`);
if (box.left < 0 || box.right > innerWidth) found.push('wider than the window');
return found;
"""


def speaks(person, language):
    person.click("more")
    person.click("more-settings")
    choose(person, "setting-language", language)
    person.click("sheet-close")
    person.wait(language, "return document.documentElement.lang === arguments[0]", language)


def is_whole(person, what):
    """In each language, on two phones and a desktop."""
    for language in LANGUAGES:
        speaks(person, language)
        for width, height in (DESKTOP, *PHONES):
            person.size(width, height)
            person.run_async("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")
            wrong = person.run(WRONG)
            assert not wrong, f"{what}, {language}, {width} px: {wrong}"
    speaks(person, "en")


@story("V04-W V10-W R07-W in a salon the microphone stays in the middle of the bar and no word is cut, whoever one is, in three languages at 360, 390 and 1280 px")
def test_salon_dock(people, server):
    mina = Client(server, ticket(server, "Mina"))
    room = mina.call("room.create", name="Keyboard salon", seats=4)["room"]
    mina.call("seat.take", room=room, seat=0)
    ben = people("Ben", width=390, height=844)
    enter_salon(ben, room)
    user = ben.run("return JSON.parse(sessionStorage['ovation.identity']).user")
    is_whole(ben, "a listener")
    mina.call("room.update", room=room, needsRequest=True)
    ben.sees("microphone", "Ask to speak")
    is_whole(ben, "somebody who has to ask")
    ben.click("microphone")
    ben.sees('[data-mic="pending"]')
    is_whole(ben, "somebody who waits")
    mina.call("room.update", room=room, needsRequest=False)
    ben.click("cancel-request")
    sit(ben, 1)
    live(ben)
    is_whole(ben, "a speaker")
    mina.call("seat.mute", room=room, seat=1, muted=True)
    ben.sees('[data-mic="mutedByHost"]')
    is_whole(ben, "a muted speaker")
    mina.call("role.set", room=room, user=user, role="admin")
    ben.sees("hand", "Requests")
    is_whole(ben, "a co-host")


@story("L02-W L03-W R07-W in a live room a viewer's middle is the gift, of who is on stage the microphone, with one way to the stage and no word cut, in three languages at 360, 390 and 1280 px")
def test_live_dock(people, server):
    mina = Client(server, ticket(server, "Mina"))
    room = mina.call("room.create", name="Kitchen concert", kind="live", seats=4, needsRequest=True)["room"]
    mina.call("seat.take", room=room, seat=0)
    ben = people("Ben", width=390, height=844)
    sign_in(ben, f"/r/{room}")
    go_in(ben)
    ben.sees('[data-testid="gifts"][data-main]')
    ben.sees("come-on-stage")
    ben.sees_no("microphone")
    is_whole(ben, "a viewer")
    mina.call("seat.pick", room=room, seat=1, user=ben.run("return JSON.parse(sessionStorage['ovation.identity']).user"))
    ben.sees("microphone")
    ben.sees_no("come-on-stage")
    is_whole(ben, "on stage")
    ben.open("/")
    ben.click("held-leave")
    ben.sees("lobby")
    start_room(ben)
    ben.click("create-kind-live")
    ben.click("create-submit")
    ben.sees("pk")
    is_whole(ben, "the host")


@story("R07-W what is behind a sheet is dark and blurred in either theme, and not blurred for whoever asks for less transparency")
def test_behind_a_sheet(people):
    anna = people("Anna", moving=True)
    sign_in(anna)
    start_room(anna)
    anna.sees("create-sheet")
    behind = "const { backdropFilter, backgroundColor } = getComputedStyle(document.querySelector('dialog[open]'), '::backdrop'); return [backdropFilter, backgroundColor]"
    for theme, scrim in (("dark", "rgba(6, 7, 11, 0.62)"), ("light", "rgba(30, 28, 24, 0.42)")):
        anna.scheme(theme)
        anna.wait(f"the {theme} theme", "return (document.documentElement.dataset.theme ?? 'dark') === arguments[0]", theme)
        assert anna.run(behind) == ["blur(3px)", scrim]
    anna.motion = "reduce"
    anna.scheme("light")
    assert anna.run(behind)[0] == "none"
