"""Measure what Croupier costs: `python -m bench NAME [OPTIONS]`. What the keys mean is told in docs/performance.md."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from typing import NoReturn

from bench import buzz, deadlines, engine, fanout, guesser, idle, payload, replicas, scale
from bench.calls import call_arguments, rest, unary
from bench.moves import floor, move_arguments, moves
from bench.peers import peer_arguments, peers
from bench.printing import table
from bench.processes import CannotMeasure
from bench.rounds import arguments

Result = Mapping[str, object]


def _nothing(parser: argparse.ArgumentParser) -> None:
    """Nothing may be chosen."""


# What measures, and what may be chosen.
_MEASURES: Mapping[str, tuple[Callable[..., Result], Callable[[argparse.ArgumentParser], None]]] = {
    "floor": (floor, arguments),
    "moves": (moves, move_arguments),
    "unary": (unary, call_arguments),
    "rest": (rest, call_arguments),
    "peers": (peers, peer_arguments),
    "deadlines": (deadlines.run, deadlines.arguments),
    "buzz": (buzz.run, buzz.arguments),
    "engine": (engine.run, engine.arguments),
    "guesser": (guesser.run, _nothing),
    "idle": (idle.run, idle.arguments),
    "payload": (payload.run, payload.arguments),
    "scale": (scale.run, scale.arguments),
    "fanout": (fanout.run, fanout.arguments),
    "replicas": (replicas.run, arguments),
}


def _about(measure: Callable[..., Result]) -> str:
    """The first line of what it says of itself."""
    return (measure.__doc__ or "").partition("\n")[0]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, without the usage."""
        self.exit(2, f"{self.prog}: {message}\n")


def main() -> int:
    """Measure, and say so."""
    parser = _Parser(prog="bench", description=__doc__)
    names = parser.add_subparsers(dest="name", required=True)
    for name, (measure, choices) in _MEASURES.items():
        sub = names.add_parser(name, help=_about(measure), description=_about(measure))
        sub.add_argument("--json", action="store_true", help="one line of JSON")
        choices(sub)
    chosen = vars(parser.parse_args())
    name, as_json = chosen.pop("name"), chosen.pop("json")
    measure, _ = _MEASURES[name]
    try:
        result = measure(**chosen)
    except CannotMeasure as why:
        print(why, file=sys.stderr)
        return 2
    print(json.dumps(result) if as_json else table(result))
    if profile := chosen.get("profile"):
        print(f"these figures are void, since cProfile was at work; what it found is in {profile}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
