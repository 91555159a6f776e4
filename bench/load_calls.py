"""Players who act by calls, over gRPC or over HTTP, and may follow their match over a stream beside that.

Whoever is asked acts at once, each over a connection of his own: the answer says who is asked next. He takes the first
of his choices.
"""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Protocol

import grpc
from google.protobuf.json_format import MessageToDict

from bench.counting import Counter, Table
from bench.load_http import Connection
from bench.load_streams import Playing, six_nimmt
from bench.rounds import Load
from bench.tables import Guest, new_guests, stub_of
from bench.web import follow, place_of
from croupier.v1 import matches_pb2


@dataclass(frozen=True, slots=True)
class Next:
    """After an act: the number of the last event, the window, the seats that are asked in it; none: it is over."""

    sequence: int
    window: str
    asked: tuple[int, ...]


class Caller(Protocol):
    """One player of one table."""

    async def enter(self) -> None:
        """Become a guest."""

    async def create(self, table: matches_pb2.CreateMatchRequest) -> None:
        """Open a table."""

    async def join(self, match: str) -> Next:
        """Take a seat."""

    async def act(self, match: str, window: str) -> Next:
        """Take the first choice."""

    def watch(self, match: str) -> AsyncIterator[int]:
        """The number of the last event, whenever it changed."""


class GrpcCaller:
    """Over gRPC."""

    def __init__(self, target: str) -> None:
        channel = grpc.aio.insecure_channel(target, options=[("grpc.use_local_subchannel_pool", 1)])
        self._channel = channel
        self._matches = stub_of(channel)
        self._guest = Guest("-")

    async def enter(self) -> None:
        """Become a guest."""
        (self._guest,) = await new_guests(self._channel, 1)

    async def create(self, table: matches_pb2.CreateMatchRequest) -> None:
        """Open a table."""
        await self._matches.CreateMatch(table, metadata=self._guest.metadata)

    async def join(self, match: str) -> Next:
        """Take a seat."""
        joined = await self._matches.JoinMatch(
            matches_pb2.JoinMatchRequest(match=match, request_id=uuid.uuid4().hex), metadata=self._guest.metadata
        )
        return Next(joined.sequence, joined.you.window.id, tuple(joined.you.window.must))

    async def act(self, match: str, window: str) -> Next:
        """Take the first choice."""
        request = matches_pb2.ActRequest(match=match, window=window, choice=0, request_id=uuid.uuid4().hex)
        done = await self._matches.Act(request, metadata=self._guest.metadata)
        asked = done.match.you.window
        return Next(done.applied_sequence, asked.id, tuple(asked.must))

    async def watch(self, match: str) -> AsyncIterator[int]:
        """The number of the last event, whenever it changed."""
        async for message in self._matches.WatchMatch(
            matches_pb2.WatchMatchRequest(match=match), metadata=self._guest.metadata
        ):
            if message.HasField("event"):
                yield message.event.sequence
            elif message.HasField("snapshot"):
                yield message.snapshot.match.sequence


class HttpCaller:
    """Over HTTP: one connection for calls, kept alive, and one for each stream."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._calls = Connection(*place_of(url))
        self._token = "-"

    async def enter(self) -> None:
        """Become a guest."""
        made = await self._calls.call("POST", "/v1/players", self._token, {"displayName": "B"})
        self._token = made["token"]

    async def create(self, table: matches_pb2.CreateMatchRequest) -> None:
        """Open a table."""
        await self._calls.call(
            "POST", "/v1/matches", self._token, MessageToDict(table) | {"requestId": uuid.uuid4().hex}
        )

    async def join(self, match: str) -> Next:
        """Take a seat."""
        body = {"requestId": uuid.uuid4().hex}
        joined = await self._calls.call("POST", f"/v1/matches/{match}:join", self._token, body)
        return _next(joined["sequence"], joined)

    async def act(self, match: str, window: str) -> Next:
        """Take the first choice."""
        body = {"window": window, "choice": 0, "requestId": uuid.uuid4().hex}
        done = await self._calls.call("POST", f"/v1/matches/{match}:act", self._token, body)
        return _next(done["appliedSequence"], done["match"])

    async def watch(self, match: str) -> AsyncIterator[int]:
        """The number of the last event, whenever it changed."""
        async for frame in follow(self._url, match, self._token):
            if frame.name:
                yield frame.sequence


def _next(sequence: int, match: Any) -> Next:
    window = match["you"].get("window") or {"id": "", "must": ()}
    return Next(sequence, window["id"], tuple(window["must"]))


def callers(target: str, load: Load, counter: Counter) -> Playing:
    """Whoever plays, at each table one match after another."""
    make = GrpcCaller if load.kind in ("call", "unary") else HttpCaller
    return [_table([make(target) for _ in range(load.seats)], load, counter, index) for index in range(load.matches)]


async def _table(players: list[Caller], load: Load, counter: Counter, index: int) -> None:
    if load.kind in ("call", "route"):
        # What the bare stack does is known from its name: with streams a script and events, else what the API is
        # compared with, a script for a call over gRPC, and a mere echo behind a route.
        does = "watched" if load.watched else "script" if load.kind == "call" else "echo"
        match = f"{does}-{load.seats}-{index:04d}-{uuid.uuid4().hex[:12]}"
        await _match(players, match, Next(0, "d1.t1.choose", tuple(range(load.seats))), load, counter)
        return
    for player in players:
        await player.enter()
    while True:
        table = six_nimmt(load.seats)
        await players[0].create(table)
        for player in players[1:-1]:
            await player.join(table.match_id)
        question = await players[-1].join(table.match_id)
        await _match(players, table.match_id, question, load, counter)


async def _match(players: list[Caller], match: str, question: Next, load: Load, counter: Counter) -> None:
    """To its end."""
    table = Table(load.seats if load.watched else 0, counter)
    watches = [_Watch(player, match, table, seat) for seat, player in enumerate(players) if load.watched]
    for watch in watches:
        await watch.begun.wait()

    async def act(seat: int) -> Next:
        began = time.perf_counter()
        answer = await players[seat].act(match, question.window)
        table.accepted(seat, answer.sequence, began)
        return answer

    try:
        while question.asked:
            answers = await asyncio.gather(*(act(seat) for seat in question.asked))
            question = max(answers, key=lambda answer: answer.sequence)
        await asyncio.gather(*(watch.task for watch in watches))
    finally:
        for watch in watches:
            watch.task.cancel()


class _Watch:
    """A player's stream of a match, until it ends."""

    def __init__(self, player: Caller, match: str, table: Table, seat: int) -> None:
        self.begun = asyncio.Event()
        self.task = asyncio.create_task(self._read(player, match, table, seat))

    async def _read(self, player: Caller, match: str, table: Table, seat: int) -> None:
        async for sequence in player.watch(match):
            self.begun.set()
            table.reached(seat, sequence)
