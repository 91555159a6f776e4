"""What is said on a stream of `Bots.Play`, in engine types."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from croupier_engine.game import Outcome
from croupier_service.errors import Refused
from croupier_service.log import Cursor
from croupier_service.projection import EventView, MatchView, YouView


@dataclass(frozen=True, slots=True)
class Hello:
    """What a player offers, and what it has received already: match -> number of the last event.

    `stand_by`: another stream of the same player stays, and this one goes away.
    """

    games: Mapping[str, tuple[str, ...]]
    capacity: int
    resume: Mapping[str, Cursor]
    stand_by: bool = False


@dataclass(frozen=True, slots=True)
class Welcome:
    """The stream is open."""

    player: str


@dataclass(frozen=True, slots=True)
class Seated:
    """A match that the player sits in."""

    match: MatchView


@dataclass(frozen=True, slots=True)
class Question:
    """The player is asked."""

    match: str
    sequence: int
    you: YouView


@dataclass(frozen=True, slots=True)
class Happened:
    """What happened in a match."""

    match: str
    events: list[EventView]


@dataclass(frozen=True, slots=True)
class Acted:
    """An act was applied."""

    match: str
    request: str
    applied_sequence: int


@dataclass(frozen=True, slots=True)
class RefusedMessage:
    """A message was refused."""

    match: str
    request: str
    refusal: Refused


@dataclass(frozen=True, slots=True)
class Done:
    """A match is done; without an outcome it was abandoned."""

    match: str
    outcome: Outcome | None


@dataclass(frozen=True, slots=True)
class Pong:
    """An answer to a ping, or a heartbeat; `stale`: the store is out of touch."""

    payload: str
    stale: bool = False


@dataclass(frozen=True, slots=True)
class GoAway:
    """The stream ends; `retry_after` is in seconds, None: do not come back."""

    reason: str
    retry_after: float | None


Message: TypeAlias = Welcome | Seated | Question | Happened | Acted | RefusedMessage | Done | Pong | GoAway
