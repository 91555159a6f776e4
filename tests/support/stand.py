"""A public match with spectators, for tests of streams that they share."""

import threading
from collections.abc import Iterator
from typing import Any

import grpc
from support.fake_api import FakeApi

from croupier.spectators import SHAREABLE, SPECTATOR
from croupier.v1 import matches_pb2

Message = matches_pb2.WatchMatchResponse


class Stand:
    """Told as the service tells it: a snapshot, or what comes behind a cursor, then each event with a new view.

    The token of a player, or his ticket, is his name. Who has a seat is told secrets.
    """

    def __init__(self) -> None:
        self.log: list[matches_pb2.Event] = []
        self.seated: set[str] = set()
        self.slip = ""  # who takes a seat when his call has just begun
        self.open = 0
        self.opened = 0
        self.broken = False
        self.replica = 0
        self.says_so = False
        self._changed = threading.Condition()
        for _ in range(3):
            self.happen()

    def happen(self, padding: str = "", seconds: int = 0) -> None:
        """Something everybody sees, at a time."""
        event = matches_pb2.Event(type=f"six_nimmt.placed{padding}")
        event.time.seconds = seconds
        self._add(event)

    def seat(self, player: str) -> None:
        """A player takes a seat."""
        with self._changed:
            self.seated.add(player)
        joined = matches_pb2.Event(type="match.joined")
        joined.match.joined.player = player
        self._add(joined)

    def leave(self, player: str) -> None:
        """A player gives his seat up."""
        with self._changed:
            self.seated.discard(player)
        left = matches_pb2.Event(type="match.left")
        left.match.left.player = player
        self._add(left)

    def shatter(self) -> None:
        """All calls break."""
        with self._changed:
            self.broken = True
            self._changed.notify_all()

    def go(self, *, saying_so: bool, seating: str = "") -> None:
        """The replica that all calls are at goes, and there is another one, where somebody may have taken a seat."""
        with self._changed:
            self.replica += 1
            self.says_so = saying_so
            if seating:
                self.seat(seating)
            self._changed.notify_all()

    def watch(self, request: Any, context: Any) -> Iterator[Message]:
        metadata = dict(context.invocation_metadata())
        player = request.ticket or metadata["authorization"].removeprefix("Bearer ")
        secret, replica = player in self.seated, self.replica
        if not secret and SHAREABLE in metadata:
            context.send_initial_metadata(((SPECTATOR, player),))
            if player == self.slip:
                self.slip = ""
                self.seat(player)
        self._count(1)
        context.add_callback(lambda: self._count(-1))
        told = len(self.log)
        if request.HasField("after"):
            told = request.after
        else:
            match = matches_pb2.Match(sequence=told, mark=self.log[-1].mark, you=self._you(told, secret))
            match.seats.extend(matches_pb2.Seat(player=name) for name in sorted(self.seated))
            yield Message(snapshot=matches_pb2.Snapshot(match=match))
        fresh = request.HasField("after")
        while context.is_active():
            if self.broken:
                raise RuntimeError
            if self.replica != replica and self.says_so:
                yield Message(end=matches_pb2.StreamEnd(reason="GO_AWAY", sequence=told))
                return
            if self.replica != replica:
                context.abort(grpc.StatusCode.UNAVAILABLE, "gone")
            while told < len(self.log):
                event = matches_pb2.Event()
                event.CopyFrom(self.log[told])
                event.type += ".secret" if secret else ""
                told, fresh = told + 1, True
                yield Message(event=event)
            if fresh:
                yield Message(window=matches_pb2.WindowUpdate(sequence=told, you=self._you(told, secret)))
                fresh = False
            with self._changed:
                if self.replica == replica and told == len(self.log) and not self.broken:
                    self._changed.wait(0.1)

    def _you(self, sequence: int, secret: bool) -> matches_pb2.You:
        you = matches_pb2.You(sequence=sequence, window=matches_pb2.Window(id=f"w{sequence}"))
        you.window.remaining.FromMilliseconds(1000 + self.opened)  # never the same
        if secret:
            you.seat = 0
        return you

    def _add(self, event: matches_pb2.Event) -> None:
        with self._changed:
            event.sequence = len(self.log) + 1
            event.mark = f"m{event.sequence}"
            self.log.append(event)
            self._changed.notify_all()

    def _count(self, by: int) -> None:
        with self._changed:
            self.open += by
            self.opened += max(by, 0)
            self._changed.notify_all()


def set_stand(api: FakeApi) -> Stand:
    stand = Stand()
    api.answers.update(WatchMatch=stand.watch)
    return stand
