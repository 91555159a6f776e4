"""Fan-out: one feed per watched match in this process, kept up to date by commits, notices, and a look now and then."""

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from contextvars import Context
from typing import Protocol

import structlog

from croupier_service.errors import StoreUnavailable, Unreadable
from croupier_service.log import LogEntry
from croupier_service.record import Record
from croupier_service.store.matches import MatchStore
from croupier_service.store.servertime import ServerTime
from croupier_service.touch import Touch

_log = structlog.get_logger()
_RECENT = 64  # log entries kept in memory per feed; older ones are read from the store
_LOOK = 0.2  # seconds between two looks for a store that is out of touch
_NO_MATCH = "-"  # no match has this id
_PATIENCE = 1.0  # seconds that a look may take, at least, before touch counts as lost


class Poke(Protocol):
    """Is told that there is something new, as an asyncio.Event."""

    def set(self) -> None:
        """There is; it must not raise."""


class Feed:
    """The newest record of a match that is known here, and the log entries that led to it."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.gone = False  # it is no longer kept
        self.rewound = False  # the store has lost what was seen here; whoever watches must begin anew
        self.unread = False  # what the store has by now cannot be read here: what is known may be old
        self.doubted = False  # it may be of a history that the store has lost
        self.refreshing = False
        self._recent: deque[LogEntry] = deque(maxlen=_RECENT)  # contiguous, the last one is the record's own
        self._pokes: set[Poke] = set()
        self._waking = False
        self.wanted = record.version  # the newest version that was heard of

    @contextlib.contextmanager
    def poke(self, poke: Poke) -> Iterator[None]:
        """Have a poke set whenever the record has changed."""
        self._pokes.add(poke)
        try:
            yield
        finally:
            self._pokes.discard(poke)

    @property
    def watched(self) -> bool:
        """Somebody is there."""
        return bool(self._pokes)

    def advance(self, record: Record, entries: list[LogEntry]) -> None:
        """Go on to a newer record; `entries` are those behind the present one, none if they cannot be read."""
        if record.version <= self.record.version:
            return
        self.record = record
        if self._recent and (not entries or entries[0].version != self._recent[-1].version + 1):
            self._recent.clear()  # what lies between was too much to be read, or cannot be
        self._recent.extend(entry for entry in entries if entry.version <= record.version)
        self.wake()

    def drop(self) -> None:
        """The match is no longer kept."""
        self.gone = True
        self.wake()

    def rewind(self) -> None:
        """The store is behind what was seen here, as after a failover that lost writes."""
        self.rewound = True
        self.wake()

    def wake(self) -> None:
        """Have everybody look, once for all that changes in this turn of the loop."""
        if self._pokes and not self._waking:
            self._waking = True
            asyncio.get_running_loop().call_soon(self._wake)

    def _wake(self) -> None:
        self._waking = False
        for poke in tuple(self._pokes):
            poke.set()

    def recent(self, sequence: int) -> list[LogEntry] | None:
        """The entries with events behind a sequence; None if they reach back further than what is in memory."""
        if sequence >= self.record.sequence:
            return []
        if not self._recent or self._recent[0].first > sequence:
            return None
        found = []
        for entry in reversed(self._recent):  # as a rule the last one is all that is wanted
            if entry.last <= sequence:
                break
            found.append(entry)
        return found[::-1]


class Hub:
    """All feeds of this process."""

    def __init__(self, store: MatchStore, time: ServerTime, heartbeat: int) -> None:
        self._store = store
        self._time = time
        self._heartbeat = heartbeat
        self._feeds: dict[str, Feed] = {}
        self._catching_up: set[asyncio.Task[None]] = set()
        self._committing: Counter[str] = Counter()  # changes of a match that this process has under way
        self.touch = Touch()
        self.closing = False  # this process is going down: whoever watches shall go elsewhere

    @property
    def watched(self) -> int:
        """How many matches are watched here."""
        return len(self._feeds)

    def close(self) -> None:
        """Send all watchers away."""
        self.closing = True
        for feed in self._feeds.values():
            feed.wake()

    @contextlib.asynccontextmanager
    async def feed(self, match: str, poke: Poke) -> AsyncIterator[Feed | None]:
        """A match's feed, which sets `poke` whenever it changes; None if there is no such match."""
        while True:
            feed = self._feeds.get(match)
            if feed is None:
                loaded = await self._store.load(match, None, self._time.now())
                if loaded is None:
                    yield None
                    return
                feed = self._feeds.setdefault(match, Feed(loaded.record))
            try:
                with feed.poke(poke):
                    # What was committed elsewhere while nobody here listened for it.
                    await self._refresh(match, feed)
                    if feed.rewound:
                        continue  # what it knew the store has lost
                    yield feed
                    return
            finally:
                if not feed.watched and self._feeds.get(match) is feed:
                    del self._feeds[match]

    async def entries(self, feed: Feed, record: Record, sequence: int, limit: int | None = None) -> list[LogEntry]:
        """Log entries up to a record of the feed, with events behind a sequence; `limit`: so many events will do."""
        found = feed.recent(sequence)
        if found is None:
            found = await self._store.entries_after(record, sequence, limit)
        return [entry for entry in found if entry.version <= record.version]

    async def has(self, feed: Feed, record: Record, sequence: int, mark: str) -> bool:
        """Whether an event of a number, up to a record of the feed, is the one with that mark; empty: it is."""
        if not mark or not sequence or (sequence, mark) == (record.sequence, record.mark):
            return True
        entries = await self.entries(feed, record, sequence - 1, 1)
        return any(entry.name == mark for entry in entries if entry.first < sequence <= entry.last)

    def commits(self, match: str) -> bool:
        """Whether this process is writing a change of a match."""
        return match in self._committing

    @contextlib.contextmanager
    def committing(self, match: str) -> Iterator[None]:
        """This process writes a change, and moves the feed on itself: the notice of it is not worth a look.

        What else was heard of meanwhile is looked at afterwards.
        """
        self._committing[match] += 1
        try:
            yield
        finally:
            self._committing[match] -= 1
            if not self._committing[match]:
                del self._committing[match]
            feed = self._feeds.get(match)
            if feed is not None and feed.record.version < feed.wanted:
                self._want(match, feed, feed.wanted)

    def advance(self, before: Record, record: Record, entry: LogEntry) -> None:
        """This process has just committed a change."""
        feed = self._feeds.get(record.id)
        if feed is None:
            return
        if feed.record.same(before):
            feed.advance(record, [entry])
        else:
            feed.doubted = feed.record.version >= record.version  # it was faster, or is of a history that is lost
            self._want(record.id, feed, record.version)

    # What a listener to notices hears.

    def changed(self, match: str, version: int, deadline: int | None) -> None:
        """A match was changed, by whichever process."""
        feed = self._feeds.get(match)
        if feed is not None and feed.record.version < version:
            if match in self._committing:
                feed.wanted = max(feed.wanted, version)
            else:
                self._want(match, feed, version)

    def noted(self, kind: str, player: str, value: str) -> None:
        """Of no use here."""

    async def lost_touch(self) -> None:
        """Notices may have been missed."""
        await self._compare()

    async def run(self) -> None:
        """Compare versions of all feeds every heartbeat, in case a notice was lost; and soon, while out of touch."""
        beat = self._heartbeat / 1000
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(_LOOK, beat)):
                    await self._store.answers_again.wait()
            self._store.answers_again.clear()
            if self.touch.fresh:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(max(0, beat - _LOOK)):
                        await self.touch.doubted.wait()
            await self._look(max(beat, _PATIENCE))

    async def _look(self, patience: float) -> None:
        """Compare, and note whether there was an answer; back in touch, everything is caught up with first."""
        self.touch.doubted.clear()
        losses = self.touch.losses
        try:
            async with asyncio.timeout(patience):
                await self._compare()
                if not self.touch.fresh and self._catching_up:
                    await asyncio.wait(self._catching_up)
        except (StoreUnavailable, TimeoutError) as gone:
            if self.touch.fresh:
                _log.warning("hub.out_of_touch", error=str(gone))
            self.touch.lose()
        except Exception as fault:  # one bad round must not end all later ones
            _log.exception("hub.compare", exc_info=fault)
        else:
            if self.touch.losses != losses:  # a read has failed meanwhile
                return
            if not self.touch.fresh:
                _log.info("hub.in_touch")
            self.touch.find()

    async def confirm(self, match: str, feed: Feed) -> None:
        """A feed is as the store has it; StoreUnavailable if that cannot be told."""
        await self._refresh(match, feed)

    async def _compare(self) -> None:
        feeds = dict(self._feeds)
        if not feeds:
            await self._store.versions([_NO_MATCH])
            return
        for (match, feed), version in zip(feeds.items(), await self._store.versions(list(feeds)), strict=True):
            if version is None:
                feed.drop()
            elif version[0] > feed.record.version:
                self._want(match, feed, version[0])
            elif feed.unread or version != (feed.record.version, feed.record.name):
                feed.doubted = True  # it has just moved on here, or the store has lost something
                self._want(match, feed, version[0])

    def _want(self, match: str, feed: Feed, version: int) -> None:
        feed.wanted = max(feed.wanted, version)
        if not feed.refreshing:
            feed.refreshing = True
            task = asyncio.get_running_loop().create_task(self._catch_up(match, feed), context=Context())
            self._catching_up.add(task)
            task.add_done_callback(self._catching_up.discard)

    async def _catch_up(self, match: str, feed: Feed) -> None:
        try:
            while (feed.doubted or feed.record.version < feed.wanted) and not feed.gone and not feed.rewound:
                await self._refresh(match, feed)
        except StoreUnavailable as gone:
            _log.warning("hub.unavailable", match=match, error=str(gone))
            self.touch.lose()
        except Exception as fault:  # tried again at the next change, and at each heartbeat
            if not feed.unread:
                _log.error("hub.unreadable", match=match, exc_info=fault)
                feed.unread = True
                feed.wake()
        finally:
            # In the same turn as the last look at `wanted`, so that no wish gets lost in between.
            feed.refreshing = False

    async def _refresh(self, match: str, feed: Feed) -> None:
        known, heard, feed.doubted = feed.record, feed.wanted, False
        loaded = await self._store.load(match, None, self._time.now())
        if loaded is None:
            feed.drop()
            return
        version = loaded.record.version
        behind = version > known.version
        if not (await self._store.comes_from(loaded.record, known) if behind else loaded.record.same(known)):
            if self._feeds.get(match) is feed:
                del self._feeds[match]
            feed.rewind()
            return
        if feed.wanted == heard:
            # What was heard of before the look and is not there was lost, or is of another life of the same id.
            feed.wanted = version
        if version > feed.record.version:
            try:
                entries = await self._store.entries(loaded.record, max(known.version, version - _RECENT))
            except Unreadable as problem:  # how the match stands the record tells
                self._store.log_unread({match: problem})
                entries = []
            # Somebody else may have moved the feed on in the meantime: only what continues it counts.
            feed.advance(loaded.record, [entry for entry in entries if entry.version > feed.record.version])
        if feed.unread:
            feed.unread = False
            feed.wake()
