"""What matches cost that wait for days: memory of Redis, CPU at rest, the start of a replica over them."""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from random import Random
from statistics import median
from typing import TypeVar

import grpc
import redis
from redis.asyncio import Redis

from bench.processes import CannotMeasure, Child, cpu_exact, rss_mb, running_redis, running_service
from bench.rounds import duration, figure, rounds_argument, whole
from bench.tables import Guest, act, new_guests, new_table, open_table, stub_of
from croupier.v1 import matches_pb2, matches_pb2_grpc
from croupier_service.store.keys import SHARDS, ShardKeys, shard_of

Made = TypeVar("Made")

SEATS = 4
_AT_ONCE = 8
_SETTLE = 0.5  # s
_UNTOUCHED = {"hash-max-listpack-value": "64"}  # what `croupier up` sets, as a server has it that nobody touched
_MOST_UNTOUCHED = 1_000  # matches; each takes as much as the next
_COMPACT_AFTER = {"CROUPIER_COMPACT_AFTER": "100"}
_PACKED_WITHIN = 60.0  # s
_PASSING = ("mem_clients_normal", "mem_aof_buffer", "mem_cluster_links", "mem_replication_backlog")
_SAMPLE = 20  # matches whose keys are looked at one by one


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be chosen."""
    parser.add_argument("--matches", type=whole(1), default=10_000)
    parser.add_argument("--finished", type=whole(1), default=20, help="standard matches that are played to their end")
    parser.add_argument("--seconds", type=duration, default=20, help="of rest in a round")
    rounds_argument(parser)


def run(matches: int, finished: int, seconds: float, rounds: int) -> Mapping[str, object]:
    """Matches that wait on correspondence clocks: bytes in Redis, CPU at rest, start-up of a replica.

    A round of memory is a part of the matches, a round of CPU so many seconds.
    """
    result: dict[str, object] = {"matches": matches, "finished": finished, "seconds": seconds, "rounds": rounds}
    with running_redis(durable=True) as redis:
        with running_service(redis.url, "fsync", settings=_COMPACT_AFTER) as service:
            result |= asyncio.run(_finished(redis.url, service.address, finished, rounds))
        result |= _starts(redis.url, "startup_empty_ms", rounds)
        with running_service(redis.url, "fsync") as service:
            result |= asyncio.run(_waiting(redis.url, service.address, matches, rounds, "waiting"))
            assert redis.pid is not None
            result |= _rest(service, redis.url, redis.pid, seconds, rounds)
        result |= _starts(redis.url, "startup_ms", rounds)
    with running_redis(durable=True) as redis:
        asyncio.run(_configure(redis.url, _UNTOUCHED))
        with running_service(redis.url, "fsync") as service:
            few = min(matches, _MOST_UNTOUCHED)
            result |= asyncio.run(_waiting(redis.url, service.address, few, rounds, "untouched"))
    return result


async def _waiting(url: str, target: str, matches: int, rounds: int, name: str) -> dict[str, object]:
    """Bytes of a match that waits for its first cards."""
    async with grpc.aio.insecure_channel(target) as channel, Redis.from_url(url, protocol=3) as store:
        stub, guests = stub_of(channel), await new_guests(channel, SEATS)
        before, found, ids = await _used(store), [], list[str]()
        for part in _parts(matches, rounds):
            ids += await _each(part, lambda: open_table(stub, guests, new_table("six_nimmt", SEATS)))
            await asyncio.sleep(_SETTLE)
            after = await _used(store)
            found.append((after - before) / part)
            before = after
        sizes = await _sizes(store, ids[-_SAMPLE:])
    return {
        **figure(f"{name}_bytes_per_match", found, 0),
        f"{name}_record_bytes": round(median(size for key, size in sizes.items() if not key.endswith(":log"))),
        f"{name}_log_bytes": round(median(size for key, size in sizes.items() if key.endswith(":log"))),
    }


async def _finished(url: str, target: str, matches: int, rounds: int) -> dict[str, object]:
    """Bytes of a match of the first preset that is over, and whose log is packed."""
    async with grpc.aio.insecure_channel(target) as channel, Redis.from_url(url, protocol=3) as store:
        stub, guests = stub_of(channel), await new_guests(channel, SEATS)
        # What a server has from its first matches on, such as places for its clients, is none of theirs.
        await _packed(store, [match for match, _ in await _each(_AT_ONCE, lambda: _play(stub, guests))])
        await asyncio.sleep(_SETTLE)
        before, found, sizes, moves = await _used(store), [], list[int](), list[int]()
        for part in _parts(matches, rounds):
            played = await _each(part, lambda: _play(stub, guests))
            moves += [count for _, count in played]
            sizes += (await _packed(store, [match for match, _ in played])).values()
            await asyncio.sleep(_SETTLE)
            after = await _used(store)
            found.append((after - before) / part)
            before = after
    return {
        **figure("finished_bytes_per_match", found, 0),
        **figure("finished_record_bytes", sizes, 0),
        **figure("finished_moves", moves, 0),
    }


def _parts(count: int, rounds: int) -> list[int]:
    """As many in each round, but for one."""
    return [part for i in range(rounds) if (part := count * (i + 1) // rounds - count * i // rounds)]


async def _each(count: int, make: Callable[[], Awaitable[Made]]) -> list[Made]:
    """So many, some at a time."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one() -> Made:
        async with gate:
            return await make()

    return list(await asyncio.gather(*(one() for _ in range(count))))


async def _play(stub: "matches_pb2_grpc.MatchesAsyncStub", guests: Sequence[Guest]) -> tuple[str, int]:
    """A match of the first preset, played by dice to its end, and how many moves that took."""
    match, dice, moves = await open_table(stub, guests, new_table("six_nimmt", len(guests))), Random(1), 0
    while True:
        for guest in guests:
            seen = await stub.GetMatch(matches_pb2.GetMatchRequest(match=match), metadata=guest.metadata)
            if seen.state != matches_pb2.MatchState.RUNNING:
                return match, moves
            if choices := seen.you.window.choices:
                await act(stub, guest, match, seen.you.window.id, dice.choice(choices))
                moves += 1


async def _packed(store: "Redis", matches: Sequence[str]) -> dict[str, int]:
    """What the keys of matches take, once all of their logs are packed."""
    give_up = time.monotonic() + _PACKED_WITHIN
    while True:
        sizes = await _sizes(store, matches)
        if not any(key.endswith(":log") for key in sizes):
            return sizes
        if time.monotonic() > give_up:
            raise CannotMeasure(f"logs were not packed within {_PACKED_WITHIN} s")
        await asyncio.sleep(0.2)


async def _sizes(store: "Redis", matches: Sequence[str]) -> dict[str, int]:
    """Every key of these matches, and its bytes."""
    number = int(await store.get(SHARDS) or 0)
    sizes: dict[str, int] = {}
    for match in matches:
        shard = ShardKeys(shard_of(match, number))
        for key in (shard.match(match), shard.log(match)):
            if (size := await store.memory_usage(key, samples=0)) is not None:
                sizes[key] = int(size)
    return sizes


async def _used(store: "Redis") -> int:
    """Bytes of everything that is kept, keys and their indexes; what lies in buffers at this moment left out."""
    memory = await store.info("memory")
    return int(memory["used_memory"] - sum(memory.get(name, 0) for name in _PASSING))


async def _configure(url: str, settings: Mapping[str, str]) -> None:
    async with Redis.from_url(url, protocol=3) as store:
        for name, value in settings.items():
            await store.config_set(name, value)


def _rest(service: Child, url: str, redis_pid: int, seconds: float, rounds: int) -> dict[str, object]:
    """Percent of a core that are used while nothing happens, and what Redis is asked meanwhile."""
    time.sleep(_SETTLE)
    pids = {"service": service.pid, "redis": redis_pid}
    shares: dict[str, list[float]] = {"service": [], "redis": []}
    asked: list[dict[str, float]] = []
    with redis.Redis.from_url(url, protocol=3) as store:
        for _ in range(rounds):
            calls, before, began = _calls(store), {name: cpu_exact(pid) for name, pid in pids.items()}, time.monotonic()
            time.sleep(seconds)
            took = time.monotonic() - began
            for name, pid in pids.items():
                shares[name].append((cpu_exact(pid) - before[name]) / took * 100)
            asked.append({name: (count - calls.get(name, 0)) / took for name, count in _calls(store).items()})
    result: dict[str, object] = {}
    for name, found in shares.items():
        result |= figure(f"{name}_percent", found)
    sums = [sum(each.values()) for each in asked]
    result |= figure("redis_commands_per_s_at_rest", sums, 1)
    kinds = {name: round(median(each.get(name, 0) for each in asked), 1) for name in asked[-1]}
    often = sorted(((kind, often) for kind, often in kinds.items() if often), key=lambda kind: -kind[1])
    result["redis_commands_at_rest"] = ", ".join(f"{name} {often}" for name, often in often)
    return result | {"service_rss_mb": round(rss_mb(service.pid), 1)}


def _calls(store: "redis.Redis") -> dict[str, int]:
    """How often each command was carried out so far, those within scripts counted too, our own question left out."""
    stats = store.info("commandstats")
    return {name.removeprefix("cmdstat_"): int(each["calls"]) for name, each in stats.items() if name != "cmdstat_info"}


def _starts(url: str, name: str, rounds: int) -> dict[str, object]:
    """Milliseconds from the start of a replica's process until it serves."""
    found = []
    for _ in range(rounds):
        began = time.monotonic()
        with running_service(url, "fsync"):
            found.append((time.monotonic() - began) * 1000)
    return figure(name, found, 0)
