"""A stream of Bots.Play, read message by message."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Any

import grpc
from support.service import Client

from croupier.v1 import bots_pb2


class Table:
    """One Play stream, read message by message."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.call = client.bots.Play(metadata=client.auth)
        self._waiting: list[bots_pb2.TableMessage] = []

    async def send(self, **message: Any) -> None:
        await self.call.write(bots_pb2.PlayRequest(messages=[bots_pb2.PlayerMessage(**message)]))

    async def hello(
        self,
        capacity: int = 0,
        resume: Mapping[str, int] = MappingProxyType({}),
        level: str = "random",
        marks: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        offers = [bots_pb2.Offer(game="six_nimmt", levels=[level])] if capacity else []
        cursors = [bots_pb2.MatchCursor(match=m, sequence=s, mark=marks.get(m, "")) for m, s in resume.items()]
        await self.send(hello=bots_pb2.Hello(offers=offers, capacity=capacity, resume=cursors))

    async def next(self, kind: str = "") -> Any:
        """The next message, or the next of a kind; heartbeats are passed over."""
        async with asyncio.timeout(10):
            while True:
                while not self._waiting:
                    frame: Any = await self.call.read()
                    if frame is grpc.aio.EOF:
                        await self.call.code()
                        raise EOFError
                    self._waiting += frame.messages
                message = self._waiting.pop(0)
                which = message.WhichOneof("message")
                if kind and which == kind:
                    return getattr(message, which)
                if not kind and not (which == "pong" and not message.pong.payload):
                    return message


@asynccontextmanager
async def playing(client: Client, **hello: Any) -> AsyncIterator[Table]:
    """A stream after its welcome."""
    table = Table(client)
    await table.hello(**hello)
    welcome = (await table.next()).welcome
    assert welcome.player == client.player
    try:
        yield table
    finally:
        table.call.cancel()
