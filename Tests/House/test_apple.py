"""What the documents say about iPhones and Macs is what the sources need."""

import pathlib
import re

from modules import MODULES
from story import story

ROOT = pathlib.Path(__file__).resolve().parents[2]
APPLE = (ROOT / "Documentation/build/apple.md").read_text()
README = (ROOT / "README.md").read_text()
PRODUCTS = {"Ovation", "TRTCCompat", "UserSig"}
# Modules that only some systems have.
PLATFORM_ONLY = {"Glibc", "Musl", "Darwin", "UIKit", "AppKit", "AVFoundation", "AVFAudio", "CoreAudio", "WebKit", "Network", "ObjectiveC", "os"}
# Names that Apple's documentation explains.
THEIRS = {"AVAudioEngine", "AVAudioSession", "WKWebView", "Darwin"}
KEYS = {"NSMicrophoneUsageDescription", "NSLocalNetworkUsageDescription", "NSCameraUsageDescription", "NSAppTransportSecurity", "UIBackgroundModes"}


def below(modules):
    """The targets that these are built of, themselves included."""
    found, waiting = set(), list(modules)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += MODULES[name][1] & MODULES.keys() if name in MODULES else []
    return found


def clibraries():
    """The C targets below the products, from the table of directions."""
    return {name for module in below(PRODUCTS) for name in MODULES[module][1] if (ROOT / "Sources/C" / name).is_dir()}


def imports(module):
    for path in (ROOT / "Sources" / MODULES[module][0] / module).rglob("*.swift"):
        yield from re.findall(r"^(?:@\w+ )*(?:public |package |internal )?import (?:\w+ )?(\w+)", path.read_text(), re.MULTILINE)


def platform_modules():
    """Who below the products imports what not every system has: module to names."""
    found = {}
    for module in below(PRODUCTS):
        special = PLATFORM_ONLY & set(imports(module))
        if special:
            found[module] = special
    return found


def ports():
    return set(re.findall(r"^package protocol (\w+)", (ROOT / "Sources/Client/MediaDevices/AudioDevicePorts.swift").read_text(), re.MULTILINE))


def item(heading):
    """A numbered point of the list of what is to be added."""
    return re.search(rf"^\d+\. \*\*{re.escape(heading)}\*\*(.*)$", APPLE, re.MULTILINE)[1]


def code(text):
    return set(re.findall(r"`([^`]+)`", text))


@story("X04-K X04-C apple.md names the protocols of devices, and of the C targets below the products all and no other")
def test_what_to_add():
    assert len(ports()) == 2 and ports() <= code(item("Devices."))
    named = {name for name in code(APPLE) if (ROOT / "Sources/C" / name).is_dir()}
    assert named == clibraries() and len(named) == 8, named ^ clibraries()
    manifest = (ROOT / "Package.swift").read_text()
    linked = {name for name in clibraries() if f'systemLibrary("{name}"' in manifest}
    # What is linked comes first; what is opened at run time may be missing.
    ours = ("CLibAV", "CPulse", "CNet", "COpenSSLSetup", "CPlatform")
    assert linked == {name for name in named if APPLE.index(f"`{name}`") < APPLE.index("opens FFmpeg") and name not in ours}


@story("X04-K X04-C no module below the products imports what one system alone has, but those that apple.md lists")
def test_imports():
    listed = {name for name in code(item("The C library's name.")) if name in MODULES}
    assert platform_modules() == {name: {"Glibc"} for name in listed}
    for module in below(PRODUCTS):
        for path in (ROOT / "Sources" / MODULES[module][0] / module).rglob("*.swift"):
            assert not re.search(r"#if.*(os\((iOS|macOS)\)|canImport\((UIKit|AVF))", path.read_text()), path


@story("X04-K X04-C each name of ours in apple.md is declared in the sources, each file is there, each key of Info.plist is one of Apple's")
def test_names():
    declared = set(MODULES)
    for path in (ROOT / "Sources").rglob("*.swift"):
        declared |= set(re.findall(r"\b(?:class|struct|enum|protocol|actor) (\w+)", path.read_text()))
    names = {name.split(".")[0] for name in code(APPLE) if re.fullmatch(r"[A-Z]\w+(\.\w+)?", name)}
    strangers = {n for n in names if n not in declared | THEIRS | KEYS | {"Info"} and not (ROOT / "Sources/C" / n).is_dir()}
    assert len(names) > 12 and not strangers, strangers
    files = [name for name in code(APPLE) if name.startswith("Sources/")]
    assert len(files) >= 3 and all(list(ROOT.glob(name)) for name in files), files
    assert KEYS == {name for name in code(APPLE) if re.fullmatch(r"(NS|UI)\w+", name)}
    functions = {name for name in code(APPLE) if name in ("startPlayMusic", "setSpeaker(userSpeaker:)")}
    public = (ROOT / "Documentation/build/api/TRTCCompat.txt").read_text()
    assert len(functions) == 2 and all(name.split("(")[0] + "(" in public for name in functions)


@story("X04-W X04-K X04-C the first screen of the README says what runs on an iPhone, what does not, and what is untested")
def test_readme():
    lines = README.splitlines()
    first = "\n".join(lines[: lines.index("## Try it")])
    assert lines.index("## Try it") <= 16, "what is said before the first heading fits a screen"
    (said,) = [line for line in first.splitlines() if "iPhone" in line]
    for word in ("web app", "`WKWebView`", "untested", "Swift", "not yet", "(Documentation/build/apple.md)"):
        assert word in said, word
    for line in README.splitlines() + APPLE.splitlines():
        if re.search(r"iPhone|iOS|Safari|WKWebView", line) and re.search(r"\|.*\|", line):
            assert not re.search(r"\btested\b", re.sub(r"tested (here|in real Chromium)", "", line)), f"nobody tested this: {line}"
