"""Draws what a camera would see, for the pictures of the documentation: a person in a room, as a y4m file that Chromium plays in place of
its test card. Shapes are signed distances, so that every edge is smooth; nothing is loaded from anywhere.

    python Tests/EndToEnd/scene.py nora scene.y4m      or leo"""

import sys

import numpy as np

WIDTH, HEIGHT, RATE, FRAMES = 1280, 720, 10, 20


class Canvas:
    """x from -1.78 to 1.78, y from -1 (above) to 1."""

    def __init__(self):
        y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
        self.x = (x + 0.5 - WIDTH / 2) / (HEIGHT / 2)
        self.y = (y + 0.5 - HEIGHT / 2) / (HEIGHT / 2)
        self.pixels = np.zeros((HEIGHT, WIDTH, 3), np.float32)

    def fill(self, distance, colour, soft=0.004, opacity=1.0):
        """Paints where the distance is below 0; `soft` is how far an edge reaches. A colour may be three numbers or an image."""
        share = np.clip(0.5 - distance / soft, 0, 1)[..., None] * opacity
        self.pixels = self.pixels * (1 - share) + np.asarray(colour, np.float32) * share

    def glow(self, x, y, radius, colour, strength):
        near = np.exp(-((self.x - x) ** 2 + (self.y - y) ** 2) / radius**2)[..., None]
        self.pixels = self.pixels + near * np.asarray(colour, np.float32) * strength

    def ellipse(self, x, y, wide, high, turn=0.0):
        c, s = np.cos(turn), np.sin(turn)
        u, v = (self.x - x) * c + (self.y - y) * s, (self.y - y) * c - (self.x - x) * s
        return (np.sqrt((u / wide) ** 2 + (v / high) ** 2) - 1) * min(wide, high)

    def box(self, x, y, wide, high, round_=0.02):
        u, v = np.abs(self.x - x) - wide + round_, np.abs(self.y - y) - high + round_
        return np.hypot(np.maximum(u, 0), np.maximum(v, 0)) + np.minimum(np.maximum(u, v), 0) - round_

    def line(self, x0, y0, x1, y1, thick):
        along = np.clip(((self.x - x0) * (x1 - x0) + (self.y - y0) * (y1 - y0)) / ((x1 - x0) ** 2 + (y1 - y0) ** 2), 0, 1)
        return np.hypot(self.x - x0 - along * (x1 - x0), self.y - y0 - along * (y1 - y0)) - thick

    def shade(self, above, below, start=-1.0, end=1.0):
        """A colour that changes from `above` to `below`."""
        part = np.clip((self.y - start) / (end - start), 0, 1)[..., None]
        return np.asarray(above, np.float32) * (1 - part) + np.asarray(below, np.float32) * part


def kitchen(c, wall_above, wall_below, evening):
    """A wall, a window, shelves with things on them, a lamp."""
    c.pixels = c.shade(wall_above, wall_below).copy()
    c.fill(c.box(-1.12, -0.34, 0.42, 0.5, 0.03), (0.32, 0.24, 0.2))
    c.fill(c.box(-1.12, -0.34, 0.385, 0.465, 0.02), c.shade(evening[0], evening[1], -0.8, 0.15))
    for x, y, size in ((-1.33, 0.02, 0.2), (-1.05, 0.06, 0.16), (-0.86, 0.0, 0.18)):
        c.fill(np.maximum(c.ellipse(x, y + 0.06, size, size * 0.7), c.box(-1.12, -0.34, 0.385, 0.465, 0.02)), (0.16, 0.2, 0.3), 0.02)
    c.fill(c.line(-1.12, -0.8, -1.12, 0.12, 0.012), (0.32, 0.24, 0.2))
    c.fill(c.line(-1.5, -0.36, -0.74, -0.36, 0.012), (0.32, 0.24, 0.2))
    for y in (-0.42, 0.06):
        c.fill(c.box(1.16, y + 0.035, 0.46, 0.05, 0.01), (0, 0, 0), 0.09, 0.25)
        c.fill(c.box(1.16, y, 0.46, 0.024, 0.008), (0.5, 0.34, 0.22))
    things = (
        (0.84, -0.53, 0.075, 0.09, (0.85, 0.5, 0.3)), (1.04, -0.515, 0.06, 0.075, (0.9, 0.87, 0.8)), (1.21, -0.55, 0.05, 0.11, (0.3, 0.45, 0.5)),
        (0.82, -0.03, 0.06, 0.07, (0.55, 0.62, 0.45)), (1.0, -0.05, 0.05, 0.09, (0.86, 0.8, 0.7)), (1.15, -0.03, 0.07, 0.07, (0.7, 0.35, 0.3)),
    )
    for x, y, wide, high, colour in things:
        c.fill(c.box(x, y, wide, high, 0.03), colour)
        c.fill(c.box(x - wide * 0.55, y, wide * 0.18, high * 0.7, 0.01), (1, 1, 1), 0.03, 0.25)
    # A plant.
    for turn, reach in ((-0.9, 0.2), (-0.45, 0.26), (0.0, 0.29), (0.5, 0.25), (0.95, 0.19)):
        c.fill(c.ellipse(1.46 + np.sin(turn) * reach * 0.6, -0.14 - np.cos(turn) * reach * 0.6, 0.045, reach * 0.55, turn), (0.26, 0.45, 0.3))
    c.fill(c.box(1.46, -0.05, 0.085, 0.075, 0.02), (0.8, 0.55, 0.4))


def lamp(c, x):
    c.glow(x, -0.62, 0.75, (0.5, 0.34, 0.14), 0.55)
    c.fill(c.line(x, -1.1, x, -0.82, 0.008), (0.15, 0.13, 0.12))
    c.fill(np.maximum(c.ellipse(x, -0.68, 0.19, 0.16), c.y + 0.68), (0.2, 0.18, 0.18))
    c.fill(c.ellipse(x, -0.68, 0.17, 0.03), (1.0, 0.9, 0.65), 0.012)


def person(c, at, look, speaks):
    """Head and shoulders, a little to each side as people move; `speaks` from 0 to 1 opens the mouth."""
    sway, nod = 0.018 * np.sin(at), 0.012 * np.sin(2 * at + 0.6)
    x, y = sway, -0.1 + nod
    skin, dark = np.array(look["skin"]), np.array(look["skin"]) * 0.8
    hair = look["hair"]
    body = look["body"]
    c.fill(c.box(x * 0.4 + 0.05, 0.94, 0.86, 0.5, 0.34), (0, 0, 0), 0.22, 0.3)
    if look.get("long"):
        c.fill(c.ellipse(x, y + 0.14, 0.4, 0.56), np.array(hair) * 0.75, 0.006)
    c.fill(c.box(x * 0.4, 0.98, 0.76, 0.5, 0.36), c.shade(body, np.array(body) * 0.7, 0.42, 1.0))
    c.fill(c.box(x * 0.7, 0.4, 0.135, 0.2, 0.09), dark)
    c.fill(c.ellipse(x * 0.5, 0.52, 0.2, 0.1), skin)
    if look.get("apron"):
        c.fill(c.box(x * 0.4, 1.04, 0.36, 0.36, 0.06), look["apron"])
        for side in (-1, 1):
            c.fill(c.line(x * 0.4 + side * 0.3, 0.74, x * 0.5 + side * 0.17, 0.48, 0.024), look["apron"])
    for side in (-1, 1):
        c.fill(c.ellipse(x + side * 0.315, y + 0.04, 0.05, 0.085), dark)
    face = c.ellipse(x, y, 0.31, 0.41)
    c.fill(face, c.shade(skin * 1.04, skin * 0.92, y - 0.4, y + 0.45))
    for side in (-1, 1):
        c.fill(c.ellipse(x + side * 0.18, y + 0.13, 0.09, 0.06), (0.95, 0.45, 0.4), 0.09, 0.22)
    if look.get("beard"):
        c.fill(np.maximum(face - 0.004, -c.ellipse(x, y - 0.1, 0.36, 0.31)), hair, 0.02)
        c.fill(c.ellipse(x, y + 0.13, 0.12, 0.035), hair, 0.02)
    blink = 0.12 if abs(np.sin(at / 2 - 0.8)) > 0.995 else 1.0
    for side in (-1, 1):
        eye = x + side * 0.125
        c.fill(c.ellipse(eye, y - 0.03, 0.052, 0.034 * blink), (0.98, 0.97, 0.95))
        c.fill(c.ellipse(eye + 0.012 * np.sin(at), y - 0.03, 0.027, 0.03 * blink), look["eyes"])
        c.fill(c.ellipse(eye + 0.012 * np.sin(at) + 0.008, y - 0.04, 0.008, 0.008 * blink), (1, 1, 1))
        brow = np.abs(c.ellipse(eye, y - 0.068, 0.068, 0.05)) - 0.009
        c.fill(np.maximum(brow, c.y - y + 0.085), np.array(hair) * 0.8, 0.008)
    c.fill(c.line(x + 0.005, y - 0.0, x + 0.018, y + 0.085, 0.006), dark, 0.02)
    c.fill(c.line(x - 0.012, y + 0.1, x + 0.03, y + 0.1, 0.008), dark, 0.02)
    mouth = 0.035 + 0.05 * speaks
    for grown, colour in ((0.014, (0.74, 0.32, 0.32)), (0.0, (0.35, 0.1, 0.12))):
        c.fill(np.maximum(c.ellipse(x, y + 0.17, 0.095 + grown, mouth + grown), y + 0.17 - grown * 0.6 - c.y), colour, 0.008)
    c.fill(np.maximum(c.ellipse(x, y + 0.17, 0.085, mouth), np.maximum(y + 0.17 - c.y, c.y - y - 0.17 - mouth * 0.45)), (0.97, 0.95, 0.92), 0.008)
    top = c.ellipse(x, y - 0.09, 0.345, 0.38)
    fringe = c.ellipse(x + look["part"], y + 0.13, 0.37, 0.37)
    c.fill(np.maximum(top, -fringe), c.shade(np.array(hair) * 1.25, hair, y - 0.5, y), 0.006)
    if look.get("headphones"):
        arc = np.abs(c.ellipse(x, y - 0.05, 0.365, 0.42)) - 0.02
        c.fill(np.maximum(arc, c.y - y), (0.13, 0.13, 0.15))
        for side in (-1, 1):
            c.fill(c.box(x + side * 0.355, y + 0.03, 0.05, 0.115, 0.045), (0.13, 0.13, 0.15))
            c.fill(c.box(x + side * 0.375, y + 0.03, 0.014, 0.07, 0.012), look["headphones"])


def microphone(c):
    c.fill(c.line(0.62, 1.05, 0.3, 0.62, 0.018), (0.1, 0.1, 0.11))
    c.fill(c.line(0.33, 0.66, 0.25, 0.52, 0.055), (0.12, 0.12, 0.13))
    c.fill(c.ellipse(0.235, 0.5, 0.075, 0.085, 0.5), c.shade((0.55, 0.55, 0.58), (0.25, 0.25, 0.28), 0.42, 0.58))


def pot(c, at):
    for k in range(3):
        way = (at / (2 * np.pi) + k / 3) % 1
        c.fill(c.ellipse(-0.86 + 0.05 * np.sin(at + k), 0.5 - 0.5 * way, 0.05 + 0.09 * way, 0.09 + 0.1 * way), (0.95, 0.95, 0.95), 0.16, 0.28 * (1 - way))
    c.fill(c.box(0, 0.99, 2.0, 0.1, 0.01), (0.45, 0.32, 0.22))
    c.fill(c.box(-0.86, 0.76, 0.27, 0.17, 0.05), c.shade((0.75, 0.24, 0.18), (0.5, 0.14, 0.12), 0.6, 0.95))
    c.fill(c.ellipse(-0.86, 0.6, 0.27, 0.045), (0.35, 0.1, 0.08))
    c.fill(c.ellipse(-0.86, 0.605, 0.24, 0.032), (0.93, 0.62, 0.25))
    for side in (-1, 1):
        c.fill(c.box(-0.86 + side * 0.3, 0.7, 0.05, 0.025, 0.02), (0.4, 0.12, 0.1))
    spoon = 0.05 * np.sin(at)
    c.fill(c.line(-0.86 + spoon, 0.6, -0.62 + spoon, 0.28, 0.018), (0.72, 0.52, 0.33))


NORA = {"skin": (0.93, 0.74, 0.62), "hair": (0.26, 0.15, 0.11), "body": (0.82, 0.42, 0.28), "eyes": (0.25, 0.35, 0.3), "part": 0.1, "long": True,
        "headphones": (0.98, 0.66, 0.3)}
LEO = {"skin": (0.76, 0.55, 0.42), "hair": (0.12, 0.09, 0.08), "body": (0.88, 0.88, 0.86), "eyes": (0.2, 0.13, 0.08), "part": -0.08, "beard": True,
       "apron": (0.2, 0.36, 0.42)}


def frame(who, number):
    at = 2 * np.pi * number / FRAMES
    speaks = abs(np.sin(3 * at)) * (0.5 + 0.5 * np.sin(at))
    c = Canvas()
    if who == "nora":
        kitchen(c, (0.5, 0.36, 0.3), (0.3, 0.2, 0.19), ((0.2, 0.24, 0.45), (0.85, 0.5, 0.4)))
        lamp(c, 0.56)
        person(c, at, NORA, speaks)
        microphone(c)
    else:
        kitchen(c, (0.55, 0.66, 0.64), (0.36, 0.46, 0.46), ((0.62, 0.78, 0.9), (0.95, 0.88, 0.75)))
        lamp(c, -0.45)
        person(c, at, LEO, speaks)
        pot(c, at)
    # Darker towards the corners, as lenses are.
    return c.pixels * (1 - 0.12 * np.clip((c.x / 1.78) ** 2 + c.y**2 - 0.5, 0, 1.5))[..., None]


def planes(image):
    """BT.601, limited range, 4:2:0."""
    r, g, b = (np.clip(image, 0, 1) * 255).transpose(2, 0, 1)
    luma = 16 + (65.481 * r + 128.553 * g + 24.966 * b) / 255
    blue, red = 128 + (-37.797 * r - 74.203 * g + 112 * b) / 255, 128 + (112 * r - 93.786 * g - 18.214 * b) / 255
    quarter = [plane.reshape(HEIGHT // 2, 2, WIDTH // 2, 2).mean((1, 3)) for plane in (blue, red)]
    return b"".join(np.rint(plane).astype(np.uint8).tobytes() for plane in (luma, *quarter))


def write(who, path):
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{RATE}:1 Ip A1:1 C420jpeg\n".encode())
        for number in range(FRAMES):
            file.write(b"FRAME\n" + planes(frame(who, number)))
    return path


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2])
