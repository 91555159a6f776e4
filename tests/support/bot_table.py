"""The other end of a bot's stream, played by hand: a real server on a free port whose every word is the test's."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import grpc
import grpc.aio

from croupier.v1 import bots_pb2, games_pb2, matches_pb2, players_pb2
from croupier.v1 import six_nimmt_pb2 as pb
from croupier_bots import Timing

# Fast enough for tests; each test that is about one of these sets it itself.
FAST = Timing(ping=5, silence=10, first_delay=0.01, longest_delay=0.05, steady=0)


def choices(*cards: int) -> list[games_pb2.Action]:
    return [games_pb2.Action(six_nimmt=pb.SixNimmtAction(commit=pb.SixNimmtCommit(card=card))) for card in cards]


def window(name: str, *cards: int) -> matches_pb2.Window:
    return matches_pb2.Window(
        id=name,
        kind=matches_pb2.WindowKind.CHOOSE,
        actions=["commit"] if cards else [],
        choices=choices(*cards),
    )


def view(*hand: int) -> games_pb2.View:
    return games_pb2.View(six_nimmt=pb.SixNimmtView(hand=hand))


def match(name: str, sequence: int = 0, asked: matches_pb2.Window | None = None) -> matches_pb2.Match:
    return matches_pb2.Match(
        id=name, game="six_nimmt", sequence=sequence, you=matches_pb2.You(seat=0, view=view(1, 2), window=asked)
    )


def welcome(player: str = "bot-1") -> bots_pb2.TableMessage:
    return bots_pb2.TableMessage(welcome=bots_pb2.Welcome(player=player))


def seated(name: str, sequence: int = 0, asked: matches_pb2.Window | None = None) -> bots_pb2.TableMessage:
    return bots_pb2.TableMessage(seated=bots_pb2.Seated(match=match(name, sequence, asked)))


def question(name: str, asked: matches_pb2.Window, sequence: int = 0) -> bots_pb2.TableMessage:
    return bots_pb2.TableMessage(
        question=bots_pb2.Question(match=name, sequence=sequence, view=view(1, 2), window=asked)
    )


def events(name: str, *sequences: int) -> bots_pb2.TableMessage:
    happened = [matches_pb2.Event(sequence=sequence, type="six_nimmt.committed") for sequence in sequences]
    return bots_pb2.TableMessage(events=bots_pb2.MatchEvents(match=name, events=happened))


def acted(act: bots_pb2.PlayAct) -> bots_pb2.TableMessage:
    return bots_pb2.TableMessage(acted=bots_pb2.Acted(match=act.match, request_id=act.request_id))


def refused(
    act: bots_pb2.PlayAct, reason: str, present: matches_pb2.Window | None = None, **metadata: str
) -> bots_pb2.TableMessage:
    return bots_pb2.TableMessage(
        refused=bots_pb2.Refused(
            match=act.match, request_id=act.request_id, reason=reason, window=present, metadata=metadata
        )
    )


def over(name: str, *places: int) -> bots_pb2.TableMessage:
    outcome = matches_pb2.Outcome(places=places) if places else None
    return bots_pb2.TableMessage(over=bots_pb2.MatchDone(match=name, outcome=outcome))


def go_away(reason: str, after: float | None = None) -> bots_pb2.TableMessage:
    leaving = bots_pb2.GoAway(reason=reason)
    if after is not None:
        leaving.retry_after_duration.FromNanoseconds(int(after * 1e9))
    return bots_pb2.TableMessage(go_away=leaving)


class Connection:
    """One stream of a bot, as the server sees it."""

    def __init__(self, token: str) -> None:
        self.token = token
        self._received: asyncio.Queue[bots_pb2.PlayerMessage] = asyncio.Queue()
        self.outgoing: asyncio.Queue[bots_pb2.PlayResponse | grpc.StatusCode] = asyncio.Queue()

    def take(self, frame: bots_pb2.PlayRequest) -> None:
        for message in frame.messages:
            self._received.put_nowait(message)

    def send(self, *messages: bots_pb2.TableMessage) -> None:
        """All in one frame."""
        self.outgoing.put_nowait(bots_pb2.PlayResponse(messages=messages))

    def end(self, code: grpc.StatusCode = grpc.StatusCode.OK) -> None:
        self.outgoing.put_nowait(code)

    async def hello(self) -> bots_pb2.Hello:
        return (await self._next("hello")).hello

    async def act(self) -> bots_pb2.PlayAct:
        return (await self._next("act")).act

    async def ack(self) -> bots_pb2.PlayAck:
        return (await self._next("ack")).ack

    async def ping(self) -> bots_pb2.Ping:
        return (await self._next("ping")).ping

    async def _next(self, kind: str) -> bots_pb2.PlayerMessage:
        """The next message of this kind; others before it are passed over."""
        async with asyncio.timeout(10):
            while True:
                message = await self._received.get()
                if message.WhichOneof("message") == kind:
                    return message

    async def quiet(self, seconds: float = 0.1) -> list[str]:
        """The kinds of all messages that come within some time, and those that had come."""
        await asyncio.sleep(seconds)
        kinds = []
        while not self._received.empty():
            kinds.append(str(self._received.get_nowait().WhichOneof("message")))
        return kinds


class BotTable:
    """Takes streams and makes guests called token-1, token-2, ...; other calls are not implemented."""

    def __init__(self) -> None:
        self.target = ""
        self.guests: list[str] = []
        self.refuse_guests: list[grpc.StatusCode] = []
        self.known: set[str] | None = None  # tokens that are let in; None: all
        self._connections: asyncio.Queue[Connection] = asyncio.Queue()

    async def connected(self) -> Connection:
        """The next stream that is opened."""
        async with asyncio.timeout(10):
            return await self._connections.get()

    def handlers(self) -> list[grpc.GenericRpcHandler]:
        """What a server calls, by service and method."""
        play = grpc.stream_stream_rpc_method_handler(
            self.play, bots_pb2.PlayRequest.FromString, bots_pb2.PlayResponse.SerializeToString
        )
        create = grpc.unary_unary_rpc_method_handler(
            self.create_player,
            players_pb2.CreatePlayerRequest.FromString,
            players_pb2.CreatePlayerResponse.SerializeToString,
        )
        get = grpc.unary_unary_rpc_method_handler(
            self.get_player, players_pb2.GetPlayerRequest.FromString, players_pb2.Player.SerializeToString
        )
        return [
            grpc.method_handlers_generic_handler("croupier.v1.Bots", {"Play": play}),
            grpc.method_handlers_generic_handler("croupier.v1.Players", {"CreatePlayer": create, "GetPlayer": get}),
        ]

    async def _token(self, context: Any) -> str:
        given = dict(cast(Sequence[tuple[str, str]], context.invocation_metadata()))
        token = given["authorization"].removeprefix("Bearer ")
        if self.known is not None and token not in self.known:
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "who is it?")
        return token

    async def play(self, request_iterator: Any, context: Any) -> AsyncIterator[bots_pb2.PlayResponse]:
        connection = Connection(await self._token(context))
        self._connections.put_nowait(connection)

        async def listen() -> None:
            async for frame in request_iterator:
                connection.take(frame)

        listening = asyncio.create_task(listen())
        try:
            while isinstance(said := await connection.outgoing.get(), bots_pb2.PlayResponse):
                yield said
            if said is not grpc.StatusCode.OK:
                await context.abort(said, "the test says so")
        finally:
            listening.cancel()

    async def create_player(
        self, request: players_pb2.CreatePlayerRequest, context: Any
    ) -> players_pb2.CreatePlayerResponse:
        if self.refuse_guests:
            await context.abort(self.refuse_guests.pop(0), "not now")
        self.guests.append(request.display_name)
        token = f"token-{len(self.guests)}"
        if self.known is not None:
            self.known.add(token)
        return players_pb2.CreatePlayerResponse(token=token)

    async def get_player(self, request: players_pb2.GetPlayerRequest, context: Any) -> players_pb2.Player:
        return players_pb2.Player(id=await self._token(context))


@asynccontextmanager
async def bot_table() -> AsyncIterator[BotTable]:
    """A table on a free port of this machine."""
    table = BotTable()
    server = grpc.aio.server()
    server.add_generic_rpc_handlers(table.handlers())
    table.target = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield table
    finally:
        await server.stop(0)
