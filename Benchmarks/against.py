"""Two builds of the server by turns under one load: each figure's median, and this tree's against the other's. `scripts/bench-against`
builds them and calls this."""

import argparse
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent / name) for name in ("", "ChatBench", "MediaBench")]
import bench_chat
import bench_media
from two_hosts import BUILT, ROOT, CannotMeasure, allow_many_files, link, machine

SEATS = re.compile(r"([\d.]+) commands/s, p50 ([\d.]+) ms, p99 ([\d.]+) ms,.* ([\d.]+) µs a command", re.S)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# What a load makes more of than people do.
LIMITS = {"OVATION_LIMITS_CALLS_PER_SECOND": "100000", "OVATION_LIMITS_CHANGES_PER_SECOND": "100000"}


def known(executable, settings):
    """Those that the build has: one that it does not know keeps it from starting."""
    told = subprocess.run([executable, "serve", "--help"], check=True, capture_output=True, text=True).stdout
    return {name: value for name, value in settings.items() if name.removeprefix("OVATION").lower().replace("_", "-").replace("-", "--", 1) in told}


@contextlib.contextmanager
def server_here(executable, folder):
    """On this machine's own addresses: its process, its port, its application's number and key."""
    created = subprocess.run([executable, "app", "create", "--name", "Bench", "--data", folder], check=True, capture_output=True, text=True)
    fields = dict(line.rsplit(None, 1) for line in created.stdout.splitlines() if line.strip())
    port = free_port()
    environment = os.environ | {
        "OVATION_HOST": "127.0.0.1", "OVATION_PORT": str(port), "OVATION_MEDIA_PORT": "0", "OVATION_DATA": str(folder)} | known(executable, LIMITS)
    with open(pathlib.Path(folder, "log"), "w") as log, subprocess.Popen([executable, "serve"], env=environment, stdout=log, stderr=log) as started:
        try:
            for _ in range(200):
                with contextlib.suppress(urllib.error.URLError, ConnectionError), urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz"):
                    break
                time.sleep(0.05)
            else:
                raise CannotMeasure(f"the server does not answer: {pathlib.Path(folder, 'log').read_text()[-2000:]}")
            yield started, port, fields
        finally:
            started.send_signal(signal.SIGTERM)
            started.wait(20)


def seats(executable, seconds):
    """R1: durable seat commands over 300 rooms, one at once each."""
    with tempfile.TemporaryDirectory() as folder, server_here(executable, folder) as (server, port, fields):
        done = subprocess.run(
            [BUILT / "RoomBench", "--port", str(port), "--server", str(server.pid), "--app", fields["application"], "--rooms", "300",
             "--at-once", "1", "--seconds", str(seconds)],
            env=os.environ | {"OVATION_KEY": fields["secret key"]}, capture_output=True, text=True, timeout=300)
        found = SEATS.search(done.stdout)
        if not found:
            raise CannotMeasure(f"no figures in {done.stdout} {done.stderr}")
        return {"ms a command at the busiest": 1000 / float(found[1]), "µs a command": float(found[4])}


def messages(rate):
    """C1 and C2: messages to 1,000 members."""
    def measured(executable, seconds):
        report = bench_chat.measure(bench_chat.Ovation(executable), "--members", 1_000, "--rates", rate, "--seconds", seconds)[0]
        if not bench_chat.is_whole(report):
            raise CannotMeasure("not every member got every message")
        return {"p99 ms": report["latency"]["p99"], "µs a delivery": report["serverMicroseconds"]}
    return measured


def lines(executable, _seconds):
    """C4: memory of 5,000 idle lines."""
    report = bench_chat.measure(bench_chat.Ovation(executable), "--members", 5_000, "--lines")[0]
    return {"KiB a line": report["serverBytes"] / 1024}


def sound(executable, seconds):
    """M1: ten speakers to 90 listeners."""
    report = bench_media.measure(bench_media.Ovation(executable), [90], seconds)[0]
    if not bench_media.is_loss_free(report):
        raise CannotMeasure("packets were lost")
    return {"µs a packet": report["serverMicroseconds"]}


# What it takes to measure each, whether that needs two network namespaces, and which of its figures decide. The latency of few messages
# hangs on the machine's other work more than on the server's: it is shown, and its cost decides.
SCENARIOS = {
    "R1": (seats, False, {"ms a command at the busiest", "µs a command"}),
    "C1": (messages(20), True, {"µs a delivery"}),
    "C2": (messages(200), True, {"µs a delivery"}),
    "C4": (lines, True, {"KiB a line"}),
    "M1": (sound, True, {"µs a packet"}),
}


def by_turns(measured, builds, turns, seconds):
    """Machines change their speed from minute to minute: whoever comes first changes with each turn."""
    figures = {name: {} for name in builds}
    for turn in range(turns):
        for name in list(builds)[:: 1 if turn % 2 == 0 else -1]:
            for what, value in measured(builds[name], seconds).items():
                figures[name].setdefault(what, []).append(value)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commit", required=True, help="what the other build was made of")
    parser.add_argument("--other", required=True, help="its executable")
    parser.add_argument("--only", default=",".join(SCENARIOS), help="scenarios, with commas")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=15, help="of each turn")
    parser.add_argument("--limit", type=float, default=1.05, help="the largest ratio that is no loss")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / ".build/bench-against.json")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    unknown = [name for name in wanted if name not in SCENARIOS]
    if unknown:
        parser.error(f"no scenario {', '.join(unknown)}; there are {', '.join(SCENARIOS)}")
    if os.geteuid() != 0 and any(SCENARIOS[name][1] for name in wanted):
        raise CannotMeasure("network namespaces want root; --only R1 does without")
    allow_many_files()
    builds = {"this": str(BUILT / "ovation"), "other": arguments.other}
    result, slower = {"machine": machine(), "commit": arguments.commit, "turns": arguments.turns}, []
    for name in wanted:
        measured, apart, deciding = SCENARIOS[name]
        print(f"{name}: {measured.__doc__ or 'messages to 1,000 members'}", flush=True)
        with link() if apart else contextlib.nullcontext():
            figures = by_turns(measured, builds, arguments.turns, arguments.seconds)
        result[name] = figures
        for what in figures["this"]:
            ours, theirs = (figures[build][what] for build in ("this", "other"))
            # Neighbours in time are compared with each other: what the machine did then it did to both.
            ratio = statistics.median(a / b for a, b in zip(ours, theirs))
            line = f"{name}  {what}: {statistics.median(ours):.2f}, before {statistics.median(theirs):.2f}, ratio {ratio:.3f} ({min(a / b for a, b in zip(ours, theirs)):.3f} to {max(a / b for a, b in zip(ours, theirs)):.3f})"
            if what in deciding and ratio > arguments.limit:
                slower.append(line)
                line += f", ABOVE {arguments.limit}"
            print(line, flush=True)
    arguments.json.write_text(json.dumps(result, indent=1))
    if slower:
        raise SystemExit("slower than before:\n" + "\n".join(slower))


if __name__ == "__main__":
    try:
        main()
    except CannotMeasure as reason:
        raise SystemExit(f"bench-against: {reason}") from None
