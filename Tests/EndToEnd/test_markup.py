"""What strangers write is text wherever it is shown: names, titles, tags, chat, gifts, reasons, in the app and in the console."""

import pytest

from client import Client, Refused, ticket
from steps import go_in, person_sheet
from story import story
from test_command_line import run
from test_console import has_row, keys, open_row  # noqa: F401 (a fixture)
from test_console import sign_in as sign_in_to_console

# Each would run, or make an element, where it is put into a page, an attribute, an address or a template as it is.
CORPUS = [
    "<script>window.stray=1</script>", '<img src=x onerror="window.stray=1">', '"><svg onload=window.stray=1>', "' onfocus=window.stray=1 autofocus '",
    "</title><script>window.stray=1</script>", '<a href="javascript:window.stray=1">x</a>', '<iframe srcdoc="<script>parent.stray=1</script>">',
    "<style>*{display:none}</style>", "${window.stray=1}{{window.stray=1}}", "&lt;img src=x onerror=stray=1&gt;", "<!--", "]]><x onclick=stray=1>", "%3Cscript%3E"]
ADDRESSES = ["javascript:window.stray=1", "JaVaScRiPt:stray=1", " javascript:stray=1", "java\nscript:stray=1", "data:text/html,<script>stray=1</script>", "vbscript:x", "//x\" onerror=\"stray=1"]

# What the app itself never makes.
STRAYS = """
const found = [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(({ name, value }) =>
  /^on/i.test(name) || (/^(href|src|action|formaction)$/i.test(name) && /^\\s*(javascript|vbscript|data:text)/i.test(value)))
  || e.matches('iframe[srcdoc], x, script:not([src]):not([type=importmap]):not([type="application/json"]), img[src=x]')
  || (e.localName === 'style' && e.textContent.includes('*{display:none}')));
return [window.stray ?? null, found.map(e => e.outerHTML.slice(0, 200))];
"""


def is_clean(person, page):
    stray, found = person.run(STRAYS)
    assert stray is None and not found, (page, stray, found)


def reads_all(person, texts, where=""):
    """Until the page has each of them, letter by letter; in fields and attributes they may stand too."""
    person.wait(f"{len(texts)} texts {where}", """
        const text = document.body.innerText.replace(/\\s+/g, ' ').toLowerCase();
        return arguments[0].every(wanted => text.includes(wanted.replace(/\\s+/g, ' ').toLowerCase()));
        """, texts)


@pytest.fixture
def strangers(server, keys):  # noqa: F811
    """A room whose host, people, title, tags, chat, gifts, reports and moderation are of the corpus; a key of the operator's."""
    key = keys()
    server.stop()
    app = run("app", "list", "--data", str(server.data))[1].split()[0]
    for number, text in enumerate(CORPUS):
        assert run("gift", "set", "--id", f"gift-{number}", "--name", text[:40], "--price", "1", "--app", app, "--data", str(server.data))[0] == 0
    server.start()
    people = [Client(server, ticket(server, text)) for text in CORPUS]
    host = people[0]
    room = host.call("room.create", name=CORPUS[1], room="markup", tags=[text[:24] for text in CORPUS[:5]], seats=8)["room"]
    for number, person in enumerate(people[1:], 1):
        person.call("room.enter", room=room)
        if number < 8:
            person.call("seat.take", room=room, seat=number)
    for number, (person, text) in enumerate(zip(people, CORPUS)):
        person.call("message.send", room=room, text=text)
        person.call("message.send", room=room, command="CMD_DANMU", message=text)
        if number:
            person.call("report.send", room=room, user=host.user, cause="other", words=text)
    host.call("restriction.set", room=room, user=people[9].user, kind="chat_mute", seconds=600, reason=CORPUS[1])
    host.call("attributes.set", room=room, set={text[:32]: text for text in CORPUS[:10]})
    for number, text in enumerate(CORPUS[1:6], 1):
        people[number].call("wallet.faucet", key=f"coins-{number}")
        people[number].call("gift.send", room=room, gift=f"gift-{number}", key=f"gift-{number}")
    yield host, people, room, key
    for person in people:
        person.close()


@story("R05-W G01-W G02-W markup in names, titles, tags, chat and gifts is text in the list, the room and its sheets, and addresses of scripts are refused")
def test_app(server, strangers, people):
    host, others, room, _ = strangers
    for address in ADDRESSES:
        for method, parameters in (("room.update", {"room": room, "cover": address}), ("profile.set", {"avatar": address})):
            with pytest.raises(Refused) as refusal:
                host.call(method, **parameters)
            assert refusal.value.name == "invalid_params", (method, address)
    zoe = people("Zoe <b>")
    zoe.open("/")
    zoe.type("sign-in-name", zoe.name)
    zoe.click("sign-in-submit")
    zoe.sees("room-card")
    reads_all(zoe, [CORPUS[1], *[text[:24] for text in CORPUS[:2]]], "in the list")
    is_clean(zoe, "the list")
    zoe.type("lobby-search", '<img src=x onerror="window.stray=1">')
    zoe.sees("room-card")
    is_clean(zoe, "the search")
    zoe.open(f"/r/{room}")
    go_in(zoe)
    zoe.sees("chat-text", CORPUS[12])
    # The log shows what is in sight; each of the last ones is there as it was written.
    texts = zoe.run("return [...document.querySelectorAll('[data-testid=chat-text]')].map(e => e.textContent)")
    assert len(texts) > 5 and all(any(text in shown for shown in texts) for text in CORPUS[-4:]), texts
    is_clean(zoe, "the room")
    assert zoe.run("return document.title").startswith(CORPUS[1]) or CORPUS[1] in zoe.run("return document.title")
    person_sheet(zoe, 1)
    reads_all(zoe, [CORPUS[1]], "in the sheet of a person")
    is_clean(zoe, "the sheet of a person")
    zoe.click("sheet-close")
    zoe.click("gifts")
    zoe.sees("gift-gift-1")
    reads_all(zoe, [text[:40] for text in CORPUS[:4]], "in the tray")
    is_clean(zoe, "the gifts' tray")
    zoe.click("gifts")
    zoe.click("more")
    zoe.click("more-ranking")
    zoe.sees("ranking-place")
    is_clean(zoe, "the ranking")
    # A gift and a bullet comment that come while somebody looks.
    zoe.click("sheet-close")
    others[2].call("gift.send", room=room, gift="gift-4", key="another")
    zoe.sees("chat-log", CORPUS[4][:40])
    is_clean(zoe, "a banner")


@story("R04-W markup in names, titles, chat, reports, words and gifts is text in the console")
def test_console_pages(server, strangers, people):
    host, others, room, key = strangers
    jo = people("Jo")
    sign_in_to_console(jo, key)
    jo.sees("console-card")
    is_clean(jo, "the overview")
    jo.click("nav-rooms")
    open_row(jo, "rooms-table", CORPUS[1])
    jo.sees("room-chat", CORPUS[12])
    jo.sees("room-people", CORPUS[3])
    is_clean(jo, "a room")
    jo.open("/console/?page=reports")
    open_row(jo, "reports-table", CORPUS[0])
    jo.sees("report-evidence")
    # Somebody's words about the host, and what the host had written.
    evidence = jo.run("return document.querySelector('[data-testid=report-evidence]').closest('dialog, [role=dialog], aside, main').textContent")
    assert CORPUS[0] in evidence and any(text in evidence for text in CORPUS[1:]), evidence
    is_clean(jo, "a report")
    for page, text in (("gifts", CORPUS[5][:40]), ("audit", others[9].user)):
        jo.open(f"/console/?page={page}")
        has_row(jo, f"{page}-table", text)
        is_clean(jo, page)
    jo.open(f"/console/?page=people&user={others[1].user}")
    jo.sees("person", CORPUS[1])
    is_clean(jo, "a person")
