"""Moderation in the browser: muting, deleting, removing, the chat's rules, and what those say who cannot write."""

import subprocess
from pathlib import Path

import pytest

from server import EXECUTABLE
from steps import create_salon, enter_salon, go_in, person_sheet, reads, say, shows, sit
from story import story


def line_menu(person, text):
    """Opens the menu of the message with that text."""
    person.wait(f"the message {text}", """
        const line = [...document.querySelectorAll('[data-testid=chat-line]')].find(one => one.textContent.includes(arguments[0]));
        const more = line?.querySelector('[data-testid=line-more]');
        more?.click();
        return !!more;
        """, text)
    person.sees("line-quote", text)


def lines(person):
    return person.run("return [...document.querySelectorAll('[data-testid=chat-text]')].map(one => one.textContent)")


def field_is(person, closed):
    person.wait("the field open" if not closed else "the field closed",
                "return document.querySelector('[data-testid=chat-input]')?.disabled === arguments[0]", closed)


@story("G06-W a host deletes a message for everybody, mutes its writer for a time with a reason, and takes it back; the field says who muted")
def test_mute(people):
    anna, ben, carol = people("Anna"), people("Ben"), people("Carol")
    room = create_salon(anna)
    for person in (ben, carol):
        enter_salon(person, room)
    say(ben, "buy my coins")
    for person in (anna, carol):
        reads(person, "buy my coins")
    # Who runs no room has no such items.
    line_menu(carol, "buy my coins")
    carol.sees_no("line-delete")
    carol.sees_no("chat-mute")
    carol.click("sheet-close")
    line_menu(anna, "buy my coins")
    anna.click("line-delete")
    for person in (anna, ben, carol):
        person.sees("chat-deleted", "Removed by a moderator")
        assert "buy my coins" not in lines(person)
    # The host can look at what it was, others cannot.
    anna.click("chat-unfold")
    anna.sees("chat-was", "buy my coins")
    carol.sees_no("chat-unfold")
    say(ben, "again")
    reads(anna, "again")
    line_menu(anna, "again")
    anna.click("chat-mute")
    anna.click("restrict-600")
    anna.type("restrict-reason", "no sales")
    anna.click("restrict-send")
    anna.sees("undo", "Ben’s chat is muted")
    field_is(ben, True)
    ben.wait("who muted", "return document.querySelector('[data-testid=chat-input]').placeholder.includes('Anna muted your chat')")
    ben.sees("chat-muted-left", "9:5")
    field_is(carol, False)
    # It stays so over a reload.
    ben.open(f"/r/{room}")
    go_in(ben)
    field_is(ben, True)
    anna.click("more")
    anna.click("more-rules")
    anna.sees("restricted", "Ben")
    anna.sees("restricted", "no sales")
    anna.click("lift")
    anna.sees("rules-none")
    anna.click("sheet-close")
    field_is(ben, False)
    say(ben, "thank you")
    reads(anna, "thank you")
    # Whoever enters later is not told what was deleted.
    dora = people("Dora")
    enter_salon(dora, room)
    reads(dora, "thank you")
    assert "buy my coins" not in dora.run("return document.body.textContent")
    # For a time that is not offered.
    line_menu(anna, "thank you")
    anna.click("chat-mute")
    anna.type("restrict-own", "12")
    anna.click("restrict-send")
    ben.sees("chat-muted-left", "11:5")


@story("G06-W slow mode closes the send button for its time, only hosts write, links are refused with a sentence; the chips say so to everybody")
def test_rules(people):
    anna, ben = people("Anna"), people("Ben")
    room = create_salon(anna)
    enter_salon(ben, room)
    anna.click("more")
    anna.click("more-rules")
    anna.click("rules-noLinks")
    ben.sees("chip-links", "No links")
    say(ben, "see example.com")
    ben.sees("chat-failed", "This room takes no links")
    ben.click("chat-discard")
    ben.run("document.querySelector('[data-testid=chat-input]').value = ''")
    anna.click("rules-noLinks")
    ben.sees_no("chip-links")
    anna.click("rules-slow-60")
    for person in (anna, ben):
        person.sees("chip-slow", "Slow mode: 1 minute")
    say(ben, "first")
    reads(anna, "first")
    ben.sees("slow-ring")
    ben.wait("a send button that waits", "return document.querySelector('[data-testid=chat-send]').disabled")
    anna.click("rules-slow-0")
    ben.sees_no("slow-ring")
    say(ben, "second")
    reads(anna, "second")
    anna.click("rules-hostsOnly")
    ben.sees("chip-hosts", "Only hosts write")
    field_is(ben, True)
    anna.click("sheet-close")
    say(anna, "listen, please")
    reads(ben, "listen, please")


@story("G06-W who is removed sees by whom, why and for how long, is silent at once, reads it again at the room's link, and comes back when the host lifts it")
def test_ban(people):
    anna, ben, carol = people("Anna"), people("Ben", tone_hertz=700), people("Carol")
    room = create_salon(anna)
    for person in (ben, carol):
        enter_salon(person, room)
    sit(ben, 1)
    shows(anna, 1, "Ben")
    carol.hears_tone(700)
    person_sheet(anna, 1)
    anna.click("ban")
    anna.sees("restrict-sheet", "Remove Ben")
    anna.type("restrict-reason", "shouting")
    anna.click("restrict-send")
    ben.sees("message-page", "You were removed from Anna’s room. You can enter again in 10 minutes.")
    ben.sees("message-page", "shouting")
    ben.lets_the_microphone_go()
    carol.hears_silence()
    carol.sees('[data-testid="seat-1"][data-state="empty"]')
    # Nor is a microphone tried out first by somebody to whom a green room would be shown.
    ben.run("localStorage.setItem('ovation.preferences', JSON.stringify({ ...JSON.parse(localStorage.getItem('ovation.preferences')), hasSpoken: false }))")
    ben.open(f"/r/{room}")
    ben.sees("message-page", "You were removed from Anna’s room")
    ben.sees("message-page", "shouting")
    anna.click("more")
    anna.click("more-rules")
    anna.sees("restricted", "Ben")
    anna.click("lift")
    anna.sees("rules-none")
    anna.click("sheet-close")
    ben.open(f"/r/{room}")
    go_in(ben)


@story("V20-W the host hands the room over and stays co-host")
def test_hand_over(people):
    anna, ben = people("Anna"), people("Ben")
    room = create_salon(anna)
    enter_salon(ben, room)
    say(ben, "hello")
    reads(anna, "hello")
    anna.click("chat-name")
    anna.sees("person-sheet")
    anna.click("hand-over")
    anna.sees("owner-sheet", "Hand the room to Ben?")
    anna.click("ask-yes")
    ben.click("more")
    ben.sees("more-end")
    ben.click("sheet-close")
    anna.click("more")
    anna.sees("more-rules")
    anna.sees_no("more-end")


@story("G06-W somebody is reported with a message of theirs; the operator reads it while the server runs, with what the host did, and settles it")
def test_report(people, server):
    anna, ben, carol = people("Anna"), people("Ben"), people("Carol")
    room = create_salon(anna)
    for person in (ben, carol):
        enter_salon(person, room)
    say(ben, "buy my coins")
    reads(carol, "buy my coins")
    line_menu(carol, "buy my coins")
    carol.click("report")
    carol.sees("report-sheet", "Report Ben")
    carol.wait("a button that waits for a choice", "return document.querySelector('[data-testid=report-send]').disabled")
    carol.click("report-spam")
    carol.type("report-words", "again and again")
    carol.click("report-send")
    carol.wait("thanks", "return document.body.textContent.includes('The operator will look at it')")
    line_menu(anna, "buy my coins")
    anna.click("line-delete")
    anna.sees("chat-deleted")

    def operator(*words):
        done = subprocess.run([EXECUTABLE, *words, "--app", "1400000001", "--data", server.data], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return [line.split("\t") for line in done.stdout.splitlines()]
    [(number, _, where, who, cause, own, seen, settled)] = operator("report", "list")
    assert (where, cause, own, settled) == (room, "spam", '"again and again"', "")
    assert "buy my coins" in seen and '"name":"Ben"' in seen and who.count(" reports ") == 1
    [line] = operator("audit")
    assert operator("audit", "--room", room, "--user", line[5]) == [line]
    assert operator("audit", "--room", "1") == operator("audit", "--user", "nobody") == []
    assert line[3:5] == [room, "deleteMessage"] and line[6] == "done" and "buy my coins" in line[7]
    server.stop()
    operator("report", "settle", number, "--by", "Jo", "--note", "warned")
    assert operator("report", "list") == []
    assert "by Jo" in operator("report", "list", "--all")[0][7]
    server.start()


@story("G06-W whom I hide I read no more, on this device alone")
def test_hide(people):
    anna, ben = people("Anna"), people("Ben")
    room = create_salon(anna)
    enter_salon(ben, room)
    say(ben, "noise")
    reads(anna, "noise")
    line_menu(anna, "noise")
    anna.click("person-hide")
    anna.wait("no line of Ben's", "return ![...document.querySelectorAll('[data-testid=chat-text]')].some(one => one.textContent === 'noise')")
    say(ben, "more noise")
    say(anna, "quiet")
    reads(ben, "quiet")
    assert lines(anna) == ["quiet"]
    reads(ben, "more noise")


@pytest.mark.settings("--moderation-words", str(Path(__file__).parent / "words.txt"))
@story("G03-W a text that the word filter stops stays with its writer, who is told so and can change it")
def test_words(people):
    anna, ben = people("Anna"), people("Ben")
    room = create_salon(anna)
    enter_salon(ben, room)
    say(ben, "What a BADGER!")
    ben.sees("chat-failed", "the room’s word filter stopped it")
    ben.click("chat-discard")
    ben.wait("the text in the field", "return document.querySelector('[data-testid=chat-input]').value === 'What a BADGER!'")
    ben.sees_no("chat-failed")
    say(anna, "good evening")
    reads(ben, "good evening")
    assert lines(anna) == ["good evening"]


@story("V10-W somebody who has left is invited back to a seat, sees it in the list of rooms, goes there with one tap and sits down")
def test_call_back(people):
    anna, ben = people("Anna"), people("Ben")
    room = create_salon(anna)
    enter_salon(ben, room)
    say(ben, "back soon")
    reads(anna, "back soon")
    ben.click("back")
    ben.sees("lobby")
    anna.sees("chat-system", "Ben left")
    anna.click("chat-name")
    anna.click("call-back")
    ben.sees("elsewhere-toast", "Anna invites you to Evening salon")
    ben.click("toast-action")
    go_in(ben)
    ben.click("invitation-accept")
    ben.wait("a seat or the microphone's announcement", "return !!document.querySelector('[data-testid=microphone-continue],[data-me]')")
    if ben.run("return !!document.querySelector('[data-testid=microphone-continue]')"):
        ben.click("microphone-continue")
    anna.wait("Ben on a seat", "return [...document.querySelectorAll('[data-state=used]')].some(seat => seat.textContent.includes('Ben'))")
