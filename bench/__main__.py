"""`python -m bench floor | moves | deadlines | buzz | engine | guesser | idle | payload | scale | fanout [--json]`."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from statistics import median

from bench import buzz, deadlines, engine, fanout, guesser, idle, payload, scale
from bench.processes import rss_mb, running_child, running_redis, running_service
from bench.rounds import Round, measure, middle, spread

# A message back; after one script; a move, delivered to all seats; the same, merged into frames.
_KINDS = ("echo", "script", "match", "frames")
_MATCHES = {"deadlines": 2_000, "buzz": 200}
_SECONDS = {"deadlines": 60, "buzz": 30}
Result = Mapping[str, object]


def floor(matches: int, seats: int, seconds: float, durability: str) -> Result:
    """The bare stack: CPU of the server's process for each message or move."""
    result: dict[str, object] = {"matches": matches, "seats": seats, "durability": durability}
    with (
        running_redis(durable=durability == "fsync") as redis,
        running_child(["-m", "bench.floor_server", redis.url], {}, "grpc") as server,
    ):
        assert redis.pid is not None
        for kind in _KINDS:
            found = measure(kind, server, redis.pid, matches, seats, seconds)
            result |= {
                f"{kind}_per_s": round(found.moves_per_s),
                f"{kind}_cpu_us": round(found.server_us, 1),
                f"{kind}_redis_us": round(found.redis_us, 1),
                f"{kind}_p50_ms": found.p50_ms,
                f"{kind}_p99_ms": found.p99_ms,
            }
    return result


def moves(matches: int, seats: int, seconds: float, rounds: int, durability: str, profile: str | None) -> Result:
    """The product, and the bare delivery of a move beside it, turn and turn about."""
    bare: list[Round] = []
    merged: list[Round] = []
    real: list[Round] = []
    with (
        running_redis(durable=durability == "fsync") as redis,
        running_child(["-m", "bench.floor_server", redis.url], {}, "grpc") as server,
        running_service(redis.url, durability, profile) as service,
    ):
        assert redis.pid is not None
        for _ in range(rounds):
            bare.append(measure("match", server, redis.pid, matches, seats, seconds))
            merged.append(measure("frames", server, redis.pid, matches, seats, seconds))
            real.append(measure("moves", service, redis.pid, matches, seats, seconds))
        memory = rss_mb(service.pid)
    ratios = [r.server_us / b.server_us for r, b in zip(real, bare, strict=True)]
    to_frames = [r.server_us / m.server_us for r, m in zip(real, merged, strict=True)]
    return {
        "matches": matches,
        "seats": seats,
        "durability": durability,
        "rounds": rounds,
        "moves_per_s": middle(real, "moves_per_s"),
        "service_cpu_us_per_move": middle(real, "server_us"),
        "redis_cpu_us_per_move": middle(real, "redis_us"),
        "client_cpu_us_per_move": middle(real, "client_us"),
        "floor_cpu_us_per_move": middle(bare, "server_us"),
        "ratio_to_floor": round(median(ratios), 3),
        "ratio_spread": spread(ratios),
        "frames_cpu_us_per_move": middle(merged, "server_us"),
        "ratio_to_frames": round(median(to_frames), 3),
        "moves_per_s_spread": spread([r.moves_per_s for r in real]),
        "p50_ms": middle(real, "p50_ms"),
        "p99_ms": middle(real, "p99_ms"),
        "p999_ms": middle(real, "p999_ms"),
        "rss_mb": round(memory, 1),
    }


_MEASURES: Mapping[str, Callable[..., Result]] = {
    "floor": floor,
    "moves": moves,
    "deadlines": deadlines.run,
    "buzz": buzz.run,
    "engine": engine.run,
    "guesser": guesser.run,
    "idle": idle.run,
    "payload": payload.run,
    "scale": scale.run,
    "fanout": fanout.run,
}
# Those that say themselves what may be chosen.
_CHOICES: Mapping[str, Callable[[argparse.ArgumentParser], None]] = {
    "idle": idle.arguments,
    "payload": payload.arguments,
    "scale": scale.arguments,
    "fanout": fanout.arguments,
}


def main() -> int:
    """Measure, and say so."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    names = parser.add_subparsers(dest="name", required=True)
    for name, function in _MEASURES.items():
        sub = names.add_parser(name, help=function.__doc__)
        sub.add_argument("--json", action="store_true", help="one line of JSON")
        if name == "guesser":
            continue
        if name in _CHOICES:
            _CHOICES[name](sub)
            continue
        if name == "engine":
            sub.add_argument("--seconds", type=float, default=2, help="of random play of each game in a round")
            sub.add_argument("--rounds", type=int, default=5)
            continue
        sub.add_argument("--matches", type=int, default=_MATCHES.get(name, 32))
        sub.add_argument("--seconds", type=float, default=_SECONDS.get(name, 6))
        if name == "buzz":
            continue
        if name == "deadlines":
            sub.add_argument("--window", type=float, default=10.0, help="seconds for each question")
            continue
        sub.add_argument("--seats", type=int, default=4)
        sub.add_argument("--durability", choices=("memory", "fsync"), default="fsync")
        if name == "moves":
            sub.add_argument("--rounds", type=int, default=3)
            sub.add_argument(
                "--profile", help="a file for what cProfile finds in the service; the figures are void then"
            )
    given = parser.parse_args()
    if given.name in _CHOICES:
        chosen = {name: value for name, value in vars(given).items() if name not in ("name", "json")}
        result = _MEASURES[given.name](**chosen)
    elif given.name == "floor":
        result = floor(given.matches, given.seats, given.seconds, given.durability)
    elif given.name == "moves":
        result = moves(given.matches, given.seats, given.seconds, given.rounds, given.durability, given.profile)
    elif given.name == "deadlines":
        result = deadlines.run(given.matches, given.window, given.seconds)
    elif given.name == "guesser":
        result = guesser.run()
    elif given.name == "buzz":
        result = buzz.run(given.matches, given.seconds)
    else:
        result = engine.run(given.seconds, given.rounds)
    if given.json:
        print(json.dumps(result))
    else:
        _print(result)
    return 0


def _print(result: Result) -> None:
    """A line for each figure, its spread beside it."""
    width = max(26, *map(len, result))
    for key, value in result.items():
        if key.removesuffix("_spread") in result and key.endswith("_spread"):
            continue
        within = result.get(f"{key}_spread")
        print(f"{key:{width}} {value}" + (f"  {within}" if within is not None else ""))


if __name__ == "__main__":
    sys.exit(main())
