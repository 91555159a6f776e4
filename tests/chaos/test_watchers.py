"""Watchers of matches go on where their last stream ended."""

import asyncio
from collections.abc import Iterator
from typing import Any

from support.fake_api import running_api

from chaos.history import History
from chaos.players import Habits, Player
from chaos.tables import Tables
from croupier.v1 import matches_pb2

Message = matches_pb2.WatchMatchResponse


async def test_a_watcher_resumes_with_number_and_mark() -> None:
    asked: list[tuple[bool, int, str]] = []
    enough = asyncio.Event()
    loop = asyncio.get_running_loop()

    def watch(request: Any, _context: Any) -> Iterator[Message]:
        asked.append((request.HasField("after"), request.after, request.mark))
        if len(asked) == 1:
            whole = matches_pb2.Match(id="chaos-1", sequence=3, mark="third")
            yield Message(snapshot=matches_pb2.Snapshot(match=whole))
        elif len(asked) == 2:
            yield Message(event=matches_pb2.Event(sequence=4, type="six_nimmt.committed", mark="fourth"))
        elif len(asked) == 4:
            loop.call_soon_threadsafe(enough.set)

    with running_api() as api:
        api.answers["WatchMatch"] = watch
        history = History()
        tables = Tables(history, [], [], [api.target], seats=2, window=1.0)
        tables.begun.append("chaos-1")
        tables._over["chaos-1"] = asyncio.Event()
        watcher = Player(history, [api.target], [], "p-1", "token", Habits(think=1.0), tables.done)
        watching = asyncio.create_task(tables.watch(watcher))
        async with asyncio.timeout(20):
            await enough.wait()
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
    assert asked[:4] == [(False, 0, ""), (True, 3, "third"), (True, 4, "fourth"), (True, 4, "fourth")]
    assert [stream.resume for stream in history.streams[:4]] == [{}, {"chaos-1": 3}, {"chaos-1": 4}, {"chaos-1": 4}]
