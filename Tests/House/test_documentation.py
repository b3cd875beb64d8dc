"""Links lead somewhere, make targets and scripts that the documents name exist, and the project speaks of itself alone."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)|!\[[^\]]*\]\(([^)\s]+)\)")


def documents():
    return [ROOT / p for p in tracked() if p.endswith(".md")]


def tracked():
    out = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [p for p in out.stdout.splitlines() if (ROOT / p).is_file()]


def test_relative_links_resolve():
    wrong = []
    for path in documents():
        for match in LINK.finditer(path.read_text()):
            target = match[1] or match[2]
            if re.match(r"[a-z]+:", target) or target.startswith("/"):
                continue
            if not (path.parent / target).exists():
                wrong.append(f"{path.relative_to(ROOT)}: {target}")
    assert not wrong, "\n".join(wrong)


def test_make_targets_that_documents_name_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    wrong = []
    for path in documents():
        for name in re.findall(r"`make ([a-z-]+)", path.read_text()):
            # A family (`make bench-…`) or a benchmark that the roadmap still plans.
            if name not in targets and not name.endswith("-"):
                wrong.append(f"{path.relative_to(ROOT)}: make {name}")
    assert not wrong, "\n".join(wrong)


def test_decisions_are_numbered_without_holes():
    names = sorted(p.name for p in (ROOT / "Documentation/contribute/decisions").glob("[0-9]*.md"))
    assert names and [int(n[:4]) for n in names] == list(range(1, len(names) + 1)), names


def test_the_readme_fits_two_screens():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 110


def test_nothing_large_or_built_is_tracked():
    for path in tracked():
        assert not path.startswith(".build") and not path.endswith("Package.resolved"), path
        assert (ROOT / path).stat().st_size < 2_000_000, path
