"""`python -m bench floor | moves | unary | rest | peers | deadlines | buzz | engine | guesser [--json]`."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping

from bench import buzz, deadlines, engine, guesser, move_arguments
from bench.move_arguments import MOVES
from bench.peers import Unavailable
from bench.printing import table

_MATCHES = {"deadlines": 2_000, "buzz": 200}
_SECONDS = {"deadlines": 60, "buzz": 30}
Result = Mapping[str, object]


_MEASURES: Mapping[str, Callable[..., Result]] = {
    **MOVES,
    "deadlines": deadlines.run,
    "buzz": buzz.run,
    "engine": engine.run,
    "guesser": guesser.run,
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
        if name in MOVES:
            move_arguments.add(name, sub)
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
    if given.name in MOVES:
        try:
            result = move_arguments.run(given)
        except Unavailable as missing:
            print(missing, file=sys.stderr)
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
