"""croupier.v1.Matches."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import grpc
from google.protobuf.message import Message

import croupier_convert
from croupier.spectators import SHAREABLE, SPECTATOR
from croupier.v1 import games_pb2, matches_pb2, matches_pb2_grpc
from croupier_service.acting import Acting, Choice, MakeAction
from croupier_service.changing import Applied, RequestKey
from croupier_service.errors import Refused, invalid
from croupier_service.flow import Behind
from croupier_service.following import Beat, End, Events, Item, Snapshot, WindowChange
from croupier_service.interceptors import caller, received
from croupier_service.log import Cursor
from croupier_service.matches import Matches
from croupier_service.players import Players
from croupier_service.reading import Filter, Reading
from croupier_service.record import Phase, StandInTerms
from croupier_service.seating import Seating, Table, fingerprint
from croupier_service.servicers import present, replay
from croupier_service.store.servertime import ServerTime
from croupier_service.watching import Watching

Context = grpc.aio.ServicerContext[Any, Any]
_PAGE = 500
_ABSENCE = 30_000  # ms from the notice of an absence until a bot takes over, unless the match says otherwise


class MatchesServicer(matches_pb2_grpc.MatchesServicer):
    """Matches."""

    def __init__(
        self,
        matches: Matches,
        acting: Acting,
        seating: Seating,
        watching: Watching,
        reading: Reading,
        players: Players,
        time: ServerTime,
    ) -> None:
        self._matches = matches
        self._acting = acting
        self._players = players
        self._seating = seating
        self._watching = watching
        self._reading = reading
        self._time = time

    async def CreateMatch(self, request: matches_pb2.CreateMatchRequest, context: Context) -> matches_pb2.Match:  # noqa: N802
        """Open a table."""
        clock = request.clock
        wanted = Table(
            game=request.game,
            seats=request.seats,
            options=lambda game, base: croupier_convert.options_from_proto(game, request.options, base),
            preset=request.preset,
            public=_is_public(request.visibility),
            bots=[bot_wanted(bot, f"bots[{index}]") for index, bot in enumerate(request.bots)],
            window_ms=present.milliseconds(clock.window_duration) if clock.HasField("window_duration") else None,
            bank_ms=present.milliseconds(clock.bank_duration),
            increment_ms=present.milliseconds(clock.increment_duration),
            spectate=request.spectate,
            stand_in=_stand_in(request.stand_in) if request.HasField("stand_in") else None,
            match=request.match_id,
        )
        key = request_key(request)
        view = await self._seating.create(caller(), wanted, key.id, key.fingerprint)
        return present.match(view, self._time.now())

    async def GetMatch(self, request: matches_pb2.GetMatchRequest, context: Context) -> matches_pb2.Match:  # noqa: N802
        """A match as the caller may see it."""
        return present.match(await self._matches.get(caller(), request.match), self._time.now())

    async def ListMatches(  # noqa: N802
        self, request: matches_pb2.ListMatchesRequest, context: Context
    ) -> matches_pb2.ListMatchesResponse:
        """Open public matches, or the caller's own."""
        if request.player not in ("", "me", caller().player):
            raise invalid("player", "it must be `me` or absent")
        if request.your_turn and not request.player:
            raise invalid("yourTurn", "it goes with player=me only")
        wanted = Filter(bool(request.player), _phase(request), request.game, request.your_turn)
        views, token = await self._reading.list(caller(), wanted, request.page_size, request.page_token)
        now = self._time.now()
        return matches_pb2.ListMatchesResponse(
            matches=[present.match(view, now) for view in views], next_page_token=token
        )

    async def JoinMatch(self, request: matches_pb2.JoinMatchRequest, context: Context) -> matches_pb2.Match:  # noqa: N802
        """Take a seat."""
        view = await self._matches.join(
            caller(),
            request.match,
            request_key(request),
            seat=request.seat if request.HasField("seat") else None,
            join_code=request.join_code,
        )
        return present.match(view, self._time.now())

    async def LeaveMatch(self, request: matches_pb2.LeaveMatchRequest, context: Context) -> matches_pb2.Match:  # noqa: N802
        """Give a seat back before the start."""
        view = await self._matches.leave(caller(), request.match, request_key(request))
        return present.match(view, self._time.now())

    async def AddBot(self, request: matches_pb2.AddBotRequest, context: Context) -> matches_pb2.Match:  # noqa: N802
        """Seat a bot."""
        view = await self._matches.add_bot(
            caller(),
            request.match,
            request_key(request),
            bot_wanted(request.bot, "bot"),
            request.seat if request.HasField("seat") else None,
        )
        return present.match(view, self._time.now())

    async def StartMatch(self, request: matches_pb2.StartMatchRequest, context: Context) -> matches_pb2.Match:  # noqa: N802
        """Start with those who are there."""
        view = await self._matches.start(caller(), request.match, request_key(request))
        return present.match(view, self._time.now())

    async def Act(self, request: matches_pb2.ActRequest, context: Context) -> matches_pb2.ActResponse:  # noqa: N802
        """Act in a window."""
        applied = await self._acting.act(
            caller(),
            request.match,
            request_key(request),
            request.window,
            what_of(request),
            at=received(),
            after=_after(request),
            epoch=epoch_of(request),
        )
        return self._applied(applied)

    async def Resign(self, request: matches_pb2.ResignRequest, context: Context) -> matches_pb2.ActResponse:  # noqa: N802
        """Give up."""
        return self._applied(await self._acting.resign(caller(), request.match, request_key(request), _after(request)))

    def _applied(self, applied: Applied) -> matches_pb2.ActResponse:
        response = matches_pb2.ActResponse(applied_sequence=applied.applied_sequence)
        present.fill_match(response.match, applied.match, self._time.now())
        response.events.extend([present.event(event) for event in applied.events])
        return response

    async def ListEvents(  # noqa: N802
        self, request: matches_pb2.ListEventsRequest, context: Context
    ) -> matches_pb2.ListEventsResponse:
        """Events after a cursor."""
        page = await self._watching.page(
            caller(),
            request.match,
            Cursor(request.after, request.mark),
            present.milliseconds(request.wait) / 1000,
            request.page_size or _PAGE,
        )
        return matches_pb2.ListEventsResponse(
            events=[present.event(event) for event in page.events],
            next=page.next.sequence,
            next_mark=page.next.mark,
            you=present.you(page.you, self._time.now()),
        )

    async def WatchMatch(  # noqa: N802
        self, request: matches_pb2.WatchMatchRequest, context: Context
    ) -> AsyncIterator[matches_pb2.WatchMatchResponse]:
        """Follow a match."""

        async def stays() -> None:
            await context.send_initial_metadata(((SPECTATOR, caller().player),))

        shareable = any(key == SHAREABLE for key, _ in context.invocation_metadata() or ())
        sequence = request.after
        cursor = Cursor(request.after, request.mark) if request.HasField("after") else None
        try:
            watched = self._watching.watch(caller(), request.match, cursor, stays=stays if shareable else None)
            async with aclosing(watched) as items:
                async for item in items:
                    for message in self._watched(item):
                        told = message.snapshot.match if message.HasField("snapshot") else message.event
                        sequence = told.sequence or sequence
                        yield message
        except Behind:
            yield matches_pb2.WatchMatchResponse(end=matches_pb2.StreamEnd(reason="BEHIND", sequence=sequence))

    def _watched(self, item: Item) -> list[matches_pb2.WatchMatchResponse]:
        response, now = matches_pb2.WatchMatchResponse, self._time.now()
        match item:
            case Snapshot(view, reason):
                snapshot = matches_pb2.Snapshot(match=present.match(view, now), reason=reason)
                return [response(snapshot=snapshot)]
            case Events(events):
                return [response(event=present.event(event)) for event in events]
            case WindowChange(sequence, you):
                return [response(window=matches_pb2.WindowUpdate(sequence=sequence, you=present.you(you, now)))]
            case Beat(sequence, stale):
                beat = matches_pb2.Heartbeat(sequence=sequence, server_time=present.timestamp(now), stale=stale)
                return [response(heartbeat=beat)]
            case End(reason, sequence, _):
                return [response(end=matches_pb2.StreamEnd(reason=reason, sequence=sequence))]

    async def CreateEventsTicket(  # noqa: N802
        self, request: matches_pb2.CreateEventsTicketRequest, context: Context
    ) -> matches_pb2.EventsTicket:
        """A ticket that opens one stream of events."""
        await self._matches.get(caller(), request.match)  # only who may see it may hand the sight on
        ticket, expires = await self._players.ticket(caller(), request.match)
        return matches_pb2.EventsTicket(ticket=ticket, expire_time=present.timestamp(expires))

    async def GetReplay(self, request: matches_pb2.GetReplayRequest, context: Context) -> matches_pb2.Replay:  # noqa: N802
        """Everything that happened, once it is over."""
        return replay.message(await self._reading.replay(caller(), request.match))


def request_key(request: Any) -> RequestKey:
    """The caller's name for a request, and what it holds but for that name and the cursor for the answer."""
    held: Message = type(request)()
    held.CopyFrom(request)
    held.ClearField("request_id")
    if "after" in held.DESCRIPTOR.fields_by_name:
        held.ClearField("after")
    return key_of(request.request_id, held)


def key_of(name: str, held: Message) -> RequestKey:
    """The caller's name for a request, and a request that holds the same without it."""
    return RequestKey(name, fingerprint(held.DESCRIPTOR.name.encode(), held.SerializeToString(deterministic=True)))


def epoch_of(request: Any) -> int | None:
    """The epoch that the caller believes his seat to have; None if he does not care."""
    return request.epoch if request.HasField("epoch") else None


def what_of(request: Any) -> MakeAction | Choice:
    """What an act is: an action, or the index of one."""
    match request.WhichOneof("what"):
        case "choice":
            return Choice(request.choice)
        case "action":
            return lambda game: _action(game, request.action)
        case _:
            raise invalid("action", "it is required, or choice")


def _action(game: str, action: games_pb2.Action) -> Any:
    try:
        return croupier_convert.action_from_proto(game, action)
    except croupier_convert.ConvertError as wrong:
        raise Refused(wrong.reason, wrong.details) from wrong


def bot_wanted(request: matches_pb2.BotRequest, field: str) -> dict[str, str]:
    """Which bot: {"level": ..} or {"player": ..}."""
    which = request.WhichOneof("bot")
    if which is None:
        raise invalid(field, "it must have a level or a player")
    return {which: getattr(request, which)}


def _stand_in(request: matches_pb2.StandInOptions) -> StandInTerms:
    after = present.milliseconds(request.after_duration) if request.HasField("after_duration") else _ABSENCE
    return StandInTerms(request.level, after)


def _after(request: Any) -> int | None:
    return request.after if request.HasField("after") else None


def _is_public(visibility: int) -> bool:
    kinds = matches_pb2.Visibility
    if visibility not in kinds.Value.values():
        raise invalid("visibility", "it must be PUBLIC or PRIVATE")
    return visibility != kinds.PRIVATE


def _phase(request: matches_pb2.ListMatchesRequest) -> Phase | None:
    states = matches_pb2.MatchState
    if request.state not in states.Value.values():
        raise invalid("state", "it must be OPEN, RUNNING, OVER or ABANDONED")
    if not request.player and request.state not in (states.MATCH_STATE_UNSPECIFIED, states.OPEN):
        raise invalid("state", "without player=me only OPEN matches are listed")
    return None if request.state == states.MATCH_STATE_UNSPECIFIED else Phase(states.Value.Name(request.state))
