"""Following a match: snapshot, events, windows, in order and without gaps, as one viewer may see them."""

import asyncio
import itertools
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass

from croupier_service.absence import Absence
from croupier_service.changing import Changing
from croupier_service.errors import Refused, StoreUnavailable, Unreadable
from croupier_service.following import CHUNK, Beat, Ear, End, Item, Place, Reader, Snapshot, is_old
from croupier_service.hub import Feed, Hub
from croupier_service.log import Cursor, LogEntry
from croupier_service.players import Caller
from croupier_service.presence import Presence
from croupier_service.projection import EventView, YouView, event_views, match_view, you_view
from croupier_service.record import Record
from croupier_service.store.matches import MatchStore
from croupier_service.store.servertime import ServerTime
from croupier_service.touch import Touch

# Why a match is sent whole.
_UNKNOWN = "CURSOR_INVALID"
_UNTOLD = "EVENTS_UNREADABLE"  # what comes behind the cursor cannot be read, but how the match stands by now can

_NOBODY = ""  # the player of a stream that shows what everybody may see


@dataclass(frozen=True, slots=True)
class Page:
    """Events behind a cursor; `next` is the cursor behind them."""

    events: list[EventView]
    next: Cursor
    you: YouView


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
        """Running matches in which time runs for a player who watches here: his own, or a timer while he may act."""
        found = set()
        for feed, player in self._watchers.values():
            record = feed.record
            seat, awaiting = record.seat_of(player), record.awaiting
            if seat is None or record.clock is None or awaiting is None:
                continue
            timed = awaiting.deadline is not None and seat in awaiting.may
            if timed or record.clock.deadline(seat) is not None:
                found.add(record.id)
        return found

    @property
    def touch(self) -> Touch:
        """Whether what streams tell is fresh."""
        return self._hub.touch

    async def watch(
        self,
        caller: Caller,
        match: str,
        after: Cursor | None,
        reader: Reader | None = None,
        stays: Callable[[], Awaitable[None]] | None = None,
    ) -> AsyncGenerator[Item, None]:
        """Everything about a match as it happens; MATCH_NOT_FOUND if it is not there for the caller.

        Should the store lose some of what was told already, the match is sent whole, and what comes goes on from that.
        `reader`: of changes of the caller's window he is told only those that may ask him something new. As long as he
        is up to date he gets events and questions in his hands; what is yielded comes in between, in its order.
        `stays`: if the match is public and the caller has no seat, he is told what everybody is told who has none, even
        after he has taken one; that it is so this is called for, before the first item.
        """
        ear, lost, player = Ear(self._hub, reader), False, caller.player
        stream = f"{player} {secrets.token_hex(4)}"
        try:
            while True:
                async with self._hub.feed(match, ear) as feed:
                    if feed is None or not feed.record.visible_to(player):
                        if not lost:
                            raise Refused("MATCH_NOT_FOUND", {"match": match})
                        yield End("EXPIRED" if feed is None else "NOT_VISIBLE", 0, None)
                        return
                    if stays is not None and feed.record.meta.public and feed.record.seat_of(player) is None:
                        player = _NOBODY
                        await stays()
                    stays = None  # what it was at the start it remains
                    self._watchers[stream] = (feed, player)
                    await self._present(feed.record, player, stream)
                    with self._hub.touch.poke(ear.woken):
                        begun = self._items(feed, ear, player, after, stream, reader is not None, lost=lost)
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
                    if player != _NOBODY:
                        await self._absence.closed(feed.record, player, stream)

    async def _items(
        self,
        feed: Feed,
        ear: Ear,
        player: str,
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
            place = Place(feed, player, record.sequence if after is None else after.sequence, questions_only)
            why = _UNKNOWN if lost else await self._why_whole(feed, record, after)
            if why is not None:
                yield await self._whole(record, place, why)
            while True:
                ear.woken.clear()
                if feed.rewound:
                    return
                record = feed.record
                if feed.gone or not record.visible_to(player):
                    yield End("EXPIRED" if feed.gone else "NOT_VISIBLE", place.sequence, None)
                    return
                before, whole = place.sequence, None
                entries: list[LogEntry] | None = []
                try:
                    entries = await self._behind(feed, record, before)
                    if entries is None:
                        whole = await self._whole(record, place, _UNTOLD)
                except StoreUnavailable:
                    touch.lose()  # what is behind is read when the store is back
                if whole is not None:
                    yield whole
                for item in place.next(record, entries or [], CHUNK):
                    yield item
                if place.sequence == record.sequence:
                    if record.phase.done:
                        view = match_view(record, player, frozenset())
                        yield End(record.phase.value, place.sequence, view)
                        return
                elif place.sequence > before and not self._hub.closing:
                    continue  # there is more
                if self._hub.closing:
                    yield End("GO_AWAY", place.sequence, None)
                    return
                if feed.record is record and is_old(touch, feed) is stale and not beats.due:
                    ear.place = place
                    await ear.woken.wait()
                    ear.place = None
                    if ear.fault is not None:
                        raise ear.fault
                if beats.due or is_old(touch, feed) is not stale:
                    if beats.due:
                        beats.next()
                    stale = is_old(touch, feed)
                    yield Beat(place.sequence, stale)
                    if touch.fresh:
                        with suppress(StoreUnavailable):
                            await self._present(feed.record, player, stream)

    async def _whole(self, record: Record, place: Place, why: str) -> Snapshot:
        """The whole match, and the viewer's place behind it."""
        (present,) = await self._store.present([record.id], self._time.now())
        place.sequence, place.you = record.sequence, you_view(record, place.player)
        return Snapshot(match_view(record, place.player, present), why)

    async def _why_whole(self, feed: Feed, record: Record, after: Cursor | None) -> str | None:
        """Why a viewer is sent the whole match, empty if he has no cursor; None: he goes on behind it."""
        if after is None:
            return ""
        try:
            return None if await self._knows(feed, record, after) else _UNKNOWN
        except Unreadable as problem:
            self._store.log_unread({record.id: problem})
            return _UNTOLD

    async def _behind(self, feed: Feed, record: Record, sequence: int) -> list[LogEntry] | None:
        """Log entries with the next events; None if they cannot be read."""
        if sequence >= record.sequence:
            return []
        try:
            return await self._hub.entries(feed, record, sequence, CHUNK)
        except Unreadable as problem:
            self._store.log_unread({record.id: problem})
            return None

    async def _knows(self, feed: Feed, record: Record, cursor: Cursor) -> bool:
        return cursor.sequence <= record.sequence and await self._hub.has(feed, record, *cursor)

    def _settled(self, feed: Feed, after: int) -> bool:
        """Nothing is gained by waiting longer."""
        over = feed.record.phase.done or feed.gone or feed.rewound
        return feed.record.sequence > after or over or self._hub.closing

    async def _present(self, record: Record, player: str, stream: str) -> None:
        await self._presence.streams(record, player, stream)
        if record.misses(player):
            await self._changing.welcome(record.id, player)

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
                        if is_old(self._hub.touch, feed):
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


def _unknown(after: int, record: Record) -> Refused:
    return Refused(_UNKNOWN, {"after": str(after), "sequence": str(record.sequence)})
