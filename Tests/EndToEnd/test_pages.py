"""Languages, keyboard, sizes: what holds on every page."""

from selenium.webdriver.common.keys import Keys

from browsers import Chromium
from client import Client, ticket
from elsewhere import Site
from server import Server
from steps import go_in, live, microphone_is, reads, sign_in
from story import story

OVERFLOW = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


@story("R07-W A09-W the browser's language is taken up, also where an address is mistyped, from where there is a way to the lobby; Korean, Chinese "
       "and English can be chosen without a reload")
def test_languages(people):
    person = people("지민", language="ko")
    person.open("/rom/48213")
    person.sees("missing", "페이지를 찾을 수 없어요")
    person.sees_no("[lang=en]", "There is no such page")
    assert person.run(OVERFLOW) <= 0
    person.click("section:lang(ko) a")
    person.sees_no("missing")
    sign_in(person)
    person.sees("create-room-empty", "만들기")
    assert person.run("return document.documentElement.lang") == "ko"
    seen = {person.text("create-room-empty").strip()}
    for language in ("zh-Hans", "en"):
        person.click("open-settings")
        person.run(
            "const e = document.querySelector(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('change', {bubbles: true}));",
            person.selector("setting-language"), language)
        person.click("sheet-close")
        person.wait(language, "return document.documentElement.lang === arguments[0]", language)
        seen.add(person.text("create-room-empty").strip())
    assert len(seen) == 3, seen


# What has the focus, and whether a person sees that it has: it lies within the window, and has the colour of the focus around it, or
# around the field that it is part of.
FOCUS = """
const e = document.activeElement;
if (e === document.body) return { testid: '', seen: true };
const probe = document.createElement('i');
probe.style.color = 'var(--spot)';
document.body.append(probe);
const { color } = getComputedStyle(probe);
probe.remove();
const isLit = element => {
  const style = getComputedStyle(element);
  return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 && style.outlineColor === color
    || style.boxShadow.includes(color);
};
const box = e.getBoundingClientRect();
const inside = box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
return { testid: e.dataset.testid ?? e.outerHTML.slice(0, 80), seen: inside && [e, e.parentElement].some(isLit) };
"""


HEADING = "return document.activeElement === document.querySelector('#app h1')"


class Hands:
    """Somebody without a mouse."""

    def __init__(self, person):
        self.person = person
        self.reached = set()

    def tab(self):
        self.person.keys(Keys.TAB)
        focus = self.person.run(FOCUS)
        assert focus["seen"], f"{focus['testid']} has the focus, and nothing shows it"
        self.reached.add(focus["testid"])
        return focus["testid"]

    def goes_to(self, where):
        self.person.sees(where)
        if self.person.run(FOCUS)["testid"] == where:
            return
        passed = []
        while (testid := self.tab()) != where:
            passed.append(testid)
            assert len(passed) < 80, f"{where} is not reached by Tab: {passed}"

    def presses(self, where, key=Keys.ENTER):
        self.goes_to(where)
        self.person.keys(key)

    def writes(self, where, text):
        self.goes_to(where)
        self.person.keys(text, Keys.ENTER)


@story("R07-W by keyboard alone one signs in, makes a room, sits, speaks, writes and leaves; the focus is seen wherever it is")
def test_keyboard(people):
    person = people("Keys")
    hands = Hands(person)
    person.open()
    hands.writes("sign-in-name", "Keys")
    person.sees("lobby")
    assert person.run(HEADING), "after signing in the focus is not on the page's heading"
    hands.presses("create-room-empty")
    hands.writes("create-name", "By hand")
    person.sees("salon")
    live(person)
    # Past the seats to what is pressed most; its key stands beside it.
    assert hands.tab() == "skip"
    person.keys(Keys.ENTER)
    assert person.run(FOCUS)["testid"] == "microphone"
    person.sees('[data-testid="microphone"] kbd', "M")
    hands.presses("seat-0")
    hands.presses("stand")
    microphone_is(person, "listener")
    hands.presses("seat-0")
    hands.presses("seat-sit")
    person.wait("the microphone or its announcement", "return document.querySelector(arguments[0]) || document.querySelector(arguments[1])",
                person.selector("microphone-continue"), '[data-testid="microphone"][data-mic="live"]')
    if person.run("return !!document.querySelector(arguments[0])", person.selector("microphone-continue")):
        hands.presses("microphone-continue")
    live(person)
    person.run("document.activeElement.blur()")
    person.keys("m")
    microphone_is(person, "mutedByMe")
    hands.presses("microphone", Keys.SPACE)
    live(person)
    hands.writes("chat-input", "without a mouse")
    reads(person, "without a mouse")
    hands.presses("more")
    person.sees("more-sheet")
    person.keys(Keys.ESCAPE)
    person.sees_no("more-sheet")
    assert person.run(FOCUS)["testid"] == "more", "the focus went astray"
    hands.presses("gifts")
    hands.goes_to("gift-ranking")
    person.keys(Keys.ESCAPE)
    person.sees_no("gift-tray")
    assert person.run(FOCUS)["testid"] == "gifts", "the focus did not go back to what opened the tray"
    for _ in range(60):
        hands.tab()
    wanted = {"microphone", "hand", "like", "leave", "chat-input", "seat-0", "seat-3", "more", "show-id"}
    assert wanted <= hands.reached, f"not reached by Tab: {wanted - hands.reached}"
    hands.presses("leave")
    person.wait("the lobby, or a question before it", "return document.querySelector(arguments[0]) || document.querySelector(arguments[1])",
                person.selector("ask-yes"), person.selector("lobby"))
    if person.run("return !!document.querySelector(arguments[0])", person.selector("ask-yes")):
        hands.presses("ask-yes")
    person.sees("lobby")


@story("R07-W no page is wider than the window at 360 px, with sixteen seats and names of forty characters")
def test_narrow(people, server):
    long_name = "가나다라마바사아자차카타파하" * 3
    crowd = [Client(server, ticket(server, (long_name + str(n))[-40:])) for n in range(8)]
    room = crowd[0].call("room.create", name=long_name[:40], seats=16)["room"]
    for seat, client in enumerate(crowd):
        if seat:
            client.call("room.enter", room=room)
        client.call("seat.take", room=room, seat=seat)
        client.call("message.send", room=room, text="한" * 300)
    person = people("Narrow", width=360, height=640)
    sign_in(person)
    person.sees("room-card")
    assert person.run(OVERFLOW) <= 0, "the lobby is wider than the window"
    person.open(f"/r/{room}")
    go_in(person)
    assert person.run(OVERFLOW) <= 0, "the salon is wider than the window"
    off = person.run("""
        return [...document.querySelectorAll('[data-testid^="seat-"]')].filter((e) => {
          const box = e.getBoundingClientRect();
          return box.left < 0 || box.right > innerWidth;
        }).map((e) => e.dataset.testid)""")
    assert not off, f"seats beyond the edge: {off}"
    for client in crowd:
        client.close()


@story("R05-W pictures of sites that the operator has not named are not asked for: the others see a cover and an avatar all the same")
def test_pictures_elsewhere(tmp_path):
    picture = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="red"/></svg>'
    with Site(picture, kind="image/svg+xml") as named, Site(picture, kind="image/svg+xml") as stranger:
        with Server(tmp_path / "data", "--origins-pictures", named.url) as server:
            host = Client(server, ticket(server, "Hana"))
            host.call("profile.set", avatar=stranger.url + "/me.svg")
            room = host.call("room.create", name="Elsewhere", seats=2, cover=stranger.url + "/cover.svg")["room"]
            host.call("seat.take", room=room, seat=0)
            friend = Client(server, ticket(server, "Fina"))
            friend.call("profile.set", avatar=named.url + "/me.svg")
            friend.call("room.enter", room=room)
            friend.call("seat.take", room=room, seat=1)
            anna = Chromium("Anna", server, tmp_path / "anna")
            try:
                sign_in(anna)
                anna.sees("ov-cover[generated]")
                anna.open(f"/r/{room}")
                go_in(anna)
                anna.sees('[data-testid="seat-1"] ov-avatar img:not([data-stand-in])')
                anna.sees('[data-testid="seat-0"] ov-avatar img[data-stand-in]')
                assert stranger.asked == 0 and named.asked > 0
                assert not anna.complaints()
            finally:
                anna.close()
            ben = Chromium("Ben", server, tmp_path / "ben")
            try:
                sign_in(ben)
                ben.click("open-profile")
                ben.click("profile-address")
                ben.type("profile-avatar", stranger.url + "/b.svg")
                ben.sees("avatar-elsewhere")
                ben.sees(".profile-head ov-avatar img[data-stand-in]")
                ben.type("profile-avatar", named.url + "/b.svg")
                ben.sees_no("avatar-elsewhere")
                ben.sees(".profile-head ov-avatar img:not([data-stand-in])")
                assert stranger.asked == 0 and not ben.complaints()
            finally:
                ben.close()


# The worker that shows the page has the files that it needs.
KEPT = "const done = arguments[0]; navigator.serviceWorker.ready.then(({ active }) => done(active.state))"


@story("R12-W without a connection a page in the reader's language and theme stands in for any other, and goes when there is one; the app can be "
       "put on a home screen, and nothing of it or of a room is kept")
def test_offline(people, server):
    person = people("지민", language="ko", width=390, height=844, dark=False)
    sign_in(person)
    person.sees("create-room-empty", "만들기")
    assert person.run_async(KEPT) == "activated"
    manifest = person.run_async(
        "const done = arguments[0]; fetch(document.querySelector('link[rel=manifest]').href).then(r => r.json()).then(done)")
    assert manifest["display"] == "standalone" and manifest["start_url"] == "/"
    sizes = "const done = arguments[1], i = new Image(); i.onload = () => done(`${i.naturalWidth}x${i.naturalHeight}`); i.onerror = () => done(''); i.src = arguments[0]"
    assert [person.run_async(sizes, icon["src"]) for icon in manifest["icons"]] == [icon["sizes"] for icon in manifest["icons"]]
    assert person.run_async(sizes, person.attribute("link[rel=apple-touch-icon]", "href")) == "180x180"
    server.stop()
    person.open("/r/48213")
    person.sees("offline", "연결되지 않았어요")
    person.sees_no("[lang=en]", "No connection")
    assert person.run("return document.documentElement.dataset.theme") == "light" and person.run(OVERFLOW) <= 0
    kept = person.run_async("""const done = arguments[0];
        caches.keys().then(names => Promise.all(names.map(async name => (await (await caches.open(name)).keys()).map(r => new URL(r.url).pathname))))
          .then(all => done(all.flat()))""")
    assert sorted(kept) == ["/offline/", "/offline/offline.css", "/offline/offline.js"], kept
    person.click("section:lang(ko) button")
    person.sees("offline", "연결되지 않았어요")
    server.start()
    person.sees("message-page")
    person.sees_no("offline")
    # A part of the app that does not come, as after an update of the server: told, and the page begins anew.
    person.driver.execute_cdp_cmd("Network.enable", {})
    person.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/lobby.js", "*/lobby-*.js"]})
    person.open("/")
    person.sees('[data-testid="message-page"][data-kind="server_unreachable"]')
    person.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    person.click("retry")
    person.sees("lobby")
