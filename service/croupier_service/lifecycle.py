"""Events of a match itself, whatever the game; each class is the payload of the event type named beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from croupier_engine.game import Event, Outcome, Seat


@dataclass(frozen=True, slots=True)
class Created:
    """match.created"""

    host: str


@dataclass(frozen=True, slots=True)
class Joined:
    """match.joined"""

    seat: Seat
    player: str
    name: str
    bot: bool


@dataclass(frozen=True, slots=True)
class Left:
    """match.left"""

    seat: Seat | None  # None: a host who only watched
    player: str
    host: str | None


@dataclass(frozen=True, slots=True)
class Started:
    """match.started"""

    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TimedOut:
    """match.timed_out"""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Barred:
    """match.barred"""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Absent:
    """match.absent"""

    seat: Seat
    until: int  # server ms, when a bot takes over


@dataclass(frozen=True, slots=True)
class StoodIn:
    """match.stood_in"""

    seat: Seat
    player: str
    name: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Returned:
    """match.returned"""

    seat: Seat
    epoch: int


@dataclass(frozen=True, slots=True)
class Credited:
    """match.credited"""

    ms: int


@dataclass(frozen=True, slots=True)
class Resigned:
    """match.resigned"""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Over:
    """match.over"""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Abandoned:
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
