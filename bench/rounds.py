"""One round of a load against a server, with the CPU time of everybody; and what several rounds say together."""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from bench.processes import CannotMeasure, Child, cpu_seconds, pin, running_child

NO_MOVE = "no move was made in a round: give it more --seconds"
_LONGEST = 86_400  # s


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


def whole(least: int, most: int = 1_000_000) -> Callable[[str], int]:
    """For argparse: a whole number within bounds."""

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"must be a whole number from {least} to {most}, not {text}")
        return value

    return number


def duration(text: str) -> float:
    """For argparse: seconds, some of them."""
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value <= _LONGEST:
        raise argparse.ArgumentTypeError(f"must be seconds, more than 0 and at most {_LONGEST}, not {text}")
    return value


def _file(text: str) -> str:
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"must be a file in a folder that is there, not {text}")
    return text


def rounds_argument(parser: argparse.ArgumentParser, rounds: int = 3, told: str | None = None) -> None:
    """How many rounds; `rounds`: unless something else is chosen; `told`: what a round is."""
    parser.add_argument("--rounds", type=whole(1), default=rounds, help=told)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be chosen for any load."""
    parser.add_argument("--matches", type=whole(1), default=32)
    parser.add_argument("--seats", type=whole(2, 10), default=4)
    parser.add_argument("--seconds", type=duration, default=6, help="of a round")
    rounds_argument(parser)
    parser.add_argument("--durability", choices=("memory", "fsync"), default="fsync")


def profile_argument(parser: argparse.ArgumentParser) -> None:
    """Where a profile goes."""
    parser.add_argument(
        "--profile", type=_file, help="a file for what cProfile finds in what is measured; the figures are void then"
    )


def streams_argument(parser: argparse.ArgumentParser, streams: int) -> None:
    """How many streams; `streams`: unless something else is chosen."""
    parser.add_argument(
        "--streams", type=whole(0), default=streams, help="streams that all seats share; 0: each seat has its own"
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
    """Let clients play for a time; what they cost. `client_core`: the only core that they get. Raises CannotMeasure."""
    with playing(load, server, client_core) as client:
        accounts = (server.pids(), [redis_pid], behind.pids() if behind else [], client.pids())
        used, (result,) = used_while(accounts, [client])
    moves = result["moves"]
    if not moves:
        raise CannotMeasure(NO_MOVE)
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
        result |= figure(key, [float(getattr(each, field)) for each in rounds])
    return result


def ratio(key: str, ones: Sequence[float], others: Sequence[float]) -> dict[str, object]:
    """The median of the rounds' ratios, and their spread; None: rounds too short to see the other one's CPU."""
    values = [one / other for one, other in zip(ones, others, strict=True) if other]
    if not values:
        return {key: None, f"{key}_spread": None}
    return figure(key, values, 3)


def figure(key: str, values: Sequence[float], digits: int = 2) -> dict[str, object]:
    """The median, and under `<key>_spread` the least and the most, all to as many digits after the point."""

    def rounded(value: float) -> float:
        return round(value, digits or None)

    return {key: rounded(median(values)), f"{key}_spread": [rounded(min(values)), rounded(max(values))]}
