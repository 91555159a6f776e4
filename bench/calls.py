"""What a move costs by unary calls over gRPC, and by HTTP through the gateway, beside the bare stack.

Twice each: the calls alone; and `watched`, where each seat follows its match over a stream, so that a move is one call
and its events at every seat. The bare stack then does the same.
"""

import argparse
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace

from bench.processes import CannotMeasure, rss_mb, running_child, running_redis, running_service
from bench.rounds import LATENCIES, Load, Round, arguments, measure, profile_argument, ratio, told
from bench.web import MOST_STREAMS, running_gateway

_ANSWERS = {name: name for name in LATENCIES if not name.startswith("event_")}
_STREAMS = 168  # of a gateway, the default


def call_arguments(parser: argparse.ArgumentParser) -> None:
    """What may be chosen for `unary` and `rest`."""
    arguments(parser)
    profile_argument(parser)


def unary(
    matches: int, seats: int, seconds: float, rounds: int, durability: str, profile: str | None
) -> Mapping[str, object]:
    """Moves by `Act`; the floor is a grpc.aio call with one pipelined script."""
    load = Load("", matches, seats, seconds)
    with (
        running_redis(durable=durability == "fsync") as redis,
        running_child(["-m", "bench.floor_server", redis.url], {}, "grpc") as server,
        running_service(redis.url, durability, profile) as service,
    ):
        assert redis.pid is not None
        redis_pid = redis.pid

        def turn(watched: bool) -> tuple[Round, Round]:
            given = replace(load, watched=watched)
            floor = measure(replace(given, kind="call"), server, redis_pid)
            return floor, measure(replace(given, kind="unary"), service, redis_pid)

        turns = [(turn(watched=False), turn(watched=True)) for _ in range(rounds)]
        memory = rss_mb(*service.pids())
    fields = {"service_cpu_us_per_move": "server_us", "redis_cpu_us_per_move": "redis_us"}
    return {**_common(load, rounds, durability), **_told(turns, fields), "rss_mb": round(memory, 1)}


def rest(
    matches: int, seats: int, seconds: float, rounds: int, durability: str, profile: str | None
) -> Mapping[str, object]:
    """Moves by REST and SSE; the floor is a bare Flask route that makes one gRPC call which is an echo.

    Its gunicorn has the settings of the gateway's own. `behind` is the service behind either.
    """
    load = Load("", matches, seats, seconds)
    streams = max(_STREAMS, 2 * matches * seats)  # a stream and a call at a time for each seat
    if streams > MOST_STREAMS:
        raise CannotMeasure(f"one gateway serves {MOST_STREAMS // 2} seats: give fewer --matches, or fewer --seats")
    with ExitStack() as stack:
        redis = stack.enter_context(running_redis(durable=durability == "fsync"))
        assert redis.pid is not None
        redis_pid = redis.pid
        server = stack.enter_context(running_child(["-m", "bench.floor_server", redis.url], {}, "grpc"))
        service = stack.enter_context(running_service(redis.url, durability))
        route = stack.enter_context(
            running_child(["-m", "bench.floor_gateway", server.address, f"{streams}"], {}, "web")
        )
        gateway = stack.enter_context(running_gateway(service.address, streams, profile))

        def turn(watched: bool) -> tuple[Round, Round]:
            given = replace(load, watched=watched)
            floor = measure(replace(given, kind="route"), route, redis_pid, server)
            return floor, measure(replace(given, kind="rest"), gateway, redis_pid, service)

        turns = [(turn(watched=False), turn(watched=True)) for _ in range(rounds)]
        memory = rss_mb(*gateway.pids())
    fields = {"gateway_cpu_us_per_request": "server_us", "behind_cpu_us_per_request": "behind_us"}
    return {**_common(load, rounds, durability), **_told(turns, fields), "rss_mb": round(memory, 1)}


_Turns = list[tuple[tuple[Round, Round], tuple[Round, Round]]]


def _common(load: Load, rounds: int, durability: str) -> Mapping[str, object]:
    return {"matches": load.matches, "seats": load.seats, "durability": durability, "rounds": rounds}


def _told(turns: _Turns, fields: Mapping[str, str]) -> Mapping[str, object]:
    """The floor and the product, first the calls alone."""
    result: dict[str, object] = {}
    for index, (prefix, latencies) in enumerate((("", _ANSWERS), ("watched_", {name: name for name in LATENCIES}))):
        floor = [turn[index][0] for turn in turns]
        ours = [turn[index][1] for turn in turns]
        names = {"moves_per_s": "moves_per_s", **fields, "client_cpu_us_per_move": "client_us", **latencies}
        result |= told(ours, {prefix + key: field for key, field in names.items()})
        result |= told(floor, {f"{prefix}floor_cpu_us": "server_us"})
        result |= ratio(f"{prefix}ratio_to_floor", [r.server_us for r in ours], [r.server_us for r in floor])
    return result
