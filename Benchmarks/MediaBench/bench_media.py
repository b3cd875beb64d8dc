"""M1, M3 and M5 for sound and M2 for a picture: what forwarding costs, how late it is, how much memory a listener takes; for Ovation, for Janus
(VideoRoom) and for a floor that only enciphers and sends, in one run over one link.

Server and load have a network namespace each, with a veth pair between them; the server's process runs on the first processor, the
load on the second. Wants root, and Janus where it is to be compared with (Debian: apt install janus)."""

import argparse
import contextlib
import json
import os
import pathlib
import secrets
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from two_hosts import (
    BUILT, FIRST_PARTICIPANT, LOAD, ROOT, SERVER, SERVER_ADDRESS, SIGNALLING_PORT, CannotMeasure, allow_many_files, inside, link, listens,
    machine, ovation, process, spread, wait_for)

MEDIA_PORT, LOAD_PORT = 7882, 40000


class Ovation:
    name = "Ovation"

    def __init__(self, executable=BUILT / "ovation"):
        self.executable = executable

    @contextlib.contextmanager
    def serving(self, _listeners, _speakers):
        with tempfile.TemporaryDirectory() as folder, ovation(folder, executable=self.executable, OVATION_MEDIA_PORT=MEDIA_PORT) as (server, target):
            yield server.pid, target


class Janus:
    def __init__(self, event_loops):
        self.event_loops = event_loops
        self.name = f"Janus, event_loops={event_loops}" if event_loops else "Janus"

    @contextlib.contextmanager
    def serving(self, _listeners, _speakers):
        with tempfile.TemporaryDirectory() as folder:
            loops = f"event_loops = {self.event_loops}\n" if self.event_loops else ""
            quiet = ", ".join(
                f"libjanus_{name}.so" for name in (
                    "audiobridge", "echotest", "recordplay", "sip", "nosip", "streaming", "textroom", "videocall", "voicemail", "lua",
                    "duktape"))
            transports = ", ".join(f"libjanus_{name}.so" for name in ("http", "pfunix", "rabbitmq", "mqtt", "nanomsg"))
            pathlib.Path(folder, "janus.jcfg").write_text(
                f"general: {{\ndebug_level = 2\nsession_timeout = 0\n{loops}}}\n"
                # Our side takes itself for the controlling one, as clients of an ICE-lite server do.
                "nat: {\nice_lite = true\nfull_trickle = false\n}\n"
                f'plugins: {{\ndisable = "{quiet}"\n}}\ntransports: {{\ndisable = "{transports}"\n}}\nevents: {{\nbroadcast = false\n}}\n')
            pathlib.Path(folder, "janus.transport.websockets.jcfg").write_text(
                f'general: {{\njson = "compact"\nws = true\nws_port = {SIGNALLING_PORT}\nws_ip = "{SERVER_ADDRESS}"\n}}\nadmin: {{\n}}\n')
            pathlib.Path(folder, "janus.plugin.videoroom.jcfg").write_text("general: {\n}\n")
            log = pathlib.Path(folder, "log")
            with log.open("w") as output, process(
                SERVER, 0, shutil.which("janus"), "-F", folder, stdout=output, stderr=output
            ) as server:
                wait_for(lambda: listens(SIGNALLING_PORT), server, log)
                yield server.pid, ["--janus", f"ws://{SERVER_ADDRESS}:{SIGNALLING_PORT}"]


class Floor:
    name = "floor"

    @contextlib.contextmanager
    def serving(self, listeners, speakers):
        key = secrets.token_hex(28)
        # Speakers have the first addresses.
        octets = FIRST_PARTICIPANT.split(".")
        first = ".".join([*octets[:3], str(int(octets[3]) + speakers)])
        with process(
            SERVER, 0, BUILT / "MediaFloor", MEDIA_PORT, first, listeners, LOAD_PORT, key, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as server:
            if server.stdout.readline() != b"ready\n":
                raise CannotMeasure("the floor did not start")
            yield server.pid, ["--floor", f"{SERVER_ADDRESS}:{MEDIA_PORT}", "--floor-key", key]


def measure(server, listeners, seconds, until_loss=False, patience=None, picture=False, **options):
    """The load's reports, one for each number of listeners. `patience`: seconds after which a load that is not done is given up."""
    with server.serving(max(listeners), 1 if picture else 10) as (pid, target):
        command = inside(
            LOAD, 1, BUILT / "ovation", "bench", "media", *target, "--listeners", ",".join(map(str, listeners)), "--seconds", seconds,
            "--addresses", FIRST_PARTICIPANT, "--port", LOAD_PORT, "--server-process", pid, "--json",
            *(["--until-loss"] if until_loss else []), *(["--pictures"] if picture else []), *(part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)))
        reports = []
        if patience:
            command = ["timeout", str(patience), *command]
        with subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as load:
            for line in load.stdout:
                report = json.loads(line) | {"server": server.name}
                reports.append(report)
                say(report)
            error = load.stderr.read()
            if load.wait() != 0 and not reports:
                reason = error.strip() or (f"not done after {patience} s" if load.returncode == 124 else "the load ended")
                raise CannotMeasure(f"{server.name}, {max(listeners)} listeners: {reason}")
            if error.strip():
                print(f"  {server.name}: {error.strip()}", flush=True)
        return reports


def say(report):
    def milliseconds(name, part):
        return f"{report[name][part]:.2f}" if report.get(name) else "–"

    first, second = report["cores"][0], report["cores"][1] if len(report["cores"]) > 1 else report["cores"][0]
    print(
        f"  {report['server']:22} {report['listeners']:5} listeners {report['packetsPerSecond']:9.0f} packets/s  lost {report['lost']:6}"
        f"  {report['serverMicroseconds']:6.2f} µs a packet  {100 * report['serverShare']:4.0f} % of a core"
        f"  delay {milliseconds('latency', 'p50')} / {milliseconds('latency', 'p99')} ms, last copy {milliseconds('lastCopy', 'p99')} ms"
        f"  {report['serverBytes'] / 2**20:6.0f} MiB  cores {100 * first['busy']:.0f} ({100 * first['softInterrupts']:.0f}) and"
        f" {100 * second['busy']:.0f} ({100 * second['softInterrupts']:.0f}) %, stolen {100 * max(first['stolen'], second['stolen']):.1f} %"
        f"{', reader dropped ' + str(report['droppedByReader']) if report['droppedByReader'] else ''}"
        f"{', ' + str(round(100 * report['overdue'] / report['samples'], 2)) + ' % too late' if report['overdue'] else ''}"
        f"{', misnumbered ' + str(report['misnumbered']) if report['misnumbered'] else ''}",
        flush=True)


def compare(servers, listeners, seconds, rounds, picture=False):
    """By turns, since machines change their speed from minute to minute: each server's reports, one for each round."""
    reports = {server.name: [] for server in servers}
    for _ in range(rounds):
        for server in servers:
            reports[server.name] += measure(server, [listeners], seconds / rounds, picture=picture)
    return reports


def is_loss_free(report):
    return (
        report["expected"] > 0 and report["lost"] <= report["expected"] // 10_000 and report["overdue"] <= report["samples"] // 10_000)


def limit(server, steps, seconds, picture=False):
    """The largest number of listeners without loss, and what it took."""
    if isinstance(server, Floor):
        reports = []
        for count in steps:
            reports += measure(server, [count], seconds, picture=picture)
            if not is_loss_free(reports[-1]):
                break
    else:
        reports = measure(server, steps, seconds, until_loss=True, picture=picture)
    good = [report for report in reports if is_loss_free(report)]
    if not good:
        raise CannotMeasure(f"{server.name} loses packets at {steps[0]} listeners")
    return good[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="for each point that is compared")
    parser.add_argument("--rounds", type=int, default=4, help="in which servers take turns at a point")
    parser.add_argument("--step-seconds", type=float, default=8, help="for each step of the search for a limit")
    parser.add_argument("--only", default="M1,M2,M3,M5", help="M1, M2, M3, M5, with commas")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / ".build/bench-media.json")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    allow_many_files()
    if os.geteuid() != 0:
        raise CannotMeasure("network namespaces want root")
    result = {"machine": machine()}
    ovation, floor = Ovation(), Floor()
    januses = [Janus(None), Janus(2)] if shutil.which("janus") else []
    if not januses:
        print("Janus is not installed here (Debian: apt install janus): nothing to compare with")
    with link():
        if "M1" in wanted or "M3" in wanted:
            print("Largest number of listeners without loss, 10 speakers")
            limits = {}
            for janus in januses:
                limits[janus.name] = limit(janus, range(20, 401, 20), arguments.step_seconds)
            limits[ovation.name] = limit(ovation, range(100, 1_501, 50), arguments.step_seconds)
            limits[floor.name] = limit(floor, range(100, 1_501, 50), arguments.step_seconds)
            result["limits"] = limits
            best = max((limits[janus.name]["listeners"] for janus in januses), default=100)
        if "M1" in wanted:
            print(f"M1: at half of Janus' limit, {best // 2} listeners")
            result["M1"] = compare((floor, ovation, *januses), best // 2, arguments.seconds, arguments.rounds)
        if "M2" in wanted:
            print("Largest number of viewers without loss, 1 picture of 2 Mbit/s")
            seen = {}
            for janus in januses:
                seen[janus.name] = limit(janus, range(40, 1_001, 40), arguments.step_seconds, picture=True)
            for server in (ovation, floor):
                seen[server.name] = limit(server, range(100, 3_001, 100), arguments.step_seconds, picture=True)
            result["picture limits"] = seen
            viewers = max((seen[janus.name]["listeners"] for janus in januses), default=200) // 2
            print(f"M2: at half of Janus' limit, {viewers} viewers")
            result["M2"] = compare((floor, ovation, *januses), viewers, arguments.seconds, arguments.rounds, picture=True)
        if "M3" in wanted:
            print("M3: 10 speakers, 50 listeners; then half of our limit")
            half = limits[ovation.name]["listeners"] // 2
            result["M3"] = compare((floor, ovation, *januses), 50, arguments.seconds, arguments.rounds)
            result["M3 half"] = compare((floor, ovation), half, arguments.seconds, arguments.rounds)
        if "M5" in wanted:
            print("M5: 2,000 listeners, 10 speakers who say little")
            memory = {}
            for server in (ovation, *januses):
                try:
                    memory[server.name] = measure(server, [2_000], 10, patience=300, packets_per_second=2)[0]
                except CannotMeasure as reason:
                    print(f"  {reason}")
            result["M5"] = memory
    arguments.json.write_text(json.dumps(result, indent=1))
    summarize(result, januses)


# Of a packet of the picture's, from the IP header on: IPv4, UDP, RTP, payload, tag.
PICTURE_BITS = 8 * (20 + 8 + 12 + 1_190 + 16)


def summarize(result, januses):
    print()
    for which, limits in (("M1", "limits"), ("M2", "picture limits")):
        if which not in result:
            continue
        costs = {name: spread([report["serverMicroseconds"] for report in reports]) for name, reports in result[which].items()}
        for name, (median, least, most) in costs.items():
            rate = f", {PICTURE_BITS / median / 1000:.2f} Gbit/s a core" if which == "M2" else ""
            print(f"{which}      {name:22} {median:.2f} µs a packet ({least:.2f} to {most:.2f}){rate}")
        ours, floor = costs["Ovation"][0], costs["floor"][0]
        if januses:
            janus = min(costs[each.name][0] for each in januses)
            # The floor sends each packet by itself: where runs leave in one message, Ovation is below it.
            over = (
                f"over the floor, Ovation spends {ours - floor:.2f} µs where Janus spends {janus - floor:.2f}: 1/{(janus - floor) / (ours - floor):.1f}"
                if ours > floor else f"Ovation is {floor - ours:.2f} µs below the floor, which sends each packet by itself")
            print(f"        Janus takes {janus / ours:.1f} × as long as Ovation; {over}")
        print("        without loss: " + ", ".join(
            f"{name} {report['listeners']} listeners ({report['packetsPerSecond']:.0f} packets/s)"
            for name, report in result[limits].items()))
    for name in ("M3", "M3 half"):
        for server, reports in result.get(name, {}).items():
            figures = [
                spread([report[what][part] for report in reports]) for what, part in (("latency", "p50"), ("latency", "p99"), ("lastCopy", "p99"))]
            print(
                f"{name:8}{server:22} {reports[0]['listeners']:5} listeners: " + ", ".join(
                    f"{title} {median:.2f} ms ({least:.2f} to {most:.2f})"
                    for title, (median, least, most) in zip(("p50", "p99", "last copy p99"), figures)))
    for server, report in result.get("M5", {}).items():
        print(f"M5      {server:22} {report['serverBytes'] / report['listeners'] / 1024:.1f} KiB a listener")


if __name__ == "__main__":
    try:
        main()
    except CannotMeasure as reason:
        raise SystemExit(f"bench-media: {reason}") from None
