"""Attacks against a fresh release server: everybody else must hardly notice, and the server must
be as small afterwards as before.

    make attack                     (ARGS='--only uploads,pings')

While each attack runs, bystanders in other rooms call and change things all the time. Their 99th percentile stays within 50 ms, or three
times that of the quiet time of the same run, whichever is more; 30 s after the last attack the server's memory is within 64 MiB of before.

Sleeps here pace an attack or a measurement (a crawling upload, a call's budget, the 30 s of rest); nothing is synchronised by them.
"""

import argparse
import contextlib
import json
import multiprocessing
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from bystanders import bystanders
from malformed_attacks import malformed
from call_attacks import changes, ghosts, guests, lists, pings, renewals, strangers, unenterable, unread, unsigned
from media_attacks import datagrams, flood, requests, speech
from record_attacks import backlog, erasure, keys, stills, trail
from text_attacks import headers, marks, muted, wide
from tools import ROOT, Target
from upload_attacks import crawlers, loris, sounds, uploads

from client import Client, Gone, ticket
from server import EXECUTABLE, Server

ATTACKS = [
    uploads, loris, crawlers, unenterable, ghosts, changes, pings, unsigned, unread, renewals, lists, strangers, guests, datagrams, speech, flood,
    requests, malformed, marks, headers, wide, muted, stills, keys, trail, erasure, backlog]
# What honest people may wait, in times of the quiet time: noise alone is nobody's concern.
TIMES = {malformed: 1.5}
MOST_MS, TIMES_QUIET = 50, 3
MEMORY_MIB = 64
REST_SECONDS = 30
QUIET_SECONDS = 15
BYSTANDERS, ROOMS = 20, 5


def memory(server):
    for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0


def processor_seconds(server):
    """What the server has taken of processors, in its own code and the kernel's."""
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def attacked(attack, url, media_port, process, folder, result):
    target = Target(url)
    target.media_port, target.process, target.folder = media_port, process, folder
    # Python's own start is no attack.
    result.send("ready")
    result.recv()
    try:
        attack(target)
        result.send(None)
    except BaseException as failure:  # noqa: BLE001
        result.send(f"{type(failure).__name__}: {failure}")


def percentile(samples, share):
    return statistics.quantiles(samples, n=100)[share - 1] if len(samples) > 1 else float("nan")


@contextlib.contextmanager
def served(folder):
    """A server for development, a key for its operator in `folder/key`, and its application and secret in `folder/secret`."""
    with Server(folder / "data"):
        pass
    scopes = json.loads((ROOT / "Web/openapi.json").read_text())["components"]["schemas"]["Scope"]["enum"]
    command = [EXECUTABLE, "key", "create", "--name", "attack", *[word for scope in scopes for word in ("--scope", scope)], "--data", folder / "data"]
    made = subprocess.run([*command, "--app", application(folder / "data")], capture_output=True, text=True, check=True).stdout
    (folder / "key").write_text(dict(line.split() for line in made.splitlines())["key"])
    app = application(folder / "data")
    made = subprocess.run([EXECUTABLE, "app", "rotate-key", "--app", app, "--data", folder / "data"], capture_output=True, text=True, check=True).stdout
    (folder / "secret").write_text(f"{app} {made.split()[2]}")
    with Server(folder / "data", "--webhooks-allow-private", "true") as server:
        yield server


def application(data):
    """The one of a server for development."""
    return subprocess.run([EXECUTABLE, "app", "list", "--data", data], capture_output=True, text=True, check=True).stdout.split()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help=", ".join(attack.__name__ for attack in ATTACKS))
    options = parser.parse_args()
    chosen = [attack for attack in ATTACKS if not options.only or attack.__name__ in options.only.split(",")]
    failures = []
    with tempfile.TemporaryDirectory(prefix="ovation-attack-") as folder, served(pathlib.Path(folder)) as server:
        # Made before anything is measured: packing 373 MiB takes a core for a second.
        for number, sound in enumerate(sounds()):
            (pathlib.Path(folder) / f"sound-{number}").write_bytes(sound)
        hosts = [Client(server, ticket(server, f"Host {number}")) for number in range(ROOMS)]
        rooms = [host.call("room.create", name=f"Quiet {number}", seats=8)["room"] for number, host in enumerate(hosts)]
        accounts = [{**ticket(server, f"Bystander {number}"), "room": number % ROOMS, "seat": number // ROOMS + 1}
                    for number in range(BYSTANDERS)]
        ours, theirs = multiprocessing.Pipe()
        watching = multiprocessing.Process(target=bystanders, args=(server.url, accounts, rooms, theirs), daemon=True)
        watching.start()

        def since_last():
            ours.send(None)
            return ours.recv()

        time.sleep(3)
        since_last()
        taken = processor_seconds(server)
        time.sleep(QUIET_SECONDS)
        share = (processor_seconds(server) - taken) / QUIET_SECONDS
        quiet = percentile(since_last(), 99)
        before = memory(server)
        usual = max(MOST_MS, TIMES_QUIET * quiet)
        print(f"{'quiet':12} p99 {quiet:6.1f} ms, {before:6.1f} MiB, {share:4.0%} of a core; bystanders may see {usual:.0f} ms", flush=True)
        for attack in chosen:
            limit = TIMES[attack] * quiet if attack in TIMES else usual
            mine, its = multiprocessing.Pipe()
            process = multiprocessing.Process(target=attacked, args=(attack, server.url, server.media_port, server.process.pid, pathlib.Path(folder), its), daemon=True)
            process.start()
            mine.recv()
            since_last()
            began, taken = time.monotonic(), processor_seconds(server)
            mine.send("go")
            process.join(300)
            lasted = time.monotonic() - began
            share = (processor_seconds(server) - taken) / lasted
            problem = mine.recv() if mine.poll() else "it did not end"
            process.kill()
            samples = since_last()
            worst = percentile(samples, 99)
            print(f"{attack.__name__:12} p99 {worst:6.1f} ms, {memory(server):6.1f} MiB, {len(samples):5} calls in {lasted:4.0f} s, {share:4.0%} of a core"
                  + (f"  FAILED: {problem}" if problem else "") + ("  TOO SLOW" if not worst <= limit else ""), flush=True)
            if problem or not worst <= limit or not watching.is_alive():
                failures.append(attack.__name__)
        time.sleep(REST_SECONDS)
        after = memory(server)
        print(f"{'afterwards':12} {after:6.1f} MiB, {after - before:+.1f}", flush=True)
        if after - before > MEMORY_MIB:
            failures.append("memory")
        alive = server.process.poll() is None
        watching.kill()
        for host in hosts:
            with contextlib.suppress(Gone):
                host.close()
    if not alive:
        failures.append("the server ended")
    if failures:
        sys.exit(f"attack: {', '.join(failures)}")


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
