"""Following a match: snapshot, events, windows, in order and without gaps, as one viewer may see them."""

import asyncio
import itertools
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from croupier_engine.game import Seat
from croupier_service.absence import Absence
from croupier_service.changing import Changing
from croupier_service.errors import Refused, StoreUnavailable
from croupier_service.hub import Feed, Hub
from croupier_service.log import Cursor, LogEntry
from croupier_service.players import Caller
from croupier_service.presence import Presence
from croupier_service.projection import EventView, MatchView, YouView, event_views, match_view, window_view, you_view
from croupier_service.record import Record
from croupier_service.store.matches import MatchStore
from croupier_service.store.servertime import ServerTime
from croupier_service.touch import Touch

_CHUNK = 100  # events that are read and sent at a time
_UNKNOWN = "CURSOR_INVALID"  # why a match is sent whole


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole match; `reason` says why on a resumed stream."""

    match: MatchView
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Events:
    """Events, in order, right behind those before."""

    events: list[EventView]


@dataclass(frozen=True, slots=True)
class WindowChange:
    """The viewer's own part after event `sequence`."""

    sequence: int
    you: YouView


@dataclass(frozen=True, slots=True)
class Beat:
    """The stream lives and is up to event `sequence`; `stale`: out of touch with the store, there may be more."""

    sequence: int
    stale: bool = False


@dataclass(frozen=True, slots=True)
class End:
    """Nothing more comes: OVER, ABANDONED, GO_AWAY; NOT_VISIBLE, EXPIRED if it is not there for the viewer any more."""

    reason: str
    sequence: int
    match: MatchView | None


Item: TypeAlias = Snapshot | Events | WindowChange | Beat | End


@dataclass(frozen=True, slots=True)
class Page:
    """Events behind a cursor; `next` is the cursor behind them."""

    events: list[EventView]
    next: Cursor
    you: YouView


class Reader(Protocol):
    """Takes items as they come, without being waited for."""

    def ready(self) -> bool:
        """There is room for some."""

    def take(self, items: list[Item]) -> None:
        """Have them."""


class _Place:
    """Where a viewer stands in a match: what he has been told."""

    def __init__(self, feed: Feed, player: str, after: int, questions_only: bool) -> None:
        self.feed = feed
        self.player = player
        self.sequence = after
        self.you: YouView | None = None
        self._questions_only = questions_only

    def next(self, record: Record, entries: list[LogEntry], limit: int) -> list[Item]:
        """What he is told next, about `limit` events of it; `entries` are those behind his place."""
        seat = record.seat_of(self.player)
        events: list[EventView] = []
        for entry in entries:
            if len(events) < limit:
                events += event_views(entry, record.meta.game, seat, self.sequence)
        items: list[Item] = []
        if events:
            items.append(Events(events))
            self.sequence = events[-1].sequence
        if self.sequence == record.sequence and not (self._questions_only and self._asks_the_same(record, seat)):
            you, now = self.you, you_view(record, self.player)
            if you is None or (now.seat, now.view, now.window) != (you.seat, you.view, you.window):
                items.append(WindowChange(self.sequence, now))
            self.you = now
        return items

    def _asks_the_same(self, record: Record, seat: Seat | None) -> bool:
        """Whether he is asked what he was asked when he was told last, however the table may look by now."""
        you = self.you
        if you is None or seat != you.seat or record.phase.done:
            return False
        window = window_view(record, seat)
        if window is None or you.window is None:
            return window is you.window
        return (window.id, window.epoch, window.choices) == (you.window.id, you.window.epoch, you.window.choices)


class _Ear:
    """Hears that a feed has moved on. A reader that is up to date is told at once; else his stream is woken."""

    def __init__(self, hub: Hub, reader: Reader | None) -> None:
        self._hub = hub
        self._reader = reader
        self.place: _Place | None = None  # set while the stream has nothing to do but wait
        self.woken = asyncio.Event()

    def set(self) -> None:
        """There is something new."""
        if not self._told():
            self.woken.set()

    def _told(self) -> bool:
        reader, place = self._reader, self.place
        if reader is None or place is None or self.woken.is_set():
            return False
        feed, hub = place.feed, self._hub
        record = feed.record
        if feed.gone or feed.rewound or hub.closing or _old(hub.touch, feed) or record.phase.done:
            return False
        if record.seat_of(place.player) is None or record.sequence > place.sequence + _CHUNK or not reader.ready():
            return False
        entries = feed.recent(place.sequence)
        if entries is None:
            return False
        items = place.next(record, entries, _CHUNK)
        if items:
            reader.take(items)
        return True


class _Beats:
    """Says at even times that a heartbeat is due, and wakes whoever waits for it.

    One timer for each beat: to wait with a time limit would set one for each change.
    """

    def __init__(self, seconds: float, woken: asyncio.Event) -> None:
        self._seconds = seconds
        self._woken = woken
        self.due = False

    def __enter__(self) -> "_Beats":
        self._loop = asyncio.get_running_loop()
        self._at = self._loop.time()
        self.next()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def next(self) -> None:
        """The beat that was due is given."""
        self.due = False
        self._at += self._seconds
        self._timer = self._loop.call_at(self._at, self._ring)

    def _ring(self) -> None:
        self.due = True
        self._woken.set()


class Watching:
    """Streams and long polls."""

    def __init__(
        self,
        store: MatchStore,
        hub: Hub,
        changing: Changing,
        presence: Presence,
        absence: Absence,
        time: ServerTime,
        heartbeat: int,
    ) -> None:
        self._store = store
        self._changing = changing
        self._presence = presence
        self._absence = absence
        self._hub = hub
        self._time = time
        self._heartbeat = heartbeat
        self._watchers: dict[str, tuple[Feed, str]] = {}  # by stream: what is watched, and by which player

    def waited_for(self) -> set[str]:
        """Running matches whose clock runs for a player who watches here."""
        found = set()
        for feed, player in self._watchers.values():
            record = feed.record
            seat = record.seat_of(player)
            if seat is not None and record.clock is not None and record.clock.deadline(seat) is not None:
                found.add(record.id)
        return found

    @property
    def touch(self) -> Touch:
        """Whether what streams tell is fresh."""
        return self._hub.touch

    async def watch(
        self, caller: Caller, match: str, after: Cursor | None, reader: Reader | None = None
    ) -> AsyncGenerator[Item, None]:
        """Everything about a match as it happens; MATCH_NOT_FOUND if it is not there for the caller.

        Should the store lose some of what was told already, the match is sent whole, and what comes goes on from that.
        `reader`: of changes of the caller's window he is told only those that may ask him something new. As long as he
        is up to date he gets events and questions in his hands; what is yielded comes in between, in its order.
        """
        ear, lost = _Ear(self._hub, reader), False
        stream = f"{caller.player} {secrets.token_hex(4)}"
        try:
            while True:
                async with self._hub.feed(match, ear) as feed:
                    if feed is None or not feed.record.visible_to(caller.player):
                        if not lost:
                            raise Refused("MATCH_NOT_FOUND", {"match": match})
                        yield End("EXPIRED" if feed is None else "NOT_VISIBLE", 0, None)
                        return
                    self._watchers[stream] = (feed, caller.player)
                    await self._present(feed.record, caller, stream)
                    with self._hub.touch.poke(ear.woken):
                        begun = self._items(feed, ear, caller, after, stream, reader is not None, lost=lost)
                        async with aclosing(begun) as items:
                            async for item in items:
                                yield item
                    if not feed.rewound:
                        return
                    lost = True
        finally:
            if stream in self._watchers:
                feed, _ = self._watchers.pop(stream)
                with suppress(StoreUnavailable):
                    await self._absence.closed(feed.record, caller.player, stream)

    async def _items(
        self,
        feed: Feed,
        ear: _Ear,
        caller: Caller,
        after: Cursor | None,
        stream: str,
        questions_only: bool,
        *,
        lost: bool,
    ) -> AsyncGenerator[Item, None]:
        """Up to an End, or until the feed is rewound. `lost`: so was the one before."""
        record, touch = feed.record, self._hub.touch
        # Beats keep to their own time: if a change moved them, one that a viewer may not know of would show.
        with _Beats(self._heartbeat / 1000, ear.woken) as beats:
            stale = False  # as the viewer was told
            place = _Place(feed, caller.player, record.sequence if after is None else after.sequence, questions_only)
            if lost or after is None or not await self._knows(feed, record, after):
                loaded = await self._store.load(record.id, None, self._time.now())
                present = frozenset() if loaded is None else loaded.present
                why = "" if after is None and not lost else _UNKNOWN
                yield Snapshot(match_view(record, caller.player, present), why)
                place.sequence, place.you = record.sequence, you_view(record, caller.player)
            while True:
                ear.woken.clear()
                if feed.rewound:
                    return
                record = feed.record
                if feed.gone or not record.visible_to(caller.player):
                    yield End("EXPIRED" if feed.gone else "NOT_VISIBLE", place.sequence, None)
                    return
                before = place.sequence
                try:
                    entries = await self._hub.entries(feed, record, before, _CHUNK) if before < record.sequence else []
                except StoreUnavailable:
                    touch.lose()  # what is behind is read when the store is back
                    entries = []
                for item in place.next(record, entries, _CHUNK):
                    yield item
                if place.sequence == record.sequence:
                    if record.phase.done:
                        view = match_view(record, caller.player, frozenset())
                        yield End(record.phase.value, place.sequence, view)
                        return
                elif place.sequence > before and not self._hub.closing:
                    continue  # there is more
                if self._hub.closing:
                    yield End("GO_AWAY", place.sequence, None)
                    return
                if feed.record is record and _old(touch, feed) is stale and not beats.due:
                    ear.place = place
                    await ear.woken.wait()
                    ear.place = None
                if beats.due or _old(touch, feed) is not stale:
                    if beats.due:
                        beats.next()
                    stale = _old(touch, feed)
                    yield Beat(place.sequence, stale)
                    if touch.fresh:
                        with suppress(StoreUnavailable):
                            await self._present(feed.record, caller, stream)

    async def _knows(self, feed: Feed, record: Record, cursor: Cursor) -> bool:
        return cursor.sequence <= record.sequence and await self._hub.has(feed, record, *cursor)

    def _settled(self, feed: Feed, after: int) -> bool:
        """Nothing is gained by waiting longer."""
        over = feed.record.phase.done or feed.gone or feed.rewound
        return feed.record.sequence > after or over or self._hub.closing

    async def _present(self, record: Record, caller: Caller, stream: str) -> None:
        await self._presence.streams(record, caller.player, stream)
        if record.misses(caller.player):
            await self._changing.welcome(record.id, caller.player)

    async def page(self, caller: Caller, match: str, cursor: Cursor, wait: float, size: int) -> Page:
        """Events behind a cursor, at most `size`; waits up to `wait` seconds for one. CURSOR_INVALID."""
        after = cursor.sequence
        poke = asyncio.Event()
        async with self._hub.feed(match, poke) as feed:
            if feed is None or not feed.record.visible_to(caller.player):
                raise Refused("MATCH_NOT_FOUND", {"match": match})
            if not await self._knows(feed, feed.record, cursor):
                raise _unknown(after, feed.record)
            await self._presence.called(feed.record, caller.player, round(wait * 1000))
            if feed.record.misses(caller.player):
                await self._changing.welcome(match, caller.player)
            with suppress(TimeoutError), self._hub.touch.poke(poke):
                async with asyncio.timeout(wait):
                    while wait and not self._settled(feed, after):
                        poke.clear()
                        if _old(self._hub.touch, feed):
                            break
                        await poke.wait()
            if wait and not self._settled(feed, after):
                await self._hub.confirm(match, feed)  # "nothing new" is for the store to say
            record = feed.record
            if feed.rewound:
                raise _unknown(after, record)
            if not record.visible_to(caller.player):
                raise Refused("MATCH_NOT_FOUND", {"match": match})
            entries = await self._hub.entries(feed, record, after, size) if after < record.sequence else []
            seat = record.seat_of(caller.player)
            views = (view for entry in entries for view in event_views(entry, record.meta.game, seat, after))
            events = list(itertools.islice(views, size))
            told = Cursor(events[-1].sequence, events[-1].mark) if events else cursor
            return Page(events, told, you_view(record, caller.player))


def _old(touch: Touch, feed: Feed) -> bool:
    """Whether there may be more than what is known here."""
    return feed.unread or not touch.fresh


def _unknown(after: int, record: Record) -> Refused:
    return Refused(_UNKNOWN, {"after": str(after), "sequence": str(record.sequence)})
