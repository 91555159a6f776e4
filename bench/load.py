"""Clients that play as fast as they are answered: `python -m bench.load TARGET LOAD`; LOAD: a `rounds.Load` as JSON.

Its `kind`, over streams of Bots.Play: `echo`, `script`, `match`, `frames` (the bare stack), or `moves` (the product).
By calls: `call` (the bare stack) or `unary` over gRPC, `route` (the bare stack) or `rest` over HTTP.
It prints `ready:`, then `begin` when all play and a warm-up has passed, then `end` after the time, and waits for a line
after each. Last it prints a line of JSON.
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence

import grpc

from bench.counting import Counter
from bench.load_calls import callers
from bench.load_streams import bare_players, real_players
from bench.processes import CannotMeasure
from bench.rounds import Load

_WARM = 2.0  # s, or as long as it is measured, if that is less
_LEAST, _LONGER = 1_000, 4  # so many moves at least, unless that takes so many times as long: for busy machines
_WITHOUT_TABLES = ("echo", "script")


async def _play(tasks: "Sequence[asyncio.Future[None]]", seconds: float) -> None:
    """Let them play; whatever goes wrong in one is raised."""
    done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()


async def _main(target: str, load: Load) -> None:
    counter = Counter()
    if load.kind in ("call", "unary", "route", "rest"):
        playing = callers(target, load, counter)
    elif load.kind == "moves":
        playing = await real_players(target, load, counter)
    else:
        playing = bare_players(target, load, counter)
    tasks = [asyncio.ensure_future(each) for each in playing]
    while load.kind not in _WITHOUT_TABLES and counter.tables < load.matches:
        await _play(tasks, 0.1)
    await _play(tasks, min(_WARM, load.seconds))
    _say("begin")
    counter.counting = True
    began = time.perf_counter()
    await _play(tasks, load.seconds)
    while counter.moves < _LEAST and time.perf_counter() < began + _LONGER * load.seconds:
        await _play(tasks, 0.1)
    counter.counting = False
    took = time.perf_counter() - began
    _say("end")
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    print(json.dumps({"moves": counter.moves, "seconds": took, **counter.latencies()}), flush=True)


def _say(word: str) -> None:
    """Nobody plays until it is answered, with a line."""
    print(word, flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    _say("ready:")
    try:
        asyncio.run(_main(sys.argv[1], Load(**json.loads(sys.argv[2]))))
    except CannotMeasure as why:
        sys.exit(f"clients cannot go on: {why}")
    except grpc.aio.AioRpcError as error:
        sys.exit(f"clients cannot go on: {error.code().name} {error.details()}")
