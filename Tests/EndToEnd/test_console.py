"""The console, as an operator uses it in a browser."""

import pytest

from client import Client, ticket
from legibility import DESKTOP, DOUBLE, NORMAL, Reader
from story import story
from test_back_ends import made
from test_command_line import wait_for
from test_rest_api import SCOPES

APP = "1400000001"
BOTH = (NORMAL, DOUBLE)


@pytest.fixture
def keys(server):
    """`keys(scope, …)` makes a key of the running server's application; no scope: all of them."""

    def make(*scopes, app=APP):
        server.stop()
        words = [word for scope in scopes or SCOPES for word in ("--scope", scope)]
        key = made("--name", "console", *(("--app", app) if app else ()), *words, "--data", str(server.data))["key"]
        server.start()
        return key

    return make


def sign_in(person, key):
    person.open("/console/")
    person.type("console-key", key)
    person.click("console-enter")


def rows(person, table):
    return person.run("return [...document.querySelectorAll(`[data-testid=${arguments[0]}] [role=row].line`)].map(row => row.innerText)", table)


def has_row(person, table, *texts):
    person.wait(f"a row with {texts}", """
        return [...document.querySelectorAll(`[data-testid=${arguments[0]}] [role=row].line`)]
          .some(row => arguments[1].every(text => row.innerText.includes(text)))
        """, table, list(texts))


def open_row(person, table, text):
    has_row(person, table, text)
    person.run("""
        [...document.querySelectorAll(`[data-testid=${arguments[0]}] [role=row].line`)].find(row => row.innerText.includes(arguments[1])).click()
        """, table, text)


@story("R04-W an operator signs in with a key, sees who is where, mutes, deletes, writes into a room and ends it, and finds it in the audit trail")
def test_rooms(server, people, keys):
    key = keys()
    host, guest = (Client(server, ticket(server, name)) for name in ("Hana", "Gil"))
    room = host.call("room.create", name="Late night")["room"]
    guest.call("room.enter", room=room)
    guest.call("message.send", room=room, text="buy coins")
    jo = people("Jo")
    sign_in(jo, "ovk_0123456789ab_" + "0" * 64)
    jo.sees("console-problem", "does not know this key")
    jo.type("console-key", key)
    jo.click("console-enter")
    jo.sees("console-card")
    # What the server carried, as sentences too.
    said = jo.run("return [...document.querySelectorAll('[data-testid=console-chart] svg')].map(line => line.getAttribute('aria-label'))")
    assert [sentence.split(":")[0] for sentence in said] == ["People", "Rooms", "Media out, Mbit/s", "Media worker load"]
    assert said[0] == "People: now 2, at most 2 in the last hour" and said[1].startswith("Rooms: now 1,"), said
    jo.click("nav-rooms")
    has_row(jo, "rooms-table", "Late night", "Hana", "2")
    jo.type("rooms-search", "nothing like it\n")
    jo.sees("console-empty", "No open room fits")
    assert "query=nothing" in jo.run("return location.search")
    jo.type("rooms-search", "late\n")
    open_row(jo, "rooms-table", "Late night")
    jo.sees("room-people", "Gil")
    jo.sees("room-chat", "buy coins")
    jo.click("room-restrict")
    jo.type("field-reason", "spam")
    jo.sees("console-command", f"/v1/rooms/{room}/restrictions/{guest.user}/chat_mute")
    assert key not in jo.run("return document.documentElement.innerHTML")
    jo.click("ask-yes")
    jo.sees("console-done")
    wait_for("the mute", lambda: any(e["type"] == "restriction.set" for e in guest.events))
    jo.click("room-delete")
    jo.click("ask-yes")
    jo.sees("room-chat", "deleted")
    jo.click("room-message")
    jo.click("ask-yes")
    jo.sees("ask-problem", "Fill in")
    jo.type("field-text", "The operator is watching.")
    jo.click("ask-yes")
    wait_for("the message", lambda: any(e.get("text") == "The operator is watching." for e in host.events))
    jo.click("room-end")
    jo.click("ask-yes")
    wait_for("the end", lambda: any(e["type"] == "room.destroyed" and e["reason"] == "operator" for e in host.events))
    jo.sees("console-empty")
    jo.click("nav-audit")
    for action in ("destroyRoom", "deleteMessage", "setRestriction"):
        has_row(jo, "audit-table", action, "console")
    jo.run("location.reload()")
    jo.sees("audit-table")
    jo.click("console-leave")
    jo.sees("console-key")
    jo.run("location.reload()")
    jo.sees("console-key")


@story("R04-W reports are settled, words added and tried, gifts changed, coins credited and people signed out in the console")
def test_other_pages(server, people, keys):
    key = keys()
    host, guest = (Client(server, ticket(server, name)) for name in ("Hana", "Gil"))
    room = host.call("room.create", name="Late night")["room"]
    guest.call("room.enter", room=room)
    guest.call("message.send", room=room, text="a rude word")
    host.call("report.send", room=room, user=guest.user, cause="abuse", words="He is rude")
    jo = people("Jo")
    sign_in(jo, key)
    jo.click("nav-reports")
    open_row(jo, "reports-table", "Gil")
    jo.sees("report-evidence", "a rude word")
    jo.click("report-settle")
    jo.type("field-words", "talked to him")
    jo.click("ask-yes")
    jo.sees("console-empty", "Nothing waits")
    jo.click("reports-all")
    has_row(jo, "reports-table", "settled")

    jo.click("nav-words")
    jo.click("words-add")
    jo.type("field-words", "rude\n도박")
    jo.click("ask-yes")
    has_row(jo, "words-table", "rude")
    jo.type("words-try", "how Rude of you")
    jo.click("words-check")
    jo.sees("words-result", "“rude” stops this")
    jo.click("words-remove")
    jo.click("ask-yes")
    jo.wait("one word left", "return document.querySelectorAll('[data-testid=words-table] [role=row].line').length === 1")

    jo.click("nav-gifts")
    jo.click("gifts-add")
    for field, text in (("id", "torch"), ("name", "Torch"), ("price", "70")):
        jo.type(f"field-{field}", text)
    jo.click("ask-yes")
    has_row(jo, "gifts-table", "Torch", "70")

    jo.click("nav-wallets")
    jo.sees("ledger-sum", "sum to 0")
    jo.type("wallets-search", f"{guest.user}\n")
    jo.sees("wallet-coins", "0")
    jo.click("wallet-credit")
    jo.type("field-coins", "500")
    jo.type("field-again", "50")
    jo.click("ask-yes")
    jo.sees("ask-problem", "differ")
    jo.type("field-again", "500")
    jo.click("ask-yes")
    jo.sees("wallet-coins", "500")
    has_row(jo, "statement", "Credit", "500")

    jo.click("nav-people")
    jo.type("people-search", f"{guest.user}\n")
    jo.sees("person", "Gil")
    jo.sees("person-sessions", "Signed in on 1 device")
    jo.click("person-sign-out")
    jo.click("ask-yes")
    jo.sees("person-sessions", "Not signed in")

    jo.click("nav-webhooks")
    jo.click("webhooks-add")
    jo.type("field-url", "http://127.0.0.1:9/hook")
    jo.click("ask-yes")
    jo.sees("webhook-secret", "whsec_")
    jo.click("sheet-close")
    open_row(jo, "webhooks-table", "127.0.0.1:9")
    jo.click("webhook-test")
    jo.sees("webhook-tested", "did not take it")
    jo.click("webhook-remove")
    jo.click("ask-yes")
    jo.sees("console-empty", "No program is told")


@story("R04-W a key that may do little sees little; on a phone things are read")
def test_less(server, people, keys):
    key = keys("rooms:read")
    host = Client(server, ticket(server, "Hana"))
    host.call("room.create", name="Late night")
    jo = people("Jo")
    sign_in(jo, key)
    jo.sees("nav-rooms")
    for page in ("reports", "words", "wallets", "webhooks", "audit", "people"):
        jo.sees_no(f"nav-{page}")
    jo.click("nav-rooms")
    open_row(jo, "rooms-table", "Late night")
    jo.sees("room-people", "Hana")
    jo.sees_no("room-end")
    jo.click("sheet-close")

    everything = keys(app=None)
    kim = people("Kim", width=390, height=844)
    sign_in(kim, everything)
    kim.sees("console-app")
    kim.type("console-app", APP)
    kim.click("console-enter")
    kim.sees("console-narrow", "wider screen")
    kim.click("nav-rooms")
    open_row(kim, "rooms-table", "Late night")
    kim.sees("room-detail", "Late night")
    kim.sees_no("room-end")


@story("R04-W every page of the console can be read: contrast, no word cut off, and axe finds nothing grave, on a phone and a desktop")
def test_legible(server, people, keys):
    key = keys()
    host, guest = (Client(server, ticket(server, name)) for name in ("Hana", "Gil"))
    room = host.call("room.create", name="달빛 아래에서 부르는 아주 긴 이름의 노래방 이야기")["room"]
    guest.call("room.enter", room=room)
    guest.call("message.send", room=room, text="buy coins at example.org, very cheap and good for everybody who wants some now")
    host.call("report.send", room=room, user=guest.user, cause="spam", words="again and again")
    jo = people("Jo")
    reader = Reader(jo)
    jo.open("/console")
    jo.sees("console-key")
    reader.look("door", letters=BOTH)
    jo.type("console-key", key)
    jo.click("console-enter")
    jo.sees("console-card")
    reader.look("overview", letters=BOTH)
    jo.click("nav-rooms")
    open_row(jo, "rooms-table", "노래방")
    jo.sees("room-chat", "coins")
    reader.look("room", letters=BOTH)
    jo.click("room-restrict")
    jo.sees("field-reason")
    reader.look("restrict", sizes=(DESKTOP,))
    for page, shown in (("rooms", "rooms-table"), ("reports", "reports-table"), ("words", "console-empty"), ("gifts", "gifts-table"),
                        ("webhooks", "console-empty")):
        jo.open(f"/console?page={page}")
        jo.sees(shown)
        reader.look(page, letters=BOTH)
    jo.open(f"/console?page=people&user={guest.user}")
    jo.sees("person")
    reader.look("people", letters=BOTH)
    jo.open(f"/console?page=wallets&user={guest.user}")
    jo.sees("wallet-coins")
    reader.look("wallets", letters=BOTH)
    wrong = reader.faint + reader.cut + reader.broken
    assert not wrong, "\n".join(wrong)
