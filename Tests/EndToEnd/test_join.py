"""`ovation join`: people without a screen, among themselves and together with a browser."""

import json
import math
import os
import signal
import struct
import subprocess
import wave

import pytest

from server import EXECUTABLE, Server
from sound import RATE, tone
from steps import create_salon, live, shows, sit
from story import story

VOICE, SONG = 660, 440
PATIENCE = 60


def guest(server, name, *arguments, **options):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OVATION_")}
    return subprocess.Popen(
        [EXECUTABLE, "join", "--server", server.url, "--name", name, *map(str, arguments)],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def ended(process, code=0):
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == code, f"exit code {process.returncode}\n{out}\n{err}"
    return out, err


def events(out):
    return [json.loads(line) for line in out.splitlines()]


def samples(path):
    with wave.open(str(path), "rb") as file:
        assert file.getframerate() == RATE and file.getsampwidth() == 2
        channels = file.getnchannels()
        values = struct.unpack(f"<{file.getnframes() * channels}h", file.readframes(file.getnframes()))
        return [value / 32768 for value in values[::channels]]


def strength(sound, hertz, at, seconds=0.3):
    """The amplitude of one frequency in a stretch of sound (Goertzel)."""
    part = sound[round(at * RATE):round((at + seconds) * RATE)]
    real = sum(v * math.cos(2 * math.pi * hertz * n / RATE) for n, v in enumerate(part))
    imaginary = sum(v * math.sin(2 * math.pi * hertz * n / RATE) for n, v in enumerate(part))
    return 2 * math.hypot(real, imaginary) / max(len(part), 1)


def loudest(sound, hertz, others=()):
    """The greatest amplitude of a frequency over the recording, and that of others at the same place."""
    places = [n * 0.3 for n in range(int(len(sound) / RATE / 0.3))]
    best = max(places, key=lambda at: strength(sound, hertz, at))
    return strength(sound, hertz, best), [strength(sound, other, best) for other in others]


def steady(path, hertz, seconds, amplitude=0.4):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"".join(
            struct.pack("<h", round(32767 * amplitude * math.sin(2 * math.pi * hertz * n / RATE))) for n in range(seconds * RATE)))
    return path


@pytest.fixture
def salon(tmp_path):
    with Server(tmp_path / "data") as server:
        yield server


@story("V04-L V11-K two people without a screen: one plays a file on a seat, the other records it, at its pitch and level")
def test_singer_and_listener(salon, tmp_path):
    listener = guest(salon, "Ear", "--create", "Evening", "--room", 77, "--record", tmp_path / "heard.wav", "--for", 9, "--json")
    assert json.loads(listener.stdout.readline())["event"] == "signed_in"
    entered = json.loads(listener.stdout.readline())
    assert entered["event"] == "entered" and entered["room"] == "77"
    out, _ = ended(guest(salon, "Mina", "--room", 77, "--seat", 1, "--play", steady(tmp_path / "song.wav", SONG, 4), "--json"))
    assert [e["event"] for e in events(out) if e["event"] not in ("progress", "seat_taken", "sound_connected")] == [
        "signed_in", "entered", "seated", "played", "finished"]
    out, _ = ended(listener)
    heard = events(out)
    assert "seat_taken" in [e["event"] for e in heard] and heard[-1]["reason"] == "time_is_up"
    assert heard[-1]["packetsReceived"] > 100
    sound = samples(tmp_path / "heard.wav")
    assert len(sound) / RATE > 6
    there, (above, below) = loudest(sound, SONG, (SONG * 1.05, SONG * 0.95))
    assert 0.4 / 1.3 < there < 0.4 * 1.3, there
    assert max(above, below) < there / 10


@story("V04-L V15-K effects on the voice: an octave up is heard an octave up")
def test_effects(salon, tmp_path):
    listener = guest(salon, "Ear", "--create", "Evening", "--room", 77, "--record", tmp_path / "heard.wav", "--for", 8, "--json")
    listener.stdout.readline()
    ended(guest(
        salon, "Mina", "--room", 77, "--seat", 0, "--play", steady(tmp_path / "song.wav", SONG, 4), "--effects", "pitch=12",
        "--quality", "music"))
    ended(listener)
    sound = samples(tmp_path / "heard.wav")
    octave, (plain,) = loudest(sound, 2 * SONG, (SONG,))
    assert octave > 0.1 and plain < octave / 5


@story("V04-K V04-W V14-K a singer without a screen and one at a browser hear each other")
def test_browser_and_native(people, server, tmp_path):
    anna = people("Anna", tone_hertz=VOICE)
    room = create_salon(anna, "Both")
    sit(anna, 0)
    live(anna)
    mina = guest(
        server, "Mina", "--room", room, "--seat", 1, "--play", tone(tmp_path / "song.wav", SONG), "--loop",
        "--record", tmp_path / "heard.wav", "--for", 12, "--json")
    shows(anna, 1, "Mina")
    anna.hears_tone(SONG)
    out, _ = ended(mina)
    heard = events(out)
    assert max(e["heard"].get(heard_user(heard), 0) for e in heard if e["event"] == "progress") > 20
    there, (other,) = loudest(samples(tmp_path / "heard.wav"), VOICE, (SONG,))
    assert there > 0.02 and other < there / 5, (there, other)
    anna.hears_silence()


def heard_user(heard):
    """The id of whoever else is heard."""
    for event in heard:
        for user in event.get("heard", {}):
            return user
    raise AssertionError("nobody was heard")


@story("V03-L Ctrl-C leaves in order: the seat is free at once, the recording is whole, the exit code says so")
def test_interrupted(salon, tmp_path):
    mina = guest(salon, "Mina", "--create", "Evening", "--room", 77, "--seat", 1, "--tone", SONG, "--record", tmp_path / "heard.wav", "--json")
    while json.loads(mina.stdout.readline())["event"] != "seated":
        pass
    account_less = guest(salon, "Ear", "--room", 77, "--json")
    while json.loads(account_less.stdout.readline())["event"] != "sound_connected":
        pass
    mina.send_signal(signal.SIGINT)
    out, _ = ended(mina)
    assert events(out)[-1]["reason"] == "interrupted"
    left = next(e for e in map(json.loads, account_less.stdout) if e["event"] == "seat_left")
    assert left["reason"] == "exited"
    samples(tmp_path / "heard.wav")
    account_less.terminate()
    ended(account_less)


@story("V17-L what goes wrong is one sentence and exit code 1, on a terminal and in JSON")
def test_errors(salon, tmp_path):
    _, err = ended(guest(salon, "Mina", "--room", 4711, "--for", 1), 1)
    assert "room_not_found" in err and len(err.splitlines()) == 1
    out, _ = ended(guest(salon, "Mina", "--room", 4711, "--json"), 1)
    assert events(out)[-1]["name"] == "room_not_found"
    ended(guest(salon, "Olga", "--create", "Evening", "--room", 77, "--for", 0))
    _, err = ended(guest(salon, "Mina", "--room", 77, "--play", tmp_path / "nothing.wav"), 1)
    assert "nothing.wav" in err
    _, err = ended(guest(salon, "Mina", "--room", 77, "--effects", "reverb=cathedral"), 64)
    assert "--effects" in err
    salon.stop()
    _, err = ended(guest(salon, "Mina", "--room", 77), 1)
    assert "server_unreachable" in err
