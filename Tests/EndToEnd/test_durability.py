"""What was acknowledged survives `kill -9`, over many rounds at random moments under load."""

import os
import random
import threading

import pytest
from client import Client, Gone, Refused, ticket
from story import story

ROUNDS = int(os.environ.get("OVATION_KILL_ROUNDS", "30"))
SEED = int(os.environ.get("OVATION_SEED", "20261121"))
SPEAKERS = 4
# How far back each round looks: what a crash can take is at the end.
TAIL = 80


class Speaker:
    """Takes and leaves a seat of its own and chats; remembers what was acknowledged and what was under way when the line went dead."""

    def __init__(self, index, account):
        self.index = index
        self.account = account
        self.seated = False
        self.doubtful = None
        self.said = {}
        self.count = 0

    def perform(self, client, room):
        while True:
            self.count += 1
            try:
                if self.count % 3:
                    text = f"{self.index}-{self.count}"
                    self.said[text] = client.call("message.send", room=room, text=text, key=f"m{self.count}")["chat"]
                else:
                    self.doubtful = not self.seated
                    if self.seated:
                        client.call("seat.leave", room=room, key=f"s{self.count}")
                    else:
                        client.call("seat.take", room=room, seat=self.index, key=f"s{self.count}")
                    self.seated, self.doubtful = self.doubtful, None
            except Refused as refusal:
                if refusal.name != "rate_limited":
                    raise
            except Gone:
                return


def lasting(event):
    """A seat but for who is online just now, which nobody stores."""
    return {k: v for k, v in (event.get("seat") or {}).items() if k != "presence"}


@pytest.mark.settings("--rooms-messages-per-person", "1000", "--limits-messages-per-address", "1000")
@story("V07-S 30 rounds of kill -9 under seat commands and chat lose nothing acknowledged")
def test_kill_nine(server):
    generator = random.Random(SEED)
    accounts = [ticket(server, f"Speaker {n}") for n in range(SPEAKERS)]
    watcher_account = ticket(server, "Watcher")
    owner = Client(server, accounts[0])
    room = owner.call("room.create", name="Storm", seats=SPEAKERS)["room"]
    owner.close()
    speakers = [Speaker(n, account) for n, account in enumerate(accounts)]
    truth = {}
    acknowledged = 0

    for round_number in range(ROUNDS):
        watcher = Client(server, watcher_account)
        start = watcher.call("room.enter", room=room)["snapshot"]
        clients = [Client(server, s.account) for s in speakers]
        for speaker, client in zip(speakers, clients):
            entered = client.call("room.enter", room=room)["snapshot"]
            speaker.seated = entered["seats"][speaker.index].get("user") == client.user
            speaker.said.clear()
        threads = [threading.Thread(target=s.perform, args=(c, room)) for s, c in zip(speakers, clients)]
        for thread in threads:
            thread.start()
        threading.Event().wait(generator.uniform(0.05, 0.6))
        server.kill()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()
        told = [e for e in watcher.events if "seq" in e]
        for client in (watcher, *clients):
            client.close()

        server.start()
        back = Client(server, watcher_account)
        # As a client that was there asks: from a little before the last that it saw. A restarted room still has that.
        since = {"epoch": start["epoch"], "seq": start["seq"], "chat": start["chat"]}
        since["seq"] = max(since["seq"], max((e["seq"] for e in told), default=0) - TAIL)
        since["chat"] = max(since["chat"], max((n for s in speakers for n in s.said.values()), default=0) - TAIL)
        gap = back.call("room.enter", room=room, since=since)
        assert gap["resumed"], f"round {round_number}: the room no longer has the gap since {since}"
        replayed = {e["seq"]: e for e in gap["events"] if "seq" in e}
        for event in told:
            if event["seq"] > since["seq"]:
                kept = replayed.get(event["seq"])
                assert kept and kept["type"] == event["type"] and lasting(kept) == lasting(event), (
                    f"round {round_number}, seed {SEED}: told {event}, after the crash {kept}")
        assert sorted(replayed) == list(range(since["seq"] + 1, since["seq"] + 1 + len(replayed))), "the numbers have a hole"
        written = [e["text"] for e in gap["events"] if e["type"] == "message"]
        assert len(written) == len(set(written)), "a message came back twice"
        seats = back.call("room.enter", room=room)["snapshot"]["seats"]
        for speaker in speakers:
            lost = {text for text, number in speaker.said.items() if number > since["chat"]} - set(written)
            assert not lost, f"round {round_number}, seed {SEED}: acknowledged and lost: {sorted(lost)}"
            acknowledged += len(speaker.said)
            sits = seats[speaker.index].get("user") == speaker.account["user"]
            allowed = {speaker.seated} if speaker.doubtful is None else {speaker.seated, speaker.doubtful}
            assert sits in allowed, f"round {round_number}, seed {SEED}: seat {speaker.index} is {sits}, acknowledged {allowed}"
            speaker.doubtful = None
        truth[round_number] = len(replayed)
        back.close()

    assert acknowledged > ROUNDS * 5 and sum(truth.values()) > ROUNDS, "the load was too light to prove anything"
