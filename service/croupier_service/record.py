"""What is kept of a match, as one value.

Structs are stored as arrays of their fields in order: a new one goes to the end, and has a default. A version that does
not know it refuses to read them, for it would write them again without it.
"""

import hashlib
from enum import StrEnum
from functools import cached_property
from typing import Any

from msgspec import Struct

from croupier_engine import dealing
from croupier_engine.clock import Clock, Limits
from croupier_engine.game import AnyGame, Awaiting, Outcome, Seat
from croupier_engine.registry import game_of
from croupier_service.made import Made


class Phase(StrEnum):
    """How far a match is."""

    OPEN = "OPEN"
    RUNNING = "RUNNING"
    OVER = "OVER"
    ABANDONED = "ABANDONED"

    @property
    def done(self) -> bool:
        """Nothing more will happen."""
        return self in (Phase.OVER, Phase.ABANDONED)


class StandIn(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A bot that plays for a player who is away."""

    player: str
    name: str


class StandInTerms(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """When a bot plays for a player who is away: which level it must offer, and how many ms after the notice."""

    level: str
    after: int


class Chair(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A seat and who sits there; `player` is None while it is free. Times are server milliseconds."""

    player: str | None = None
    name: str = ""
    bot: bool = False
    resigned: bool = False
    # Who plays for it. Of account only where bots may stand in: see absence.py.
    epoch: int = 0  # counts the changes
    stand_in: StandIn | None = None  # None: the player himself
    since: int = 0
    sat_at: int = 0  # when the player sat down
    absent_until: int | None = None  # whoever plays for it is away; when a bot takes over
    overdue: bool = False  # no bot was free then; tried now and then, but not by the clock any more
    former: tuple[str, ...] = ()  # the bots that have stood in, the last one last

    @property
    def played_by(self) -> str | None:
        """Who plays for it."""
        return self.player if self.stand_in is None else self.stand_in.player

    def misses(self, player: str) -> bool:
        """Whether a player is held to be away who sits there, or stands in."""
        if self.player == player:
            return self.stand_in is not None or self.absent_until is not None
        return self.absent_until is not None and self.played_by == player


class Meta(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What seldom changes. Times are server milliseconds."""

    game: str
    rules_version: int
    preset: str
    public: bool
    join_code: str
    host: str
    creator: str
    fingerprint: str  # of the request that created it
    phase: Phase
    seats: tuple[Chair, ...]
    limits: Limits
    deal_scheme: int
    created_at: int
    expires_at: int
    stand_in: StandInTerms | None = None  # None: nobody plays for a player who is away
    request: str = ""  # its creator's name for the request that created it
    compact_after: int = 120_000  # ms from the end until the log is packed
    started_at: int = 0
    outcome: Outcome | None = None


class Record(Struct, frozen=True, dict=True):
    """A match. `version` counts changes, `sequence` counts events; `at` is the time of the last change.

    `name` is that of the last change, and no other change has it. A version alone does not tell: a store that has lost
    some changes counts on from there, and what comes then has the same numbers.
    """

    id: str
    version: int
    sequence: int
    at: int
    meta: Meta
    options: Any
    seed: bytes  # secret until the match is over
    deals: int = 0  # questions of chance answered so far
    state: Any = None  # the game's, from the start on
    clock: Clock | None = None
    packed: bool = False  # the log is packed into one value: see store/packing.py
    name: str = ""  # empty: nothing was changed yet, or by a service that gave no names
    mark: str = ""  # the name of the change that made the last event; what changes unseen does not show in it

    @property
    def stamp(self) -> str:
        """Version and name, as the scripts compare them."""
        return f"{self.version} {self.name}"

    def same(self, other: "Record") -> bool:
        """Whether that is this match as of the same change."""
        return (self.version, self.name) == (other.version, other.name)

    @property
    def commitment(self) -> str:
        """What everybody may know of the seed."""
        return dealing.commitment(self.seed)

    @property
    def phase(self) -> Phase:
        """How far it is."""
        return self.meta.phase

    @property
    def game(self) -> AnyGame:
        """The rules that it is played by."""
        return game_of(self.meta.game, self.meta.rules_version)

    @cached_property
    def awaiting(self) -> Awaiting | None:
        """What is waited for; None before the start and after the end."""
        return awaiting_of(self.game, self.state) if self.phase is Phase.RUNNING else None

    @cached_property
    def asked(self) -> dict[Seat | None, Any]:
        """What the seats are asked, kept here by whoever has made it, as each is looked at more than once."""
        return {}

    def seat_of(self, player: str | None) -> Seat | None:
        """Where a player sits, or stands in for another; None if nowhere."""
        if player is None:
            return None
        for seat, chair in enumerate(self.meta.seats):
            if chair.player == player:
                return seat
        if self.meta.stand_in is None:
            return None
        return next((i for i, chair in enumerate(self.meta.seats) if chair.played_by == player), None)

    @property
    def players(self) -> tuple[str, ...]:
        """Who sits there, in the order of seats; those who stand in are not among them."""
        return tuple(chair.player for chair in self.meta.seats if chair.player is not None)

    @property
    def stand_ins(self) -> tuple[str, ...]:
        """Who plays there for somebody else."""
        return tuple(chair.stand_in.player for chair in self.meta.seats if chair.stand_in is not None)

    def misses(self, player: str) -> bool:
        """Whether a player of it is held to be away, while it runs."""
        if self.meta.stand_in is None or self.phase is not Phase.RUNNING:
            return False
        return any(chair.misses(player) for chair in self.meta.seats)

    def needs_bot(self, now: int) -> bool:
        """Whether the time has come for a bot to take over a seat."""
        if self.meta.stand_in is None or self.phase is not Phase.RUNNING:
            return False
        due = (chair.absent_until for chair in self.meta.seats if not chair.overdue)
        return any(until is not None and until <= now for until in due)

    def concerns(self, player: str) -> bool:
        """Whether it belongs to a player's own: he sits there or hosts it, or stands in as long as it runs."""
        return player == self.meta.host or player in self.players or (not self.phase.done and player in self.stand_ins)

    def visible_to(self, player: str) -> bool:
        """Whether a player may see it at all."""
        return self.meta.public or player == self.meta.host or self.seat_of(player) is not None

    @property
    def next_deadline(self) -> int | None:
        """When the clock has to look at it, grace not counted; None once nothing more will happen."""
        if self.phase is Phase.OPEN:
            return self.meta.expires_at
        if self.phase.done:
            return None if self.packed else self.at + self.meta.compact_after
        awaiting = self.awaiting
        if awaiting is None or self.clock is None:
            return None
        ends = [self.clock.next_deadline(), awaiting.deadline]
        if self.meta.stand_in is not None:
            ends += [chair.absent_until for chair in self.meta.seats if not chair.overdue]
        return min([end for end in ends if end is not None], default=None)


class Request(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A request that was carried out: the events it made are those after `first` up to `last`.

    The last ones of its caller are written with each change: of id and contents only what tells them apart.
    """

    id: bytes  # short
    fingerprint: bytes  # short
    first: int
    last: int


def awaiting_of(game: AnyGame, state: Any) -> Awaiting | None:
    """What is waited for in a state of a game; a change looks, and then whoever is told of it."""
    return _awaiting.of(state, game)


def _look(state: Any, game: AnyGame) -> Awaiting | None:
    return game.awaiting(state)


# A change looks before there is a record of what it has made.
_awaiting = Made[Any, Awaiting | None](_look, 200)

REQUESTS_KEPT = 32  # per caller and match


def short(text: str) -> bytes:
    """8 bytes by which a text is told from a few others."""
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
