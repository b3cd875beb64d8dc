"""The attacks that a review carried out, again, against a fresh release server: everybody else must hardly notice, and the server must
be as small afterwards as before.

    make attack                     (ARGS='--only uploads,pings')

While each attack runs, bystanders in other rooms call and change things all the time. Their 99th percentile stays within 50 ms, or three
times that of the quiet time of the same run, whichever is more; 30 s after the last attack the server's memory is within 64 MiB of before.

Sleeps here pace an attack or a measurement (a crawling upload, a call's budget, the 30 s of rest); nothing is synchronised by them.
"""

import argparse
import asyncio
import base64
import contextlib
import json
import multiprocessing
import os
import pathlib
import random
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("OVATION_EXECUTABLE", str(ROOT / ".build/release/ovation"))
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))

from client import Client, Gone, Refused, post, ticket  # noqa: E402
from server import Server  # noqa: E402
from websockets.asyncio.client import connect  # noqa: E402

# A build of the tests' own: it seals what no honest peer does.
MEDIA_ATTACK = ROOT / ".build/debug/MediaAttack"
MOST_MS, TIMES_QUIET = 50, 3
MEMORY_MIB = 64
REST_SECONDS = 30
QUIET_SECONDS = 15
BYSTANDERS, ROOMS = 20, 5


class Target:
    """The server as processes see it that did not start it."""

    def __init__(self, url):
        self.url = url
        self.port = int(url.rsplit(":", 1)[1])

    def context(self):
        return None


# ---- bystanders


async def bystander(target, account, room, samples):
    """Reads the clock and mutes and unmutes itself, ten times a second."""
    async with connect(target.url.replace("http", "ws", 1) + "/v1/connect", subprotocols=["ovation.v1"], origin=target.url,
                       compression=None, max_size=None) as line:
        number = 0

        async def call(method, **params):
            nonlocal number
            number += 1
            began = time.perf_counter()
            await line.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
            while True:
                answer = json.loads(await line.recv())
                if answer.get("id") == number:
                    return answer, (time.perf_counter() - began) * 1000

        await call("session.open", version=1, app=account["app"], user=account["user"], ticket=account["ticket"], name=account["name"])
        await call("room.enter", room=room)
        await call("seat.take", room=room, seat=int(account["seat"]))
        muted = False
        while True:
            await asyncio.sleep(random.uniform(0.06, 0.14))
            _, waited = await call("clock.read")
            samples.append(waited)
            muted = not muted
            answer, waited = await call("microphone.set", room=room, muted=muted)
            assert "result" in answer, answer
            samples.append(waited)


def bystanders(url, accounts, rooms, pipe):
    """A process of its own. On each message it says what has been measured since the last."""
    samples = []
    target = Target(url)

    async def everybody():
        loop = asyncio.get_running_loop()

        def asked():
            pipe.recv()
            pipe.send(list(samples))
            samples.clear()

        loop.add_reader(pipe.fileno(), asked)
        await asyncio.gather(*[bystander(target, account, rooms[account["room"]], samples) for account in accounts])

    asyncio.run(everybody())


# ---- attacks: each gets the server, and returns when it has done its worst


def sounds():
    """Files that are no songs: a playlist behind an ID3 tag, one that names itself, a header that unpacks to 373 MiB."""
    tag = b"ID3\x03\x00\x00\x00\x00\x00\x0a" + bytes(10)
    playlist = tag + b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + b"#EXTINF:1,\nfile:///dev/zero\n" * 3
    itself = b"ffconcat version 1.0\n" + b"file 'audio'\n" * 8

    def atom(kind, content):
        return struct.pack(">I", len(content) + 8) + kind + content

    packed = zlib.compress(bytes(373 << 20), 9)
    unpacked = atom(b"cmov", atom(b"dcom", b"zlib") + atom(b"cmvd", struct.pack(">I", 373 << 20) + packed))
    return [playlist, itself, atom(b"ftyp", b"M4A \x00\x00\x02\x00") + atom(b"moov", unpacked)]


def upload(target, account, sound, title="song"):
    body = b""
    for name, content in (("audio", sound), ("title", title.encode()), ("durationMs", b"60000")):
        file = b'; filename="a.mp3"' if name == "audio" else b""
        body += b'--edge\r\nContent-Disposition: form-data; name="' + name.encode() + b'"' + file + b"\r\n\r\n" + content + b"\r\n"
    request = urllib.request.Request(target.url + "/v1/songs", body + b"--edge--\r\n", {
        "Content-Type": "multipart/form-data; boundary=edge",
        "Authorization": f"Bearer {account['app']}:{account['user']}:{account['ticket']}"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as refusal:
        return refusal.code


def uploads(target):
    """Files that freeze, multiply or open others, by four people at once."""
    files = [path.read_bytes() for path in sorted(target.folder.glob("sound-*"))]
    assert len(files) == 3
    accounts = [ticket(target, f"Uploader {number}") for number in range(4)]

    def send(account):
        for _ in range(15):
            for file in files:
                status = upload(target, account, file)
                assert status in (409, 413, 415, 429, 503), f"a hostile file was answered with {status}"

    together([lambda account=account: send(account) for account in accounts])


def loris(target):
    """Forty uploads that crawl."""
    account = ticket(target, "Slow")
    lines = []
    for _ in range(40):
        line = socket.create_connection(("127.0.0.1", target.port))
        line.sendall((
            f"POST /v1/songs HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=edge\r\nContent-Length: 30000000\r\n"
            f"Authorization: Bearer {account['app']}:{account['user']}:{account['ticket']}\r\n\r\n--edge\r\n").encode())
        lines.append(line)
    for _ in range(20):
        time.sleep(0.5)
        for line in lines:
            with contextlib.suppress(OSError):
                line.sendall(b"x")
    for line in lines:
        line.close()


def unenterable(target):
    """A room full of what is longest after escaping; then somebody enters it, and comes back with an old point."""
    host = Client(target, ticket(target, "Filler"))
    room = host.call("room.create", name="Full", seats=2)["room"]
    heavy = "\x07" * 10_600
    escaped = '"' * 12_288
    for number in range(60):
        with contextlib.suppress(Refused):
            pace(host, "message.send", room=room, text=heavy if number % 2 else escaped)
    guests = [Client(target, ticket(target, f"Inviter {number}")) for number in range(6)]
    for guest in guests:
        guest.call("room.enter", room=room)
        for number in range(30):
            with contextlib.suppress(Refused):
                pace(guest, "invitation.send", room=room, user=host.user, command="C", content=f"{number}" + '"' * 3_900)
    for since in (None, {"epoch": 1, "seq": 1, "chat": 1}):
        late = Client(target, ticket(target, f"Late {since is None}"))
        entered = late.call("room.enter", room=room, **({"since": since} if since else {}))
        assert entered["snapshot"]["messages"] if "snapshot" in entered else entered["events"] is not None
        late.close()
    for person in [host, *guests]:
        person.close()


def ghosts(target):
    """Exits and entries in one breath, two hundred times; nobody is left behind."""
    host = Client(target, ticket(target, "Ghost host"))
    room = host.call("room.create", name="Ghosts", seats=4)["room"]
    ghost = Client(target, ticket(target, "Ghost"))
    ghost.call("room.enter", room=room)
    for number in range(200):
        pipeline(ghost, [("seat.take", {"room": room, "seat": 1}), ("room.exit", {"room": room}), ("room.enter", {"room": room})])
        time.sleep(0.08)
    ghost.call("room.exit", room=room)
    ghost.close()
    host.call("room.exit", room=room)
    seats = host.call("room.enter", room=room)["snapshot"]["seats"]
    assert all("user" not in seat for seat in seats), seats
    host.close()


def pings(target):
    """400,000 pings from four sockets that read nothing."""

    def flood():
        line = upgraded(target)
        frame = b"\x89\xfd" + bytes(4) + bytes(125)
        with contextlib.suppress(OSError):
            for _ in range(1_000):
                line.sendall(frame * 100)
        line.close()

    together([flood] * 4)


def unsigned(target):
    """80 MiB of calls before anybody has signed in, from four sockets."""

    def flood():
        line = upgraded(target)
        text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "clock.read", "params": {"x": "a" * 60_000}}).encode()
        frame = b"\x81\xfe" + struct.pack(">H", len(text)) + bytes(4) + text
        with contextlib.suppress(OSError):
            for _ in range(20 * 1024 * 1024 // len(frame)):
                line.sendall(frame)
        line.close()

    together([flood] * 4)


def unread(target):
    """Six people fill a room with chatter that a seventh asks for and never reads."""
    host = Client(target, ticket(target, "Chatter host"))
    room = host.call("room.create", name="Chatter", seats=2)["room"]
    deaf = upgraded(target)
    account = ticket(target, "Deaf")
    for number, (method, params) in enumerate([
        ("session.open", {"version": 1, "app": account["app"], "user": account["user"], "ticket": account["ticket"], "name": "Deaf"}),
        ("room.enter", {"room": room}),
    ]):
        send_text(deaf, json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
    people = [Client(target, ticket(target, f"Talker {number}")) for number in range(6)]

    def talk(person):
        person.call("room.enter", room=room)
        for number in range(150):
            with contextlib.suppress(Refused):
                pace(person, "message.send", room=room, text=f"{number} " + "x" * 8_000)

    together([lambda person=person: talk(person) for person in people])
    for person in [host, *people]:
        person.close()
    deaf.close()


def renewals(target):
    """3,000 renewals of one ticket on one connection."""
    account = ticket(target, "Renewer")
    person = Client(target, account)
    for _ in range(3_000):
        pace(person, "session.renew", ticket=account["ticket"])
    person.close()


def lists(target):
    """1,680 rooms with as many tags as there may be; then four people list them as fast as they may, for tags and words."""
    owners = [Client(target, ticket(target, f"Owner {number}")) for number in range(84)]

    def fill(owner):
        for number in range(20):
            with contextlib.suppress(Refused):
                room = pace(owner, "room.create", name=f"Room {number} of many", seats=16, tags=[f"tag {number} {n}" for n in range(5)])
                pace(owner, "room.exit", room=room["room"])

    together([lambda owner=owner: fill(owner) for owner in owners])

    def ask(owner):
        for number in range(400):
            with contextlib.suppress(Refused):
                pace(owner, "room.list", limit=100, tag=f"tag {number % 20} 1", query="many")

    together([lambda owner=owner: ask(owner) for owner in owners[:4]])
    for owner in owners:
        owner.close()


def strangers(target):
    """Rooms that do not exist, asked for by the thousand, four people at once."""

    def ask(number):
        person = Client(target, ticket(target, f"Stranger {number}"))
        for _ in range(500):
            with contextlib.suppress(Refused):
                pace(person, "room.enter", room=random.randrange(10_000_000, 99_999_999))
        person.close()

    together([lambda number=number: ask(number) for number in range(4)])


def guests(target):
    """2,000 sign-ins under names that are taken, in every spelling."""
    held = Client(target, ticket(target, "Taken"))
    for number in range(2_000):
        name = "".join(letter.upper() if number >> place & 1 else letter for place, letter in enumerate("taken"))
        status, _ = post(target.url + "/v1/tickets", {"name": name})
        assert status in (409, 429), status
    held.close()


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


ATTACKS = [uploads, loris, unenterable, ghosts, pings, unsigned, unread, renewals, lists, strangers, guests, datagrams, speech, requests]


# ---- what attacks are made of


def together(jobs):
    """Threads; the first that fails fails all."""
    failures = []

    def guarded(job):
        try:
            job()
        except BaseException as failure:  # noqa: BLE001
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def pace(person, method, **params):
    """As fast as the server lets one."""
    while True:
        try:
            return person.call(method, **params)
        except Refused as refusal:
            if refusal.name not in ("rate_limited", "too_frequent"):
                raise
            time.sleep(0.4)


def pipeline(person, calls):
    for method, params in calls:
        person.socket.send(json.dumps({"jsonrpc": "2.0", "id": next(person.numbers), "method": method, "params": params}))


def upgraded(target):
    line = socket.create_connection(("127.0.0.1", target.port))
    line.sendall((
        "GET /v1/connect HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\nSec-WebSocket-Protocol: ovation.v1\r\n\r\n").encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        more = line.recv(1)
        assert more, answer
        answer += more
    assert b" 101 " in answer, answer
    line.settimeout(20)
    return line


def send_text(line, text):
    content = text.encode()
    length = bytes([0x80 | len(content)]) if len(content) < 126 else b"\xfe" + struct.pack(">H", len(content))
    line.sendall(b"\x81" + length + bytes(4) + content)


# ---- the run


def memory(server):
    for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0


def attacked(attack, url, media_port, folder, result):
    target = Target(url)
    target.media_port, target.folder = media_port, folder
    # Python's own start is no attack.
    result.send("ready")
    result.recv()
    try:
        attack(target)
        result.send(None)
    except BaseException as failure:  # noqa: BLE001
        result.send(f"{type(failure).__name__}: {failure}")


def percentile(samples, share):
    return statistics.quantiles(samples, n=100)[share - 1] if len(samples) > 1 else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help=", ".join(attack.__name__ for attack in ATTACKS))
    options = parser.parse_args()
    chosen = [attack for attack in ATTACKS if not options.only or attack.__name__ in options.only.split(",")]
    failures = []
    with tempfile.TemporaryDirectory(prefix="ovation-attack-") as folder, Server(pathlib.Path(folder) / "data") as server:
        # Made before anything is measured: packing 373 MiB takes a core for a second.
        for number, sound in enumerate(sounds()):
            (pathlib.Path(folder) / f"sound-{number}").write_bytes(sound)
        hosts = [Client(server, ticket(server, f"Host {number}")) for number in range(ROOMS)]
        rooms = [host.call("room.create", name=f"Quiet {number}", seats=8)["room"] for number, host in enumerate(hosts)]
        accounts = [{**ticket(server, f"Bystander {number}"), "room": number % ROOMS, "seat": number // ROOMS + 1}
                    for number in range(BYSTANDERS)]
        ours, theirs = multiprocessing.Pipe()
        watching = multiprocessing.Process(target=bystanders, args=(server.url, accounts, rooms, theirs), daemon=True)
        watching.start()

        def since_last():
            ours.send(None)
            return ours.recv()

        time.sleep(3)
        since_last()
        time.sleep(QUIET_SECONDS)
        quiet = percentile(since_last(), 99)
        before = memory(server)
        limit = max(MOST_MS, TIMES_QUIET * quiet)
        print(f"{'quiet':12} p99 {quiet:6.1f} ms, {before:6.1f} MiB; bystanders may see {limit:.0f} ms", flush=True)
        for attack in chosen:
            mine, its = multiprocessing.Pipe()
            process = multiprocessing.Process(target=attacked, args=(attack, server.url, server.media_port, pathlib.Path(folder), its), daemon=True)
            process.start()
            mine.recv()
            since_last()
            began = time.monotonic()
            mine.send("go")
            process.join(300)
            problem = mine.recv() if mine.poll() else "it did not end"
            process.kill()
            samples = since_last()
            worst = percentile(samples, 99)
            print(f"{attack.__name__:12} p99 {worst:6.1f} ms, {memory(server):6.1f} MiB, {len(samples):5} calls in {time.monotonic() - began:4.0f} s"
                  + (f"  FAILED: {problem}" if problem else "") + ("  TOO SLOW" if not worst <= limit else ""), flush=True)
            if problem or not worst <= limit or not watching.is_alive():
                failures.append(attack.__name__)
        time.sleep(REST_SECONDS)
        after = memory(server)
        print(f"{'afterwards':12} {after:6.1f} MiB, {after - before:+.1f}", flush=True)
        if after - before > MEMORY_MIB:
            failures.append("memory")
        alive = server.process.poll() is None
        watching.kill()
        for host in hosts:
            with contextlib.suppress(Gone):
                host.close()
    if not alive:
        failures.append("the server ended")
    if failures:
        sys.exit(f"attack: {', '.join(failures)}")


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
