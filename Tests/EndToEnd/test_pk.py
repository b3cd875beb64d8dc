"""Two live rooms on their pages: a challenge, both hosts side by side, points, an end."""

import concurrent.futures
import time

from browsers import PATIENCE
from client import Client, ticket
from line import Line
from sound import tones
from steps import go_in, sign_in
from story import story
from test_live import go_live, sees_no_picture, sees_picture
from test_ways_out import is_asked, reaches_all, stays, watch_for_refusals


def two_rooms(people, **options):
    anna, leo = (people(name, crowded=True, **options.get(name.lower(), {})) for name in ("Anna", "Leo"))
    # Beside each other: most of it is waiting for the preview and the countdown.
    with concurrent.futures.ThreadPoolExecutor() as hands:
        rooms = list(hands.map(go_live, (anna, leo), ("Anna sings", "Leo cooks")))
    for host in (anna, leo):
        sees_picture(host, "picture-0")
    return anna, leo, *rooms


def toasts_keep_clear(person, *parts):
    """Toasts as many as there can be, and a long one, lie over none of these."""
    covered = person.run("""
        const toasts = document.querySelector('ov-toasts');
        const taken = ['One', 'Two of them', 'Three, and a sentence that needs a second line on a phone'].map(text => toasts.show({ text }));
        const { top, bottom } = toasts.getBoundingClientRect();
        const covered = [...arguments].filter(part => {
          const box = document.querySelector(part).getBoundingClientRect();
          return box.bottom > top && box.top < bottom;
        });
        taken.forEach(take => take());
        return covered;""", *parts)
    assert not covered, f"toasts cover {covered}"


def hears_no(person, hertz):
    """Until no track carries that frequency any more, twice in a row."""
    deadline = time.monotonic() + PATIENCE
    quiet = 0
    while quiet < 2:
        heard = person.hears()
        quiet = 0 if any(abs(found - hertz) <= 8 for found in tones(heard)) else quiet + 1
        assert time.monotonic() < deadline, f"{person.name} still hears {hertz} Hz: {heard}"


# What has become of an accepted invitation: the clock runs, or nothing is left of it a second long.
BEGUN_OR_NOT = """
const phase = document.querySelector('[data-testid=pk-head]')?.dataset.phase;
if (phase === 'running') return 'running';
if (phase || document.querySelector('[data-testid=pk-waiting], [data-testid=tile-guest-0]')) window.lastOfIt = performance.now();
return performance.now() - (window.lastOfIt ??= performance.now()) > 1000 && (window.lastOfIt = undefined, 'ended');
"""


# Neither the head nor the chat lies over what is pressed on a phone that is turned.
NOTHING_COVERED = """
return document.querySelector('.salon').matches('[data-turned]')
  && [...document.querySelectorAll('.guest-tile button, .guest-tile a')].every(one => {
    const { left, top, width, height } = one.getBoundingClientRect();
    return one.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
"""


INVITED_OR_AGAIN = """
if (document.querySelector('[data-testid=pk-waiting]')) return true;
const row = document.querySelector(arguments[0]);
const button = row?.dataset.state === 'free' ? row.querySelector('button') : null;
if (button && !button.disabled) button.click();
return false;
"""


def invite(host, room, minutes=3):
    host.click("pk")
    host.click(f"pk-minutes-{minutes}")
    # The server takes one a second: who invites right after an earlier one presses again.
    host.wait("the invitation to be on its way", INVITED_OR_AGAIN, f"[data-testid=rival][data-room='{room}']")


@story("L04-W L05-W L20-W A14-W a host invites another one out of the list; both rooms see and hear both, gifts are points, what a host presses or "
       "loses meanwhile leads back into the PK, and who breaks off has lost in both")
def test_pk(people, server):
    line = Line(server.port)
    anna, leo, first, second = two_rooms(people, anna={"tone_hertz": 440, "through": line}, leo={"tone_hertz": 700})
    carl = people("Carl", crowded=True)
    sign_in(carl, f"/r/{second}")
    sees_picture(carl, "picture-0")
    for attempt in range(3):
        invite(anna, second, minutes=10)
        anna.sees("pk-waiting", "Inviting Leo")
        leo.sees("pk-invited", "Anna invites you to a PK of 10 minutes")
        assert carl.run("return document.querySelector('[data-testid=pk-invited]') === null"), "the challenge is the host's alone"
        leo.click("pk-accept")
        # The hosts have five seconds to see each other, which several browsers on one machine do not always manage.
        if anna.wait("the clock, or the end of it", BEGUN_OR_NOT) == "running":
            break
    for person in (anna, leo, carl):
        sees_picture(person, "picture-guest-0")
        sees_picture(person, "picture-0")
        person.wait("the clock", "return document.querySelector('[data-testid=pk-head]')?.dataset.phase === 'running'")
    carl.hears_tone(440)
    # Whoever comes now sees all of it at once.
    ben = people("Ben", crowded=True, width=390, height=844)
    sign_in(ben, f"/r/{first}")
    sees_picture(ben, "picture-0")
    sees_picture(ben, "picture-guest-0")
    ben.hears_tone(700)
    for person in (anna, carl):
        person.wait("3-2-1 is over", "return document.querySelector('[data-testid=pk-three]')?.hidden === true")
    ben.click("gifts")
    ben.click("gift-faucet")
    # Likes are no points where there are gifts.
    ben.click("like")
    for _ in range(4):
        ben.click("gift-rose")
    ben.click("gift-close")
    for person, ours, theirs in ((anna, "3", "0"), (ben, "3", "0"), (leo, "0", "3"), (carl, "0", "3")):
        person.wait(
            "the points", "return ['ours', 'theirs'].every((side, at) => document.querySelector(`[data-testid=pk-${side}]`)?.textContent === arguments[at])", ours, theirs
        )
    # A viewer cheers with gifts; nobody is asked on stage meanwhile.
    ben.sees("gifts", "Cheer")
    ben.sees("ranking")
    ben.sees_no("come-on-stage")
    ben.sees_no("microphone")
    for person in (anna, ben):
        toasts_keep_clear(person, ".salon-head", ".pk-head")
    # Each for themselves.
    ben.click("guest-0")
    ben.sees("link-visit")
    reaches_all(ben, "the sheet of the other host")
    ben.click("link-mute-me")
    ben.click("sheet-close")
    ben.wait("silence from the other host", "return document.querySelector(`[data-testid=playout] audio[data-seat=\"10\"]`).muted")
    anna.hears_tone(700)
    # And the host for all.
    anna.click("guest-0")
    anna.click("link-mute")
    anna.click("sheet-close")
    hears_no(anna, 700)
    ben.hears_tone(440)
    carl.hears_tone(440)

    # Whatever the host does with the page, and without a line to the server for a moment: the PK runs on.
    def is_in_the_pk():
        anna.sees('[data-testid="pk-head"][data-phase="running"]')
        for place in ("picture-0", "picture-guest-0"):
            sees_picture(anna, place)

    watch_for_refusals(anna)
    # A page that is loaded anew shows nobody before they press.
    stays(anna, line, "the host of a PK", is_in_the_pk, again="camera")
    is_asked(anna, f"/r/{second}", "the host of a PK", is_in_the_pk, again="camera")
    for person, place in ((leo, "picture-guest-0"), (carl, "picture-guest-0"), (ben, "picture-0")):
        person.sees('[data-testid="pk-head"][data-phase="running"]')
        sees_picture(person, place)
    # Breaking off is asked about.
    leo.click("pk")
    leo.click("link-quit")
    leo.sees("break-off-sheet", "counts as lost")
    leo.click("ask-yes")
    # A toast goes after some seconds, the rest stays.
    anna.sees("toast", "Leo broke off, and has lost")
    for person in (leo, carl, anna, ben):
        person.wait("no guest", "return document.querySelector('[data-testid=tile-guest-0]') === null")
    sees_picture(ben, "picture-0")
    sees_picture(carl, "picture-0")
    line.close()


@story("L04-W L20-W a host who declines has quiet from the other one; one who takes an invitation back, or is alone, is told so; a link needs no PK")
def test_declined(people, server):
    anna, leo, first, second = two_rooms(people)
    anna.sees("invite-chip")
    invite(anna, second)
    leo.click("pk-not-now")
    anna.sees("toast", "Leo would rather not right now")
    anna.click("pk")
    anna.wait("the reason", "return document.querySelector(arguments[0])?.innerText.includes('Declined. Invite again in')", f"[data-testid=rival][data-room='{second}']")
    anna.click("sheet-close")
    invite(leo, first, minutes=0)
    anna.sees("pk-invited", "Leo would like to connect")
    leo.click("pk-cancel")
    anna.sees("toast", "Leo took the invitation back")
    invite(leo, first, minutes=0)
    anna.click("pk-accept")
    for host in (anna, leo):
        sees_picture(host, "picture-guest-0")
        assert host.run("return document.querySelector('[data-testid=pk-head]') === null")
        # Nobody is alone, and nothing lies over the other's name.
        host.sees_no("invite-chip")
    # The list names both.
    carl = people("Carl")
    sign_in(carl)
    for room, hosts in ((first, "Anna with Leo"), (second, "Leo with Anna")):
        carl.wait("both hosts in the list", "return document.querySelector(`[data-room=\"${arguments[0]}\"] [data-testid=card-hosts]`)?.textContent === arguments[1]", room, hosts)
    # A third room beside them: each name can be read on a phone, for who may visit it too.
    kim = Client(server, ticket(server, "Katharina"))
    third = kim.call("room.create", name="Katharina paints", kind="live", seats=4)["room"]
    kim.call("seat.take", room=third, seat=0)
    kim.call("pk.challenge", room=third, other=int(first))
    anna.click("pk-accept")
    carl.open(f"/r/{first}")
    for person in (anna, carl):
        person.sees("tile-guest-1")
        person.size(390, 844)
        person.wait("whole names", """
            const names = [...document.querySelectorAll('.guest-tile .clip')];
            return names.length === 2 && names.every(name => name.scrollWidth <= name.clientWidth)""")
        reaches_all(person, "three linked rooms")
        person.size(640, 300)
        person.wait("the turned page, with nothing over a linked room", NOTHING_COVERED, seconds=20)
    anna.size(960, 640)
    # Points are between two: nobody is offered a PK that the server would refuse.
    anna.click("guest-1")
    anna.sees("link-quit")
    anna.sees_no("link-rematch")
    anna.click("sheet-close")
    carl.open("about:blank")
    # A page that is loaded anew sees it still; one whose room ends lets go of the other.
    leo.open(f"/r/{second}")
    go_in(leo)
    sees_picture(leo, "picture-guest-0")
    leo.click("more")
    leo.click("more-end")
    leo.click("ask-yes")
    anna.sees("toast", "The connection with Leo has ended")
    anna.wait("no guest", "return document.querySelector('[data-testid=tile-guest-0]') === null")
