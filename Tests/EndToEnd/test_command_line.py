"""The command line as an operator uses it."""

import getpass
import json
import os
import re
import shlex
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request

import pytest

from client import Client, Refused, ticket
from server import EXECUTABLE, ROOT, Server, free_port
from story import story
from test_tickets import own_application

PUBLISHED_KEY = "5bd2850fff3ecb11d7c805251c51ee463a25727bddc2385f3fa8bfee1bb93b5e"
PUBLISHED_TICKET = (
    "eJyrVgrxCdYrSy1SslJQMtIzUNJRAItkpqTmlWSmZUIkKjIT87NK82CSxSnZiQUFmSlAKUMTAyiAyqVWFGQWpYJkTE1NjRDiJZm5YFFzNPXFmekgG3zKHM1T9D3LzdODi-"
    "OKs8vCqpxcAvydnV2SSv2cy03cPcpDnA2SMgu0nUxslWoBHdYzUg__")


def wait_for(what, check, seconds=20):
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def run(*arguments, key=None, folder=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OVATION_")}
    if key:
        environment["OVATION_KEY"] = key
    done = subprocess.run([EXECUTABLE, *arguments], capture_output=True, text=True, env=environment, timeout=60, cwd=folder)
    return done.returncode, done.stdout, done.stderr


@story("A02-L the command line makes and checks tickets, a published one included, and says what is wrong with others")
def test_usersig():
    code, ticket, _ = run("usersig", "make", "--app", "1400000009", "--user", "alice", key="secret")
    assert code == 0 and ticket.strip()
    check = ("usersig", "verify", "--app", "1400000009", "--user", "alice")
    assert run(*check, ticket.strip(), key="secret")[0] == 0
    code, _, complaint = run(*check, ticket.strip(), key="another")
    assert code != 0 and complaint
    code, _, complaint = run("usersig", "verify", "--app", "1400000009", "--user", "bob", ticket.strip(), key="secret")
    assert code != 0 and "user" in complaint
    code, out, complaint = run("usersig", "verify", "--app", "1400000000", "--user", "xiaojun", PUBLISHED_TICKET, key=PUBLISHED_KEY)
    # Made in 2023 for 180 days: everything about it is right but its age.
    assert code != 0 and "expired" in (out + complaint)
    code, _, complaint = run(*check, "not a ticket", key="secret")
    assert code != 0 and "Traceback" not in complaint and complaint.startswith("ovation:") or "Error" in complaint


@story("A01-L applications are made and listed, each with a key of its own; a number in use is refused")
def test_applications(tmp_path):
    first, key = own_application(tmp_path / "data")
    second, other = own_application(tmp_path / "data")
    assert first != second and key != other
    listed = run("app", "list", "--keys", "--data", str(tmp_path / "data"))[1]
    assert first in listed and second in listed and key in listed
    code, _, complaint = run("app", "create", "--name", "Again", "--id", first, "--data", str(tmp_path / "data"))
    assert code == 78 and first in complaint


@story("G02-S an operator sets the gifts of an application and credits coins that were sold, each sale once; the server offers them")
def test_gifts(tmp_path):
    data = ("--data", str(tmp_path / "data"))
    app, key = own_application(tmp_path / "data")
    gift = ("gift", "set", "--app", app, "--id", "rose", "--name", "Rose")
    assert run(*gift, "--price", "10", *data)[0] == 0
    for wrong, why in ((("--price", "0"), "coins"), (("--price", "10", "--picture", "javascript:alert(1)"), "picture")):
        code, _, complaint = run(*gift, *wrong, *data)
        assert code == 78 and why in complaint
    assert run("gift", "set", "--app", app, "--id", "tea", "--name", "Tea", "--price", "5", "--large", *data)[0] == 0
    assert [line.split("\t")[0] for line in run("gift", "list", "--app", app, *data)[1].splitlines()] == ["tea", "rose"]
    sale = ("wallet", "credit", "--app", app, "--user", "mina", "--key", "order-1")
    for _ in range(2):
        assert "coins     500" in run(*sale, "--coins", "500", *data)[1]
    code, _, complaint = run(*sale, "--coins", "501", *data)
    assert code == 78 and "order-1" in complaint
    back = ("wallet", "refund", "--app", app, "--user", "mina", "--key", "back-1")
    code, _, complaint = run(*back, "--coins", "501", *data)
    assert code == 78 and "500" in complaint
    assert "coins     400" in run(*back, "--coins", "100", *data)[1]
    code, _, complaint = run("serve", "--wallet-top-up-url", "javascript:alert(1)", *data)
    assert code == 78 and "wallet.top_up_url" in complaint
    assert run("wallet", "check", "--app", app, *data)[:2] == (0, "all accounts together: 0\n")

    with Server(tmp_path / "data", development=False) as server:
        def account(user):
            made = run("usersig", "make", "--app", app, "--user", user, key=key)[1].strip()
            return {"app": int(app), "user": user, "ticket": made, "name": user}
        host, mina = (Client(server, account(user)) for user in ("host", "mina"))
        assert [gift["id"] for gift in mina.call("gift.list")["gifts"]] == ["tea", "rose"]
        room = host.call("room.create", name="Salon")["room"]
        mina.call("room.enter", room=room)
        assert mina.call("gift.send", room=room, gift="rose", count=2, key="g1")["balance"] == 380
        with pytest.raises(Refused) as refusal:
            mina.call("wallet.faucet", key="f1")
        assert refusal.value.name == "permission_denied"
    assert "earnings  20" in run("wallet", "show", "--app", app, "--user", "host", *data)[1]


@story("G03-S an operator changes the words that no text may have while the server runs; a file that does not do changes nothing, and stops a start")
def test_words(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("# our list\nbadger\nbull*\n시발\n", encoding="utf-8")
    code, said, _ = run("words", "check", str(words), "a Badger!", "bullish", "다시 발견", "시.발", "good evening")
    assert code == 1 and said.splitlines() == [
        "3 words", 'stopped by "badger": a Badger!', 'stopped by "bull*": bullish', "passes: 다시 발견", 'stopped by "시발": 시.발',
        "passes: good evening"]
    assert run("words", "check", str(words), "good evening")[0] == 0
    for text, why in (("good\n!!!\n", "words.txt:2: there is no letter"), ("x" * 65, "words.txt:1: a word has up to 64"), (b"\xff", "UTF-8")):
        words.write_bytes(text if isinstance(text, bytes) else text.encode())
        code, _, complaint = run("words", "check", str(words))
        assert code == 78 and why in complaint
    code, _, complaint = run("serve", "--dev", "--moderation-words", str(tmp_path / "none.txt"), "--data", str(tmp_path / "data"))
    assert code == 78 and "moderation.words" in complaint and "none.txt" in complaint
    words.write_text("badger\n", encoding="utf-8")
    with Server(tmp_path / "data", "--moderation-words", str(words)) as server:
        host = Client(server, ticket(server, "Host"))
        room = host.call("room.create", name="Salon")["room"]

        def stops(text):
            try:
                host.patiently("message.send", room=room, text=text)
                return False
            except Refused as refusal:
                assert refusal.name == "text_filtered"
                return True
        with pytest.raises(Refused) as refusal:
            host.call("room.update", room=room, name="The Badger")
        assert refusal.value.name == "text_filtered"
        with pytest.raises(Refused) as refusal:
            host.call("profile.set", name="Badger")
        assert refusal.value.name == "text_filtered"
        with pytest.raises(Refused) as refusal:
            Client(server, {**ticket(server, "Guest"), "name": "A badger"})
        assert refusal.value.name == "text_filtered"
        assert stops("a badger") and not stops("a weasel")
        words.write_text("weasel\n", encoding="utf-8")
        wait_for("the new words", lambda: stops("a weasel"))
        assert not stops("a badger")
        # What cannot be read leaves the words as they were.
        words.write_bytes(b"\xff\xfe")
        wait_for("the complaint", lambda: "the words stay as they were" in server.log())
        assert stops("a weasel")


@story("A01-L an application's rules are changed, one at a time or both, and hold from the next start; others are refused by name")
def test_rules(tmp_path):
    app, key = own_application(tmp_path / "data")
    data = ("--data", str(tmp_path / "data"))
    code, out, _ = run("app", "configure", "--app", app, "--second-session", "allowed", *data)
    assert code == 0 and out.split() == ["consent", "enforced", "second", "session", "allowed", "room", "keys", "unused", "admins", "administrator"]
    code, out, _ = run("app", "configure", "--app", app, "--consent", "advisory", *data)
    assert code == 0 and out.split() == ["consent", "advisory", "second", "session", "allowed", "room", "keys", "unused", "admins", "administrator"], "what is not named stays"
    assert run("app", "list", "--keys", *data)[1].split()[-1] == key, "and so do the keys"
    code, _, complaint = run("app", "configure", "--app", app, *data)
    assert code == 64 and "--consent" in complaint
    code, _, complaint = run("app", "configure", "--app", app, "--consent", "perhaps", *data)
    assert code == 64 and "advisory" in complaint
    code, _, complaint = run("app", "configure", "--app", "1", "--consent", "advisory", *data)
    assert code == 78 and "no application 1" in complaint
    assert run("app", "configure", "--app", app, "--room-keys", "required", *data)[1].splitlines()[2].split()[-1] == "required"
    assert run("app", "configure", "--app", app, "--admin", "shop", "--admin", "till", *data)[1].split()[-2:] == ["shop", "till"]
    assert run("app", "configure", "--app", app, "--admin", "a shop", *data)[0] == 78
    with Server(tmp_path / "data", development=False) as server:
        made = run("usersig", "make", "--app", app, "--user", "host", key=key)[1].strip()
        host = Client(server, {"app": int(app), "user": "host", "ticket": made, "name": "Host"})
        with pytest.raises(Refused) as refusal:
            host.call("room.create", name="Salon", room=48213)
        assert refusal.value.name == "room_key_failed"
        made = run("usersig", "make", "--app", app, "--user", "host", "--room", "48213", key=key)[1].strip()
        assert host.call("room.create", name="Salon", room=48213, privateMapKey=made)["room"] == 48213
        made = run("usersig", "make", "--app", app, "--user", "host", "--room", "~48213", "--privileges", "42", key=key)[1].strip()
        with pytest.raises(Refused) as refusal:
            host.call("room.enter", room="48213", privateMapKey=made)
        assert refusal.value.name == "room_not_found", "the number and the text are two rooms"


@story("R04-L G06-S what commands change stands in the audit trail, once, with who ran them, whom it concerns and why")
def test_trail(tmp_path):
    data = ("--data", str(tmp_path / "data"))
    app, _ = own_application(tmp_path / "data")
    named = ("--app", app, *data)

    def done(*words):
        code, out, complaint = run(*words)
        assert code == 0, (words, complaint)
        return out

    done("app", "configure", "--consent", "advisory", *named)
    done("app", "rotate-key", *named)
    done("app", "retire-key", *named)
    done("gift", "set", "--id", "rose", "--name", "Rose", "--price", "10", *named)
    done("gift", "remove", "--id", "rose", *named)
    for _ in range(2):
        done("wallet", "credit", "--user", "mina", "--coins", "500", "--key", "order-1", "--reason", "sold at the counter", *named)
    done("wallet", "refund", "--user", "mina", "--coins", "100", "--key", "back-1", *named)
    code, _, complaint = run("wallet", "refund", "--user", "mina", "--coins", "1", "--key", "back-2", "--reason", "x" * 201, *named)
    assert code == 78 and "200" in complaint
    made = dict(line.split() for line in done("key", "create", "--name", "shop", "--scope", "rooms:read", *named).splitlines())
    done("key", "revoke", made["id"], *data)
    done("key", "create", "--name", "all", "--scope", "rooms:read", *data)
    hook = done("webhook", "add", "--url", "https://example.com/hook", *named).split()[1]
    done("webhook", "remove", hook, *named)
    done("user", "erase", "--user", "mina", *named)
    lines = [line.split("\t") for line in done("audit", *named).splitlines()]
    assert [line[4] for line in reversed(lines)] == [
        "createApplication", "configureApplication", "addApplicationKey", "dropApplicationKey", "setGift", "removeGift", "topUp", "refund",
        "createKey", "revokeKey", "addWebhook", "removeWebhook", "erasePerson"]
    assert {line[2] for line in lines} == {f"{getpass.getuser()} (operator)"} and {line[6] for line in lines} == {"done"}
    (credit,) = [line for line in lines if line[4] == "topUp"]
    # What is noted of somebody goes when they are erased; that it happened, and to whom, stays.
    assert credit[5] == "mina" and credit[7:] == ["{}", ""]
    assert [line[4] for line in (line.split("\t") for line in done("audit", "--app", "0", *data).splitlines())] == ["createKey"]
    assert "order-1" not in done("audit", *named) and "shop" in done("audit", *named)
    done("wallet", "credit", "--user", "nora", "--coins", "5", "--key", "order-2", "--reason", "a prize", *named)
    (line,) = done("audit", "--user", "nora", *named).splitlines()
    assert '"a prize"' in line and '"key":"order-2"' in line


@story("R01-L a key is made, named in its list without its secret, opens the REST API as far as its scopes reach, and is revoked")
def test_operator_keys(tmp_path):
    app, key = own_application(tmp_path / "data")
    data = ("--data", str(tmp_path / "data"))
    code, out, _ = run("key", "create", "--app", app, "--name", "shop", "--scope", "rooms:read", "--days", "1", *data)
    assert code == 0
    made = dict(line.split() for line in out.splitlines())
    listed = run("key", "list", *data)[1]
    assert listed.split()[:4] == [made["id"], app, "shop", "rooms:read"] and made["key"] not in listed
    code, _, complaint = run("key", "create", "--name", "shop", "--scope", "moon:land", *data)
    assert code == 78 and "rooms:read" in complaint
    code, _, complaint = run("key", "create", "--name", "a shop", "--scope", "rooms:read", *data)
    assert code == 78 and "1…32" in complaint
    code, _, complaint = run("key", "create", "--app", "1", "--name", "shop", "--scope", "rooms:read", *data)
    assert code == 78 and "no application 1" in complaint

    def ask(server, method, path):
        request = urllib.request.Request(f"{server.url}/v1/{path}", method=method, headers={"Authorization": f"Bearer {made['key']}"})
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    with Server(tmp_path / "data", development=False) as server:
        ticket = run("usersig", "make", "--app", app, "--user", "host", key=key)[1].strip()
        host = Client(server, {"app": int(app), "user": "host", "ticket": ticket, "name": "Host"})
        host.call("room.create", name="Salon", room=48213)
        status, page = ask(server, "GET", "rooms")
        assert status == 200 and [room["name"] for room in page["rooms"]] == ["Salon"]
        status, refused = ask(server, "DELETE", "rooms/48213")
        assert status == 403 and "rooms:write" in refused["error"]["message"]
    assert run("key", "revoke", made["id"], *data)[0] == 0
    code, _, complaint = run("key", "revoke", made["id"], *data)
    assert code == 78 and "no key" in complaint
    with Server(tmp_path / "data", development=False) as server:
        assert ask(server, "GET", "rooms")[0] == 401


def written():
    """The command lines of the documents, with whether they are whole: those in blocks of code are, those within sentences may
    name a command alone. What follows a # is said about them."""
    for path in [ROOT / "README.md", *sorted((ROOT / "Documentation").rglob("*.md")), *sorted((ROOT / "Examples").glob("*/README.md"))]:
        text = path.read_text()
        lines = [(line, True) for block in re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL) for line in block.splitlines()]
        lines += [(line, False) for line in re.findall(r"`(ovation [^`\n]+)`", text)]
        for line, whole in lines:
            found = re.match(r"\s*ovation ((?:serve|join|app|usersig)\b.*)", line.split(" #")[0])
            if found and not re.search(r"[|]|--\S*…|^\w+$", found[1]):
                yield path.name, shlex.split(found[1]), whole


def unfit(words, explained, whole=True):
    """What of a command line the program would not take: flags it does not have, too few or too many words, and where the line
    is whole, options that it needs."""
    names = [name for name in words[:2] if re.fullmatch(r"[a-z]+(-[a-z]+)*", name)]
    usage, wrong, given, rest = explained(names), [], 0, words[len(names):]
    while rest:
        word, *rest = rest
        if not word.startswith("--"):
            given += 1
        elif not re.search(rf"^ +{word}\b", usage, re.MULTILINE):
            wrong.append(f"no {word}")
        elif re.search(rf"^ +{word} <", usage, re.MULTILINE):
            rest = rest[1:]
    call = re.sub(r"\[[^\]]*\]", "", re.search(r"^USAGE: (.*?)\n\n", usage, re.MULTILINE | re.DOTALL)[1])
    wrong += [f"without {option}" for option in re.findall(r"(--\S+) <", call) if whole and option not in words]
    call = re.sub(r"--\S+ <\S+>", "", call)
    wanted = len(re.findall(r"<(?!options|subcommand)[\w-]+>", call))
    return wrong + ([f"{given} words where it wants {wanted}"] if given != wanted else [])


@story("each command line in the documents is one that the program takes")
def test_documents():
    helps = {}

    def explained(names):
        if tuple(names) not in helps:
            code, text, _ = run("help", *names)
            assert code == 0, names
            helps[tuple(names)] = text
        return helps[tuple(names)]

    found = list(written())
    misfits = [(name, words, unfit(words, explained, whole)) for name, words, whole in found]
    wrong = [f"{name}: ovation {' '.join(words)}: {faults}" for name, words, faults in misfits if faults]
    assert len(found) >= 10 and not wrong, "\n".join(wrong)
    assert unfit("usersig verify --app 1 --user a".split(), explained) == ["0 words where it wants 1"]
    assert unfit("join --room 1 --sing".split(), explained) == ["no --sing"]
    assert unfit("app rotate-key --data data".split(), explained) == ["without --app"]


@story("A01-L without --data the folder `data` is made where one stands")
def test_default_folder(tmp_path):
    assert run("app", "create", "--name", "Here", folder=tmp_path)[0] == 0
    assert (tmp_path / "data" / "ovation.sqlite").exists()
    assert "Here" in run("app", "list", folder=tmp_path)[1]


@story("A10-L A10-S a key is rotated: tickets of both are good, until the old one is retired")
def test_rotation(tmp_path):
    data = tmp_path / "data"
    app, old = own_application(data)

    def ticket(key):
        return {"app": int(app), "user": "mina", "name": "Mina", "ticket": run("usersig", "make", "--app", app, "--user", "mina", key=key)[1].strip()}

    code, out, _ = run("app", "rotate-key", "--app", app, "--data", str(data))
    new = out.split("new key")[1].split()[0]
    assert code == 0 and new != old
    code, _, complaint = run("app", "rotate-key", "--app", app, "--data", str(data))
    assert code == 78 and "retire-key" in complaint
    with Server(data, "--sign-in-application", app, development=False) as server:
        for key in (old, new):
            Client(server, ticket(key)).close()
    assert run("app", "retire-key", "--app", app, "--data", str(data))[0] == 0
    with Server(data, "--sign-in-application", app, development=False) as server:
        Client(server, ticket(new)).close()
        with pytest.raises(Refused) as refusal:
            Client(server, ticket(old))
        assert refusal.value.code == -100018


@story("A08-S names, bios and avatars survive a restart; user ids keep to their alphabet")
def test_profiles(server):
    from client import ticket

    account = ticket(server, "Mina")
    client = Client(server, account)
    client.call("profile.set", name="Mina Park", avatar="https://example.com/m.png", bio="Tells stories.\nSings.")
    with pytest.raises(Refused) as refusal:
        client.call("profile.set", avatar="javascript:alert(1)")
    assert refusal.value.code == -32602
    with pytest.raises(Refused):
        client.call("profile.set", bio="x" * 301)
    server.kill()
    client.close()
    server.start()
    other = Client(server, ticket(server, "Reader"))
    [profile] = other.call("profile.get", users=[account["user"], "nobody-like-that"])["users"]
    assert profile == {"id": account["user"], "name": "Mina Park", "avatar": "https://example.com/m.png", "bio": "Tells stories.\nSings."}
    for wrong in ("", "a b", "é", "x" * 33, "semi;colon"):
        with pytest.raises(Refused) as refusal:
            Client(server, account | {"user": wrong})
        assert refusal.value.code in (-3319, -32602), wrong
    other.close()




class Misleading:
    """A way to the server's page on which the media port's number becomes another one: as if a firewall kept everything from it."""

    def __init__(self, server):
        self.server = server
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.there = f" {server.media_port} typ".encode()
        # As long as the true one, and nobody's.
        self.elsewhere = f" {free_port(socket.SOCK_DGRAM)} typ".encode()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.server.port))
            for source, sink, change in ((near, far, False), (far, near, True)):
                threading.Thread(target=self._carry, args=(source, sink, change), daemon=True).start()

    def _carry(self, source, sink, change):
        try:
            while data := source.recv(1 << 18):
                sink.sendall(data.replace(self.there, self.elsewhere) if change else data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        self.listener.close()


@story("R05-L the doctor finds nothing wrong with a server that runs, from inside and from outside, and says in a sentence what keeps people out")
def test_doctor(server):
    here = ("--host", "127.0.0.1", "--port", str(server.port), "--media-port", str(server.media_port))
    code, out, _ = run("doctor", "--data", str(server.data), *here)
    assert code == 0 and "A server runs on the data folder" in out and "PROBLEM" not in out, out
    code, out, _ = run("doctor", "--data", str(server.data.parent / "other"), *here, "--json")
    found = json.loads(out)
    assert code == 1
    assert {finding["subject"] for finding in found if finding["grade"] == "problem"} == {"ports"}, found
    assert all(finding["advice"] for finding in found if finding["grade"] != "ok")
    code, out, _ = run("doctor", "--port", "80000")
    assert code == 1 and "a number from 0 to 65535" in out, out

    code, out, _ = run("doctor", "--from", server.url, "--name", "Doctor")
    assert code == 0, out
    assert re.findall(r"^ok +(\S+)", out, re.M) == ["page", "sign-in", "media-udp", "clock", "media-tcp"], out
    code, out, _ = run("doctor", "--from", server.url)
    assert code == 0 and "Not tried" in out, out
    code, out, _ = run("doctor", "--from", f"http://127.0.0.1:{free_port()}")
    assert code == 1 and "does not answer" in out, out
    way = Misleading(server)
    code, out, _ = run("doctor", "--from", way.url, "--name", "Doctor")
    way.close()
    assert code == 1 and re.findall(r"^PROBLEM +(\S+) +(.*)", out, re.M) == [
        ("media-udp", "Nothing comes back from the media port by UDP."), ("media-tcp", "Nothing comes back from the media port by TCP.")], out
    assert run("doctor", "--name", "Doctor")[0] == 64, "what goes with --from"
    # Nothing is left behind.
    watcher = Client(server, ticket(server, "Watcher"))
    assert watcher.call("room.list")["rooms"] == []
    watcher.close()


@story("R05-L R08-L the doctor sees guests get in by UDP and TCP, and says where nobody can sign in or no pages are")
def test_doctor_and_guests(tmp_path):
    data = tmp_path / "data"
    app, _ = own_application(data)
    with Server(data, "--sign-in-application", app, "--sign-in-guests", "true", development=False) as server:
        code, out, _ = run("doctor", "--from", server.url, "--name", "Doctor")
        assert code == 0 and re.findall(r"^ok +(\S+)", out, re.M) == ["page", "sign-in", "media-udp", "clock", "media-tcp"], out
    here = ("doctor", "--data", str(data), "--port", str(server.port), "--media-port", "0", "--web-root", str(tmp_path))
    _, out, _ = run(*here)
    assert "Nobody can sign in on the web" in out and f"no index.html in {tmp_path}" in out, out
    _, out, _ = run(*here, "--sign-in-guests", "true", "--sign-in-application", str(app))
    assert "Guests sign in on the web with a name." in out, out
    with Server(data, development=False) as server:
        code, out, _ = run("doctor", "--from", server.url, "--name", "Doctor")
        assert code == 1 and "sign_in.guests" in out and "WebSockets" not in out, out
