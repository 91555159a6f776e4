"""What can be done with a match: load, apply, commit, reply."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

from croupier_engine.errors import IllegalAction
from croupier_engine.game import Seat
from croupier_service import metrics
from croupier_service.change import Change
from croupier_service.dealer import Dealer
from croupier_service.errors import Refused
from croupier_service.hub import Hub
from croupier_service.lifecycle import Joined
from croupier_service.log import LogEntry
from croupier_service.players import Caller
from croupier_service.projection import EventView, MatchView, event_views, match_view, window_view
from croupier_service.record import REQUESTS_KEPT, Phase, Record, Request
from croupier_service.seating import Seating
from croupier_service.store.matches import Loaded, MatchStore
from croupier_service.store.servertime import ServerTime

# How often a change is tried again after somebody else was faster. Ten seats that choose at once need ten at most.
_ATTEMPTS = 64


@dataclass(frozen=True, slots=True)
class RequestKey:
    """A request by its caller's name for it and by what it holds; an empty id cannot be sent again."""

    id: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Applied:
    """What came of a request: the match as the caller sees it now, and the events."""

    match: MatchView
    events: list[EventView]
    applied_sequence: int


@dataclass(frozen=True, slots=True)
class Choice:
    """An action by its index among the window's choices."""

    index: int


@dataclass(frozen=True, slots=True)
class GameAction:
    """An action of a game, in that game's own type."""

    game: str
    action: Any


class Matches:
    """Changes matches that exist; see seating.py for how they come to be."""

    def __init__(
        self,
        store: MatchStore,
        seating: Seating,
        hub: Hub,
        time: ServerTime,
        dealer: Dealer,
        *,
        retention: int,
        illegal_limit: int,
    ) -> None:
        self._store = store
        self._seating = seating
        self._hub = hub
        self._time = time
        self._dealer = dealer
        self._retention = retention
        self._illegal_limit = illegal_limit
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def get(self, caller: Caller, match: str) -> MatchView:
        """A match as the caller sees it."""
        loaded = await self._load(match, caller)
        _check_visible(loaded.record, caller)
        return match_view(loaded.record, caller.player, loaded.present)

    async def join(
        self, caller: Caller, match: str, key: RequestKey, *, seat: Seat | None = None, join_code: str = ""
    ) -> MatchView:
        """Take a seat; the last one taken starts the match."""

        async def sit(change: Change) -> None:
            record = change.before
            if not record.meta.public and not record.visible_to(caller.player) and join_code != record.meta.join_code:
                raise Refused("JOIN_CODE_WRONG")
            change.sit(caller.player, caller.name, seat=seat)
            await self._seating.expect(caller.player, record)
            change.start_if_full()

        return (await self._change(caller, match, key, sit, stranger=True)).match

    async def leave(self, caller: Caller, match: str, key: RequestKey) -> MatchView:
        """Give a seat back before the start."""

        async def leave(change: Change) -> None:
            change.leave(caller.player)

        return (await self._change(caller, match, key, leave)).match

    async def start(self, caller: Caller, match: str, key: RequestKey) -> MatchView:
        """Start with those who are there; nothing happens to a match that runs already."""

        async def start(change: Change) -> bool:
            if change.before.phase is Phase.RUNNING:
                return False
            self._for_host(change.before, caller)
            change.start()
            return True

        return (await self._change(caller, match, key, start)).match

    async def add_bot(
        self, caller: Caller, match: str, key: RequestKey, wanted: dict[str, str], seat: Seat | None = None
    ) -> MatchView:
        """Seat a bot that offers to play."""

        async def seat_bot(change: Change) -> None:
            record = change.before
            self._for_host(record, caller)
            booked = (await self._seating.book(record, [wanted]))[0]
            try:
                change.sit(booked.id, booked.name, bot=True, seat=seat)
            except Refused:
                await self._seating.release(record.id, [booked.id])
                raise
            await self._seating.expect(booked.id, record)
            change.start_if_full()

        return (await self._change(caller, match, key, seat_bot)).match

    async def act(
        self, caller: Caller, match: str, key: RequestKey, window: str, what: GameAction | Choice, after: int | None
    ) -> Applied:
        """Act in a window. The act counts as of now, however long it has to wait for others."""
        at = self._time.now()

        async def act(change: Change) -> None:
            record = change.before
            seat = self._for_seated(record, caller)
            awaiting, clock = record.awaiting, record.clock
            assert awaiting is not None, "a running match waits for something"
            assert clock is not None, "a running match has clocks"
            if window != awaiting.window:
                raise self._refused(record, seat, "STALE_WINDOW", {"window": window})
            deadline = clock.deadline(seat)
            if deadline is not None and at > deadline:
                raise self._refused(record, seat, "OUT_OF_TIME", {"window": window})
            try:
                change.act(seat, self._action(record, seat, what))
            except IllegalAction as illegal:
                now = await self._count_illegal(record, seat)
                raise self._refused(now, seat, illegal.reason, illegal.details) from illegal

        return await self._change(caller, match, key, act, at=at, after=after)

    async def resign(self, caller: Caller, match: str, key: RequestKey, after: int | None) -> Applied:
        """Give up."""

        async def resign(change: Change) -> None:
            seat = self._for_seated(change.before, caller)
            try:
                change.resign(seat)
            except IllegalAction as illegal:
                raise self._refused(change.before, seat, illegal.reason, illegal.details) from illegal

        return await self._change(caller, match, key, resign, after=after)

    async def fire(self, match: str, turn_grace: int, timer_grace: int) -> int | None:
        """Do what the clock has to do; when it has to look again, grace not counted, None if never."""
        async with self._turn(match):
            for _ in range(_ATTEMPTS):
                now = self._time.now()
                loaded = await self._store.load(match, None, now)
                if loaded is None:
                    return None
                change = Change(loaded.record, self._dealer, now)
                if not change.fire(turn_grace, timer_grace):
                    return loaded.record.next_deadline
                if await self._commit(change):
                    due = loaded.record.next_deadline
                    assert due is not None, "what was fired was due"
                    metrics.fired(loaded.record.meta.game, now - due)
                    return change.record.next_deadline
        return self._time.now()

    # How a change is made.

    async def _change(
        self,
        caller: Caller,
        match: str,
        key: RequestKey,
        steps: Callable[[Change], Any],
        *,
        at: int | None = None,
        after: int | None = None,
        stranger: bool = False,
    ) -> Applied:
        """Load, apply, commit; again from the start when somebody else was faster.

        `steps` is awaited with the change; if it answers False there is nothing to commit.
        """
        name = key.id or self._seating.unnamed_request()
        async with self._turn(match):
            for _ in range(_ATTEMPTS):
                loaded = await self._load(match, caller)
                before = loaded.record
                done = next((request for request in loaded.requests if request.id == name), None)
                if done is not None:
                    if done.fingerprint != key.fingerprint:
                        raise Refused("REQUEST_ID_REUSED")
                    return await self._applied(loaded, before, caller, done.first, done.last, after, ())
                if not stranger:
                    _check_visible(before, caller)
                change = Change(before, self._dealer, self._time.now() if at is None else at)
                if await steps(change) is False:
                    return await self._applied(loaded, before, caller, before.sequence, before.sequence, after, ())
                record, entry = change.record, change.entry
                request = Request(name, key.fingerprint, before.sequence, record.sequence)
                if await self._commit(change, (caller.player, (*loaded.requests, request)[-REQUESTS_KEPT:])):
                    return await self._applied(
                        loaded, record, caller, before.sequence, record.sequence, after, (entry,)
                    )
        raise Refused("OVERLOADED", {"limit": f"attempts={_ATTEMPTS}", "retry_after": "1"}, retry_after=1)

    async def _commit(self, change: Change, request: tuple[str, tuple[Request, ...]] | None = None) -> bool:
        """Persist, then publish; whoever called acknowledges last."""
        record, entry = change.record, change.entry
        committed = await self._store.commit(change.before, record, entry, self._retention, request)
        joined = [event.public for _, event in entry.numbered() if isinstance(event.public, Joined)]
        if not committed:
            # Bots booked for seats that were not taken are free again.
            await self._seating.release(record.id, [joiner.player for joiner in joined if joiner.bot])
            return False
        self._hub.advance(record, entry)
        await self._seating.settle(change.before, record, joined)
        return True

    async def _applied(
        self,
        loaded: Loaded,
        record: Record,
        caller: Caller,
        first: int,
        last: int,
        after: int | None,
        entries: Sequence[LogEntry],
    ) -> Applied:
        """The answer: the view of now, and the events behind `after`, or else those of the request itself."""
        cursor, end = (first, last) if after is None else (after, record.sequence)
        if end > cursor and not (entries and entries[0].first <= cursor):
            entries = await self._store.entries_after(record, cursor)
        seat = record.seat_of(caller.player)
        events = [view for entry in entries for view in event_views(entry, record.meta.game, seat, cursor)]
        return Applied(
            match_view(record, caller.player, loaded.present), [view for view in events if view.sequence <= end], last
        )

    @contextlib.asynccontextmanager
    async def _turn(self, match: str) -> AsyncIterator[None]:
        """One at a time per match in this process, for fewer lost races; other replicas are held off by the commit."""
        lock = self._turns.setdefault(match, asyncio.Lock())
        async with lock:
            yield

    async def _load(self, match: str, caller: Caller) -> Loaded:
        loaded = await self._store.load(match, caller.player, self._time.now())
        if loaded is None:
            raise Refused("MATCH_NOT_FOUND", {"match": match})
        return loaded

    # What is checked before the rules are asked.

    def _for_host(self, record: Record, caller: Caller) -> None:
        if record.phase is not Phase.OPEN:
            raise Refused("MATCH_NOT_OPEN", {"state": record.phase.value})
        if record.meta.host != caller.player:
            raise Refused("NOT_HOST")

    def _for_seated(self, record: Record, caller: Caller) -> Seat:
        seat = record.seat_of(caller.player)
        if seat is None:
            raise Refused("NOT_SEATED")
        if record.phase is Phase.OPEN:
            raise Refused("MATCH_NOT_STARTED")
        if record.phase.done:
            raise Refused("GAME_OVER")
        return seat

    def _action(self, record: Record, seat: Seat, what: GameAction | Choice) -> Any:
        if isinstance(what, GameAction):
            if what.game != record.meta.game:
                raise Refused("WRONG_GAME", {"field": f"action.{what.game}", "game": record.meta.game})
            return what.action
        window = window_view(record, seat)
        choices = () if window is None else window.choices
        if not choices:
            raise self._refused(record, seat, "NOT_ASKED", {})
        if not 0 <= what.index < len(choices):
            facts = {"choice": str(what.index), "choices": str(len(choices))}
            raise self._refused(record, seat, "CHOICE_OUT_OF_RANGE", facts)
        return choices[what.index]

    def _refused(self, record: Record, seat: Seat, reason: str, metadata: dict[str, str]) -> Refused:
        return Refused(reason, metadata, game=record.meta.game, window=window_view(record, seat))

    async def _count_illegal(self, record: Record, seat: Seat) -> Record:
        """Past the bound the clock plays for the seat, so that one that is stuck does not stall the table.

        Answers the record as it is then.
        """
        awaiting = record.awaiting
        if awaiting is None or seat not in awaiting.must:
            return record
        count = await self._store.count_illegal(record.id, seat, awaiting.window)
        if count >= self._illegal_limit:
            change = Change(record, self._dealer, self._time.now())
            change.bar(seat)
            if await self._commit(change):  # if somebody was faster, the next illegal action tries again
                return change.record
        return record


def _check_visible(record: Record, caller: Caller) -> None:
    """A private match is not there for strangers."""
    if not record.visible_to(caller.player):
        raise Refused("MATCH_NOT_FOUND", {"match": record.id})
