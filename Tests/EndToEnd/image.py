"""The image of Deploy/Dockerfile without Docker: its last stage on top of this machine's system, and `docker run` as far as the manual uses it.

Files are where the COPY lines put them, the RUN lines are run, USER, ENTRYPOINT and CMD count; apt-get is stood in for by a look at what
is installed here, since all of it is Debian's. What builds the executable is not run: it is the one under test."""

import argparse
import json
import pathlib
import re
import shlex
import shutil
import subprocess

from server import EXECUTABLE, ROOT

DOCKERFILE = ROOT / "Deploy/Dockerfile"
# What the image's own system has, and what the executable that is under test needs beside it.
BORROWED = ("bin", "dev", "lib", "lib64", "opt", "proc", "sbin", "usr", "var/lib/dpkg")
WORDS = ("FROM", "RUN", "WORKDIR", "COPY", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "ENTRYPOINT", "CMD")

# Installs nothing: says what would be missing.
APT_GET = """#!/bin/sh
case " $* " in
*" install "*)
    for word; do
        case $word in
        install | -*) ;;
        *) dpkg-query -W -f='${Status}' "$word" 2>/dev/null | grep -q 'ok installed' || { echo "no package $word" >&2; exit 1; } ;;
        esac
    done ;;
esac
"""


def stages(text):
    """Each stage of a Dockerfile as its lines: an instruction, and what follows it."""
    whole = re.sub(r"\\\n", " ", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE))
    found = []
    for line in filter(None, map(str.strip, whole.splitlines())):
        word, _, rest = line.partition(" ")
        assert word in WORDS, line
        if word == "FROM":
            found.append([])
        found[-1].append((word, rest.strip()))
    return found


class Image:
    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        self.lines = stages(DOCKERFILE.read_text())[-1]
        self.user, = self._all("USER")
        self.entry, self.command = (json.loads(*self._all(word)) for word in ("ENTRYPOINT", "CMD"))
        for name in BORROWED + ("etc", "tmp", "usr-local"):
            (self.root / name).mkdir(parents=True)
        # Accounts and what TLS trusts; the image's own are Debian's as well.
        for name in ("passwd", "group", "shadow", "gshadow", "login.defs", "ssl", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "nsswitch.conf"):
            here = pathlib.Path("/etc", name)
            if here.exists():
                (shutil.copytree if here.is_dir() else shutil.copy)(here, self.root / "etc" / name)
        (self.root / "tmp").chmod(0o1777)
        (self.root / "usr-local/sbin").mkdir(parents=True)
        shim = self.root / "usr-local/sbin/apt-get"
        shim.write_text(APT_GET)
        shim.chmod(0o755)
        for word, rest in self.lines:
            if word == "COPY":
                self._copy(rest)
            elif word == "RUN":
                # Lists of packages are this machine's.
                done = self.run(["sh", "-c", rest.replace("rm -rf /var/lib/apt/lists/*", "true")], user="root")
                assert done.returncode == 0, f"RUN {rest}\n{done.stderr}"

    def _all(self, word):
        return [rest for line, rest in self.lines if line == word]

    def _copy(self, rest):
        *options, source, there = shlex.split(rest)
        match options, source:
            case [], _:
                here = ROOT / source
            case ["--from=build"], "/out/bin/ovation":
                here = EXECUTABLE
            case ["--from=pages"], "/out/web":
                here = self.root / "pages"
                subprocess.run([ROOT / "scripts/pages", "--into", here], check=True, capture_output=True)
            case _:
                raise AssertionError(f"COPY {rest}")
        there = self.root / re.sub("^/usr/local/", "usr-local/", there).lstrip("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if here.is_dir() else shutil.copy)(here, there)

    def command_line(self, arguments, user=None, volumes=()):
        """What starts it inside: in a namespace of mounts, so that nothing stays behind."""
        mounts = [f"mount --bind {shlex.quote(f'/{name}')} {shlex.quote(f'{self.root}/{name}')}"
                  for name in BORROWED if pathlib.Path("/", name).exists()]
        mounts.append(f"mount --bind {self.root}/usr-local {self.root}/usr/local")
        mounts += [f"mount --bind {shlex.quote(str(here))} {shlex.quote(f'{self.root}{there}')}" for here, there in volumes]
        user = user or self.user
        rights = [] if user == "root" else ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"]
        inner = shlex.join(["chroot", str(self.root), *rights, *map(str, arguments)])
        return ["unshare", "--mount", "sh", "-ec", "\n".join([*mounts, f"exec {inner}"])]

    def run(self, arguments, **more):
        return subprocess.run(self.command_line(arguments, **more), capture_output=True, text=True, timeout=60)


def parser():
    options = argparse.ArgumentParser(prog="docker")
    options.add_argument("-d", action="store_true")
    options.add_argument("--rm", action="store_true")
    options.add_argument("--name")
    options.add_argument("--network", choices=["host"])
    options.add_argument("-p", action="append", default=[], dest="ports")
    options.add_argument("-v", action="append", default=[], dest="volumes")
    options.add_argument("-e", action="append", default=[], dest="settings")
    options.add_argument("image")
    options.add_argument("arguments", nargs=argparse.REMAINDER)
    return options


class Docker:
    """Runs the manual's `docker run` and `docker exec` lines: in the server's namespace, or with `--network host` in the gate's own."""

    def __init__(self, image, gate, volume):
        self.image, self.gate, self.volume = image, gate, volume
        self.place, self.settings = None, []

    def line(self, line):
        """The command line that does the same without Docker."""
        _, verb, *rest = shlex.split(line)
        if verb == "exec":
            name, *arguments = rest
            assert name == "ovation" and self.place
            return self.gate.inside(self.place, *self.image.command_line(self.settings + arguments, volumes=[(self.volume, "/data")]))
        assert verb == "run", line
        asked = parser().parse_args(rest)
        assert asked.image == "ovation" and asked.volumes == ["ovation:/data"]
        place = self.gate.gate if asked.network else self.gate.server
        if asked.d:
            self.place = place
        for port in asked.ports:
            outside, inside, protocol = re.fullmatch(r"(\d+):(\d+)(?:/(tcp|udp))?", port).groups()
            self.gate.publish(outside, inside, protocol or "tcp")
        # `docker exec` has them too.
        self.settings = ["env", *asked.settings]
        arguments = self.settings + self.image.entry + (asked.arguments or self.image.command)
        return self.gate.inside(place, *self.image.command_line(arguments, volumes=[(self.volume, "/data")]))
