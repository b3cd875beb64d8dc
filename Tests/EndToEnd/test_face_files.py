"""Pictures that people keep on a server, from outside: what is on the wire, on the disk, in backups and after an erasure."""

import concurrent.futures
import http.client
import json
import pathlib
import re
import socket

from server import ROOT, Server
from story import story
from test_back_ends import made
from test_command_line import run
from test_operation import person
from test_tickets import own_application

SEEDS = ROOT / "Fuzz/corpus/Photograph"
PNG, WEBP = (SEEDS / "png").read_bytes(), (SEEDS / "webp").read_bytes()


class Faces:
    """A server's pictures, as one person or a program with a key asks for them."""

    def __init__(self, server, authorization):
        self.server, self.authorization = server, authorization

    def ask(self, method, path, body=None):
        line = http.client.HTTPConnection("localhost", self.server.port, timeout=60)
        line.request(method, path, body, {"Authorization": self.authorization})
        answer = line.getresponse()
        bytes_of_it = answer.read()
        line.close()
        said = json.loads(bytes_of_it) if answer.headers["Content-Type"] == "application/json" else bytes_of_it
        return answer.status, said

    def upload(self, picture=PNG, query="kind=avatar"):
        return self.ask("POST", f"/v1/faces?{query}", picture)

    def listed(self):
        return [face["picture"] for face in self.ask("GET", "/v1/faces")[1]["faces"]]


def bearer(app, key, name):
    return f"Bearer {app}:{name}:" + run("usersig", "make", "--app", app, "--user", name, key=key)[1].strip()


@story("A13-S A13-R R09-L pictures outlive a restart and a kill, go with backups and come back by a restore, and are erased with their person")
def test_life(tmp_path):
    app, key = own_application(tmp_path / "data")
    data = ("--data", str(tmp_path / "data"))
    programs = made("--name", "shop", "--app", app, "--scope", "people", *data)["key"]
    copy = tmp_path / "copy.sqlite"
    mina, jun = bearer(app, key, "mina"), bearer(app, key, "jun")
    with Server(tmp_path / "data", development=False) as server:
        hers, his, shop = Faces(server, mina), Faces(server, jun), Faces(server, f"Bearer {programs}")
        status, made_face = hers.upload()
        face = made_face["face"]
        assert status == 201 and hers.listed() == [face["picture"]]
        person(server, app, key, "mina").call("profile.set", avatar=face["picture"])
        shown = hers.ask("GET", face["picture"])
        assert shown[0] == 200 and shown[1].startswith(b"\xff\xd8")
        assert run("backup", str(copy), *data) == (0, f"{copy}\n", "")
        # A program gives him a face that replaces none of hers.
        status, his_face = shop.ask("POST", "/v1/users/jun/face?kind=avatar&x=0.5&y=0&width=0.5&height=1", WEBP)
        assert status == 201 and his.listed() == [his_face["face"]["picture"]]
        assert shop.ask("GET", "/v1/users/jun")[1]["avatar"] == his_face["face"]["picture"]
        assert hers.ask("DELETE", f"/v1/faces/{face['id']}") == (200, {}) and hers.ask("GET", face["picture"])[0] == 404
        server.process.kill()
        server.process.wait()
    code, out, _ = run("restore", str(copy), *data)
    assert code == 0 and out.count("before-restore") == 2, out
    with Server(tmp_path / "data", development=False) as server:
        hers, shop = Faces(server, mina), Faces(server, f"Bearer {programs}")
        assert hers.ask("GET", face["picture"]) == shown and hers.listed() == [face["picture"]]
        assert shop.ask("GET", "/v1/users/jun")[1]["avatar"] == ""
        status, erased = shop.ask("DELETE", "/v1/users/mina")
        assert status == 200 and erased["faces"] == 1 and hers.ask("GET", face["picture"])[0] == 404
        assert {f"{copy}.faces", str(tmp_path / "data/faces.before-restore")} <= set(erased["copies"])
        assert Faces(server, jun).upload()[0] == 201
    assert not list((tmp_path / "data/faces").rglob("*.mina"))
    code, said, _ = run("user", "erase", "--app", app, "--user", "jun", *data)
    assert code == 0 and re.match(r"erased \d+ rows, 0 songs and 1 pictures; ended 0 rooms\n", said)
    assert not list((tmp_path / "data/faces").rglob("*.jpg"))


@story("A13-S who sends pictures slowly, in a row on one line, at once, too large or not to the end costs nobody anything and leaves nothing behind")
def test_hostile(tmp_path):
    app, key = own_application(tmp_path / "data")
    with Server(tmp_path / "data", development=False) as server:
        def line():
            return socket.create_connection(("localhost", server.port), timeout=60)

        def head(authorization, length, more=""):
            return (f"POST /v1/faces?kind=avatar HTTP/1.1\r\nHost: localhost\r\nAuthorization: {authorization}\r\n"
                    f"Content-Length: {length}\r\n{more}\r\n").encode()

        def kept():
            return sorted(path.name for path in (tmp_path / "data/faces").rglob("*") if path.name.count(".") == 3)

        row = bearer(app, key, "row")
        with line() as one:
            one.sendall(2 * (head(row, len(PNG)) + PNG) + head(row, len(PNG), "Connection: close\r\n") + PNG)
            answers = b"".join(iter(lambda: one.recv(1 << 16), b""))
        assert answers.count(b"HTTP/1.1 201 ") == 3 and len(kept()) == 3

        slow = Faces(server, bearer(app, key, "slow"))
        with line() as one:
            # The line stands, so that what comes on it is read before what others send over lines of their own.
            one.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert one.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
            one.sendall(head(slow.authorization, 1_000) + b"a few")
            # The same person waits for themselves alone.
            waiting = [slow.upload() for _ in range(2)]
            assert [(status, said["error"]["name"]) for status, said in waiting] == 2 * [(503, "unavailable")]
            others = [Faces(server, bearer(app, key, f"other-{number}")) for number in range(8)]
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                statuses = [status for status, _ in pool.map(Faces.upload, others)]
            # Three at once of one address, and the slow one is one of them.
            assert set(statuses) <= {201, 503} and statuses.count(201) >= 2, statuses
        before = kept()
        for body in (9 << 20) * b"x", PNG[:60], b"GIF89a", b"<svg onload=alert(1)/>", (SEEDS / "webp-animated").read_bytes():
            status, said = Faces(server, bearer(app, key, "wrong")).upload(body)
            assert (status, said["error"]["name"]) in {(413, "face_too_large"), (415, "face_format")}, said
        for path in ("/faces/%2e%2e/%2e%2e/ovation.sqlite", f"/faces/{app}/../../ovation.sqlite", f"/faces/{app}/{before[0]}/small.jpg",
                     f"/faces/{app}/{before[0].split('.')[0]}/.jpg", "/faces/.incoming/x/small.jpg"):
            assert slow.ask("GET", path)[0] == 404, path
        assert kept() == before and not list((tmp_path / "data/faces/.incoming").iterdir())
        assert pathlib.Path(f"/proc/{server.process.pid}").exists()
