#!/usr/bin/env python3
"""Tries the packages of `scripts/dist` in a fresh Debian 12 without Swift: install an older version, two people in a room, upgrade with
that room, two people who hear each other, remove, purge; the tarball too; the unit, started by systemd itself; and the stories of the
browser tests on the pages as they are packed. Needs root, for chroot and containers. The older version is built from its own sources,
which takes 10 minutes and more the first time.

    make test-dist
"""

import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))

from browsers import Chromium  # noqa: E402
from client import Client, ticket  # noqa: E402
from server import Server  # noqa: E402
from sound import music  # noqa: E402
from steps import enter_salon, live, sit  # noqa: E402
from story import story  # noqa: E402

OUT = ROOT / ".build-dist/out"
SAID = "before the upgrade"
MINIMAL = ROOT / ".build-dist/debian.tar"
SOURCES = [pathlib.Path("/etc/apt/sources.list"), pathlib.Path("/etc/apt/sources.list.d/debian.sources")]
SERVICE_USER = 64_142
# What the package recommends: with them uploaded songs are inspected.
LIBRARIES = ["libavformat59", "libavcodec59", "libswresample4", "libavutil57"]
# The last version whose snapshots had no format of their own, and the number that its package gets here.
OLDER, OLDER_COMMIT = "0.0.9", "4c63d8767081e515c1459a2b5e647ec60e8e946b"


# They walk through every kind of page.
STORIES = [f"test_{name}.py" for name in ("pages", "salon", "live", "stills", "duet", "gifts", "effects", "beauty", "console")]


def run(*command, fails=False, **options):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert fails or done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout[-5000:]}"
    return done.stdout


class Machine:
    """A Debian that nobody has touched, in a folder."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        if not MINIMAL.exists():
            # From where this machine has its packages.
            sources = [path for path in SOURCES if path.exists() and path.read_text().strip()]
            run("mmdebstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", MINIMAL, *sources)
        run("tar", "-xf", MINIMAL, "-C", self.root, "--exclude=./dev/*")
        (self.root / "dev").mkdir(exist_ok=True)
        for name, minor in (("null", 3), ("zero", 5), ("random", 8), ("urandom", 9)):
            if not (self.root / "dev" / name).exists():
                os.mknod(self.root / "dev" / name, 0o20666, os.makedev(1, minor))
                (self.root / "dev" / name).chmod(0o666)
        run("mount", "-t", "proc", "proc", self.root / "proc")
        shutil.copyfile("/etc/resolv.conf", self.root / "etc/resolv.conf")
        self("apt-get", "-qq", "update")

    def __call__(self, *command, **options):
        clean = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        kept = {key: value for key, value in os.environ.items() if key.lower().endswith("_proxy")}
        return run("chroot", self.root, *command, env={**clean, **kept}, **options)

    def install(self, *packages):
        for package in packages:
            shutil.copyfile(package, self.root / "tmp" / package.name)
        # Where the operator has changed a file and the package brings another, apt asks; this is the answer that keeps the operator's.
        keep = ["-o", "Dpkg::Options::=--force-confold"]
        return self("apt-get", "install", "-y", "--no-install-recommends", *keep, *[f"/tmp/{package.name}" for package in packages])

    def has(self, path):
        return (self.root / path.lstrip("/")).exists()

    def close(self):
        run("umount", self.root / "proc", fails=True)


class BootedMachine(Machine):
    """The same, with systemd as its first process. The network is this machine's."""

    def boot(self):
        self.close()
        self.console = open(self.root.parent / "console.log", "wb")
        self.container = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", f"--directory={self.root}", "--boot"],
            stdin=subprocess.DEVNULL, stdout=self.console, stderr=self.console)
        deadline = time.monotonic() + 60
        # Degraded, too: a container has no use for some of what a machine starts.
        while not self.leader() or self.within("systemctl", "is-system-running", fails=True).strip() not in ("running", "degraded"):
            assert self.container.poll() is None and time.monotonic() < deadline, (self.root.parent / "console.log").read_text(errors="replace")
            time.sleep(0.2)

    def leader(self):
        """The first process of the container, as this machine numbers it."""
        children = pathlib.Path(f"/proc/{self.container.pid}/task/{self.container.pid}/children").read_text().split()
        return next((child for child in children if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "systemd"), None)

    def within(self, *command, **options):
        """Runs a command in the container."""
        enter = ["nsenter", f"--target={self.leader()}", "--mount", "--uts", "--ipc", "--pid", "--root", "--wd"]
        return run(*enter, *command, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}, **options)

    def halt(self):
        if self.container.poll() is None:
            # What asks a container to power off (systemd(1), SIGRTMIN+4).
            os.kill(int(self.leader()), signal.SIGRTMIN + 4)
            try:
                self.container.wait(60)
            finally:
                self.container.kill()
        self.console.close()


class Unit(Server):
    """The server as systemd runs its unit."""

    def __init__(self, machine):
        super().__init__(machine.root / "var/lib/ovation", development=False)
        self.machine = machine

    def start(self):
        self.machine.within("systemctl", "start", "ovation")
        self.wait_until_ready()

    def restart(self):
        self.machine.within("systemctl", "restart", "ovation")
        self.wait_until_ready()

    def stop(self):
        self.machine.within("systemctl", "stop", "ovation")

    def wait_until_ready(self):
        deadline = time.monotonic() + 20
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=2) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                assert time.monotonic() < deadline, self.log()
                time.sleep(0.05)

    def log(self):
        status = self.machine.within("systemctl", "status", "--no-pager", "ovation", fails=True)
        return status + self.journal()

    def journal(self):
        return self.machine.within("journalctl", "--no-pager", "-u", "ovation", fails=True)

    def status(self):
        """What the kernel says of the server's process."""
        main = self.machine.within("systemctl", "show", "--value", "-p", "MainPID", "ovation").strip()
        text = self.machine.within("cat", f"/proc/{main}/status")
        return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


class Service(Server):
    """The server as its unit starts it: that command, that data folder, and a user of its own."""

    def __init__(self, machine, application):
        super().__init__(machine.root / "var/lib/ovation", development=False)
        self.output = machine.root / f"tmp/service-{self.port}.log"
        self.machine = machine
        unit = (machine.root / "lib/systemd/system/ovation.service").read_text()
        self.line = re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)[1].split()
        self.settings = dict(re.findall(r"^Environment=(\w+)=(.*)$", unit, re.MULTILINE))
        assert self.settings["OVATION_DATA"] == "/var/lib/ovation"
        self.settings |= {
            "OVATION_PORT": str(self.port), "OVATION_MEDIA_PORT": str(self.media_port), "OVATION_PUBLIC_URL": self.url,
            "OVATION_SIGN_IN_GUESTS": "true", "OVATION_SIGN_IN_APPLICATION": application,
        }

    def start(self):
        # What StateDirectory= does.
        for path in [self.data, *self.data.rglob("*")]:
            os.chown(path, SERVICE_USER, SERVICE_USER)
        self.data.chmod(0o700)
        super().start()

    def command(self):
        environment = [f"{name}={value}" for name, value in self.settings.items()]
        return ["chroot", self.machine.root, "setpriv", f"--reuid={SERVICE_USER}", f"--regid={SERVICE_USER}", "--clear-groups",
                "--no-new-privs", "env", "-i", "PATH=/usr/bin:/bin", *environment, *self.line]


def people_meet(server):
    """Two people in a room by the protocol: today's steps do not know an older version's pages. Gives the room."""
    anna, ben = Client(server, ticket(server, "Anna")), Client(server, ticket(server, "Ben"))
    room = anna.call("room.create", name="Packaged", seats=4)["room"]
    anna.call("seat.take", room=room, seat=0)
    ben.call("room.enter", room=room)
    ben.call("message.send", room=room, text=SAID)
    deadline = time.monotonic() + 10
    while not any(SAID in json.dumps(event) for event in anna.events):
        assert time.monotonic() < deadline, anna.events
        time.sleep(0.05)
    return room


def people_talk(server, folder, room, seat=1):
    """Two browsers in that room, one heard by the other, who see what was said before."""
    cleo = Chromium("Cleo", server, folder / "cleo", tone_hertz=440)
    dan = Chromium("Dan", server, folder / "dan")
    try:
        enter_salon(cleo, room)
        cleo.sees("salon")
        page = cleo.run("return document.title + document.body.textContent")
        assert "Packaged" in page and SAID in page and "Anna" in page, page
        sit(cleo, seat)
        live(cleo)
        enter_salon(dan, room)
        dan.hears_tone(440)
        assert not cleo.complaints() and not dan.complaints()
    finally:
        cleo.close()
        dan.close()


def application(machine):
    made = machine("ovation", "app", "create", "--name", "Packaged", "--data", "/var/lib/ovation")
    return re.search(r"\b(1[0-9]{9})\b", made)[1]


def upload(server, name, file):
    """Gives what is answered."""
    account = ticket(server, name)
    parts = [('name="title"', b"A steady tone"), ('name="durationMs"', b"9000"), ('name="audio"; filename="song.wav"', file)]
    body = b"".join(b"--edge\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n" % (name.encode(), data) for name, data in parts)
    request = urllib.request.Request(server.url + "/v1/songs", body + b"--edge--\r\n", {
        "Content-Type": "multipart/form-data; boundary=edge",
        "Authorization": f"Bearer {account['app']}:{account['user']}:{account['ticket']}"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as refusal:
        return json.loads(refusal.read())


@story("R10-S R11-S the unit, started by systemd: two people who hear each other, a song that is inspected, restart, stop")
def service(machine, folder, package):
    machine("apt-get", "install", "-y", "-qq", "--no-install-recommends", "systemd", "systemd-sysv", *LIBRARIES)
    machine.install(package)
    unit = Unit(machine)
    # As the package says it is done, as root: systemd then gives the folder to the service's own user.
    settings = {
        "OVATION_PORT": unit.port, "OVATION_MEDIA_PORT": unit.media_port, "OVATION_PUBLIC_URL": unit.url,
        "OVATION_SIGN_IN_GUESTS": "true", "OVATION_SIGN_IN_APPLICATION": application(machine),
    }
    lines = ["[Service]", *(f"Environment={name}={value}" for name, value in settings.items())]
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if 0 <= most < 1_048_576:
        print(f"note: LimitNOFILE={most}: this machine allows its containers no more", flush=True)
        lines.append(f"LimitNOFILE={most}")
    extra = machine.root / "etc/systemd/system/ovation.service.d"
    extra.mkdir(parents=True)
    (extra / "test.conf").write_text("\n".join(lines) + "\n")
    machine.boot()
    try:
        machine.within("systemctl", "enable", "--now", "ovation")
        unit.wait_until_ready()
        status = unit.status()
        assert (status["Seccomp"], status["NoNewPrivs"], int(status["CapEff"], 16)) == ("2", "1", 0), status
        assert status["Uid"].split()[0] != "0", status["Uid"]
        room = people_meet(unit)
        people_talk(unit, folder, room)
        song = upload(unit, "Uma", music(folder / "song.wav", (440, 440, 5)).read_bytes())
        # Its length came from the inspection, not from the uploader. A server that cannot confine the inspection refuses.
        assert song.get("song", {}).get("durationMs") == 5_000, song
        refused = upload(unit, "Udo", b"#EXTM3U\n/etc/passwd\n" * 8)
        assert "error" in refused, refused
        unit.restart()
        (folder / "again").mkdir()
        people_talk(unit, folder / "again", room, seat=2)
        unit.stop()
        assert machine.within("systemctl", "show", "--value", "-p", "Result", "ovation").strip() == "success", unit.log()
        # What the service itself has to say, for collectors: a line when it is ready, one when it has stopped, each time.
        said = [line.split("]: ", 1)[1] for line in unit.journal().splitlines() if re.search(r" ovation\[\d+\]: ", line)]
        assert [json.loads(line)["message"] for line in said] == ["ready", "stopped"] * 2, said
    except BaseException:
        print(unit.log(), flush=True)
        raise
    finally:
        machine.halt()


@story("R10-S R10-L the Debian package: install, start, two people who hear each other, upgrade, remove, purge")
def packages(machine, folder, older, newer):
    said = machine.install(older)
    assert "ovation serve --dev" in said, said[-2000:]
    assert not machine.has("/usr/lib/swift") and not machine("sh", "-c", "command -v swift || true").strip()
    assert "not found" not in machine("ldd", "/usr/bin/ovation")
    assert OLDER in machine("dpkg-query", "-W", "-f=${Version}", "ovation")
    for path in ("/usr/share/ovation/web/index.html", "/etc/ovation/ovation.yml", "/usr/share/doc/ovation/sbom.json",
                 "/usr/share/doc/ovation/versions.txt", "/usr/share/doc/ovation/copyright",
                 "/usr/share/doc/ovation/Documentation/operate/install.md", "/usr/share/doc/ovation/Documentation/build/protocol.md"):
        assert machine.has(path), path
    assert not machine("sh", "-c", "dpkg --verify ovation").strip()

    (machine.root / "var/lib/ovation").mkdir()
    service = Service(machine, application(machine))
    service.start()
    room = people_meet(service)
    service.stop()

    settings = machine.root / "etc/ovation/ovation.yml"
    settings.write_text(settings.read_text() + "# Changed here.\n")
    machine.install(newer)
    assert OLDER not in machine("dpkg-query", "-W", "-f=${Version}", "ovation")
    assert settings.read_text().endswith("# Changed here.\n"), "an upgrade keeps what the operator wrote"
    service = Service(machine, service.settings["OVATION_SIGN_IN_APPLICATION"])
    service.start()
    people_talk(service, folder, room)
    service.stop()

    machine("apt-get", "remove", "-y", "ovation")
    assert not machine.has("/usr/bin/ovation") and machine.has("/var/lib/ovation/ovation.sqlite")
    assert machine.has("/etc/ovation/ovation.yml")
    machine("apt-get", "purge", "-y", "ovation")
    assert not machine.has("/var/lib/ovation") and not machine.has("/etc/ovation")
    left = machine("sh", "-c", "find / -xdev -name '*ovation*' -not -path '/proc/*' -not -path '/tmp/*' -not -path '/var/cache/*' || true")
    assert not left.strip(), left


@story("R10-S the tarball: its own installer, and what it says where a library is missing")
def tarball(machine, archive):
    shutil.copyfile(archive, machine.root / "tmp/ovation.tar.gz")
    machine("tar", "-xzf", "/tmp/ovation.tar.gz", "-C", "/tmp")
    [folder] = [path.name for path in (machine.root / "tmp").iterdir() if path.name.startswith("ovation-") and path.is_dir()]
    machine("sh", "-c", "apt-get -y -qq autoremove --purge")
    said = machine(f"/tmp/{folder}/install.sh", fails=True)
    assert "these libraries are missing" in said and "apt install" in said, said
    machine("apt-get", "install", "-y", "-qq", "--no-install-recommends", *re.search(r"apt install (.*)", said)[1].split())
    said = machine(f"/tmp/{folder}/install.sh")
    assert said.rstrip().endswith("/usr/local/bin/ovation serve --dev"), said
    assert re.search(r"\d+\.\d+", machine("/usr/local/bin/ovation", "version"))
    said = machine("sh", "-c", "cd /tmp && timeout 10 /usr/local/bin/ovation serve --dev --port 20199 --media-port 20198 --data /tmp/try || true")
    assert "http://localhost:20199" in said, said


@story("R12-W the pages as they are packed: people in every kind of room, and an operator at the console")
def pages(package, folder):
    run("dpkg-deb", "-x", package, folder / "pages")
    packed = {"OVATION_EXECUTABLE": folder / "pages/usr/bin/ovation", "OVATION_WEB_ROOT": folder / "pages/usr/share/ovation/web"}
    assert (packed["OVATION_WEB_ROOT"] / "built/routes.json").exists(), "they are bundled"
    run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not nightly", *[ROOT / "Tests/EndToEnd" / name for name in STORIES],
        env={**os.environ, **{name: str(path) for name, path in packed.items()}})


@story("R10-S the unit is one that systemd reads without a word")
def unit(package, folder):
    run("dpkg-deb", "-x", package, folder / "unpacked")
    service = folder / "unpacked/lib/systemd/system/ovation.service"
    # Where the executable will be.
    text = service.read_text().replace("/usr/bin/ovation", str(folder / "unpacked/usr/bin/ovation"))
    service.write_text(text.replace("Documentation=file:///etc/ovation/ovation.yml\n", ""))
    said = run("systemd-analyze", "verify", service)
    assert "ovation" not in said, said


def main():
    if os.geteuid():
        sys.exit("try_packages: needs root, for chroot")
    version = re.search(r'static let version = "([^"]+)"', (ROOT / "Sources/Server/ServerApp/ServerApplication.swift").read_text())[1]
    run(ROOT / "scripts/dist")
    run(ROOT / "scripts/dist", "--from", OLDER_COMMIT, "--version", OLDER)
    run("sha256sum", "-c", f"ovation-{version}.sha256", cwd=OUT)
    with tempfile.TemporaryDirectory(prefix="ovation-dist-") as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        for name in ("machine", "booted", "service"):
            (folder / name).mkdir()
        machine, booted = Machine(folder / "machine"), BootedMachine(folder / "booted")
        older, newer = (OUT / f"ovation_{number}_amd64.deb" for number in (OLDER, version))
        try:
            for check, arguments in [
                (unit, (newer, folder)),
                (pages, (newer, folder)),
                (service, (booted, folder / "service", newer)),
                (packages, (machine, folder, older, newer)),
                (tarball, (machine, OUT / f"ovation-{version}-linux-x86_64.tar.gz")),
            ]:
                check(*arguments)
                print(f"ok: {check.story}", flush=True)
        finally:
            machine.close()
            booted.close()


main()
