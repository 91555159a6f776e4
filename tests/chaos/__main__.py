"""The long form of the checker: `python -m chaos [--durability process] [--seconds 100]`, one JSON line a setting."""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from chaos.driver import Plan
from chaos.rig import run

FAULTS = (
    ("kill", 5.0),
    ("cut", 3.0),
    ("kill", 5.0),
    ("redis", 6.0),
    ("kill", 5.0),
    ("pause", 4.0),
    ("delay", 1.0),
    ("kill", 5.0),
    ("hole", 3.0),
)


def main() -> int:
    """Run the settings; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("--durability", action="append", choices=("memory", "process", "fsync", "replica"))
    parser.add_argument("--seconds", type=float, default=100.0, help="for which new matches are opened (%(default)s)")
    parser.add_argument("--matches", type=int, default=200, help="at a time (%(default)s)")
    parser.add_argument("--window", type=float, default=8.0, help="seconds for each question (%(default)s)")
    parser.add_argument("--undisturbed", action="store_true", help="without faults")
    parser.add_argument("--keep", type=Path, help="folder for logs and histories, kept afterwards")
    given = parser.parse_args()
    bad = 0
    for durability in given.durability or ("process", "fsync", "replica"):
        with tempfile.TemporaryDirectory(prefix="croupier-chaos-") as temporary:
            folder = Path(temporary) if given.keep is None else given.keep / durability
            folder.mkdir(parents=True, exist_ok=True)
            plan = Plan([], "", matches=given.matches, seconds=given.seconds, window=given.window)
            report = run(folder, durability, plan, () if given.undisturbed else FAULTS)
        print(json.dumps(report.summary), flush=True)
        for finding in report.findings[:20]:
            print(f"{finding.kind}: {finding.match}: {finding.text}", file=sys.stderr)
        bad += len(report.findings)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
