"""A stream of WatchMatch, read message by message."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from support.service import Client

from croupier.v1 import matches_pb2


class Stream:
    """One WatchMatch stream, read message by message."""

    def __init__(self, client: Client, match: str, after: int | None = None, mark: str = "") -> None:
        request = matches_pb2.WatchMatchRequest(match=match, after=after, mark=mark)
        self.call = client.matches.WatchMatch(request, metadata=client.auth)
        self._messages = aiter(self.call)

    async def next(self, *, beats: bool = False) -> matches_pb2.WatchMatchResponse:
        """The next message; heartbeats are passed over."""
        async with asyncio.timeout(10):
            while True:
                message: matches_pb2.WatchMatchResponse = await anext(self._messages)
                if beats or message.WhichOneof("message") != "heartbeat":
                    return message

    async def events(self, until: int) -> list[matches_pb2.Event]:
        """Events up to a sequence."""
        found: list[matches_pb2.Event] = []
        while not found or found[-1].sequence < until:
            message = await self.next()
            if message.HasField("event"):
                found.append(message.event)
        return found


@asynccontextmanager
async def watching(client: Client, match: str, after: int | None = None, mark: str = "") -> AsyncIterator[Stream]:
    stream = Stream(client, match, after, mark)
    try:
        yield stream
    finally:
        stream.call.cancel()
