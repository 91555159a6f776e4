"""What is derived from records, entry by entry: looked at, and put right unless somebody else did in between."""

from collections.abc import AsyncIterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from croupier_service.record import Record
from croupier_service.store import keys, scripts
from croupier_service.store.keys import ShardKeys, shard_of
from croupier_service.store.pipe import Pipe
from croupier_service.store.players import PAST_KEPT
from croupier_service.stored import guard_field

ShardIndex: TypeAlias = Literal["deadlines", "open", "guarded"]
PlayerList: TypeAlias = Literal["live", "past", "hosting", "booked"]

_LISTS = {"live": keys.live, "past": keys.past, "hosting": keys.hosting}


class Place(NamedTuple):
    """An entry of a player's list. Scores are as the store writes them; None: it is not there."""

    list: PlayerList
    player: str
    match: str
    score: int | None


class IndexStore:
    """Reads and repairs indexes."""

    def __init__(self, pipe: Pipe, shards: int) -> None:
        self._pipe = pipe
        self._shards = [ShardKeys(shard) for shard in range(shards)]

    async def check(
        self, index: ShardIndex, match: str, record: Record | None, value: str | bytes, *, write: bool
    ) -> int:
        """Compare an entry with the value that belongs there, empty for none, and put it right with `write`.

        0: right; 1: missing; 2: stale; 3: another value; -1: the record is not the one any more that was read.
        """
        stamp, packed = ("0 ", False) if record is None else (record.stamp, record.packed)
        shard = self._shards[shard_of(match, len(self._shards))]
        kind = "hash" if index == "guarded" else "zset"
        where = [shard.match(match), getattr(shard, index)]
        return int(
            await self._pipe.script(
                scripts.REPAIR, where, match, stamp, value, kind, *("1" if each else "" for each in (write, packed))
            )
        )

    async def indexed(self, index: ShardIndex) -> AsyncIterator[list[str]]:
        """The matches that an index has, shard by shard."""
        for shard in self._shards:
            command = ("HKEYS", shard.guarded) if index == "guarded" else ("ZRANGE", getattr(shard, index), 0, -1)
            yield [match.decode() for match in await self._pipe.call(*command)]

    async def scores(self, places: Sequence[Place]) -> list[Place]:
        """The entries as they are."""
        asked = [(*_where(place), place) for place in places]
        answers = await self._pipe.calls(*(("ZSCORE", key, member) for key, member, _ in asked))
        return [
            place._replace(score=None if score is None else int(float(score)))
            for place, score in zip(places, answers, strict=True)
        ]

    async def beyond(self, place: Place) -> bool:
        """Whether a player's past is full of newer ones."""
        if place.list != "past" or place.score is None:
            return False
        key, _ = _where(place)
        oldest = await self._pipe.call("ZREVRANGE", key, PAST_KEPT - 1, PAST_KEPT - 1, "WITHSCORES")
        return bool(oldest) and (place.score, place.match) < (int(float(oldest[0][1])), oldest[0][0].decode())

    async def place(self, seen: Place, score: int | None) -> bool:
        """Give an entry a score, or take it out, if it is still as it was seen."""
        key, member = _where(seen)
        most, lapses = PAST_KEPT if seen.list == "past" else "", "1" if seen.list == "hosting" else ""
        old, new = ("" if each is None else each for each in (seen.score, score))
        return bool(await self._pipe.script(scripts.PLACE, [key], member, old, new, most, lapses))

    async def listed(self, name: PlayerList) -> AsyncIterator[list[Place]]:
        """All entries of all players' lists of that name, some at a time; one may come twice."""
        if name == "booked":
            members = [member.decode() for member in await self._pipe.call("ZRANGE", keys.BOOKED, 0, -1)]
            yield [Place(name, player, match, 0) for player, match in (member.split("|", 1) for member in members)]
            return
        async for found in self._pipe.scan(_LISTS[name]("*"), "zset"):
            entries = await self._pipe.calls(*(("ZRANGE", key, 0, -1, "WITHSCORES") for key in found))
            yield [
                Place(name, key.split(":")[2], match.decode(), int(float(score)))
                for key, inside in zip(found, entries, strict=True)
                for match, score in inside
            ]


def guard_value(record: Record) -> bytes:
    """What stands in `guarded`; empty if nothing does."""
    value = guard_field(record, None)
    return b"" if value == b"-" else value


def _where(place: Place) -> tuple[str, str]:
    if place.list == "booked":
        return keys.BOOKED, f"{place.player}|{place.match}"
    return _LISTS[place.list](place.player), place.match
