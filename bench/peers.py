"""Other servers with the same game and the same seats, in turns with this one.

Their rigs are no part of the project: a folder with a `load.js` for each, its packages installed, which is called as
`node load.js MATCHES SEATS SECONDS memory`, measures a server and prints a line of JSON.
"""

import argparse
import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from bench.processes import CannotMeasure, pin, running_redis, running_service
from bench.rounds import (
    Load,
    Round,
    arguments,
    figure,
    measure,
    ratio,
    streams_argument,
    told,
)

_RIGS = {"bgio": "boardgame_io", "colyseus": "colyseus"}
_WARM = 2  # s, by default, of a rig
_START = 75  # s beyond that, after which a rig has ended by itself
_SERVER, _CLIENT = 0, 1  # cores, as the rigs pin theirs


def peer_arguments(parser: argparse.ArgumentParser) -> None:
    """What may be chosen for `peers`."""
    arguments(parser)
    streams_argument(parser, 4)
    parser.add_argument("--rigs", required=True, help="the folder of the peers' rigs, each with its packages installed")


def peers(
    matches: int, seats: int, seconds: float, rounds: int, durability: str, streams: int, rigs: str
) -> Mapping[str, object]:
    """Server CPU of a move: of this one, Redis included, with one stream a seat and with shared streams; of the peers.

    The peers keep everything in memory; this one stores a move before it acknowledges it. Raises CannotMeasure.
    """
    load = Load("moves", matches, seats, seconds, streams)
    node, folder = shutil.which("node"), Path(rigs)
    if node is None:
        raise CannotMeasure("the peers need Node 20 or later, and there is no `node` on the PATH")
    if not folder.is_dir():
        raise CannotMeasure(f"there is no folder {folder}")
    there = {name: folder / name / "load.js" for name in _RIGS if (folder / name / "node_modules").is_dir()}
    left_out = {name: f"run `npm install` in {folder / name}" for name in _RIGS if name not in there}
    if not there:
        raise CannotMeasure("no rig can run: " + "; ".join(left_out.values()))
    pinned = (os.cpu_count() or 1) > 1
    alone: list[Round] = []
    shared: list[Round] = []
    found: dict[str, list[dict[str, float]]] = {name: [] for name in there}
    with running_redis(durable=durability == "fsync") as redis, running_service(redis.url, durability) as service:
        assert redis.pid is not None
        core = None
        if pinned:
            core = _CLIENT
            pin(redis.pid, _SERVER)
            pin(service.pid, _SERVER)
        for _ in range(rounds):
            alone.append(measure(replace(load, streams=0), service, redis.pid, client_core=core))
            shared.append(measure(load, service, redis.pid, client_core=core))
            for name, rig in there.items():
                found[name].append(_measure(node, rig, load, pinned))
    result: dict[str, object] = {
        "matches": matches,
        "seats": seats,
        "streams": streams,
        "durability": durability,
        "rounds": rounds,
        "pinned": pinned,
    }
    for prefix, ours in (("one_stream", alone), ("shared", shared)):
        fields = {"moves_per_s": "moves_per_s", "server_cpu_us_per_move": "stored_us", "p50_ms": "p50_ms"}
        result |= told(ours, {f"{prefix}_{key}": field for key, field in fields.items()})
    for name, lines in found.items():
        peer = _RIGS[name]
        costs = [line["server_us_move"] for line in lines]
        for key, field in (
            ("moves_per_s", "moves_s"),
            ("server_cpu_us_per_move", "server_us_move"),
            ("p50_ms", "p50_ms"),
        ):
            values = [line[field] for line in lines]
            result |= figure(f"{peer}_{key}", values)
        result |= ratio(f"one_stream_ratio_to_{peer}", [each.stored_us for each in alone], costs)
        result |= ratio(f"shared_ratio_to_{peer}", [each.stored_us for each in shared], costs)
    return result | {"left_out": "; ".join(left_out.values())}


def _measure(node: str, rig: Path, load: Load, pinned: bool) -> dict[str, float]:
    """What a rig says."""
    command = [node, str(rig), str(load.matches), str(load.seats), str(load.seconds), "memory"]
    environment = os.environ | ({"PIN": "1"} if pinned else {})
    # SIGTERM, not SIGKILL: the rig ends its server then.
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            said, why = process.communicate(timeout=load.seconds + _WARM + _START)
        except subprocess.TimeoutExpired:
            process.terminate()
            raise CannotMeasure(f"{rig} did not end in time") from None
    if process.returncode != 0 or not said.strip():
        raise CannotMeasure(f"{rig} failed: {why.strip() or process.returncode}")
    line: dict[str, float] = json.loads(said.splitlines()[-1])
    if not line["server_us_move"]:
        raise CannotMeasure(f"{rig}: no move was made")
    return line
