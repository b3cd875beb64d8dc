"""The tables of `scripts/mutate` speak of statements that there are: a renamed file would otherwise be noticed in the nightly run."""

import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = {str(path.relative_to(ROOT)): path for path in (ROOT / "Sources").rglob("*.swift")}
NAMED = [(row["test"], broken) for row in json.loads((ROOT / "Tests/Mutation/named.json").read_text()) for broken in row["breaks"]]
EQUIVALENT = [("equivalent.json", each) for each in json.loads((ROOT / "Tests/Mutation/equivalent.json").read_text())]


def plain(text):
    return " ".join(text.split())


@pytest.mark.parametrize("table", [NAMED, EQUIVALENT], ids=["named", "equivalent"])
def test_each_statement_is_there(table):
    missing = []
    for test, broken in table:
        found = [path for name, path in SOURCES.items() if name.endswith(broken["file"])]
        if not any(plain(broken["text"]) in plain(path.read_text()) for path in found):
            missing.append(f"{test}: {broken['file']}: {broken['text']}")
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("table", [NAMED, EQUIVALENT], ids=["named", "equivalent"])
def test_each_statement_is_in_a_folder_that_is_broken(table):
    """Otherwise its row finds nothing to break."""
    folders = re.findall(r'\("(Sources/[^"]+)", \[', (ROOT / "scripts/mutate").read_text())
    outside = {
        f"{test}: {broken['file']}" for test, broken in table
        if not any(name.endswith(broken["file"]) and name.startswith(f"{folder}/") for name in SOURCES for folder in folders)}
    assert not outside, "\n".join(sorted(outside))


def test_each_test_is_there():
    """By the suite's name, and the function's where it is named."""
    files = [path.read_text() for path in (ROOT / "Tests").rglob("*.swift")]
    suites, functions = (
        {found for text in files for found in re.findall(pattern, text)} for pattern in (r"(?:struct|class) (\w+)", r"func (\w+)"))
    missing = []
    for test, _ in NAMED:
        suite, _, function = test.partition("/")
        suite = re.split(r"[.*]+", suite)[-1]
        if suite not in suites or (function and function.strip("()") not in functions):
            missing.append(test)
    assert not missing, sorted(set(missing))
