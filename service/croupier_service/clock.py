"""Deadlines: the leader of a shard fires them, each as a conditional commit that holds only while he leads."""

import asyncio
import heapq
import zlib
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress

import structlog

from croupier_service.errors import LeadLost, StoreUnavailable, lasting
from croupier_service.store.keys import shard_of
from croupier_service.store.servertime import ServerTime
from croupier_service.store.shards import Lead, ShardStore

_log = structlog.get_logger()
_SWEEP = 1.0  # seconds between looks at the stored deadlines
_AHEAD = 2_000  # ms: deadlines nearer than this are kept here, later ones are left to a sweep to come
_MEASURE = 10.0  # seconds between looks at Redis' time
_IDLE = 0.5  # seconds, when nothing is known to be due
_AT_ONCE = (
    128  # deadlines fired at a time: enough for a store that takes its time, and others get their turn in between
)
_AGAIN = 5  # ms, when both graces are over and something is due still
_RELEASE = 0.3  # seconds to give the leads up
_LAPSED = 0.02  # seconds after which a lead that is about to lapse has done so


class Deadlines:
    """Leads shards and fires their deadlines. A match that was changed meanwhile makes a firing void."""

    def __init__(
        self,
        shards: ShardStore,
        time: ServerTime,
        fire: Callable[[str, int, int, Lead], Awaitable[int | None]],
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
        self._leads: dict[int, Lead] = {}  # by shard
        self._stirred = asyncio.Event()  # how the shards are led has changed somewhere
        self._heap: list[tuple[int, str]] = []
        self._latest: dict[str, int] = {}  # the deadline that counts; others in the heap are void
        self._earlier = asyncio.Event()  # something may be due before what was waited for
        self._firing: dict[str, asyncio.Task[None]] = {}
        self._slots = asyncio.Semaphore(_AT_ONCE)

    @property
    def leads(self) -> int:
        """How many shards this process leads."""
        return len(self._leads)

    @property
    def led(self) -> Iterable[int]:
        """Which they are."""
        return self._leads.keys()

    # What a listener to notices hears.

    def changed(self, match: str, version: int, deadline: int | None) -> None:
        """A match has a new deadline, or none."""
        if shard_of(match, self._count) in self._leads:
            self._set(match, deadline)

    def noted(self, kind: str, player: str, value: str) -> None:
        """Another process has begun to lead shards, or has given some up."""
        if kind == "LEAD" and value != self._replica:
            self._stirred.set()

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
        """Lead, sweep and fire until cancelled; then give the leads up, for others to take at once."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._keep_leading())
                tasks.create_task(self._keep(self._sweep, _SWEEP))
                tasks.create_task(self._keep(self._time.measure, _MEASURE))
                tasks.create_task(self._wait_and_fire())
        finally:
            firing = list(self._firing.values())
            for task in firing:
                task.cancel()
            await asyncio.gather(*firing, return_exceptions=True)
            with suppress(StoreUnavailable, TimeoutError):
                async with asyncio.timeout(_RELEASE):  # leads lapse by themselves, too
                    await self._shards.withdraw(self._replica)
                    await self._give_up(self._leads.values())

    async def _keep(self, what: Callable[[], Awaitable[None]], seconds: float) -> None:
        while True:
            with lasting(_log, "clock.round"):
                await what()
            await asyncio.sleep(seconds)

    async def _keep_leading(self) -> None:
        while True:
            self._stirred.clear()
            wait = self._lease / 3000
            with lasting(_log, "clock.lead"):
                wait = await self._lead()
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._stirred.wait()

    async def _lead(self) -> float:
        """Keep what is led, take what nobody leads up to a fair share, give up what is more; seconds to the next look.

        Shares are rounded up, so that together they are all shards whichever members a process knows of.
        """
        standing = await self._shards.keep(self._replica, self._lease)
        leads = {lead.shard: lead for lead in standing.leads}
        share = -(-self._count // standing.members)
        free = sorted(standing.free, key=lambda shard: zlib.crc32(f"{self._replica} {shard}".encode()))
        while free and len(leads) < share:
            # Others take too, each in an order of its own.
            some, free = free[: share - len(leads)], free[share - len(leads) :]
            leads |= {lead.shard: lead for lead in await self._shards.lease(self._replica, self._lease, some)}
        surplus = list(leads.values())[share:]
        for lead in surplus:
            del leads[lead.shard]
        before, self._leads = self._leads, leads
        if before.keys() != leads.keys():
            _log.info("clock.leads", shards=len(leads), members=standing.members)
        if surplus:
            await self._give_up(surplus)
        elif not standing.known:
            await self._shards.stir(self._replica)
        if leads.keys() - before.keys():
            await self._sweep()
        soonest = self._lease / 3000
        return soonest if standing.lapses is None else min(soonest, max(standing.lapses, 0) / 1000 + _LAPSED)

    async def _give_up(self, leads: Iterable[Lead]) -> None:
        await self._shards.release(leads)
        await self._shards.stir(self._replica)

    async def _sweep(self) -> None:
        for deadline, match in await self._shards.due(sorted(self._leads), self._time.now() + _AHEAD):
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
        """Fire, and look again when each of the two graces is over."""
        shard = shard_of(match, self._count)
        with lasting(_log, "clock.fire"):
            while (lead := self._leads.get(shard)) is not None:
                try:
                    async with self._slots:
                        deadline = await self._fire_match(match, *self._grace, lead)
                except LeadLost:
                    # It slept past its lease. The one that leads now fires.
                    _log.warning("clock.lead_lost", shard=shard)
                    if self._leads.get(shard) == lead:
                        del self._leads[shard]
                    return
                if deadline is None:
                    # Nothing more will happen, or it is not kept any more: then nothing else drops its deadline.
                    await self._shards.forget(match, shard, due)
                    return
                now = self._time.now()
                if deadline > now:
                    return  # a new deadline, of which the commit's notice tells
                waits = (deadline + grace - now for grace in sorted(self._grace))
                await asyncio.sleep(next((wait for wait in waits if wait > 0), _AGAIN) / 1000)
