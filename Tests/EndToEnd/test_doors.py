"""What the server says to those who ask for a path in another way than it takes."""

import http.client

from story import story

PATHS = {
    "/": "GET, HEAD, POST", "/console": "GET, HEAD", "/r/48213": "GET, HEAD", "/healthz": "GET, HEAD", "/v1/config": "GET, HEAD", "/v1/tickets": "POST",
    "/v1/qr.svg": "GET, HEAD", "/v1/songs": "GET, HEAD, POST", "/v1/songs/x": "DELETE", "/v1/faces": "GET, HEAD, POST", "/v1/faces/x": "DELETE",
    "/faces/1/x/small.jpg": "GET, HEAD", "/v1/whip/48213": "GET, HEAD, POST, OPTIONS",
    "/v1/rooms": "GET, HEAD, POST", "/v4/openim/sendmsg": "POST", "/v1/connect": "GET, HEAD"}
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


def asked(server, method, path):
    """Status, the methods it names, and the body."""
    line = http.client.HTTPConnection("localhost", server.port, timeout=20)
    line.request(method, path)
    answer = line.getresponse()
    found = answer.status, answer.headers.get("Allow"), answer.read()
    line.close()
    return found


@story("R05-S a path asked for by another method says which it takes, one that is nowhere is not found, and the server says what it knows at all")
def test_methods(server):
    for path, allowed in PATHS.items():
        for method in METHODS:
            status, named, body = asked(server, method, path)
            if method in allowed.split(", "):
                assert status != 405 and status < 500, (method, path, status)
            else:
                assert (status, named) == (405, allowed), (method, path, status, named)
            assert method != "HEAD" or body == b"", (path, body)
    for method in METHODS:
        if method != "HEAD":
            for path in ("/nothing", "/v1/nothing", "/assets/x/nothing.js"):
                assert asked(server, method, path)[0] == 404, (method, path)
    assert asked(server, "OPTIONS", "*") == (204, ", ".join(METHODS), b"")
    assert asked(server, "PROPFIND", "/")[0] == 501
