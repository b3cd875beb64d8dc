"""A client of HTTP/2 that writes its frames by itself (RFC 9113), with header blocks that are not compressed (RFC 7541)."""

import itertools
import socket
import ssl

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, GOAWAY, CONTINUATION = 0, 1, 3, 4, 7, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
PROTOCOL_ERROR, ENHANCE_YOUR_CALM = 1, 11
# As large as anybody takes a frame who has not said otherwise.
MOST = 16_384
GET = {":method": "GET", ":scheme": "https", ":path": "/healthz", ":authority": "localhost"}


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def block(fields):
    """Pairs of a name and a value, as literals that go into no table."""
    def literal(text):
        content = text.encode()
        if len(content) < 127:
            return bytes([len(content)]) + content
        length, rest = b"\x7f", len(content) - 127
        while rest >= 128:
            length, rest = length + bytes([rest % 128 + 128]), rest // 128
        return length + bytes([rest]) + content
    return b"".join(b"\x00" + literal(name) + literal(value) for name, value in fields)


class Raw:
    def __init__(self, server, seconds=20):
        context = server.context()
        context.set_alpn_protocols(["h2"])
        self.socket = context.wrap_socket(socket.create_connection(("localhost", server.port), seconds), server_hostname="localhost")
        assert self.socket.selected_alpn_protocol() == "h2"
        self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0) + frame(SETTINGS, ACK, 0))
        self.rest = b""
        self.streams = itertools.count(1, 2)

    def frames(self):
        """Until the server closes."""
        while True:
            while len(self.rest) >= 9 and len(self.rest) >= 9 + int.from_bytes(self.rest[:3], "big"):
                length = int.from_bytes(self.rest[:3], "big")
                given = self.rest[3], self.rest[4], int.from_bytes(self.rest[5:9], "big"), self.rest[9:9 + length]
                self.rest = self.rest[9 + length:]
                yield given
            try:
                more = self.socket.recv(65_536)
            except (ConnectionError, ssl.SSLError):
                return
            if not more:
                return
            self.rest += more

    def send(self, fields, body=None):
        """A request on a new stream, whose number it gives; all at once, so that the server has the body before it answers."""
        stream, content = next(self.streams), block(fields)
        pieces = [content[at:at + MOST] for at in range(0, len(content), MOST)]
        ends = END_STREAM if body is None else 0
        frames = [frame(CONTINUATION if number else HEADERS, 0 if number else ends, stream, piece) for number, piece in enumerate(pieces[:-1])]
        frames.append(frame(CONTINUATION if frames else HEADERS, END_HEADERS | (0 if frames else ends), stream, pieces[-1]))
        if body is not None:
            frames.append(frame(DATA, END_STREAM, stream, body))
        self.socket.sendall(b"".join(frames))
        return stream

    def end(self, stream):
        """How a stream ends: `answer` with the body, `reset` with the code, `closed` with the connection, or `silent` where none of it
        comes."""
        body = b""
        for kind, flags, of, payload in self.frames():
            if of != stream:
                continue
            if kind == RST_STREAM:
                return "reset", int.from_bytes(payload, "big")
            if kind == DATA:
                body += payload
            if kind in (DATA, HEADERS) and flags & END_STREAM:
                return "answer", body
        return "closed", None

    def ask(self, fields, body=None):
        try:
            return self.end(self.send(fields, body))
        except TimeoutError:
            return "silent", None
        except OSError:
            return "closed", None

    def close(self):
        self.socket.close()
