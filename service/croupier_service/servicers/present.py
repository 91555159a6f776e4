"""Projected values to messages. Only values of projection.py come in here, so nothing hidden can go out."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

import croupier_convert
from croupier.v1 import games_pb2, matches_pb2
from croupier_service import lifecycle
from croupier_service.made import Made
from croupier_service.projection import EventView, MatchView, SeatView, TermsView, WindowView, YouView
from croupier_service.record import StandInTerms

# Most of these are told again and again. The messages are shared: never change them.
_options = lru_cache(256)(croupier_convert.options_to_proto)
_action = lru_cache(4096)(croupier_convert.action_to_proto)


def timestamp(ms: int) -> Timestamp:
    """A point in time, from server milliseconds."""
    return Timestamp(seconds=ms // 1000, nanos=ms % 1000 * 1_000_000)


def duration(ms: int) -> Duration:
    """A span of time, from milliseconds."""
    return Duration(seconds=ms // 1000, nanos=ms % 1000 * 1_000_000)


def set_time(message: Timestamp | Duration, ms: int) -> None:
    """A point in time, or a span, where it belongs."""
    message.seconds, message.nanos = ms // 1000, ms % 1000 * 1_000_000


def milliseconds(span: Duration) -> int:
    """A span of time in whole milliseconds."""
    return span.seconds * 1000 + span.nanos // 1_000_000


def match(view: MatchView, now: int) -> matches_pb2.Match:
    """A match."""
    message = matches_pb2.Match()
    fill_match(message, view, now)
    return message


def fill_match(message: matches_pb2.Match, view: MatchView, now: int) -> None:
    """The same, where it belongs: it need not be copied."""
    message.CopyFrom(_terms(view.terms))
    message.sequence = view.sequence
    message.mark = view.mark
    set_time(message.server_time, now)
    for seat in view.seats:
        _fill_seat(message.seats.add(), seat)
    fill_you(message.you, view.you, now)
    if view.join_code is not None:
        message.join_code = view.join_code
    if view.outcome is not None:
        message.outcome.CopyFrom(outcome(view.outcome))


@lru_cache(1_000)
def _terms(view: TermsView) -> matches_pb2.Match:
    """What every viewer of a match is told alike, from one change of hands to the next. Shared: never change it."""
    return matches_pb2.Match(
        id=view.id,
        game=view.game,
        state=matches_pb2.MatchState.Value.Value(view.phase.value),
        options=_options(view.game, view.options),
        preset=view.preset,
        rules_version=view.rules_version,
        commitment=view.commitment,
        deal_scheme=view.deal_scheme,
        visibility=matches_pb2.Visibility.PUBLIC if view.public else matches_pb2.Visibility.PRIVATE,
        host=view.host,
        clock=matches_pb2.ClockOptions(
            window_duration=duration(view.limits.window),
            bank_duration=duration(view.limits.bank),
            increment_duration=duration(view.limits.increment),
        ),
        stand_in=stand_in(view.stand_in),
        create_time=timestamp(view.created_at),
        expire_time=None if view.expires_at is None else timestamp(view.expires_at),
    )


def stand_in(terms: StandInTerms | None) -> matches_pb2.StandInOptions | None:
    """When a bot plays for a player who is away."""
    return (
        None if terms is None else matches_pb2.StandInOptions(level=terms.level, after_duration=duration(terms.after))
    )


def _fill_seat(message: matches_pb2.Seat, view: SeatView) -> None:
    if view.player is not None:
        message.player = view.player
    message.display_name = view.name
    message.bot = view.bot
    if view.team is not None:
        message.team = view.team
    message.present = view.present
    message.committed = view.committed
    message.score = view.score
    if view.bank is not None:
        set_time(message.clock.bank_duration, view.bank)
    if view.deadline is not None:
        set_time(message.clock.deadline_time, view.deadline)
    if view.stand_in is not None:
        message.stand_in = view.stand_in
    if view.stand_in_at is not None:
        set_time(message.stand_in_time, view.stand_in_at)
    message.resigned = view.resigned
    message.epoch = view.epoch


def you(view: YouView, now: int) -> matches_pb2.You:
    """What only this viewer gets."""
    message = matches_pb2.You()
    fill_you(message, view, now)
    return message


def fill_you(message: matches_pb2.You, view: YouView, now: int) -> None:
    """The same, where it belongs: it need not be copied."""
    message.sequence = view.sequence
    if view.seat is not None:
        message.seat = view.seat
    if (seen := view_of(view)) is not None:
        message.view.CopyFrom(seen)
    if view.window is not None:
        fill_window(message.window, view.game, view.window, now)


def view_of(of: YouView) -> games_pb2.View | None:
    """What the viewer may know of the game."""
    return None if of.view is None else croupier_convert.view_to_proto(of.game, of.view)


def window(game: str, view: WindowView, now: int) -> matches_pb2.Window:
    """A question."""
    message = matches_pb2.Window()
    fill_window(message, game, view, now)
    return message


def fill_window(message: matches_pb2.Window, game: str, view: WindowView, now: int) -> None:
    """The same, where it belongs: it need not be copied."""
    message.id = view.id
    message.kind = matches_pb2.WindowKind.Value.Value(view.kind)
    message.must.extend(view.must)
    message.may.extend(view.may)
    if view.deadline is not None:
        set_time(message.deadline_time, view.deadline)
        set_time(message.remaining, max(0, view.deadline - now))
    message.actions.extend(view.actions)
    message.choices.extend([_action(game, choice) for choice in view.choices])
    message.epoch = view.epoch


def outcome(value: Any) -> matches_pb2.Outcome:
    """A result."""
    return matches_pb2.Outcome(places=value.places, scores=value.scores)


def event(view: EventView) -> matches_pb2.Event:
    """An event; one that the viewer may know nothing of has no payload. The message is shared: never change it."""
    return _events.of(view)


def _event(view: EventView) -> matches_pb2.Event:
    message = matches_pb2.Event(sequence=view.sequence, type=view.type, mark=view.mark)
    set_time(message.time, view.at)
    told = _LIFECYCLE.get(type(view.payload))
    if told is not None:
        message.match.CopyFrom(told(view.payload))
    else:
        croupier_convert.set_payload(message, view.game, view.payload)
    return message


_events = Made[EventView, matches_pb2.Event](_event, 1_000)  # most viewers of an event see the same of it


_LIFECYCLE: Mapping[type[Any], Callable[[Any], matches_pb2.MatchEvent]] = {
    lifecycle.Created: lambda e: matches_pb2.MatchEvent(created=matches_pb2.MatchCreated(host=e.host)),
    lifecycle.Joined: lambda e: matches_pb2.MatchEvent(
        joined=matches_pb2.MatchJoined(seat=e.seat, player=e.player, display_name=e.name, bot=e.bot)
    ),
    lifecycle.Left: lambda e: matches_pb2.MatchEvent(
        left=matches_pb2.MatchLeft(seat=e.seat, player=e.player, host=e.host)
    ),
    lifecycle.Started: lambda e: matches_pb2.MatchEvent(started=matches_pb2.MatchStarted(players=e.players)),
    lifecycle.TimedOut: lambda e: matches_pb2.MatchEvent(timed_out=matches_pb2.MatchTimedOut(seats=e.seats)),
    lifecycle.Barred: lambda e: matches_pb2.MatchEvent(barred=matches_pb2.MatchBarred(seat=e.seat)),
    lifecycle.Absent: lambda e: matches_pb2.MatchEvent(
        absent=matches_pb2.MatchAbsent(seat=e.seat, stand_in_time=timestamp(e.until))
    ),
    lifecycle.StoodIn: lambda e: matches_pb2.MatchEvent(
        stood_in=matches_pb2.MatchStoodIn(seat=e.seat, player=e.player, display_name=e.name, epoch=e.epoch)
    ),
    lifecycle.Returned: lambda e: matches_pb2.MatchEvent(
        returned=matches_pb2.MatchReturned(seat=e.seat, epoch=e.epoch)
    ),
    lifecycle.Credited: lambda e: matches_pb2.MatchEvent(
        credited=matches_pb2.MatchCredited(credit_duration=duration(e.ms))
    ),
    lifecycle.Resigned: lambda e: matches_pb2.MatchEvent(resigned=matches_pb2.MatchResigned(seat=e.seat)),
    lifecycle.Over: lambda e: matches_pb2.MatchEvent(over=matches_pb2.MatchOver(outcome=outcome(e.outcome))),
    lifecycle.Abandoned: lambda e: matches_pb2.MatchEvent(abandoned=matches_pb2.MatchAbandoned(reason=e.reason)),
}
