"""Just enough of Firefox's own remote protocol (Marionette) to drive it without a separate driver program.

Messages are `length:json` over TCP; a command is `[0, id, name, parameters]`, an answer `[1, id, error, result]`.
Source: Firefox's remote/marionette documentation."""

import json
import socket
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Marionette:
    def __init__(self, port, seconds=30):
        deadline = time.monotonic() + seconds
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=5)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        self.socket.settimeout(60)
        self.buffer = b""
        self.last = 0
        self._read()
        self.call("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": True}}})

    def _read(self):
        while b":" not in self.buffer:
            self._more()
        size, _, rest = self.buffer.partition(b":")
        while len(rest) < int(size):
            self._more()
            rest = self.buffer.partition(b":")[2]
        self.buffer = rest[int(size):]
        return json.loads(rest[: int(size)])

    def _more(self):
        chunk = self.socket.recv(65536)
        if not chunk:
            raise ConnectionError("Firefox closed the connection")
        self.buffer += chunk

    def call(self, name, parameters=None):
        self.last += 1
        message = json.dumps([0, self.last, name, parameters or {}]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self._read()
        if error:
            raise RuntimeError(f"{name}: {error['error']}: {error['message']}")
        return result.get("value") if isinstance(result, dict) and set(result) == {"value"} else result

    def element(self, selector):
        return self.call("WebDriver:FindElement", {"using": "css selector", "value": selector})[ELEMENT]
