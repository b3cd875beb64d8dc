"""C1 to C6: how late messages in a room come, what a delivery costs, what an idle connection costs, and how fast everybody is back when the
server was gone; for Ovation, for nginx with nchan, and for a floor that only writes the same bytes, in one run over one link.

Server and load have a network namespace each, with a veth pair between them; the server's process runs on the first processor, the
load on the second. Wants root, and nchan where it is to be compared with (Debian: apt install libnginx-mod-nchan)."""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from two_hosts import (
    BUILT, FIRST_PARTICIPANT, LOAD, ROOT, SERVER, SERVER_ADDRESS, SIGNALLING_PORT, CannotMeasure, allow_many_files, inside, link, listens,
    machine, ovation, process, spread, wait_for)

NCHAN = "/usr/lib/nginx/modules/ngx_nchan_module.so"
TEXT_BYTES = 200
# Everybody of the load comes from few addresses and says much: as operators would raise them behind a balancer.
LIMITS = {
    "OVATION_LIMITS_CALLS_PER_SECOND": 1_000_000, "OVATION_LIMITS_CONNECTIONS": 60_000, "OVATION_ROOMS_MESSAGES_PER_SECOND": 1_000_000,
    "OVATION_ROOMS_MESSAGES_PER_PERSON": 1_000_000, "OVATION_LIMITS_MESSAGES_PER_ADDRESS": 1_000_000}


class Ovation:
    name = "Ovation"

    def __init__(self, executable=BUILT / "ovation"):
        self.executable = executable

    @contextlib.contextmanager
    def serving(self):
        with tempfile.TemporaryDirectory() as folder, ovation(folder, executable=self.executable, **LIMITS) as (server, target):
            yield server.pid, target


class Watched:
    """With an operator's program that is told of each message, or asked about it before anybody gets it. It runs beside the load."""

    PORT = 8099

    def __init__(self, name, *options):
        self.name, self.options = name, options

    @contextlib.contextmanager
    def serving(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "receiver")
            with log.open("w") as output, process(
                SERVER, 1, sys.executable, ROOT / "Benchmarks/ChatBench/receiver.py", self.PORT, stdout=output, stderr=output
            ) as receiver:
                wait_for(lambda: listens(self.PORT), receiver, log)

                def add(application):
                    subprocess.run(
                        [BUILT / "ovation", "webhook", "add", "--app", application, "--url", f"http://127.0.0.1:{self.PORT}/", "--data", folder,
                         *self.options], check=True, capture_output=True)

                with ovation(folder, prepare=add, OVATION_WEBHOOKS_ALLOW_PRIVATE="true", **LIMITS) as (server, target):
                    yield server.pid, target
            print(f"  {self.name}: {log.read_text().strip()} requests taken", flush=True)


class Nchan:
    name = "nchan"

    @contextlib.contextmanager
    def serving(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "nginx.conf").write_text(f"""
load_module {NCHAN};
daemon off;
worker_processes 1;
worker_rlimit_nofile 60000;
pid {folder}/pid;
error_log {folder}/log warn;
events {{ worker_connections 30000; }}
http {{
  access_log off;
  server {{
    listen {SIGNALLING_PORT} backlog=4096;
    location = /sub {{ nchan_subscriber websocket; nchan_channel_id $arg_id; nchan_subscriber_first_message newest; }}
    location = /pub {{ nchan_publisher websocket; nchan_channel_id $arg_id; nchan_message_buffer_length 50; }}
  }}
}}
""")
            log = pathlib.Path(folder, "log")
            log.touch()
            with process(SERVER, 0, shutil.which("nginx"), "-p", folder, "-c", f"{folder}/nginx.conf") as server:
                wait_for(lambda: listens(SIGNALLING_PORT), server, log)
                # The worker does the work.
                worker = subprocess.run(["pgrep", "-P", str(server.pid)], capture_output=True, text=True).stdout.split()
                if not worker:
                    raise CannotMeasure(f"nginx has no worker: {log.read_text()[-500:]}")
                yield int(worker[0]), ["--channel", f"ws://{SERVER_ADDRESS}:{SIGNALLING_PORT}"]


class Floor:
    name = "floor"

    def __init__(self, envelope):
        self.envelope = envelope

    @contextlib.contextmanager
    def serving(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "log")
            with log.open("w") as output, process(
                SERVER, 0, BUILT / "ChatFloor", SIGNALLING_PORT, self.envelope, stdout=output, stderr=output
            ) as server:
                wait_for(lambda: listens(SIGNALLING_PORT), server, log)
                yield server.pid, ["--channel", f"ws://{SERVER_ADDRESS}:{SIGNALLING_PORT}"]


class Budgeted:
    """With the room's budget of messages as it is by default."""

    name = "Ovation"

    @contextlib.contextmanager
    def serving(self):
        limits = {name: value for name, value in LIMITS.items() if name != "OVATION_ROOMS_MESSAGES_PER_SECOND"}
        with tempfile.TemporaryDirectory() as folder, ovation(folder, **limits) as (server, target):
            yield server.pid, target


def load_of(target, pid, *options):
    command = inside(
        LOAD, 1, BUILT / "ovation", "bench", "chat", *target, "--server-process", pid, "--json", "--size", TEXT_BYTES, "--addresses",
        FIRST_PARTICIPANT, *options)
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def measure(server, *options, patience=400):
    with server.serving() as (pid, target), load_of(target, pid, *options) as load:
        try:
            output, error = load.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            load.kill()
            raise CannotMeasure(f"{server.name}: not done after {patience} s") from None
        reports = [json.loads(line) | {"server": server.name} for line in output.splitlines()]
        for report in reports:
            say(report)
        if load.returncode != 0:
            # What was measured before a server gave in counts.
            if not reports:
                raise CannotMeasure(f"{server.name}: {error.strip()}")
            print(f"  {server.name}: {error.strip()}", flush=True)
        return reports


def say(report):
    if "seatChanges" in report:
        latency = report["seatLatency"]
        print(
            f"  {report['server']:8} {report['members']:6} members {report['rate']:6.0f} messages/s: {report['taken']} of {report['said']} taken,"
            f" {report['refused']} refused, {report['delivered']} of {report['expected']} copies; {report['seatChanges']} seat changes,"
            f" {report['seatsDelivered']} of {report['seatsExpected']} copies, p50 {latency['p50']:.2f}, p99 {latency['p99']:.2f}, most {latency['most']:.1f} ms")
        return
    if "rate" not in report:
        server = f"server {report['serverBytes'] / 1024:.1f} KiB each, " if report.get("serverBytes") is not None else ""
        print(f"  {report['server']:8} {report['members']:6} lines in {report['seconds']:.1f} s: {server}kernel {report['kernelBytes'] / 1024:.1f} KiB each")
        return
    latency = report.get("latency") or {"p50": float("nan"), "p99": float("nan"), "most": float("nan")}
    core = report["cores"]
    first, second = core[0], core[1] if len(core) > 1 else core[0]
    print(
        f"  {report['server']:8} {report['members']:6} members {report['rate']:6.0f} messages/s {report['deliveriesPerSecond']:9.0f} deliveries/s"
        f"  p50 {latency['p50']:6.2f}  p99 {latency['p99']:6.2f}  most {latency['most']:6.1f} ms"
        f"  {report['serverMicroseconds']:5.2f} µs a delivery, {report['frameMicroseconds']:5.2f} a frame of {report['textsPerFrame']:.1f}"
        f"  {100 * report['serverShare']:3.0f} % of a core, reader {100 * report['readerShare']:3.0f} %"
        f"  cores {100 * first['busy']:.0f} ({100 * first['softInterrupts']:.0f}) and {100 * second['busy']:.0f} ({100 * second['softInterrupts']:.0f}) %,"
        f" stolen {100 * max(first['stolen'], second['stolen']):.1f} %"
        f"{', refused ' + str(report['refused']) if report['refused'] else ''}"
        f"{', incomplete for ' + str(report['incomplete']) if report['incomplete'] else ''}",
        flush=True)


def is_good(report):
    return report["incomplete"] == 0 and report["refused"] == 0 and report["latency"] and report["latency"]["p99"] <= 50


def by_turns(servers, rounds, *options):
    """Machines change their speed from minute to minute."""
    reports = {server.name: [] for server in servers}
    for _ in range(rounds):
        for server in servers:
            reports[server.name] += measure(server, *options)
    return reports


def comeback(members):
    with tempfile.TemporaryDirectory() as folder:
        with ovation(folder, **LIMITS) as (server, target):
            load = load_of(target, server.pid, "--members", members, "--comeback", "--rates", 20)
            joined = load.stdout.readline()
            if not joined:
                raise CannotMeasure(f"nobody came in: {load.stderr.read().strip()}")
            # Long enough for some messages to have been said.
            time.sleep(3)
            server.send_signal(signal.SIGKILL)
            server.wait()
        with ovation(folder, **LIMITS), load:
            output, error = load.communicate(timeout=200)
            if load.returncode != 0:
                raise CannotMeasure(error.strip())
            return json.loads(output)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20, help="for each point")
    parser.add_argument("--rounds", type=int, default=3, help="in which servers take turns at a point")
    parser.add_argument("--only", default="C1,C2,C3,C4,C5,C6,C7", help="C1 to C7, with commas")
    parser.add_argument("--members", type=int, default=1_000, help="of C1's and C2's room")
    parser.add_argument("--crowd", type=int, default=8_000, help="of C3's room")
    parser.add_argument("--lines", type=int, default=10_000, help="of C4")
    parser.add_argument("--returning", type=int, default=5_000, help="of C5")
    parser.add_argument("--listeners", type=int, default=10_000, help="of C7's room")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / ".build/bench-chat.json")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",")
    if os.geteuid() != 0:
        raise CannotMeasure("network namespaces want root")
    allow_many_files()
    peers = [Nchan()] if shutil.which("nginx") and pathlib.Path(NCHAN).exists() else []
    if not peers:
        print("nchan is not installed here (Debian: apt install libnginx-mod-nchan): nothing to compare with")
    result = {"machine": machine()}
    seconds = ["--seconds", arguments.seconds]
    with link():
        # What Ovation puts around a text, for the floor.
        probe = measure(Ovation(), "--members", 50, "--rates", 20, "--seconds", 1)[0]
        floor = Floor(max(0, round(probe["bytesPerDelivery"] - 4 - TEXT_BYTES)))
        if "C1" in wanted:
            print(f"C1: {arguments.members} members, 20 messages a second")
            watched = (Watched("webhook", "--event", "message"), Watched("reviewer", "--review-else", "allow"))
            result["C1"] = by_turns((floor, Ovation(), *watched, *peers), arguments.rounds, "--members", arguments.members, "--rates", 20, *seconds)
        if "C2" in wanted:
            print(f"C2: {arguments.members} members, as much as comes whole and within 50 ms")
            steps = ",".join(map(str, (50, 100, 150, 200, 300, 400, 600, 800, 1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000)))
            result["C2"] = {
                server.name: measure(server, "--members", arguments.members, "--rates", steps, "--until-late", "--seconds", 8)
                for server in (floor, Ovation(), *peers)}
            best = [report for report in result["C2"]["Ovation"] if is_good(report)]
            if best:
                print("C2: at our limit, by turns with the floor")
                result["C2 limit"] = by_turns(
                    (floor, Ovation()), arguments.rounds, "--members", arguments.members, "--rates", best[-1]["rate"], *seconds)
        if "C3" in wanted:
            print(f"C3: {arguments.crowd} members, 5 messages a second")
            result["C3"] = by_turns((floor, Ovation(), *peers), 1, "--members", arguments.crowd, "--rates", 5, *seconds)
        if "C4" in wanted:
            print(f"C4: {arguments.lines} idle lines")
            result["C4"] = by_turns((Ovation(), *peers), 1, "--members", arguments.lines, "--lines")
        if "C5" in wanted:
            print(f"C5: {arguments.returning} members lose the server and come back")
            result["C5"] = comeback(arguments.returning)
        if "C6" in wanted:
            print(f"C6: {arguments.members} members, ten times the room's budget of messages for 30 s, seats among them")
            result["C6"] = measure(Budgeted(), "--members", arguments.members, "--rates", 400, "--seconds", 30, "--flood")[0]
        if "C7" in wanted:
            print(f"C7: {arguments.listeners} members with a socket each, four changes of a seat a second")
            result["C7"] = measure(Budgeted(), "--members", arguments.listeners, "--rates", 1, "--seconds", 20, "--flood")[0]
    arguments.json.write_text(json.dumps(result, indent=1))
    summarize(result)


def summarize(result):
    print()
    for name in ("C1", "C3"):
        for server, reports in result.get(name, {}).items():
            figures = ", ".join(
                f"{part} {median:.2f} ms ({least:.2f} to {most:.2f})"
                for part, (median, least, most) in ((part, spread([report["latency"][part] for report in reports])) for part in ("p50", "p99")))
            cost = spread([report["serverMicroseconds"] for report in reports])[0]
            print(f"{name}  {server:8} {figures}, {cost:.2f} µs a delivery{'' if all(map(is_whole, reports)) else ', NOT WHOLE'}")
    if "C2" in result:
        limits = {}
        for server, reports in result["C2"].items():
            good = [report for report in reports if is_good(report)]
            if good:
                limits[server] = good[-1]
                report = good[-1]
                print(
                    f"C2  {server:8} {report['rate']:.0f} messages/s, {report['deliveriesPerSecond']:.0f} deliveries/s,"
                    f" {1e6 / report['serverMicroseconds']:.0f} a second of the server's processor, p99 {report['latency']['p99']:.1f} ms")
        if "nchan" in limits and "Ovation" in limits:
            print(f"    {limits['nchan']['serverMicroseconds'] / limits['Ovation']['serverMicroseconds']:.1f} × nchan's deliveries per core")
    if "C2 limit" in result:
        ours, floor = (spread([report["frameMicroseconds"] for report in result["C2 limit"][name]]) for name in ("Ovation", "floor"))
        print(f"    a frame {ours[0]:.2f} µs ({ours[1]:.2f} to {ours[2]:.2f}), floor {floor[0]:.2f} ({floor[1]:.2f} to {floor[2]:.2f}): {ours[0] / floor[0]:.2f} × the floor")
    for server, reports in result.get("C4", {}).items():
        print(f"C4  {server:8} {reports[0]['serverBytes'] / 1024:.1f} KiB a line, kernel (both ends) {reports[0]['kernelBytes'] / 1024:.1f}")
    if "C5" in result:
        report = result["C5"]
        print(
            f"C5  {report['members']} back {report['sinceAccepted']:.2f} s after the server took the first connection ({report['sinceLoss']:.2f} after the loss),"
            f" {report['snapshots']} by snapshot; {report['taken']} messages taken, {report['lost']} copies lost, {report['doubled']} doubled")

    if "C6" in result:
        report = result["C6"]
        print(
            f"C6  {report['seatsDelivered']} of {report['seatsExpected']} copies of seat news, p99 {report['seatLatency']['p99']:.1f} ms;"
            f" {report['taken']} of {report['said']} messages taken, the senders of {report['refused']} told")
    if "C7" in result:
        report = result["C7"]
        print(
            f"C7  {report['seatsDelivered']} of {report['seatsExpected']} copies of seat news, p99 {report['seatLatency']['p99']:.1f} ms,"
            f" the last {report['seatLatency']['most']:.1f} ms")


def is_whole(report):
    return report["incomplete"] == 0 and report["refused"] == 0


if __name__ == "__main__":
    try:
        main()
    except CannotMeasure as reason:
        raise SystemExit(f"bench-chat: {reason}") from None
