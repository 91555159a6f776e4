"""One match that many watch: how long an event takes to all of them, and what that costs."""

import argparse
import asyncio
import itertools
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import grpc
from redis.asyncio import Redis

from bench.processes import CannotMeasure, Child, cpu_seconds, rss_mb, running_child, running_redis, running_service
from bench.rounds import figure, rounds_argument, whole
from bench.tables import Guest, act, new_guests, new_table, open_table, stub_of
from bench.web import MOST_STREAMS, running_gateway
from croupier.v1 import matches_pb2, matches_pb2_grpc
from croupier_service.store.keys import SHARDS, ShardKeys, shard_of

SEATS = 4
_SETTLE = 1.0  # s
_WITHIN = 180.0  # s until all must have an event, or be open


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be chosen."""
    parser.add_argument("--watchers", type=whole(1), default=1_000)
    parser.add_argument("--moves", type=whole(1), default=40, help="of a round")
    rounds_argument(parser)


def run(watchers: int, moves: int, rounds: int) -> Mapping[str, object]:
    """Spectators by gRPC, then by SSE: from the commit of an event until each has it; CPU of each; memory of a stream.

    The next move is made when everybody has heard of the last. A round has processes of its own.
    """
    result: dict[str, object] = {"moves": moves, "rounds": rounds}
    for kind in ("grpc", "sse"):
        count = watchers if kind == "grpc" else min(watchers, MOST_STREAMS)
        found = [_round(kind, count, moves) for _ in range(rounds)]
        result[f"{kind}_watchers"] = count
        for name in found[0]:
            values = [one[name] for one in found]
            result |= figure(f"{kind}_{name}", values)
    return result


def _round(kind: str, watchers: int, moves: int) -> dict[str, float]:
    with (
        running_redis(durable=True) as redis,
        running_service(redis.url, "fsync") as service,
        running_gateway(service.address, watchers if kind == "sse" else 1) as gateway,
    ):
        return asyncio.run(_watched(kind, redis.url, service, gateway, watchers, moves))


async def _watched(kind: str, url: str, service: Child, gateway: Child, watchers: int, moves: int) -> dict[str, float]:
    pids = {"service": service.pid}
    if kind == "sse":
        _, pids["gateway"] = gateway.pids()  # its worker; the first only looks after it
    async with grpc.aio.insecure_channel(service.address) as channel:
        stub, guests = stub_of(channel), await new_guests(channel, SEATS)
        match = await open_table(stub, guests, new_table("six_nimmt", SEATS))
        idle = {name: rss_mb(pid) for name, pid in pids.items()}
        command = ["-m", "bench.watchers", kind, service.address, gateway.address, match, str(watchers)]
        with running_child(command, {}, "watchers") as child:
            await _line(child)  # all are there
            await asyncio.sleep(_SETTLE)
            async with _commits(url, match) as commits:
                before = {name: cpu_seconds(pid) for name, pid in pids.items()}
                late = [at async for at in _play(stub, guests, match, moves, commits, child)]
                used = {name: cpu_seconds(pid) - before[name] for name, pid in pids.items()}
            grown = {name: rss_mb(pid) - idle[name] for name, pid in pids.items()}
    late.sort()
    return (
        {"p50_ms": late[len(late) // 2], "p99_ms": late[int((len(late) - 1) * 0.99)], "max_ms": late[-1]}
        | {f"{name}_us_per_event": seconds * 1e6 / len(late) for name, seconds in used.items()}
        | {f"{name}_kb_per_stream": more * 1000 / watchers for name, more in grown.items()}
    )


async def _line(child: Child) -> str:
    async with asyncio.timeout(_WITHIN):
        return await asyncio.to_thread(child.line)


async def _play(
    stub: "matches_pb2_grpc.MatchesAsyncStub",
    guests: Sequence[Guest],
    match: str,
    moves: int,
    commits: "asyncio.Queue[float]",
    child: Child,
) -> AsyncIterator[float]:
    """How long each event took to each watcher, in ms."""
    for guest in itertools.cycle(guests):
        if not moves:
            return
        seen = await stub.GetMatch(matches_pb2.GetMatchRequest(match=match), metadata=guest.metadata)
        if seen.state != matches_pb2.MatchState.RUNNING:
            raise CannotMeasure("the match was over before its last move: give fewer --moves")
        if not (choices := seen.you.window.choices):
            continue
        moves -= 1
        answer = await act(stub, guest, match, seen.you.window.id, choices[0])
        async with asyncio.timeout(_WITHIN):
            committed = await commits.get()
        sequence = 0
        while sequence < answer.applied_sequence:
            sequence, got = json.loads(await _line(child))
            for at in got:
                yield at - committed


@asynccontextmanager
async def _commits(url: str, match: str) -> AsyncIterator["asyncio.Queue[float]"]:
    """When each change of a match was heard to be written, in ms of this machine's clock."""
    found: asyncio.Queue[float] = asyncio.Queue()
    async with Redis.from_url(url, protocol=3) as store, store.pubsub() as pubsub:
        await pubsub.ssubscribe(ShardKeys(shard_of(match, int(await store.get(SHARDS) or 0))).channel)

        async def listen() -> None:
            while True:
                message = await pubsub.get_message(timeout=10)
                if message is not None and message["type"] == "smessage":
                    found.put_nowait(time.time() * 1000)

        listening = asyncio.create_task(listen())
        try:
            yield found
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)
