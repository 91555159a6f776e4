"""The one way out: what a viewer may know of a match. Everything that leaves the service is made from these values."""

from typing import Any

import msgspec

from croupier_engine.clock import Limits
from croupier_engine.game import Outcome, Seat
from croupier_service.log import LogEntry
from croupier_service.made import Made
from croupier_service.record import Phase, Record, StandInTerms


class WindowView(msgspec.Struct, frozen=True):
    """A question as one viewer may see it. `deadline`: server ms; None where no clock runs."""

    id: str
    kind: str
    must: tuple[Seat, ...]
    may: tuple[Seat, ...]
    deadline: int | None
    actions: tuple[str, ...]
    choices: tuple[Any, ...]  # engine actions
    epoch: int = 0  # of the viewer's seat


class SeatView(msgspec.Struct, frozen=True):
    """A seat as everybody sees it. `bank` and `deadline`: ms, None unless the match runs or its clock stands.

    `stand_in`: who plays for it, `stand_in_at`: the server ms when a bot takes over; None: nobody, never.
    """

    player: str | None
    name: str
    bot: bool
    team: int | None
    present: bool
    committed: bool
    score: int
    bank: int | None
    deadline: int | None
    stand_in: str | None
    stand_in_at: int | None
    epoch: int
    resigned: bool


class YouView(msgspec.Struct, frozen=True):
    """What only this viewer gets."""

    game: str
    sequence: int  # the number of the last event that it shows
    seat: Seat | None
    view: Any  # the game's View; None before the start
    window: WindowView | None


class TermsView(msgspec.Struct, frozen=True):
    """What a match is like for every viewer alike, and seldom changes. Nothing in it may depend on who looks."""

    id: str
    game: str
    rules_version: int
    preset: str
    public: bool
    host: str
    phase: Phase
    limits: Limits
    commitment: str
    deal_scheme: int
    created_at: int
    expires_at: int | None  # of an open match
    options: Any
    stand_in: StandInTerms | None


class MatchView(msgspec.Struct, frozen=True):
    """A match as one viewer may see it."""

    terms: TermsView
    sequence: int
    mark: str
    seats: tuple[SeatView, ...]
    you: YouView
    join_code: str | None
    outcome: Outcome | None


class EventView(msgspec.Struct, frozen=True):
    """An event as one viewer may see it; a payload of None shows that something happened, and no more."""

    sequence: int
    at: int
    type: str
    game: str
    payload: object | None
    mark: str  # no other event of this number has it, also if the store loses this one


def match_view(record: Record, player: str, present: frozenset[str]) -> MatchView:
    """The match for a player, seated or not. `present`: players who are there."""
    meta, awaiting = record.meta, record.awaiting
    game = record.game
    scores = game.scores(record.state) if record.state is not None else (0,) * len(meta.seats)
    clock = record.clock if record.phase is Phase.RUNNING else None
    return MatchView(
        terms=terms_view(record),
        sequence=record.sequence,
        mark=record.mark,
        seats=tuple(
            SeatView(
                player=chair.player,
                name=chair.name,
                bot=chair.bot,
                team=game.team(record.options, seat),
                present=chair.player in present,
                committed=awaiting is not None and seat in awaiting.done,
                score=scores[seat],
                bank=None if clock is None else clock.banks[seat],
                deadline=None if clock is None else clock.deadline(seat),
                stand_in=None if clock is None or chair.stand_in is None else chair.stand_in.player,
                stand_in_at=None if clock is None else chair.absent_until,
                epoch=chair.epoch,
                resigned=chair.resigned,
            )
            for seat, chair in enumerate(meta.seats)
        ),
        you=you_view(record, player),
        join_code=meta.join_code if not meta.public and record.visible_to(player) else None,
        outcome=meta.outcome,
    )


def terms_view(record: Record) -> TermsView:
    """What a match is like for every viewer."""
    meta = record.meta
    return TermsView(
        id=record.id,
        game=meta.game,
        rules_version=meta.rules_version,
        preset=meta.preset,
        public=meta.public,
        host=meta.host,
        phase=meta.phase,
        limits=meta.limits,
        commitment=record.commitment,
        deal_scheme=meta.deal_scheme,
        created_at=meta.created_at,
        expires_at=meta.expires_at if meta.phase is Phase.OPEN else None,
        options=record.options if meta.phase is Phase.OVER else record.game.shown_options(record.options),
        stand_in=meta.stand_in,
    )


def you_view(record: Record, player: str) -> YouView:
    """The viewer's own part: his seat, his view, his question."""
    seat = record.seat_of(player)
    view = None if record.state is None else record.game.view(record.state, seat)
    return YouView(record.meta.game, record.sequence, seat, view, window_view(record, seat))


def window_view(record: Record, seat: Seat | None) -> WindowView | None:
    """The present question as a seat sees it."""
    views = record.asked
    if seat not in views:
        views[seat] = _window_view(record, seat)
    window: WindowView | None = views[seat]
    return window


def _window_view(record: Record, seat: Seat | None) -> WindowView | None:
    awaiting, clock = record.awaiting, record.clock
    if awaiting is None:
        return None
    game = record.game
    choices: tuple[Any, ...] = ()
    actions: tuple[str, ...] = ()
    if seat is not None and (seat in awaiting.must or seat in awaiting.may):
        listed = game.choices(record.state, seat)
        if listed is None:
            actions = game.action_names(record.state, seat)
        else:
            choices, kinds = tuple(listed), set(map(type, listed))
            actions = tuple(name for name, kind in game.actions.items() if kind in kinds)
    deadlines = {} if clock is None else {s: d for s in awaiting.must if (d := clock.deadline(s)) is not None}
    own = None if seat is None else deadlines.get(seat)
    ends = [own if own is not None else max(deadlines.values(), default=None)]
    if not awaiting.secret:
        ends.append(awaiting.deadline)  # the rules' own timer
    return WindowView(
        id=awaiting.window,
        kind=awaiting.kind,
        must=awaiting.must,
        may=awaiting.may,
        deadline=min((end for end in ends if end is not None), default=None),
        actions=actions,
        choices=choices,
        epoch=0 if seat is None else record.meta.seats[seat].epoch,
    )


def event_views(entry: LogEntry, game: str, seat: Seat | None, after: int) -> tuple[EventView, ...]:
    """The events of a log entry behind the cursor `after`, for a seat or a spectator (None).

    Those who see the same get the same value.
    """
    if entry.last <= after:
        return ()
    views, private = _open_views.of(entry)
    if seat not in private and entry.first >= after:
        return views
    return tuple(
        [
            EventView(sequence, entry.at, event.type, game, event.private[seat], entry.name)
            if seat is not None and seat in event.private
            else view
            for view, (sequence, event) in zip(views, entry.numbered(), strict=True)
            if sequence > after
        ]
    )


def _seen_by_all(entry: LogEntry) -> tuple[tuple[EventView, ...], frozenset[Seat | None]]:
    """The events of a log entry as a spectator sees them, as most seats do, too; and the seats that do not."""
    views = [
        EventView(sequence, entry.at, event.type, event.type.partition(".")[0], event.seen_by(None), entry.name)
        for sequence, event in entry.numbered()
    ]
    return tuple(views), frozenset(seat for _, event in entry.numbered() for seat in event.private)


_open_views = Made[LogEntry, tuple[tuple[EventView, ...], frozenset[Seat | None]]](_seen_by_all, 1_000)
