"""A UDP line between a browser and the server's media port that takes its time: what a way over half the world does to a duet."""

import collections
import heapq
import select
import socket
import threading
import time


class FarWay:
    """Carries datagrams both ways, each `seconds` late; every sender gets a socket of its own, so that the server tells them apart."""

    def __init__(self, target, seconds, lose_every=None):
        """`lose_every`: of so many packets of sound one is lost, in each direction, from the 50th on."""
        self.target = ("127.0.0.1", target)
        self.seconds = seconds
        self.lose_every = lose_every
        # By direction: how many packets of each payload type came, and how many were lost.
        self.types = {"out": collections.Counter(), "in": collections.Counter()}
        self.lost = collections.Counter()
        self.near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.near.bind(("127.0.0.1", 0))
        self.port = self.near.getsockname()[1]
        self.open = True
        self.thread = threading.Thread(target=self._carry, daemon=True)
        self.thread.start()

    def _carry(self):
        far, names = {}, {}
        waiting, count = [], 0
        while self.open:
            now = time.monotonic()
            while waiting and waiting[0][0] <= now:
                _, _, sock, data, address = heapq.heappop(waiting)
                try:
                    sock.sendto(data, address)
                except OSError:
                    pass
            wait = min(0.2, waiting[0][0] - now) if waiting else 0.2
            ready, _, _ = select.select([self.near, *names], [], [], max(0, wait))
            at = time.monotonic() + self.seconds
            for sock in ready:
                try:
                    data, sender = sock.recvfrom(2048)
                except OSError:
                    continue
                count += 1
                if self._loses(data, "out" if sock is self.near else "in"):
                    continue
                if sock is not self.near:
                    heapq.heappush(waiting, (at, count, self.near, data, names[sock]))
                    continue
                if sender not in far:
                    far[sender] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                    names[far[sender]] = sender
                heapq.heappush(waiting, (at, count, far[sender], data, self.target))
        for sock in [self.near, *names]:
            sock.close()

    def _loses(self, data, way):
        # RFC 7983 and RFC 5761: sound, and not what is told about it. The header is in clear.
        if len(data) < 12 or not 128 <= data[0] <= 191 or 192 <= data[1] <= 223:
            return False
        self.types[way][data[1] & 127] += 1
        number = self.types[way].total()
        if not self.lose_every or number <= 50 or number % self.lose_every:
            return False
        self.lost[way] += 1
        return True

    def close(self):
        self.open = False
        self.thread.join()

    # Answers name one candidate for each of the server's addresses; only ours, at the line's port, is left of them.
    REROUTE = """
    (() => {
      const set = RTCPeerConnection.prototype.setRemoteDescription;
      RTCPeerConnection.prototype.setRemoteDescription = function ({ type, sdp }) {
        const near = /^(a=candidate:\\S+ \\d+ \\S+ \\d+) \\S+ \\d+ (.*)$/;
        const seen = new Set();
        const lines = sdp.split('\\r\\n').flatMap(line => {
          if (line.startsWith('m=')) seen.clear();
          const match = line.match(near);
          if (!match) return [line];
          if (seen.size > 0) return [];
          seen.add(line);
          return [`${match[1]} 127.0.0.1 PORT ${match[2]}`];
        });
        return set.call(this, { type, sdp: lines.join('\\r\\n') });
      };
    })()
    """

    def reroute(self, person):
        """The person's pages find the media plane at the end of this line; to be called before they load."""
        script = self.REROUTE.replace("PORT", str(self.port))
        person.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
