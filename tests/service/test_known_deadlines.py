"""Which deadlines a leader knows: from notices, and from looks where those may not tell all."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable

import pytest

from croupier_service import clock
from croupier_service.clock import Deadlines
from croupier_service.errors import StoreUnavailable
from croupier_service.store.keys import ShardKeys, shard_of
from croupier_service.store.opening import Store, open_store
from croupier_service.store.servertime import ServerTime
from croupier_service.store.shards import Lead, ShardStore

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
        found = await super().due(shards, until)
        self.looked.set()
        await self.go.wait()
        return found


class Rig:
    """Deadlines that run, with `answers` of the matches that are fired, by turns; an error is raised."""

    def __init__(self, store: Store) -> None:
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
            lease=60_000,
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


@pytest.fixture
async def rig(store: Store, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    monkeypatch.setattr(clock, "_SWEEP", 1000.0)  # no look comes by itself
    rig = Rig(store)
    await rig.time.measure()
    running = asyncio.create_task(rig.deadlines.run())
    async with asyncio.timeout(10):
        await rig.shards.looked.wait()  # the look at what it has just begun to lead
        while rig.deadlines._sweeping.locked():
            await asyncio.sleep(0.01)
    yield rig
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_what_may_have_been_missed_is_looked_for_soon(rig: Rig) -> None:
    await rig.write(1)
    await rig.deadlines.lost_touch()
    await rig.until_fired(1)


@pytest.mark.parametrize("fault", ["stir", "due"])
async def test_what_is_led_newly_is_looked_for_though_something_fails(
    store: Store, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(clock, "_SWEEP", 1000.0)
    rig = Rig(store)
    await rig.time.measure()
    await rig.write(1)
    rig.shards.faults.add(fault)
    running = asyncio.create_task(rig.deadlines.run())
    await rig.until_fired(1)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert not rig.shards.faults


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
        while rig.deadlines._sweeping.locked():
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    assert rig.fired == []
