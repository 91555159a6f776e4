"""A player's home feed: how each of his matches stands, and which of them has changed.

It is derived from the records alone. A cursor holds what its owner was told last, so any replica can go on from it, and
nothing is lost or told twice.
"""

import asyncio
import base64
import binascii
import json
import re
import zlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from croupier_engine.game import Outcome, Seat
from croupier_service.errors import Refused, StoreUnavailable, Unreadable
from croupier_service.hub import Feed, Hub
from croupier_service.players import Caller
from croupier_service.projection import window_view
from croupier_service.record import Phase, Record
from croupier_service.store.matches import MatchStore
from croupier_service.store.players import PlayerStore
from croupier_service.store.servertime import ServerTime
from croupier_service.touch import Touch

# Of a player, those that ask him and the newest: a feed is for an app, not for a bot that sits at a thousand tables,
# and a cursor that names them all has to fit into a request line.
_MATCHES = 100
_CURSOR_BYTES = 65_536  # unpacked
_MATCH = re.compile(r"[a-z0-9][a-z0-9-]{3,62}")


class Standing(StrEnum):
    """How a match stands for one of its players."""

    SEATED = "SEATED"
    WAITING = "WAITING"
    YOUR_TURN = "YOUR_TURN"
    OVER = "OVER"
    GONE = "GONE"


@dataclass(frozen=True, slots=True)
class MatchStanding:
    """A match as its player's feed tells it. `deadline`: server ms."""

    standing: Standing
    match: str
    game: str
    phase: Phase
    sequence: int
    seat: Seat | None
    window: str | None = None
    deadline: int | None = None
    outcome: Outcome | None = None

    @property
    def mark(self) -> int:
        """A number that changes when there is something to tell."""
        return zlib.crc32(f"{self.standing} {self.window} {self.deadline}".encode())

    @property
    def final(self) -> bool:
        """Nothing will be told of it again."""
        return self.standing in (Standing.OVER, Standing.GONE)


@dataclass(frozen=True, slots=True)
class News:
    """Matches that have changed, those that ask first; `whole`: all of them, changed or not; `stale`: see NoNews."""

    standings: list[MatchStanding]
    cursors: list[str]  # behind each
    cursor: str  # behind all
    whole: bool = False
    stale: bool = False


@dataclass(frozen=True, slots=True)
class NoNews:
    """The feed lives; `stale`: the store cannot be reached or read, there may be news."""

    cursor: str
    stale: bool = False


@dataclass(frozen=True, slots=True)
class NoMoreNews:
    """This process is going down; go on elsewhere."""

    cursor: str


Item: TypeAlias = News | NoNews | NoMoreNews


def gone(match: str) -> MatchStanding:
    """A match that is not there for the player: nothing is told of it, not even whether it ever was."""
    return MatchStanding(Standing.GONE, match, "", Phase.ABANDONED, 0, None)


def standing(record: Record, player: str) -> MatchStanding:
    """How a match stands for a player."""
    seat = record.seat_of(player)
    if seat is None:
        return gone(record.id)
    common = (record.id, record.meta.game, record.phase, record.sequence, seat)
    if record.phase is Phase.ABANDONED:
        return MatchStanding(Standing.GONE, *common)
    match record.phase:
        case Phase.OPEN:
            return MatchStanding(Standing.SEATED, *common)
        case Phase.OVER:
            return MatchStanding(Standing.OVER, *common, outcome=record.meta.outcome)
    window = window_view(record, seat)
    if window is None or seat not in window.must:
        return MatchStanding(Standing.WAITING, *common)
    return MatchStanding(Standing.YOUR_TURN, *common, window=window.id, deadline=window.deadline)


class Home:
    """All home feeds of this process."""

    def __init__(self, store: MatchStore, players: PlayerStore, hub: Hub, time: ServerTime, heartbeat: int) -> None:
        self._store = store
        self._players = players
        self._time = time
        self._hub = hub
        self._heartbeat = heartbeat
        self._watchers: dict[str, set[_Watcher]] = {}  # by player

    # What a listener to notices hears.

    def changed(self, match: str, version: int, deadline: int | None) -> None:
        """Of no use here: the matches' feeds tell."""

    def noted(self, kind: str, player: str, value: str) -> None:
        """A player was seated."""
        if kind == "SEATED":
            for watcher in self._watchers.get(player, ()):
                watcher.look_again()

    async def lost_touch(self) -> None:
        """Every feed looks again at its next heartbeat."""

    async def page(self, caller: Caller, after: str, wait: float) -> News:
        """What is new behind a cursor, or how everything stands without one; waits up to `wait` seconds for news."""
        async with aclosing(self.watch(caller, after)) as items:
            first = await anext(items)
            assert isinstance(first, News), "a feed begins with what there is"
            if first.standings or first.whole or not wait:
                return first
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    async for item in items:
                        if isinstance(item, News):
                            return item
                        # A match that cannot be read is no reason not to wait for news of the others.
                        if isinstance(item, NoMoreNews) or not self._hub.touch.fresh:
                            break
            await self._players.live(caller.player)  # whether there is nothing new is for the store to say
            return first

    async def watch(self, caller: Caller, after: str) -> AsyncGenerator[Item, None]:
        """First what there is, then what changes. FEED_CURSOR_INVALID for a cursor that no feed made."""
        marks = _marks(after)
        watcher = _Watcher(caller.player, dict(marks or {}))
        whole = marks is None
        touch, stale = self._hub.touch, False
        # Beats keep to their own time, as those of a match do: see watching.py.
        beat = asyncio.get_running_loop().time() + self._heartbeat / 1000
        self._watchers.setdefault(caller.player, set()).add(watcher)
        try:
            with touch.poke(watcher.poke):
                first = True
                while True:
                    watcher.poke.clear()
                    if watcher.look and (first or touch.fresh):
                        watcher.look = False
                        try:
                            await self._attach(watcher)
                        except StoreUnavailable:
                            if first:
                                raise
                            watcher.look = True
                            touch.lose()
                    news = watcher.news()
                    if news or first:
                        yield _tell(news, watcher.told, whole=whole and first, stale=watcher.old(touch))
                        for each in news:
                            if each.final:
                                await watcher.detach(each.match)
                        first = False
                    if self._hub.closing or any(feed.rewound for _, feed in watcher.feeds.values()):
                        yield NoMoreNews(_cursor(watcher.told))
                        return
                    if watcher.old(touch) is stale:
                        with suppress(TimeoutError):
                            async with asyncio.timeout_at(beat):
                                await watcher.poke.wait()
                    due = asyncio.get_running_loop().time() >= beat
                    if due or watcher.old(touch) is not stale:
                        if due:
                            beat += self._heartbeat / 1000
                        stale = watcher.old(touch)
                        watcher.look = True  # a note may have been lost
                        yield NoNews(_cursor(watcher.told), stale)
        finally:
            self._watchers[caller.player].discard(watcher)
            if not self._watchers[caller.player]:
                del self._watchers[caller.player]
            for match in list(watcher.feeds):
                await watcher.detach(match)

    async def _attach(self, watcher: "_Watcher") -> None:
        """Follow the player's own matches, those that ask him first and then the newest; and those he was told of."""
        live = [match for _, match in await self._players.live(watcher.player)]
        unknown = [match for match in dict.fromkeys([*watcher.told, *live]) if match not in watcher.feeds]
        unread: dict[str, Unreadable] = {}
        loaded = await self._store.readable(unknown, None, self._time.now(), unread) if unknown else []
        found = [
            standing(kept.record, watcher.player)
            for kept in loaded
            # A cursor may name any match: one that is not his is as good as none.
            if kept is not None and kept.record.seat_of(watcher.player) is not None
        ]
        # Who was never told of it need not hear that it is done or gone.
        found = [each for each in found if each.match in watcher.told or not each.final]
        found.sort(key=lambda each: (each.match not in watcher.told, each.standing is not Standing.YOUR_TURN))
        # What he was told of keeps its place in his cursor while it cannot be read.
        taken = len(watcher.feeds) + len(unread.keys() & watcher.told.keys())
        for each in found[: max(0, _MATCHES - taken)]:
            own = AsyncExitStack()
            try:
                feed = await own.enter_async_context(self._hub.feed(each.match, watcher.poke))
            except Unreadable as problem:  # only just now
                unread[each.match] = problem
                continue
            if feed is None:
                await own.aclose()
            else:
                watcher.feeds[each.match] = (own, feed)
        watcher.unread = frozenset(unread)
        self._store.log_unread(unread)


class _Watcher:
    """One feed that is open."""

    def __init__(self, player: str, told: dict[str, int]) -> None:
        self.player = player
        self.told = told  # match -> mark of what was told last
        self.feeds: dict[str, tuple[AsyncExitStack, Feed]] = {}
        self.unread: frozenset[str] = frozenset()  # of these nothing is told, until they can be read
        self.poke = asyncio.Event()
        self.look = True  # there may be a match to be followed that is not

    def old(self, touch: Touch) -> bool:
        """Whether there may be more than what is known here."""
        return not touch.fresh or bool(self.unread) or any(feed.unread for _, feed in self.feeds.values())

    def look_again(self) -> None:
        """A match may have been added."""
        self.look = True
        self.poke.set()

    async def detach(self, match: str) -> None:
        """Follow a match no more."""
        if match in self.feeds:
            own, _ = self.feeds.pop(match)
            await own.aclose()

    def news(self) -> list[MatchStanding]:
        """What differs from what was told, those that ask first."""
        standings = [
            gone(match) if feed.gone else standing(feed.record, self.player) for match, (_, feed) in self.feeds.items()
        ]
        standings += [gone(match) for match in self.told if match not in self.feeds and match not in self.unread]
        news = [each for each in standings if self.told.get(each.match) != each.mark]
        return sorted(news, key=lambda each: (each.standing is not Standing.YOUR_TURN, each.deadline or 0, each.match))


def _tell(standings: list[MatchStanding], told: dict[str, int], *, whole: bool, stale: bool) -> News:
    """Note what is told, and make the cursor behind each."""
    cursors = []
    for each in standings:
        if each.final:
            told.pop(each.match, None)
        else:
            told[each.match] = each.mark
        cursors.append(_cursor(told))
    return News(standings, cursors, _cursor(told), whole, stale)


def _cursor(told: Mapping[str, int]) -> str:
    packed = zlib.compress(json.dumps(told, separators=(",", ":")).encode())
    return base64.urlsafe_b64encode(packed).decode()


def _marks(cursor: str) -> dict[str, int] | None:
    if not cursor:
        return None
    try:
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(base64.b64decode(cursor.encode(), altchars=b"-_", validate=True), _CURSOR_BYTES)
        told = json.loads(text)
    except (ValueError, zlib.error, binascii.Error, RecursionError):
        raise Refused("FEED_CURSOR_INVALID") from None
    sound = (
        isinstance(told, dict) and unpacker.eof and all(_MATCH.fullmatch(m) and type(v) is int for m, v in told.items())
    )
    if not sound or len(told) > _MATCHES:
        raise Refused("FEED_CURSOR_INVALID")
    return dict(told)
