"""W1 to W3: what a first visit costs, how soon a live room is heard and seen, and what a full salon costs a page.

    pages_bench.py [--only W1,W2,W3] [--visits N] [--json FILE]

The slow line is Chromium's own emulation: 1.6 Mbit/s and 150 ms for each request; sockets and sound are not held back by it. Each visit is a
browser of its own, with nothing kept."""

import argparse
import contextlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

from browsers import Chromium
from client import Client, ticket
from server import EXECUTABLE, WEB, Server
from test_live import go_live
from test_tls import certificate

LINES = {
    "slow": {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750},
    "free": {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
}
# A page has come when it has asked for nothing for this long.
QUIET_SECONDS = 1.5
MOST_SECONDS = 60
GOALS = {"sign-in": (25, 130), "salon": (25, 130), "live": (40, 220)}

# Looks at each frame that is drawn for the first words, and for the first thing that can be pressed; and for the first sound and frame.
WATCH = """
(() => {
  const found = window.__found = {};
  const seen = element => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  const look = () => {
    const now = performance.now();
    if (document.body) {
      if (!found.words && /\\p{L}/u.test(document.body.innerText)) found.words = now;
      if (!found.press && [...document.querySelectorAll('button:enabled, input:enabled, a[href]')].some(seen)) found.press = now;
      if (!found.frame && [...document.querySelectorAll('video')].some(e => e.srcObject && e.getVideoPlaybackQuality().totalVideoFrames > 0))
        found.frame = now;
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  const Real = window.RTCPeerConnection, peers = [];
  window.RTCPeerConnection = class extends Real { constructor(...rest) { super(...rest); peers.push(this); } };
  const listen = async () => {
    for (const peer of peers)
      for (const one of (await peer.getStats()).values())
        if (one.type === 'inbound-rtp' && one.kind === 'audio' && one.totalAudioEnergy > 0) found.sound ??= performance.now();
    if (!found.sound) setTimeout(listen, 20);
  };
  void listen();
  window.__long = [];
  new PerformanceObserver(list => __long.push(...list.getEntries().map(e => [e.startTime, e.duration]))).observe({ type: 'longtask', buffered: true });
})();
"""


class Visit:
    """A browser that has never been here, and what it asks for."""

    def __init__(self, server, folder, line, **options):
        folder = pathlib.Path(tempfile.mkdtemp(dir=folder)) / "profile"
        self.person = Chromium("Vera", server, folder, width=390, height=844, network=True,
                               flags=("--ignore-certificate-errors",), **options)
        self.driver = self.person.driver
        self.requests = {}
        self.command("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.command("Network.enable")
        self.command("Network.emulateNetworkConditions", **LINES[line])
        self.take()
        self.requests.clear()

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def take(self):
        """Reads what the network has told since; gives whether there was anything."""
        news = False
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            method, of = message["method"], message["params"]
            if method == "Network.requestWillBeSent" and of["request"]["url"].startswith("http"):
                self.requests.setdefault(of["requestId"], 0)
                news = True
            elif method == "Network.loadingFinished" and of["requestId"] in self.requests:
                self.requests[of["requestId"]] = of["encodedDataLength"]
                news = True
        return news

    def rest(self):
        """Until nothing is asked for any more."""
        begin = last = time.monotonic()
        while time.monotonic() - last < QUIET_SECONDS:
            if self.take():
                last = time.monotonic()
            assert time.monotonic() - begin < MOST_SECONDS, "the page never comes to rest"
            time.sleep(0.1)

    def found(self):
        return self.person.run("return window.__found")

    def close(self):
        self.person.close()


def first_visit(server, folder, line, path, shown):
    """Up to what is `shown` after signing in, or until nothing comes any more."""
    with contextlib.closing(Visit(server, folder, line)) as visit:
        visit.person.open(path)
        visit.person.sees("sign-in", seconds=MOST_SECONDS)
        visit.rest()
        found = visit.found()
        if shown:
            visit.person.type("sign-in-name", "Vera" + os.urandom(2).hex())
            visit.person.click("sign-in-submit")
            visit.person.sees(shown, seconds=MOST_SECONDS)
            visit.take()
        protocol = visit.person.run("return performance.getEntriesByType('navigation')[0].nextHopProtocol")
        return {"requests": len(visit.requests), "kilobytes": sum(visit.requests.values()) / 1000, "words": found["words"] / 1000,
                "press": found["press"] / 1000, "protocol": protocol}


def watched(server, folder, line, room):
    """With a ticket at hand: signed in, in this tab."""
    with contextlib.closing(Visit(server, folder, line)) as visit:
        kept = {**ticket(server, "Vera" + os.urandom(2).hex()), "secret": ""}
        visit.command("Page.addScriptToEvaluateOnNewDocument",
                      source=f"if (location.protocol !== 'about:') sessionStorage['ovation.identity'] = {json.dumps(json.dumps(kept))};")
        visit.person.open(f"/r/{room}")
        visit.person.wait("sound and a frame", "return __found.sound && __found.frame", seconds=MOST_SECONDS)
        found = visit.found()
        return {"sound": found["sound"] / 1000, "frame": found["frame"] / 1000}


def processes(profile):
    """The processes of a browser, by what stands in their command lines or their parents'."""
    parents, ours = {}, set()
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            number = int(entry.name)
            parents[number] = int(re.search(r"PPid:\s+(\d+)", (entry / "status").read_text())[1])
            if str(profile) in (entry / "cmdline").read_text():
                ours.add(number)
    while more := {child for child, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return ours


def ticks(numbers):
    total = 0
    for number in numbers:
        with contextlib.suppress(OSError):
            fields = pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def busy_salon(server, folder, seconds):
    """Sixteen seats, three of them heard; 200 messages and as many gifts as seconds."""
    people = [Client(server, ticket(server, f"Guest {number}")) for number in range(16)]
    room = people[0].patiently("room.create", name="Sixteen seats", seats=16)["room"]
    for seat, person in enumerate(people[:13]):
        if seat:
            person.patiently("room.enter", room=room)
        person.patiently("seat.take", room=room, seat=seat)
    speakers = [
        subprocess.Popen([EXECUTABLE, "join", "--server", server.url, "--name", f"Speaker {seat}", "--room", str(room), "--seat", str(seat),
                          "--tone", str(200 + 20 * seat)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for seat in (13, 14, 15)]
    try:
        with contextlib.closing(Visit(server, folder, "free", moving=True)) as visit:
            visit.person.open(f"/r/{room}")
            visit.person.type("sign-in-name", "Vera")
            visit.person.click("sign-in-submit")
            visit.person.click("enter-room")
            visit.person.sees("salon")
            visit.person.sees("seat-15", "Speaker 15", seconds=MOST_SECONDS)
            gift = people[1].patiently("gift.list")["gifts"][0]["id"]
            people[1].patiently("wallet.faucet", key="bench")
            time.sleep(3)
            entered = visit.person.run("return performance.now()")
            ours = processes(visit.driver.capabilities["chrome"]["userDataDir"])
            before, begin = ticks(ours), time.monotonic()
            for number in range(200):
                people[number % 13].patiently("message.send", room=room, text=f"Message {number} of a lively evening")
                if number % (200 // seconds + 1) == 0:
                    people[1].patiently("gift.send", room=room, gift=gift, key=f"bench-{number}")
                time.sleep(max(0, begin + (number + 1) * seconds / 200 - time.monotonic()))
            spent, wall = ticks(ours) - before, time.monotonic() - begin
            long = visit.person.run("return __long.filter(([start]) => start > arguments[0]).map(([, length]) => length)", entered)
            shown = visit.person.run("return document.querySelectorAll('[data-testid=chat-text]').length")
            assert shown > 0 and all(one.poll() is None for one in speakers), "the salon was as busy as it should be"
    finally:
        for one in speakers:
            one.terminate()
        for person in people:
            person.close()
    return {"core": 100 * spent / wall, "long": len(long), "longest": max(long, default=0)}


def stolen():
    fields = [int(field) for field in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return sum(fields), fields[7]


def middle(visits, name):
    values = sorted(visit[name] for visit in visits)
    return {"median": statistics.median(values), "least": values[0], "most": values[-1]}


@contextlib.contextmanager
def room_with_picture(server, folder):
    host = Chromium("Host", server, pathlib.Path(tempfile.mkdtemp(dir=folder)) / "profile", tone_hertz=440, crowded=True,
                    flags=("--ignore-certificate-errors",))
    try:
        yield go_live(host)
    finally:
        host.close()


def measure_visits(server, folder, visits):
    salon = Client(server, ticket(server, "Owner")).patiently("room.create", name="Evening salon", seats=9)["room"]
    figures = {}
    with room_with_picture(server, folder) as live:
        for name, path, shown in (("sign-in", "/", None), ("salon", f"/r/{salon}", "enter-room"), ("live", f"/r/{live}", "live-stage")):
            for line in LINES:
                made = [first_visit(server, folder, line, path, shown) for _ in range(visits)]
                figure = figures[f"{name} {line}"] = {of: middle(made, of) for of in ("requests", "kilobytes", "words", "press")}
                figure["protocol"] = made[0]["protocol"]
                print(f"W1  {name:8} {line:5} {figure['protocol']:9} {figure['requests']['median']:4.0f} requests {figure['kilobytes']['median']:5.0f} KB   "
                      f"words {figure['words']['median']:.2f} s, press {figure['press']['median']:.2f} s (at most {figure['press']['most']:.2f})"
                      + (f"   goal {GOALS[name][0]}, {GOALS[name][1]} KB, 1.5 s, 2.5 s" if line == "slow" else ""), flush=True)
    return figures


def measure_live(server, folder, visits):
    with room_with_picture(server, folder) as live:
        made = [watched(server, folder, "slow", live) for _ in range(visits)]
    figure = {of: middle(made, of) for of in ("sound", "frame")}
    print(f"W2  a live room, slow line: sound after {figure['sound']['median']:.2f} s (at most {figure['sound']['most']:.2f}), "
          f"first frame after {figure['frame']['median']:.2f} s (at most {figure['frame']['most']:.2f})   goal 4 s, 5 s", flush=True)
    return figure


def measure_salon(server, folder, seconds):
    figure = busy_salon(server, folder, seconds)
    print(f"W3  a salon of 16 with 200 messages in {seconds} s: {figure['core']:.0f} % of a core, "
          f"{figure['long']} long tasks, the longest {figure['longest']:.0f} ms   goal 20 %, none", flush=True)
    return figure


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="W1,W2,W3")
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    only, figures, (all_before, stolen_before) = options.only.split(","), {}, stolen()
    with tempfile.TemporaryDirectory(prefix="ovation-bench-") as folder:
        folder = pathlib.Path(folder)
        made = certificate(folder, "own")
        for name, trusted in (("HTTP", None), ("TLS", made / "tls.crt")):
            settings = ["--tls-certificate", made / "tls.crt", "--tls-key", made / "tls.key"] if trusted else []
            with Server(folder / name, *settings, trusted=trusted) as server:
                of = figures[name] = {}
                print(f"{name}, {WEB}", flush=True)
                if "W1" in only:
                    of["W1"] = measure_visits(server, folder, options.visits)
                if "W2" in only:
                    of["W2"] = measure_live(server, folder, options.visits)
                if "W3" in only and not trusted:
                    of["W3"] = measure_salon(server, folder, options.seconds)
    every, taken = (after - before for after, before in zip(stolen(), (all_before, stolen_before), strict=True))
    print(f"The host took {100 * taken / every:.1f} % of the processors' time during this run; load {os.getloadavg()[0]:.1f}.")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    sys.exit(main())
