"""One round of a load against a server, with the CPU time of everybody; and what several rounds say together."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bench.processes import Child, cpu_seconds


@dataclass(frozen=True, slots=True)
class Round:
    """Microseconds of CPU are per move: of the server, of Redis, of the clients."""

    moves_per_s: float
    server_us: float
    redis_us: float
    client_us: float
    p50_ms: float
    p99_ms: float
    p999_ms: float


def measure(kind: str, server: Child, redis_pid: int, matches: int, seats: int, seconds: float) -> Round:
    """Let clients play for a time; what they cost."""
    command = ["-m", "bench.load", kind, server.address, str(matches), str(seats), str(seconds)]
    client = Child(command, {}, "")  # its first line is `begin`
    try:
        pids = (server.pid, redis_pid, client.pid)
        before = [cpu_seconds(pid) for pid in pids]
        client.line()
        used = [cpu_seconds(pid) - start for pid, start in zip(pids, before, strict=True)]
        result = json.loads(client.line())
    finally:
        client.stop()
    moves = result["moves"]
    if not moves:
        raise RuntimeError(f"no move was made: {command}")
    server_us, redis_us, client_us = (seconds * 1e6 / moves for seconds in used)
    return Round(
        moves / result["seconds"],
        server_us,
        redis_us,
        client_us,
        result["p50_ms"],
        result["p99_ms"],
        result["p999_ms"],
    )


def middle(rounds: Sequence[Round], field: str) -> float:
    """The median of a figure."""
    return round(float(median(getattr(r, field) for r in rounds)), 2)


def spread(values: Sequence[float]) -> list[float]:
    """The least and the most."""
    return [round(min(values), 2), round(max(values), 2)]
