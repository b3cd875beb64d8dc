"""People in other rooms, who must hardly notice an attack."""

import asyncio
import itertools
import json
import random
import time

from tools import Target
from websockets.asyncio.client import connect


async def bystander(target, account, room, samples):
    """Reads the clock ten times a second, and mutes and unmutes itself as often as one person may."""
    async with connect(target.url.replace("http", "ws", 1) + "/v1/connect", subprotocols=["ovation.v1"], origin=target.url,
                       compression=None, max_size=None) as line:
        number = 0

        async def call(method, **params):
            nonlocal number
            number += 1
            began = time.perf_counter()
            await line.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
            while True:
                answer = json.loads(await line.recv())
                if answer.get("id") == number:
                    return answer, (time.perf_counter() - began) * 1000

        await call("session.open", version=1, app=account["app"], user=account["user"], ticket=account["ticket"], name=account["name"])
        await call("room.enter", room=room)
        await call("seat.take", room=room, seat=int(account["seat"]))
        muted = False
        for turn in itertools.count():
            await asyncio.sleep(random.uniform(0.06, 0.14))
            _, waited = await call("clock.read")
            samples.append(waited)
            if turn % 3:
                continue
            muted = not muted
            answer, waited = await call("microphone.set", room=room, muted=muted)
            assert "result" in answer, answer
            samples.append(waited)


def bystanders(url, accounts, rooms, pipe):
    """A process of its own. On each message it says what has been measured since the last."""
    samples = []
    target = Target(url)

    async def everybody():
        loop = asyncio.get_running_loop()

        def asked():
            pipe.recv()
            pipe.send(list(samples))
            samples.clear()

        loop.add_reader(pipe.fileno(), asked)
        await asyncio.gather(*[bystander(target, account, rooms[account["room"]], samples) for account in accounts])

    asyncio.run(everybody())
