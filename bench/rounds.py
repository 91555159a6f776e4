"""One round of a load against a server, with the CPU time of everybody; and what several rounds say together."""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from statistics import median

from bench.processes import Child, cpu_seconds, pin, running_child


class CannotMeasure(Exception):  # noqa: N818 - it says why
    """Something is not there, or does not go together. The text says what to do."""


@dataclass(frozen=True, slots=True)
class Load:
    """What the clients do: see `bench.load`."""

    kind: str
    matches: int
    seats: int
    seconds: float
    streams: int = 0
    """Streams that all seats share; 0: each seat has its own."""
    watched: bool = False
    """Each seat follows its match over a stream, beside its calls."""

    def __post_init__(self) -> None:
        if 0 < self.streams < self.seats:
            raise CannotMeasure(f"nobody sits at a table twice: --streams must be {self.seats} or more, or 0")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be chosen for any load."""
    parser.add_argument("--matches", type=int, default=32)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=6, help="of a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--durability", choices=("memory", "fsync"), default="fsync")


def profile_argument(parser: argparse.ArgumentParser) -> None:
    """Where a profile goes."""
    parser.add_argument(
        "--profile", help="a file for what cProfile finds in what is measured; the figures are void then"
    )


def streams_argument(parser: argparse.ArgumentParser, streams: int) -> None:
    """How many streams; `streams`: unless something else is chosen."""
    parser.add_argument(
        "--streams", type=int, default=streams, help="streams that all seats share; 0: each seat has its own"
    )


@dataclass(frozen=True, slots=True)
class Round:
    """Microseconds of CPU are per move: of the server, of Redis, of what is behind the server, of the clients."""

    moves_per_s: float
    server_us: float
    redis_us: float
    behind_us: float
    client_us: float
    p50_ms: float
    p99_ms: float
    p999_ms: float
    event_p50_ms: float
    event_p99_ms: float
    event_p999_ms: float

    @property
    def stored_us(self) -> float:
        """The server and its Redis together."""
        return self.server_us + self.redis_us


LATENCIES = ("p50_ms", "p99_ms", "p999_ms", "event_p50_ms", "event_p99_ms", "event_p999_ms")


def measure(
    load: Load, server: Child, redis_pid: int, behind: Child | None = None, client_core: int | None = None
) -> Round:
    """Let clients play for a time; what they cost. `client_core`: the only core that they get."""
    with playing(load, server, client_core) as client:
        accounts = (server.pids(), [redis_pid], behind.pids() if behind else [], client.pids())
        used, (result,) = used_while(accounts, [client])
    moves = result["moves"]
    if not moves:
        raise RuntimeError(f"no move was made: {load}")
    return Round(
        moves / result["seconds"],
        *(seconds * 1e6 / moves for seconds in used),
        *(result[name] for name in LATENCIES),
    )


@contextmanager
def playing(load: Load, server: Child, core: int | None = None) -> Iterator[Child]:
    """Clients, not begun; they get one core alone if it is named."""
    with running_child(["-m", "bench.load", server.address, json.dumps(asdict(load))], {}, "ready") as client:
        if core is not None:
            pin(client.pid, core)
        yield client


def used_while(
    accounts: Sequence[Sequence[int]], clients: Sequence[Child]
) -> tuple[list[float], list[Mapping[str, float]]]:
    """Let clients play: the seconds of CPU that each group of processes used for it, and what each client found."""
    _together(clients)  # they have played, to warm up
    before = [cpu_seconds(*pids) for pids in accounts]
    _together(clients)
    used = [cpu_seconds(*pids) - start for pids, start in zip(accounts, before, strict=True)]
    return used, [json.loads(line) for line in _together(clients)]


def _together(clients: Sequence[Child]) -> list[str]:
    for client in clients:
        client.go()
    return [client.line() for client in clients]


def told(rounds: Sequence[Round], names: Mapping[str, str]) -> dict[str, object]:
    """For each key the median of a field, and under `<key>_spread` the least and the most."""
    result: dict[str, object] = {}
    for key, field in names.items():
        values = [float(getattr(each, field)) for each in rounds]
        result |= {key: round(median(values), 2), f"{key}_spread": spread(values)}
    return result


def ratio(key: str, ones: Sequence[float], others: Sequence[float]) -> dict[str, object]:
    """The median of the rounds' ratios, and their spread; None: rounds too short to see the other one's CPU."""
    values = [one / other for one, other in zip(ones, others, strict=True) if other]
    if not values:
        return {key: None, f"{key}_spread": None}
    return {key: round(median(values), 3), f"{key}_spread": spread(values)}


def spread(values: Sequence[float]) -> list[float]:
    """The least and the most."""
    return [round(min(values), 2), round(max(values), 2)]
