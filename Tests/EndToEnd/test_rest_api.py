"""The REST API against its own description: what Web/openapi.json says is what the server does."""

import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from client import Client
from server import EXECUTABLE, ROOT, Server
from story import story
from test_back_ends import made
from test_command_line import run
from test_tickets import own_application

DOCUMENT = json.loads((ROOT / "Web/openapi.json").read_text())
SCOPES = DOCUMENT["components"]["schemas"]["Scope"]["enum"]
OPERATIONS = [(path, method, what) for path, methods in DOCUMENT["paths"].items() for method, what in methods.items()]
NAMED = {"room": "48213", "user": "guest", "seat": "1", "chat": "1", "kind": "chat_mute", "gift": "rose", "report": "1", "id": "0" * 12, "webhook": "1"}


class House:
    """A server with a room, a host, a guest, and keys: one for each scope, with all the others; one with all of them."""

    def __init__(self, server, app, keys, host, guest):
        self.server, self.app, self.keys, self.host, self.guest = server, app, keys, host, guest

    def ask(self, method, path, body=None, key="all", **headers):
        if key:
            headers["Authorization"] = f"Bearer {self.keys[key]['key']}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server.url + path, data, {"Content-Type": "application/json", **headers}, method=method.upper())
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)


@pytest.fixture
def house(tmp_path):
    app, key = own_application(tmp_path / "data")
    data = ("--data", str(tmp_path / "data"))

    def made_with(name, scopes, *more):
        return made("--name", name, *[word for scope in scopes for word in ("--scope", scope)], *more, *data)

    keys = {f"no-{scope}": made_with("some", [s for s in SCOPES if s != scope]) for scope in SCOPES}
    keys["all"] = made_with("all", SCOPES, "--app", app)
    with Server(tmp_path / "data", development=False) as server:

        def person(name):
            ticket = run("usersig", "make", "--app", app, "--user", name, key=key)[1].strip()
            return Client(server, {"app": int(app), "user": name, "ticket": ticket, "name": name.title()})

        host, guest = person("host"), person("guest")
        host.call("room.create", name="Salon", room=48213, kind="live")
        guest.call("room.enter", room=48213)
        guest.call("seat.take", room=48213, seat=1)
        guest.call("message.send", room=48213, text="hello")
        host.call("report.send", room=48213, user="guest", cause="spam")
        yield House(server, app, keys, host, guest)


def smallest(schema):
    """A value that the schema takes."""
    if "$ref" in schema:
        return smallest(DOCUMENT["components"]["schemas"][schema["$ref"].split("/")[-1]])
    if "oneOf" in schema:
        return smallest(schema["oneOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "object":
            return {name: smallest(schema["properties"][name]) for name in schema.get("required", [])}
        case "array":
            return [smallest(schema["items"])] if schema.get("minItems") else []
        case "string":
            return "guest"
        case "integer":
            return schema.get("minimum", 1)
        case "boolean":
            return True


@story("R04-L what the console does in rooms that run is asked on the command line too; what is wrong is said, and the key is in no argument")
def test_command(house):
    def ask(*words, key=house.keys["all"]["key"], body=None):
        environment = {**os.environ, "OVATION_SERVER": house.server.url, "OVATION_OPERATOR_KEY": key}
        done = subprocess.run([EXECUTABLE, "rest", *words], capture_output=True, text=True, env=environment, timeout=60, input=body)
        return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr

    code, found, _ = ask("get", "rooms?kind=live")
    assert code == 0 and [room["room"] for room in found["rooms"]] == [48213]
    code, sent, _ = ask("POST", "rooms/48213/messages", "-d", '{"text": "From the terminal"}', "--once", "m-1")
    again = ask("POST", "rooms/48213/messages", "-d", "-", "--once", "m-1", body='{"text": "From the terminal"}')
    assert code == 0 and sent["chat"] == again[1]["chat"]
    assert ask("PUT", "/v1/rooms/48213/restrictions/guest/chat_mute", "-d", '{"seconds": 60}')[0] == 0
    assert house.ask("get", "/v1/rooms/48213/restrictions")[1]["restrictions"][0]["user"] == "guest"
    assert ask("DELETE", "rooms/48213/restrictions/guest/chat_mute")[0] == 0
    code, _, complaint = ask("DELETE", "rooms/7")
    assert code == 1 and "404 room_not_found" in complaint
    assert "401 not_signed_in" in ask("GET", "rooms", key="ovk_1_2")[2]
    assert "holds no key" in ask("GET", "rooms", key="")[2]
    assert "no JSON object" in ask("POST", "words", "-d", "[]")[2]
    assert "what follows /v1/" in ask("GET", "//other.example/x")[2]
    code, _, complaint = ask("GET", "rooms", "--server", "http://127.0.0.1:9")
    assert code != 0 and "does not answer" in complaint
    assert ask("DELETE", "rooms/48213")[0] == 0
    assert house.ask("get", "/v1/rooms/48213")[0] == 404 or house.ask("get", "/v1/rooms/48213")[0] == 410


@story("R04-R everything that the console asks for is an operation of the REST API")
def test_console_asks():
    def shape(path):
        return re.sub(r"\{[^}]*\}", "{}", path)

    known = {shape(path.removeprefix("/v1/")) for path, _, _ in OPERATIONS}
    asked = set()
    for page in sorted((ROOT / "Web/console").rglob("*.js")):
        text = page.read_text()
        bases = [shape(base.replace("${", "{")) for base in re.findall(r"const path = `([^`]+)`", text)]
        for found in re.findall(r"(?:api\.get\(|path: )(?:`([^`]+)`|'([^']+)')", text):
            path = shape("".join(found).replace("${path}", bases[0] if bases else "?").replace("${", "{"))
            asked.add((page.name, path))
    assert len(asked) > 20
    # A wallet's page says what is done in a choice of words.
    choices = {"users/{}/{}": ["users/{}/top-ups", "users/{}/refunds"]}
    unknown = [(page, path) for page, path in asked if not set(choices.get(path, [path])) <= known]
    assert not unknown, unknown


@story("R03-S the description of the REST API is valid, and the server hands it out")
def test_document(house):
    OpenAPIV31SpecValidator(DOCUMENT).validate()
    assert house.ask("get", "/openapi.json", key=None) == (200, DOCUMENT)


@story("R01-R R03-S whoever lacks the scope of an operation is refused and changes nothing, as does whoever brings no key")
def test_scopes(house):
    def state():
        return [house.ask("get", path)[1] for path in (
            "/v1/rooms/48213", "/v1/rooms/48213/members", "/v1/rooms/48213/messages", "/v1/rooms/48213/restrictions", "/v1/users/guest",
            "/v1/users/guest/wallet", "/v1/gifts", "/v1/reports", "/v1/applications", "/v1/keys")]

    before = state()
    for path, method, what in OPERATIONS:
        names = {**NAMED, "app": house.app}
        place = path.format(**names)
        body = what.get("requestBody")
        # A body that is a picture is left out: who may not send it is refused before.
        sent = smallest(body["content"]["application/json"]["schema"]) if body and "application/json" in body["content"] else None
        if what["operationId"] == "sendMessage":
            sent = {"text": "hello"}
        asked = f"{place}?app={house.app}" if {"$ref": "#/components/parameters/app"} in what.get("parameters", []) else place
        status, answer = house.ask(method, asked, sent, key=None)
        assert (status, answer["error"]["name"]) == (401, "not_signed_in"), what["operationId"]
        if "x-scope" in what:
            status, answer = house.ask(method, asked, sent, key=f"no-{what['x-scope']}", **{"Idempotency-Key": "once"})
            assert (status, answer["error"]["name"], answer["error"].get("reason")) == (403, "permission_denied", "scope"), (
                what["operationId"], answer)
            assert what["x-scope"] in answer["error"]["message"], what["operationId"]
    assert state() == before, "a refused call changed something"
    refused = [line for line in house.ask("get", "/v1/audit?limit=200")[1]["lines"] if line["outcome"] == "permission_denied"]
    assert refused and all(line["role"] == "operator" for line in refused)


@story("R01-R R03-S thousands of generated requests find no fault of the server, no status and no answer that is not described")
@pytest.mark.parametrize("room", ["any", "48213"])
def test_generated(house, tmp_path, room):
    settings = tmp_path / "schemathesis.toml"
    # A body that is too long is refused for that (413), whatever else is wrong with it.
    refusals = '[checks.negative_data_rejection]\nexpected-statuses = ["4xx", "5xx"]\n'
    named = "" if room == "any" else f'[parameters]\n"path.room" = "{room}"\n"path.user" = "guest"\n"path.seat" = 1\n'
    # A method that nobody knows is not described (RFC 9110 §15.6.2).
    unknown = '[checks.not_a_server_error]\nexpected-statuses = ["2xx", "3xx", "4xx", 501]\n'
    settings.write_text(named + refusals + unknown)
    done = subprocess.run(
        [pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", settings, "run", f"{house.server.url}/openapi.json",
         "--header", f"Authorization: Bearer {house.keys['all']['key']}",
         "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,negative_data_rejection",
         "--phases", "coverage,fuzzing", "--max-examples", "15", "--continue-on-failure", "--seed", "1", "--generation-deterministic",
         "--exclude-operation-id", "endRoom"],
        capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert f"{len(OPERATIONS) - 1}/{len(OPERATIONS)}" in done.stdout and house.server.process.poll() is None
    assert house.ask("get", "/v1/rooms/48213")[0] == 200
