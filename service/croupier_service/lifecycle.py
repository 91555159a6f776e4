"""Events of a match itself, whatever the game; each class is the payload of the event type named beside it."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from croupier_engine.game import Event, Outcome, Seat


class Created(Struct, frozen=True, array_like=True):
    """match.created"""

    host: str


class Joined(Struct, frozen=True, array_like=True):
    """match.joined"""

    seat: Seat
    player: str
    name: str
    bot: bool


class Left(Struct, frozen=True, array_like=True):
    """match.left"""

    seat: Seat | None  # None: a host who only watched
    player: str
    host: str | None


class Started(Struct, frozen=True, array_like=True):
    """match.started"""

    players: tuple[str, ...]


class TimedOut(Struct, frozen=True, array_like=True):
    """match.timed_out"""

    seats: tuple[Seat, ...]


class Barred(Struct, frozen=True, array_like=True):
    """match.barred"""

    seat: Seat


class Absent(Struct, frozen=True, array_like=True):
    """match.absent"""

    seat: Seat
    until: int  # server ms, when a bot takes over


class StoodIn(Struct, frozen=True, array_like=True):
    """match.stood_in"""

    seat: Seat
    player: str
    name: str
    epoch: int


class Returned(Struct, frozen=True, array_like=True):
    """match.returned"""

    seat: Seat
    epoch: int


class Credited(Struct, frozen=True, array_like=True):
    """match.credited"""

    ms: int


class Resigned(Struct, frozen=True, array_like=True):
    """match.resigned"""

    seat: Seat


class Over(Struct, frozen=True, array_like=True):
    """match.over"""

    outcome: Outcome


class Abandoned(Struct, frozen=True, array_like=True):
    """match.abandoned"""

    reason: str  # EXPIRED or EMPTY


PAYLOADS: Mapping[str, type[Any]] = {
    "match.created": Created,
    "match.joined": Joined,
    "match.left": Left,
    "match.started": Started,
    "match.timed_out": TimedOut,
    "match.barred": Barred,
    "match.absent": Absent,
    "match.stood_in": StoodIn,
    "match.returned": Returned,
    "match.credited": Credited,
    "match.resigned": Resigned,
    "match.over": Over,
    "match.abandoned": Abandoned,
}
_TYPES = {payload: name for name, payload in PAYLOADS.items()}


def happened(payload: object) -> Event:
    """The event with this payload, open to all."""
    return Event(_TYPES[type(payload)], payload)
