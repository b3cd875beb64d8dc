"""A person at WebKitGTK, the nearest thing to Safari that runs on Linux, in a window of its own (webkit_window.py) on a screen of its
own. It has no WebRTC; `peer` names a script that stands in for it."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import time

from browsers import PATIENCE, Person
from server import free_port
from sound import REMEMBER_COMPLAINTS

WINDOW = pathlib.Path(__file__).with_name("webkit_window.py")
DRIVER = "WebKitWebDriver"
# The system's Python has the bindings, the tests' own has not.
BINDINGS = "import gi; gi.require_version('Gtk', '3.0'); gi.require_version('WebKit2', '4.1'); from gi.repository import Gtk, WebKit2"

# As much of a peer connection as the page builds up, and then it fails, as in a browser that is broken: everything but sound and
# picture of others can be walked through.
BROKEN_PEER = """
window.RTCPeerConnection = class extends EventTarget {
  connectionState = 'new'; signalingState = 'stable'; localDescription = null; lines = [];
  addTransceiver(given, { direction } = {}) {
    const sender = { track: null, replaceTrack: async track => { sender.track = track; }, getParameters: () => ({ encodings: [] }),
      setParameters: async () => {}, getStats: async () => new Map() };
    const line = { mid: null, direction, sender, receiver: { track: null }, setCodecPreferences() {} };
    this.lines.push(line);
    return line;
  }
  getTransceivers() { return this.lines; }
  getReceivers() { return []; }
  async getStats() { return new Map(); }
  async createOffer() { throw new DOMException('no network for this page', 'OperationError'); }
  getConfiguration() { return {}; }
  setConfiguration() {}
  close() { this.connectionState = 'closed'; }
};
const capabilities = { codecs: [{ mimeType: 'audio/opus' }, { mimeType: 'video/VP8' }, { mimeType: 'video/rtx' }] };
window.RTCRtpReceiver = window.RTCRtpSender = class { static getCapabilities() { return capabilities; } };
"""


def missing():
    """What keeps it from running here, or None."""
    for program in (DRIVER, "Xvfb"):
        if not shutil.which(program):
            return f"{program} is not installed"
    bound = subprocess.run(["/usr/bin/python3", "-c", BINDINGS], capture_output=True)
    return None if bound.returncode == 0 else "WebKitGTK's bindings for Python are not installed"


class Screen:
    """A screen that nobody sees."""

    def __init__(self):
        reads, writes = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writes), "-screen", "0", "1400x1000x24", "-nolisten", "tcp"],
            pass_fds=[writes], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writes)
        with os.fdopen(reads) as told:
            self.name = f":{told.readline().strip()}"

    def close(self):
        self.process.terminate()
        self.process.wait(10)


class WebKit(Person):
    def __init__(self, name, server, profile, width=390, height=844, dark=True, peer="", language="en"):
        super().__init__(name, server)
        from selenium import webdriver
        from selenium.webdriver.webkitgtk.service import Service

        profile = pathlib.Path(profile)
        profile.mkdir(parents=True)
        script = profile / "first.js"
        script.write_text(REMEMBER_COMPLAINTS + peer)
        self.closed = False
        self.ending = contextlib.ExitStack()
        screen = Screen()
        self.ending.callback(screen.close)
        options = webdriver.WebKitGTKOptions()
        options.set_capability("browserName", WINDOW.stem)
        options.binary_location = str(WINDOW)
        for argument in (width, height, "dark" if dark else "light", language, script):
            options.add_argument(str(argument))
        # A page of this size without a graphics processor; nothing of a person's own desktop.
        environment = os.environ | {"DISPLAY": screen.name, "GDK_BACKEND": "x11", "LIBGL_ALWAYS_SOFTWARE": "1",
                                    "XDG_CONFIG_HOME": str(profile), "XDG_CACHE_HOME": str(profile),
                                    "XDG_DATA_HOME": str(profile), "GTK_A11Y": "none", "NO_AT_BRIDGE": "1"}
        self.driver = webdriver.WebKitGTK(
            options=options,
            service=Service(shutil.which(DRIVER), port=free_port(), log_output=str(profile / "driver.log"), env=environment))
        self.driver.set_script_timeout(60)

    def open(self, path="/"):
        self.driver.get(self.door.url + path if path.startswith("/") else path)

    def click(self, where):
        from selenium.common.exceptions import WebDriverException

        self.sees(where)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self.driver.find_element("css selector", self.selector(where)).click()
            except WebDriverException:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def type(self, where, text):
        self.sees(where)
        field = self.driver.find_element("css selector", self.selector(where))
        field.clear()
        field.send_keys(text)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def run_async(self, script, *arguments):
        return self.driver.execute_async_script(script, *arguments)

    def screenshot(self, path):
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(path))

    def console(self):
        return self.run("return window.__complaints || []")

    def complaints(self):
        return [] if self.closed else self.console()

    def close(self):
        self.closed = True
        try:
            self.driver.quit()
        finally:
            self.ending.close()
