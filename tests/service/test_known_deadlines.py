"""Which deadlines a leader knows: from notices, and from looks where those may not tell all."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

import pytest

from croupier_service import clock
from croupier_service.clock import Deadlines
from croupier_service.errors import StoreUnavailable
from croupier_service.store.keys import ShardKeys, shard_of
from croupier_service.store.opening import Store, open_store
from croupier_service.store.servertime import ServerTime
from croupier_service.store.shards import Lead, Members, ShardStore

SHARDS = 4
KEYS = ShardKeys(shard_of("m-1", SHARDS))


@pytest.fixture
async def store(redis_url: str) -> AsyncIterator[Store]:
    opened = await open_store(redis_url, SHARDS)
    yield opened
    await opened.close()


class Held(ShardStore):
    """Its looks are answered, and the answers come when they are let go."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.pipe, SHARDS)
        self.looked, self.go = asyncio.Event(), asyncio.Event()
        self.go.set()
        self.looking = False
        self.faults: set[str] = set()  # what fails once

    def _fail(self, what: str) -> None:
        if what in self.faults:
            self.faults.discard(what)
            raise StoreUnavailable("for the moment")

    async def stir(self, who: str) -> None:
        self._fail("stir")
        await super().stir(who)

    async def due(self, shards: Iterable[int], until: int) -> list[tuple[int, str]]:
        self._fail("due")
        self.looking = True
        found = await super().due(shards, until)
        self.looked.set()
        await self.go.wait()
        self.looking = False
        return found


class Rig:
    """Deadlines that run, with `answers` of the matches that are fired, by turns; an error is raised."""

    def __init__(self, store: Store, lease: int = 60_000) -> None:
        self.store = store
        self.time = ServerTime(store.pipe)
        self.shards = Held(store)
        self.answers: list[Callable[[], int | None]] = []
        self.fired: list[int] = []
        self.deadlines = Deadlines(
            self.shards,
            self.time,
            self._fire,
            replica="one",
            count=SHARDS,
            lease=lease,
            turn_grace=0,
            timer_grace=0,
        )

    async def _fire(self, match: str, turn_grace: int, timer_grace: int, lead: Lead) -> int | None:
        self.fired.append(self.time.now())
        return self.answers.pop(0)() if self.answers else None

    async def write(self, deadline: int) -> None:
        """As a commit does, of which no notice tells."""
        await self.store.pipe.call("ZADD", KEYS.deadlines, deadline, "m-1")

    async def until_fired(self, times: int) -> None:
        async with asyncio.timeout(10):
            while len(self.fired) < times:
                await asyncio.sleep(0.01)


@asynccontextmanager
async def running(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setattr(clock, "_SWEEP", 1000.0)  # no look comes by itself
    await rig.time.measure()
    task = asyncio.create_task(rig.deadlines.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
async def rig(store: Store, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    rig = Rig(store)
    async with running(rig, monkeypatch):
        async with asyncio.timeout(10):
            await rig.shards.looked.wait()  # the look at what it has just begun to lead
            while rig.shards.looking:
                await asyncio.sleep(0.01)
        yield rig


async def test_what_may_have_been_missed_is_looked_for_soon(rig: Rig) -> None:
    await rig.write(1)
    await rig.deadlines.lost_touch()
    await rig.until_fired(1)


@pytest.mark.parametrize("fault", ["stir", "due"])
async def test_what_is_led_newly_is_looked_for_though_something_fails(
    store: Store, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    rig = Rig(store)
    await rig.write(1)
    rig.shards.faults.add(fault)
    async with running(rig, monkeypatch):
        await rig.until_fired(1)
    assert not rig.shards.faults


async def test_it_stays_a_member_while_the_store_takes_its_time_over_deadlines(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = Rig(store, lease=900)
    rig.shards.go.clear()
    async with running(rig, monkeypatch):
        async with asyncio.timeout(10):
            await rig.shards.looked.wait()
        await asyncio.sleep(1)
        assert "one" in (await rig.shards.announce("two", 10)).names
        rig.shards.go.set()


async def test_a_sign_of_life_that_failed_late_is_tried_again_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[float] = []

    async def announce(who: str, ms: int) -> Members:
        tried.append(asyncio.get_running_loop().time())
        await asyncio.sleep(0.2)  # longer than until the next one
        raise StoreUnavailable("for the moment")

    rig = Rig(store, lease=300)
    monkeypatch.setattr(rig.shards, "announce", announce)
    async with running(rig, monkeypatch), asyncio.timeout(10):
        while len(tried) < 9:
            await asyncio.sleep(0.01)
    assert min(after - before for before, after in itertools.pairwise(tried)) < 0.3, "and not after 0.1 s more"


async def test_a_firing_that_failed_is_tried_again(rig: Rig) -> None:
    def fail() -> int:
        raise StoreUnavailable("for the moment")

    rig.answers = [fail, fail]
    await rig.write(1)
    rig.deadlines.changed("m-1", 1, 1)
    await rig.until_fired(3)


async def test_a_firing_that_came_too_early_tells_the_next_deadline(rig: Rig) -> None:
    due = rig.time.now() + 200
    rig.answers = [lambda: due]
    rig.deadlines.changed("m-1", 1, 1)
    await rig.until_fired(2)
    assert rig.fired[1] >= due


async def test_a_notice_that_comes_during_a_look_is_newer(rig: Rig) -> None:
    await rig.write(rig.time.now() + 60)
    rig.shards.looked.clear()
    rig.shards.go.clear()
    await rig.deadlines.lost_touch()
    async with asyncio.timeout(10):
        await rig.shards.looked.wait()
    rig.deadlines.changed("m-1", 2, None)
    rig.shards.go.set()
    async with asyncio.timeout(10):
        while rig.shards.looking:
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    assert rig.fired == []
