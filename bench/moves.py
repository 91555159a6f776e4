"""What a move costs over streams of Bots.Play, beside the bare stack."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from bench.processes import Child, rss_mb, running_child, running_redis, running_service
from bench.rounds import (
    LATENCIES,
    Load,
    Round,
    arguments,
    measure,
    profile_argument,
    ratio,
    streams_argument,
    told,
)

# A message back; after one script; a move, delivered to all seats; the same, merged into frames.
_KINDS = ("echo", "script", "match", "frames")
SWEEP = (1, 8, 32, 200)  # matches


def floor(matches: int, seats: int, seconds: float, rounds: int, durability: str) -> Mapping[str, object]:
    """The bare stack: CPU of the server's process for each message or move."""
    result: dict[str, object] = {"matches": matches, "seats": seats, "durability": durability, "rounds": rounds}
    found: dict[str, list[Round]] = {kind: [] for kind in _KINDS}
    with (
        running_redis(durable=durability == "fsync") as redis,
        running_child(["-m", "bench.floor_server", redis.url], {}, "grpc") as server,
    ):
        assert redis.pid is not None
        for _ in range(rounds):
            for kind in _KINDS:
                found[kind].append(measure(Load(kind, matches, seats, seconds), server, redis.pid))
    for kind in _KINDS:
        fields = {"per_s": "moves_per_s", "cpu_us": "server_us", "redis_us": "redis_us"}
        fields |= {name: name for name in ("p50_ms", "p99_ms")}
        result |= told(found[kind], {f"{kind}_{key}": field for key, field in fields.items()})
    return result


def move_arguments(parser: argparse.ArgumentParser) -> None:
    """What may be chosen for `moves`."""
    arguments(parser)
    streams_argument(parser, 0)
    parser.add_argument("--beside", choices=("memory", "fsync"), help="another durability, measured in the same rounds")
    parser.add_argument("--sweep", action="store_true", help=f"one after another, {', '.join(map(str, SWEEP))} matches")
    profile_argument(parser)


def moves(
    matches: int,
    seats: int,
    seconds: float,
    rounds: int,
    durability: str,
    streams: int,
    beside: str | None,
    sweep: bool,
    profile: str | None,
) -> Mapping[str, object]:
    """The product, and the bare delivery of a move beside it, turn and turn about.

    `beside`: another durability, which has a Redis and a service of its own.

    `streams`: the seats share so many streams, in the product and in the bare stack. `p50_ms` and so on are the
    time from a move to its answer, `event_p50_ms` and so on to its event at another seat.
    """
    load = Load("", matches, seats, seconds, streams)
    with (
        _other(beside) as other,
        running_redis(durable=durability == "fsync") as redis,
        running_child(["-m", "bench.floor_server", redis.url], {}, "grpc") as server,
        running_service(redis.url, durability, profile) as service,
    ):
        assert redis.pid is not None
        common = {"seats": seats, "streams": streams, "durability": durability, "rounds": rounds}
        parties = _Parties(server, service, redis.pid, other)
        if not sweep:
            return {"matches": matches, **common, **_moves(load, rounds, parties)}
        by_matches = {f"{count}": _moves(replace(load, matches=count), rounds, parties) for count in SWEEP}
        return {**common, "by_matches": by_matches}


@dataclass(frozen=True, slots=True)
class _Other:
    """A service with another durability, over a Redis of its own."""

    durability: str
    service: Child
    redis_pid: int


@dataclass(frozen=True, slots=True)
class _Parties:
    server: Child
    service: Child
    redis_pid: int
    other: _Other | None


@contextmanager
def _other(durability: str | None) -> Iterator[_Other | None]:
    if durability is None:
        yield None
        return
    with running_redis(durable=durability == "fsync") as redis, running_service(redis.url, durability) as service:
        assert redis.pid is not None
        yield _Other(durability, service, redis.pid)


def _moves(load: Load, rounds: int, parties: _Parties) -> Mapping[str, object]:
    server, service, redis_pid, other = parties.server, parties.service, parties.redis_pid, parties.other
    bare: list[Round] = []
    merged: list[Round] = []
    real: list[Round] = []
    others: list[Round] = []
    for _ in range(rounds):
        bare.append(measure(replace(load, kind="match"), server, redis_pid))
        merged.append(measure(replace(load, kind="frames"), server, redis_pid))
        real.append(measure(replace(load, kind="moves"), service, redis_pid))
        if other is not None:
            others.append(measure(replace(load, kind="moves"), other.service, other.redis_pid))
    ours = [each.server_us for each in real]
    fields = {
        "moves_per_s": "moves_per_s",
        "service_cpu_us_per_move": "server_us",
        "redis_cpu_us_per_move": "redis_us",
        "client_cpu_us_per_move": "client_us",
        **{name: name for name in LATENCIES},
    }
    return {
        **told(real, fields),
        **told(bare, {"floor_cpu_us_per_move": "server_us"}),
        **ratio("ratio_to_floor", ours, [each.server_us for each in bare]),
        **told(merged, {"frames_cpu_us_per_move": "server_us"}),
        **ratio("ratio_to_frames", ours, [each.server_us for each in merged]),
        **({} if other is None else _compared(other.durability, others, ours)),
        "rss_mb": round(rss_mb(*service.pids()), 1),
    }


def _compared(durability: str, others: Sequence[Round], ours: Sequence[float]) -> dict[str, object]:
    return {
        **told(others, {f"{durability}_service_cpu_us_per_move": "server_us"}),
        **ratio("ratio_of_durability", [each.server_us for each in others], ours),
    }
