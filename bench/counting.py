"""What clients count: moves that were accepted and delivered, and how long that took."""

import time
from collections import deque
from collections.abc import Sequence
from math import inf

_SHARES = {"p50_ms": 0.5, "p99_ms": 0.99, "p999_ms": 0.999}


class Counter:
    """Moves that were accepted and delivered while it counts. Times are seconds."""

    def __init__(self) -> None:
        self.counting = False
        self.moves = 0
        self.tables = 0  # that have moved at least once
        self.acked: list[float] = []  # from a move to its answer
        self.delivered: list[float] = []  # from a move to its event at another seat

    def moved(self) -> None:
        """One more is accepted and delivered."""
        if self.counting:
            self.moves += 1

    def answered(self, began: float) -> None:
        """A move that was sent at `began` has its answer."""
        if self.counting:
            self.acked.append(time.perf_counter() - began)

    def heard(self, seconds: float) -> None:
        """So long it took until another seat had the event of a move."""
        if self.counting:
            self.delivered.append(seconds)

    def latencies(self) -> dict[str, float]:
        """Milliseconds: `p50_ms` and so on until the answer, `event_p50_ms` and so on until the event."""
        return _shares("", self.acked) | _shares("event_", self.delivered)


def _shares(prefix: str, seconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(seconds) or [0.0]
    return {prefix + key: round(ordered[int((len(ordered) - 1) * share)] * 1000, 2) for key, share in _SHARES.items()}


class Table:
    """One match: a move counts when its player has the answer and every listener has its event.

    The listeners are the seats in their order, or there are none.
    """

    def __init__(self, listeners: int, counter: Counter) -> None:
        self._cursors = [0] * listeners
        self._arrived = [deque[tuple[int, float]](maxlen=8 * listeners) for _ in range(listeners)]
        self._counter = counter
        self._moved = False
        self._accepted: deque[tuple[int, int, float]] = deque()

    def accepted(self, seat: int, sequence: int, began: float) -> None:
        """A move of a seat has become part of the match as of event `sequence`."""
        if not self._moved:
            self._moved = True
            self._counter.tables += 1
        self._counter.answered(began)
        self._accepted.append((sequence, seat, began))
        self._look()

    def reached(self, listener: int, sequence: int) -> None:
        """A listener has all events up to `sequence`."""
        if sequence > self._cursors[listener]:
            self._cursors[listener] = sequence
            self._arrived[listener].append((sequence, time.perf_counter()))
            self._look()

    def _look(self) -> None:
        """Count what everybody has by now."""
        reached = min(self._cursors, default=inf)
        while self._accepted and self._accepted[0][0] <= reached:
            sequence, seat, began = self._accepted.popleft()
            self._counter.moved()
            for listener, arrived in enumerate(self._arrived):
                if listener != seat:
                    self._counter.heard(next(at for number, at in arrived if number >= sequence) - began)
