"""What a camera shows, changed before it is sent."""

from steps import sign_in
from story import story
from test_live import go_live, sees_no_picture, sees_picture

# A face's colours with a grain, dark and light beside each other, and a blue field with the same grain; the corner says what is up.
FILTER = """
return (async () => {
  const { BeautyFilter } = await import('/video/beauty-filter.js');
  const [width, height] = [640, 360];
  const bytes = new Uint8ClampedArray(width * height * 4);
  let seed = 1;
  const grain = () => { seed = seed * 48271 % 2147483647; return seed / 2147483647 * 24 - 12; };
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const colour = y < 8 && x < 8 ? [255, 0, 255] : y >= 240 ? [40, 60, 200] : x < 320 ? [120, 84, 66] : [224, 176, 150];
    const g = grain();
    colour.forEach((c, i) => { bytes[(y * width + x) * 4 + i] = c + g; });
    bytes[(y * width + x) * 4 + 3] = 255;
  }
  const source = new ImageData(bytes, width, height);
  const canvas = document.createElement('canvas');
  const filter = new BeautyFilter(canvas);
  const flat = document.createElement('canvas');
  [flat.width, flat.height] = [width, height];
  const context = flat.getContext('2d', { willReadFrequently: true });
  const drawn = levels => {
    filter.draw(source, width, height, { smooth: 0, whiten: 0, ruddy: 0, style: 'balanced', mirror: false, ...levels });
    context.drawImage(canvas, 0, 0);
    return context.getImageData(0, 0, width, height).data;
  };
  const figures = (data, left, top, right, bottom) => {
    let [n, sum, squares, red, blue] = [0, 0, 0, 0, 0];
    for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) {
      const at = (y * width + x) * 4;
      const bright = data[at] * .299 + data[at + 1] * .587 + data[at + 2] * .114;
      n++; sum += bright; squares += bright * bright; red += data[at] - bright; blue += data[at + 2] - bright;
    }
    return { mean: sum / n, variance: squares / n - (sum / n) ** 2, red: red / n, blue: blue / n };
  };
  const look = levels => {
    const data = drawn(levels);
    return { dark: figures(data, 60, 60, 260, 200), light: figures(data, 380, 60, 580, 200), blue: figures(data, 60, 270, 580, 340),
      edge: figures(data, 324, 60, 332, 200).mean - figures(data, 308, 60, 316, 200).mean };
  };
  const untouched = drawn({});
  let differing = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== untouched[at]) differing++;
  const turned = drawn({ mirror: true });
  let unturned = 0;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) for (let i = 0; i < 3; i++)
    if (turned[(y * width + x) * 4 + i] !== untouched[(y * width + width - 1 - x) * 4 + i]) unturned++;
  const result = { differing, unturned, smooth: [0, 3, 6, 9].map(smooth => look({ smooth })), whiten: [0, 3, 6, 9].map(whiten => look({ whiten })),
    ruddy: [0, 3, 6, 9].map(ruddy => look({ ruddy })), styles: ['natural', 'balanced', 'strong'].map(style => look({ smooth: 9, style })) };
  filter.end();
  return result;
})();
"""


@story("L13-W each level smooths, whitens and reddens skin of every shade more than the one before, edges stay, and nothing is touched at zero")
def test_filter(people):
    anna = people("Anna")
    sign_in(anna)
    anna.sees("lobby")
    seen = anna.run(FILTER)
    assert seen["differing"] == 0 and seen["unturned"] == 0

    def grows(values):
        return all(earlier < later for earlier, later in zip(values, values[1:]))

    for skin in ("dark", "light"):
        grain = [look[skin]["variance"] for look in seen["smooth"]]
        assert grows(grain[::-1]) and grain[3] < grain[0] / 2, (skin, grain)
        assert grows([-look[skin]["variance"] for look in seen["styles"]]), (skin, "styles")
        assert grows([look[skin]["mean"] for look in seen["whiten"]]), (skin, "whiten")
        assert grows([look[skin]["red"] for look in seen["ruddy"]]) and grows([-look[skin]["blue"] for look in seen["ruddy"]]), (skin, "ruddy")
    for look in seen["smooth"] + seen["styles"]:
        assert look["edge"] > 0.9 * seen["smooth"][0]["edge"], look["edge"]
        assert abs(look["blue"]["variance"] - seen["smooth"][0]["blue"]["variance"]) < 2, "what is no skin keeps its grain"


# How bright a picture is.
BRIGHT = """
const video = document.querySelector(arguments[0] + ' video');
const canvas = document.createElement('canvas');
[canvas.width, canvas.height] = [32, 18];
const context = canvas.getContext('2d');
context.drawImage(video, 0, 0, 32, 18);
const data = context.getImageData(8, 0, 8, 18).data;
let sum = 0;
for (let at = 0; at < data.length; at += 4) sum += data[at] * .299 + data[at + 1] * .587 + data[at + 2] * .114;
const bright = sum / (data.length / 4);
"""
LIGHTER = BRIGHT + "return bright > arguments[1] + 6;"
PLAIN = BRIGHT + "return Math.abs(bright - arguments[1]) < 4;"
LOADED = "return performance.getEntriesByType('resource').filter(entry => /video.(beauty|pipelines|tick)/.test(entry.name)).length"


def set_level(person, name, value):
    person.run(
        "const e = document.querySelector(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('input', { bubbles: true }))",
        person.selector(f"beauty-{name}"), str(value))


def is_mode(person, mode):
    person.wait(f"the mode {mode}", "return document.querySelector(arguments[0])?.dataset.mode === arguments[1]", person.selector("beauty-picture"), mode)


@story("L01-W L13-W an anchor tries beauty on before going live, viewers see the changed picture, and the plain one once it is off")
def test_beauty_live(people):
    anna, ben = people("Anna"), people("Ben")
    room = go_live(anna)
    sign_in(ben, f"/r/{room}")
    sees_picture(ben, "picture-0")
    plain = ben.run(BRIGHT + "return bright;", ben.selector("picture-0"))
    assert anna.run(LOADED) == 0, "off costs nothing"
    anna.click("more")
    anna.click("more-beauty")
    anna.click("beauty-on")
    is_mode(anna, "worker")
    set_level(anna, "whiten", 9)
    sees_picture(anna, "beauty-video")
    ben.wait("a lighter picture", LIGHTER, ben.selector("picture-0"), plain)
    anna.click("beauty-on")
    is_mode(anna, "off")
    ben.wait("the plain picture", PLAIN, ben.selector("picture-0"), plain)
    anna.click("beauty-on")
    is_mode(anna, "worker")
    # The choice is kept: the next time, the bare picture is never shown.
    anna.click("sheet-close")
    anna.click("camera")
    anna.sees("tile-0", "Your camera is off")
    anna.click("camera")
    sees_picture(anna, "picture-0")
    ben.wait("a lighter picture", LIGHTER, ben.selector("picture-0"), plain)


# The fake camera writes the time into the upper left corner. Says on which side the writing is: -1 for left, 1 for right.
SIDE = """
const video = document.querySelector(arguments[0] + ' video');
if (!video?.videoWidth) return 0;
const canvas = document.createElement('canvas');
[canvas.width, canvas.height] = [320, 180];
const context = canvas.getContext('2d');
context.drawImage(video, 0, 0, 320, 180);
const bright = left => {
  const data = context.getImageData(left, 4, 70, 12).data;
  let count = 0;
  for (let at = 0; at < data.length; at += 4) if (data[at] > 40 && data[at + 1] > 160) count++;
  return count;
};
const [left, right] = [bright(24), bright(226)];
return Math.abs(left - right) < 8 ? 0 : left > right ? -1 : 1;
"""
SENT = "return (function () {" + SIDE + "})(arguments[0]) === arguments[1]"
SHOWN = """
const side = (function () {""" + SIDE + """})(arguments[0]);
return (document.querySelector(arguments[0]).hasAttribute('data-mirror') ? -side : side) === arguments[1];
"""


@story("L10-W the mirror for oneself changes what oneself sees alone, the mirror for everyone what the others see alone")
def test_mirrors(people):
    anna, ben = people("Anna"), people("Ben")
    room = go_live(anna)
    sign_in(ben, f"/r/{room}")
    sees_picture(ben, "picture-0")

    def sees(mine, others):
        """Which side the writing is on: for her as her page turns it, and for him, whose page turns nothing."""
        anna.wait("her own picture", SHOWN, anna.selector("picture-0"), mine)
        ben.wait("the others' picture", SENT, ben.selector("picture-0"), others)
        ben.wait("the others' picture as it came", SHOWN, ben.selector("picture-0"), others)

    sees(1, -1)
    anna.click("more")
    anna.click("more-sending")
    anna.click("sending-mirror")
    sees(1, 1)
    # Another tab of hers switches the mirror for herself off.
    anna.run(
        "const stored = JSON.parse(localStorage['ovation.preferences']); "
        "localStorage['ovation.preferences'] = JSON.stringify({ ...stored, mirror: false }); "
        "dispatchEvent(new StorageEvent('storage', { key: 'ovation.preferences' }))")
    sees(-1, 1)
    anna.click("sending-mirror")
    sees(-1, -1)


# As WebKit does with streams: it knows the word, and never says it.
NO_WORD_OF_FRAMES = "HTMLVideoElement.prototype.requestVideoFrameCallback = () => 0;"


@story("L08-W L13-W where tracks cannot be read on a worker, the picture is changed on the page; a browser that tells of no frame shows and "
       "changes pictures all the same; one that draws none says so")
def test_beauty_canvas(people):
    anna, ben = people("Anna"), people("Ben")
    ben.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": NO_WORD_OF_FRAMES})
    room = go_live(anna)
    sign_in(ben, f"/r/{room}")
    sees_picture(ben, "picture-0")
    plain = ben.run(BRIGHT + "return bright;", ben.selector("picture-0"))
    anna.run("delete globalThis.MediaStreamTrackProcessor")
    anna.click("more")
    anna.click("more-beauty")
    anna.click("beauty-on")
    is_mode(anna, "canvas")
    set_level(anna, "whiten", 9)
    ben.wait("a lighter picture", LIGHTER, ben.selector("picture-0"), plain)
    sees_picture(ben, "picture-0")
    anna.click("beauty-on")
    is_mode(anna, "off")
    ben.wait("the plain picture", PLAIN, ben.selector("picture-0"), plain)
    anna.run(NO_WORD_OF_FRAMES)
    anna.click("beauty-on")
    is_mode(anna, "canvas")
    sees_picture(anna, "beauty-video")
    ben.wait("a lighter picture", LIGHTER, ben.selector("picture-0"), plain)
    anna.click("beauty-on")
    is_mode(anna, "off")
    assert anna.run("return document.querySelector('.behind-the-page') === null"), "nothing is left behind the page"
    # A video that runs and gives the canvas nothing.
    anna.run("Object.defineProperty(HTMLVideoElement.prototype, 'videoWidth', { get: () => 0 })")
    anna.click("beauty-on")
    is_mode(anna, "failed")
    anna.sees("problem", "nobody sees your camera")
    sees_no_picture(ben, "picture-0")


@story("L13-W who has chosen beauty is not seen without it where the browser cannot draw it, and is told so")
def test_beauty_failed(people):
    # Firefox has no WebGL where there is no screen.
    fox, ben = people("Fox", browser="firefox"), people("Ben")
    room = go_live(fox)
    sign_in(ben, f"/r/{room}")
    sees_picture(ben, "picture-0")
    fox.click("more")
    fox.click("more-beauty")
    fox.click("beauty-on")
    is_mode(fox, "failed")
    fox.sees("problem", "nobody sees your camera")
    sees_no_picture(ben, "picture-0")
    fox.click("beauty-on")
    is_mode(fox, "off")
    sees_picture(ben, "picture-0")
