"""What the cores must not do: read clocks, start tasks, lock, sleep, ask for global randomness, wait inside a room's turn."""

import pathlib
import re

from modules import CORES, MODULES

ROOT = pathlib.Path(__file__).resolve().parents[2]

BANNED_IN_CORES = {
    r"\bDate\(": "time is passed in",
    r"\b(?:Continuous|Suspending)Clock\b": "time is passed in",
    r"\bclock_gettime\b": "time is passed in",
    r"\bTask\s*(?:\{|\.detached|\.sleep)": "cores start no tasks",
    r"\bawait\b": "cores do not wait",
    r"\b(?:Mutex|NSLock|OSAllocatedUnfairLock|DispatchQueue)\b": "cores hold no locks",
    r"\.random\(in: (?![^)]*using)": "randomness is passed in",
    r"\bSystemRandomNumberGenerator\b": "randomness is passed in",
    r"\bprint\(": "cores do not print",
}
BANNED_EVERYWHERE = {
    r"\btry!": "an error is handled or typed away",
    r"\bas!": "a cast is checked",
    r"fatalError\(\"(?:not|un)": "no stub behind a finished-looking door",
    r"\b(?:TODO|FIXME|XXX)\b": "the roadmap is the place for what is missing",
    # Each access wraps the closure once more: what is called often becomes slower with every call. `Callback` of Timing is the box.
    r"\b(?:Mutex|NIOLoopBoundBox|NIOLockedValueBox|StateBox)<[^>]*->": "a closure in a generic container needs a box",
    # A periodic task at an edge may sleep on its clock; nothing blocks a thread.
    r"\bThread\.sleep|\busleep\(|(?<!Task\.)\bsleep\(": "nothing waits by sleeping",
    r"\b(?:class|struct|enum|actor|protocol) \w*(?<!TXAudioEffect)(?<!TXDevice)(?<!TXBeauty)(?<!V2TIM)(?:Manager|Util|Utils|Helper|Helpers|Common|Base)\b": "find the noun",
}
# Names of the published interfaces that the façade keeps; a sample that says them must compile.
PUBLISHED = {"TXAudioEffectManager", "V2TIMManager"}
UNCHECKED = re.compile(r"@unchecked Sendable|nonisolated\(unsafe\)")


def code_lines(text):
    """Lines without comments, so that a sentence about a clock is no clock."""
    for number, line in enumerate(text.splitlines(), 1):
        stripped = re.sub(r"//.*", "", line)
        stripped = re.sub(r'"(?:[^"\\]|\\.)*"', '""', stripped)
        yield number, stripped


def findings(text, banned):
    return [
        (number, reason)
        for number, line in code_lines(text)
        for pattern, reason in banned.items()
        for match in [re.search(pattern, line)]
        if match and match[0].split()[-1] not in PUBLISHED
    ]


def sources(module):
    return sorted((ROOT / "Sources" / MODULES[module][0] / module).rglob("*.swift"))


def test_cores_are_pure():
    wrong = []
    for module in CORES:
        for path in sources(module):
            wrong += [f"{path.relative_to(ROOT)}:{n}: {why}" for n, why in findings(path.read_text(), BANNED_IN_CORES)]
    assert not wrong, "\n".join(wrong)


def test_nothing_forced_or_left_open():
    wrong = []
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        wrong += [f"{path.relative_to(ROOT)}:{n}: {why}" for n, why in findings(path.read_text(), BANNED_EVERYWHERE)]
    assert not wrong, "\n".join(wrong)


def test_unchecked_sendable_states_its_rule():
    wrong = []
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            if UNCHECKED.search(line) and not any("//" in near for near in lines[max(0, number - 4) : number + 1]):
                wrong.append(f"{path.relative_to(ROOT)}:{number + 1}: says nowhere what makes it safe")
    assert not wrong, "\n".join(wrong)


def test_a_room_never_waits_inside_its_turn():
    wrong = []
    for path in sources("RoomService"):
        text = path.read_text()
        if not re.search(r"^(?:package |public )?(?:final )?actor Room\b|^extension Room\b", text, re.MULTILINE):
            continue
        wrong += [f"{path.relative_to(ROOT)}:{n}" for n, line in code_lines(text) if re.search(r"\bawait\b", line)]
    assert not wrong, "await in the room type: " + ", ".join(wrong)


def test_the_check_sees_planted_calls():
    assert findings("let t = Date()", BANNED_IN_CORES)
    assert findings("Task { work() }", BANNED_IN_CORES)
    assert findings("let n = Int.random(in: 0..<9)", BANNED_IN_CORES)
    assert not findings("let n = Int.random(in: 0..<9, using: &generator)", BANNED_IN_CORES)
    assert not findings("// a Date() in a comment", BANNED_IN_CORES)
    assert findings("let x = y as! Z", BANNED_EVERYWHERE)
    assert findings("final class SeatManager {", BANNED_EVERYWHERE)
    assert not findings("public final class V2TIMManager {", BANNED_EVERYWHERE)
