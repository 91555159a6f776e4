"""A match that can be watched, for tests of streams and long polls."""

import threading
import time
from collections.abc import Iterator
from typing import Any

from support.fake_api import FakeApi

from croupier.v1 import matches_pb2

Message = matches_pb2.WatchMatchResponse


class Table:
    """A match that can be watched: a snapshot at once, then an event whenever `happen` is called."""

    def __init__(self) -> None:
        self.sequence = 3
        self.open = 0
        self._changed = threading.Condition()

    def happen(self, events: int = 1) -> None:
        with self._changed:
            self.sequence += events
            self._changed.notify_all()

    def watch(self, request: Any, context: Any) -> Iterator[Message]:
        told = self.sequence
        self._count(1)
        context.add_callback(lambda: self._count(-1))
        if request.HasField("after"):
            told = request.after
        else:
            yield Message(snapshot=matches_pb2.Snapshot(match=matches_pb2.Match(sequence=told)))
        while context.is_active():
            while told < self.sequence:
                told += 1
                yield Message(event=matches_pb2.Event(sequence=told, type="match.joined"))
            with self._changed:
                if told == self.sequence:
                    self._changed.wait(0.1)

    def poll(self, request: Any, context: Any) -> matches_pb2.ListEventsResponse:
        self._count(1)
        context.add_callback(lambda: self._count(-1))
        deadline = time.monotonic() + request.wait.ToMilliseconds() / 1000
        while context.is_active() and time.monotonic() < deadline:
            time.sleep(0.02)
        return matches_pb2.ListEventsResponse(next=self.sequence)

    def _count(self, by: int) -> None:
        with self._changed:
            self.open += by
            self._changed.notify_all()


def set_table(api: FakeApi) -> Table:
    table = Table()
    api.answers.update(WatchMatch=table.watch, ListEvents=table.poll)
    return table
