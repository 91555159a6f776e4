"""Players on streams of Bots.Play: one stream a seat, or a few that share all seats."""

import asyncio
import time
import uuid
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import grpc

from bench.counting import Counter, Table
from bench.rounds import Load
from croupier.v1 import (
    bots_pb2,
    bots_pb2_grpc,
    games_pb2,
    matches_pb2,
    matches_pb2_grpc,
    players_pb2,
    players_pb2_grpc,
    six_nimmt_pb2,
)

DEALS = 4  # of a match
_ACK = 5.0  # s between acknowledgements of what was received; a stream without one for a minute is ended

Playing = list[Coroutine[Any, Any, None]]


class _Player:
    """One stream, over a connection of its own. What is answered to one frame leaves as one frame."""

    def __init__(self, target: str, token: str) -> None:
        self.token = token
        # Kept here, since a stream does not outlive its channel.
        self._channel = grpc.aio.insecure_channel(target, options=[("grpc.use_local_subchannel_pool", 1)])
        stub: bots_pb2_grpc.BotsAsyncStub = bots_pb2_grpc.BotsStub(self._channel)
        self._call: grpc.aio.StreamStreamCall[bots_pb2.PlayRequest, bots_pb2.PlayResponse] = stub.Play(
            metadata=(("authorization", f"Bearer {token}"),)
        )
        self.seats: dict[str, tuple[Table, int]] = {}
        self._sent: dict[str, float] = {}
        self._acts = 0

    def sit(self, match: str, table: Table, seat: int) -> None:
        """It plays there."""
        self.seats[match] = table, seat

    def act(self, match: str, window: str, action: games_pb2.Action) -> bots_pb2.PlayerMessage:
        """A move, sent at once."""
        self._acts += 1
        request = f"{self._acts}"
        self._sent[request] = time.perf_counter()
        act = bots_pb2.PlayAct(request_id=request, match=match, window=window, action=action)
        return bots_pb2.PlayerMessage(act=act)

    def began(self, request: str) -> float:
        """When a move was sent."""
        return self._sent.pop(request)

    async def write(self, messages: Iterable[bots_pb2.PlayerMessage]) -> None:
        """One frame."""
        await self._call.write(bots_pb2.PlayRequest(messages=messages))

    async def read(self) -> list[bots_pb2.TableMessage]:
        """One frame."""
        frame = await self._call.read()
        if not isinstance(frame, bots_pb2.PlayResponse):
            raise TypeError(f"a stream has ended: {await self._call.code()} {await self._call.details()}")
        return list(frame.messages)


class _Bare(_Player):
    """Of the bare stack: each seat sends again when it is answered."""

    def __init__(self, target: str, counter: Counter, kind: str) -> None:
        super().__init__(target, "-")
        self._counter = counter
        self._moves = kind in ("match", "frames")
        self._joining: set[str] = set()

    async def play(self) -> None:
        """Until cancelled."""
        joins = [self.act(match, "join", _commit(1)) for match in self.seats]
        self._joining.update(join.act.request_id for join in joins)
        await self.write(joins)
        while True:
            answers = [answer for message in await self.read() for answer in self._hear(message)]
            if answers:
                await self.write(answers)

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
            yield self.act(acted.match, "d1.t1.choose", _commit(55))


class _Real(_Player):
    """Of the product: it answers each question with a choice of the middle."""

    def __init__(self, target: str, token: str) -> None:
        super().__init__(target, token)
        self.over: dict[str, asyncio.Event] = {}  # to be set when a match is over
        self._asked: dict[str, str] = {}
        self._unacknowledged: dict[str, int] = {}

    async def play(self) -> None:
        """Until cancelled."""
        await self.write([bots_pb2.PlayerMessage(hello=bots_pb2.Hello())])
        acknowledged = time.monotonic()
        while True:
            answers = [answer for message in await self.read() for answer in self._hear(message)]
            if time.monotonic() > acknowledged + _ACK:
                acknowledged = time.monotonic()
                acks = [bots_pb2.PlayAck(match=m, sequence=s) for m, s in self._unacknowledged.items()]
                answers += [bots_pb2.PlayerMessage(ack=ack) for ack in acks]
                self._unacknowledged.clear()
            if answers:
                await self.write(answers)

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
            yield self.act(match, window.id, window.choices[len(window.choices) // 2])


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
    guests: players_pb2_grpc.PlayersAsyncStub = players_pb2_grpc.PlayersStub(calls)
    stub: matches_pb2_grpc.MatchesAsyncStub = matches_pb2_grpc.MatchesStub(calls)
    players = []
    for _ in range(load.streams or load.matches * load.seats):
        guest = await guests.CreatePlayer(players_pb2.CreatePlayerRequest(display_name="B"))
        players.append(_Real(target, guest.token))
    tables = [_open_tables(_seated(players, index, load), counter, stub) for index in range(load.matches)]
    return [*(player.play() for player in players), *tables]


async def _open_tables(players: Sequence[_Real], counter: Counter, stub: "matches_pb2_grpc.MatchesAsyncStub") -> None:
    while True:
        match, table, over = f"bench-{uuid.uuid4().hex[:20]}", Table(len(players), counter), asyncio.Event()
        players[0].over[match] = over
        for seat, player in enumerate(players):
            player.sit(match, table, seat)
        create = six_nimmt(match, len(players))
        await stub.CreateMatch(create, metadata=bearer(players[0].token))
        for player in players[1:]:
            join = matches_pb2.JoinMatchRequest(match=match, request_id=uuid.uuid4().hex)
            await stub.JoinMatch(join, metadata=bearer(player.token))
        await over.wait()
        await asyncio.sleep(0.05)  # the others have it, too


_AnyPlayer = TypeVar("_AnyPlayer", bound=_Player)


def _seated(players: Sequence[_AnyPlayer], index: int, load: Load) -> list[_AnyPlayer]:
    """Who plays at a table. Nobody sits at one twice."""
    return [players[(index * load.seats + seat) % len(players)] for seat in range(load.seats)]


def six_nimmt(match: str, seats: int) -> matches_pb2.CreateMatchRequest:
    """A match of a fixed length."""
    create = matches_pb2.CreateMatchRequest(match_id=match, game="six_nimmt", seats=seats, request_id=uuid.uuid4().hex)
    create.options.six_nimmt.end_mode = six_nimmt_pb2.SixNimmtEndMode.FIXED_DEALS
    create.options.six_nimmt.deals = DEALS
    return create


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """The metadata of a call."""
    return (("authorization", f"Bearer {token}"),)


def _commit(card: int) -> games_pb2.Action:
    return games_pb2.Action(six_nimmt=six_nimmt_pb2.SixNimmtAction(commit=six_nimmt_pb2.SixNimmtCommit(card=card)))
