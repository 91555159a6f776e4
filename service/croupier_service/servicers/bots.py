"""croupier.v1.Bots."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, assert_never

import grpc
import structlog

from croupier.v1 import bots_pb2, bots_pb2_grpc, matches_pb2
from croupier_convert import ConvertError
from croupier_service.errors import Refused
from croupier_service.flow import Behind
from croupier_service.interceptors import caller, check_parsed, locale_of, text_of
from croupier_service.log import Cursor
from croupier_service.made import Made
from croupier_service.messages import (
    Acted,
    Done,
    GoAway,
    Happened,
    Hello,
    Message,
    Other,
    Pong,
    Question,
    RefusedMessage,
    Seated,
    Welcome,
)
from croupier_service.playing import Playing
from croupier_service.projection import EventView
from croupier_service.servicers import present
from croupier_service.servicers.matches import epoch_of, key_of, request_key, what_of
from croupier_service.session import Session
from croupier_service.store.servertime import ServerTime
from croupier_service.validation import check

Context = grpc.aio.ServicerContext[Any, Any]
_log = structlog.get_logger()
_SILENCE = 60.0  # seconds without a message, after which a player's side counts as dead


class BotsServicer(bots_pb2_grpc.BotsServicer):
    """Bots are ordinary players with one stream for all their matches."""

    def __init__(self, playing: Playing, time: ServerTime) -> None:
        self._playing = playing
        self._time = time

    async def Play(  # noqa: N802
        self, request_iterator: AsyncIterator[bots_pb2.PlayRequest], context: Context
    ) -> AsyncIterator[Any]:
        """Play any number of matches over one stream. What is answered is encoded already."""
        messages = _messages(request_iterator)
        try:
            async with self._playing.greeting(_SILENCE):
                first = await anext(messages, None)
        except TimeoutError:
            first = None
        if self._playing.going_down:
            raise Refused("GOING_DOWN", {"retry_after": "1"}, retry_after=1.0)
        if first is None or first.WhichOneof("message") != "hello":
            raise Refused("HELLO_EXPECTED")
        check(first)
        task = asyncio.current_task()
        assert task is not None, "a call runs in a task"
        session = await self._playing.open(caller(), _hello(first.hello), task.cancel)
        reader = asyncio.create_task(_read(messages, session))
        closed = False

        def close() -> None:
            # Nothing is awaited here: a call that ends may be cancelled a second time.
            nonlocal closed
            if not closed:
                closed = True
                reader.cancel()
                self._playing.close(session)

        locale = locale_of(context)
        try:
            while True:
                frame = await session.frame()
                yield self._frame(frame, locale)
                if isinstance(frame[-1], GoAway):
                    return
        except Behind:
            close()
            yield self._frame([session.away or GoAway("STALLED", 1.0)], locale)
        finally:
            close()

    def _frame(self, messages: list[Message], locale: str) -> bytes:
        # Encoded messages of a type that stand one behind the other are one message, lists of which are joined.
        now = self._time.now()
        return b"".join([self._part(message, now, locale) for message in messages])

    def _part(self, message: Message, now: int, locale: str) -> bytes:
        """A frame with one message, encoded."""
        if isinstance(message, Happened):
            return _happened.of(message.events, message.match)
        frame = bots_pb2.PlayResponse()
        self._fill(frame.messages.add(), message, now, locale)
        return frame.SerializeToString()

    def _fill(self, table: bots_pb2.TableMessage, message: Other, now: int, locale: str) -> None:
        match message:
            # The most frequent ones first.
            case Acted(match, request, applied):
                acted = table.acted
                acted.match, acted.request_id, acted.applied_sequence = match, request, applied
            case Question(match, sequence, you):
                assert you.seat is not None, "only who is seated is asked"
                question = table.question
                question.match, question.sequence, question.seat = match, sequence, you.seat
                if (view := present.view_of(you)) is not None:
                    question.view.CopyFrom(view)
                if you.window is not None:
                    present.fill_window(question.window, you.game, you.window, now)
            case Pong(payload, stale):
                table.pong.CopyFrom(bots_pb2.Pong(payload=payload, server_time=present.timestamp(now), stale=stale))
            case Welcome(player):
                table.welcome.CopyFrom(
                    bots_pb2.Welcome(
                        player=player,
                        server_time=present.timestamp(now),
                        heartbeat_duration=present.duration(self._playing.heartbeat),
                    )
                )
            case Seated(view):
                table.seated.CopyFrom(bots_pb2.Seated(match=present.match(view, now)))
            case RefusedMessage(match, request, refusal):
                table.refused.CopyFrom(self._refused(match, request, refusal, locale))
            case Done(match, outcome):
                result: matches_pb2.Outcome | None = None if outcome is None else present.outcome(outcome)
                table.over.CopyFrom(bots_pb2.MatchDone(match=match, outcome=result))
            case GoAway(reason, retry_after):
                wait = None if retry_after is None else present.duration(round(retry_after * 1000))
                table.go_away.CopyFrom(bots_pb2.GoAway(reason=reason, retry_after_duration=wait))
            case _:
                assert_never(message)

    def _refused(self, match: str, request: str, refusal: Refused, locale: str) -> bots_pb2.Refused:
        window = None
        if refusal.window is not None and refusal.game is not None:
            window = present.window(refusal.game, refusal.window, self._time.now())
        return bots_pb2.Refused(
            match=match,
            request_id=request,
            reason=refusal.reason,
            message=text_of(refusal, locale),
            metadata=refusal.metadata,
            window=window,
        )


def _happened_part(events: tuple[EventView, ...], match: str) -> bytes:
    frame = bots_pb2.PlayResponse()
    happened = frame.messages.add().events
    happened.match = match
    happened.events.extend(map(present.event, events))
    return frame.SerializeToString()


_happened = Made[tuple[EventView, ...], bytes](_happened_part, 200)  # most players of a match are told the same


async def _messages(frames: AsyncIterator[bots_pb2.PlayRequest]) -> AsyncIterator[bots_pb2.PlayerMessage]:
    async for frame in frames:
        check_parsed(frame)
        for message in frame.messages:
            yield message


def _hello(hello: bots_pb2.Hello) -> Hello:
    return Hello(
        {offer.game: tuple(offer.levels) for offer in hello.offers},
        hello.capacity,
        {cursor.match: Cursor(cursor.sequence, cursor.mark) for cursor in hello.resume},
        hello.stand_by,
    )


async def _read(messages: AsyncIterator[bots_pb2.PlayerMessage], session: Session) -> None:
    """Hand what the player sends to his session, until he stops, or is silent for too long."""
    loop = asyncio.get_running_loop()
    heard = loop.time()
    timer: asyncio.TimerHandle

    def look() -> None:
        # One timer that looks now and then, since to set one for each message costs more than the message.
        nonlocal timer
        silent = loop.time() - heard
        if silent < _SILENCE:
            timer = loop.call_later(_SILENCE - silent, look)
        else:
            session.go_away("STALLED", 1.0)

    timer = loop.call_later(_SILENCE, look)
    try:
        async for message in messages:
            await _take(message, session)
            heard = loop.time()
        await session.answered()
        session.go_away("CLOSED", None)
    except Refused as refusal:  # what came is no message at all, so nothing behind it can be read either
        await session.refuse("", "", refusal)
        session.go_away(refusal.reason, None)
    except Exception as fault:  # the stream must not go on deaf
        _log.error("play.fault", player=session.caller.player, exc_info=fault)
        session.go_away("INTERNAL", 1.0)
    finally:
        timer.cancel()


async def _take(message: bots_pb2.PlayerMessage, session: Session) -> None:
    try:
        check(message)
        await _hear(message, session)
    except Refused as refusal:
        await session.refuse(*_about(message), refusal)
    except ConvertError as wrong:
        await session.refuse(*_about(message), Refused(wrong.reason, wrong.details))


def _about(message: bots_pb2.PlayerMessage) -> tuple[str, str]:
    """The match and the request that it names."""
    kind = message.WhichOneof("message")
    about = getattr(message, kind) if kind is not None else None
    return getattr(about, "match", ""), getattr(about, "request_id", "")


async def _hear(message: bots_pb2.PlayerMessage, session: Session) -> None:
    match message.WhichOneof("message"):
        case "act":
            act = message.act
            epoch = epoch_of(act)
            # The same key as over Act, so that an act sent again through the other API is known.
            held = matches_pb2.ActRequest(match=act.match, window=act.window, epoch=epoch)
            if act.HasField("action"):
                held.action.CopyFrom(act.action)
            elif act.HasField("choice"):
                held.choice = act.choice
            await session.act(act.match, key_of(act.request_id, held), act.window, what_of(act), epoch)
        case "leave":
            leave = message.leave
            key = request_key(matches_pb2.LeaveMatchRequest(request_id=leave.request_id, match=leave.match))
            await session.leave(leave.match, key)
        case "ack":
            session.ack(message.ack.match, message.ack.sequence)
        case "ping":
            await session.pong(message.ping.payload)
        case _:
            raise Refused("HELLO_EXPECTED")
