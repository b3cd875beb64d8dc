"""What live rooms look like now: in the list, and to whoever comes before the first picture does."""

import re
import urllib.request

from story import story
from steps import sign_in
from test_live import go_live, sees_picture

STILL = "const i = document.querySelector('[data-testid=room-card][data-room=\"' + arguments[0] + '\"] ov-still img'); return i?.complete && i.naturalWidth ? [i.naturalWidth, i.naturalHeight, i.src] : null"
NO_STILL = "const c = document.querySelector('[data-testid=room-card][data-room=\"' + arguments[0] + '\"]'); return !!c && !c.querySelector('ov-still img')"
# How much the colours of what is drawn differ: a grey or black still differs by nothing.
CONTRAST = """const i = document.querySelector('ov-still img'), c = document.createElement('canvas');
c.width = c.height = 16; const g = c.getContext('2d'); g.drawImage(i, 0, 0, 16, 16);
const all = g.getImageData(0, 0, 16, 16).data.filter((_, at) => at % 4 !== 3);
return Math.max(...all) - Math.min(...all)"""


SIZE = "const done = arguments[1], i = new Image(); i.onload = () => done([i.naturalWidth, i.naturalHeight]); i.onerror = () => done(null); i.src = arguments[0]"


def unfolded(server, path):
    """What a messenger shows of a link: its picture's address and kind, and its words."""
    with urllib.request.urlopen(server.url + path) as page:
        card = dict(re.findall(r'<meta property="(og:[^"]+)" content="([^"]*)"', page.read().decode()))
    with urllib.request.urlopen(card["og:image"]) as picture:
        return card["og:image"], picture.headers["Content-Type"], card["og:title"], card["og:description"]


@story("L01-W R12-S R12-W the list shows what a live room looks like, for as long as its host is seen and wants it; so does its link in a messenger, "
       "and shows its cover otherwise")
def test_list(people, server):
    anna, ben = people("Anna"), people("Ben")
    sign_in(ben)
    ben.sees("lobby")
    room = go_live(anna)
    ben.wait("a still in the list", STILL, room)
    width, height, first = ben.run(STILL, room)
    assert max(width, height) == 360 and f"/v1/rooms/{room}/still/" in first, (width, height, first)
    assert ben.run(CONTRAST) > 60
    address, kind, title, words = unfolded(server, f"/r/{room}")
    assert f"/v1/rooms/{room}/card/" in address and kind == "image/jpeg" and title == "Evening live" and words.startswith("Anna"), (address, kind, title, words)
    assert ben.run_async(SIZE, address) == [1200, 630]
    # The next one takes its place.
    ben.wait("a newer still", "const i = [...document.querySelectorAll('ov-still img')].pop(); return !!i && i.src !== arguments[0]", first)
    anna.click("more")
    anna.click("more-sending")
    anna.click("sending-still")
    ben.wait("no still", NO_STILL, room)
    anna.click("sending-still")
    ben.wait("a still again", STILL, room)
    anna.click("sheet-close")
    anna.click("camera")
    ben.wait("no still of a camera that is off", NO_STILL, room, seconds=20)
    cover, kind, *_ = unfolded(server, f"/r/{room}")
    assert "/cards/" in cover and kind in ("image/jpeg", "image/png") and ben.run_async(SIZE, cover) == [1200, 630], (cover, kind)
    # The address of before, which a messenger may have kept.
    assert ben.run_async(SIZE, address) == [1200, 630]


@story("L01-W L02-W whoever comes sees the room's colours until its picture is there")
def test_before_the_picture(people):
    anna, ben = people("Anna"), people("Ben")
    sign_in(ben)
    ben.sees("lobby")
    room = go_live(anna)
    ben.wait("a still in the list", STILL, room)
    ben.run("document.querySelector('[data-testid=room-card]').click()")
    ben.sees("live-stage")
    ben.wait("its colours", "const c = document.querySelector('.tile ov-still canvas'); return !!c && c.width === 24")
    sees_picture(ben, "picture-0")
