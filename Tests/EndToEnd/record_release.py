"""Records what a release leaves behind, for every later release to read: a data directory in which each kind of event, a snapshot and
an ended room stand, and what the release itself answered about it after a restart.

    .venv/bin/python Tests/EndToEnd/record_release.py Tests/ServerAppTests/Fixtures/release-2

Run once for a release, with the executable of that release (OVATION_EXECUTABLE), and never again: `ReleasedRoomTests` reads the result.
Release 1 has no gifts, no moderation and no live room; both stand before the first version.
"""

import contextlib
import json
import pathlib
import shutil
import sqlite3
import sys
import tempfile
import time

from client import Client, ticket
from server import Server

SALON, CHORUS, HEIRLOOM, BAZAAR, SHOW, OVER = 48213, "a duet", "heirloom", 48300, "the show", 7
SONG = {"id": "river", "title": "The River", "artist": "Nobody", "durationMs": 180000,
        "accompaniment": "/songs/river/accompaniment.mp3", "original": "/songs/river/original.mp3", "lyrics": "/songs/river/words.lrc"}
CROWD = ("Jo", "Kim", "Lee", "Max", "Mo", "Nan", "Oz")
# More than one snapshot's distance and its lag, so that a snapshot stands in the file.
MESSAGES = 560


def salon(clients):
    """Half of what can happen stands before the snapshot, so that it holds a bit of everything, the other half after it."""
    owner, admin, guest, other = clients
    owner.call("room.create", room=SALON, name="Salon \u2615 사랑방", seats=8, needsRequest=True, tags=["evening", "저녁"],
               cover="/cover.png", key="create")
    for client in (admin, guest, other):
        client.call("room.enter", room=SALON)
    owner.call("role.set", room=SALON, user=admin.user, role="admin", key="role")
    owner.call("seat.take", room=SALON, seat=0)
    asked = guest.call("invitation.send", room=SALON, user=owner.user, command="ENTER_SEAT", content="3", key="ask")["id"]
    owner.call("invitation.accept", room=SALON, id=asked)
    guest.call("seat.take", room=SALON, seat=3, key="sit")
    guest.call("microphone.set", room=SALON, muted=True)
    admin.call("seat.mute", room=SALON, seat=5, muted=True)
    owner.call("seat.close", room=SALON, seat=7, closed=True)
    other.call("like.send", room=SALON, count=42)
    other.call("invitation.send", room=SALON, user=owner.user, command="ENTER_SEAT", content="\u0001\n", timeoutSeconds=3600, id="waits")
    # Somebody who may sit down although the room wants to be asked, and does not.
    consent = admin.call("invitation.send", room=SALON, user=other.user, command="PICK", content="6")["id"]
    other.call("invitation.accept", room=SALON, id=consent)
    guest.call("seat.move", room=SALON, seat=4)
    for number in range(MESSAGES):
        clients[number % 4].patiently("message.send", room=SALON, text=f"message {number}", id=f"m-{number}", key=f"k-{number}")
    owner.call("seat.pick", room=SALON, seat=2, user=other.user)
    owner.call("seat.kick", room=SALON, seat=2)
    guest.call("seat.move", room=SALON, seat=6)
    admin.call("seat.mute", room=SALON, seat=1, muted=True)
    owner.call("seat.close", room=SALON, seat=3, closed=True)
    guest.call("microphone.set", room=SALON, muted=False)
    other.patiently("message.send", room=SALON, command="CMD_DANMU", message='{"text":"\u0007\\"quoted\\" \U0001f3a4"}', id="danmu")
    other.call("like.send", room=SALON, count=7)
    no = admin.call("invitation.send", room=SALON, user=other.user, command="PICK", content="1")["id"]
    other.call("invitation.reject", room=SALON, id=no, reason="later")
    owner.call("room.update", room=SALON, name="Salon, renamed", tags=["night"])


def heirloom(clients):
    """A room whose owner stays away, so that an admin inherits it."""
    owner, heir = clients
    owner.call("room.create", room=HEIRLOOM, name="Heirloom", seats=[{}, {"muted": True}, {"closed": True}])
    heir.call("room.enter", room=HEIRLOOM)
    owner.call("role.set", room=HEIRLOOM, user=heir.user, role="admin")
    owner.call("room.exit", room=HEIRLOOM)
    while not any(event["type"] == "owner.changed" for event in heir.events):
        time.sleep(0.1)  # a recorder, not a test: it looks again until the owner's absence has run out


def chorus(clients):
    lead, follower = clients
    lead.call("room.create", room=CHORUS, kind="chorus", name="Duet", seats=2)
    follower.call("room.enter", room=CHORUS)
    lead.call("seat.take", room=CHORUS, seat=0)
    follower.call("seat.take", room=CHORUS, seat=1)
    lead.call("duet.mode", room=CHORUS, mode="leadFollow", leader=follower.user)
    lead.call("song.start", room=CHORUS, song=SONG, track="original", positionMs=1000)
    lead.call("song.track", room=CHORUS, track="accompaniment")
    lead.call("song.seek", room=CHORUS, positionMs=65000)
    lead.call("song.pause", room=CHORUS)


def bazaar(clients):
    """Coins change hands, and hosts keep order, before and after the snapshot that a crowd's chat brings about."""
    owner, admin, fan, pest = clients
    owner.call("room.create", room=BAZAAR, name="Bazaar", seats=4)
    for client in (admin, fan, pest):
        client.call("room.enter", room=BAZAAR)
    owner.call("role.set", room=BAZAAR, user=admin.user, role="admin")
    admin.call("seat.take", room=BAZAAR, seat=2)
    for client in (admin, fan, pest):
        client.call("wallet.faucet", key="coins")
    cheap, *_, dear = [gift for gift in owner.call("gift.list")["gifts"] if gift["price"] <= 500]
    fan.call("gift.send", room=BAZAAR, gift=cheap["id"], count=7, key="g1")
    pest.call("gift.send", room=BAZAAR, gift=cheap["id"], to=admin.user, key="g1")
    unwanted = pest.patiently("message.send", room=BAZAAR, text="buy elsewhere")["chat"]
    admin.call("message.delete", room=BAZAAR, chat=unwanted)
    owner.call("attributes.set", room=BAZAAR, set={"theme": "market", "gone": "soon"}, add={"visits": 3})
    owner.call("restriction.set", room=BAZAAR, user=pest.user, kind="chat_mute", reason="spam")
    for number in range(MESSAGES):
        clients[number % 3].patiently("message.send", room=BAZAAR, text=f"offer {number}", key=f"o-{number}")
    admin.call("gift.send", room=BAZAAR, gift=cheap["id"], count=2, key="g2")
    fan.call("gift.send", room=BAZAAR, gift=dear["id"], to=admin.user, key="g2")
    fan.call("report.send", room=BAZAAR, user=pest.user, cause="spam", words="again and again")
    owner.call("attributes.set", room=BAZAAR, add={"visits": -1}, remove=["gone"])
    owner.call("restriction.set", room=BAZAAR, user=pest.user, kind="ban", everywhere=True, reason="spam")
    owner.call("room.update", room=BAZAAR, slowSeconds=5, noLinks=True)


def show(clients):
    """A stage with cameras, a screen, requests with words, and a host who changed."""
    anchor, guest, fan = clients
    anchor.call("room.create", room=SHOW, kind="live", name="Show", seats=4, pictureFormat="h264")
    for client in (guest, fan):
        client.call("room.enter", room=SHOW)
    anchor.call("seat.take", room=SHOW, seat=0)
    anchor.call("camera.set", room=SHOW, on=True)
    anchor.call("seat.pick", room=SHOW, seat=1, user=guest.user)
    guest.call("camera.set", room=SHOW, on=True)
    anchor.call("seat.camera", room=SHOW, seat=1, allowed=False)
    anchor.call("stage.arrange", room=SHOW, form="spotlight", large=guest.user)
    guest.call("screen.start", room=SHOW)
    fan.call("invitation.send", room=SHOW, user=anchor.user, command="JOIN_ANCHOR", words="I sing!", id="asks")
    anchor.call("owner.set", room=SHOW, user=guest.user)


def asked(connect):
    """What one person alone is told: of moderation, of money, of what waits for them."""
    (owner, admin, fan), (host,) = connect("Jo", "Kim", "Lee"), connect("Nan")
    for client in (owner, admin, fan):
        client.call("room.enter", room=BAZAAR)
    host.call("room.enter", room=SHOW)
    wanted = [(owner, "restriction.list", {"room": BAZAAR})]
    for client in (owner, admin, fan):
        wanted += [(client, "gift.ranking", {"room": BAZAAR}), (client, "wallet.get", {}), (client, "wallet.statement", {}),
                   (client, "wallet.statement", {"account": "earnings"})]
    wanted += [(host, "invitation.list", {"room": SHOW})]
    return [{"user": client.user, "method": method, "params": params, "answer": client.call(method, **params)}
            for client, method, params in wanted]


def record(target):
    with tempfile.TemporaryDirectory() as work:
        data = pathlib.Path(work) / "data"
        with Server(data, "--rooms-owner-absence-seconds", "1") as server:
            people = {name: ticket(server, name) for name in ("Ada", "Bo", "Cy", "Di", "Eve", "Fay", "Gus", "Hal", "Ida", "Reader", *CROWD)}
            connect = lambda *names: [Client(server, people[name]) for name in names]
            salon(connect("Ada", "Bo", "Cy", "Di"))
            chorus(connect("Eve", "Fay"))
            heirloom(connect("Hal", "Ida"))
            bazaar(connect("Jo", "Kim", "Lee", "Max"))
            show(connect("Mo", "Nan", "Oz"))
            (gone,) = connect("Gus")
            gone.call("room.create", room=OVER, name="Over", seats=4)
            gone.call("room.destroy", room=OVER)
            server.kill()
            left = pathlib.Path(work) / "left"
            shutil.copytree(data, left)
            # As `ReleasedRoomTests` starts its server.
            server.arguments = ["--dev", "--rooms-messages-on-entry", "50"]
            server.start()
            (reader,) = connect("Reader")
            answers = {}
            for name, room in (("salon", SALON), ("chorus", CHORUS), ("heirloom", HEIRLOOM), ("bazaar", BAZAAR), ("show", SHOW)):
                answers[name] = reader.call("room.enter", room=room)["snapshot"]
                reader.call("room.exit", room=room)
            answers["asked"] = asked(connect)
            answers["rooms"] = reader.call("room.list")["rooms"]
        target.mkdir(parents=True)
        # One small file instead of a write-ahead log of megabytes; the rows are as the release wrote them.
        with contextlib.closing(sqlite3.connect(left / "ovation.sqlite")) as database:
            database.execute("VACUUM INTO ?", (str(target / "ovation.sqlite"),))
            for wanted in ("snapshot", "entry", "profile", "transfer", "report"):
                assert database.execute(f"SELECT count(*) FROM {wanted}").fetchone()[0] > 0, wanted
        (target / "answers.json").write_text(json.dumps(answers, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
        print(*sorted(file.name for file in target.iterdir()))


if __name__ == "__main__":
    record(pathlib.Path(sys.argv[1]))
