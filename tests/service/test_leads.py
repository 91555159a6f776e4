"""Who leads the shards: a fair share each, taken over when somebody is gone, and nothing by whoever lost his."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from croupier_service.clock import Deadlines
from croupier_service.errors import LeadLost
from croupier_service.store.keys import shard_of
from croupier_service.store.opening import Store, open_store
from croupier_service.store.servertime import ServerTime
from croupier_service.store.shards import Lead, ShardStore

SHARDS = 16
LONG = 60_000  # ms: no test waits for such a lease to lapse


@pytest.fixture
async def store(redis_url: str) -> AsyncIterator[Store]:
    opened = await open_store(redis_url, SHARDS)
    yield opened
    await opened.close()


class Firing:
    """Stands for the matches: notes by which lead each was fired, once its shard is led so."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.fired: list[tuple[str, Lead]] = []

    async def fire(self, match: str, turn_grace: int, timer_grace: int, lead: Lead) -> int | None:
        """As `Acting.fire` does, with the leader key in place of the commit."""
        held = await self._store.pipe.call("GET", f"croupier:{{s{lead.shard}}}:leader")
        if held is None or held.decode() != lead.stored:
            raise LeadLost
        self.fired.append((match, lead))
        return None


def deadlines(store: Store, name: str, lease: int, firing: Firing | None = None) -> Deadlines:
    return Deadlines(
        ShardStore(store.pipe, SHARDS),
        ServerTime(store.pipe),
        (firing or Firing(store)).fire,
        replica=name,
        count=SHARDS,
        lease=lease,
        turn_grace=0,
        timer_grace=0,
    )


@asynccontextmanager
async def leading(store: Store, one: Deadlines) -> AsyncIterator[Callable[[], None]]:
    """It runs, and hears notices; to call what it gives is to kill it."""
    notices = store.notices([one])
    tasks = [asyncio.create_task(notices.run())]
    await notices.ready.wait()
    tasks.append(asyncio.create_task(one.run()))

    async def nothing(who: object) -> None:
        """The dead do not withdraw, and give nothing up."""

    def kill() -> None:
        one._shards.withdraw = nothing  # type: ignore[method-assign]
        one._give_up = nothing  # type: ignore[method-assign, assignment]
        for task in tasks:
            task.cancel()

    try:
        yield kill
    finally:
        for task in reversed(tasks):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0.01)


async def test_each_leads_its_share_and_whoever_stops_hands_his_on(store: Store) -> None:
    """With a lease that lasts longer than the test: all of it is done by notices."""
    one, two, three = (deadlines(store, name, LONG) for name in ("one", "two", "three"))
    async with leading(store, one):
        await until(lambda: one.leads == 16)
        async with leading(store, two):
            await until(lambda: (one.leads, two.leads) == (8, 8))
            async with leading(store, three):
                await until(lambda: one.leads + two.leads + three.leads == 16 and three.leads >= 4)
                assert max(one.leads, two.leads, three.leads) <= 6
            await until(lambda: (one.leads, two.leads) == (8, 8))
        await until(lambda: one.leads == 16)
    assert await store.leases.leads() == [None] * 16


async def test_c9_the_shards_of_one_that_died_are_taken_over(store: Store) -> None:
    one, two = deadlines(store, "one", 600), deadlines(store, "two", 600)
    async with leading(store, one), leading(store, two) as kill:
        await until(lambda: (one.leads, two.leads) == (8, 8))
        kill()
        await until(lambda: one.leads == 16)


async def test_a_leader_that_slept_past_its_lease_does_nothing(store: Store) -> None:
    slow, quick = Firing(store), Firing(store)
    one, two = deadlines(store, "one", 200, slow), deadlines(store, "two", LONG, quick)
    match, shard = "m-1", shard_of("m-1", SHARDS)
    await one._lead()
    kept = one._leads[shard]
    await asyncio.sleep(0.25)  # it does not say that it is there
    await two._lead()
    assert two._leads[shard].token == kept.token + 1
    await one._fire(match, 0)
    assert slow.fired == []
    assert shard not in one._leads, "it has understood"
    await two._fire(match, 0)
    assert [fired for fired, _ in quick.fired] == [match]
    await one._lead()
    assert one.leads == 0


async def test_it_leads_on_when_it_is_back_before_anybody_has_taken_over(store: Store) -> None:
    firing = Firing(store)
    one = deadlines(store, "one", 100, firing)
    await one._lead()
    kept = dict(one._leads)
    await asyncio.sleep(0.15)
    await one._lead()
    assert one._leads == kept
    await one._fire("m-1", 0)
    assert [lead for _, lead in firing.fired] == [kept[shard_of("m-1", SHARDS)]]


async def test_where_the_store_has_lost_who_leads_it_is_settled_when_that_matters(store: Store) -> None:
    """With a lease that lasts longer than the test: as after a failover that lost writes, of which no notice tells."""
    firings = [Firing(store), Firing(store)]
    one, two = (deadlines(store, name, LONG, firing) for name, firing in zip(("one", "two"), firings, strict=True))
    match, shard = "m-1", shard_of("m-1", SHARDS)
    async with leading(store, one), leading(store, two):
        await until(lambda: (one.leads, two.leads) == (8, 8))
        await asyncio.sleep(0.3)  # whatever was told of that is heard
        leader, other = (one, two) if shard in one._leads else (two, one)
        before = Lead(shard, other._replica, leader._leads[shard].token - 1)
        await store.pipe.call("SET", f"croupier:{{s{shard}}}:leader", before.stored)
        leader.changed(match, 1, 1)
        await until(lambda: other._leads.get(shard) == before and shard not in leader._leads)
    assert not any(firing.fired for firing in firings)


async def test_without_anything_new_only_its_own_sign_of_life_is_written(store: Store) -> None:
    one = deadlines(store, "one", 3_000)
    async with leading(store, one):
        await until(lambda: one.leads == 16)
        before = await calls(store)
        await until_so_many(store, "zadd", before["zadd"] + 1)  # what it looked at first is done
        before = await calls(store)
        await until_so_many(store, "zadd", before["zadd"] + 2)
        after = await calls(store)
    assert after["get"] == before["get"]
    assert after["set"] == before["set"]


async def calls(store: Store) -> dict[str, int]:
    stats = await store.pipe.call("INFO", "commandstats")
    return {name.removeprefix("cmdstat_"): int(each["calls"]) for name, each in stats.items()}


async def until_so_many(store: Store, command: str, count: int) -> None:
    async with asyncio.timeout(10):
        while (await calls(store))[command] < count:
            await asyncio.sleep(0.01)


async def test_a_burst_is_fired_by_turns(store: Store) -> None:
    """However many deadlines fall on one moment, so many at most are under way at a time, and the earliest first."""
    under_way = most = 0
    order: list[str] = []

    class Slow(Firing):
        async def fire(self, match: str, turn_grace: int, timer_grace: int, lead: Lead) -> int | None:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            order.append(match)
            await asyncio.sleep(0.001)
            under_way -= 1
            return await super().fire(match, turn_grace, timer_grace, lead)

    slow = Slow(store)
    one = deadlines(store, "one", LONG, slow)
    async with leading(store, one):
        await until(lambda: one.leads == 16)
        for number in range(300):
            one.changed(f"m-{number}", 1, number)
        await until(lambda: len(slow.fired) == 300)
    assert most == 128
    assert order == [f"m-{number}" for number in range(300)]
