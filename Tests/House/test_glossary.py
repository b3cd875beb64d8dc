"""One word for one thing: the glossary's cells name what there is, no two targets declare a type of one name, and words that it retired
stay away."""

import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECLARED = re.compile(r"^(?:(?:@\w+(?:\([^)]*\))?|public|package|internal|private|fileprivate|final|indirect|nonisolated)\s+)*"
                      r"(?:class|struct|enum|actor|protocol|typealias)\s+(\w+)", re.MULTILINE)
# Names that came before the field's own: what they stand for now is in the glossary or beside its type.
RETIRED = re.compile(r"Desk|Door|Surroundings|Situation|Teller|TurnSignal|TicketOffice|Tally|HandedOver")
# The façade has the published names, whatever else is called so.
REFERENCE = {"RoomInfo"}


def rows():
    for line in (ROOT / "Documentation/contribute/glossary.md").read_text().splitlines():
        if line.startswith("| ") and not line.startswith("| term"):
            yield [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]


def declarations():
    found = collections.defaultdict(set)
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        target = "/".join(path.relative_to(ROOT / "Sources").parts[:2])
        for match in DECLARED.finditer(path.read_text()):
            if "private" not in match[0].split()[:-2]:
                found[match[1]].add(target)
    return found


def every_type():
    names = set()
    for path in (ROOT / "Sources").rglob("*.swift"):
        names |= set(re.findall(r"\b(?:class|struct|enum|actor|protocol|typealias)\s+(\w+)", path.read_text()))
    return names


def test_the_glossary_names_what_there_is():
    types = every_type()
    protocol = (ROOT / "Documentation/build/protocol.md").read_text()
    texts = "".join((ROOT / "Web/strings" / name).read_text() for name in ("en.js", "console/en.js"))
    strings = set(re.findall(r"^  '([\w.]+)'", texts, re.MULTILINE))
    wrong, terms = [], []
    for term, kind, wire, key, meaning in rows():
        terms.append(term)
        if kind and kind not in types:
            wrong.append(f"{term}: there is no type {kind}")
        if wire and f"`{wire}" not in protocol:
            wrong.append(f"{term}: the protocol has no {wire}")
        if key and key not in strings:
            wrong.append(f"{term}: the pages have no text {key}")
        if not meaning.endswith("."):
            wrong.append(f"{term}: its meaning is no sentence")
    assert not wrong, "\n".join(wrong)
    assert len(terms) >= 40 and len(set(terms)) == len(terms)


def test_no_two_targets_declare_a_type_of_one_name():
    twice = {name: sorted(targets) for name, targets in declarations().items() if len(targets) > 1 and name not in REFERENCE}
    assert not twice, twice


def test_retired_names_stay_away():
    found = sorted(name for name in every_type() if RETIRED.search(name))
    assert not found, found
    modules = [path for path in (ROOT / "Web").rglob("*.js") if re.search(r"@typedef[^\n]*\b(?:Surroundings|Situation)\b", path.read_text())]
    assert not modules, modules
