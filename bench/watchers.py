"""Spectators of one match: `python -m bench.watchers KIND TARGET WEB MATCH COUNT`.

KIND: `grpc`, each with a connection of its own, or `sse`, by the gateway at WEB. It prints `open` when all of them have
the match, then for each event, as soon as all of them have it, its number and when each got it, in ms of this machine's
clock.
"""

import asyncio
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable

import grpc

from bench.tables import Guest, new_guests, stub_of
from bench.web import follow
from croupier.v1 import matches_pb2

_AT_ONCE = 16  # streams that are being opened

Heard = Callable[[int], None]


async def _grpc(target: str, match: str, guest: Guest, opened: Callable[[], None], heard: Heard) -> None:
    options = [("grpc.use_local_subchannel_pool", 1)]
    async with grpc.aio.insecure_channel(target, options=options) as channel:
        request = matches_pb2.WatchMatchRequest(match=match)
        async for message in stub_of(channel).WatchMatch(request, metadata=guest.metadata):
            if message.HasField("event"):
                heard(message.event.sequence)
            elif message.HasField("snapshot"):
                opened()


async def _sse(web: str, match: str, guest: Guest, opened: Callable[[], None], heard: Heard) -> None:
    async for frame in follow(web, match, guest.token):
        if frame.name == "event":
            heard(frame.sequence)
        elif frame.name == "snapshot":
            opened()


async def _main(kind: str, target: str, web: str, match: str, count: int) -> None:
    got: dict[int, list[float]] = defaultdict(list)
    gate = asyncio.Semaphore(_AT_ONCE)
    begun = asyncio.Semaphore(0)

    def heard(sequence: int) -> None:
        got[sequence].append(round(time.time() * 1000, 1))
        if len(got[sequence]) == count:
            print(json.dumps([sequence, got.pop(sequence)]), flush=True)

    async def watch(guest: Guest) -> None:
        await gate.acquire()

        def opened() -> None:
            gate.release()
            begun.release()

        if kind == "grpc":
            await _grpc(target, match, guest, opened, heard)
        else:
            await _sse(web, match, guest, opened, heard)
        raise RuntimeError("a stream has ended")

    async with grpc.aio.insecure_channel(target) as channel:
        guests = await new_guests(channel, count)
    async with asyncio.TaskGroup() as tasks:
        for guest in guests:
            tasks.create_task(watch(guest))
        for _ in guests:
            await begun.acquire()
        print("open", flush=True)


if __name__ == "__main__":
    print("watchers: ready", flush=True)
    asyncio.run(_main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])))
