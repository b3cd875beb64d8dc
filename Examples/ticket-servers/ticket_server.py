"""A ticket server (TLSSigAPIv2) with Python's standard library. See README.md beside this file."""

import base64
import hashlib
import hmac
import json
import os
import re
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

APP = int(os.environ["OVATION_APP"])
KEY = os.environ["OVATION_KEY"].encode()
ORIGIN = os.environ.get("OVATION_ORIGIN", "http://localhost:8080")
LIFETIME = int(os.environ.get("LIFETIME", "3600"))
LARGEST_BODY = 16 * 1024


def sign(user):
    """The ticket of a user: the fields and their HMAC, as compressed JSON in the alphabet of the tickets."""
    now = int(time.time())
    text = f"TLS.identifier:{user}\nTLS.sdkappid:{APP}\nTLS.time:{now}\nTLS.expire:{LIFETIME}\n"
    fields = {
        "TLS.ver": "2.0", "TLS.identifier": user, "TLS.sdkappid": APP, "TLS.expire": LIFETIME, "TLS.time": now,
        "TLS.sig": base64.b64encode(hmac.new(KEY, text.encode(), hashlib.sha256).digest()).decode(),
    }
    packed = base64.b64encode(zlib.compress(json.dumps(fields).encode())).decode()
    return packed.replace("+", "*").replace("/", "-").replace("=", "_")


def visitor(request):
    """Who is asking. Here: whoever gives a name. Put your own session check in its place."""
    name = str(request.get("name") or request.get("user") or "").strip()
    user = re.sub(r"[^A-Za-z0-9_-]", "-", name)[:32].strip("-")
    return (user or None), name


class Handler(BaseHTTPRequestHandler):
    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", ORIGIN)
        self.send_header("Access-Control-Allow-Credentials", "true")
        self.send_header("Access-Control-Allow-Headers", "content-type")
        self.send_header("Vary", "Origin")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_OPTIONS(self):
        self.answer(200, {})

    def do_POST(self):
        try:
            size = int(self.headers.get("Content-Length", "0"))
            if size > LARGEST_BODY:
                # Read to its end and forgotten: a client that still sends would not see the answer.
                while size > 0 and (part := self.rfile.read(min(size, LARGEST_BODY))):
                    size -= len(part)
                return self.answer(413, {"error": {"code": 80002, "name": "message_too_large", "message": "too large"}})
            request = json.loads(self.rfile.read(size) or b"{}")
        except ValueError:
            return self.answer(400, {"error": {"code": -32700, "name": "parse_error", "message": "the body is not JSON"}})
        user, name = visitor(request if isinstance(request, dict) else {})
        if user is None:
            return self.answer(401, {"error": {"code": 6014, "name": "not_signed_in", "message": "sign in first"}})
        self.answer(200, {"app": APP, "user": user, "name": name, "ticket": sign(user), "expiresInSeconds": LIFETIME})

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8090"))), Handler).serve_forever()
