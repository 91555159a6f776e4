"""A real service in the test's own loop, and callers for it."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import grpc
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from grpc_status import rpc_status

from croupier.v1 import (
    bots_pb2_grpc,
    catalog_pb2_grpc,
    matches_pb2,
    matches_pb2_grpc,
    players_pb2,
    players_pb2_grpc,
)
from croupier_service import telemetry
from croupier_service.bootstrap import Service, open_service
from croupier_service.config import Settings

# Quick enough for tests, and still in proportion.
QUICK = Settings("", durability="memory", grpc_port=0, heartbeat=200, lease=600, turn_grace=50, drain=2_000)

telemetry.configure("WARNING")


@asynccontextmanager
async def running_service(redis_url: str, *, settings: Settings = QUICK, **parts: Any) -> AsyncIterator[Service]:
    """A service over a Redis; `parts` are those of open_service."""
    service = await open_service(replace(settings, redis_url=redis_url), **parts)
    try:
        yield service
    finally:
        await service.stop()


@dataclass
class Client:
    """A player that calls a service over a real channel."""

    channel: grpc.aio.Channel
    player: str
    token: str
    request: str = ""  # a name for all its calls; empty: the service makes one for each

    def __post_init__(self) -> None:
        self.matches: matches_pb2_grpc.MatchesAsyncStub = matches_pb2_grpc.MatchesStub(self.channel)
        self.players: players_pb2_grpc.PlayersAsyncStub = players_pb2_grpc.PlayersStub(self.channel)
        self.catalog: catalog_pb2_grpc.CatalogAsyncStub = catalog_pb2_grpc.CatalogStub(self.channel)
        self.bots: bots_pb2_grpc.BotsAsyncStub = bots_pb2_grpc.BotsStub(self.channel)

    @property
    def auth(self) -> tuple[tuple[str, str], ...]:
        """The metadata of this player's calls."""
        named = (("x-request-id", self.request),) if self.request else ()
        return (("authorization", f"Bearer {self.token}"), *named)

    async def create(self, seats: int = 2, **fields: Any) -> matches_pb2.Match:
        """Open a match of 6 nimmt!."""
        fields.setdefault("game", "six_nimmt")
        request = matches_pb2.CreateMatchRequest(seats=seats, request_id=uuid.uuid4().hex, **fields)
        return await self.matches.CreateMatch(request, metadata=self.auth)

    async def join(self, match: str, **fields: Any) -> matches_pb2.Match:
        """Take a seat."""
        return await self.matches.JoinMatch(matches_pb2.JoinMatchRequest(match=match, **fields), metadata=self.auth)

    async def get(self, match: str) -> matches_pb2.Match:
        """The match as this player sees it."""
        return await self.matches.GetMatch(matches_pb2.GetMatchRequest(match=match), metadata=self.auth)

    async def choose(self, match: matches_pb2.Match, choice: int = 0, **fields: Any) -> matches_pb2.ActResponse:
        """Answer the present window with one of its choices."""
        fields.setdefault("window", match.you.window.id)
        fields.setdefault("request_id", uuid.uuid4().hex)
        if "action" not in fields:
            fields["choice"] = choice
        request = matches_pb2.ActRequest(match=match.id, **fields)
        return await self.matches.Act(request, metadata=self.auth)


def channel(service: Service) -> grpc.aio.Channel:
    """A channel of its own."""
    return grpc.aio.insecure_channel(f"127.0.0.1:{service.port}", options=[("grpc.use_local_subchannel_pool", 1)])


async def guest(over: grpc.aio.Channel, name: str = "Ann", locale: str = "en") -> Client:
    """A new player."""
    stub: players_pb2_grpc.PlayersAsyncStub = players_pb2_grpc.PlayersStub(over)
    made = await stub.CreatePlayer(players_pb2.CreatePlayerRequest(display_name=name, locale=locale))
    return Client(over, made.player.id, made.token)


@dataclass
class Told:
    """What an error said."""

    code: grpc.StatusCode
    reason: str
    metadata: dict[str, str]
    text: str
    window: matches_pb2.Window | None
    retry_after: float | None


def told(error: grpc.aio.AioRpcError) -> Told:
    """The details of an error."""
    status = rpc_status.from_call(error)
    assert status is not None, f"an error without details: {error}"
    info, window, retry = ErrorInfo(), matches_pb2.Window(), RetryInfo()
    has_window = has_retry = False
    for detail in status.details:
        detail.Unpack(info)
        has_window |= detail.Unpack(window)
        has_retry |= detail.Unpack(retry)
    return Told(
        error.code(),
        info.reason,
        dict(info.metadata),
        status.message,
        window if has_window else None,
        retry.retry_delay.ToMilliseconds() / 1000 if has_retry else None,
    )


async def reason(call: Any) -> str:
    """The reason that a call is refused with."""
    try:
        answer = await call
    except grpc.aio.AioRpcError as error:
        return told(error).reason
    raise AssertionError(f"not refused: {answer}")
