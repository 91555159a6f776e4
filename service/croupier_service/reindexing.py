"""Rebuilding what is derived from the records, beside a service that runs."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from croupier_service import derived
from croupier_service.errors import Unreadable
from croupier_service.record import Record
from croupier_service.store.indexes import IndexStore, Place, PlayerList, ShardIndex, guard_value
from croupier_service.store.matches import MatchStore
from croupier_service.store.servertime import ServerTime

SHARD_INDEXES: tuple[ShardIndex, ...] = ("deadlines", "open", "guarded")
PLAYER_LISTS: tuple[PlayerList, ...] = ("live", "past", "hosting", "booked")
_BATCH = 100
T = TypeVar("T")
# Seconds. A seat or a table is listed before it is taken, and lists follow a change: what has not come to be after this
# is not coming.
_PATIENCE = 10.0


@dataclass(slots=True)
class Found:
    """Entries of an index. One with a wrong score is stale, and missing too."""

    right: int = 0
    missing: int = 0
    stale: int = 0

    @property
    def sound(self) -> bool:
        """Nothing had to be done."""
        return not self.missing and not self.stale


class Reindexing:
    """Compares every index with what follows from the records; with `write`, puts it right."""

    def __init__(
        self,
        store: MatchStore,
        indexes: IndexStore,
        time: ServerTime,
        *,
        write: bool,
        patience: float = _PATIENCE,
    ) -> None:
        self._store = store
        self._indexes = indexes
        self._time = time
        self._write = write
        self._patience = patience
        self.unread: dict[str, str] = {}  # ids of records that this version cannot read, and why
        self._missing: list[tuple[Place, Place]] = []  # as it should be and as it was at the first look
        self.found: dict[str, Found] = {name: Found() for name in (*SHARD_INDEXES, *PLAYER_LISTS)}

    async def run(self) -> dict[str, Found]:
        """All of it: first what the records want, then what no record wants."""
        seen: set[str] = set()
        async for ids in self._store.ids():
            fresh = [match for match in dict.fromkeys(ids) if match not in seen]
            seen.update(fresh)
            for part in _parts(fresh):
                await asyncio.gather(*(self._check(record) for record in await self._records(part)))
        for index in SHARD_INDEXES:
            async for matches in self._indexes.indexed(index):
                for part in _parts(matches):
                    versions = await self._store.versions(part)
                    gone = [match for match, version in zip(part, versions, strict=True) if version is None]
                    await asyncio.gather(*(self._entry(index, match, None, "") for match in gone))
        unwanted = list(dict.fromkeys([place async for place in self._unwanted()]))
        if self._missing or unwanted:
            # Lists follow their records a little later, or are ahead of them: only what stays so is different.
            await asyncio.sleep(self._patience)
            for pairs in _parts(self._missing):
                await self._look_again(pairs)
            for places in _parts(unwanted):
                kept = await self._indexes.scores(places)
                same = [place for place, now in zip(places, kept, strict=True) if now == place]
                for place in await self._not_wanted(same):
                    await self._remove(place)
        return self.found

    async def _records(self, matches: Sequence[str]) -> list[Record]:
        unread: dict[str, Unreadable] = {}
        found = await self._store.readable(matches, None, self._time.now(), unread)
        self.unread |= {match: problem.why for match, problem in unread.items()}
        return [loaded.record for loaded in found if loaded is not None]

    async def _check(self, record: Record) -> None:
        deadline, listed = record.next_deadline, derived.listed(record)
        await self._entry("deadlines", record.id, record, "" if deadline is None else str(deadline))
        await self._entry("open", record.id, record, "" if listed is None else str(listed))
        await self._entry("guarded", record.id, record, guard_value(record))
        wanted = [
            Place(name, player, record.id, score)
            for name in PLAYER_LISTS
            for player, score in self._wanted(name, record).items()
        ]
        for place, kept in zip(wanted, await self._indexes.scores(wanted), strict=True):
            if await self._right(place, kept):
                self.found[place.list].right += 1
            else:
                self._missing.append((place, kept))

    async def _right(self, place: Place, kept: Place) -> bool:
        return kept.score == place.score or (kept.score is None and await self._indexes.beyond(place))

    async def _look_again(self, pairs: Sequence[tuple[Place, Place]]) -> None:
        matches = list(dict.fromkeys(place.match for place, _ in pairs))
        records = {record.id: record for record in await self._records(matches)}
        now = await self._indexes.scores([place for place, _ in pairs])
        for (place, before), kept in zip(pairs, now, strict=True):
            record, found = records.get(place.match), self.found[place.list]
            if record is None or self._wanted(place.list, record).get(place.player) != place.score:
                continue  # the match has changed, and its entry with it
            if kept != before or await self._right(place, kept):
                found.right += 1  # somebody has placed it meanwhile
            elif await self._place(kept, place.score):
                found.missing += 1
                found.stale += kept.score is not None

    async def _place(self, seen: Place, score: int | None) -> bool:
        """Give an entry a score, or take it out, if it is still as it was seen; False if it is not.

        The match may change at the same moment, and its entry with it, in either order. So the record is asked again
        behind each write: if it has changed by then its newer version counts, and if it changes later it brings
        its entry along.
        """
        if not self._write:
            return True
        if not await self._indexes.place(seen, score):
            return False
        while True:
            placed = seen._replace(score=score)
            records = await self._records([seen.match])
            if seen.match in self.unread:
                return True
            score = self._wanted(seen.list, records[0]).get(seen.player) if records else None
            if score == placed.score or not await self._indexes.place(placed, score):
                return True

    async def _entry(self, index: ShardIndex, match: str, record: Record | None, value: str | bytes) -> None:
        """Compare an entry. Of a record that has changed meanwhile it was written together with the record."""
        answer = await self._indexes.check(index, match, record, value, write=self._write)
        found = self.found[index]
        found.right += answer == -1 or (answer == 0 and bool(value))
        found.missing += answer in (1, 3)
        found.stale += answer in (2, 3)

    def _wanted(self, name: PlayerList, record: Record) -> dict[str, int]:
        """In whose lists of that name the match belongs, and its score there."""
        match name:
            case "live":
                return derived.live(record)
            case "past":
                return derived.past(record)
            case "hosting":
                return {p: until for p, until in derived.hosting(record).items() if until > self._time.now()}
            case _:
                return dict.fromkeys(derived.booked(record), 0)

    async def _unwanted(self) -> AsyncIterator[Place]:
        for name in PLAYER_LISTS:
            async for places in self._indexes.listed(name):
                for part in _parts(places):
                    for place in await self._not_wanted(part):
                        yield place

    async def _not_wanted(self, places: Sequence[Place]) -> list[Place]:
        """Those that are there and that no record wants."""
        there = [place for place in dict.fromkeys(places) if place.score is not None]
        matches = list(dict.fromkeys(place.match for place in there))
        records = {record.id: record for record in await self._records(matches)} if matches else {}
        return [
            place
            for place in there
            if place.match not in self.unread  # what it wants is not known
            and (place.match not in records or place.player not in self._wanted(place.list, records[place.match]))
        ]

    async def _remove(self, place: Place) -> None:
        if await self._place(place, None):
            self.found[place.list].stale += 1


def _parts(items: Sequence[T]) -> Iterator[Sequence[T]]:
    return (items[begin : begin + _BATCH] for begin in range(0, len(items), _BATCH))
