"""A protocol client for tests that need many users and no browser. Written from Documentation/build/protocol.md alone."""

import itertools
import json
import queue
import threading
import time
import urllib.error
import urllib.request

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

CALL_SECONDS = 20
# After a refusal that names no time.
PAUSE_SECONDS = 0.5


class Refused(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.name = error.get("data", {}).get("name")
        self.field = error.get("data", {}).get("field")
        self.retry_after = error.get("data", {}).get("retryAfterMs", 0) / 1000


class Gone(Exception):
    """The connection ended before the answer came: nobody knows whether the call counted."""


def post(url, body, context=None):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10, context=context) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.loads(refusal.read())


def ticket(server, name):
    status, body = post(f"{server.url}/v1/tickets", {"name": name}, server.context())
    assert status == 200, body
    return body


class Client:
    """One signed-in connection. `events` is everything that `room.events` brought, in order, with room and epoch."""

    def __init__(self, server, account, resume=None):
        self.account = account
        self.user = account["user"]
        self.numbers = itertools.count(1)
        self.waiting = {}
        self.events = []
        self.notes = queue.Queue()
        self.lock = threading.Lock()
        self.socket = connect(server.url.replace("http", "ws", 1) + "/v1/connect", subprotocols=["ovation.v1"], origin=server.url,
                              compression=None, max_size=None, ssl=server.context())
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        opening = {"version": 1, "app": account["app"], "user": self.user, "ticket": account["ticket"],
                   "name": account["name"]}
        if resume:
            opening["resume"] = resume
        self.opened = self.call("session.open", **opening)
        self.session = self.opened["session"]

    def _read(self):
        try:
            for text in self.socket:
                message = json.loads(text)
                if "id" in message:
                    with self.lock:
                        box = self.waiting.pop(message["id"], None)
                    if box:
                        box.put(message)
                elif message["method"] == "room.events":
                    params = message["params"]
                    for event in params["events"]:
                        self.events.append({**event, "room": params["room"], "epoch": params["epoch"]})
                else:
                    self.notes.put(message)
        except (ConnectionClosed, OSError):
            pass
        with self.lock:
            boxes, self.waiting = list(self.waiting.values()), None
        for box in boxes:
            box.put(None)

    def patiently(self, method, **params):
        """Again and again while the server says that it is too much at once, for as long as an answer may take."""
        ends = time.monotonic() + CALL_SECONDS
        while True:
            try:
                return self.call(method, **params)
            except Refused as refusal:
                # What the server asks for: before that it refuses again.
                pause = refusal.retry_after or PAUSE_SECONDS
                if refusal.name != "rate_limited" or time.monotonic() + pause > ends:
                    raise
                time.sleep(pause)

    def call(self, method, **params):
        box = queue.Queue(1)
        number = next(self.numbers)
        with self.lock:
            if self.waiting is None:
                raise Gone()
            self.waiting[number] = box
        try:
            self.socket.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        except (ConnectionClosed, OSError):
            raise Gone() from None
        answer = box.get(timeout=CALL_SECONDS)
        if answer is None:
            raise Gone()
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    def close(self):
        self.socket.close()
        self.reader.join(5)
