"""A server and its load as if they had a machine each: a network namespace each with a veth pair between them, the server on the first
processor, the load on the second. Wants root."""

import contextlib
import os
import pathlib
import resource
import signal
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILT = ROOT / ".build/release"
SERVER, LOAD = "ovation-server", "ovation-load"
# RFC 2544 sets 198.18.0.0/15 aside for benchmarks.
SERVER_ADDRESS, LOAD_ADDRESS, PARTICIPANTS = "198.18.0.1", "198.18.0.2", "198.19.0.0/16"
FIRST_PARTICIPANT = "198.19.0.1"
SIGNALLING_PORT = 8080


class CannotMeasure(Exception):
    pass


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise CannotMeasure(f"{' '.join(map(str, command))}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


@contextlib.contextmanager
def link():
    """Two namespaces and the way between them."""
    drop_link()
    try:
        for name in (SERVER, LOAD):
            run("ip", "netns", "add", name)
            run("ip", "-n", name, "link", "set", "lo", "up")
        run("ip", "link", "add", "ovbench0", "netns", SERVER, "type", "veth", "peer", "name", "ovbench1", "netns", LOAD)
        for name, device, address in ((SERVER, "ovbench0", SERVER_ADDRESS), (LOAD, "ovbench1", LOAD_ADDRESS)):
            run("ip", "-n", name, "address", "add", f"{address}/30", "dev", device)
            run("ip", "-n", name, "link", "set", device, "up")
        # What arrives is the work of whoever gets it, as between two machines: without this, the kernel's receiving is done by whoever sends.
        for name, device, core in ((SERVER, "ovbench0", 0), (LOAD, "ovbench1", 1)):
            run("ip", "netns", "exec", name, "sh", "-c", f"echo {1 << core:x} > /sys/class/net/{device}/queues/rx-0/rps_cpus")
        run("ip", "-n", SERVER, "route", "add", PARTICIPANTS, "via", LOAD_ADDRESS)
        run("ip", "-n", LOAD, "route", "add", "local", PARTICIPANTS, "dev", "lo")
        yield
    finally:
        drop_link()


def drop_link():
    for name in (SERVER, LOAD):
        subprocess.run(["ip", "netns", "del", name], capture_output=True)


def inside(namespace, core, *command):
    return ["ip", "netns", "exec", namespace, "taskset", "-c", str(core), *map(str, command)]


@contextlib.contextmanager
def process(namespace, core, *command, **options):
    # `ip netns exec` and `taskset` become the command, so that its number is the process's.
    started = subprocess.Popen(inside(namespace, core, *command), **options)
    try:
        yield started
    finally:
        if started.poll() is None:
            started.send_signal(signal.SIGTERM)
            try:
                started.wait(20)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()


def wait_for(reachable, started, log):
    for _ in range(200):
        if started.poll() is not None:
            raise CannotMeasure(f"the server ended: {log.read_text()[-2000:]}")
        if reachable():
            return
        time.sleep(0.05)
    raise CannotMeasure(f"the server does not answer: {log.read_text()[-2000:]}")


def listens(port):
    found = subprocess.run(["ip", "netns", "exec", SERVER, "ss", "-Hltn", f"sport = :{port}"], capture_output=True, text=True)
    return bool(found.stdout.strip())


@contextlib.contextmanager
def ovation(folder, *, executable=BUILT / "ovation", prepare=lambda application: None, **settings):
    """A server with an application of its own, its process, and what a load needs in order to reach it. `prepare` is called before it
    starts."""
    folder = pathlib.Path(folder)
    fields_file = folder / "application"
    if not fields_file.exists():
        fields_file.write_text(run(executable, "app", "create", "--name", "Bench", "--data", folder))
    fields = dict(line.rsplit(None, 1) for line in fields_file.read_text().splitlines())
    prepare(fields["application"])
    log = folder / "log"
    given = {"OVATION_HOST": "0.0.0.0", "OVATION_PORT": SIGNALLING_PORT, "OVATION_DATA": folder, "OVATION_LOG_LEVEL": "warning"} | settings
    environment = os.environ | {name: str(value) for name, value in given.items()}
    with log.open("a") as output, process(
        SERVER, 0, executable, "serve", env=environment, stdout=output, stderr=output
    ) as server:
        wait_for(lambda: listens(SIGNALLING_PORT), server, log)
        yield server, [
            "--server", f"http://{SERVER_ADDRESS}:{SIGNALLING_PORT}", "--app", fields["application"], "--key", fields["secret key"]]


def allow_many_files():
    """A server has a socket and more for each of its clients."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65_536, hard) if hard != resource.RLIM_INFINITY else 65_536, hard))


def spread(values):
    values = sorted(values)
    return statistics.median(values), values[0], values[-1]


def machine():
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown")
    return {"processor": model, "cores": os.cpu_count(), "kernel": os.uname().release, "time": time.strftime("%Y-%m-%d %H:%M")}
