"""The log of a match: what was done, and what of it was told, change by change."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from croupier_engine import codec
from croupier_engine.game import AnyGame, Command, Event
from croupier_service.lifecycle import PAYLOADS


class LogStep(msgspec.Struct, frozen=True):
    """A command and the events that it led to; a change of the match itself has no command."""

    command: Command[Any] | None
    events: tuple[Event, ...] = ()

    @property
    def of_the_match(self) -> bool:
        """It tells of the match itself, and not of its game."""
        return bool(self.events) and self.events[0].type in PAYLOADS


class LogEntry(msgspec.Struct, frozen=True, dict=True):
    """All that one change did. Its events have the numbers after `first`; `at` is server milliseconds.

    `name`: see Record. `received`: when the act that it tells of came in, if that was before `at`; clocks that it stops
    ran until then.
    """

    version: int
    first: int
    at: int
    steps: tuple[LogStep, ...]
    name: str = ""
    received: int | None = None

    @cached_property
    def last(self) -> int:
        """The number of its last event, or of the one before if it has none."""
        return self.first + sum(len(step.events) for step in self.steps)

    def numbered(self) -> Iterator[tuple[int, Event]]:
        """Its events with their numbers."""
        sequence = self.first
        for step in self.steps:
            for event in step.events:
                sequence += 1
                yield sequence, event


class Cursor(NamedTuple):
    """How far a match was received: the number of an event, and its mark; empty: that of whichever has the number."""

    sequence: int
    mark: str = ""


class Told(msgspec.Struct, array_like=True):
    """An event of the match itself, open to all."""

    type: str
    payload: msgspec.Raw


class StoredStep(msgspec.Struct, array_like=True):
    """A step of an entry, the game's values in the engine's stored form."""

    # Raw values cannot be optional: lists of one, or none.
    command: list[msgspec.Raw] = []
    events: list[msgspec.Raw] = []  # of the game, as one value
    told: list[Told] = []


class _StoredEntry(msgspec.Struct, array_like=True):
    first: int
    at: int
    steps: list[StoredStep]
    received: int | None = None


_entry_encoder = msgspec.msgpack.Encoder()
_entry_decoder = msgspec.msgpack.Decoder(_StoredEntry)
_payloads = {name: msgspec.msgpack.Decoder(payload) for name, payload in PAYLOADS.items()}


def encode_entry(game: AnyGame, entry: LogEntry) -> bytes:
    """The stored form: the name, a space, and the rest as MessagePack. The version is its place in the log."""
    steps = [encode_step(game, step) for step in entry.steps]
    return f"{entry.name} ".encode() + _entry_encoder.encode(_StoredEntry(entry.first, entry.at, steps, entry.received))


def decode_entry(game: AnyGame, version: int, data: bytes) -> LogEntry:
    """The entry that was stored as this version."""
    _, _, rest = data.partition(b" ")
    stored = _entry_decoder.decode(rest)
    steps = tuple([decode_step(game, step) for step in stored.steps])
    return LogEntry(version, stored.first, stored.at, steps, name_of(data), stored.received)


def name_of(data: bytes) -> str:
    """The name of an entry as it is stored."""
    return data.partition(b" ")[0].decode()


def encode_step(game: AnyGame, step: LogStep) -> StoredStep:
    """What is written of a step."""
    if step.of_the_match:
        return StoredStep(
            told=[Told(event.type, msgspec.Raw(_entry_encoder.encode(event.public))) for event in step.events]
        )
    return StoredStep(
        command=[] if step.command is None else [msgspec.Raw(codec.encode_command(game, step.command))],
        events=[msgspec.Raw(codec.encode_events(step.events))] if step.events else [],
    )


def decode_step(game: AnyGame, stored: StoredStep) -> LogStep:
    """The step that was written."""
    if stored.told:
        return LogStep(None, tuple(Event(told.type, _payloads[told.type].decode(told.payload)) for told in stored.told))
    return LogStep(
        codec.decode_command(game, bytes(stored.command[0])) if stored.command else None,
        codec.decode_events(game, bytes(stored.events[0])) if stored.events else (),
    )
