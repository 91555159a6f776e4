"""The log of a match that is done becomes one value, and nobody who reads notices; in the end nothing is left of it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from random import Random

import grpc.aio
import pytest
from msgspec import structs
from support.match_stream import watching
from support.played import opened
from support.service import QUICK, Client, channel, guest, reason, running_service
from support.tables import seated

from croupier.v1 import matches_pb2
from croupier_engine.game import Command, Step
from croupier_engine.registry import GAMES
from croupier_engine.six_nimmt.game import SixNimmt
from croupier_engine.six_nimmt.model import Action, EndMode, Options, State
from croupier_service.change import Change
from croupier_service.dealer import FairDealer
from croupier_service.embedded import EmbeddedRedis
from croupier_service.log import LogEntry
from croupier_service.players import RandomNames
from croupier_service.record import Phase, Record
from croupier_service.store import packing
from croupier_service.store.opening import Store, open_store
from croupier_service.store.unpacked import Log, UnpackedLogs

LONG = 10_000_000
GAME = GAMES["six_nimmt"]


@pytest.fixture
async def store(redis_url: str) -> AsyncIterator[Store]:
    opened_store = await open_store(redis_url, 8)
    yield opened_store
    await opened_store.close()


async def played(store: Store, seats: int = 3, seed: int = 5) -> tuple[Record, list[LogEntry]]:
    """A match that was played to its end, and its log."""
    dice = Random(seed)
    record, _ = opened(GAME, Options(end_mode=EndMode.FIXED_DEALS, deals=2), seats, dice)
    fresh = Change(structs.replace(record, version=0, sequence=0), FairDealer(), record.at, name=RandomNames().change())
    fresh.tell(*())
    log: list[LogEntry] = []
    before: Record | None = None
    change = fresh
    while True:
        assert await store.matches.commit(before, change.record, change.entry, LONG)
        before = change.record
        log.append(change.entry)
        if before.phase is not Phase.RUNNING:
            return before, log
        assert before.awaiting is not None
        change = Change(before, FairDealer(), before.at + 10, name=RandomNames().change())
        seat = dice.choice(before.awaiting.must)
        change.act(seat, dice.choice(list(GAME.choices(before.state, seat) or ())))


async def test_a_packed_log_reads_like_the_list(store: Store) -> None:
    stale, log = await played(store)
    assert len(log) > 64, "more than one page"
    assert await store.matches.pack(stale)
    loaded = await store.matches.load(stale.id, None, 0)
    assert loaded is not None
    packed = loaded.record
    assert packed == structs.replace(stale, packed=True)
    assert (stale.next_deadline, packed.next_deadline) == (stale.at + 120_000, None)
    for record in (packed, stale):  # one that was read before does as well
        assert await store.matches.entries(record, 0) == log
        assert await store.matches.entries(record, log[-2].version) == log[-1:]
        assert await store.matches.entries(record, record.version) == []
        for cursor in (0, 1, log[3].first, record.sequence - 1, record.sequence):
            found = await store.matches.entries_after(record, cursor)
            numbers = [number for entry in found for number, _ in entry.numbered() if number > cursor]
            assert numbers == list(range(cursor + 1, record.sequence + 1))
        some = await store.matches.entries_after(record, 3, limit=5)
        assert some[0].first <= 3
        assert 8 <= some[-1].last < record.sequence
    assert not await store.matches.pack(packed), "the second time there is nothing to do"
    assert await store.matches.entries(packed, 0) == log


async def test_a_log_that_is_packed_while_it_is_read_is_read_whole(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = store.pipe.call
    for reads in range(1, 9):
        record, _ = await played(store)
        left = reads

        async def counted(*command: object) -> object:
            nonlocal left
            if command[0] == "LRANGE":
                left -= 1
                if left == 0:
                    monkeypatch.setattr(store.pipe, "call", call)
                    await store.matches.pack(record)  # noqa: B023
            return await call(*command)

        monkeypatch.setattr(store.pipe, "call", counted)
        found = await store.matches.entries_after(record, 2)
        numbers = [number for entry in found for number, _ in entry.numbered() if number > 2]
        assert numbers == list(range(3, record.sequence + 1)), reads
        monkeypatch.setattr(store.pipe, "call", call)
        assert left <= 0 or reads > 5, "it was packed in between"
        await store.pipe.call("FLUSHALL")


async def test_a_commit_sent_again_after_its_log_was_packed_was_made_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, _ = await played(store)
    before = structs.replace(record, version=record.version, packed=False)
    sent: list[tuple[object, ...]] = []
    script = store.pipe.script

    async def noted(*arguments: object) -> object:
        sent.append(arguments)
        answer = await script(*arguments)  # type: ignore[arg-type]
        if len(sent) == 1:
            await store.matches.pack(record)
            return await script(*arguments)  # type: ignore[arg-type]
        return answer

    await store.pipe.call("FLUSHALL")
    first = Change(structs.replace(before, version=0, sequence=0), FairDealer(), before.at, name=RandomNames().change())
    first.tell(*())
    record = first.record
    monkeypatch.setattr(store.pipe, "script", noted)
    assert await store.matches.commit(None, record, first.entry, LONG)
    assert len(sent) == 2, "the commit, and the packing in between"
    other = Change(structs.replace(before, version=0, sequence=0), FairDealer(), before.at, name=RandomNames().change())
    assert not await store.matches.commit(None, other.record, other.entry, LONG), "another's is another's"


async def test_a_packed_log_is_played_again_once_for_all_its_readers(store: Store) -> None:
    stale, log = await played(store)
    other, _ = await played(store, seed=6)
    for record in (stale, other):
        assert await store.matches.pack(record)
    first, *others = await asyncio.gather(*(store.matches.entries_after(stale, 0) for _ in range(3)))
    others += [await store.matches.entries_after(stale, cursor) for cursor in range(0, stale.sequence, 20)]
    assert first == log[1:], "its first entry tells nothing"
    # Whoever reads has the very same entries, and no others that are equal to them.
    assert all(found[-1] is first[-1] for found in others)
    assert (await store.matches.entries(other, 0))[-1].name == other.name


def kept_logs(sizes: dict[str, int]) -> dict[str, Log]:
    return {match: tuple(LogEntry(1 + i, i, 0, (), f"{match}-{i}") for i in range(n)) for match, n in sizes.items()}


def test_unpacked_logs_are_kept_up_to_a_number_of_entries() -> None:
    logs = kept_logs({"a": 4, "b": 4, "c": 4, "long": 30})
    kept = UnpackedLogs(10)

    def known() -> list[str]:
        return [match for match, log in logs.items() if kept.get(match, log[-1].name) is log]

    kept.keep("a", logs["a"])
    kept.keep("b", logs["b"])
    assert kept.get("a", "a-2") is None, "another end is another log"
    assert kept.get("a", "a-3") is logs["a"], "wanted last"
    kept.keep("c", logs["c"])
    assert known() == ["a", "c"]
    kept.keep("long", logs["long"])
    assert known() == ["long"], "one that is longer is kept alone"
    kept.keep("b", logs["b"])
    assert known() == ["b"]
    kept.keep("c", logs["c"])
    assert known() == ["b", "c"]
    kept.keep("b", tuple(structs.replace(entry, name="") for entry in logs["b"]))
    assert kept.get("b", "") is None


async def test_a_form_that_is_not_known_is_said_to_be_so() -> None:
    record, _ = opened(GAME, Options(), 2, Random(1))
    with pytest.raises(ValueError, match="form 9"):
        await packing.unpack(record, 9, await packing.pack(record, []))


async def played_out(over: grpc.aio.Channel) -> tuple[list[Client], str]:
    """The players of a match that is over, and the match."""
    players, match = await seated([over], 2, preset="single_deal")
    while (view := await players[0].get(match)).state == matches_pb2.MatchState.RUNNING:
        for player in players:
            view = await player.get(match)
            if view.you.window.choices:
                await player.choose(view)
    return players, match


async def seen(player: Client, match: str) -> tuple[list[int], bytes]:
    """The numbers of all events, read page by page, and the replay."""
    numbers: list[int] = []
    while True:
        request = matches_pb2.ListEventsRequest(match=match, after=numbers[-1] if numbers else 0)
        page = await player.matches.ListEvents(request, metadata=player.auth)
        if not page.events:
            break
        numbers += [event.sequence for event in page.events]
    replay = await player.matches.GetReplay(matches_pb2.GetReplayRequest(match=match), metadata=player.auth)
    return numbers, replay.SerializeToString(deterministic=True)


async def packed_now(store: Store, match: str) -> None:
    async with asyncio.timeout(20):
        while True:
            loaded = await store.matches.load(match, None, 0)
            if loaded is None or loaded.record.packed:
                return
            await asyncio.sleep(0.02)


async def test_the_leader_packs_and_readers_see_the_same(redis_url: str) -> None:
    settings = replace(QUICK, compact_after=1_500)
    store = await open_store(redis_url, 64)
    async with running_service(redis_url, settings=settings) as service, channel(service) as over:
        players, match = await played_out(over)
        before = await seen(players[0], match)
        await packed_now(store, match)
        loaded = await store.matches.load(match, None, 0)
        assert loaded is not None
        assert await seen(players[1], match) == before
        request = matches_pb2.WatchMatchRequest(match=match, after=3)
        streamed = [
            item.event.sequence
            async for item in players[1].matches.WatchMatch(request, metadata=players[1].auth)
            if item.WhichOneof("message") == "event"
        ]
        assert streamed == [number for number in before[0] if number > 3]
        shard = list(range(store.shards))
        assert await store.leases.due(shard, LONG * LONG) == [], "nothing is left for the clock to do"
    await store.close()


async def test_a_log_that_the_rules_by_now_play_otherwise_is_not_told(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(QUICK, compact_after=100)
    store = await open_store(redis_url, 64)
    async with running_service(redis_url, settings=settings) as service, channel(service) as over:
        (ann, _), match = await played_out(over)
        await packed_now(store, match)
        view = await ann.get(match)
        apply = SixNimmt.apply

        def tersely(self: SixNimmt, state: State, command: Command[Action]) -> Step[State]:
            step = apply(self, state, command)
            return Step(step.state, step.events[:1])

        with monkeypatch.context() as changed:
            changed.setattr(SixNimmt, "apply", tersely)
            page = ann.matches.ListEvents(matches_pb2.ListEventsRequest(match=match, after=3), metadata=ann.auth)
            assert await reason(page) == "MATCH_UNREADABLE"
            replay = ann.matches.GetReplay(matches_pb2.GetReplayRequest(match=match), metadata=ann.auth)
            assert await reason(replay) == "MATCH_UNREADABLE"
            async with watching(ann, match, 3) as stream:
                snapshot = (await stream.next()).snapshot
                assert (snapshot.reason, snapshot.match.sequence) == ("EVENTS_UNREADABLE", view.sequence)
        assert (await seen(ann, match))[0] == list(range(1, view.sequence + 1)), "by its own rules it is read"
    await store.close()


async def keys_of(store: Store, *matches: str) -> dict[str, int]:
    """Every key that names one of these, with the ms it has to live; -1 for ever."""
    found = [key.decode() for key in await store.pipe.call("KEYS", "*")]
    named = [key for key in found if any(match in key for match in matches) or ":creation:" in key]
    return dict(zip(named, await store.pipe.calls(*(("PTTL", key) for key in named)), strict=True))


@pytest.mark.parametrize("compact_after", [200, 60_000])
async def test_nothing_is_left_of_a_match_whose_time_is_up(redis_server: EmbeddedRedis, compact_after: int) -> None:
    redis_server.flush()
    settings = replace(QUICK, compact_after=compact_after, retention=3_000, open_ttl=1_000)
    store = await open_store(redis_server.url, 64)
    async with running_service(redis_server.url, settings=settings) as service, channel(service) as over:
        players, over_now = await seated([over], 2)
        ann = players[0]
        streams = [
            player.matches.WatchMatch(matches_pb2.WatchMatchRequest(match=over_now), metadata=player.auth)
            for player in players
        ]
        for stream in streams:
            await stream.read()  # who watches is present
        await ann.matches.Resign(matches_pb2.ResignRequest(match=over_now), metadata=ann.auth)
        unfilled = (await ann.create(3)).id
        async with asyncio.timeout(30):
            while (await ann.get(unfilled)).state != matches_pb2.MatchState.ABANDONED:
                await asyncio.sleep(0.05)
            kept = await keys_of(store, over_now, unfilled)
            assert kept, "they are kept for a while"
            assert -1 not in kept.values(), f"these would stay for ever: {kept}"
            while await keys_of(store, over_now, unfilled):
                await asyncio.sleep(0.05)
        late = await guest(over)
        again = await late.create(2)
        assert again.state == matches_pb2.MatchState.OPEN
    await store.close()
