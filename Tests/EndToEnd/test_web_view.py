"""The page in a browser that was made as poor as a web view on a phone may be."""

from browsers import Chromium
from server import Server
from steps import create_salon, enter_salon, go_in, live, person_sheet, sit, speaking
from story import story
from test_tickets import own_application

# What WebKit lacks or a web view may refuse, gone before the page's first line. Volumes of media elements are the device's there.
POOR = """
delete HTMLMediaElement.prototype.setSinkId; delete HTMLMediaElement.prototype.sinkId; delete AudioContext.prototype.setSinkId;
delete RTCRtpReceiver.prototype.jitterBufferTarget; delete RTCRtpReceiver.prototype.playoutDelayHint;
delete AudioContext.prototype.outputLatency;
delete HTMLElement.prototype.showPopover; delete HTMLElement.prototype.hidePopover; delete HTMLElement.prototype.togglePopover;
for (const name of ['share', 'permissions', 'connection', 'wakeLock', 'vibrate', 'userActivation', 'setAppBadge']) delete Navigator.prototype[name];
for (const name of ['BroadcastChannel', 'requestIdleCallback', 'MediaStreamTrackProcessor', 'scheduler']) delete window[name];
Object.defineProperty(HTMLMediaElement.prototype, 'volume', { get: () => 1, set() {} });
window.__soundBefore = [];
const play = HTMLMediaElement.prototype.play;
HTMLMediaElement.prototype.play = function () { window.__soundBefore.push(this.hasAttribute('playsinline')); return play.call(this); };
"""
GESTURE = ("--autoplay-policy=document-user-activation-required",)


def web_view(person):
    person.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": POOR})
    return person


# An iPhone's keyboard: it covers the page and pushes it up a little, and only the visual viewport tells.
KEYBOARD = """
Object.defineProperties(visualViewport, { height: { value: innerHeight - 336, configurable: true }, offsetTop: { value: 40, configurable: true } });
visualViewport.dispatchEvent(new Event('resize'));
"""
# Where the field that somebody writes in lies, and the room around it.
WRITING = """
const box = where => document.querySelector(where).getBoundingClientRect();
return [box('[data-testid=chat-input]').bottom <= innerHeight - 336 + 40, Math.round(box('.salon').height), innerHeight - 336];
"""


@story("X04-W L21-W in a page as poor as a web view one enters by a tap, hears the others, sits down and is heard; sound plays inline, no slider "
       "is shown for a volume that is the device's, and the keyboard does not cover what one writes")
def test_web_view(people):
    host = people("Host", tone_hertz=440)
    phone = web_view(people("Phone", tone_hertz=660, width=390, height=844, flags=GESTURE))
    room = create_salon(host)
    sit(host, 0)
    live(host)
    enter_salon(phone, room)
    assert phone.run("return !('setSinkId' in HTMLMediaElement.prototype) && !('BroadcastChannel' in window) && !navigator.permissions")
    phone.hears_tone(440)
    assert phone.run("return [...document.querySelectorAll('audio')].every(e => !e.srcObject || !e.paused)")
    sit(phone, 1)
    host.hears_tone(660)
    speaking(phone, 0)
    inline = phone.run("return window.__soundBefore")
    assert inline and all(inline), "an element without playsinline"
    person_sheet(phone, 0)
    phone.sees("mute-for-me")
    phone.sees_no("person-volume")
    phone.click("sheet-close")
    phone.click("toggle-chat")
    phone.click("chat-input")
    phone.run(KEYBOARD)
    phone.wait("the field above the keyboard", "return (function () {" + WRITING + "})()[0]")
    _, room_height, left = phone.run(WRITING)
    assert room_height == left
    phone.run("document.activeElement.blur()")
    phone.wait("the whole page again", "return Math.round(document.querySelector('.salon').getBoundingClientRect().height) === innerHeight")


@story("X04-W a page over plain HTTP, which is no secure context, lets one listen and says why it has no microphone")
def test_insecure(tmp_path):
    app, _ = own_application(tmp_path / "data")
    with Server(tmp_path / "data", "--sign-in-application", app, "--sign-in-guests", "true", development=False) as server:
        plain = Chromium("Plain", server, tmp_path / "plain", flags=("--host-resolver-rules=MAP plain.example 127.0.0.1",))
        host = Chromium("Host", server, tmp_path / "host", tone_hertz=440)
        try:
            room = create_salon(host)
            sit(host, 0)
            plain.open(f"http://plain.example:{server.port}/r/{room}")
            assert plain.run("return !isSecureContext && !navigator.mediaDevices")
            plain.type("sign-in-name", plain.name)
            plain.click("sign-in-submit")
            go_in(plain)
            plain.hears_tone(440)
            plain.click("seat-1")
            plain.sees("html > body", "on secure pages only")
            assert not plain.complaints()
        finally:
            plain.close()
            host.close()
