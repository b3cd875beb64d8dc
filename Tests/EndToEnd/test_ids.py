"""The same id everywhere: in links, in the REST API, in what the console asks for, and in rooms."""

import random
import string
import urllib.parse

from story import story
from test_rest_api import house  # noqa: F401

PRINTABLE = [chr(code) for code in range(0x20, 0x7F)]
NAME = string.ascii_letters + string.digits + "_-"
ROOMS = [letter for letter in PRINTABLE if letter not in "\"'*/\\`"]


def drawn(letters, most, count):
    """All the letters, in ids that are the same on every run; and those that look like something else."""
    random_ = random.Random(48213)
    rows = ["".join(letters[at:at + most]) for at in range(0, len(letters), most)]
    return rows + ["".join(random_.choices(letters, k=random_.randrange(1, most + 1))) for _ in range(count)]


def as_form(**query):
    """As browsers' URLSearchParams and most libraries write a query: a space is a plus."""
    return "?" + urllib.parse.urlencode(query)


@story("R01-S A07-S every id of a gift, a person, a key, a word and a song that there may be comes back as it was given, from any address it stands in")
def test_ids(house):
    for gift in [*drawn(NAME, 32, 8), "-", "_", "--", "0", "__proto__"]:
        assert house.ask("put", f"/v1/gifts/{gift}", {"name": "A", "price": 1})[0] == 200, gift
        assert gift in [known["id"] for known in house.ask("get", "/v1/gifts")[1]["gifts"]], gift
        assert gift in [known["id"] for known in house.host.call("gift.list")["gifts"]], gift
        assert house.ask("delete", f"/v1/gifts/{gift}")[0] == 200, gift
        assert gift not in [known["id"] for known in house.ask("get", "/v1/gifts")[1]["gifts"]], gift
    for user in [*drawn(NAME, 32, 8), "-", "_", "0", "__proto__"]:
        assert house.ask("put", f"/v1/users/{user}/restrictions/ban", {"seconds": 600})[0] == 200, user
        assert user in [restriction["user"] for restriction in house.ask("get", "/v1/restrictions?limit=1000")[1]["restrictions"]], user
        assert [line["target"] for line in house.ask("get", "/v1/audit" + as_form(user=user))[1]["lines"]] == [user], user
        assert house.ask("delete", f"/v1/users/{user}/restrictions/ban")[0] == 200, user
    for name in drawn(NAME, 32, 4):
        status, made = house.ask("post", "/v1/keys", {"name": name, "scopes": ["rooms:read"]})
        assert status == 201, (name, made)
        assert [key["name"] for key in house.ask("get", "/v1/keys")[1]["keys"] if key["id"] == made["id"]] == [name]
        assert house.ask("delete", f"/v1/keys/{made['id']}")[0] == 200, name
    words = sorted({word.strip() for word in [*drawn(PRINTABLE, 24, 20), "a b", "a+b", "a%20b", "50%", "a&b=c", "#a", "ü b", "금칙어 둘"]} - {""})
    assert house.ask("post", "/v1/words", {"add": words})[0] == 200
    listed, cursor = [], None
    while page := house.ask("get", "/v1/words" + as_form(limit=1, **({"cursor": cursor} if cursor else {})))[1]:
        listed += page["words"]
        cursor = page.get("cursor")
        if cursor is None:
            break
        assert len(listed) <= len(words), "the list goes round"
    assert sorted(listed) == sorted(house.ask("get", "/v1/words?limit=1000")[1]["words"]) and len(listed) == len(set(listed))
    assert house.ask("post", "/v1/words", {"remove": listed})[1]["count"] == 0
    house.host.call("room.exit", room=48213)
    # The trail takes some thirty lines of a person in a minute.
    for room in [*drawn(ROOMS, 64, 1), "a b", "a+b", "a b+c%20d", "~", "1"]:
        house.host.call("room.create", room=room, name="A", kind="chorus")
        house.host.call("room.update", room=room, name="B")
        plain = "~" + room if room.isdigit() or room.startswith("~") else room
        lines = house.ask("get", "/v1/audit" + as_form(room=plain))[1]["lines"]
        assert lines and {line["room"] for line in lines} == {room}, (room, lines)
        house.host.call("seat.take", room=room, seat=0)
        for song in drawn(PRINTABLE[1:], 64, 1):
            house.host.call("song.start", room=room, song={"id": song, "title": "A", "durationMs": 60_000, "accompaniment": "/a.mp3"})
            link = "/v1/rooms/" + urllib.parse.quote(plain, safe="")
            assert house.guest.call("room.get", rooms=[room])["rooms"][0]["room"] == room, room
            assert house.ask("get", link)[1]["play"]["song"]["id"] == song, song
        house.host.call("room.destroy", room=room)
