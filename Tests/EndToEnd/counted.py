"""A server whose work is counted: the instructions that it executes for one request or one call, whatever the machine does meanwhile.

Counted, since time on a shared machine says little, and virtual machines have no counters of their own. Valgrind executes the server and
counts; all of it, with the decoders of the system's libraries and what the kernel hands over.
"""

import pathlib
import re
import shutil
import subprocess

from server import EXECUTABLE, Server

TOOLS = ("valgrind", "vgdb", "clang", "strip")
# An instruction takes fifty times as long as without counting.
READY_SECONDS = 600


def is_possible():
    return all(shutil.which(tool) for tool in TOOLS)


class CountedServer(Server):
    ready_seconds = READY_SECONDS

    def __init__(self, data, *arguments, **options):
        super().__init__(data, *arguments, **options)
        self.folder = self.data.parent / "work"
        self.folder.mkdir()
        # Names of functions are not asked for, and reading them takes longer than the rest of the start.
        self.executable = self.folder / "ovation"
        subprocess.run(["strip", "-o", self.executable, EXECUTABLE], check=True)
        self.shim = self.folder / "sigsuspend.so"
        source = pathlib.Path(__file__).with_name("sigsuspend.c")
        subprocess.run(["clang", "-shared", "-fPIC", "-o", self.shim, source], check=True)

    def command(self):
        return ["env", f"LD_PRELOAD={self.shim}", "valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={self.folder / 'count'}",
                self.executable, *super().command()[1:]]

    def start(self):
        try:
            super().start()
        except BaseException:
            # Nobody else would end it, and it takes a processor.
            self.stop()
            raise

    def stop(self):
        # What it wrote is of no use to anybody, and counting while it says goodbye takes long.
        if self.process and self.process.poll() is None:
            self.kill()

    def _tell(self, word):
        subprocess.run(["vgdb", f"--pid={self.process.pid}", word], check=True, capture_output=True, timeout=60)

    def count(self, action):
        """Instructions from now until `action` is over, and what it gave."""
        self._tell("zero")
        given = action()
        self._tell("dump")
        [report] = self.folder.glob("count.*")
        counted = int(re.search(r"^totals: (\d+)", report.read_text(), re.MULTILINE)[1])
        report.unlink()
        return counted, given
