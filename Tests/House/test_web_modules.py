"""The modules of the web app import in one direction: none of them needs itself by way of others, and the web SDK needs no page."""

import pathlib
import re

WEB = pathlib.Path(__file__).resolve().parents[2] / "Web"
# One line, or the end of an import of several; types in comments are no imports.
IMPORT = re.compile(r"^(?:import|export)\s[^'\n]*'(\.[^']+)'|^\} from '(\.[^']+)'|^import '(\.[^']+)'", re.MULTILINE)


def imports():
    found = {}
    for path in sorted(WEB.rglob("*.js")):
        names = ((path.parent / next(filter(None, match.groups()))).resolve() for match in IMPORT.finditer(path.read_text()))
        found[path.resolve()] = [name for name in names if name.exists()]
    return found


def test_no_module_imports_itself_by_way_of_others():
    graph, state, circles = imports(), {}, []

    def visit(module, way):
        if state.get(module) == "done":
            return
        if module in way:
            circles.append(" → ".join(str(step.relative_to(WEB)) for step in [*way[way.index(module):], module]))
            return
        for next_module in graph.get(module, []):
            visit(next_module, [*way, module])
        state[module] = "done"

    for module in graph:
        visit(module, [])
    assert sum(map(len, graph.values())) > 200, "the imports were read"
    assert not circles, "\n".join(sorted(set(circles)))


# Code, and types in comments.
NAMED = re.compile(r"""(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]""")


def outside(folder):
    """What the modules of a folder name that stands elsewhere: (module, name)."""
    return [(path.name, name) for path in sorted(folder.glob("*.js")) for name in NAMED.findall(path.read_text())
            if folder not in (path.parent / name).resolve().parents]


def test_the_web_sdk_stands_by_itself():
    sdk = WEB / "protocol"
    assert sum(len(NAMED.findall(path.read_text())) for path in sdk.glob("*.js")) > 60, "the imports were read"
    assert outside(sdk) == []


def test_the_check_sees_a_page_in_the_sdk(tmp_path):
    sdk = tmp_path / "protocol"
    sdk.mkdir()
    (sdk / "room.js").write_text("import { a } from './a.js';\n/** @typedef {import('../lib/b.js').B} B */\nexport { c } from \"../models/c.js\";\nawait import('../pages/d.js');\n")
    assert [name for _, name in outside(sdk)] == ["../lib/b.js", "../models/c.js", "../pages/d.js"]


def test_parts_of_a_salon_are_handed_what_they_need():
    """The object that brings them together is for who makes them: who reaches into it depends on everything."""
    named = {path.name for path in sorted((WEB / "models").glob("*.js")) if "salon-stage.js'" in path.read_text()}
    assert named == {"salon.js", "salon-follow.js"}
