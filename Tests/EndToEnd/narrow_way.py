"""A narrow line between the server and a browser in a network namespace of its own.

Two TUN devices, one here and one there, and a thread that carries packets between them: slowly, late, and not all of them. It needs no
queueing discipline of the kernel, so it works where `netem` is absent. Needs root, or CAP_NET_ADMIN and CAP_SYS_ADMIN."""

import concurrent.futures
import contextlib
import ctypes
import fcntl
import heapq
import itertools
import os
import queue
import random
import select
import shutil
import socket
import struct
import subprocess
import threading
import time

from server import free_port

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
# Private networks in a block that home routers and containers rarely use.
# Each of several that run stories beside each other begins elsewhere.
NETWORKS = itertools.cycle(range(1, 250))
for _ in range(50 * (int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 5)):
    next(NETWORKS)


def tun(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    return device


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


class Lane:
    """One direction: bits a second, a queue that drops at its tail, a delay, and a share of packets that get lost on the way."""

    def __init__(self, rate, queue_seconds, delay, jitter, loss, seed):
        self.rate, self.queue_seconds, self.delay, self.jitter, self.loss = rate, queue_seconds, delay, jitter, loss
        self.random = random.Random(seed)
        self.free = 0.0
        self.last = 0.0
        self.bytes = 0
        self.dropped = 0

    def arrival(self, size, now):
        """When a packet comes out at the other end; none if it does not."""
        begin = max(now, self.free)
        if begin - now > self.queue_seconds:
            self.dropped += 1
            return None
        self.free = begin + 8 * size / self.rate
        if self.random.random() < self.loss:
            return None
        self.bytes += size
        # A line does not turn packets round.
        self.last = max(self.last, self.free + self.delay + self.random.random() * self.jitter)
        return self.last


class NarrowWay:
    """`down` is the lane towards the browser, `up` the one from it; their values may be changed while packets are under way."""

    def __init__(self, rate, up=10_000_000, queue_seconds=0.2, delay=0.025, jitter=0.0, loss=0.0, seed=1):
        self.down = Lane(rate, queue_seconds, delay, jitter, loss, seed)
        self.up = Lane(up, queue_seconds, delay, jitter, loss, seed + 1)
        self.open = True
        self.calls = queue.Queue()
        self.listeners = []
        self.connections = set()
        self.name = f"ov{os.getpid() % 100000}n{next(NETWORKS)}"[:15]
        self.network = f"10.213.{next(NETWORKS)}"
        self.here, self.there = f"{self.network}.1", f"{self.network}.2"
        self.device = tun(self.name)
        ip("address", "add", f"{self.here}/24", "dev", self.name)
        ip("link", "set", self.name, "up")
        threading.Thread(target=self._live_there, daemon=True).start()
        self.far = self.run(self._settle)
        self.carrier = threading.Thread(target=self._carry, daemon=True)
        self.carrier.start()

    # The namespace belongs to one thread: what is opened or started there is to be asked of it.
    def _live_there(self):
        while (call := self.calls.get()) is not None:
            work, result = call
            try:
                result.set_result(work())
            except BaseException as error:
                result.set_exception(error)

    def run(self, work):
        """Calls it inside the namespace: its sockets and processes belong there."""
        result = concurrent.futures.Future()
        self.calls.put((work, result))
        return result.result(60)

    def _settle(self):
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "a network namespace needs root")
        device = tun("way")
        ip("link", "set", "lo", "up")
        ip("address", "add", f"{self.there}/24", "dev", "way")
        ip("link", "set", "way", "up")
        ip("route", "add", "default", "via", self.here)
        return device

    def _carry(self):
        ends = {self.device: (self.down, self.far), self.far: (self.up, self.device)}
        waiting, count = [], itertools.count()
        while self.open:
            now = time.monotonic()
            while waiting and waiting[0][0] <= now:
                _, _, end, packet = heapq.heappop(waiting)
                with contextlib.suppress(OSError):
                    os.write(end, packet)
            wait = min(0.2, waiting[0][0] - now) if waiting else 0.2
            ready, _, _ = select.select(list(ends), [], [], max(0, wait))
            for device in ready:
                lane, end = ends[device]
                with contextlib.suppress(OSError):
                    while packet := os.read(device, 2048):
                        at = lane.arrival(len(packet), time.monotonic())
                        if at is not None:
                            heapq.heappush(waiting, (at, next(count), end, packet))

    def move(self):
        """The browser's machine gets another address, as a phone does that leaves its Wi-Fi; its connections end."""
        old, self.there = self.there, f"{self.network}.{int(self.there.rsplit('.', 1)[1]) + 1}"

        def settle():
            ip("address", "del", f"{old}/24", "dev", "way")
            ip("address", "add", f"{self.there}/24", "dev", "way")
            ip("route", "replace", "default", "via", self.here)

        self.run(settle)
        for end in list(self.connections):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def reach(self, port):
        """Inside, `localhost:port` is the server's port out here; its bytes take the same line as everything else."""
        door = socket.create_server((self.here, 0))
        self._relay(door, lambda: socket.create_connection(("127.0.0.1", port)))
        inside = self.run(lambda: socket.create_server(("127.0.0.1", port)))

        def dial():
            line = self.run(lambda: socket.create_connection((self.here, door.getsockname()[1]), timeout=10))
            self.connections.add(line)
            return line

        self._relay(inside, dial)

    def control(self, port):
        """Out here, `localhost:port` is that port inside, not over the line: how a browser there is driven."""
        door = socket.create_server(("127.0.0.1", port))

        def dial():
            # Who listens there may still be starting.
            for _ in range(200):
                try:
                    return self.run(lambda: socket.create_connection(("127.0.0.1", port), timeout=10))
                except ConnectionRefusedError:
                    time.sleep(0.05)
            raise ConnectionRefusedError(port)

        self._relay(door, dial)

    def _relay(self, door, dial):
        self.listeners.append(door)

        def accept():
            while True:
                try:
                    near, _ = door.accept()
                except OSError:
                    return
                threading.Thread(target=begin, args=(near,), daemon=True).start()

        def begin(near):
            try:
                far = dial()
            except OSError:
                near.close()
                return
            far.settimeout(None)
            threading.Thread(target=carry, args=(near, far), daemon=True).start()
            carry(far, near)

        def carry(source, sink):
            with contextlib.suppress(OSError):
                while chunk := source.recv(65536):
                    sink.sendall(chunk)
            for end in (source, sink):
                self.connections.discard(end)
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

        threading.Thread(target=accept, daemon=True).start()

    def driver(self):
        """Where Selenium starts and finds a browser of the namespace."""
        from selenium.webdriver.chrome.service import Service

        way = self

        class ServiceThere(Service):
            def _start_process(self, path):
                way.run(lambda: super(ServiceThere, self)._start_process(path))

        port = free_port()
        self.control(port)
        return ServiceThere(shutil.which("chromedriver"), port=port)

    def close(self):
        self.open = False
        self.carrier.join()
        for door in self.listeners:
            with contextlib.suppress(OSError):
                door.shutdown(socket.SHUT_RDWR)
            door.close()
        os.close(self.device)
        os.close(self.far)
        self.calls.put(None)
