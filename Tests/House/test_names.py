"""The table of the published names (Documentation/build/trtc-names.md) is what the façade has: every public name stands in it, with the
file that declares it and a test that says it; nothing stands in it that is gone."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources/Client/TRTCCompat"
TESTS = ROOT / "Tests/TRTCCompatTests"
TABLE = ROOT / "Documentation/build/trtc-names.md"
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| ([\w+]+/[\w+]+\.swift) \| ([^|]*) \|", re.MULTILINE)
TYPE = re.compile(r"^(public |package |internal |private |fileprivate )?(?:final )?(class|struct|enum|protocol|extension) (\w+)")
FUNCTION = re.compile(r"(?:static |class |mutating )*func (\w+)\(")
VARIABLE = re.compile(r"(?:static |weak )*(?:var|let) (\w+)")
# Tools of the module that are public without being published names, and say so in the text of the page.
OWN = {"OvationServer", "OvationDevices", "TRTCCode", "TRTCRoomCore"}
# What every component has stands in extensions of this protocol of ours; the page lists it by component.
SHARED = "TRTCRoom"


def labels(parameters):
    """The argument labels of a parameter list, each with its colon."""
    found, depth, start, parts = [], 0, 0, []
    for index, character in enumerate(parameters):
        depth += character in "([<{"
        depth -= character in ")]}" or (character == ">" and parameters[index - 1] != "-")
        if character == "," and depth == 0:
            parts.append(parameters[start:index])
            start = index + 1
    for part in parts + [parameters[start:]]:
        name = re.match(r"\s*(\w+)", part)
        if name:
            found.append(name[1] + ":")
    return "".join(found)


def parameters(text, opening):
    depth = 0
    for index in range(opening, len(text)):
        depth += text[index] == "("
        depth -= text[index] == ")"
        if depth == 0:
            return text[opening + 1 : index]
    return ""


def declared(text):
    """Public names of one file: types, and `Type.member`."""
    text = re.sub(r"//.*", "", text)
    found, owner, is_public, is_protocol = set(), None, False, False
    offset = 0
    for line in text.splitlines(keepends=True):
        head = TYPE.match(line)
        if head:
            access, kind, name = head.groups()
            is_protocol = kind == "protocol"
            is_public = kind == "extension" or access == "public "
            owner = name
            if access == "public " and kind != "extension":
                found.add(name)
        alias = re.match(r"public (?:typealias|let) (\w+)", line)
        if alias:
            found.add(alias[1])
        member = re.match(r"    (public )?(?!.*\bcase\b)(?:@discardableResult )?(.*)", line)
        if owner and member and (member[1] or (is_protocol and is_public)):
            function, variable = FUNCTION.match(member[2]), VARIABLE.match(member[2])
            if function:
                arguments = parameters(text, offset + line.index("(", line.index("func ")))
                found.add(f"{owner}.{function[1]}({labels(arguments)})")
            elif variable:
                found.add(f"{owner}.{variable[1]}")
        offset += len(line)
    return found


def components(texts):
    """The classes that have what `SHARED` has."""
    return [name for text in texts for name in re.findall(rf"^public final class (\w+): {SHARED}\b", text, re.MULTILINE)]


def spread(name, owners):
    """A name of the shared protocol is one of each component's; what the components need of it is theirs alone."""
    owner, _, member = name.partition(".")
    if member == "core" or name == SHARED:
        return []
    return [f"{each}.{member}" for each in owners] if owner == SHARED else [name]


def sources():
    texts = {path: path.read_text() for path in sorted(SOURCES.rglob("*.swift"))}
    owners = components(texts.values())
    found = {}
    for path, text in texts.items():
        for name in declared(text):
            owner, _, member = name.partition(".")
            if owner in OWN or member and owner != SHARED and is_default(name, path):
                continue
            found |= {each: f"{path.parent.name}/{path.name}" for each in spread(name, owners)}
    return found


def is_default(name, path):
    """An empty default in an extension of the protocol that declares the same."""
    owner, member = name.split(".", 1)
    text = path.read_text()
    return f"public protocol {owner}" in text and member.split("(")[0] not in text.split(f"extension {owner}")[0]


def table():
    return {name: (origin.strip(), path, [t.strip() for t in tests.split(",") if t.strip()]) for name, origin, path, tests in ROW.findall(TABLE.read_text())}


def test_every_public_name_stands_in_the_table_under_its_file():
    assert {name: path for name, (_, path, _) in table().items()} == sources()


def test_every_row_names_tests_that_say_the_name():
    texts = {path.stem: path.read_text() for path in TESTS.rglob("*.swift")}
    wrong = []
    for name, (_, _, tests) in table().items():
        word = re.search(r"(\w+)(?:\(|$)", name.split(".", 1)[-1])[1]
        for test in tests or [""]:
            if not re.search(rf"\b{word}\b", texts.get(test, "")):
                wrong.append(f"{name}: {test or 'no test'}")
    assert not wrong, "\n".join(wrong)


def test_the_check_sees_a_planted_name():
    planted = "public final class A {\n    public func b(c: Int, d: @escaping (Int, Int) -> Void = { _, _ in }) {}\n    func e() {}\n}\n"
    assert declared(planted) == {"A", "A.b(c:d:)"}
    assert declared("extension A {\n    @discardableResult\n    public static func f(_ g: [Int: Int]) -> Int { 0 }\n}\n") == {"A.f(_:)"}
    assert declared("public protocol P: AnyObject {\n    func q(r: Int)\n}\n") == {"P", "P.q(r:)"}


def test_what_all_components_have_is_each_components():
    owners = components(["public final class A: TRTCRoom {\n", "public final class B: TRTCRoom {\n", "final class C: TRTCRoomCore {\n"])
    assert owners == ["A", "B"]
    assert spread("TRTCRoom.b(c:)", owners) == ["A.b(c:)", "B.b(c:)"]
    assert spread("TRTCRoom.core", owners) == spread("A.core", owners) == spread("TRTCRoom", owners) == []
    assert spread("D.e()", owners) == ["D.e()"]
