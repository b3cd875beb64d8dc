"""Attacks on the media port, by strangers and by people with keys."""

import contextlib
import json
import os
import pathlib
import random
import socket
import struct
import subprocess
import time

from tools import ROOT, together

from client import Client, ticket

# What a flood may cost those who forward media.
MOST_OF_A_CORE = 0.02
# A build of the tests' own: it seals what no honest peer does.
MEDIA_ATTACK = ROOT / ".build/debug/MediaAttack"


def datagrams(target):
    """Noise, STUN checks and DTLS records at the media port, 200,000 datagrams from two sockets."""

    def flood(seed):
        noise = random.Random(seed)
        line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        line.connect(("127.0.0.1", target.media_port))
        kinds = [
            bytes([0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42]) + noise.randbytes(12),
            b"".join(b"\x17\xfe\xfd\x00\x01" + noise.randbytes(6) + struct.pack(">H", 60) + noise.randbytes(60) for _ in range(16)),
            b"\x80\x6f" + noise.randbytes(160), b"\x81\xcd\x00\x80" + noise.randbytes(512), noise.randbytes(1_200),
        ]
        for number in range(100_000):
            with contextlib.suppress(OSError):
                line.send(kinds[number % len(kinds)])
        line.close()

    together([lambda: flood(1), lambda: flood(2)])


class MediaPeer:
    """A way for sound under keys of its own, by the program beside this file; honest people and attackers have one each."""

    def __init__(self, person, room, kind, count):
        self.process = subprocess.Popen([MEDIA_ATTACK, kind, str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        offer = self.line()
        answer = person.call("media.offer", room=room, number=offer["number"], sdp=offer["sdp"])
        self.say(json.dumps(answer["sdp"]))
        assert self.line().get("connected"), "no way through for sound"

    def line(self):
        line = self.process.stdout.readline()
        assert line, "the media peer has ended"
        return json.loads(line)

    def say(self, text=""):
        self.process.stdin.write(text + "\n")

    def attack(self):
        self.say()
        return self.end()

    def end(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        counts = self.line()
        self.process.wait(20)
        return counts


def voices(target, names):
    """A room of two seats with those people in it, the first of them on its first seat, the second on the other."""
    people = [Client(target, ticket(target, name)) for name in names]
    room = people[0].call("room.create", name="Voices", seats=2)["room"]
    for number, person in enumerate(people):
        if number:
            person.call("room.enter", room=room)
        if number < 2:
            person.call("seat.take", room=room, seat=number)
    return people, room


def speech(target):
    """A speaker with a seat and keys sends 300,000 frames of the greatest length as fast as they go, to four listeners."""
    people, room = voices(target, ["Shouter", "Honest voice"] + [f"Ear {number}" for number in range(4)])
    honest = MediaPeer(people[1], room, "honest", 10_000_000)
    ears = [MediaPeer(person, room, "honest", 0) for person in people[2:]]
    shouter = MediaPeer(people[0], room, "speech", 300_000)
    sent = shouter.attack()["sent"]
    assert sent == 300_000, sent
    heard = [ear.end()["heard"] for ear in ears]
    spoken = honest.end()["sent"]
    # What one honest voice says arrives; what the other sends is no more than a voice may.
    assert all(count >= spoken // 2 for count in heard), (spoken, heard)
    assert all(count < 60_000 for count in heard), heard
    for person in people:
        person.call("clock.read")
        person.close()


def media_seconds(target):
    """What the threads that forward media have taken of processors."""
    threads = (path.parent for path in pathlib.Path(f"/proc/{target.process}/task").glob("*/comm") if path.read_text().startswith("media-"))
    fields = [(thread / "stat").read_text().rsplit(")", 1)[1].split() for thread in threads]
    return sum(int(thread[11]) + int(thread[12]) for thread in fields) / os.sysconf("SC_CLK_TCK")


def flood(target):
    """A speaker with a seat and keys sends 60,000 frames a second for ten seconds, 100 times what a microphone may, to four listeners."""
    seconds, frames = 10, 600_000
    people, room = voices(target, ["Flooder", "Steady voice"] + [f"Listener {number}" for number in range(4)])
    honest = MediaPeer(people[1], room, "honest", 10_000_000)
    ears = [MediaPeer(person, room, "honest", 0) for person in people[2:]]
    flooder = MediaPeer(people[0], room, "flood", frames)
    assert flooder.line()["sealed"] == frames
    before = media_seconds(target)
    # As long as the flood lasts, for the comparison.
    time.sleep(seconds)
    quiet = media_seconds(target) - before
    flooder.say()
    before = media_seconds(target)
    took = flooder.line()["milliseconds"] / 1_000
    flooded = media_seconds(target) - before
    sent = flooder.end()["sent"]
    heard = [ear.end()["heard"] for ear in ears]
    spoken = honest.end()["sent"]
    print(f"{'':12} {sent / took:,.0f} frames a second; the media threads took {quiet / seconds:.1%} of a core before, {flooded / took:.1%} in the flood")
    assert all(count >= spoken * 0.95 for count in heard), (spoken, heard)
    # A microphone's allowance, and what two bursts of it hold.
    assert all(count <= spoken + 600 * seconds + 1_000 for count in heard), (spoken, heard)
    assert flooded / took - quiet / seconds < MOST_OF_A_CORE, "the flood costs the media threads too much"
    for person in people:
        person.call("clock.read")
        person.close()


def requests(target):
    """A listener with keys asks 20,000 times for 256 repeats at once of what a speaker has said."""
    people, room = voices(target, ["Voice", "Second voice", "Asker"])
    voice = MediaPeer(people[0], room, "honest", 10_000_000)
    asker = MediaPeer(people[2], room, "requests", 20_000)
    # The voice speaks first, so that there is something to ask for.
    time.sleep(2)
    counts = asker.attack()
    spoken = voice.end()["sent"]
    # What 20,000 datagrams ask for is five million packets.
    assert counts["sent"] == 20_000 and counts["heard"] < 20 * spoken + 20_000, (counts, spoken)
    for person in people:
        person.call("clock.read")
        person.close()
