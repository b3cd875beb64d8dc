"""Imports are those that Package.swift declares, and it declares only the directions of modules.py."""

import pathlib
import re

from modules import ANYONE, EXAMPLES, FOLDERS, MODULES, OLD_SYSTEMS, PLATFORM, PLATFORM_USERS

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMPORT = re.compile(
    r"^\s*(?:@_exported\s+|@preconcurrency\s+|@testable\s+)*(?:public |package |internal |fileprivate |private )?"
    r"import (?:struct |class |enum |protocol |func |typealias |var |let )?([A-Za-z_0-9]+)",
    re.MULTILINE,
)


def imports(text):
    return set(IMPORT.findall(text))


def violations(module, text):
    _, allowed = MODULES[module]
    allowed = allowed | ANYONE
    if module in PLATFORM_USERS:
        allowed = allowed | PLATFORM
    if module not in OLD_SYSTEMS:
        allowed = allowed | {"Synchronization"}
    return sorted(imports(text) - allowed - {module})


def test_every_source_file_belongs_to_a_known_module():
    for path in (ROOT / "Sources").rglob("*.swift"):
        folder, module = path.relative_to(ROOT / "Sources").parts[:2]
        assert module in MODULES, f"{path}: {module} is not in Package.swift"
        assert MODULES[module][0] == folder, f"{path}: {module} lives in Sources/{MODULES[module][0]}"


def test_imports_follow_the_table():
    wrong = []
    for module, (folder, _) in MODULES.items():
        for path in sorted((ROOT / "Sources" / folder / module).rglob("*.swift")):
            for name in violations(module, path.read_text()):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}, which Package.swift does not give {module}")
    assert not wrong, "\n".join(wrong)


def misdirected(module, folder, names):
    """The targets of other folders that one in this folder may not build on."""
    wrong = []
    for name in names & MODULES.keys() - {"Platform", "Texts", "Timing"}:
        there = MODULES[name][0]
        seen = FOLDERS[folder].get(there, set())
        if there != folder and seen is not None and name not in seen:
            wrong.append(f"{module} ({folder}) may not build on {name} ({there})")
    return sorted(wrong)


def test_folders_build_on_each_other_in_one_direction():
    wrong = [line for module, (folder, names) in MODULES.items() for line in misdirected(module, folder, names)]
    assert not wrong, "\n".join(wrong)
    assert misdirected("Forwarding", "Media", {"Wire", "Timing", "RoomModel"}) == ["Forwarding (Media) may not build on RoomModel (Model)"]
    assert misdirected("Gateway", "Server", {"RoomService", "AudioGraph", "Ovation"}) == ["Gateway (Server) may not build on Ovation (Client)"]


def test_nothing_is_declared_in_vain():
    for module, (folder, names) in MODULES.items():
        used = set().union(*(imports(path.read_text()) for path in (ROOT / "Sources" / folder / module).rglob("*.swift")))
        idle = names - used
        assert not idle, f"Package.swift gives {module} what it does not import: {idle}"


def test_examples_import_products_alone():
    wrong = []
    for folder, allowed in EXAMPLES.items():
        for path in sorted((ROOT / folder / "Sources").rglob("*.swift")):
            wrong += [f"{path.relative_to(ROOT)} imports {name}" for name in sorted(imports(path.read_text()) - allowed)]
    assert not wrong, "\n".join(wrong)


def dependencies(manifest):
    return set(re.findall(r'\.package\(url: "https?://[^"]+",.*\),?$', manifest, re.MULTILINE))


def test_examples_use_the_versions_that_are_tested():
    """A sample is built as a target of our own package; its own manifest must ask for the same."""
    ours = {line.rstrip(",") for line in dependencies((ROOT / "Package.swift").read_text())}
    for folder in EXAMPLES:
        theirs = {line.rstrip(",") for line in dependencies((ROOT / folder / "Package.swift").read_text())}
        assert theirs and theirs <= ours, theirs - ours
        assert f'path: "{folder}/Sources' in (ROOT / "Package.swift").read_text()


def test_the_check_sees_a_planted_import():
    assert violations("Forwarding", "internal import RoomModel\nimport Wire\n") == ["RoomModel"]
    assert violations("RoomRules", "package import RoomModel\nimport Foundation\n") == ["Foundation"]
    assert violations("RoomService", "package import RoomModel\nimport Timing\n") == []
    for module in ("RoomModel", "Ovation", "Forwarding", "SignalProtocol"):
        assert violations(module, "import Synchronization\n") == ["Synchronization"]
    assert violations("Gateway", "import Synchronization\n") == []


def test_the_table_has_no_circle():
    seen, stack = set(), []

    def visit(module):
        assert module not in stack, " -> ".join(stack + [module])
        if module in seen or module not in MODULES:
            return
        stack.append(module)
        for name in MODULES[module][1]:
            visit(name)
        stack.pop()
        seen.add(module)

    for module in MODULES:
        visit(module)


def test_no_module_has_a_type_of_its_own_name():
    for module, (folder, _) in MODULES.items():
        for path in (ROOT / "Sources" / folder / module).rglob("*.swift"):
            pattern = rf"^\s*(?:public |package |final |private )*(?:struct|class|enum|actor|protocol) {module}\b"
            assert not re.search(pattern, path.read_text(), re.MULTILINE), f"{path}: a type named like its module"
