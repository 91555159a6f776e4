"""croupier.v1.Players."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import grpc

from croupier.v1 import matches_pb2, players_pb2, players_pb2_grpc
from croupier_service.errors import invalid
from croupier_service.flow import Behind
from croupier_service.home import Home, Item, MatchStanding, News, NoMoreNews, NoNews
from croupier_service.interceptors import address_of, caller
from croupier_service.players import Players
from croupier_service.servicers import present
from croupier_service.store.servertime import ServerTime

Context = grpc.aio.ServicerContext[Any, Any]


class PlayersServicer(players_pb2_grpc.PlayersServicer):
    """Who plays."""

    def __init__(self, players: Players, home: Home, time: ServerTime, forwarded: str) -> None:
        self._players = players
        self._home = home
        self._time = time
        self._forwarded = forwarded

    async def CreatePlayer(  # noqa: N802
        self, request: players_pb2.CreatePlayerRequest, context: Context
    ) -> players_pb2.CreatePlayerResponse:
        """Make a guest."""
        address = address_of(context, self._forwarded)
        player, token = await self._players.create(request.display_name, request.locale, address)
        return players_pb2.CreatePlayerResponse(player=_player(player), token=token)

    async def GetPlayer(self, request: players_pb2.GetPlayerRequest, context: Context) -> players_pb2.Player:  # noqa: N802
        """One player."""
        return _player(await self._players.get(request.player, caller()))

    async def ListPlayerEvents(  # noqa: N802
        self, request: players_pb2.ListPlayerEventsRequest, context: Context
    ) -> players_pb2.ListPlayerEventsResponse:
        """What is new in the caller's matches."""
        _check_own(request.player)
        news = await self._home.page(caller(), request.after, present.milliseconds(request.wait) / 1000)
        return players_pb2.ListPlayerEventsResponse(events=map(_event, news.standings), next=news.cursor)

    async def WatchPlayer(  # noqa: N802
        self, request: players_pb2.WatchPlayerRequest, context: Context
    ) -> AsyncIterator[players_pb2.WatchPlayerResponse]:
        """The home feed of an app."""
        _check_own(request.player)
        cursor = request.after
        try:
            async with aclosing(self._home.watch(caller(), request.after)) as items:
                async for item in items:
                    for message in self._told(item):
                        cursor = message.next
                        yield message
        except Behind:
            yield players_pb2.WatchPlayerResponse(end=matches_pb2.StreamEnd(reason="BEHIND"), next=cursor)

    def _told(self, item: Item) -> list[players_pb2.WatchPlayerResponse]:
        response = players_pb2.WatchPlayerResponse
        match item:
            case News(standings, _, cursor, whole=True):
                snapshot = players_pb2.PlayerSnapshot(events=map(_event, standings))
                return [response(snapshot=snapshot, next=cursor)]
            case News([], _, cursor, stale=stale):
                return self._told(
                    NoNews(cursor, stale)
                )  # at once, so that whoever resumed knows that the stream is open
            case News(standings, cursors):
                return [
                    response(event=_event(each), next=cursor) for each, cursor in zip(standings, cursors, strict=True)
                ]
            case NoNews(cursor, stale):
                beat = matches_pb2.Heartbeat(server_time=present.timestamp(self._time.now()), stale=stale)
                return [response(heartbeat=beat, next=cursor)]
            case NoMoreNews(cursor):
                return [response(end=matches_pb2.StreamEnd(reason="GO_AWAY"), next=cursor)]


def _check_own(player: str) -> None:
    if player not in ("me", caller().player):
        raise invalid("player", "it must be `me`")


def _event(each: MatchStanding) -> players_pb2.PlayerEvent:
    return players_pb2.PlayerEvent(
        type=players_pb2.PlayerEventType.Value.Value(each.standing.value),
        match=each.match,
        game=each.game,
        state=matches_pb2.MatchState.Value.Value(each.phase.value),
        sequence=each.sequence,
        seat=each.seat,
        window=each.window,
        deadline_time=None if each.deadline is None else present.timestamp(each.deadline),
        outcome=None if each.outcome is None else present.outcome(each.outcome),
    )


def _player(player: Any) -> players_pb2.Player:
    return players_pb2.Player(
        id=player.id,
        display_name=player.name,
        locale=player.locale,
        create_time=present.timestamp(player.created_at),
    )
