"""The pages as they are released have all that they load, and load no more than they need."""

import functools
import gzip
import importlib.machinery
import importlib.util
import json
import pathlib
import re

import pytest

from story import story

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEB = ROOT / "Web"
loader = importlib.machinery.SourceFileLoader("pages", str(ROOT / "scripts/pages"))
pages = importlib.util.module_from_spec(importlib.util.spec_from_loader("pages", loader))
loader.exec_module(pages)

# What sources load by address and not by import, from where they stand; a name that is put together may be any.
ADDRESS = re.compile(r"new URL\(['`]\./([^'`]+)['`],\s*import\.meta\.url\)")


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release") / "web"
    return folder, pages.make(WEB, folder, packed=False)


def lacking(folder, outputs):
    """What the pages and their bundles load and is not there."""
    built = folder / "built"
    named = [name for path in (folder / "index.html", folder / "console/index.html") for name in re.findall(r'"/(built/[^"]+)"', path.read_text())]
    named += re.findall(r'(?:href|src)="/(?:assets/@build/)?([^"]+)"', (folder / "missing.html").read_text())
    routes = json.loads((built / "routes.json").read_text())
    named += [name for files in [*routes["languages"].values(), *routes["pages"].values()] for name in files]
    named += [f"built/{pages.inside(each['path'])}" for of in outputs.values() for each in of["imports"] if "built/" in each["path"]]
    missing = {name for name in named if not (folder / name).exists()}
    for path in WEB.rglob("*.js"):
        for address in ADDRESS.findall(path.read_text()):
            if not list(built.glob(re.sub(r"\$\{\w+\}", "*", address))):
                missing.add(f"built/{address}, for {path.relative_to(WEB)}")
    return sorted(missing)


def modules(outputs, *names):
    return {each.rsplit("web/", 1)[-1] for name in names for each in outputs[name]["inputs"]}


@story("R12-W each bundle of the released pages has what it loads, by import and by address")
def test_nothing_lacks(release):
    folder, outputs = release
    assert len(outputs) > 10 and sum(len(ADDRESS.findall(path.read_text())) for path in WEB.rglob("*.js")) >= 3, "they were read"
    assert lacking(folder, outputs) == []


def test_the_check_sees_a_chunk_and_a_worker_that_are_gone(release):
    folder, outputs = release
    gone = [folder / "built/tick-worker.js", folder / "built" / next(name for name in outputs if name.startswith("salon-"))]
    kept = [path.read_bytes() for path in gone]
    for path in gone:
        path.unlink()
    complaints = lacking(folder, outputs)
    for path, text in zip(gone, kept, strict=True):
        path.write_bytes(text)
    assert complaints == sorted([f"built/{gone[1].name}", "built/tick-worker.js, for video/pipelines.js"])


@story("R12-W the sign-in page loads no room and no lobby, the lobby no room, a green room not the room behind it, and a reader one language")
def test_what_is_loaded_late(release):
    folder, outputs = release
    app = pages.entry(outputs, "app.js")
    first = modules(outputs, *pages.needed(outputs, app))
    assert "pages/sign-in.js" in first and "lib/render.js" in first
    assert not [name for name in first if re.match(r"strings/|console/|models/salon|pages/(room|salon|live|duet|gifts|lobby)", name)]
    routes = json.loads((folder / "built/routes.json").read_text())
    lobby = modules(outputs, *[name.removeprefix("built/") for name in routes["pages"]["lobby"]])
    assert "pages/lobby/lobby.js" in lobby
    assert not [name for name in lobby if re.match(r"strings/|models/salon|pages/(room|salon|duet|gifts)", name)]
    # Whoever goes live looks at their own picture first.
    assert {name for name in lobby if name.startswith("pages/live/")} == {f"pages/live/{name}.js" for name in ("prepare", "prepared", "own-picture", "sending", "beauty")}
    room = modules(outputs, *[name.removeprefix("built/") for name in routes["pages"]["room"]])
    assert "pages/green-room.js" in room
    assert not [name for name in room if re.match(r"pages/(salon|duet|gifts|live/(?!prepared))|models/(salon|duet|live|pk|chat|gifts)|protocol/room|pages/lobby/create", name)]
    faces = [name.removeprefix("built/") for name in routes["pages"]["faces"]]
    assert "elements/crop.js" in modules(outputs, *faces) and "elements/crop.js" not in first | lobby | room
    for language, [file] in routes["languages"].items():
        assert modules(outputs, file.removeprefix("built/")) == {f"strings/{language}.js"}


# Beside its bundles a page loads the theme's script, its mark, the pictures of its buttons, the icon of the tab, two faces and the settings of
# the server; going on takes a ticket, a socket and what the room looks like.
BESIDE, GOING_ON = ["theme.js", "icons/mark.svg", "icons/sprite.svg", "icons/favicon.svg", "avatars/1.svg", "avatars/7.svg"], 4


@functools.cache
def packed(path):
    """By gzip, which every browser takes over every connection."""
    return gzip.compress(path.read_bytes(), 9)


@story("R12-W a first visit takes at most 25 files and 130 KB up to the sign-in page and to a salon's green room, and 40 and 220 KB into a live room, "
       "in every language")
def test_budget(release):
    folder, outputs = release
    routes = json.loads((folder / "built/routes.json").read_text())
    first = [f"built/{name}" for name in pages.needed(outputs, pages.entry(outputs, "app.js"))]
    first += [path.relative_to(folder) for path in (folder / "built").glob("app-*.css")] + BESIDE + ["index.html"]
    for language in routes["languages"].values():
        for place, files, kilobytes in [("lobby", 25, 130), ("room", 25, 130), ("live", 40, 220)]:
            loaded = [*first, *language, *routes["pages"][place]]
            # With a head of half a kilobyte.
            size = sum(len(packed(folder / name)) + 500 for name in loaded)
            assert len(loaded) + GOING_ON <= files and size <= 1000 * kilobytes, (place, language, len(loaded), size)


@story("R12-W no bundle loads a part of its own late, which a server that was updated meanwhile would lack")
def test_only_routes_are_late(release):
    _, outputs = release
    late = {of["entryPoint"] for of in outputs.values() if of.get("entryPoint")}
    routes = {module for modules in pages.ROUTES.values() for module in modules}
    languages = {f"strings/{folder}{language}.js" for folder in ("", "console/") for language in pages.LANGUAGES}
    assert late == {script for _, script in pages.PAGES} | routes | languages
