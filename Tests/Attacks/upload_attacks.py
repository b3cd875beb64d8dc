"""Attacks by files that are uploaded."""

import contextlib
import socket
import struct
import time
import urllib.error
import urllib.request
import zlib

from tools import signed, together

from client import ticket


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


# A second of sound, as a person sends it: 8 kHz, one channel, a byte a sample.
SONG = (b"RIFF" + struct.pack("<I", 36 + 8_000) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8_000, 8_000, 1, 8)
        + b"data" + struct.pack("<I", 8_000) + b"@" * 8_000)


def crawlers(target):
    """Eight people of one address send a byte now and then; somebody of another address sends a song meanwhile. In the end each of the eight
    has been told to go."""
    lines = []
    for number in range(8):
        account = signed(target, f"crawler-{number}")
        line = socket.create_connection(("127.0.0.1", target.port), source_address=("127.0.0.2", 0))
        line.sendall((
            f"POST /v1/songs HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=edge\r\nContent-Length: 30000000\r\n"
            f"Authorization: Bearer {account['app']}:{account['user']}:{account['ticket']}\r\n\r\n--edge\r\n").encode())
        lines.append(line)
    # The server has read the heads: their lines say nothing until it gives them up.
    time.sleep(1)
    status = upload(target, signed(target, "honest"), SONG)
    assert status == 201, f"an honest song was answered with {status}"
    answers = [b""] * len(lines)
    # Half a minute without enough, seen within another quarter.
    for _ in range(120):
        time.sleep(0.5)
        for number, line in enumerate(lines):
            if answers[number]:
                continue
            with contextlib.suppress(OSError):
                line.sendall(b"x")
                line.setblocking(False)
                answers[number] = line.recv(20)
            line.setblocking(True)
        if all(answers):
            break
    for line in lines:
        line.close()
    statuses = sorted(answer.split(b" ")[1].decode() if answer.startswith(b"HTTP") else "none" for answer in answers)
    assert statuses == ["408"] * 2 + ["503"] * 6, statuses
