"""How a match is changed: load, apply, commit; and again from the start when somebody else was faster."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from weakref import WeakValueDictionary

from croupier_service.change import Change
from croupier_service.dealer import Dealer
from croupier_service.errors import Refused
from croupier_service.hub import Hub
from croupier_service.lifecycle import Joined, StoodIn
from croupier_service.log import LogEntry
from croupier_service.players import Caller
from croupier_service.presence import Presence
from croupier_service.projection import EventView, MatchView, event_views, match_view
from croupier_service.record import REQUESTS_KEPT, Record, Request
from croupier_service.seating import Seating
from croupier_service.store.matches import Loaded, MatchStore
from croupier_service.store.servertime import ServerTime
from croupier_service.store.shards import Lead

# How often a change is tried again after somebody else was faster. Ten seats that choose at once need ten at most.
ATTEMPTS = 64
_EVENTS_ANSWERED = 1000  # events behind a cursor in one answer


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


Steps = Callable[[Change], Awaitable[bool]]
"""Takes the steps of a change; False if there is nothing to change after all."""


class Changing:
    """Commits changes, each once, whatever is sent twice or at the same time."""

    def __init__(
        self,
        store: MatchStore,
        seating: Seating,
        hub: Hub,
        time: ServerTime,
        dealer: Dealer,
        presence: Presence,
        *,
        retention: int,
    ) -> None:
        self._store = store
        self._seating = seating
        self._hub = hub
        self._time = time
        self._dealer = dealer
        self._presence = presence
        self._retention = retention
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def load(self, match: str, caller: Caller) -> Loaded:
        """The match and the caller's last requests; MATCH_NOT_FOUND."""
        loaded = await self._store.load(match, caller.player, self._time.now())
        if loaded is None:
            raise Refused("MATCH_NOT_FOUND", {"match": match})
        return loaded

    @contextlib.asynccontextmanager
    async def turn(self, match: str) -> AsyncIterator[None]:
        """One at a time per match in this process, for fewer lost races; other replicas are held off by the commit."""
        lock = self._turns.setdefault(match, asyncio.Lock())
        async with lock:
            yield

    def begin(self, record: Record, at: int | None = None) -> Change:
        """A change of a record, as of now or as of a time in server ms."""
        return Change(record, self._dealer, self._time.now() if at is None else at)

    async def apply(
        self,
        caller: Caller,
        match: str,
        key: RequestKey,
        steps: Steps,
        *,
        at: int | None = None,
        after: int | None = None,
        admit: Callable[[Record, Caller], None] | None = None,
    ) -> Applied:
        """Do what a request asks for, or answer what it did before.

        `admit` refuses those who may not ask at all: see check_visible, which is what usually does.
        """
        name = key.id or self._seating.unnamed_request()
        async with self.turn(match):
            for _ in range(ATTEMPTS):
                loaded = await self.load(match, caller)
                before = loaded.record
                if await self.arrived(before, caller.player):
                    continue
                done = next((request for request in loaded.requests if request.id == name), None)
                if done is not None:
                    if done.fingerprint != key.fingerprint:
                        raise Refused("REQUEST_ID_REUSED")
                    check_visible(before, caller)  # whoever has left a private match sees no more of it
                    return await self._applied(loaded, before, caller, done.first, done.last, after, ())
                (admit or check_visible)(before, caller)
                if after is not None and after > before.sequence:
                    raise Refused("CURSOR_INVALID", {"after": str(after), "sequence": str(before.sequence)})
                change = self.begin(before, at)
                if not await steps(change):
                    return await self._applied(loaded, before, caller, before.sequence, before.sequence, after, ())
                record, entry = change.record, change.entry
                request = Request(name, key.fingerprint, before.sequence, record.sequence)
                if await self.commit(change, (caller.player, (*loaded.requests, request)[-REQUESTS_KEPT:])):
                    return await self._applied(
                        loaded, record, caller, before.sequence, record.sequence, after, (entry,)
                    )
        raise Refused("CONTENDED", {"retry_after": "1"}, retry_after=1)

    async def arrived(self, record: Record, player: str) -> bool:
        """A player asks for something of a match. True if he was missed, so that it has changed: load again."""
        await self._presence.called(record, player)
        if not record.misses(player):
            return False
        change = self.begin(record)
        change.arrive(player)
        await self.commit(change)
        return True

    async def welcome(self, match: str, player: str) -> None:
        """A player who was missed is there."""
        async with self.turn(match):
            for _ in range(ATTEMPTS):
                loaded = await self._store.load(match, None, self._time.now())
                if loaded is None or not await self.arrived(loaded.record, player):
                    return

    async def commit(
        self, change: Change, request: tuple[str, tuple[Request, ...]] | None = None, lead: Lead | None = None
    ) -> bool:
        """Persist, then publish; whoever called acknowledges last. False: somebody else was faster.

        `lead`: the lead that the clock acts by; LeadLost if it is another's by now.
        """
        record, entry = change.record, change.entry
        with self._hub.committing(record.id):
            committed = await self._store.commit(change.before, record, entry, self._retention, request, lead)
            if committed:
                self._hub.advance(record, entry)
        joined = [event.public for _, event in entry.numbered() if isinstance(event.public, Joined | StoodIn)]
        if not committed:
            bots = [joiner.player for joiner in joined if isinstance(joiner, StoodIn) or joiner.bot]
            await self._seating.release_unseated(record.id, bots)
            return False
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
            entries = await self._store.entries_after(record, cursor, _EVENTS_ANSWERED)
        seat = record.seat_of(caller.player)
        events = [view for entry in entries for view in event_views(entry, record.meta.game, seat, cursor)]
        shown = [view for view in events if view.sequence <= end][:_EVENTS_ANSWERED]
        return Applied(match_view(record, caller.player, loaded.present), shown, last)


def check_visible(record: Record, caller: Caller) -> None:
    """A private match is not there for strangers."""
    if not record.visible_to(caller.player):
        raise Refused("MATCH_NOT_FOUND", {"match": record.id})
