"""croupier.v1.Catalog."""

from typing import Any

import grpc

import croupier_convert
from croupier.v1 import catalog_pb2, catalog_pb2_grpc
from croupier_service.catalog import game, games
from croupier_service.interceptors import locale_of
from croupier_service.rules_texts import rules_text
from croupier_service.servicers.present import timestamp
from croupier_service.store.servertime import ServerTime


class CatalogServicer(catalog_pb2_grpc.CatalogServicer):
    """What can be played here."""

    def __init__(self, time: ServerTime) -> None:
        self._time = time

    async def ListGames(  # noqa: N802
        self, request: catalog_pb2.ListGamesRequest, context: "grpc.aio.ServicerContext[Any, Any]"
    ) -> catalog_pb2.ListGamesResponse:
        """The games, by name."""
        return catalog_pb2.ListGamesResponse(games=[_game(entry) for entry in games()])

    async def GetGame(  # noqa: N802
        self, request: catalog_pb2.GetGameRequest, context: "grpc.aio.ServicerContext[Any, Any]"
    ) -> catalog_pb2.Game:
        """One game."""
        return _game(game(request.game))

    async def GetRules(  # noqa: N802
        self, request: catalog_pb2.GetRulesRequest, context: "grpc.aio.ServicerContext[Any, Any]"
    ) -> catalog_pb2.Rules:
        """The rules of a game as a text for people."""
        played = game(request.game)
        text = rules_text(played.name, request.locale or locale_of(context))
        return catalog_pb2.Rules(
            game=played.name,
            locale=text.locale,
            title=text.title,
            text=text.text,
            rules_version=played.rules_version,
        )

    async def GetTime(  # noqa: N802
        self, request: catalog_pb2.GetTimeRequest, context: "grpc.aio.ServicerContext[Any, Any]"
    ) -> catalog_pb2.GetTimeResponse:
        """The server's time."""
        return catalog_pb2.GetTimeResponse(server_time=timestamp(self._time.now()))


def _game(entry: Any) -> catalog_pb2.Game:
    return catalog_pb2.Game(
        name=entry.name,
        min_seats=min(entry.seats),
        max_seats=max(entry.seats),
        rules_version=entry.rules_version,
        options=croupier_convert.options_to_proto(entry.name, entry.options()),
        presets=[
            catalog_pb2.Preset(
                name=name,
                options=croupier_convert.options_to_proto(entry.name, preset.options),
                recommended_seats=preset.seats,
            )
            for name, preset in entry.presets.items()
        ],
    )
