"""What people see and hear when the server dies, the network goes, or a page closes."""

import os
import pathlib

import pytest
from client import Client, ticket
from legibility import DESKTOP, DOUBLE, NORMAL, PHONE, Reader
from line import Line
from steps import create_salon, enter_salon, live, microphone_is, reads, say, shows, shows_empty, sit
from story import story

ALTO, BASS = 660, 220


@story("V07-W V19-W after kill -9 and restart the room, its seats and its chat are there, and sound comes back by itself")
def test_kill_nine(people, server):
    anna = people("Anna", tone_hertz=ALTO)
    room = create_salon(anna, "Survivor")
    sit(anna, 0)
    ben = people("Ben", tone_hertz=BASS)
    enter_salon(ben, room)
    sit(ben, 3)
    say(ben, "before the crash")
    reads(anna, "before the crash")
    anna.hears_tone(BASS)

    server.kill()
    anna.sees("banner-reconnecting", "Your seat is reserved")
    microphone_is(anna, "cutOff")
    server.start()
    anna.sees_no("banner-reconnecting")
    shows(anna, 3, "Ben")
    shows(ben, 0, "Anna")
    reads(anna, "before the crash")
    live(ben)
    anna.hears_tone(BASS)
    ben.hears_tone(ALTO)
    say(anna, "after the crash")
    reads(ben, "after the crash")

    late = people("Late")
    enter_salon(late, room)
    reads(late, "before the crash")
    shows(late, 3, "Ben")


@story("V19-W a speaker whose page closes is shown as reconnecting at once, then freed by the server")
def test_a_speaker_is_lost(people):
    owner = people("Owner")
    room = create_salon(owner)
    speaker = people("Speaker", tone_hertz=BASS)
    enter_salon(speaker, room)
    sit(speaker, 1)
    owner.hears_tone(BASS)
    speaker.close()
    owner.sees('[data-testid="seat-1"][data-away]')
    owner.hears_silence()
    shows_empty(owner, 1)


@story("V19-W a dropped network resumes with what was missed")
def test_network_drop(people, server):
    owner = people("Owner", tone_hertz=ALTO)
    room = create_salon(owner)
    sit(owner, 0)
    line = Line(server.port)
    guest = people("Guest", through=line)
    enter_salon(guest, room)
    guest.hears_tone(ALTO)
    line.cut()
    guest.sees("banner-reconnecting", "It comes back by itself")
    say(owner, "while you were away")
    line.mend()
    guest.sees_no("banner-reconnecting")
    reads(guest, "while you were away")
    guest.hears_tone(ALTO)
    assert guest.run("return [...document.querySelectorAll('[data-testid=chat-text]')].filter((e) => e.textContent.includes('while you')).length") == 1
    line.close()


def read_gap(guest):
    """The line about missing messages, at a phone's and a desktop's size, dark and light."""
    pictures = os.environ.get("OVATION_PICTURES")
    reader = Reader(guest, pathlib.Path(pictures) if pictures else None)
    show = "document.querySelector('[data-testid=chat-gap]').scrollIntoView({ block: 'center' })"
    guest.run(show)
    reader.look("chat with a gap", sizes=(DESKTOP,), letters=(NORMAL, DOUBLE))
    guest.size(*PHONE)
    guest.click("toggle-chat")
    guest.run(show)
    reader.look("chat with a gap", sizes=(PHONE,), letters=(NORMAL, DOUBLE))
    assert not reader.faint + reader.cut + reader.broken, "\n".join(reader.faint + reader.cut + reader.broken)


@pytest.mark.settings("--rooms-messages-per-person", "1000")
@story("G05-W whoever was away for long keeps what was read, is told how many messages are missing, and sees the last ones")
def test_long_gap(people, server):
    owner = people("Owner")
    room = create_salon(owner)
    line = Line(server.port)
    guest = people("Guest", through=line)
    enter_salon(guest, room)
    say(owner, "before")
    reads(guest, "before")
    line.cut()
    guest.sees("banner-reconnecting")
    talker = Client(server, ticket(server, "Talker"))
    talker.call("room.enter", room=int(room))
    # More than a room tells to somebody who comes back.
    for number in range(80):
        talker.patiently("message.send", room=int(room), text=f"line {number} " + "x" * 10_000)
    line.mend()
    guest.sees_no("banner-reconnecting")
    reads(guest, "line 79")
    reads(guest, "before")
    shown = guest.run("return [...document.querySelectorAll('[data-testid=chat-text]')].filter(e => e.textContent.startsWith('line ')).length")
    assert 0 < shown < 80
    guest.sees("chat-gap", f"{80 - shown} messages are missing")
    read_gap(guest)
    say(owner, "after")
    reads(guest, "after")
    line.close()
