"""A disk of a few MB for a server's data, which a test can fill."""

import errno
import os
import pathlib
import subprocess

import pytest

from server import Server


class SmallDisk:
    """A file system in memory, in a mount namespace of its own, which lives as long as this does and survives the server."""

    def __init__(self, folder, megabytes):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        # Without root the mapped one of a user namespace may mount, where the system lets anybody have one.
        self.user = [] if os.geteuid() == 0 else ["--user"]
        way = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        script = 'mount -t tmpfs -o "size=$1" tmpfs "$2" && echo mounted && exec sleep infinity'
        self.holder = subprocess.Popen(
            [*way, "sh", "-c", script, "sh", f"{megabytes}m", self.folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.holder.stdout.readline() != "mounted\n":
            self.close()
            pytest.skip(f"a mount namespace is not to be had: {self.holder.stderr.read()}")
        # As it is seen from here.
        self.inside = pathlib.Path(f"/proc/{self.holder.pid}/root{self.folder}")

    def entering(self, command):
        return ["nsenter", "--target", str(self.holder.pid), "--mount", *(["--user", "--preserve-credentials"] if self.user else []), "--", *command]

    def fill(self):
        """Until not one more byte fits."""
        with open(self.inside / "filler", "ab", buffering=0) as filler:
            for piece in (b"x" * 65_536, b"x" * 4_096, b"x"):
                try:
                    while True:
                        filler.write(piece)
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def empty(self):
        (self.inside / "filler").unlink()

    def close(self):
        self.holder.kill()
        self.holder.wait()


class ServerOnDisk(Server):
    """A server whose data stand on such a disk."""

    def __init__(self, disk, *arguments, **options):
        super().__init__(disk.folder / "data", *arguments, **options)
        self.disk = disk
        self.output = disk.folder.parent / "server-on-disk.log"

    def command(self):
        return self.disk.entering(super().command())
