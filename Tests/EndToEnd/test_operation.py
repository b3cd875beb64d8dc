"""What an operator does with a server: settings, logs, figures, copies."""

import contextlib
import json
import re
import shutil
import sqlite3
import subprocess
import threading
import time
import urllib.parse
import urllib.request

import pytest

from client import Client, Refused, ticket
from server import ROOT, Server, free_port
from small_disk import ServerOnDisk, SmallDisk
from story import story
from test_back_ends import made
from test_command_line import run, wait_for
from test_rest_api import House
from test_tickets import own_application


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def person(server, app, key, name):
    ticket = run("usersig", "make", "--app", app, "--user", name, key=key)[1].strip()
    return Client(server, {"app": int(app), "user": name, "ticket": ticket, "name": name.title()})


@story("R05-L settings are checked with file, line and column, and printed as a file that reads back as the same, without secrets")
def test_config(tmp_path):
    file = tmp_path / "ovation.yml"
    file.write_text("port: 9000\nmedia:\n  relay_secret: hush\n  relays: [turn:relay.example]\n")
    assert run("config", "check", "--config", str(file))[:2] == (0, "the settings are good\n")
    code, printed, _ = run("config", "print", "--config", str(file), "--log-level", "debug")
    assert code == 0 and "hush" not in printed and "port: 9000  # changed" in printed
    assert run("config", "print", "--changed", "--config", str(file))[1].splitlines() == [
        "port: 9000", "media:", '  relays: ["turn:relay.example"]', "  # relay_secret: a secret is set"]
    again = tmp_path / "again.yml"
    again.write_text(printed.replace("# relay_secret: a secret is set", "relay_secret: hush"))
    assert run("config", "print", "--config", str(again))[1] == printed
    assert run("config", "print")[1].count("\n") == run("config", "print", "--config", str(ROOT / "Configuration/ovation.yml"))[1].count("\n")
    file.write_text("port: 9000\nrooms:\n  max_member: 5\n")
    code, _, complaint = run("config", "check", "--config", str(file))
    assert code == 78 and re.search(r"ovation\.yml:3:\d+.*max_member", complaint)


@story("R05-S logs are JSON for collectors, with the number of each request, and have no message, ticket, key or secret in them")
def test_logs(tmp_path):
    app, key = own_application(tmp_path / "data")
    data = ("--data", str(tmp_path / "data"))
    program = made("--app", app, "--name", "shop", "--scope", "rooms:read", "--scope", "messages:write", *data)
    with Server(tmp_path / "data", "--log-level", "trace", development=False) as server:
        operator = House(server, app, {"all": program}, None, None)
        host = person(server, app, key, "host")
        host.call("room.create", name="Salon", room=48213)
        host.call("message.send", room=48213, text="a-word-that-nobody-logs")
        assert operator.ask("post", "/v1/rooms/48213/messages", {"text": "another-word-of-that-kind"})[0] == 200
        assert operator.ask("get", "/v1/rooms?query=a-third-word", **{"X-Request-Id": "my-number-7"})[0] == 200
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(server.url + "/v1/rooms")
        number = refused.value.headers["X-Request-Id"]
        log = server.log()
    lines = [json.loads(line) for line in log.splitlines()]
    (ready,) = [line for line in lines if line["message"] == "ready"]
    assert ready["url"] == server.url and ready["version"]
    assert all({"time", "level", "message", "label"} <= set(line) for line in lines)
    requests = {line["request"]: line for line in lines if "request" in line}
    assert requests["my-number-7"]["message"] == "GET /v1/rooms" and requests["my-number-7"]["status"] == "200"
    assert requests[number]["status"] == "401"
    for secret in ("a-word-that-nobody-logs", "another-word-of-that-kind", "a-third-word", program["key"], program["secret"], key,
                   host.account["ticket"], host.session):
        assert secret not in log, secret[:20]
    with Server(tmp_path / "data", "--log-format", "text", "--log-level", "debug", development=False) as server:
        assert not [line for line in server.log().splitlines() if line.startswith("{")]


@story("R05-S every figure of the board is there: Prometheus reads the server, and no query of the Grafana board is empty")
def test_metrics(tmp_path):
    app, key = own_application(tmp_path / "data")
    port = free_port()
    with Server(tmp_path / "data", "--metrics-port", str(port), development=False) as server:
        host = person(server, app, key, "host")
        host.call("room.create", name="Salon", room=48213)
        for number in range(3):
            host.call("message.send", room=48213, text=f"n {number}")
        figures = get(f"http://127.0.0.1:{port}/metrics")
        values = dict(line.rsplit(" ", 1) for line in figures.splitlines() if not line.startswith("#"))
        assert values['ovation_rooms{kind="voice"}'] == "1" and values["ovation_messages_total"] == "3"
        assert values["ovation_connections"] == "1" and values["ovation_users"] == "1" and float(values["process_resident_memory_bytes"]) > 1e6
        with pytest.raises(urllib.error.HTTPError):
            get(f"{server.url}/metrics")
        board = json.loads((ROOT / "Deploy/grafana/ovation.json").read_text())
        queries = [target["expr"] for panel in board["panels"] for target in panel.get("targets", [])]
        for query in queries:
            for name in re.findall(r"\b(?:ovation|process)_\w+", query):
                assert re.search(rf"^{name}[ {{]", figures, re.MULTILINE), name
        if not shutil.which("prometheus"):
            pytest.skip("Prometheus is not installed: the figures are there, the queries were not run")
        done = subprocess.run(["promtool", "check", "metrics"], input=figures, capture_output=True, text=True)
        # It wishes for names that Prometheus itself does not need.
        assert done.returncode in (0, 3), done.stderr
        (tmp_path / "prometheus.yml").write_text(
            f"global:\n  scrape_interval: 1s\nscrape_configs:\n- job_name: ovation\n  static_configs:\n  - targets: ['127.0.0.1:{port}']\n")
        web = free_port()
        process = subprocess.Popen(
            ["prometheus", f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/tsdb",
             f"--web.listen-address=127.0.0.1:{web}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:

            def ask(query):
                try:
                    text = get(f"http://127.0.0.1:{web}/api/v1/query?{urllib.parse.urlencode({'query': query})}")
                except OSError:
                    return []
                answer = json.loads(text)
                assert answer["status"] == "success", (query, answer)
                return answer["data"]["result"]

            def asking():
                host.call("message.send", room=48213, text="more")
                get(server.url + "/healthz")
                time.sleep(0.3)
                return all(ask(query) for query in queries)

            wait_for("a figure for every query", asking, seconds=60)
            assert not [query for query in queries if not ask(query)] and len(queries) > 30
        finally:
            process.terminate()
            process.wait(20)


@story("R09-L R09-S a copy that is made while the server works is whole, and is what a restored server has; nothing is lost that was there")
def test_backup(tmp_path):
    app, key = own_application(tmp_path / "data")
    data = ("--data", str(tmp_path / "data"))
    copy = tmp_path / "copy.sqlite"
    with Server(tmp_path / "data", development=False) as server:
        host = person(server, app, key, "host")
        host.call("room.create", name="Salon", room=48213)
        stop, sent = threading.Event(), []

        def write():
            while not stop.is_set():
                sent.append(host.patiently("message.send", room=48213, text=f"n {len(sent)}")["chat"])

        writer = threading.Thread(target=write)
        writer.start()
        wait_for("some messages", lambda: len(sent) > 20)
        told = len(sent)
        assert run("backup", str(copy), *data) == (0, f"{copy}\n", "")
        wait_for("more messages", lambda: len(sent) > told + 20)
        stop.set()
        writer.join()
        code, _, complaint = run("restore", str(copy), *data)
        assert code == 78 and "another server" in complaint
        assert run("backup", str(copy), *data)[0] == 78, "nothing is overwritten"
    assert copy.stat().st_mode & 0o777 == 0o600
    (tmp_path / "broken.sqlite").write_bytes(copy.read_bytes()[:9000] + b"x" * 4000)
    (tmp_path / "text").write_text("no database")
    for wrong in ("broken.sqlite", "text", "nothing"):
        assert run("restore", str(tmp_path / wrong), *data)[0] == 78, wrong
    code, out, _ = run("restore", str(copy), *data)
    assert code == 0 and (tmp_path / "data/ovation.sqlite.before-restore").exists() and "before-restore" in out
    with Server(tmp_path / "data", development=False) as server:
        guest = person(server, app, key, "guest")
        snapshot = guest.call("room.enter", room=48213)["snapshot"]
        assert told <= snapshot["chat"] < len(sent)
        assert snapshot["info"]["owner"]["id"] == "host"
    assert run("restore", str(copy), "--data", str(tmp_path / "elsewhere"))[0] == 0
    with Server(tmp_path / "elsewhere", development=False) as server:
        assert person(server, app, key, "guest").call("room.enter", room=48213)["snapshot"]["chat"] >= told


@story("R09-L what a stopped server knows of a person is erased on the command line")
def test_erase(tmp_path):
    app, key = own_application(tmp_path / "data")
    data = ("--data", str(tmp_path / "data"))
    with Server(tmp_path / "data", development=False) as server:
        person(server, app, key, "mina").call("profile.set", bio="I sing.")
        person(server, app, key, "mina").call("room.create", room=7, name="Mina's salon")
    copy = tmp_path / "copy.sqlite"
    assert run("backup", str(copy), *data)[0] == 0
    code, said, _ = run("user", "erase", "--app", app, "--user", "mina", *data)
    assert code == 0 and re.match(r"erased [1-9]\d* rows, 0 songs and 0 pictures; ended 1 rooms\n", said) and str(copy) in said
    left = [path.name for path in (tmp_path / "data").rglob("*") if path.is_file() and re.search(b"I sing|Mina", path.read_bytes())]
    assert left == [] and b"I sing" in copy.read_bytes()
    assert run("user", "erase", "--app", app, "--user", "no one", *data)[0] == 78
    with Server(tmp_path / "data", development=False) as server:
        assert person(server, app, key, "host").call("profile.get", users=["mina"])["users"] == []


@story("R09-S a disk that is full refuses what would be written, by name, keeps those who are there, and works again by itself; nothing acknowledged is lost")
def test_full_disk(tmp_path):
    disk = SmallDisk(tmp_path / "disk", megabytes=24)
    try:
        with ServerOnDisk(disk) as server:
            host, guest = (Client(server, ticket(server, name)) for name in ("Hana", "Gil"))
            Client(server, ticket(server, "Ida")).close()
            room = host.call("room.create", name="Salon")["room"]
            guest.call("room.enter", room=room)
            guest.call("seat.take", room=room, seat=1)
            told = []

            def write(count):
                """Sends so many; how many were refused, and why."""
                refused = []
                for _ in range(count):
                    try:
                        told.append(host.call("message.send", room=room, text=f"n {len(told)} " + "x" * 1_000)["chat"])
                    except Refused as refusal:
                        refused.append(refusal.name)
                        time.sleep(min(1, refusal.retry_after))
                return refused

            assert write(5) == []
            disk.fill()
            refused = write(20)
            assert refused and set(refused) == {"unavailable"}, refused
            with pytest.raises(Refused) as seat:
                guest.call("seat.leave", room=room)
            assert seat.value.name == "unavailable" and seat.value.retry_after > 0
            assert any("disk is full" in line for line in server.log().splitlines()), server.log()
            # Nobody is sent away, and who is known comes in.
            assert Client(server, ticket(server, "Ida")).call("room.list")["rooms"][0]["memberCount"] == 2
            with pytest.raises(Refused) as new:
                Client(server, ticket(server, "Jo"))
            assert new.value.name == "unavailable", "who is new would have to be written down"
            disk.empty()
            wait_for("what is written again", lambda: write(1) == [])
            assert write(5) == []
            guest.call("seat.leave", room=room)
            server.kill()
            server.start()
            ida = Client(server, ticket(server, "Ida"))
            snapshot = ida.call("room.enter", room=room)["snapshot"]
            kept = {message["chat"]: message["text"] for message in snapshot["messages"]}
            assert [kept[chat].split()[1] for chat in told] == [str(number) for number in range(len(told))]
            assert snapshot["seats"][1]["state"] == "empty"
    finally:
        disk.close()


@story("R09-S what has outlived its retention is gone at the next start: ended rooms with what was written there, reports, the audit trail; the rest stays")
def test_retention(tmp_path):
    path = tmp_path / "data/ovation.sqlite"
    counted = {
        "rooms": "SELECT count(*) FROM room", "words": "SELECT count(*) FROM entry WHERE instr(payload, CAST('my address' AS BLOB)) > 0",
        "reports": "SELECT count(*) FROM report", "lines": "SELECT count(*) FROM audit",
    }

    def held():
        with contextlib.closing(sqlite3.connect(path)) as file:
            return {name: file.execute(sql).fetchone()[0] for name, sql in counted.items()}

    with Server(tmp_path / "data") as server:
        host, guest, ida = (Client(server, ticket(server, name)) for name in ("Hana", "Gil", "Ida"))
        over, stays = (one.call("room.create", name="Salon")["room"] for one in (host, ida))
        guest.call("room.enter", room=over)
        guest.call("message.send", room=over, text="my address is")
        ida.call("message.send", room=stays, text="my address too")
        host.call("report.send", room=over, user=guest.user, cause="spam")
        host.call("restriction.set", room=over, user=guest.user, kind="chat_mute")
        host.call("room.destroy", room=over)
    everything = held()
    assert everything == {"rooms": 2, "words": 2, "reports": 1, "lines": 2}, everything
    # As a server leaves it that was switched off for 40 days.
    with contextlib.closing(sqlite3.connect(path)) as file:
        for table, column in (("room", "opened_at"), ("room", "ended_at"), ("entry", "written_at"), ("report", "posted_at"), ("audit", "noted_at")):
            file.execute(f"UPDATE {table} SET {column} = {column} - {40 * 86_400_000}")
        file.commit()
    with Server(tmp_path / "data", "--store-retention-days", "50") as server:
        assert Client(server, ticket(server, "Gil")).call("room.list")["rooms"][0]["room"] == stays
    assert held() == everything
    with Server(tmp_path / "data") as server:
        wait_for("what is old to go", lambda: held() == {"rooms": 1, "words": 1, "reports": 0, "lines": 0})
        snapshot = Client(server, ticket(server, "Gil")).call("room.enter", room=stays)["snapshot"]
        assert [message["text"] for message in snapshot["messages"]] == ["my address too"]
