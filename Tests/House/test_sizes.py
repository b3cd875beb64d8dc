"""Owners stay small: a type has at most 400 lines with its extensions, a function that is no plain switch at most 60.

A type that may be larger stands in a decision, which says why."""

import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "Documentation/contribute/decisions"
LARGEST_TYPE = 400
LARGEST_FUNCTION = 60
# What a function may say around its one switch and still be a plain one.
AROUND_A_SWITCH = 15

# The types that a decision lets be larger, with its number.
LARGER = {"OvationClient": 44, "RoomAudio": 44, "RoomSession": 44}

WORDS = r"(?:(?:@\w+(?:\([^)]*\))?|public|internal|package|private|fileprivate|final|open|indirect|static|class|mutating|override|nonisolated|convenience|required)\s+)*"
TYPE = re.compile(WORDS + r"(struct|class|enum|actor|extension)\s+([\w.]+)")
FUNCTION = re.compile(r"(\s*)" + WORDS + r"(?:func\s+([^\s(<]+)|(init)\b[?!]?[(<]|(deinit)\b)")


def module_of(path):
    """The folder of a target: `Sources/Rooms/RoomRules/…` is RoomRules."""
    return "/".join(path.relative_to(ROOT).parts[:3])


def end_of(lines, start, indent):
    """The line that closes what begins at `start`: sources are formatted, so it is the first brace at that indent."""
    if lines[start].rstrip().endswith("}"):
        return start
    for number in range(start + 1, len(lines)):
        if lines[number].startswith(indent + "}"):
            return number
    raise AssertionError(f"nothing closes {lines[start]}")


def types():
    """Each type's lines with those of its extensions, by the module that declares it and its name."""
    declared, extended = collections.defaultdict(dict), []
    for path in sorted((ROOT / "Sources").glob("**/*.swift")):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            found = TYPE.match(line)
            if not found:
                continue
            length = end_of(lines, number, "") - number + 1
            kind, name = found.groups()
            if kind == "extension":
                extended.append((module_of(path), name, length))
            else:
                declared[name][module_of(path)] = declared[name].get(module_of(path), 0) + length
    for module, name, length in extended:
        homes = declared.get(name.split(".")[-1], {})
        if len(homes) == 1:
            (module,) = homes
        if module in homes:
            homes[module] += length
    return {(module, name): length for name, homes in declared.items() for module, length in homes.items()}


def functions():
    """Each function's place, its lines, and how many of them lie outside its switches."""
    for path in sorted((ROOT / "Sources").glob("**/*.swift")):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            found = FUNCTION.match(line)
            if not found or line.rstrip().endswith("}"):
                continue
            indent = found[1]
            end = next((n for n in range(number, len(lines)) if lines[n].rstrip().endswith("{") or lines[n].rstrip().endswith("}")), None)
            if end is None or not lines[end].rstrip().endswith("{"):
                continue
            end = end_of(lines, end, indent)
            body = lines[number + 1 : end]
            inside, at = 0, 0
            while at < len(body):
                if re.match(indent + r"    (?:return |try |self = )?switch\b", body[at]):
                    closed = end_of(body, at, indent + "    ")
                    inside += closed - at + 1
                    at = closed
                at += 1
            yield f"{path.relative_to(ROOT)}:{number + 1}", end - number + 1, end - number + 1 - inside


def test_a_type_has_at_most_400_lines_with_its_extensions_or_a_decision_says_why():
    found = types()
    assert len(found) > 500
    large = {name: length for (_, name), length in found.items() if length > LARGEST_TYPE}
    assert {name: length for name, length in large.items() if name not in LARGER} == {}
    assert sorted(set(LARGER) - set(large)) == [], "small enough: no exception any more"
    for name, number in LARGER.items():
        (decision,) = DECISIONS.glob(f"{number:04}-*.md")
        assert f"`{name}`" in decision.read_text(), f"decision {number} says nothing of {name}"


def test_a_function_that_is_no_plain_switch_has_at_most_60_lines():
    found = list(functions())
    assert len(found) > 3000
    assert [(place, length) for place, length, outside in found if length > LARGEST_FUNCTION and outside > AROUND_A_SWITCH] == []
