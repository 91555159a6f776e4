"""croupier.v1.Players."""

from typing import Any

import grpc

from croupier.v1 import players_pb2, players_pb2_grpc
from croupier_service.interceptors import address_of, caller
from croupier_service.players import Players
from croupier_service.servicers.present import timestamp


class PlayersServicer(players_pb2_grpc.PlayersServicer):
    """Who plays."""

    def __init__(self, players: Players, forwarded: str) -> None:
        self._players = players
        self._forwarded = forwarded

    async def CreatePlayer(  # noqa: N802
        self, request: players_pb2.CreatePlayerRequest, context: "grpc.aio.ServicerContext[Any, Any]"
    ) -> players_pb2.CreatePlayerResponse:
        """Make a guest."""
        address = address_of(context, self._forwarded)
        player, token = await self._players.create(request.display_name, request.locale, address)
        return players_pb2.CreatePlayerResponse(player=_player(player), token=token)

    async def GetPlayer(  # noqa: N802
        self, request: players_pb2.GetPlayerRequest, context: "grpc.aio.ServicerContext[Any, Any]"
    ) -> players_pb2.Player:
        """One player."""
        return _player(await self._players.get(request.player, caller()))


def _player(player: Any) -> players_pb2.Player:
    return players_pb2.Player(
        id=player.id, display_name=player.name, locale=player.locale, create_time=timestamp(player.created_at)
    )
