"""How well a page can be read and pressed, measured in the browser: contrast over what is really behind a word, words that are cut
off, what is too small for a finger, and axe's rules. The pages are walked in `test_legibility.py`; with OVATION_PICTURES=folder it
leaves a picture of each."""

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
# The languages beside English, each with the theme that a page is looked at in: they have words of their own, and no colours.
LANGUAGES = {"ko": "dark", "zh-Hans": "light"}
# What is pressed on the page, or in the sheet over it, and cannot be hit over 44 by 44 px through its middle, or not at all. Each is
# brought into view first: what lies under the edge of the window, a sheet or a table would be judged by what shows of it. A label
# belongs to its field, a browser rounds a part of a pixel away, and a word in a line of text is as high as the line.
SMALL = """
const least = 42;
const sheet = [...document.querySelectorAll('dialog[open]')].at(-1);
const scrolled = [...document.querySelectorAll('*')].map(element => [element, element.scrollLeft, element.scrollTop]);
const small = [...(sheet ?? document).querySelectorAll('button, a[href], input, select, summary')].flatMap(element => {
  const seen = element.checkVisibility({ visibilityProperty: true }) && element.tabIndex >= 0 && !element.disabled && !element.matches('.skip')
    && !element.closest('[inert]') && getComputedStyle(element.parentElement).display !== 'inline';
  const { width, height } = element.getBoundingClientRect();
  if (!seen || width <= 1) return [];
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const box = element.getBoundingClientRect();
  const x = box.left + box.width / 2, y = box.top + box.height / 2;
  const isHit = (dx, dy) => {
    const point = document.elementFromPoint(x + dx, y + dy);
    return !!point && (element.contains(point) || [...element.labels ?? []].some(label => label.contains(point)));
  };
  const name = element.dataset.testid ?? (element.className || element.localName);
  // What was opened over the page, and is closed again, may cover it.
  if (!isHit(0, 0)) return document.elementFromPoint(x, y)?.closest('.tray, .chat[data-open]') ? [] : [`${name} (covered)`];
  if (width >= 43.5 && height >= 43.5) return [];
  const reach = (dx, dy) => {
    let far = 0;
    while (far < least && isHit(dx * (far + 1), dy * (far + 1))) far += 1;
    return far;
  };
  return reach(-1, 0) + reach(1, 0) < least || reach(0, -1) + reach(0, 1) < least ? [name] : [];
});
for (const [element, left, top] of scrolled) element.scrollTo({ left, top, behavior: 'instant' });
return small;
"""
# What is wider than the screen: the page, or what a sheet has in it.
WIDE = """
return [document.documentElement, ...document.querySelectorAll('dialog[open] .sheet-body')]
  .filter(element => element.scrollWidth > Math.min(element.clientWidth, arguments[0]) + 1)
  .map(element => `${element.localName}.${element.className} is ${element.scrollWidth} px wide`)
"""
# As if the language were chosen in another tab; the page is drawn anew once its sentences are there.
SPEAK = """
const [language, done] = arguments, key = 'ovation.preferences';
localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key) ?? '{}'), language }));
dispatchEvent(new StorageEvent('storage', { key }));
const look = () => document.documentElement.lang === language ? done() : requestAnimationFrame(look);
look();
"""
SETTLED = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))"


class Reader:
    """Looks at the page that a person has open, in each size and theme; keeps what is wrong by page."""

    def __init__(self, person, pictures=None):
        self.person = person
        # A folder for what was seen, to be looked at by eyes too.
        self.pictures = pictures
        self.faint, self.cut, self.broken, self.small = [], [], [], []
        # How the page is shown now, as far as it is known.
        self._shown = {}

    def look(self, page, sizes=(PHONE, DESKTOP), letters=(NORMAL,), translated=False):
        """`letters` of `DOUBLE` look also at twice the size of text, for what is cut off; `translated` looks in the other languages too."""
        self._shown = {}
        looks = [("dark", NORMAL, self._contrast), ("light", NORMAL, self._contrast), ("light", NORMAL, self._pressed),
                 ("light", NORMAL, self._axe), *(("light", letter, self._whole) for letter in letters)]
        # There and back, since the page is drawn anew for each change of its size, its theme or its letters.
        for number, size in enumerate(sizes):
            for scheme, letter, look in reversed(looks) if number % 2 else looks:
                self._show(size=size, scheme=scheme, letter=letter)
                look(f"{page}, {size[0]} px, {scheme}, text of {letter} px", size)
        if translated:
            self._translated(page, sizes)
        self._show(size=DESKTOP, scheme="dark", letter=NORMAL)

    def _translated(self, page, sizes):
        for number, (language, scheme) in enumerate(LANGUAGES.items()):
            self.person.run_async(SPEAK, language)
            for size in sizes if number % 2 else reversed(sizes):
                self._show(size=size, scheme=scheme, letter=NORMAL)
                for look in (self._contrast, self._pressed, self._whole):
                    look(f"{page} in {language}, {size[0]} px, {scheme}", size)
        self.person.run_async(SPEAK, "en")

    def _show(self, **wanted):
        if wanted == self._shown:
            return
        cdp = self.person.driver.execute_cdp_cmd
        size, scheme, letter = (wanted[part] if wanted[part] != self._shown.get(part) else None for part in ("size", "scheme", "letter"))
        if size:
            self.person.size(*size)
        if scheme:
            # Still pictures: what pulses would be measured at another moment than it was found.
            cdp("Emulation.setEmulatedMedia", {"features": [
                {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]})
        if letter:
            cdp("Page.setFontSizes", {"fontSizes": {"standard": letter, "fixed": letter}})
        self._shown = wanted
        self.person.run_async(SETTLED)

    def _probe(self, script, *arguments):
        found = self.person.run(f"if (!window.legibility) return false; {script}", *arguments)
        if found is False:
            self.person.run(PROBE)
            found = self.person.run(script, *arguments)
        return found

    def _contrast(self, place, _):
        items = self._probe("const items = legibility.collect(); legibility.hide(); return JSON.stringify(items)")
        self.person.run_async(SETTLED)
        shot = self.person.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})["data"]
        faint = self.person.run_async(
            "const [items, png, done] = arguments; legibility.unhide();"
            "legibility.judge(JSON.parse(items), png).then(done, (error) => done([String(error)]))", items, shot)
        assert json.loads(items), f"nothing to read on {place}"
        self.faint += [f"{place}: {what}" for what in faint]
        self._keep(place)

    def _pressed(self, place, size):
        if size == PHONE:
            self.small += [f"{place}: {what}" for what in self.person.run(SMALL)]

    def _whole(self, place, size):
        self.cut += [f"{place}: {what}" for what in self._probe("return legibility.clipped()") + self.person.run(WIDE, size[0])]
        self._keep(place)

    def _axe(self, place, _):
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
            shot = self.person.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})["data"]
            self.pictures.mkdir(parents=True, exist_ok=True)
            name = place.replace(", ", "-").replace(" ", "-")
            (self.pictures / f"{name}.png").write_bytes(base64.b64decode(shot))
