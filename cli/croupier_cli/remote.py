"""A player's calls to a server, with errors told as the catalogue tells them."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import grpc
import grpc.aio
from google.rpc import error_details_pb2, status_pb2

from croupier.targets import KEEPALIVE
from croupier.v1 import matches_pb2, matches_pb2_grpc, players_pb2, players_pb2_grpc
from croupier_bots.address import checked_target
from croupier_bots.errors import AddressInvalid, TokenFileInvalid
from croupier_bots.guests import TokenFile
from croupier_cli.problem import Problem

R = TypeVar("R")

_CALL_S = 10.0  # for one attempt
_PATIENCE_S = 30.0  # for all attempts at a call
_PASSING = frozenset(
    {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED}
)  # the same request, sent again, may fare better
# A server that was away is looked for again at once: somebody sits before the screen.
_CHANNEL = (
    *KEEPALIVE,
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 2000),
)


class Refused(Exception):  # noqa: N818 - a refusal is an answer
    """A call was refused; `reason` is a name of the error catalogue, or of a gRPC code; the text is for people."""

    def __init__(self, reason: str, text: str, metadata: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(text)
        self.reason = reason
        self.metadata = metadata


def channel_to(target: str, *, tls: bool) -> grpc.aio.Channel:
    """A channel that comes back quickly, if need be to another of the replicas that `target` lists; raises Problem."""
    try:
        where = checked_target(target)
    except AddressInvalid as invalid:
        raise Problem(str(invalid)) from None
    if tls:
        return grpc.aio.secure_channel(where, grpc.ssl_channel_credentials(), options=_CHANNEL)
    return grpc.aio.insecure_channel(where, options=_CHANNEL)


class Player:
    """One player on one server."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self.matches: matches_pb2_grpc.MatchesAsyncStub = matches_pb2_grpc.MatchesStub(channel)
        self.players: players_pb2_grpc.PlayersAsyncStub = players_pb2_grpc.PlayersStub(channel)
        self.auth = (("authorization", f"Bearer {token}"),)

    async def call(self, method: Callable[..., Awaitable[R]], request: Any, patience: float = _PATIENCE_S) -> R:
        """The answer. What may pass is tried again with the same request; raises Refused, UNAVAILABLE in the end."""
        return await attempt(lambda: method(request, metadata=self.auth, timeout=_CALL_S), patience)

    async def get(self, match: str, patience: float = _PATIENCE_S) -> matches_pb2.Match:
        """A match as this player sees it."""
        return await self.call(self.matches.GetMatch, matches_pb2.GetMatchRequest(match=match), patience)


async def attempt(call: Callable[[], Awaitable[R]], patience: float) -> R:
    """Call again and again while that may help, for `patience` seconds."""
    loop = asyncio.get_running_loop()
    give_up, pause = loop.time() + patience, 0.2
    while True:
        try:
            return await call()
        except grpc.aio.AioRpcError as error:
            if error.code() not in _PASSING or loop.time() + pause > give_up:
                raise refusal(error) from None
        await asyncio.sleep(pause)
        pause = min(pause * 2, 2.0)


def refusal(error: grpc.aio.AioRpcError) -> Refused:
    """What the server said, in the words of its catalogue."""
    info = error_details_pb2.ErrorInfo()
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            status = status_pb2.Status.FromString(value)
            if any(detail.Unpack(info) for detail in status.details):
                return Refused(info.reason, status.message, dict(info.metadata))
    return Refused(error.code().name, error.details() or error.code().name)


def request_id() -> str:
    """A name for a request, so that it can be sent again."""
    return uuid.uuid4().hex


async def sit_down(channel: grpc.aio.Channel, tokens: TokenFile, target: str, name: str) -> Player:
    """The player whose token is kept for this name and server; a new guest if there is none or the server knows it not.

    Raises Problem if the server cannot be reached.
    """
    key = f"{name}@{target}"
    token = tokens.get(key)
    try:
        if token is not None:
            player = Player(channel, token)
            try:
                await attempt(lambda: _me(player), patience=3)
            except Refused as refused:
                if refused.reason != "UNAUTHENTICATED":
                    raise
            else:
                return player
        stub: players_pb2_grpc.PlayersAsyncStub = players_pb2_grpc.PlayersStub(channel)
        request = players_pb2.CreatePlayerRequest(display_name=name)
        made = await attempt(lambda: stub.CreatePlayer(request, timeout=_CALL_S), patience=3)
        tokens.put(key, made.token)
        return Player(channel, made.token)
    except Refused as refused:
        if refused.reason in ("UNAVAILABLE", "DEADLINE_EXCEEDED"):
            raise Problem(
                f"there is no server at {target}; start one with `croupier up`, or name it by --target"
            ) from None
        raise Problem(str(refused)) from None
    except TokenFileInvalid as problem:
        raise Problem(str(problem)) from None


async def _me(player: Player) -> players_pb2.Player:
    return await player.players.GetPlayer(
        players_pb2.GetPlayerRequest(player="me"), metadata=player.auth, timeout=_CALL_S
    )
