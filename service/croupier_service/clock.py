"""Deadlines: the leader of a shard fires them, each as a conditional commit that holds only while he leads."""

import asyncio
import heapq
import zlib
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import suppress

import structlog

from croupier_service.errors import LeadLost, StoreUnavailable, lasting
from croupier_service.store.keys import shard_of
from croupier_service.store.pipe import answered
from croupier_service.store.servertime import ServerTime
from croupier_service.store.shards import Lead, ShardStore

_log = structlog.get_logger()
_SWEEP = 5.0  # seconds between looks at the stored deadlines, in case a notice was lost
_SOON = 1.0  # seconds until the next one, when something is known to have been missed
_AHEAD = 10_000  # ms: deadlines nearer than this are kept here, later ones are left to a sweep to come
_SHARDS = 16  # shards that are looked at together, so that others get their turn in between
_MEASURE = 10.0  # seconds between looks at Redis' time
_LOOK = 15.0  # seconds between looks at how the shards are led, in case that was not told
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
        self._members: frozenset[str] = frozenset()  # when it was looked at how the shards are led
        self._look_at = 0.0  # when it is looked at again in any case, in the event loop's time
        self._stirred = asyncio.Event()  # how the shards are led has changed somewhere
        self._heap: list[tuple[int, str]] = []
        self._latest: dict[str, int] = {}  # the deadline that counts; others in the heap are void
        self._earlier = asyncio.Event()  # something may be due before what was waited for
        self._missed = False  # not all deadlines may be known that a sweep would have found
        self._begun = asyncio.Event()  # shards are led that no sweep has looked at
        self._heard: set[str] = set()  # matches that notices told of since the last sweep began
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
            self._heard.add(match)
            self._set(match, deadline)

    def noted(self, kind: str, player: str, value: str) -> None:
        """Another process has begun to lead shards, or has given some up."""
        if kind == "LEAD" and value != self._replica:
            self._stirred.set()

    async def lost_touch(self) -> None:
        """Notices may have been missed."""
        self._missed = True
        self._stirred.set()

    def _set(self, match: str, deadline: int | None) -> None:
        if deadline is None or deadline > self._time.now() + _AHEAD:
            self._latest.pop(match, None)
        elif self._latest.get(match) != deadline:
            self._latest[match] = deadline
            heapq.heappush(self._heap, (deadline, match))
            if self._heap[0] == (deadline, match):
                self._earlier.set()

    async def run(self) -> None:
        """Lead, sweep and fire until cancelled; then give the leads up, for others to take at once."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._keep_leading())
                tasks.create_task(self._keep_sweeping())
                tasks.create_task(self._keep_measuring())
                tasks.create_task(self._wait_and_fire())
        finally:
            firing = list(self._firing.values())
            for task in firing:
                task.cancel()
            await asyncio.gather(*firing, return_exceptions=True)
            with suppress(StoreUnavailable, TimeoutError):
                async with asyncio.timeout(_RELEASE):  # it lapses as a member by itself, too
                    await self._shards.withdraw(self._replica)
                    await self._give_up(self._leads.values())

    async def _keep_measuring(self) -> None:
        while True:
            with lasting(_log, "clock.measure"):
                await self._time.measure()
                self._earlier.set()  # what is waited for may come sooner by the new measure
            await asyncio.sleep(_MEASURE)

    async def _keep_sweeping(self) -> None:
        while True:
            end = asyncio.get_running_loop().time() + _SWEEP
            self._missed, swept = False, False
            self._begun.clear()
            with lasting(_log, "clock.sweep"):
                await self._sweep(sorted(self._leads))
                swept = True
            self._missed = self._missed or not swept
            while asyncio.get_running_loop().time() < end and not self._begun.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(_SOON):
                        await self._begun.wait()
                if self._missed:
                    break

    async def _keep_leading(self) -> None:
        """Others are to hear in time that this process is there: nothing is done here that can be done beside it."""
        while True:
            again = asyncio.get_running_loop().time() + self._lease / 3000
            with lasting(_log, "clock.lead"):
                again = await self._lead()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(again):
                    await self._stirred.wait()

    async def _lead(self) -> float:
        """Say that this process is there, and look how the shards are led if that may have changed.

        Answers when it is to be done next, in the event loop's time: however long this took, it counts from the word.
        """
        loop = asyncio.get_running_loop()
        now = said = loop.time()
        look_at = self._look_at
        look, self._look_at = self._stirred.is_set() or now >= look_at, 0.0
        self._stirred.clear()
        members = await self._shards.announce(self._replica, self._lease)
        if look or not members.known or members.names != self._members:
            leads, new = await self._shards.leads(), not members.known
            # Again, since whoever has taken a lead in between is a member, if he lives.
            said = loop.time()
            members = await self._shards.announce(self._replica, self._lease)
            await self._share(leads, members.names, new=new)
            self._members, look_at = members.names, now + _LOOK
        self._look_at = look_at
        soonest = self._lease / 3000
        return said + (soonest if members.lapses is None else min(soonest, max(members.lapses, 0) / 1000 + _LAPSED))

    async def _share(
        self, kept: Sequence[Lead | StoreUnavailable | None], members: Collection[str], *, new: bool
    ) -> None:
        """Take what no member leads, up to a fair share, and give up what is more. `new`: nobody knew of this process.

        Shares are rounded up, so that together they are all shards whichever members a process knows of.
        Where it could not be read who leads, all stays as it is, and what cannot be taken is left; then
        StoreUnavailable is raised when the rest is done.
        """
        known = {shard: lead for shard, lead in enumerate(kept) if not isinstance(lead, StoreUnavailable)}
        unknown = {shard: lead for shard, lead in self._leads.items() if shard not in known}
        leads = {lead.shard: lead for lead in known.values() if lead is not None and lead.holder == self._replica}
        share = max(0, -(-self._count // len(members)) - len(unknown))
        over = [(shard, lead) for shard, lead in known.items() if lead is None or lead.holder not in members]
        answers: list[object] = [*kept]
        free = sorted(over, key=lambda each: zlib.crc32(f"{self._replica} {each[0]}".encode()))
        while free and len(leads) < share:
            # Others take too, each in an order of its own.
            some, free = free[: share - len(leads)], free[share - len(leads) :]
            takes = await answered(self._shards.take(self._replica, [each]) for each in some)
            leads |= {lead.shard: lead for each in takes if not isinstance(each, StoreUnavailable) for lead in each}
            answers += takes
        surplus = list(leads.values())[share:]
        for lead in surplus:
            del leads[lead.shard]
        leads |= unknown
        before, self._leads = self._leads, leads
        if leads.keys() - before.keys():
            self._begun.set()  # whatever fails from here on
        if before.keys() != leads.keys():
            _log.info("clock.leads", shards=len(leads), members=len(members))
        if surplus:
            await self._give_up(surplus)
        elif new:
            await self._shards.stir(self._replica)
        _raise_first(answers)

    async def _give_up(self, leads: Iterable[Lead]) -> None:
        await self._shards.release(leads)
        await self._shards.stir(self._replica)

    async def _sweep(self, shards: Sequence[int]) -> None:
        """Look at the stored deadlines of shards; StoreUnavailable, in the end, if not all could be read."""
        answers: list[object] = []
        self._heard.clear()
        for begin in range(0, len(shards), _SHARDS):
            some = shards[begin : begin + _SHARDS]
            until = self._time.now() + _AHEAD
            looks = await answered(self._shards.due([shard], until) for shard in some)
            for found in looks:
                for deadline, match in () if isinstance(found, StoreUnavailable) else found:
                    if match not in self._heard:  # a notice may be newer than the look
                        self._set(match, deadline)
            answers += looks
        _raise_first(answers)

    async def _wait_and_fire(self) -> None:
        while True:
            self._earlier.clear()
            now, grace = self._time.now(), min(self._grace)
            while self._heap:
                deadline, match = self._heap[0]
                counts = self._latest.get(match) == deadline
                if counts and deadline + grace > now:
                    break
                heapq.heappop(self._heap)
                if counts:
                    del self._latest[match]
                    self._start(match, deadline)
            with suppress(TimeoutError):
                async with asyncio.timeout((self._heap[0][0] + grace - now) / 1000 if self._heap else None):
                    await self._earlier.wait()

    def _start(self, match: str, due: int) -> None:
        if match in self._firing:
            self._missed = True  # it may have another deadline by now
            return
        task = asyncio.get_running_loop().create_task(self._fire(match, due))
        self._firing[match] = task
        task.add_done_callback(lambda _: self._firing.pop(match, None))

    async def _fire(self, match: str, due: int) -> None:
        """Fire, and look again when each of the two graces is over."""
        shard, fired = shard_of(match, self._count), False
        with lasting(_log, "clock.fire"):
            while (lead := self._leads.get(shard)) is not None:
                try:
                    async with self._slots:
                        deadline = await self._fire_match(match, *self._grace, lead)
                except LeadLost:
                    # It slept past its time as a member. The one that leads now fires.
                    _log.warning("clock.lead_lost", shard=shard)
                    if self._leads.get(shard) == lead:
                        del self._leads[shard]
                    self._stirred.set()
                    # If the store has lost how the shard was led, the one that leads may not know.
                    await self._shards.stir(self._replica)
                    break
                if deadline is None:
                    # Nothing more will happen, or it is not kept any more: then nothing else drops its deadline.
                    await self._shards.forget(match, shard, due)
                    break
                now = self._time.now()
                if deadline > now:
                    if match not in self._latest:  # else the commit's notice has told
                        self._set(match, deadline)
                    break
                waits = (deadline + grace - now for grace in sorted(self._grace))
                await asyncio.sleep(next((wait for wait in waits if wait > 0), _AGAIN) / 1000)
            fired = True
        self._missed = self._missed or not fired


def _raise_first(answers: Iterable[object]) -> None:
    for answer in answers:
        if isinstance(answer, StoreUnavailable):
            raise answer
