"""The log of a match that is done, as one compressed value: a field of its record, and gone when that goes.

Form 2: zlib over a MessagePack array of columns. What the game told is left out wherever its rules tell it again; where
it told nothing and they would tell something, that is written as a list of no events.
"""

import asyncio
import zlib
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import msgspec
from msgspec.structs import replace

from croupier_engine import codec
from croupier_engine.game import Command, Event
from croupier_service.lifecycle import Started
from croupier_service.log import LogEntry, LogStep, StoredStep, decode_step, encode_step
from croupier_service.record import Record

FORM = 2
_TURN = 100  # entries that are played again before others have their turn: some 10 ms of Durak


class _Packed(msgspec.Struct, array_like=True):
    # One of each for every entry, from version 1 and event 1 on.
    names: list[str]
    times: list[int]  # ms since the entry before, and of the first since 1970
    waited: list[int | None]  # ms from when the act came in until then
    steps: list[list[StoredStep]]  # times of commands count from that of the entry


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Packed)


class _Again:
    """The game of a match, played again along its log."""

    def __init__(self, record: Record) -> None:
        self._game = record.game
        self._options = record.options
        self._seats = 0  # known when it starts
        self._state: Any = None

    def tells(self, step: LogStep, at: int) -> tuple[Event, ...] | None:
        """What the game tells at the next step; None if there is no knowing."""
        if step.of_the_match:
            for event in step.events:
                if isinstance(event.public, Started):
                    self._seats = len(event.public.players)
            return None
        if step.command is None:
            if not self._seats:
                return None
            made = self._game.start(self._options, self._seats, at)
        else:
            if self._state is None:
                return None
            made = self._game.apply(self._state, step.command)
        self._state = made.state
        return made.events


async def pack(record: Record, entries: Sequence[LogEntry]) -> bytes:
    """The whole log of a match in one value."""
    game, again = record.game, _Again(record)
    packed, before = _Packed([], [], [], []), 0
    for place, entry in enumerate(entries):
        if place % _TURN == 0:
            await asyncio.sleep(0)
        packed.names.append(entry.name)
        packed.times.append(entry.at - before)
        packed.waited.append(None if entry.received is None else entry.at - entry.received)
        steps = []
        for step in entry.steps:
            kept = again.tells(step, entry.at) != step.events
            written = encode_step(game, LogStep(_moved(step.command, -entry.at), step.events if kept else ()))
            if kept and not step.events:
                written.events = [msgspec.Raw(codec.encode_events(()))]
            steps.append(written)
        packed.steps.append(steps)
        before = entry.at
    return zlib.compress(_encoder.encode(packed), 9)


async def unpack(record: Record, form: int, data: bytes) -> list[LogEntry]:
    """The log that was packed; ValueError for a form that another version made, or if nothing tells what was left out.

    Whether the rules tell the same as when it was packed is for the caller to see: by the last number.
    """
    if form != FORM:
        raise ValueError(f"a log is packed in form {form}; this version knows {FORM}")
    packed, game, again = _decoder.decode(zlib.decompress(data)), record.game, _Again(record)
    entries: list[LogEntry] = []
    first = 0
    for at, name, waited, stored in zip(
        accumulate(packed.times), packed.names, packed.waited, packed.steps, strict=True
    ):
        if len(entries) % _TURN == 0:
            await asyncio.sleep(0)
        steps = []
        for written in stored:
            step = decode_step(game, written)
            step = LogStep(_moved(step.command, at), step.events)
            told = again.tells(step, at)
            if not written.events and not written.told:
                if told is None:
                    raise ValueError(f"what was told at {name} is left out, and nothing tells it")
                step = LogStep(step.command, told)
            steps.append(step)
        entry = LogEntry(len(entries) + 1, first, at, tuple(steps), name, None if waited is None else at - waited)
        entries.append(entry)
        first = entry.last
    return entries


def _moved(command: Command[Any] | None, ms: int) -> Command[Any] | None:
    return None if command is None else replace(command, at=command.at + ms)
