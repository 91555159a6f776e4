"""Players on streams of Bots.Play: one stream a seat, or a few that share all seats."""

import asyncio
import time
import uuid
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any, TypeVar

import grpc

from bench.counting import Counter, Table
from bench.rounds import Load
from bench.tables import Guest, new_guests, new_table, open_table, stub_of
from croupier.v1 import (
    bots_pb2,
    bots_pb2_grpc,
    games_pb2,
    matches_pb2,
    matches_pb2_grpc,
    six_nimmt_pb2,
)

DEALS = 4  # of a match
ACK = 5.0  # s between acknowledgements of what was received; a stream without one for a minute is ended

Playing = list[Coroutine[Any, Any, None]]


class Seat:
    """One stream, over a connection of its own."""

    def __init__(self, target: str, token: str) -> None:
        self.channel = grpc.aio.insecure_channel(target, options=[("grpc.use_local_subchannel_pool", 1)])
        stub: bots_pb2_grpc.BotsAsyncStub = bots_pb2_grpc.BotsStub(self.channel)
        self.call: grpc.aio.StreamStreamCall[bots_pb2.PlayRequest, bots_pb2.PlayResponse] = stub.Play(
            metadata=Guest(token).metadata
        )
        self._acts = 0

    def move(self, match: str, window: str, action: games_pb2.Action) -> bots_pb2.PlayerMessage:
        """A move, still to be sent."""
        self._acts += 1
        act = bots_pb2.PlayAct(request_id=f"{self._acts}", match=match, window=window, action=action)
        return bots_pb2.PlayerMessage(act=act)

    async def act(self, match: str, window: str, action: games_pb2.Action) -> None:
        """Send a move."""
        await self.write(self.move(match, window, action))

    async def write(self, *messages: bots_pb2.PlayerMessage) -> None:
        """One frame."""
        await self.call.write(bots_pb2.PlayRequest(messages=messages))

    async def read(self) -> list[bots_pb2.TableMessage]:
        """One frame."""
        frame = await self.call.read()
        if not isinstance(frame, bots_pb2.PlayResponse):
            raise TypeError(f"a stream has ended: {await self.call.code()} {await self.call.details()}")
        return list(frame.messages)


class _Player(Seat):
    """Plays at any number of tables. What is answered to one frame leaves as one frame."""

    def __init__(self, target: str, guest: Guest) -> None:
        super().__init__(target, guest.token)
        self.guest = guest
        self.seats: dict[str, tuple[Table, int]] = {}
        self._sent: dict[str, float] = {}

    def sit(self, match: str, table: Table, seat: int) -> None:
        """It plays there."""
        self.seats[match] = table, seat

    def move(self, match: str, window: str, action: games_pb2.Action) -> bots_pb2.PlayerMessage:
        """As of now it is sent."""
        message = super().move(match, window, action)
        self._sent[message.act.request_id] = time.perf_counter()
        return message

    def began(self, request: str) -> float:
        """When a move was sent."""
        return self._sent.pop(request)


class _Bare(_Player):
    """Of the bare stack: each seat sends again when it is answered."""

    def __init__(self, target: str, counter: Counter, kind: str) -> None:
        super().__init__(target, Guest("-"))
        self._counter = counter
        self._moves = kind in ("match", "frames")
        self._joining: set[str] = set()

    async def play(self) -> None:
        """Until cancelled."""
        joins = [self.move(match, "join", _commit(1)) for match in self.seats]
        self._joining.update(join.act.request_id for join in joins)
        await self.write(*joins)
        while True:
            answers = [answer for message in await self.read() for answer in self._hear(message)]
            if answers:
                await self.write(*answers)

    def _hear(self, message: bots_pb2.TableMessage) -> Iterator[bots_pb2.PlayerMessage]:
        if message.HasField("events"):
            table, seat = self.seats[message.events.match]
            table.reached(seat, message.events.events[-1].sequence)
        elif message.HasField("acted"):
            acted = message.acted
            began = self.began(acted.request_id)
            if acted.request_id in self._joining:
                self._joining.discard(acted.request_id)
            elif self._moves:
                table, seat = self.seats[acted.match]
                table.accepted(seat, acted.applied_sequence, began)
            else:
                self._counter.answered(began)
                self._counter.moved()
            yield self.move(acted.match, "d1.t1.choose", _commit(55))


class _Real(_Player):
    """Of the product: it answers each question with a choice of the middle."""

    def __init__(self, target: str, guest: Guest) -> None:
        super().__init__(target, guest)
        self.over: dict[str, asyncio.Event] = {}  # to be set when a match is over
        self._asked: dict[str, str] = {}
        self._unacknowledged: dict[str, int] = {}

    async def play(self) -> None:
        """Until cancelled."""
        await self.write(bots_pb2.PlayerMessage(hello=bots_pb2.Hello()))
        acknowledged = time.monotonic()
        while True:
            answers = [answer for message in await self.read() for answer in self._hear(message)]
            if time.monotonic() > acknowledged + ACK:
                acknowledged = time.monotonic()
                acks = [bots_pb2.PlayAck(match=m, sequence=s) for m, s in self._unacknowledged.items()]
                answers += [bots_pb2.PlayerMessage(ack=ack) for ack in acks]
                self._unacknowledged.clear()
            if answers:
                await self.write(*answers)

    def _hear(self, message: bots_pb2.TableMessage) -> Iterator[bots_pb2.PlayerMessage]:
        match message.WhichOneof("message"):
            case "seated":
                match = message.seated.match
                self._reached(match.id, match.sequence)
                yield from self._answer(match.id, match.you.window)
            case "question":
                yield from self._answer(message.question.match, message.question.window)
            case "events":
                self._reached(message.events.match, message.events.events[-1].sequence)
            case "acted":
                table, seat = self.seats[message.acted.match]
                table.accepted(seat, message.acted.applied_sequence, self.began(message.acted.request_id))
            case "over":
                if message.over.match in self.over:
                    self.over.pop(message.over.match).set()
            case "refused" | "go_away":
                raise RuntimeError(str(message))
            case _:
                pass

    def _reached(self, match: str, sequence: int) -> None:
        self._unacknowledged[match] = sequence
        table, seat = self.seats[match]
        table.reached(seat, sequence)

    def _answer(self, match: str, window: matches_pb2.Window) -> Iterator[bots_pb2.PlayerMessage]:
        if window.choices and window.id != self._asked.get(match):
            self._asked[match] = window.id
            yield self.move(match, window.id, window.choices[len(window.choices) // 2])


def bare_players(target: str, load: Load, counter: Counter) -> Playing:
    """Whoever plays on the bare stack."""
    players = [_Bare(target, counter, load.kind) for _ in range(load.streams or load.matches * load.seats)]
    for index in range(load.matches):
        match = f"{load.kind}-{index:04d}-{uuid.uuid4().hex[:12]}"
        table = Table(load.seats, counter)
        for seat, player in enumerate(_seated(players, index, load)):
            player.sit(match, table, seat)
    return [player.play() for player in players]


async def real_players(target: str, load: Load, counter: Counter) -> Playing:
    """Whoever plays on the product, at each table one match after another."""
    calls = grpc.aio.insecure_channel(target)
    guests = await new_guests(calls, load.streams or load.matches * load.seats)
    players = [_Real(target, guest) for guest in guests]
    tables = [_open_tables(_seated(players, index, load), counter, stub_of(calls)) for index in range(load.matches)]
    return [*(player.play() for player in players), *tables]


async def _open_tables(players: Sequence[_Real], counter: Counter, stub: "matches_pb2_grpc.MatchesAsyncStub") -> None:
    while True:
        create, table, over = six_nimmt(len(players)), Table(len(players), counter), asyncio.Event()
        players[0].over[create.match_id] = over
        for seat, player in enumerate(players):
            player.sit(create.match_id, table, seat)
        await open_table(stub, [player.guest for player in players], create)
        await over.wait()
        await asyncio.sleep(0.05)  # the others have it, too


_AnyPlayer = TypeVar("_AnyPlayer", bound=_Player)


def _seated(players: Sequence[_AnyPlayer], index: int, load: Load) -> list[_AnyPlayer]:
    """Who plays at a table. Nobody sits at one twice."""
    return [players[(index * load.seats + seat) % len(players)] for seat in range(load.seats)]


def six_nimmt(seats: int) -> matches_pb2.CreateMatchRequest:
    """A match of a fixed length."""
    create = new_table("six_nimmt", seats)
    create.options.six_nimmt.end_mode = six_nimmt_pb2.SixNimmtEndMode.FIXED_DEALS
    create.options.six_nimmt.deals = DEALS
    return create


def _commit(card: int) -> games_pb2.Action:
    return games_pb2.Action(six_nimmt=six_nimmt_pb2.SixNimmtAction(commit=six_nimmt_pb2.SixNimmtCommit(card=card)))
