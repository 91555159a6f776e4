"""How a match is changed: load, apply, commit; and again from the start when somebody else was faster."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import cached_property
from weakref import WeakValueDictionary

from msgspec import Struct
from msgspec.structs import replace

from croupier_service.change import Change
from croupier_service.dealer import Dealer
from croupier_service.errors import Refused, StoreUnavailable
from croupier_service.hub import Hub
from croupier_service.known import Known
from croupier_service.lifecycle import Joined, StoodIn
from croupier_service.log import LogEntry
from croupier_service.players import Caller, Names
from croupier_service.presence import Presence
from croupier_service.projection import EventView, MatchView, event_views, match_view
from croupier_service.record import REQUESTS_KEPT, Phase, Record, Request, short
from croupier_service.seating import Seating
from croupier_service.store.matches import Committed, Loaded, MatchStore
from croupier_service.store.servertime import ServerTime
from croupier_service.store.shards import Lead

# How often a change is tried again after somebody else was faster. Ten seats that choose at once need ten at most.
ATTEMPTS = 64
# Whoever is asked anew has his time from when the change was made up. One that is not written within so many ms is made
# up anew, but only so often: where two servers' clocks are apart it would be so for ever.
_PROMPT, PROMPT_ATTEMPTS = 250, 2
_EVENTS_ANSWERED = 1000  # events behind a cursor in one answer


class RequestKey(Struct, frozen=True):
    """A request by its caller's name for it and by what it holds; an empty id cannot be sent again."""

    id: str
    fingerprint: str


class Applied(Struct, frozen=True, dict=True):
    """What came of a request: the match as the caller sees it now, and the events, each made when it is looked at."""

    applied_sequence: int
    _record: Record
    _player: str
    _present: frozenset[str]
    _entries: Sequence[LogEntry]
    _span: tuple[int, int]  # the events behind the first, up to the last

    @cached_property
    def match(self) -> MatchView:
        """The match."""
        return match_view(self._record, self._player, self._present)

    @cached_property
    def events(self) -> list[EventView]:
        """The events."""
        record, (cursor, end) = self._record, self._span
        seat = record.seat_of(self._player)
        views = [view for entry in self._entries for view in event_views(entry, record.meta.game, seat, cursor)]
        return [view for view in views if view.sequence <= end][:_EVENTS_ANSWERED]


class Unsure(Exception):  # noqa: N818 - it names what is the matter
    """Refused by what is known here; whether it is to be refused the store has to say."""


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
        names: Names,
        presence: Presence,
        *,
        retention: int,
    ) -> None:
        self._store = store
        self._seating = seating
        self._hub = hub
        self._time = time
        self._dealer = dealer
        self._names = names
        self._presence = presence
        self._retention = retention
        self._known = Known()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    # What a listener to notices hears.

    def changed(self, match: str, version: int, deadline: int | None) -> None:
        """A match was changed; a notice of what is being written here says nothing new."""
        if not self._hub.commits(match):
            self._known.heard(match, version)

    def noted(self, kind: str, player: str, value: str) -> None:
        """Of no use here."""

    async def lost_touch(self) -> None:
        """The store may have lost something, and others may have gone on from there."""
        self._known.clear()

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

    def begin(
        self, record: Record, at: int | None = None, *, received: int | None = None, unsure: bool = False
    ) -> Change:
        """A change of a record, as of now or as of a time in server ms."""
        now = self._time.now() if at is None else at
        return Change(record, self._dealer, now, name=self._names.change(), received=received, unsure=unsure)

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
        at_once: bool = False,
        told: bool = True,
    ) -> Applied:
        """Do what a request asks for, or answer what it did before.

        `at`: when it came in, which counts for the clocks that it stops.
        `admit` refuses those who may not ask at all: see check_visible, which is what usually does. `at_once`: it is
        tried first on the match as it is known here; `steps` must leave nothing behind for a change that is unsure.
        `told`: the answer shows the match.
        """
        name = short(key.id or self._seating.unnamed_request())
        ask = _Ask(caller, match, name, short(key.fingerprint), steps, at, after, admit, told)
        if at_once:
            applied = await self._at_once(ask)
            if applied is not None:
                return applied
        async with self.turn(match):
            for attempt in range(ATTEMPTS):
                loaded = await self.load(match, caller)
                if loaded.record.phase is Phase.RUNNING and loaded.record.seat_of(caller.player) is not None:
                    self._known.learn(loaded.record, caller.player, loaded.requests)
                applied = await self._attempt(ask, loaded, unsure=False, prompt=attempt < PROMPT_ATTEMPTS)
                if applied is not None:
                    return applied
        raise Refused("CONTENDED", {"retry_after": "1"}, retry_after=1)

    async def _at_once(self, ask: "_Ask") -> Applied | None:
        """Try it on the match as it is known here; None if that is for the store to say.

        It may build on what was sent and is not written yet: from `get` on until the commit is sent nothing may wait.
        """
        match, player = ask.match, ask.caller.player
        known = self._known.get(match, player)
        if known is None:
            return None
        if known[0].meta.stand_in is not None:
            await self._presence.called(known[0], player)
            known = self._known.get(match, player)
        turn = self._turns.get(match)
        if known is None or (turn is not None and turn.locked()):
            return None
        try:
            return await self._attempt(ask, Loaded(*known, frozenset()), unsure=True, prompt=True)
        except (Unsure, Refused):
            return None

    async def _attempt(self, ask: "_Ask", loaded: Loaded, *, unsure: bool, prompt: bool) -> Applied | None:
        """None: the match is not as it was loaded; load again. `unsure`: that it is so is a guess.

        `prompt`: see commit.
        """
        before, caller, after = loaded.record, ask.caller, ask.after
        if before.misses(caller.player) if unsure else await self.arrived(before, caller.player):
            return None
        done = next((request for request in loaded.requests if request.id == ask.name), None)
        if done is not None:
            if unsure:
                raise Unsure
            if done.fingerprint != ask.fingerprint:
                raise Refused("REQUEST_ID_REUSED")
            check_visible(before, caller)  # whoever has left a private match sees no more of it
            await self._store.settled(ask.match)
            return await self._applied(ask, loaded, before, done.first, done.last, ())
        (ask.admit or check_visible)(before, caller)
        if after is not None and after > before.sequence:
            raise Refused("CURSOR_INVALID", {"after": str(after), "sequence": str(before.sequence)})
        change = self.begin(before, received=ask.at, unsure=unsure)
        if not await ask.steps(change):
            await self._store.settled(ask.match)
            return await self._applied(ask, loaded, before, before.sequence, before.sequence, ())
        record, entry = change.record, change.entry
        request = Request(ask.name, ask.fingerprint, before.sequence, record.sequence)
        requests = (*loaded.requests, request)[-REQUESTS_KEPT:]
        asked = unsure and ask.told  # who is there; else it was loaded, or nobody wants to know
        committed = await self.commit(change, (caller.player, requests), prompt=prompt, present=asked)
        if committed is None:
            return None
        if asked:
            loaded = replace(loaded, present=committed.present)
        return await self._applied(ask, loaded, record, before.sequence, record.sequence, (entry,))

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
        self,
        change: Change,
        request: tuple[str, tuple[Request, ...]] | None = None,
        lead: Lead | None = None,
        *,
        prompt: bool = False,
        present: bool = False,
    ) -> Committed | None:
        """Persist, then publish; whoever called acknowledges last. None: somebody else was faster.

        `lead`: the lead that the clock acts by; LeadLost if it is another's by now.
        `prompt`: None as well if it begins somebody's time, and took so long that this is shorter by then.
        `present`: it says who is there.
        """
        record, entry = change.record, change.entry
        begins = record.clock is not None and entry.at in record.clock.since
        latest = entry.at + _PROMPT if prompt and begins else None
        now = self._time.now() if present else None
        sent = self._known.send(change.before, record, request)
        committed: Committed | None = None
        try:
            with self._hub.committing(record.id):
                committed = await self._store.commit(
                    change.before, record, entry, self._retention, request, lead, latest, now
                )
                if committed is not None:
                    self._hub.advance(change.before, record, entry)
        except StoreUnavailable:
            self._known.clear()
            raise
        finally:
            self._known.answer(sent, written=committed is not None)
        if record.meta is change.before.meta:
            return committed  # as after most moves: whatever else is kept is derived from this
        joined = [event.public for _, event in entry.numbered() if isinstance(event.public, Joined | StoodIn)]
        if committed is None:
            bots = [joiner.player for joiner in joined if isinstance(joiner, StoodIn) or joiner.bot]
            await self._seating.release_unseated(record.id, bots)
            return None
        await self._seating.settle(change.before, record, joined)
        return committed

    async def _applied(
        self, ask: "_Ask", loaded: Loaded, record: Record, first: int, last: int, entries: Sequence[LogEntry]
    ) -> Applied:
        """The answer: the view of now, and the events behind `after`, or else those of the request itself."""
        cursor, end = (first, last) if ask.after is None else (ask.after, record.sequence)
        if ask.told and end > cursor and not (entries and entries[0].first <= cursor):
            entries = await self._store.entries_after(record, cursor, _EVENTS_ANSWERED)
        return Applied(last, record, ask.caller.player, loaded.present, entries, (cursor, end))


class _Ask(Struct, frozen=True):
    """A request under way; see Changing.apply."""

    caller: Caller
    match: str
    name: bytes
    fingerprint: bytes
    steps: Steps
    at: int | None
    after: int | None
    admit: Callable[[Record, Caller], None] | None
    told: bool


def check_visible(record: Record, caller: Caller) -> None:
    """A private match is not there for strangers."""
    if not record.visible_to(caller.player):
        raise Refused("MATCH_NOT_FOUND", {"match": record.id})
