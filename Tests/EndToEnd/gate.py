"""Three machines as network namespaces: a server's, what stands before it and translates its address, and one outside.

    server 10.77.0.2 — 10.77.0.1 gate 203.0.113.10 — 203.0.113.2 somebody

The addresses outside are those for examples (RFC 5737); no packet leaves this machine. Needs root and nftables."""

import contextlib
import itertools
import os
import shutil
import subprocess

INSIDE, GATE_INSIDE, GATE, SOMEBODY = "10.77.0.2", "10.77.0.1", "203.0.113.10", "203.0.113.2"
NUMBERS = itertools.count()


def is_possible():
    return os.geteuid() == 0 and shutil.which("nft") is not None and shutil.which("ip") is not None


def run(*command, text=None):
    done = subprocess.run(command, capture_output=True, text=True, input=text)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stderr}"
    return done.stdout


class Gate:
    """`one_to_one`: everything to the gate's address goes to the server, as in most clouds. `publish` forwards single ports instead, as
    Docker does for `-p`."""

    def __init__(self, one_to_one=False):
        name = f"ov{os.getpid() % 100000}g{next(NUMBERS)}"
        self.server, self.gate, self.somebody = (f"{name}{part}" for part in ("s", "g", "o"))
        self.blocked = 0
        self.exits = contextlib.ExitStack()
        try:
            for namespace in (self.server, self.gate, self.somebody):
                run("ip", "netns", "add", namespace)
                self.exits.callback(run, "ip", "netns", "del", namespace)
                run("ip", "-n", namespace, "link", "set", "lo", "up")
            self._connect(self.server, INSIDE, GATE_INSIDE, "in")
            self._connect(self.somebody, SOMEBODY, GATE, "out")
            run("ip", "-n", self.server, "route", "add", "default", "via", GATE_INSIDE)
            run("ip", "netns", "exec", self.gate, "sysctl", "-qw", "net.ipv4.ip_forward=1")
            self.nft("""
                add table ip nat
                add chain ip nat before { type nat hook prerouting priority dstnat; }
                add chain ip nat after { type nat hook postrouting priority srcnat; }
                add table ip wall
                add chain ip wall way { type filter hook prerouting priority -300; }""")
            if one_to_one:
                self.nft(f"add rule ip nat before ip daddr {GATE} dnat to {INSIDE}")
            self.nft(f"add rule ip nat after ip saddr {INSIDE} snat to {GATE}")
        except BaseException:
            self.close()
            raise

    def close(self):
        self.exits.close()

    def _connect(self, namespace, there, here, device):
        run("ip", "-n", self.gate, "link", "add", device, "type", "veth", "peer", "name", "way", "netns", namespace)
        for name, address, end in ((self.gate, here, device), (namespace, there, "way")):
            run("ip", "-n", name, "address", "add", f"{address}/24", "dev", end)
            run("ip", "-n", name, "link", "set", end, "up")

    def nft(self, text):
        run("ip", "netns", "exec", self.gate, "nft", "-f", "-", text="\n".join(line.strip() for line in text.splitlines()) + "\n")

    def publish(self, outside, inside, protocol):
        self.nft(f"add rule ip nat before ip daddr {GATE} {protocol} dport {outside} dnat to {INSIDE}:{inside}")

    @contextlib.contextmanager
    def without(self, protocol, port):
        """As a firewall that somebody forgot to open."""
        self.nft(f"add rule ip wall way {protocol} dport {port} drop")
        yield
        self.nft("flush chain ip wall way")

    @staticmethod
    def inside(namespace, *command):
        """The command line that runs `command` there."""
        return ["ip", "netns", "exec", namespace, *map(str, command)]
