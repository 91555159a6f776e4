"""What is kept of a match, as one value, and its stored form."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import msgspec

from croupier_engine import codec
from croupier_engine.clock import Clock, Limits
from croupier_engine.game import AnyGame, Awaiting, Outcome, Seat
from croupier_engine.registry import game_of


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


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat and who sits there; `player` is None while it is free."""

    player: str | None = None
    name: str = ""
    bot: bool = False


@dataclass(frozen=True, slots=True)
class Meta:
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
    commitment: str
    deal_scheme: int
    created_at: int
    expires_at: int
    started_at: int = 0
    outcome: Outcome | None = None


@dataclass(frozen=True)
class Record:
    """A match. `version` counts changes, `sequence` counts events; `at` is the time of the last change."""

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
        return self.game.awaiting(self.state) if self.phase is Phase.RUNNING else None

    def seat_of(self, player: str | None) -> Seat | None:
        """Where a player sits; None if nowhere."""
        if player is None:
            return None
        return next((i for i, chair in enumerate(self.meta.seats) if chair.player == player), None)

    @property
    def players(self) -> tuple[str, ...]:
        """Who sits there, in the order of seats."""
        return tuple(chair.player for chair in self.meta.seats if chair.player is not None)

    def concerns(self, player: str) -> bool:
        """Whether it belongs to a player's own: he sits there or hosts it."""
        return player == self.meta.host or player in self.players

    def visible_to(self, player: str) -> bool:
        """Whether a player may see it at all."""
        return self.meta.public or self.concerns(player)

    @property
    def next_deadline(self) -> int | None:
        """When the clock has to look at it, grace not counted; None once nothing more will happen."""
        if self.phase is Phase.OPEN:
            return self.meta.expires_at
        awaiting = self.awaiting
        if awaiting is None or self.clock is None:
            return None
        return min((d for d in (self.clock.next_deadline(), awaiting.deadline) if d is not None), default=None)


@dataclass(frozen=True, slots=True)
class Request:
    """A request that was carried out: the events it made are those after `first` up to `last`."""

    id: str
    fingerprint: str
    first: int
    last: int


REQUESTS_KEPT = 32  # per caller and match

_meta = msgspec.json.Decoder(Meta)
_requests = msgspec.json.Decoder(tuple[Request, ...])


def to_fields(after: Record, before: Record | None) -> dict[str, bytes]:
    """The stored fields of a record, or only those that differ from the record before."""
    fields: dict[str, bytes] = {
        "version": b"%d" % after.version,
        "sequence": b"%d" % after.sequence,
        "at": b"%d" % after.at,
    }
    if before is None:
        fields |= {"seed": after.seed, "options": codec.encode_options(after.options)}
    if before is None or before.meta is not after.meta:
        fields["meta"] = msgspec.json.encode(after.meta)
    if before is None or before.deals != after.deals:
        fields["deals"] = b"%d" % after.deals
    if after.state is not None and (before is None or before.state is not after.state):
        fields["state"] = codec.encode_state(after.state)
    if after.clock is not None and (before is None or before.clock is not after.clock):
        fields["clock"] = codec.encode_clock(after.clock)
    return fields


def from_fields(match: str, fields: Mapping[bytes, bytes]) -> Record:
    """The record that these fields hold."""
    meta = _meta.decode(fields[b"meta"])
    game = game_of(meta.game, meta.rules_version)
    state, clock = fields.get(b"state"), fields.get(b"clock")
    return Record(
        id=match,
        version=int(fields[b"version"]),
        sequence=int(fields[b"sequence"]),
        at=int(fields[b"at"]),
        meta=meta,
        options=codec.decode_options(game, fields[b"options"]),
        seed=fields[b"seed"],
        deals=int(fields[b"deals"]),
        state=None if state is None else codec.decode_state(game, state),
        clock=None if clock is None else codec.decode_clock(clock),
    )


def encode_requests(requests: tuple[Request, ...]) -> bytes:
    """The stored form of a caller's last requests."""
    return msgspec.json.encode(requests)


def decode_requests(data: bytes | None) -> tuple[Request, ...]:
    """A caller's last requests, oldest first."""
    return () if data is None else _requests.decode(data)
