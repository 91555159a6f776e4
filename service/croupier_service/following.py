"""What a viewer of a match is told, item by item, and where he stands in it."""

import asyncio
from typing import Protocol, TypeAlias

import msgspec

from croupier_engine.game import Seat
from croupier_service.hub import Feed, Hub
from croupier_service.log import LogEntry
from croupier_service.projection import EventView, MatchView, YouView, event_views, window_view, you_view
from croupier_service.record import Record
from croupier_service.touch import Touch

CHUNK = 100  # events that are read and sent at a time


class Snapshot(msgspec.Struct, frozen=True):
    """The whole match; `reason` says why on a resumed stream."""

    match: MatchView
    reason: str = ""


class Events(msgspec.Struct, frozen=True):
    """Events, in order, right behind those before."""

    events: tuple[EventView, ...]


class WindowChange(msgspec.Struct, frozen=True):
    """The viewer's own part after event `sequence`."""

    sequence: int
    you: YouView


class Beat(msgspec.Struct, frozen=True):
    """The stream lives and is up to event `sequence`; `stale`: out of touch with the store, there may be more."""

    sequence: int
    stale: bool = False


class End(msgspec.Struct, frozen=True):
    """Nothing more comes: OVER, ABANDONED, GO_AWAY; NOT_VISIBLE, EXPIRED if it is not there for the viewer any more."""

    reason: str
    sequence: int
    match: MatchView | None


Item: TypeAlias = Snapshot | Events | WindowChange | Beat | End


class Reader(Protocol):
    """Takes items as they come, without being waited for."""

    def ready(self) -> bool:
        """There is room for some."""

    def take(self, items: list[Item]) -> None:
        """Have them."""


class Place:
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
        events: tuple[EventView, ...] = ()
        for entry in entries:
            if len(events) < limit:
                # Of one entry it stays the very value that others get, too, which is encoded once.
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


class Ear:
    """Hears that a feed has moved on. A reader that is up to date is told at once; else his stream is woken."""

    def __init__(self, hub: Hub, reader: Reader | None) -> None:
        self._hub = hub
        self._reader = reader
        self.place: Place | None = None  # set while the stream has nothing to do but wait
        self.fault: Exception | None = None  # that the stream is to end with
        self.woken = asyncio.Event()

    def set(self) -> None:
        """There is something new."""
        try:
            told = self._told()
        except Exception as fault:  # the others are to be told all the same
            self.fault, told = fault, False
        if not told:
            self.woken.set()

    def _told(self) -> bool:
        reader, place = self._reader, self.place
        if reader is None or place is None or self.woken.is_set():
            return False
        feed, hub = place.feed, self._hub
        record = feed.record
        if feed.gone or feed.rewound or hub.closing or is_old(hub.touch, feed) or record.phase.done:
            return False
        if record.seat_of(place.player) is None or record.sequence > place.sequence + CHUNK or not reader.ready():
            return False
        entries = feed.recent(place.sequence)
        if entries is None:
            return False
        items = place.next(record, entries, CHUNK)
        if items:
            reader.take(items)
        return True


def is_old(touch: Touch, feed: Feed) -> bool:
    """Whether there may be more than what is known here."""
    return feed.unread or not touch.fresh
