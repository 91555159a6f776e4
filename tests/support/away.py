"""Players who are away, and who plays for them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration
from support.play_stream import Table, playing
from support.service import Client, channel, guest, running_service, told
from support.tables import seated

from croupier.v1 import bots_pb2, matches_pb2, players_pb2

LEVEL = matches_pb2.BotRequest(level="random")
TYPE = players_pb2.PlayerEventType


def terms(ms: int = 300, level: str = "random") -> matches_pb2.StandInOptions:
    after = Duration()
    after.FromMilliseconds(ms)
    return matches_pb2.StandInOptions(level=level, after_duration=after)


@asynccontextmanager
async def staying(*players: Client, match: str) -> AsyncIterator[None]:
    """These players have a stream open, and read it."""
    calls = [p.matches.WatchMatch(matches_pb2.WatchMatchRequest(match=match), metadata=p.auth) for p in players]
    for call in calls:
        await call.read()

    async def read(call: Any) -> None:
        while await call.read() is not grpc.aio.EOF:
            pass

    readers = [asyncio.create_task(read(call)) for call in calls]
    try:
        yield
    finally:
        for call in calls:
            call.cancel()
        await asyncio.gather(*readers, return_exceptions=True)


async def events(viewer: Client, match: str, after: int = 0, wait: int = 0) -> list[matches_pb2.Event]:
    request = matches_pb2.ListEventsRequest(match=match, after=after, wait=Duration(seconds=wait))
    return list((await viewer.matches.ListEvents(request, metadata=viewer.auth)).events)


async def happened(viewer: Client, match: str, kind: str, after: int = 0) -> matches_pb2.Event:
    """The first event of a kind behind a number, waited for; the viewer should be none who can be missed."""
    async with asyncio.timeout(20):
        while True:
            for event in await events(viewer, match, after, wait=5):
                after = event.sequence
                if event.type == kind:
                    return event


def kinds(found: list[matches_pb2.Event]) -> list[str]:
    about = {"match.absent", "match.stood_in", "match.returned"}
    return [event.type for event in found if event.type in about]


async def reason_or_none(call: Any) -> str | None:
    """Why a call was refused; None if it was not."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return told(error).reason
    return None


def act_of(question: bots_pb2.Question, name: str, **fields: Any) -> bots_pb2.PlayAct:
    fields.setdefault("epoch", question.window.epoch)
    fields.setdefault("choice", 0)
    return bots_pb2.PlayAct(request_id=name, match=question.match, window=question.window.id, **fields)


@asynccontextmanager
async def stood_in(redis_url: str, **fields: Any) -> AsyncIterator[tuple[Client, Client, Client, Table, str]]:
    """A match of two where a bot has just come to play for the first: (its player, the other, an onlooker, bot)."""
    async with running_service(redis_url) as service, channel(service) as over:
        onlooker, bot = await guest(over, "Eve"), await guest(over, "Robo")
        (ann, ben), match = await seated([over], 2, stand_in=terms(), **fields)
        async with staying(ben, match=match), playing(bot, capacity=1) as table:
            viewer = ben if fields.get("visibility") == matches_pb2.Visibility.PRIVATE else onlooker
            await happened(viewer, match, "match.stood_in")
            yield ann, ben, viewer, table, match
