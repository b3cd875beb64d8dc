"""How well a page can be read, measured in the browser: contrast over what is really behind a word, words that are cut
off, and axe's rules. The pages are walked in `test_legibility.py`; with OVATION_PICTURES=folder it leaves a picture of each."""

import base64
import json
import pathlib

from selenium_axe_python import axe as axe_package

HERE = pathlib.Path(__file__).parent
PROBE = (HERE / "legibility.js").read_text()
AXE = (pathlib.Path(axe_package.__file__).parent / "axe-core/axe.min.js").read_text()

PHONE, DESKTOP = (390, 844), (1280, 900)
# The browser's own text size setting; its default is 16 px.
NORMAL, DOUBLE = 16, 32
GRAVE = ("serious", "critical")
SETTLED = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))"


class Reader:
    """Looks at the page that a person has open, in each size and theme; keeps what is wrong by page."""

    def __init__(self, person, pictures=None):
        self.person = person
        # A folder for what was seen, to be looked at by eyes too.
        self.pictures = pictures
        self.faint, self.cut, self.broken = [], [], []

    def look(self, page, sizes=(PHONE, DESKTOP), letters=(NORMAL,)):
        """`letters` of `DOUBLE` look also at twice the size of text, for what is cut off."""
        for size in sizes:
            for scheme in ("dark", "light"):
                place = f"{page}, {size[0]} px, {scheme}"
                self._turn(size, scheme)
                self._contrast(place)
            self._axe(f"{page}, {size[0]} px")
            for letter in letters:
                self._letters(letter)
                place = f"{page}, {size[0]} px, text of {letter} px"
                self.cut += [f"{place}: {what}" for what in self._probe("return legibility.clipped()")]
                self._keep(place)
            self._letters(NORMAL)
        self._turn(DESKTOP, "dark")

    def _turn(self, size, scheme):
        self.person.size(*size)
        # Still pictures: what pulses would be measured at another moment than it was found.
        self.person.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]})
        self.person.run_async(SETTLED)

    def _letters(self, pixels):
        self.person.driver.execute_cdp_cmd("Page.setFontSizes", {"fontSizes": {"standard": pixels, "fixed": pixels}})
        self.person.run_async(SETTLED)

    def _probe(self, script, *arguments):
        if not self.person.run("return !!window.legibility"):
            self.person.run(PROBE)
        return self.person.run(script, *arguments)

    def _contrast(self, place):
        items = self._probe("const items = legibility.collect(); legibility.hide(); return JSON.stringify(items)")
        self.person.run_async(SETTLED)
        shot = self.person.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        faint = self.person.run_async(
            "const [items, png, done] = arguments; legibility.unhide();"
            "legibility.judge(JSON.parse(items), png).then(done, (error) => done([String(error)]))", items, shot)
        assert json.loads(items), f"nothing to read on {place}"
        self.faint += [f"{place}: {what}" for what in faint]
        self._keep(place)

    def _axe(self, place):
        if not self.person.run("return !!window.axe"):
            self.person.run(AXE)
        found = self.person.run_async("""
            const done = arguments[0];
            axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => done(violations.map(v => ({
              id: v.id, impact: v.impact, nodes: v.nodes.map(n => n.html.slice(0, 160)) }))), error => done([
              { id: String(error), impact: 'critical', nodes: [] }]));""")
        self.broken += [f"{place}: {v['id']}: {v['nodes'][:3]}" for v in found if v["impact"] in GRAVE]

    def _keep(self, place):
        if self.pictures:
            shot = self.person.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
            self.pictures.mkdir(parents=True, exist_ok=True)
            name = place.replace(", ", "-").replace(" ", "-")
            (self.pictures / f"{name}.png").write_bytes(base64.b64decode(shot))
