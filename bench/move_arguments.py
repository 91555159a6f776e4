"""Arguments of the benches that play moves."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping

from bench import calls, peers
from bench.moves import SWEEP, floor, moves
from bench.rounds import Load

MOVES: Mapping[str, Callable[..., Mapping[str, object]]] = {
    "floor": floor,
    "moves": moves,
    "unary": calls.unary,
    "rest": calls.rest,
    "peers": peers.run,
}


def add(name: str, parser: ArgumentParser) -> None:
    """What a bench may be told."""
    parser.add_argument("--matches", type=int, default=32)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--durability", choices=("memory", "fsync"), default="fsync")
    if name in ("moves", "peers"):
        shared = 0 if name == "moves" else 4
        parser.add_argument(
            "--streams", type=int, default=shared, help="streams that all seats share; 0: each seat has its own"
        )
    if name == "peers":
        parser.add_argument(
            "--rigs", required=True, help="the folder of the peers' rigs, each with its packages installed"
        )
    if name == "moves":
        parser.add_argument(
            "--sweep", action="store_true", help=f"one after another, {', '.join(map(str, SWEEP))} matches"
        )
    if name in ("moves", "unary", "rest"):
        parser.add_argument(
            "--profile", help="a file for what cProfile finds in what is measured; the figures are void then"
        )


def run(given: Namespace) -> Mapping[str, object]:
    """Measure. Raises Unavailable."""
    streams = getattr(given, "streams", 0)
    load = Load("", given.matches, given.seats, given.seconds, streams)
    if 0 < streams < given.seats:
        raise peers.Unavailable(
            f"nobody sits at a table twice: --streams must be at least --seats, {given.seats}, or 0"
        )
    match given.name:
        case "floor":
            return floor(load, given.rounds, given.durability)
        case "moves":
            counts = SWEEP if given.sweep else ()
            return moves(load, given.rounds, given.durability, given.profile, counts)
        case "peers":
            return peers.run(load, given.rounds, given.durability, given.rigs)
        case _:
            return MOVES[given.name](load, given.rounds, given.durability, given.profile)
