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
from croupier_service.store.shards import Lead, Members

LONG = 10_000_000


async def test_a_lead_has_one_holder(store: Store) -> None:
    leases = store.leases
    assert await leases.leads() == [None] * 8
    free = [(shard, None) for shard in range(8)]
    one = await leases.take("one", free)
    assert [(lead.shard, lead.token) for lead in one] == [(shard, 1) for shard in range(8)]
    assert await leases.leads() == one
    assert await leases.take("two", free) == [], "they are led by now"
    assert await leases.take("one", free) == one, "the same call, whose answer was lost"
    await leases.release([replace(one[0], holder="two"), replace(one[1], token=2)])
    assert await leases.leads() == one, "one gives up only what one holds"
    await leases.release([one[0], one[3]])
    assert [(lead.shard, lead.token) for lead in await leases.take("two", free)] == [(0, 2), (3, 2)]


async def test_who_takes_over_from_one_that_is_gone_is_the_only_one(store: Store) -> None:
    leases = store.leases
    one = await leases.take("one", [(shard, None) for shard in range(8)])
    gone = list(enumerate(one))
    assert [(lead.holder, lead.token) for lead in await leases.take("two", gone[:4])] == [("two", 2)] * 4
    assert [lead.shard for lead in await leases.take("three", gone)] == [4, 5, 6, 7]
    await leases.release(one)
    assert [isinstance(lead, Lead) and lead.holder for lead in await leases.leads()] == ["two"] * 4 + ["three"] * 4


async def test_everybody_knows_who_is_there(store: Store) -> None:
    leases = store.leases
    assert await leases.announce("one", 200) == Members(frozenset({"one"}), known=False, lapses=None)
    assert await leases.announce("one", 200) == Members(frozenset({"one"}), known=True, lapses=None)
    seen = await leases.announce("two", 10_000)
    assert (seen.names, seen.known) == (frozenset({"one", "two"}), False)
    assert seen.lapses is not None
    assert 0 < seen.lapses <= 200
    await asyncio.sleep(0.25)
    assert await leases.announce("two", 10_000) == Members(frozenset({"two"}), known=True, lapses=None)
    assert not (await leases.announce("one", 10_000)).known, "it was away for too long"
    await leases.withdraw("two")
    assert (await leases.announce("three", 10_000)).names == {"one", "three"}


async def test_a_commit_by_a_lead_that_is_lost_writes_nothing(store: Store) -> None:
    record, _ = opened(GAMES["six_nimmt"], GAMES["six_nimmt"].options(), 2, Random(1))
    assert await store.matches.commit(None, record, LogEntry(record.version, 0, record.at, ()), LONG)
    shard = keys.shard_of(record.id, 8)
    (first,) = await store.leases.take("one", [(shard, None)])
    await store.leases.release([first])
    late = Change(record, FairDealer(), record.at + LONG, name=RandomNames().change())
    assert late.fire(0, 0)
    with pytest.raises(LeadLost):
        await store.matches.commit(record, late.record, late.entry, LONG, lead=first)
    (second,) = await store.leases.take("two", [(shard, None)])
    with pytest.raises(LeadLost):
        await store.matches.commit(record, late.record, late.entry, LONG, lead=first)
    with pytest.raises(LeadLost):
        await store.matches.commit(record, late.record, late.entry, LONG, lead=replace(second, token=1))
    loaded = await store.matches.load(record.id, None, 0)
    assert loaded is not None
    assert loaded.record == record
    assert await store.matches.commit(record, late.record, late.entry, LONG, lead=second)
