"""The Swift of the documents is Swift that compiles: each block of the guide's section stands in
Tests/OvationTests/GuideSnippets.swift, each block of the SDK's article in the program that it explains."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(guide):
    section = guide.split("\n## A client in Swift\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^```swift\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def bare(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def stands_in(block, source):
    wanted, lines = bare(block), bare(source)
    return any(lines[n:n + len(wanted)] == wanted for n in range(len(lines)))


def test_each_block_of_the_guide_is_compiled():
    source = (ROOT / "Tests/OvationTests/GuideSnippets.swift").read_text()
    found = blocks((ROOT / "Documentation/build/guide.md").read_text())
    assert len(found) >= 8
    wrong = [block for block in found if not stands_in(block, source)]
    assert not wrong, "not in GuideSnippets.swift line by line:\n" + "\n".join(wrong)


def test_each_block_of_the_article_is_of_its_program():
    source = (ROOT / "Examples/swift/Sources/SalonBot/SalonBot.swift").read_text()
    article = (ROOT / "Sources/Client/Ovation/Ovation.docc/ABotInARoom.md").read_text()
    found = re.findall(r"^```swift\n(.*?)^```$", article, re.MULTILINE | re.DOTALL)
    assert len(found) >= 5
    wrong = [block for block in found if not stands_in(block, source)]
    assert not wrong, "not in SalonBot.swift line by line:\n" + "\n".join(wrong)


def test_the_check_sees_a_changed_line():
    assert stands_in("a()\n\nb()\n", "func f() {\n    a()\n    b()\n}\n")
    assert not stands_in("a()\nc()\n", "func f() {\n    a()\n    b()\n}\n")
