"""A player's home feed: how each of his matches stands, and which of them has changed.

It is derived from the records alone. A cursor holds what its owner was told last, so any replica can go on from it, and
nothing is lost or told twice.
"""

import asyncio
import base64
import binascii
import json
import zlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from croupier_engine.game import Outcome, Seat
from croupier_service.errors import Refused
from croupier_service.hub import Feed, Hub
from croupier_service.players import Caller
from croupier_service.projection import window_view
from croupier_service.record import Phase, Record
from croupier_service.store.players import PlayerStore

# Of a player, the newest: a feed is for an app, not for a bot that sits at a thousand tables, and a cursor that names
# them all has to fit into a request line.
_MATCHES = 100
_CURSOR_BYTES = 65_536  # unpacked


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
    """Matches that have changed, those that ask first; `whole`: all of them, changed or not."""

    standings: list[MatchStanding]
    cursors: list[str]  # behind each
    cursor: str  # behind all
    whole: bool = False


@dataclass(frozen=True, slots=True)
class NoNews:
    """The feed lives."""

    cursor: str


@dataclass(frozen=True, slots=True)
class NoMoreNews:
    """This process is going down; go on elsewhere."""

    cursor: str


Item: TypeAlias = News | NoNews | NoMoreNews


def standing(record: Record, player: str) -> MatchStanding:
    """How a match stands for a player."""
    seat = record.seat_of(player)
    common = (record.id, record.meta.game, record.phase, record.sequence, seat)
    if seat is None or record.phase is Phase.ABANDONED:
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

    def __init__(self, players: PlayerStore, hub: Hub, heartbeat: int) -> None:
        self._players = players
        self._hub = hub
        self._heartbeat = heartbeat
        self._pokes: dict[str, set[asyncio.Event]] = {}  # by player

    # What a listener to notices hears.

    def changed(self, match: str, version: int, deadline: int | None) -> None:
        """Of no use here: the matches' feeds tell."""

    def noted(self, kind: str, player: str, value: str) -> None:
        """A player was seated."""
        if kind == "SEATED":
            for poke in self._pokes.get(player, ()):
                poke.set()

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
                        if isinstance(item, NoMoreNews):
                            break
            return first

    async def watch(self, caller: Caller, after: str) -> AsyncGenerator[Item, None]:
        """First what there is, then what changes. FEED_CURSOR_INVALID for a cursor that no feed made."""
        marks = _marks(after)
        whole, told = marks is None, dict(marks or {})
        poke = asyncio.Event()
        # Beats keep to their own time, as those of a match do: see watching.py.
        beat = asyncio.get_running_loop().time() + self._heartbeat / 1000
        self._pokes.setdefault(caller.player, set()).add(poke)
        try:
            async with AsyncExitStack() as stack:
                feeds: dict[str, tuple[AsyncExitStack, Feed]] = {}
                first = True
                while True:
                    poke.clear()
                    await self._attach(caller.player, told, feeds, poke, stack)
                    news = self._news(caller.player, feeds, told)
                    for gone in [match for match in told if match not in feeds]:
                        news.append(MatchStanding(Standing.GONE, gone, "", Phase.ABANDONED, 0, None))
                    if news or first:
                        yield _tell(news, told, whole=whole and first)
                        for each in news:
                            if each.final and each.match in feeds:
                                await feeds.pop(each.match)[0].aclose()
                        first = False
                    if self._hub.closing or any(feed.rewound for _, feed in feeds.values()):
                        yield NoMoreNews(_cursor(told))
                        return
                    with suppress(TimeoutError):
                        async with asyncio.timeout_at(beat):
                            await poke.wait()
                    if asyncio.get_running_loop().time() >= beat:
                        beat += self._heartbeat / 1000
                        yield NoNews(_cursor(told))
        finally:
            self._pokes[caller.player].discard(poke)
            if not self._pokes[caller.player]:
                del self._pokes[caller.player]

    async def _attach(
        self,
        player: str,
        told: dict[str, int],
        feeds: dict[str, tuple[AsyncExitStack, Feed]],
        poke: asyncio.Event,
        stack: AsyncExitStack,
    ) -> None:
        """Follow every match that the player may sit in, and those that he was told of and that may be done."""
        live = [match for _, match in (await self._players.live(player))[:_MATCHES]]
        for match in [match for match in told if match not in live][_MATCHES - len(live) :]:
            del told[match]  # there are so many newer ones that this one is not told of any more
            if match in feeds:
                await feeds.pop(match)[0].aclose()
        for match in dict.fromkeys([*live, *told]):
            if match in feeds:
                continue
            own = AsyncExitStack()
            feed = await own.enter_async_context(self._hub.feed(match, poke))
            # Who was never told of it need not hear that it is done or gone.
            if feed is None or (match not in told and standing(feed.record, player).final):
                await own.aclose()
                continue
            feeds[match] = (own, feed)
            stack.push_async_exit(own)

    def _news(
        self, player: str, feeds: Mapping[str, tuple[AsyncExitStack, Feed]], told: Mapping[str, int]
    ) -> list[MatchStanding]:
        standings = [
            MatchStanding(Standing.GONE, match, feed.record.meta.game, feed.record.phase, feed.record.sequence, None)
            if feed.gone
            else standing(feed.record, player)
            for match, (_, feed) in feeds.items()
        ]
        news = [each for each in standings if told.get(each.match) != each.mark]
        return sorted(news, key=lambda each: (each.standing is not Standing.YOUR_TURN, each.deadline or 0, each.match))


def _tell(standings: list[MatchStanding], told: dict[str, int], *, whole: bool) -> News:
    """Note what is told, and make the cursor behind each."""
    cursors = []
    for each in standings:
        if each.final:
            told.pop(each.match, None)
        else:
            told[each.match] = each.mark
        cursors.append(_cursor(told))
    return News(standings, cursors, _cursor(told), whole)


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
    sound = isinstance(told, dict) and all(isinstance(mark, int) for mark in told.values()) and unpacker.eof
    if not sound or len(told) > _MATCHES:
        raise Refused("FEED_CURSOR_INVALID")
    return {str(match): mark for match, mark in told.items()}
