"""What people look like to each other: the faces that come with the app, and pictures of their own."""

import struct
import time
import urllib.error
import urllib.request

import av
import numpy
from selenium.webdriver.common.keys import Keys
from browsers import PATIENCE
from steps import create_salon, enter_salon, go_in, open_salon, reads, say, sign_in, sit, start_room
from story import story

# A picture has come, and this is what it is: the address, its size, and the colours at places of it from 0 to 1.
SEEN = """
const [where, places, done] = arguments, image = document.querySelector(where);
if (!image?.complete || !image.naturalWidth) return done(null);
const canvas = Object.assign(document.createElement('canvas'), { width: image.naturalWidth, height: image.naturalHeight });
const pen = canvas.getContext('2d');
pen.drawImage(image, 0, 0);
done({
  address: new URL(image.src).pathname, width: canvas.width, height: canvas.height,
  colours: places.map(([x, y]) => [...pen.getImageData(x * (canvas.width - 1), y * (canvas.height - 1), 1, 1).data.slice(0, 3)]),
});
"""
RED, GREEN, BLUE = (200, 30, 30), (30, 160, 60), (30, 60, 200)


def face(person, where):
    """The file of the face that is shown there, once it has come."""
    where = f'{where} ov-avatar img'
    person.wait(f"the face at {where}", "const i = document.querySelector(arguments[0]); return !!i?.complete && i.naturalWidth > 0", where)
    return person.attribute(where, "src").rsplit("/", 1)[-1]


def looks(person, where, *places):
    """What a picture shows, once it has come."""
    person.wait(f"the picture at {where}", "const i = document.querySelector(arguments[0]); return !!i?.complete && i.naturalWidth > 0", where)
    return person.run_async(SEEN, where, places)


def alike(colour, other):
    """As far as a JPEG keeps colours."""
    return max(abs(a - b) for a, b in zip(colour, other, strict=True)) < 40


def photo(path, stripes, width, height, turned=False):
    """Writes a JPEG of stripes side by side; `turned` says that whoever took it held the camera on its side, so that the first is on top."""
    picture = numpy.zeros((height, width, 3), numpy.uint8)
    for at, colour in enumerate(stripes):
        picture[:, at * width // len(stripes):(at + 1) * width // len(stripes)] = colour
    with av.open(str(path), "w", format="mjpeg") as file:
        stream = file.add_stream("mjpeg", rate=1)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuvj444p"
        file.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuvj444p")))
        file.mux(stream.encode(None))
    if turned:
        # Exif: one entry, the orientation (0x0112) is 6.
        exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01" + struct.pack(">HHIHH", 0x0112, 3, 1, 6, 0) + b"\0\0\0\0"
        data = path.read_bytes()
        path.write_bytes(data[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + data[2:])
    return path


def give(person, field, path):
    person.driver.find_element("css selector", person.selector(field)).send_keys(str(path))


@story("A13-W whoever has no picture has the same built-in face in the list, on the seat, in the chat, among the people and on their card; one that "
       "is chosen before signing in, and another one later, is what the others see")
def test_built_in_faces(people):
    anna, ben = people("Anna"), people("Ben")
    room = create_salon(anna, "Faces")
    sit(anna, 1)
    own = face(anna, '[data-testid="seat-1"]')
    ben.open(f"/r/{room}")
    ben.click("choose-face")
    ben.click('[data-testid="face-choice"][aria-label="Owl"]')
    ben.sees_no("faces-sheet")
    ben.type("sign-in-name", "Ben")
    ben.click("sign-in-submit")
    ben.sees("green-room-title", "Faces")
    assert face(ben, ".green-room-host") == own and face(ben, ".green-room-face") == "2.svg"
    go_in(ben)
    assert face(ben, '[data-testid="seat-1"]') == own
    say(anna, "hello")
    reads(ben, "hello")
    assert face(ben, '[data-testid="chat-line"]') == own
    ben.click("seat-1")
    assert face(ben, '[data-testid="person-sheet"]') == own
    ben.click('[data-testid="person-sheet"] [data-testid="sheet-close"]')
    assert face(anna, '[data-testid="listener"]') == "2.svg"
    carla = sign_in(people("Carla"))
    assert face(carla, '[data-testid="room-card"]') == own
    carla.click("open-profile")
    carla.click("change-face")
    carla.click('[data-testid="face-choice"][aria-label="Lion"]')
    carla.sees_no("faces-sheet")
    carla.sees('[data-testid="open-profile"] ov-avatar img[src$="/avatars/11.svg"]')
    carla.driver.refresh()
    assert face(carla, '[data-testid="open-profile"]') == "11.svg"


@story("A13-W an own picture is upright, cropped by the keyboard and seen by the others at once; a file that is none is refused in words, and going "
       "back to a built-in face removes it from the server")
def test_own_face(people, server, tmp_path):
    anna = sign_in(people("Anna"))
    wrong = tmp_path / "notes.jpg"
    wrong.write_text("no picture")
    anna.click("open-profile")
    anna.click("change-face")
    anna.sees("faces-sheet")
    give(anna, "face-file", wrong)
    anna.sees("problem", "Choose a JPEG, PNG or WebP")
    # Red on top, as it was seen; stored as red on the left. Twice as high as it is wide.
    give(anna, "face-file", photo(tmp_path / "me.jpg", [RED, GREEN, GREEN, BLUE], 800, 400, turned=True))
    anna.sees("crop-sheet")
    # To the upper edge, where arrow keys stop.
    crop = anna.driver.find_element("css selector", anna.selector("crop"))
    crop.send_keys(Keys.ARROW_DOWN * 30)
    anna.click("crop-use")
    anna.sees_no("crop-sheet")
    anna.sees('.profile-head ov-avatar img[src*="/faces/"]')
    seen = looks(anna, ".profile-head ov-avatar img", (0.5, 0.2), (0.5, 0.8))
    assert seen["width"] == seen["height"]
    assert alike(seen["colours"][0], RED) and alike(seen["colours"][1], GREEN), seen
    anna.click('[data-testid="profile-sheet"] [data-testid="sheet-close"]')
    room = open_salon(anna, "Faces")
    sit(anna, 1)
    ben = enter_salon(people("Ben"), room)
    ben.sees('[data-testid="seat-1"] ov-avatar img[src*="/faces/"]')
    assert looks(ben, '[data-testid="seat-1"] ov-avatar img')["address"] == seen["address"]
    anna.open("/")
    anna.click("held-leave")
    anna.click("open-profile")
    anna.click("change-face")
    anna.click('[data-testid="face-choice"][aria-label="Fox"]')
    anna.sees_no("faces-sheet")
    anna.sees('[data-testid="open-profile"] ov-avatar img[src$="/avatars/1.svg"]')
    assert gone(server, seen["address"])


@story("A13-W a picture that was chosen before signing in is worn after it, and a room's cover of one's own is in the list, until the room gets another")
def test_own_cover(people, server, tmp_path):
    anna = people("Anna")
    picture = photo(tmp_path / "wide.jpg", [RED, BLUE], 1600, 900)
    anna.open()
    anna.click("choose-face")
    anna.sees("faces-sheet")
    give(anna, "face-file", picture)
    anna.click("crop-use")
    anna.sees_no("faces-sheet")
    anna.type("sign-in-name", "Anna")
    anna.click("sign-in-submit")
    anna.sees('[data-testid="open-profile"] ov-avatar img[src*="/faces/"]')
    start_room(anna)
    anna.sees("create-sheet")
    give(anna, "cover-file", picture)
    anna.click("crop-use")
    anna.sees_no("crop-sheet")
    anna.sees('[data-testid="cover-own"][aria-pressed="true"] img')
    unused = looks(anna, '[data-testid="cover-own"] img')["address"]
    give(anna, "cover-file", picture)
    anna.click("crop-use")
    anna.sees_no("crop-sheet")
    anna.type("create-name", "With a cover")
    anna.click("create-submit")
    anna.sees("salon")
    ben = sign_in(people("Ben"))
    cover = looks(ben, '[data-testid="room-card"] ov-cover img', (0.1, 0.5), (0.9, 0.5))
    assert round(cover["width"] / cover["height"], 1) == 1.8
    assert alike(cover["colours"][0], RED) and alike(cover["colours"][1], BLUE), cover
    assert cover["address"] != unused and gone(server, unused), "what the form sent and the room does not show is taken back"
    anna.click("more")
    anna.click("more-edit")
    anna.click('[data-testid="cover-choice"][aria-label="Moon"]')
    anna.click("room-save")
    anna.sees_no("room-sheet")
    ben.sees('[data-testid="room-card"] ov-cover img[src$="/covers/moon.svg"]')
    assert gone(server, cover["address"])


def gone(server, address):
    """Whether a picture has been removed: the page asks for that after it has shown the change."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(server.url + address, timeout=10).close()
        except urllib.error.HTTPError as refused:
            return refused.code == 404
        time.sleep(0.05)
    return False
