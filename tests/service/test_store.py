"""The contract of the store: what is committed is there, whole, once; whatever else happens nothing is half done."""

import asyncio

import pytest
from msgspec import structs

from croupier_engine.clock import Limits
from croupier_engine.six_nimmt.model import Commit, Options
from croupier_service.change import Change
from croupier_service.dealer import FairDealer
from croupier_service.errors import StoreUnavailable
from croupier_service.lifecycle import Created
from croupier_service.players import RandomNames
from croupier_service.record import Chair, Meta, Phase, Record, Request, StandInTerms, short
from croupier_service.store import keys
from croupier_service.store.opening import Store, StoreUnfit, open_store

SEED = bytes(range(32))
LONG = 10_000_000


def opened(match: str = "m-1", *, public: bool = True) -> Record:
    meta = Meta(
        game="six_nimmt",
        rules_version=1,
        preset="single_deal",
        public=public,
        join_code="",
        host="p-a",
        creator="p-a",
        fingerprint="f",
        phase=Phase.OPEN,
        seats=(Chair(), Chair()),
        limits=Limits(1000),
        deal_scheme=1,
        created_at=50,
        expires_at=5_000,
    )
    return Record(id=match, version=0, sequence=0, at=50, meta=meta, options=Options(), seed=SEED)


def change(record: Record, at: int = 100) -> Change:
    return Change(record, FairDealer(), at, name=RandomNames().change())


def create(match: str = "m-1", *, public: bool = True) -> Change:
    made = change(opened(match, public=public))
    made.tell(Created("p-a"))
    made.sit("p-a", "Ann")
    return made


async def committed(store: Store, made: Change, *, first: bool = False) -> Record:
    assert await store.matches.commit(None if first else made.before, made.record, made.entry, LONG)
    return made.record


async def running(store: Store, match: str = "m-1") -> Record:
    record = await committed(store, create(match), first=True)
    joined = change(record)
    joined.sit("p-b", "Bob")
    joined.start_if_full()
    return await committed(store, joined)


async def test_what_is_committed_is_read_back_whole(store: Store) -> None:
    record = await running(store)
    loaded = await store.matches.load("m-1", "p-a", 0)
    assert loaded is not None
    assert loaded.record == record
    assert loaded.requests == ()
    assert await store.matches.load("m-2", "p-a", 0) is None


async def test_the_log_is_read_back_whole(store: Store) -> None:
    first = create()
    record = await committed(store, first, first=True)
    second = change(record)
    second.sit("p-b", "Bob")
    second.start_if_full()
    record = await committed(store, second)
    third = change(record)
    third.act(0, Commit(record.game.choices(record.state, 0)[0].card))  # type: ignore[index]
    record = await committed(store, third)
    entries = [first.entry, second.entry, third.entry]
    assert await store.matches.entries(record, 0) == entries
    assert await store.matches.entries(record, 2) == entries[2:]
    assert [entry.version for entry in entries] == [1, 2, 3]
    numbers = [number for entry in entries for number, _ in entry.numbered()]
    assert numbers == list(range(1, record.sequence + 1))


async def test_entries_behind_a_cursor_are_found_however_far_back(store: Store) -> None:
    record = await committed(store, create(), first=True)
    for turn in range(150):
        step = change(record)
        if turn % 2:
            step.leave("p-b")
        else:
            step.sit("p-b", "Bob")
        record = await committed(store, step)
    for cursor in (0, 1, 75, record.sequence - 1, record.sequence):
        found = [
            number
            for entry in await store.matches.entries_after(record, cursor)
            for number, _ in entry.numbered()
            if number > cursor
        ]
        assert found == list(range(cursor + 1, record.sequence + 1))
    some = await store.matches.entries_after(record, 3, limit=5)
    assert some[0].first <= 3
    assert 8 <= some[-1].last < record.sequence, "no more is read than was asked for"


async def test_c7_of_two_changes_to_one_version_one_is_kept(store: Store) -> None:
    record = await running(store)
    first, second = change(record), change(record)
    first.resign(0)
    second.resign(1)
    results = await asyncio.gather(*(store.matches.commit(c.before, c.record, c.entry, LONG) for c in (first, second)))
    assert [result is not None for result in results] == [True, False]
    loaded = await store.matches.load("m-1", None, 0)
    assert loaded is not None
    assert loaded.record == first.record
    assert (await store.matches.entries(loaded.record, record.version)) == [first.entry]


async def test_a_commit_that_is_sent_twice_was_made_once(store: Store) -> None:
    """As when the answer to the first got lost: it is not somebody else who was faster."""
    made = create()
    kept: list[tuple[object, ...]] = []
    script = store.pipe.script

    async def twice(*arguments: object) -> object:
        kept.append(arguments)
        await script(*arguments)  # type: ignore[arg-type]
        return await script(*arguments)  # type: ignore[arg-type]

    store.pipe.script = twice  # type: ignore[method-assign, assignment]
    try:
        record = await committed(store, made, first=True)
    finally:
        store.pipe.script = script  # type: ignore[method-assign]
    assert len(kept) == 1
    assert await store.matches.entries(record, 0) == [made.entry]


async def test_create_is_create_if_absent(store: Store) -> None:
    await committed(store, create(), first=True)
    again = create()
    assert not await store.matches.commit(None, again.record, again.entry, LONG)


async def test_deadline_and_listing_follow_the_record(store: Store) -> None:
    shards = list(range(store.shards))
    await committed(store, create(), first=True)
    await committed(store, create("m-2", public=False), first=True)
    assert await store.matches.open_matches(10) == [(50, "m-1")]
    assert sorted(await store.leases.due(shards, LONG)) == [(5_000, "m-1"), (5_000, "m-2")]
    loaded = await store.matches.load("m-1", None, 0)
    assert loaded is not None
    joined = change(loaded.record)
    joined.sit("p-b", "Bob")
    joined.start_if_full()
    record = await committed(store, joined)
    assert await store.matches.open_matches(10) == []
    assert (1_100, "m-1") in await store.leases.due(shards, LONG)
    done = change(record)
    done.resign(0)
    await committed(store, done)
    assert sorted(await store.leases.due(shards, LONG)) == [(5_000, "m-2"), (120_100, "m-1")], "its log is to be packed"


async def test_a_finished_match_goes_after_its_retention(store: Store) -> None:
    record = await running(store)
    done = change(record)
    done.resign(0)
    assert await store.matches.commit(record, done.record, done.entry, 30)
    assert await store.matches.load("m-1", None, 0) is not None
    async with asyncio.timeout(5):
        while await store.matches.load("m-1", None, 0) is not None:
            await asyncio.sleep(0.01)
    assert await store.matches.versions(["m-1"]) == [None]
    assert await store.matches.count_illegal("m-1", 0, "w") == 0, "counting makes no half a record"
    assert await store.matches.load("m-1", None, 0) is None


async def test_requests_are_kept_with_the_change(store: Store) -> None:
    record = await committed(store, create(), first=True)
    joined = change(record)
    joined.sit("p-b", "Bob")
    requests = (Request(short("r"), short("f"), 2, 3),)
    assert await store.matches.commit(record, joined.record, joined.entry, LONG, ("p-b", requests))
    loaded = await store.matches.readable(["m-1", "m-1"], "p-b", 0, {})
    assert [one and one.requests for one in loaded] == [requests, requests]
    other = await store.matches.load("m-1", "p-a", 0)
    assert other is not None
    assert other.requests == ()


async def test_illegal_actions_are_counted_by_window_and_seat(store: Store) -> None:
    await running(store)
    count = store.matches.count_illegal
    assert [await count("m-1", 0, "w1"), await count("m-1", 0, "w1"), await count("m-1", 1, "w1")] == [1, 2, 1]
    assert [await count("m-1", 0, "w 2"), await count("m-1", 0, "w 2")] == [1, 2]


async def test_chairs_are_kept_beside_a_match_where_bots_may_stand_in(store: Store) -> None:
    shard = keys.shard_of("m-1", store.shards)
    await running(store, "m-2")
    before = opened()
    made = change(structs.replace(before, meta=structs.replace(before.meta, stand_in=StandInTerms("careful", 1_000))))
    made.sit("p-a", "Ann")
    record = await committed(store, made, first=True)
    assert not await store.matches.guarded([shard])
    joined = change(record)
    joined.sit("p-b", "Bob")
    joined.start_if_full()
    record = await committed(store, joined)
    assert await store.matches.guarded([shard]) == [("m-1", record.meta.seats)]
    missed = change(record)
    missed.miss(1)
    record = await committed(store, missed)
    ((_, chairs),) = await store.matches.guarded(range(store.shards))
    assert chairs is not None
    assert chairs[1].absent_until == record.at + 1_000
    over = change(record)
    over.resign(0)
    record = await committed(store, over)
    assert record.phase.done
    assert not await store.matches.guarded(range(store.shards))


async def test_presence_is_of_players_and_lapses(store: Store) -> None:
    await running(store)
    for stream in ("p-b one", "p-b two", "p-a one"):
        await store.matches.set_present("m-1", stream, LONG * LONG)
    assert await store.matches.set_absent("m-1", "p-a one", 100)
    assert not await store.matches.set_absent("m-1", "p-b one", 100)
    loaded = await store.matches.load("m-1", None, 100)
    assert loaded is not None
    assert loaded.present == {"p-b"}, "one of his two streams is open still"
    later = await store.matches.load("m-1", None, LONG * LONG + 1)
    assert later is not None
    assert later.present == frozenset()


async def test_a_commit_says_who_is_there(store: Store) -> None:
    record = await running(store)
    until = LONG * LONG
    await store.matches.set_present("m-1", "p-b one", until)
    left = change(record)
    left.resign(0)
    for _ in range(2):  # once more, as when its answer was lost
        done = await store.matches.commit(record, left.record, left.entry, LONG, present=until - 1)
        assert done is not None
        assert done.present == {"p-b"}
    done = await store.matches.commit(record, left.record, left.entry, LONG, present=until + 1)
    assert done is not None
    assert not done.present


async def test_the_number_of_shards_is_fixed_at_the_first_start(store: Store, url: str) -> None:
    other = await open_store(url, 64)
    assert other.shards == store.shards == 8
    await other.close()


def test_a_match_keeps_its_shard() -> None:
    assert [keys.shard_of(f"m-{i}", 64) for i in range(4)] == [keys.shard_of(f"m-{i}", 64) for i in range(4)]
    assert len({keys.shard_of(f"m-{i}", 64) for i in range(2000)}) == 64


async def test_scripts_come_back_after_the_server_forgot_them(store: Store) -> None:
    await committed(store, create(), first=True)
    await store.pipe.everywhere("SCRIPT", "FLUSH")
    await committed(store, create("m-2"), first=True)


async def test_commands_of_one_turn_leave_together_and_each_has_its_own_answer(store: Store) -> None:
    before = int((await store.pipe.call("INFO", "stats"))["total_commands_processed"])
    answers = await asyncio.gather(*(store.pipe.call("ECHO", str(n)) for n in range(50)))
    assert [int(answer) for answer in answers] == list(range(50))
    after = int((await store.pipe.call("INFO", "stats"))["total_commands_processed"])
    assert after - before >= 50


async def test_a_store_that_is_not_there_is_said_to_be_so(tmp_path: object) -> None:
    with pytest.raises(StoreUnfit, match="cannot be reached"):
        await open_store(f"unix://{tmp_path}/nobody.sock", 8)
    with pytest.raises(StoreUnfit, match=r"redis://127\.0\.0\.1:1 cannot"):
        await open_store("redis://:secret@127.0.0.1:1", 8)


@pytest.mark.parametrize(
    "foreign",
    [("SET", "many"), ("SET", "0"), ("SET", "1025"), ("SET", "9" * 60), ("SET", "+8"), ("SET", ""), ("RPUSH", "8")],
)
async def test_a_number_of_shards_that_is_none_is_refused(redis_url: str, foreign: tuple[str, str]) -> None:
    store = await open_store(redis_url, 8)
    await store.pipe.call("DEL", keys.SHARDS)
    await store.pipe.call(foreign[0], keys.SHARDS, foreign[1])
    for shards in (8, None):
        with pytest.raises(StoreUnfit, match="croupier:shards that is no number of shards from 1 to 1024"):
            await open_store(redis_url, shards)
    assert await store.pipe.call("TYPE", keys.SHARDS) in (b"string", b"list"), "it is left as it was"
    await store.close()


async def test_a_store_that_may_forget_is_refused(store: Store, url: str) -> None:
    await store.pipe.everywhere("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    try:
        with pytest.raises(StoreUnfit, match="noeviction"):
            await open_store(url, 8)
    finally:
        await store.pipe.everywhere("CONFIG", "SET", "maxmemory-policy", "noeviction")


async def test_a_full_store_is_unavailable_not_broken(store: Store) -> None:
    await store.pipe.everywhere("CONFIG", "SET", "maxmemory", "1")
    try:
        with pytest.raises(StoreUnavailable):
            await committed(store, create(), first=True)
    finally:
        await store.pipe.everywhere("CONFIG", "SET", "maxmemory", "0")
    assert await store.matches.load("m-1", None, 0) is None


def test_changed_fields_alone_are_written() -> None:
    from croupier_service.stored import from_fields, to_fields

    record = structs.replace(opened(), version=1)
    whole = to_fields(record, None)
    assert {"seed", "meta", "options", "deals"} <= set(whole)
    later = structs.replace(record, version=2, sequence=5)
    assert set(to_fields(later, record)) == {"version", "name", "sequence", "at"}
    merged = {name.encode(): value for name, value in {**whole, **to_fields(later, record)}.items()}
    assert from_fields("m-1", merged) == later
