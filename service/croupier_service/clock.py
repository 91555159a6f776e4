"""Deadlines: the leader of a shard fires them, each as a conditional commit."""

import asyncio
import heapq
from collections.abc import Awaitable, Callable
from contextlib import suppress

import structlog

from croupier_service.errors import StoreUnavailable, lasting
from croupier_service.store.keys import shard_of
from croupier_service.store.servertime import ServerTime
from croupier_service.store.shards import ShardStore

_log = structlog.get_logger()
_SWEEP = 1.0  # seconds between looks at the stored deadlines
_AHEAD = 2_000  # ms: deadlines nearer than this are kept here, later ones are left to a sweep to come
_MEASURE = 10.0  # seconds between looks at Redis' time
_IDLE = 0.5  # seconds, when nothing is known to be due


class Deadlines:
    """Leads shards and fires their deadlines. A match that was changed meanwhile makes a firing void."""

    def __init__(
        self,
        shards: ShardStore,
        time: ServerTime,
        fire: Callable[[str, int, int], Awaitable[int | None]],
        *,
        replica: str,
        count: int,
        lease: int,
        turn_grace: int,
        timer_grace: int,
    ) -> None:
        self._shards = shards
        self._time = time
        self._fire_match = fire
        self._replica = replica
        self._count = count
        self._lease = lease
        self._grace = (turn_grace, timer_grace)
        self._led: frozenset[int] = frozenset()
        self._heap: list[tuple[int, str]] = []
        self._latest: dict[str, int] = {}  # the deadline that counts; others in the heap are void
        self._earlier = asyncio.Event()  # something may be due before what was waited for
        self._firing: dict[str, asyncio.Task[None]] = {}

    @property
    def leads(self) -> int:
        """How many shards this process leads."""
        return len(self._led)

    # What a listener to notices hears.

    def changed(self, match: str, version: int, deadline: int | None) -> None:
        """A match has a new deadline, or none."""
        if shard_of(match, self._count) in self._led:
            self._set(match, deadline)

    def noted(self, kind: str, player: str, value: str) -> None:
        """Of no use here."""

    async def lost_touch(self) -> None:
        """The next sweep finds what was missed."""

    def _set(self, match: str, deadline: int | None) -> None:
        if deadline is None or deadline > self._time.now() + _AHEAD:
            self._latest.pop(match, None)
        elif self._latest.get(match) != deadline:
            self._latest[match] = deadline
            heapq.heappush(self._heap, (deadline, match))
            self._earlier.set()

    async def run(self) -> None:
        """Lead, sweep and fire until cancelled; then give the lead up."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._keep(self._lead, self._lease / 3000))
                tasks.create_task(self._keep(self._sweep, _SWEEP))
                tasks.create_task(self._keep(self._time.measure, _MEASURE))
                tasks.create_task(self._wait_and_fire())
        finally:
            firing = list(self._firing.values())
            for task in firing:
                task.cancel()
            await asyncio.gather(*firing, return_exceptions=True)
            with suppress(StoreUnavailable):
                await self._shards.release(self._replica, sorted(self._led))

    async def _keep(self, what: Callable[[], Awaitable[None]], seconds: float) -> None:
        while True:
            with lasting(_log, "clock.round"):
                await what()
            await asyncio.sleep(seconds)

    async def _lead(self) -> None:
        led = frozenset(await self._shards.lease(self._replica, self._lease))
        if led != self._led:
            _log.info("clock.leads", shards=len(led))
            self._led = led
            await self._sweep()

    async def _sweep(self) -> None:
        for deadline, match in await self._shards.due(sorted(self._led), self._time.now() + _AHEAD):
            self._set(match, deadline)

    async def _wait_and_fire(self) -> None:
        while True:
            self._earlier.clear()
            now, grace = self._time.now(), min(self._grace)
            while self._heap and self._heap[0][0] + grace <= now:
                deadline, match = heapq.heappop(self._heap)
                if self._latest.get(match) == deadline:
                    del self._latest[match]
                    self._start(match, deadline)
            wait = (self._heap[0][0] + grace - now) / 1000 if self._heap else _IDLE
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, min(wait, _IDLE))):
                    await self._earlier.wait()

    def _start(self, match: str, due: int) -> None:
        if match not in self._firing:
            task = asyncio.get_running_loop().create_task(self._fire(match, due))
            self._firing[match] = task
            task.add_done_callback(lambda _: self._firing.pop(match, None))

    async def _fire(self, match: str, due: int) -> None:
        """Fire, and look again while the longer of the two graces runs."""
        with lasting(_log, "clock.fire"):
            while shard_of(match, self._count) in self._led:
                deadline = await self._fire_match(match, *self._grace)
                if deadline is None:
                    # Nothing more will happen, or it is not kept any more: then nothing else drops its deadline.
                    await self._shards.forget(match, shard_of(match, self._count), due)
                    return
                wait = deadline + self._grace[0] - self._time.now()
                if wait > self._grace[0]:
                    return  # a new deadline, of which the commit's notice tells
                await asyncio.sleep(max(wait, 5) / 1000)
