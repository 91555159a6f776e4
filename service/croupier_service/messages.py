"""What is said on a stream of `Bots.Play`, in engine types."""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from croupier_engine.game import Outcome
from croupier_service.errors import Refused
from croupier_service.log import Cursor
from croupier_service.projection import EventView, MatchView, YouView


class Hello(msgspec.Struct, frozen=True):
    """What a player offers, and what it has received already: match -> number of the last event.

    `stand_by`: another stream of the same player stays, and this one goes away.
    """

    games: Mapping[str, tuple[str, ...]]
    capacity: int
    resume: Mapping[str, Cursor]
    stand_by: bool = False


class Welcome(msgspec.Struct, frozen=True):
    """The stream is open."""

    player: str


class Seated(msgspec.Struct, frozen=True):
    """A match that the player sits in."""

    match: MatchView


class Question(msgspec.Struct, frozen=True):
    """The player is asked."""

    match: str
    sequence: int
    you: YouView


class Happened(msgspec.Struct, frozen=True):
    """What happened in a match."""

    match: str
    events: tuple[EventView, ...]


class Acted(msgspec.Struct, frozen=True):
    """An act was applied."""

    match: str
    request: str
    applied_sequence: int


class RefusedMessage(msgspec.Struct, frozen=True):
    """A message was refused."""

    match: str
    request: str
    refusal: Refused


class Done(msgspec.Struct, frozen=True):
    """A match is done; without an outcome it was abandoned."""

    match: str
    outcome: Outcome | None


class Pong(msgspec.Struct, frozen=True):
    """An answer to a ping, or a heartbeat; `stale`: the store is out of touch."""

    payload: str
    stale: bool = False


class GoAway(msgspec.Struct, frozen=True):
    """The stream ends; `retry_after` is in seconds, None: do not come back."""

    reason: str
    retry_after: float | None


Other: TypeAlias = Welcome | Seated | Question | Acted | RefusedMessage | Done | Pong | GoAway
Message: TypeAlias = Happened | Other
