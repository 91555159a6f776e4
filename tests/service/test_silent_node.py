"""A node of a cluster that does not answer: the shards that are elsewhere are led, fired and looked at as ever."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from support.away import terms
from support.service import channel, guest, running_service
from support.tables import seated

from croupier_service import absence
from croupier_service.clock import Deadlines
from croupier_service.errors import StoreUnavailable
from croupier_service.store.keys import ShardKeys, shard_of
from croupier_service.store.opening import Store, open_store
from croupier_service.store.pipe import Pipe
from croupier_service.store.servertime import ServerTime
from croupier_service.store.shards import Lead

SHARDS = 32
OUT = shard_of("m-1", SHARDS)  # where the silent node's match is
LONG = 60_000  # ms: no test waits for such a lease to lapse


class Silence:
    """What the node that does not answer has: the keys of some shards. The others, and the members, are elsewhere."""

    def __init__(self, pipe: Pipe) -> None:
        self.shards: set[int] = set()
        self.reads = False  # it answers those
        self._client_for = pipe._topology.client_for
        pipe._topology.client_for = self.client_for  # type: ignore[method-assign]

    def client_for(self, command: Sequence[Any]) -> Any:
        if not (self.reads and command[0] == "GET") and any(
            f"{{s{shard}}}" in str(part) for shard in self.shards for part in command
        ):
            raise StoreUnavailable("Redis does not answer")
        return self._client_for(command)


@dataclass
class Rig:
    store: Store
    silence: Silence
    fired: list[str]

    def deadlines(self, name: str) -> Deadlines:
        async def fire(match: str, turn_grace: int, timer_grace: int, lead: Lead) -> int | None:
            self.fired.append(match)
            return None

        return Deadlines(
            self.store.leases,
            ServerTime(self.store.pipe),
            fire,
            replica=name,
            count=SHARDS,
            lease=LONG,
            turn_grace=0,
            timer_grace=0,
        )


@pytest.fixture
async def rig(redis_url: str) -> AsyncIterator[Rig]:
    store = await open_store(redis_url, SHARDS)
    yield Rig(store, Silence(store.pipe), [])
    await store.close()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.01)


async def test_deadlines_that_are_elsewhere_are_found(rig: Rig) -> None:
    one = rig.deadlines("one")
    await one._lead()
    matches = [f"m-{number}" for number in range(1, 60)]
    for match in matches:
        await rig.store.pipe.call("ZADD", ShardKeys(shard_of(match, SHARDS)).deadlines, 1, match)
    rig.silence.shards = {OUT, 0}
    with pytest.raises(StoreUnavailable):
        await one._sweep(sorted(one.led))
    assert set(one._latest) == {match for match in matches if shard_of(match, SHARDS) not in (OUT, 0)}


async def test_leads_that_are_elsewhere_are_taken_over_and_those_that_cannot_be_read_stay(rig: Rig) -> None:
    one, two = rig.deadlines("one"), rig.deadlines("two")
    await two._lead()
    await one._lead()
    await two._shards.stir("one")
    two._stirred.set()
    await two._lead()
    one._stirred.set()
    await one._lead()
    assert (one.leads, two.leads) == (16, 16)
    mine, others = next(iter(one.led)), next(iter(two.led))
    kept = one._leads[mine]
    rig.silence.shards = {mine, others}
    await rig.store.leases.withdraw("two")
    with pytest.raises(StoreUnavailable):
        await one._lead()
    assert set(one.led) == set(range(SHARDS)) - {others}
    assert one._leads[mine] == kept
    rig.silence.shards = set()
    await one._lead()
    assert one.leads == SHARDS, "it has looked again by itself"
    rig.silence.shards = set(range(SHARDS))
    one._stirred.set()
    with pytest.raises(StoreUnavailable):
        await one._lead()
    assert one.leads == SHARDS, "nothing is given up for that"


async def test_what_a_node_takes_no_writes_for_is_left_and_the_rest_is_taken(rig: Rig) -> None:
    one = rig.deadlines("one")
    rig.silence.shards, rig.silence.reads = {3, 5}, True
    with pytest.raises(StoreUnavailable):
        await one._lead()
    assert set(one.led) == set(range(SHARDS)) - {3, 5}
    rig.silence.shards = set()
    await one._lead()
    assert one.leads == SHARDS


async def test_whoever_is_away_elsewhere_is_missed(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(absence, "_FULL", 1)  # the silent shards are asked each time
    async with running_service(redis_url) as service, channel(service) as over:
        await until(lambda: service.deadlines.leads > 0)
        onlooker = await guest(over, "Eve")
        _, match = await seated([over], 2, stand_in=terms(20_000))
        silence = Silence(service._store.pipe)
        shard = service._store.matches.shard(match)
        silence.shards = {other for other in service.deadlines.led if other != shard}
        async with asyncio.timeout(20):
            while not (await onlooker.get(match)).seats[0].HasField("stand_in_time"):
                await asyncio.sleep(0.05)
