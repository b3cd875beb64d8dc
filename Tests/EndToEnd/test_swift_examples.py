"""The programs of Examples/swift, built and run as somebody who copies them would, together with people without a screen."""

import json
import os
import re
import subprocess
import threading
import urllib.request

import pytest

from client import ticket
from server import ROOT, build
from story import story
from test_join import RATE, ended, events, guest, loudest, salon, samples, steady, strength  # noqa: F401

PATIENCE = 40
SONG, OLGA, MINA = 440, 660, 550


@pytest.fixture(scope="module")
def programs():
    """Compiled as targets of our own package: theirs would build everything below them once more."""
    def built(name):
        # An incremental build keeps them as they are when a type of a module below has another size, and they crash then.
        (ROOT / f"Examples/swift/Sources/{name}/{name}.swift").touch()
        build("--product", name)
        return ROOT / ".build/debug" / name

    return {name: built(name) for name in ("SalonBot", "Recorder", "Duet")}


def begin(program, server, *arguments):
    """With lines that come when they are written, though the output is no terminal."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OVATION_")}
    return subprocess.Popen(
        ["stdbuf", "-oL", program, "--server", server.url, *map(str, arguments)],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def line_with(process, words):
    # What is never said ends the program, and with it the reading.
    patience = threading.Timer(PATIENCE, process.kill)
    patience.start()
    try:
        for line in process.stdout:
            if words in line:
                return line
    finally:
        patience.cancel()
    raise AssertionError(f"never said {words!r}\n{process.stderr.read()}")


@story("V05-K the salon bot greets whoever enters, lets who asks onto a seat, and seats by a word in the chat")
def test_salon_bot(salon, programs):  # noqa: F811
    bot = begin(programs["SalonBot"], salon, "--room", 77, "--salon", "Late salon", "--seats", 3)
    line_with(bot, "Late salon is open: room 77")
    mina = guest(salon, "Mina", "--room", 77, "--seat", 1, "--tone", MINA, "--for", 12, "--json")
    line_with(bot, "Mina sits on seat 1")
    out, _ = ended(guest(salon, "Ear", "--room", 77, "--say", "!seat 2", "--say", "!seat 1", "--for", 4, "--json"))
    heard = events(out)
    said = [e["text"] for e in heard if e["event"] == "message"]
    assert any(text.startswith("Welcome, Ear.") for text in said), said
    assert any(text == "Free seats: 0." for text in said), said
    me = heard[0]["user"]
    assert [e["seat"] for e in heard if e["event"] == "seat_taken" and e["user"] == me] == [2]
    mina.terminate()
    out, _ = ended(mina)
    assert {"asked", "seated"} <= {e["event"] for e in events(out)}, "the bot's room asks before one sits down"
    bot.terminate()
    out, _ = ended(bot)
    _, err = ended(guest(salon, "Late", "--room", 77, "--for", 1), 1)
    assert "room_not_found" in err or "room_closed" in err


@story("V14-K the recorder writes what is heard, at its pitch, and prints who speaks")
def test_recorder(salon, programs, tmp_path):  # noqa: F811
    olga = guest(salon, "Olga", "--create", "Evening", "--room", 77, "--seat", 0, "--tone", SONG, "--json")
    while json.loads(olga.stdout.readline())["event"] != "seated":
        pass
    recorder = begin(programs["Recorder"], salon, 77, "--output", tmp_path / "salon.wav", "--for", 5)
    out, _ = ended(recorder)
    assert re.search(r"^\d+:\d\d  Olga$", out, re.MULTILINE), out
    sound = samples(tmp_path / "salon.wav")
    assert len(sound) / RATE > 3.5
    there, (above, below) = loudest(sound, SONG, (SONG * 1.05, SONG * 0.95))
    assert 0.25 / 1.3 < there < 0.25 * 1.3 and max(above, below) < there / 10, (there, above, below)
    olga.terminate()
    ended(olga)
    _, err = ended(begin(programs["Recorder"], salon, 4711), 1)
    assert "room_not_found" in err and len(err.splitlines()) == 1, err


@story("D01-K the duet starts its song when the second singer sits; both hear it and each other, and it ends for both")
def test_duet(salon, programs, tmp_path):  # noqa: F811
    address = salon.url + uploaded(salon, steady(tmp_path / "song.wav", SONG, 5))
    olga = begin(programs["Duet"], salon, "--name", "Olga", "--song", address, "--length", 5, "--tone", OLGA, "--record", tmp_path / "olga.wav")
    room = re.search(r"--room (\d+)", line_with(olga, "Waiting."))[1]
    voice = steady(tmp_path / "voice.wav", MINA, 5)
    mina = begin(programs["Duet"], salon, "--name", "Mina", "--room", room, "--voice", voice, "--record", tmp_path / "mina.wav")
    for process in (olga, mina):
        out, _ = ended(process)
        assert "started" in out and "The song has ended." in out, out
    for name, other in (("olga", MINA), ("mina", OLGA)):
        sound = samples(tmp_path / f"{name}.wav")
        song, (voice_at,) = loudest(sound, SONG, (other,))
        assert song > 0.2, (name, song)
        # The song has its full level from one end to the other, and then no more.
        places = [n * 0.3 for n in range(int(len(sound) / RATE / 0.3))]
        sounding = sum(0.3 for at in places if strength(sound, SONG, at) > song / 2)
        assert 4 < sounding < 6, (name, sounding)
        assert voice_at > 0.05, (name, voice_at)


@story("what goes wrong in the programs is one sentence and an exit code")
def test_errors(salon, programs):  # noqa: F811
    _, err = ended(begin(programs["Duet"], salon, "--song", "no-such-song"), 64)
    assert "--list" in err
    out, _ = ended(begin(programs["Duet"], salon, "--list"))
    assert "harbour-lights" in out
    for program in programs.values():
        out = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
        assert "--server" in out
    salon.stop()
    _, err = ended(begin(programs["SalonBot"], salon), 1)
    assert "server_unreachable" in err and len(err.splitlines()) == 1, err


def uploaded(server, path):
    """The path of a song's accompaniment in the server's library."""
    account = ticket(server, "Uploader")
    parts = [('name="title"', b"A steady tone"), ('name="durationMs"', b"5000"), ('name="audio"; filename="song.wav"', path.read_bytes())]
    body = b"".join(b'--edge\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n' % (name.encode(), data) for name, data in parts)
    request = urllib.request.Request(server.url + "/v1/songs", body + b"--edge--\r\n", {
        "Content-Type": "multipart/form-data; boundary=edge",
        "Authorization": f"Bearer {account['app']}:{account['user']}:{account['ticket']}"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())["song"]["accompaniment"]
