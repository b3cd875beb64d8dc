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


def slug(heading):
    """As GitHub makes an anchor of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def test_links_to_headings_resolve():
    wrong = []
    for path in documents():
        for target, anchor in re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", path.read_text()):
            page = path.parent / target if target else path
            if page.suffix == ".md" and anchor not in {slug(h) for h in re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)}:
                wrong.append(f"{path.relative_to(ROOT)}: {target}#{anchor}")
    assert not wrong, "\n".join(wrong)


def cells(row):
    """As GitHub counts them: a bar in code ends a cell too, one behind a backslash does not."""
    return len(re.split(r"(?<!\\)\|", row.strip().removeprefix("|"))) - row.rstrip().endswith("|")


def broken_tables(text):
    """Lines of tables that are shown as raw bars, or lose their last words: a table begins behind a blank line or a
    heading, and its rows are even."""
    lines = re.sub(r"^ *```.*?^ *```", lambda code: "\n" * code[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL).splitlines()
    rule, wrong, wide = re.compile(r"\s*\|(\s*:?-+:?\s*\|)+\s*"), [], None
    for number, line in enumerate(lines, 1):
        if not line.lstrip().startswith("|"):
            wide = None
        elif wide is None:
            wide = cells(line)
            before = lines[number - 2].strip() if number > 1 else ""
            if before and not before.startswith("#") or number == len(lines) or not rule.fullmatch(lines[number]):
                wrong.append(f"{number}: no blank line before the table, or no line of dashes below its header")
        elif cells(line) != wide:
            wrong.append(f"{number}: {cells(line)} cells in a table of {wide}")
    return wrong


def test_each_table_is_shown_as_one_with_all_its_words():
    wrong = [f"{path.relative_to(ROOT)}:{line}" for path in documents() for line in broken_tables(path.read_text())]
    assert not wrong, "\n".join(wrong)


def test_the_check_sees_a_broken_table():
    table = "| a | b |\n|---|---|\n"
    for text in (table + "| 1 | 2 |\n", "text\n\n## heading\n" + table + "| `x\\|y` | 2 |", "```\n| a |\n```\n" + table):
        assert not broken_tables(text), text
    for text in (
        "- a list\n" + table, "a paragraph\n" + table, table + "| 1 |\n", table + "| 1 | 2 | 3 |\n", table + "| `x|y` | 2 |\n", "| a | b |\n| 1 | 2 |\n",
    ):
        assert broken_tables(text), text


def sentences():
    """What the pages say in English, by one apostrophe."""
    text = "".join((ROOT / "Web/strings" / name).read_text() for name in ("en.js", "console/en.js"))
    found = [one or other for one, other in re.findall(r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"", text)]
    assert len(found) > 1000, "the strings were read"
    return {text.replace("\\'", "'").replace("’", "'").rstrip("…") for text in found}


def unknown_words(guide, known):
    """What the guide's part about the pages prints bold, and no page says. A heading within a paragraph ends with a full stop."""
    pages = guide.split("\n## Your users, your tickets\n")[0]
    bold = [word for path in re.findall(r"\*\*([^*\n]+)\*\*", pages) if not path.endswith(".") for word in path.split(" → ")]
    assert len(bold) > 20, "the guide was read"
    return [word for word in bold if word.replace("’", "'").rstrip("…") not in known]


def test_the_guide_calls_buttons_as_the_pages_do():
    assert not unknown_words((ROOT / "Documentation/build/guide.md").read_text(), sentences())


def test_troubleshooting_quotes_what_users_see():
    text = (ROOT / "Documentation/operate/troubleshooting.md").read_text()
    quoted = [quote for row in re.findall(r"^\| (\"[^|]*)\|", text, re.MULTILINE) for quote in re.findall(r'"([^"]+)"(?! from a command)', row)]
    assert len(quoted) > 5
    known = sentences()
    assert not [quote for quote in quoted if not any(quote in sentence for sentence in known)]


def test_documents_are_sorted_by_reader_and_the_index_has_each():
    folder = ROOT / "Documentation"
    assert {p.name for p in folder.glob("*.md")} == {"README.md", "performance.md", "roadmap.md", "limits.md"}
    index = (folder / "README.md").read_text()
    pages = [p for part in ("operate", "build", "contribute") for p in sorted((folder / part).glob("*.md"))]
    lost = [str(p.relative_to(folder)) for p in pages if f"({p.relative_to(folder)})" not in index]
    assert len(pages) > 20 and not lost, lost


def test_each_decision_has_a_status_and_the_index_has_its_title():
    folder = ROOT / "Documentation/contribute/decisions"
    index = (folder / "README.md").read_text()
    for path in sorted(folder.glob("[0-9]*.md")):
        title, _, status, *_ = path.read_text().splitlines()
        assert re.fullmatch(rf"# {path.name[:4]}: \S.+[^.]", title), path.name
        assert re.match(r"\*\*Status\*\*: (accepted|rejected|superseded by \[)", status), f"{path.name}: {status}"
        assert f"| [{title.removeprefix('# ')}]({path.name}) |" in index, f"the index of decisions lacks {path.name}"


def test_the_changelog_has_the_version_of_the_server_and_no_walls():
    releases = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1:]
    assert releases[0].startswith("Unreleased\n"), "new lines go under Unreleased"
    version = re.search(r'static let version = "([^"]+)"', (ROOT / "Sources/Server/ServerApp/ServerApplication.swift").read_text())[1]
    assert any(re.match(rf"{re.escape(version)} - \d{{4}}-\d\d-\d\d\n", release) for release in releases[1:]), version
    for release in releases:
        name = release.splitlines()[0]
        assert len(release.splitlines()) <= 80, f"{name} has more than 80 lines: by subject, not by day"
        assert set(re.findall(r"^### (.*)$", release, re.MULTILINE)) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}, name


def test_figures_and_plans_fit_a_page():
    for name, most in (("performance.md", 120), ("roadmap.md", 60)):
        assert len((ROOT / "Documentation" / name).read_text().splitlines()) <= most, f"{name}: earlier figures go to Benchmarks/results, limits to limits.md"


# What only somebody who was there could look up: papers that are not in the repository, the history of the work, and moods.
ABSENT = re.compile(
    r"api-facts|\breference (?:system|document|component)s?\b|\bF\d+\.\d+\b|\bdocuments? 00[0-4]\b|(?<= )00[0-4](?:'s)?(?= [a-z|])"
    r"|\b(?:a|the|first|second) review(?:'s| found| of the| that (?:found|carried))|\breviewers? found"
    r"|slow(?:er)? that (?:day|hour|evening)|\bthat (?:evening|hour)\b|on another day", re.IGNORECASE)
# A commit: seven to forty hexadecimal digits, letters and numerals among them. Code stands between backticks.
HASH = re.compile(r"(?<![\w#/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])")


def told(path, text):
    """What people read of a file: a document without its code, or the comments of a source."""
    if path.endswith(".md"):
        return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    return "\n".join(re.sub(r"`[^`\n]*`", "", line) for line in re.findall(r"(?://|^\s*\*|^\s*#)(.*)$", text, re.MULTILINE))


def unreadable(path, text):
    """The references page gives the numbers by which names of tests call documents. Those names keep them, and vectors have digits."""
    if path.endswith("build/references.md"):
        return HASH.findall(told(path, text))
    return ABSENT.findall(told(path, text)) if path.startswith("Tests/") else ABSENT.findall(text) + HASH.findall(told(path, text))


def test_nothing_refers_to_what_is_not_here():
    wrong = []
    for name in tracked():
        # Sentences of the pages are reviewed in three languages at once; this file has what it looks for.
        if name.startswith("Web/strings/") or name == "Tests/House/test_documentation.py":
            continue
        if not name.endswith((".md", ".swift", ".js", ".py", ".yml", ".c", ".h", "Makefile")) and not name.startswith("scripts/"):
            continue
        wrong += [f"{name}: {what}" for what in unreadable(name, (ROOT / name).read_text())]
    assert not wrong, "\n".join(wrong)


def test_the_check_sees_what_is_not_here():
    for text in (
        "as api-facts says", "the numbers of the reference systems", "reference documents exclude it", "a table (F3.1)", "in documents 000 and 001", "as 002 names it",
        "a review found it", "a host that was slower that evening", "measured at 7e55414", "since 91cdd0fd",
    ):
        assert unreadable("Documentation/x.md", text), text
        assert unreadable("Sources/x.swift", f"/// {text}\n"), text
    for text in ("a review of messages by a webhook", "as published", "`ovation key revoke 0123456789ab`", "in 2026-11-30", "#1f2a3b4", "deadbeef"):
        assert not unreadable("Documentation/x.md", text), text
    assert not unreadable("Sources/x.swift", "let seed = 0x7e55414\nlet other = a7e55414b\n")
    assert not unreadable("Tests/x.swift", '@Test("X05-C document 003: every declared call exists")\n')


def test_the_readme_fits_two_screens():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 110


def test_nothing_large_or_built_is_tracked():
    for path in tracked():
        assert not path.startswith(".build") and not path.endswith("Package.resolved"), path
        assert (ROOT / path).stat().st_size < 2_000_000, path
