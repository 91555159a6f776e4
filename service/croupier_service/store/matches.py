"""Records and logs of matches, committed together."""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any

import msgspec
import structlog

from croupier_engine.game import Seat
from croupier_service import derived, metrics
from croupier_service.errors import LeadLost, Unreadable
from croupier_service.log import LogEntry, decode_entry, encode_entry, name_of
from croupier_service.record import Chair, Record, Request
from croupier_service.store import packing, scripts
from croupier_service.store.keys import ALL_MATCHES, ShardKeys, match_of, shard_of
from croupier_service.store.pipe import Pipe
from croupier_service.store.shards import Lead
from croupier_service.store.unpacked import Log, UnpackedLogs
from croupier_service.stored import (
    decode_chairs,
    decode_requests,
    encode_requests,
    from_fields,
    guard_field,
    to_fields,
)

_log = structlog.get_logger()
_FIELDS = ("version", "name", "mark", "sequence", "at", "meta", "options", "seed", "deals", "state", "clock", "packed")
_NAMES = tuple(name.encode() for name in _FIELDS)
_END = ("packed", "log", "version", "sequence", "name")  # a packed log, and what it has to end with
_PACKED, _LATE = 2, 3  # what COMMIT answers where the log cannot say whether it was made before; and past its time
_FIRST = 1  # the version of the first log entry
_NONE = "0 "  # the stamp of a match that is not there
_PAGE = 64  # log entries read at a time when looking for an old cursor
_MANY = 512  # and where all are read, to be packed
_UNPACKED = (
    20_000  # log entries kept of packed logs that were read: two series of Durak, or a hundred matches of 6 nimmt!
)


class Loaded(msgspec.Struct, frozen=True):
    """A record, the caller's last requests, oldest first, and the players who are there."""

    record: Record
    requests: tuple[Request, ...]
    present: frozenset[str]


class Committed(msgspec.Struct, frozen=True):
    """A change was written. `present`: the players who were there then, if that was asked for."""

    present: frozenset[str] = frozenset()


class MatchStore:
    """Reads and commits matches. Times are server milliseconds."""

    def __init__(self, pipe: Pipe, shards: int) -> None:
        self._pipe = pipe
        self._shards = [ShardKeys(shard) for shard in range(shards)]
        self._logged: dict[str, int] = {}  # matches of which the log tells already, and what of them: see Unreadable
        self._unpacked_logs = UnpackedLogs(_UNPACKED)
        self._unpacking = asyncio.Lock()  # one at a time: who waits for it may want the same log

    @property
    def answers_again(self) -> asyncio.Event:
        """Set whenever the store has answered after a silence."""
        return self._pipe.silence.over

    def shard(self, match: str) -> int:
        """The shard that a match belongs to."""
        return shard_of(match, len(self._shards))

    def _keys(self, match: str) -> ShardKeys:
        return self._shards[self.shard(match)]

    async def load(self, match: str, player: str | None, now: int) -> Loaded | None:
        """A match and what is kept of one caller's requests; None if there is no such match. Unreadable."""
        unread: dict[str, Unreadable] = {}
        (found,) = await self.readable([match], player, now, unread)
        if unread:
            raise unread[match]
        return found

    async def readable(
        self, matches: Sequence[str], player: str | None, now: int, unread: dict[str, Unreadable]
    ) -> list[Loaded | None]:
        """Several matches at once, None for each that is not there or cannot be read; `unread` gets the latter."""
        commands: list[tuple[Any, ...]] = []
        for match in matches:
            keys = self._keys(match)
            commands.append(("HMGET", keys.match(match), *_FIELDS, f"r:{player}"))
            commands.append(("ZRANGEBYSCORE", keys.present(match), now, "+inf"))
        answers = await self._pipe.calls(*commands)
        found: list[Loaded | None] = []
        for match, values, present in zip(matches, answers[::2], answers[1::2], strict=True):
            try:
                with _reading(match):
                    found.append(_loaded(match, values, present))
            except Unreadable as problem:  # whatever is wrong with one, the others are read
                unread[match] = problem
                found.append(None)
            else:
                self._read(match, 0)
        return found

    def log_unread(self, unread: Mapping[str, Unreadable]) -> None:
        """Have the log tell of matches that cannot be read, of each once, until it can be."""
        for match in unread.keys() - self._logged.keys():
            self._logged[match] = unread[match].version
            _log.error("match.unreadable", match=match, exc_info=unread[match])

    def _read(self, match: str, version: int) -> None:
        """This can be read. Where a log entry cannot, it does not count that the record can."""
        if self._logged.get(match) == version:
            del self._logged[match]

    async def ids(self) -> AsyncIterator[list[str]]:
        """Every match there is, some at a time, in no order; one may come twice."""
        async for names in self._pipe.scan(ALL_MATCHES, "hash"):
            yield [match for name in names if (match := match_of(name)) is not None]

    async def versions(self, matches: Sequence[str]) -> list[tuple[int, str] | None]:
        """Version and name of the last change of several matches at once, None for each that is not there."""
        answers = await self._pipe.calls(
            *(("HMGET", self._keys(match).match(match), "version", "name") for match in matches)
        )
        return [None if version is None else (int(version), (name or b"").decode()) for version, name in answers]

    async def commit(
        self,
        before: Record | None,
        after: Record,
        entry: LogEntry,
        retention: int,
        request: tuple[str, tuple[Request, ...]] | None = None,
        lead: Lead | None = None,
        latest: int | None = None,
        present: int | None = None,
    ) -> Committed | None:
        """Write a change if the store is still at `before`: record, log entry, deadline, listing, notice.

        `request`: a caller and its requests to keep. `lead`: written only while this holds; LeadLost if not.
        `latest`: the time by which it has to be written, if at all. `present`: now, if it is to say who is there.
        None: somebody was faster, or it is later than that; load again and apply again.
        """
        keys = self._keys(after.id)
        fields = to_fields(after, before)
        if request is not None:
            fields[f"r:{request[0]}"] = encode_requests(request[1])
        deadline = after.next_deadline
        listed = derived.listed(after)
        notice = msgspec.json.encode((after.id, after.version, deadline))
        answer = await self._pipe.script(
            scripts.COMMIT,
            [
                keys.match(after.id),
                keys.log(after.id),
                keys.deadlines,
                keys.open,
                keys.channel,
                keys.leader,
                keys.guarded,
                keys.present(after.id),
            ],
            after.id,
            before.stamp if before is not None else _NONE,
            after.version,
            encode_entry(after.game, entry),
            "" if deadline is None else deadline,
            "" if listed is None else listed,
            retention if after.phase.done else "",
            notice,
            after.name,
            "" if lead is None else lead.stored,
            guard_field(after, before),
            "" if latest is None else latest,
            "" if present is None else present,
            *chain.from_iterable(fields.items()),
        )
        game = after.meta.game
        done, there = (1, _players(answer)) if isinstance(answer, list) else (int(answer), frozenset[str]())
        if done < 0:
            raise LeadLost
        if done == _PACKED:
            # The same commit, sent again so late that the match was over and its log packed in between?
            done = any(
                kept.version == after.version and kept.name == after.name for kept in await self._unpacked(after)
            )
        if done == _LATE:
            return None
        if not done:
            metrics.lost_race(game)
            return None
        ended = after.phase.done and (before is None or not before.phase.done)
        metrics.committed(game, opened=before is None, ended=after.phase.value if ended else "")
        return Committed(there)

    async def settled(self, match: str) -> None:
        """Whatever is kept of a match is as durable as a commit of now would be; StoreUnavailable if it is not."""
        await self._pipe.settled(self._keys(match).match(match))

    async def entries(self, record: Record, after_version: int) -> list[LogEntry]:
        """The log entries behind a version, up to the record's own."""
        if after_version >= record.version:
            return []
        if not record.packed and (found := await self._logged_entries(record, after_version + 1, record.version)):
            return found
        return [entry for entry in await self._unpacked(record) if after_version < entry.version <= record.version]

    async def comes_from(self, record: Record, before: Record) -> bool:
        """Whether a record goes on from an earlier one: its log has the same change as that version."""
        if not before.name:
            return True  # there is nothing to tell it by
        if not record.packed:
            place = before.version - 1
            kept = await self._pipe.call("LRANGE", self._keys(record.id).log(record.id), place, place)
            if kept:
                return bool(name_of(kept[0]) == before.name)
        return any(
            (entry.version, entry.name) == (before.version, before.name) for entry in await self._unpacked(record)
        )

    async def _logged_entries(self, record: Record, first: int, last: int) -> list[LogEntry]:
        """The entries of these versions; nothing once the log is packed."""
        kept = await self._pipe.call("LRANGE", self._keys(record.id).log(record.id), first - 1, last - 1)
        return [self._entry(record, first + place, data) for place, data in enumerate(kept)]

    def _entry(self, record: Record, version: int, data: bytes) -> LogEntry:
        with _reading(record.id, version):
            entry = decode_entry(record.game, version, data)
        self._read(record.id, version)
        return entry

    async def entries_after(self, record: Record, sequence: int, limit: int | None = None) -> list[LogEntry]:
        """The log entries with events behind a sequence, up to the record's version; an older one may come first.

        `limit`: it will do if they hold so many events behind it.
        """
        found = None if record.packed else await self._listed_after(record, sequence, limit)
        if found is None:
            kept = await self._unpacked(record)
            found = [entry for entry in kept if entry.version <= record.version and entry.last > sequence]
            if limit is not None:
                found = [entry for entry in found if entry.first < sequence + limit]
        return found

    async def _listed_after(self, record: Record, sequence: int, limit: int | None) -> list[LogEntry] | None:
        """The same from the list; None if that is gone, or goes in between."""
        found = await self._logged_entries(record, max(1, record.version - _PAGE + 1), record.version)
        if not found:
            return None
        if found[0].first <= sequence:
            return found
        version = await self._version_at(record, sequence, found[0].version)
        found = []
        while not found or (
            found[-1].version < record.version and (limit is None or found[-1].last < sequence + limit)
        ):
            page = await self._logged_entries(record, version, min(version + _PAGE - 1, record.version))
            if not page:
                return None
            found += page
            version = found[-1].version + 1
        return found

    async def _version_at(self, record: Record, sequence: int, above: int) -> int:
        """The newest version below `above` at which no event behind the sequence had happened before its own."""
        low, high = 1, above - 1
        while low < high:
            middle = (low + high + 1) // 2
            page = await self._logged_entries(record, middle, middle)
            if page and page[0].first <= sequence:
                low = middle
            else:
                high = middle - 1
        return low

    async def pack(self, record: Record) -> bool:
        """Pack the log of a match that is done into one value; False if that was done already."""
        assert record.phase.done, "a log that grows is not packed"
        keys = self._keys(record.id)
        entries: list[LogEntry] = []
        while page := await self._logged_entries(record, len(entries) + 1, len(entries) + _MANY):
            entries += page
        return bool(
            await self._pipe.script(
                scripts.PACK,
                [keys.match(record.id), keys.log(record.id), keys.deadlines],
                record.id,
                record.stamp,
                len(entries),
                packing.FORM,
                await packing.pack(record, entries),
            )
        )

    async def _unpacked(self, record: Record) -> Log:
        """The packed log; nothing if there is none. Unreadable, also if the rules do not lead to the end it had."""
        if known := self._unpacked_logs.get(record.id, record.name):
            return known
        form, packed, *end = await self._pipe.call("HMGET", self._keys(record.id).match(record.id), *_END)
        if packed is None:
            return ()
        version, sequence, name = int(end[0]), int(end[1]), (end[2] or b"").decode()
        async with self._unpacking:
            if known := self._unpacked_logs.get(record.id, name):
                return known
            with _reading(record.id, _FIRST):
                log = tuple(await packing.unpack(record, int(form), packed))
                last = log[-1]
                if (last.version, last.last, last.name) != (version, sequence, name):
                    raise ValueError(f"its log is played again to {last.last} at {last.version}, and was not so before")
        self._unpacked_logs.keep(record.id, log)
        self._read(record.id, _FIRST)
        return log

    async def count_illegal(self, match: str, seat: Seat, window: str) -> int:
        """Count one more illegal action of a seat in a window, and say how many that makes."""
        keys = self._keys(match)
        return int(await self._pipe.script(scripts.COUNT_ILLEGAL, [keys.match(match)], f"illegal:{seat}", window))

    async def set_present(self, match: str, stream: str, until: int) -> None:
        """A player is there, known until that time; `stream` is his id, and of a stream a space and its own name."""
        await self._pipe.script(scripts.PRESENT, [self._keys(match).present(match)], stream, until)

    async def set_absent(self, match: str, stream: str, now: int) -> bool:
        """The stream is closed; whether nothing else of its player is known any more."""
        key = self._keys(match).present(match)
        _, left = await self._pipe.calls(("ZREM", key, stream), ("ZRANGEBYSCORE", key, now, "+inf"))
        return stream.split(" ")[0] not in _players(left)

    async def guarded(self, shards: Collection[int]) -> list[tuple[str, tuple[Chair, ...] | None]]:
        """The matches of these shards that run and where bots may stand in, with their chairs; None: unreadable."""
        answers = await self._pipe.calls(*(("HGETALL", self._shards[shard].guarded) for shard in shards))
        return [(match.decode(), _chairs(match.decode(), kept)) for answer in answers for match, kept in answer.items()]

    async def unguard(self, match: str) -> None:
        """The match is not kept any more."""
        keys = self._keys(match)
        await self._pipe.call("HDEL", keys.guarded, match)

    async def present(self, matches: Sequence[str], now: int) -> list[frozenset[str]]:
        """The players who are there, match by match."""
        answers = await self._pipe.calls(
            *(("ZRANGEBYSCORE", self._keys(match).present(match), now, "+inf") for match in matches)
        )
        return [_players(answer) for answer in answers]

    async def open_matches(self, limit: int) -> list[tuple[int, str]]:
        """Open public matches as (creation, id), the newest first, `limit` of each shard at most."""
        answers = await self._pipe.calls(
            *(("ZREVRANGE", shard.open, 0, limit - 1, "WITHSCORES") for shard in self._shards)
        )
        return sorted(((int(score), match.decode()) for shard in answers for match, score in shard), reverse=True)


@contextmanager
def _reading(match: str, version: int = 0) -> Iterator[None]:
    """Whatever is wrong with what is stored of a match, it is Unreadable."""
    try:
        yield
    except Exception as problem:
        raise Unreadable(match, problem, version) from problem


def _loaded(match: str, values: list[bytes | None], present: list[bytes]) -> Loaded | None:
    fields = {name: value for name, value in zip(_NAMES, values, strict=False) if value is not None}
    if b"version" not in fields:
        return None
    return Loaded(
        from_fields(match, fields),
        decode_requests(values[len(_NAMES)]),
        _players(present),
    )


def _chairs(match: str, kept: bytes) -> tuple[Chair, ...] | None:
    with suppress(Unreadable), _reading(match):
        return decode_chairs(kept)
    return None


def _players(present: list[bytes]) -> frozenset[str]:
    return frozenset(stream.decode().split(" ")[0] for stream in present)
