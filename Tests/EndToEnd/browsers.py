"""A person at a browser: the same few verbs over Chromium (WebDriver) and Firefox (Marionette)."""

import base64
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import time

from browser_pool import Pool
from marionette import ELEMENT, Marionette
from server import free_port
from sound import LISTEN, LISTEN_CLOSELY, LISTEN_HERE, REMEMBER_PEERS, SILENT, silent_sound_device, tone_file, tones

# No measure: four browsers that draw, encode and decode on two cores may need half a minute for a page. What has to be done in time has
# bounds of its own.
PATIENCE = 60

# Browsers start and end beside each other and beside what a test does meanwhile.
HANDS = concurrent.futures.ThreadPoolExecutor(max_workers=3, thread_name_prefix="browser")
POOL = Pool()

# Chromium's engine without its window, where it is installed, and unless the whole browser is asked for. Not the script in the search
# path: WebDriver would end the script and leave the browser.
SHELL = "/usr/lib/chromium/chromium-headless-shell"
if os.environ.get("WHOLE_BROWSER") or not os.access(SHELL, os.X_OK):
    SHELL = None


def by_testid(name):
    return f'[data-testid="{name}"]'


class Person:
    """What a test may do and see. `find` takes a CSS selector; a bare word is a data-testid."""

    def __init__(self, name, server, through=None):
        self.name = name
        self.server = server
        # Where the page is opened: the server itself, or a line to it that the test can cut.
        self.door = through or server

    @staticmethod
    def selector(where):
        return where if any(c in where for c in "[.#> :") else by_testid(where)

    def wait(self, what, script, *arguments, seconds=PATIENCE):
        """Until the script gives something true; says what it waited for."""
        deadline = time.monotonic() + seconds
        while True:
            value = self.run(script, *arguments)
            if value:
                return value
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.name} waited {seconds} s for {what}")
            time.sleep(0.05)

    def rests(self):
        """Until the browser has gone back over the entry of a sheet that was closed just now: an address that is opened meanwhile, sooner
        than anybody types one, would be lost."""
        self.wait("the history to rest", """
            return (history.state?.over ?? 0) <= document.querySelectorAll('dialog[open], .tray, .chat[data-open]').length""")

    def sees(self, where, text=None, seconds=PATIENCE):
        """Until the element is visible (and has the text)."""
        return self.wait(
            f"{where}" + (f" with “{text}”" if text else ""),
            """
            const [selector, text] = arguments;
            return [...document.querySelectorAll(selector)].some((e) => {
              const box = e.getBoundingClientRect();
              return box.width > 0 && box.height > 0 && getComputedStyle(e).visibility !== 'hidden'
                && (text === null || String(e.value ?? '').includes(text) || e.textContent.includes(text));
            });""",
            self.selector(where), text, seconds=seconds)

    def sees_no(self, where, text=None, seconds=PATIENCE):
        return self.wait(
            f"no {where}" + (f" with “{text}”" if text else ""),
            """
            const [selector, text] = arguments;
            return ![...document.querySelectorAll(selector)].some((e) => {
              const box = e.getBoundingClientRect();
              return box.width > 0 && box.height > 0 && (text === null || e.textContent.includes(text));
            });""",
            self.selector(where), text, seconds=seconds)

    def text(self, where):
        return self.run("const e = document.querySelector(arguments[0]); return e && (e.value || e.textContent);", self.selector(where))

    def attribute(self, where, name):
        return self.run("const e = document.querySelector(arguments[0]); return e && e.getAttribute(arguments[1]);", self.selector(where), name)

    def hears(self):
        return self.run_async(LISTEN)

    def hears_closely(self):
        """The loudest track: `levels` in the order of time, `hertz` of both sides, `rms`."""
        return self.run_async(LISTEN_CLOSELY)

    def plays(self):
        """What this window's sound desk gives to the loudspeaker: `rms` and `hertz`."""
        return self.run_async(LISTEN_HERE)

    def hears_tone(self, hertz, seconds=PATIENCE, tolerance=8):
        """Until a decoded track carries that frequency at an audible level."""
        deadline = time.monotonic() + seconds
        while True:
            heard = self.hears()
            if any(abs(found - hertz) <= tolerance for found in tones(heard)):
                return
            assert time.monotonic() < deadline, f"{self.name} does not hear {hertz} Hz; hears {heard}"

    def hears_together(self, *wanted, seconds=PATIENCE, tolerance=8):
        """Until one decoded track carries all these frequencies within a second."""
        deadline = time.monotonic() + seconds
        while True:
            heard = self.hears()
            for track in heard:
                if all(any(abs(peak - hertz) <= tolerance for peak in track.get("peaks", [])) for hertz in wanted):
                    return
            assert time.monotonic() < deadline, f"{self.name} does not hear {wanted} Hz in one track; hears {heard}"

    def hears_silence(self, seconds=PATIENCE):
        """Until every decoded track is silent, twice in a row."""
        deadline = time.monotonic() + seconds
        quiet = 0
        while quiet < 2:
            heard = self.hears()
            quiet = quiet + 1 if all(h.get("rms", 1) < SILENT for h in heard) else 0
            assert time.monotonic() < deadline, f"{self.name} still hears {heard}"


    def lets_the_microphone_go(self):
        """Until nothing that the microphone gave to this page is open."""
        self.wait("the microphone to be let go",
                  "return __microphones.length > 0 && __microphones.every(track => track.readyState === 'ended')")


class Chromium(Person):
    def __init__(self, name, server, profile, tone_hertz=None, width=None, height=None, microphone="granted", dark=True, language="en",
                 through=None, flags=(), driver=None, crowded=False, moving=False, whole=False, network=False):
        """`crowded`: one of several that share this machine's processor. Such a person has a smaller window and sends a small
        picture, as one may have chosen on this device. `moving`: without the wish for less motion and transparency, which halves what
        a page costs where there is no graphics processor. `whole`: Chromium with its window, whose own pages take a third of what a story costs;
        without it the same engine alone. `network`: its log tells each
        request, and a page is not waited for."""
        super().__init__(name, server, through)
        width, height = width or (960 if crowded else 1280), height or (640 if crowded else 800)
        self.motion = "no-preference" if moving else "reduce"
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        self.profile = pathlib.Path(profile)
        self.profile.mkdir(parents=True)
        options = webdriver.ChromeOptions()
        # Nobody is there who could deny it: that is the window's.
        shell = SHELL and not (whole or microphone == "denied")
        if shell:
            # It reports no page to WebDriver when it is given a folder of its own; WebDriver gives it one.
            options.binary_location = SHELL
        else:
            options.add_argument("--headless=new")
            options.add_argument(f"--user-data-dir={self.profile}")
        for flag in (
            "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--mute-audio",
            "--use-fake-device-for-media-stream=fps=10", "--autoplay-policy=no-user-gesture-required",
            "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows",
            f"--window-size={width},{height}", *flags,
        ):
            options.add_argument(flag)
        if microphone == "granted":
            options.add_argument("--use-fake-ui-for-media-stream")
        elif microphone == "denied":
            options.add_argument("--deny-permission-prompts")
        if tone_hertz:
            options.add_argument(f"--use-file-for-fake-audio-capture={self.profile / 'tone.wav'}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", **({"performance": "ALL"} if network else {})})
        if network:
            options.page_load_strategy = "none"
        # Alike in all that a process is started with: one may serve the next, in a page of another size, with another sound in the
        # file that its microphone plays. What was made by a test's own driver may not.
        self._kind = (microphone, bool(tone_hertz), flags) if shell and driver is None and not network else None
        self._origins = {server.url, self.door.url}
        self.seen = []
        self.closed = False
        look = (width, height, dark, language, crowded)
        self._starting = HANDS.submit(
            self._start, options, driver or Service(shutil.which("chromedriver")), tone_hertz, *look)

    def _start(self, options, service, tone_hertz, width, height, dark, language, crowded):
        from selenium import webdriver

        started, self._sound = (POOL.take(self._kind) if self._kind else None) or (None, self.profile / "tone.wav")
        if tone_hertz:
            # Read whenever the microphone is opened.
            shutil.copy(tone_file(tone_hertz), self._sound)
        if started is None:
            started = webdriver.Chrome(options=options, service=service)
            started.set_script_timeout(60)
        started.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": REMEMBER_PEERS})
        if crowded:
            chosen = json.dumps(json.dumps({"sendQuality": "360"}))
            started.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
                "source": f"if (location.protocol !== 'about:') localStorage['ovation.preferences'] ??= {chosen};"})
        if language != "en":
            agent = started.execute_script("return navigator.userAgent")
            started.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": language})
        self._size(started, width, height)
        self._scheme(started, "dark" if dark else "light")
        return started

    @property
    def driver(self):
        """WebDriver's session, once the browser has started."""
        return self._starting.result()

    def size(self, width, height, scale=1):
        self._size(self.driver, width, height, scale)

    def _size(self, driver, width, height, scale=1):
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                               {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 600})

    def scheme(self, name):
        self._scheme(self.driver, name)

    def _scheme(self, driver, name):
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": name}, {"name": "prefers-reduced-motion", "value": self.motion},
            {"name": "prefers-reduced-transparency", "value": self.motion}]})

    def open(self, path="/"):
        self.rests()
        self.driver.get(self.door.url + path if path.startswith("/") else path)

    def click(self, where):
        self.sees(where)
        from selenium.common.exceptions import ElementClickInterceptedException, StaleElementReferenceException

        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self.driver.find_element("css selector", self.selector(where)).click()
            except (ElementClickInterceptedException, StaleElementReferenceException):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def type(self, where, text):
        self.sees(where)
        from selenium.webdriver.common.keys import Keys

        field = self.driver.find_element("css selector", self.selector(where))
        # As a person does it: an emptied field would be taken for no change by a page that renders from its state.
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text)

    def keys(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def touch(self, *points):
        """One finger, down at the first of these points, over the others, and up."""
        for at, (x, y) in enumerate(points):
            self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchMove" if at else "touchStart", "touchPoints": [{"x": x, "y": y}]})
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def run_async(self, script, *arguments):
        return self.driver.execute_async_script(script, *arguments)

    def screenshot(self, path):
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def console(self):
        self.seen += [f"{e['level']}: {e['message']}" for e in self.driver.get_log("browser")]
        return self.seen

    def complaints(self):
        """Errors a person would find in the console, except the network's own about a server that the test took away."""
        if self.closed:
            return []
        own = self.run("return window.__complaints || []")
        network = ("net::ERR_", "WebSocket connection to", "Failed to load resource")
        return own + [line for line in self.console() if line.startswith("SEVERE") and not any(n in line for n in network)]

    def leave(self):
        """Closes the page, and leaves the browser to the next person where it can be."""
        self.closed = True
        if self._kind:
            POOL.give(self._kind, self.driver, self._sound, self._origins)
        else:
            self.driver.quit()

    def close(self):
        """Ends the browser, as a phone does that runs out of power."""
        self.closed = True
        self.driver.quit()


class Firefox(Person):
    """Firefox ESR. Its fake microphone is a tone of its own (media.navigator.streams.fake); it decodes only towards a sound
    device, so it gets a silent one of PulseAudio."""

    TONE = 1000

    def __init__(self, name, server, profile, width=1280, height=800):
        super().__init__(name, server)
        self.profile = pathlib.Path(profile)
        self.profile.mkdir(parents=True)
        port = free_port()
        preferences = {
            "marionette.port": port,
            "media.navigator.streams.fake": True,
            "media.navigator.permission.disabled": True,
            "media.autoplay.default": 0,
            "media.autoplay.blocking_policy": 0,
            "media.autoplay.block-webaudio": False,
            "media.peerconnection.ice.loopback": True,
            "media.peerconnection.ice.obfuscate_host_addresses": False,
            # As in Chromium: the wish for less motion.
            "ui.prefersReducedMotion": 1,
            "browser.shell.checkDefaultBrowser": False,
            "datareporting.policy.dataSubmissionEnabled": False,
            "app.update.enabled": False,
            "network.captive-portal-service.enabled": False,
            "network.connectivity-service.enabled": False,
            "browser.safebrowsing.update.enabled": False,
            "extensions.update.enabled": False,
        }
        (self.profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in preferences.items()))
        with open(self.profile / "firefox.log", "wb") as log:
            self.process = subprocess.Popen(
                ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", self.profile,
                 f"--width={width}", f"--height={height}", "about:blank"],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=os.environ | silent_sound_device())
        self.marionette = Marionette(port)

    def open(self, path="/"):
        """Marionette has no script before the page's own; the app makes its peer only on entering a room, so this is early enough."""
        self.rests()
        self.marionette.call("WebDriver:Navigate", {"url": self.server.url + path if path.startswith("/") else path})
        self.run(REMEMBER_PEERS)

    def click(self, where):
        self.sees(where)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                element = self.marionette.element(self.selector(where))
                return self.marionette.call("WebDriver:ElementClick", {"id": element})
            except RuntimeError as refused:
                # As with Chromium: a sheet that is closing lies over it, or the page has drawn it anew.
                passing = ("element not interactable", "element click intercepted", "stale element reference")
                if time.monotonic() > deadline or not any(reason in str(refused) for reason in passing):
                    raise
                time.sleep(0.05)

    def type(self, where, text):
        self.sees(where)
        element = self.marionette.element(self.selector(where))
        self.marionette.call("WebDriver:ElementClear", {"id": element})
        self.marionette.call("WebDriver:ElementSendKeys", {"id": element, "text": text})

    def _script(self, command, script, arguments):
        return self.marionette.call(command, {"script": script, "args": list(arguments), "sandbox": None, "newSandbox": False})

    def run(self, script, *arguments):
        return self._script("WebDriver:ExecuteScript", script, arguments)

    def run_async(self, script, *arguments):
        return self._script("WebDriver:ExecuteAsyncScript", script, arguments)

    def screenshot(self, path):
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        shot = self.marionette.call("WebDriver:TakeScreenshot", {"full": False})
        pathlib.Path(path).write_bytes(base64.b64decode(shot))

    def console(self):
        return []

    def complaints(self):
        return self.run("return window.__complaints || []")

    def leave(self):
        self.close()

    def close(self):
        try:
            self.marionette.call("Marionette:Quit", {"flags": ["eForceQuit"]})
        except (OSError, RuntimeError, ConnectionError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


__all__ = ["ELEMENT", "Chromium", "Firefox", "Person", "by_testid"]
