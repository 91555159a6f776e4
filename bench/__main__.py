"""`python -m bench NAME [--json]`; NAME: see `_MEASURES`."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping

from bench import buzz, deadlines, engine, fanout, guesser, idle, payload, replicas, scale
from bench.calls import call_arguments, rest, unary
from bench.moves import floor, move_arguments, moves
from bench.peers import peer_arguments, peers
from bench.printing import table
from bench.rounds import CannotMeasure, arguments

_MATCHES = {"deadlines": 2_000, "buzz": 200}
_SECONDS = {"deadlines": 60, "buzz": 30}
Result = Mapping[str, object]


_MEASURES: Mapping[str, Callable[..., Result]] = {
    "floor": floor,
    "moves": moves,
    "unary": unary,
    "rest": rest,
    "peers": peers,
    "deadlines": deadlines.run,
    "buzz": buzz.run,
    "engine": engine.run,
    "guesser": guesser.run,
    "idle": idle.run,
    "payload": payload.run,
    "scale": scale.run,
    "fanout": fanout.run,
    "replicas": replicas.run,
}
# Those that say themselves what may be chosen.
_CHOICES: Mapping[str, Callable[[argparse.ArgumentParser], None]] = {
    "floor": arguments,
    "moves": move_arguments,
    "unary": call_arguments,
    "rest": call_arguments,
    "peers": peer_arguments,
    "idle": idle.arguments,
    "payload": payload.arguments,
    "scale": scale.arguments,
    "fanout": fanout.arguments,
    "replicas": arguments,
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
        if name == "deadlines":
            sub.add_argument("--window", type=float, default=10.0, help="seconds for each question")
    given = parser.parse_args()
    if given.name in _CHOICES:
        chosen = {name: value for name, value in vars(given).items() if name not in ("name", "json")}
        try:
            result = _MEASURES[given.name](**chosen)
        except CannotMeasure as why:
            print(why, file=sys.stderr)
            return 2
    elif given.name == "deadlines":
        result = deadlines.run(given.matches, given.window, given.seconds)
    elif given.name == "guesser":
        result = guesser.run()
    elif given.name == "buzz":
        result = buzz.run(given.matches, given.seconds)
    else:
        result = engine.run(given.seconds, given.rounds)
    print(json.dumps(result) if given.json else table(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
