"""The console shows what stands in the audit trail in words: each action that the sources note has a text."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
STRINGS = (ROOT / "Web/strings/console/en.js").read_text()


def of_operators():
    """What requests outside of rooms are noted as: the last literal of a check or a note of the trail."""
    found = set()
    for path in (ROOT / "Sources/Server/OperatorAPI").rglob("*.swift"):
        text = path.read_text()
        for pattern in (r'trail\.check\([^"()]*"(\w+)"\)', r'\bnote\(\s*(?:access, )?"(\w+)"', r'[^.\w]trail, (?:action: )?"(\w+)"', r'\), "(\w+)", detail:'):
            found |= set(re.findall(pattern, text))
    # And what commands note.
    for path in (ROOT / "Sources/Server/ServerApp").glob("*.swift"):
        found |= set(re.findall(r'\bnote\((?:\w+\.id, )?"(\w+)"', path.read_text()))
        found |= set(re.findall(r'change\(id, "(\w+)"\)', path.read_text()))
    # Named by the ledger, for both.
    return found | {"topUp", "refund"}


def of_rooms():
    rules = "".join(path.read_text() for path in (ROOT / "Sources/Rooms/RoomRules").rglob("*.swift"))
    return set(re.findall(r'\baudit: \.(?:change|moderation)\("(\w+)"\)', rules))


def details():
    """What stands beside an action: names of what a room notes, and of what operators' requests note."""
    room = (ROOT / "Sources/Rooms/RoomService/Moderation/AuditDetail.swift").read_text()
    found = set(re.findall(r"^    var (\w+): [\w<>\[\]]+\?$", room, re.MULTILINE))
    for path in [*(ROOT / "Sources/Server/OperatorAPI").rglob("*.swift"), *(ROOT / "Sources/Server/ServerApp").glob("*.swift")]:
        text = path.read_text()
        for said in re.findall(r"\bdetail(?:: |(?:: \[String: String\])? = )\[(.*?)\](?:\)|, reason|\n)", text, re.DOTALL):
            found |= set(re.findall(r'"(\w+)":', said))
        found |= set(re.findall(r'\bdetail\["(\w+)"\] =', text))
    found |= set(re.findall(r'"(\w+)":', (ROOT / "Sources/Server/OperatorAPI/REST/AuditedDetails.swift").read_text()))
    return found - {"messages"}


def test_every_detail_in_the_audit_trail_has_a_name_in_the_console():
    names = details()
    assert {"seconds", "role", "hostsOnly", "coins", "scopes", "webhook", "secondSession", "everywhere", "until"} <= names
    # Settings of an application have the names of their fields.
    assert sorted(name for name in names if not re.search(rf"'console\.(?:detail|applications)\.{name}':", STRINGS)) == []


def test_every_action_in_the_audit_trail_has_a_text_in_the_console():
    actions = of_operators() | of_rooms()
    assert {"topUp", "createRoom", "createApplication", "addApplicationKey", "setRestriction", "destroyRoom", "revokeKey"} <= actions
    assert sorted(name for name in actions if f"'console.action.{name}':" not in STRINGS) == []
