"""The contract of the store: who leads a shard, and that a commit by a lead that is lost writes nothing."""

import asyncio
from dataclasses import replace
from random import Random

import pytest
from support.played import opened

from croupier_engine.registry import GAMES
from croupier_service.change import Change
from croupier_service.dealer import FairDealer
from croupier_service.errors import LeadLost
from croupier_service.log import LogEntry
from croupier_service.players import RandomNames
from croupier_service.store import keys
from croupier_service.store.opening import Store
from croupier_service.store.shards import Standing

LONG = 10_000_000


async def test_a_lease_has_one_holder(store: Store) -> None:
    shards, leases = range(8), store.leases
    one = await leases.lease("one", 10_000, shards)
    assert [(lead.shard, lead.token) for lead in one] == [(shard, 1) for shard in shards]
    assert await leases.lease("two", 10_000, shards) == []
    assert await leases.lease("one", 10_000, shards) == one, "the same lead, held for longer"
    await leases.release([replace(one[0], holder="two"), replace(one[1], token=2)])
    assert await leases.lease("two", 10_000, shards) == [], "one gives up only what one holds"
    await leases.release([one[0], one[3]])
    assert [(lead.shard, lead.token) for lead in await leases.lease("two", 50, shards)] == [(0, 2), (3, 2)]
    await asyncio.sleep(0.1)
    assert [lead.token for lead in await leases.lease("one", 10_000, shards)] == [3, 1, 1, 3, 1, 1, 1, 1]


async def test_everybody_knows_how_the_shards_are_led(store: Store) -> None:
    leases = store.leases
    assert await leases.keep("one", 10_000) == Standing(1, False, (), tuple(range(8)), None)
    held = await leases.lease("one", 10_000, [2, 5])
    assert await leases.keep("one", 200) == Standing(1, True, tuple(held), (0, 1, 3, 4, 6, 7), None)
    seen = await leases.keep("two", 10_000)
    assert (seen.members, seen.known, seen.leads, seen.free) == (2, False, (), (0, 1, 3, 4, 6, 7))
    assert seen.lapses is not None
    assert 0 < seen.lapses <= 200
    await asyncio.sleep(0.25)
    assert await leases.keep("two", 10_000) == Standing(1, True, (), tuple(range(8)), None)
    await leases.withdraw("two")
    assert (await leases.keep("three", 10_000)).members == 1


async def test_a_commit_by_a_lead_that_is_lost_writes_nothing(store: Store) -> None:
    record, _ = opened(GAMES["six_nimmt"], GAMES["six_nimmt"].options(), 2, Random(1))
    assert await store.matches.commit(None, record, LogEntry(record.version, 0, record.at, ()), LONG)
    shard = keys.shard_of(record.id, 8)
    (first,) = await store.leases.lease("one", 30, [shard])
    await asyncio.sleep(0.06)
    late = Change(record, FairDealer(), record.at + LONG, name=RandomNames().change())
    assert late.fire(0, 0)
    with pytest.raises(LeadLost):
        await store.matches.commit(record, late.record, late.entry, LONG, lead=first)
    (second,) = await store.leases.lease("two", 10_000, [shard])
    with pytest.raises(LeadLost):
        await store.matches.commit(record, late.record, late.entry, LONG, lead=first)
    with pytest.raises(LeadLost):
        await store.matches.commit(record, late.record, late.entry, LONG, lead=replace(second, token=1))
    loaded = await store.matches.load(record.id, None, 0)
    assert loaded is not None
    assert loaded.record == record
    assert await store.matches.commit(record, late.record, late.entry, LONG, lead=second)
