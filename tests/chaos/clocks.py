"""The time of each seat by the promise alone: the checker's own, so that it shares no mistake with the engine.

A question's time begins with the change that asks it. An answer counts as of its arrival, and so does all that it ends.
"""

from collections.abc import Collection


class Clocks:
    """Milliseconds: `window` for each question, `bank` for the match, `increment` for each answer in time."""

    def __init__(self, window: int, bank: int, increment: int, seats: int) -> None:
        self._window = window
        self._increment = increment
        self._banks = [bank] * seats
        self.asked: dict[int, tuple[str, int]] = {}  # by seat: the question, and since when

    def deadline(self, seat: int) -> int | None:
        """When a seat's time is up; None if it is asked nothing."""
        if seat not in self.asked:
            return None
        return self.asked[seat][1] + self._window + self._banks[seat]

    def change(self, window: str, must: Collection[int], at: int, received: int | None) -> list[tuple[int, int]]:
        """A change was made at `at`, by what came in at `received`; the seats asked anew, each with its deadline."""
        for seat, (question, since) in list(self.asked.items()):
            if seat not in must or question != window:
                took = (at if received is None else received) - since
                bank = self._banks[seat]
                in_time = took < self._window + bank
                self._banks[seat] = bank - max(0, took - self._window) + self._increment if in_time else 0
                del self.asked[seat]
        anew = [seat for seat in must if seat not in self.asked]
        self.asked |= dict.fromkeys(anew, (window, at))
        return self.deadlines(anew)

    def credit(self, ms: int) -> list[tuple[int, int]]:
        """All that runs is set back; the seats, each with its new deadline."""
        self.asked = {seat: (question, since + ms) for seat, (question, since) in self.asked.items()}
        return self.deadlines(self.asked)

    def deadlines(self, seats: Collection[int]) -> list[tuple[int, int]]:
        """Seats that are asked, each with its deadline."""
        return [(seat, deadline) for seat in seats if (deadline := self.deadline(seat)) is not None]
