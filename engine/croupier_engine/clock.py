"""Time per seat as one pure value, kept beside a game's state.

Each seat that a window waits for has the window's limit, then its own bank. What is used beyond the limit leaves the
bank; an answer in time earns the increment. All times are server milliseconds, given as arguments.
"""

from msgspec import Struct
from msgspec.structs import replace

from croupier_engine.game import Awaiting, Seat


class Limits(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Milliseconds: `window` for each question, `bank` per seat for a whole match, `increment` per timely answer."""

    window: int
    bank: int = 0
    increment: int = 0


class Clock(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The clocks of all seats of a match."""

    limits: Limits
    banks: tuple[int, ...]  # ms left, by seat
    since: tuple[int | None, ...]  # when the seat's time began to run; None = it stands
    window: str | None = None  # the question that it runs for

    @classmethod
    def start(cls, limits: Limits, seats: int) -> "Clock":
        """All clocks full and standing."""
        return cls(limits, (limits.bank,) * seats, (None,) * seats)

    def follow(self, awaiting: Awaiting | None, at: int, ended: int | None = None) -> "Clock":
        """Stop the clocks of seats that are no longer waited for and start those that now are.

        `ended`: what stops has run until then only; None: until `at`, when the others start.
        """
        window = awaiting.window if awaiting else None
        must = awaiting.must if awaiting else ()
        banks, since = list(self.banks), list(self.since)
        for seat, began in enumerate(self.since):
            asked = seat in must
            if began is not None and (not asked or window != self.window):
                banks[seat] = self._left(seat, began, at if ended is None else ended)
                since[seat] = None
            if asked and since[seat] is None:
                since[seat] = at
        return replace(self, banks=tuple(banks), since=tuple(since), window=window)

    def _left(self, seat: Seat, began: int, ended: int) -> int:
        beyond = ended - began - self.limits.window
        if beyond >= self.banks[seat]:
            return 0
        return self.banks[seat] - max(beyond, 0) + self.limits.increment

    def deadline(self, seat: Seat) -> int | None:
        """When the seat runs out, bank included; None while its clock stands."""
        began = self.since[seat]
        return None if began is None else began + self.limits.window + self.banks[seat]

    def next_deadline(self) -> int | None:
        """When the first seat runs out."""
        ends = [began + bank for began, bank in zip(self.since, self.banks, strict=True) if began is not None]
        return min(ends) + self.limits.window if ends else None

    def expired(self, at: int) -> tuple[Seat, ...]:
        """All seats that have run out, ascending."""
        return tuple(seat for seat in range(len(self.since)) if (d := self.deadline(seat)) is not None and d <= at)

    def credit(self, ms: int) -> "Clock":
        """Set every running clock back by `ms`."""
        return replace(self, since=tuple(None if began is None else began + ms for began in self.since))
