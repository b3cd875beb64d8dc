"""Imports run only in the directions of the module table."""

import pathlib
import re

from modules import (ANYONE, EXAMPLES, MODULES, PLATFORM, PLATFORM_USERS, SERVER_PACKAGE_USERS, SERVER_PACKAGES, STRUCTURES)

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
    allowed = allowed | ANYONE | STRUCTURES
    if module in PLATFORM_USERS:
        allowed = allowed | PLATFORM
    if module in SERVER_PACKAGE_USERS:
        allowed = allowed | SERVER_PACKAGES
    return sorted(imports(text) - allowed - {module})


def test_every_source_file_belongs_to_a_known_module():
    for path in (ROOT / "Sources").rglob("*.swift"):
        folder, module = path.relative_to(ROOT / "Sources").parts[:2]
        assert module in MODULES, f"{path}: {module} is not in Tests/House/modules.py; opening a target is a decision"
        assert MODULES[module][0] == folder, f"{path}: {module} lives in Sources/{MODULES[module][0]}"


def test_imports_follow_the_table():
    wrong = []
    for module, (folder, _) in MODULES.items():
        for path in sorted((ROOT / "Sources" / folder / module).rglob("*.swift")):
            for name in violations(module, path.read_text()):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}, which {module} may not")
    assert not wrong, "\n".join(wrong)


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
    assert violations("RoomRules", "package import RoomModel\nimport Timing\n") == []


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
