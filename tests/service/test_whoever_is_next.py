"""What the store takes is nobody's time: an act counts as of its arrival, the next question as of its commit."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from google.protobuf.duration_pb2 import Duration
from msgspec import structs
from support.played import START, opened
from support.redis_rig import RedisRig
from support.service import QUICK, Client, channel, running_service
from support.tables import seated, views

from croupier.v1 import matches_pb2
from croupier_engine.clock import Clock, Limits
from croupier_engine.registry import GAMES
from croupier_service.change import Change
from croupier_service.dealer import FairDealer
from croupier_service.log import decode_entry, encode_entry
from croupier_service.players import RandomNames
from croupier_service.record import Record
from croupier_service.store.opening import open_store
from croupier_service.store.servertime import ServerTime

WINDOW, BANK = 500, 20_000  # ms
STALL = 1.2  # seconds: longer than a window, shorter than the store's time-out
STEADY = replace(QUICK, lease=10_000, heartbeat=5_000)  # leads outlive a stall


def limits() -> matches_pb2.ClockOptions:
    clock = matches_pb2.ClockOptions()
    clock.window_duration.FromMilliseconds(WINDOW)
    clock.bank_duration.FromMilliseconds(BANK)
    return clock


@contextmanager
def stopped(rig: RedisRig) -> Iterator[None]:
    """The server says nothing."""
    rig.pause()
    try:
        yield
    finally:
        rig.resume()


@contextmanager
def read_only(rig: RedisRig) -> Iterator[None]:
    """The server answers reads, and lets writes wait."""
    rig.ask("CLIENT", "PAUSE", 60_000, "WRITE")
    try:
        yield
    finally:
        rig.ask("CLIENT", "UNPAUSE")


Stall = Callable[[RedisRig], AbstractContextManager[None]]


async def through(rig: RedisRig, stall: Stall, acts: Sequence[Awaitable[matches_pb2.ActResponse]]) -> float:
    """Acts that come in while the store stalls; when it went on, ms since 1970."""
    with stall(rig):
        under_way = [asyncio.ensure_future(act) for act in acts]
        await asyncio.sleep(STALL)
        on = time.time() * 1000
    await asyncio.gather(*under_way)
    return on


async def revealed(player: Client, match: str) -> int:
    """When the cards were revealed, server ms."""
    request = matches_pb2.ListEventsRequest(match=match, wait=Duration(seconds=10))
    answer = await player.matches.ListEvents(request, metadata=player.auth)
    return next(e.time.ToMilliseconds() for e in answer.events if e.type == "six_nimmt.revealed")


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[RedisRig]:
    with RedisRig(tmp_path / "redis", appendfsync=None) as server:
        yield server


@pytest.mark.parametrize("stall", [stopped, read_only])
@pytest.mark.parametrize("together", [False, True])
async def test_what_a_stall_takes_is_neither_the_actors_time_nor_that_of_the_next(
    rig: RedisRig, stall: Stall, together: bool
) -> None:
    async with running_service(rig.url, settings=STEADY) as service, channel(service) as over:
        (ann, ben), match = await seated([over], 2, clock=limits())
        ann_sees, ben_sees = await views([ann, ben], match)
        acts = [ben.choose(ben_sees)]
        if together:
            acts.append(ann.choose(ann_sees))
        else:
            await ann.choose(ann_sees)
        on = await through(rig, stall, acts)
        now = await ann.get(match)
        assert now.you.window.id != ann_sees.you.window.id
        began = await revealed(ann, match)
        assert began >= on - 20, "it begins when the store takes it; two clocks may differ a little"
        banks = {seat.clock.bank_duration.ToMilliseconds() for seat in now.seats}
        assert banks == {BANK}, "they came in within the window's limit"
        ends = [seat.clock.deadline_time.ToMilliseconds() for seat in now.seats if seat.clock.HasField("deadline_time")]
        assert set(ends) == {began + WINDOW + BANK}


@pytest.mark.parametrize("stall", [stopped, read_only])
async def test_what_a_stall_takes_of_the_clocks_own_play_is_given_to_the_next_as_well(
    rig: RedisRig, stall: Stall
) -> None:
    async with running_service(rig.url, settings=STEADY) as service, channel(service) as over:
        clock = limits()
        clock.ClearField("bank_duration")
        (ann, _), match = await seated([over], 2, clock=clock)
        on = await through(rig, stall, [])
        assert await revealed(ann, match) >= on - 20


class Behind(ServerTime):
    """As where the keys are on another node of a cluster than the time is measured on."""

    def now(self) -> int:
        return super().now() - 2_000


async def test_clocks_of_two_servers_that_differ_stop_no_play(redis_url: str) -> None:
    store = await open_store(redis_url, 4)
    async with (
        running_service(redis_url, settings=STEADY, time=Behind(store.pipe)) as service,
        channel(service) as over,
    ):
        (ann, ben), match = await seated([over], 2)
        for player, seen in zip((ann, ben), await views([ann, ben], match), strict=True):
            await player.choose(seen)
        assert await revealed(ann, match)
    await store.close()


def running() -> Record:
    game = GAMES["six_nimmt"]
    record, _ = opened(game, game.options(), 2, Random(2))
    return structs.replace(record, clock=Clock.start(Limits(WINDOW, BANK, 7), 2).follow(record.awaiting, START))


def act(record: Record, seat: int, at: int, received: int) -> Change:
    change = Change(record, FairDealer(), at, received=received, name=RandomNames().change())
    change.act(seat, next(iter(record.game.choices(record.state, seat) or ())))
    return change


def test_the_bank_is_judged_by_the_arrival_and_the_next_window_by_the_commit() -> None:
    first = act(running(), 0, START + 5_000, START + WINDOW + 100)
    assert first.record.clock is not None
    assert first.record.clock.banks == (BANK - 100 + 7, BANK)
    second = act(first.record, 1, START + 9_000, START + WINDOW)
    assert second.record.clock is not None
    assert second.record.clock.banks == (BANK - 100 + 7, BANK + 7)
    assert {since for since in second.record.clock.since if since is not None} == {START + 9_000}


def test_the_log_tells_both_times_and_its_commands_never_go_back() -> None:
    record = running()
    change = act(record, 0, START + 5_000, START + 100)
    entry = change.entry
    assert (entry.at, entry.received) == (START + 5_000, START + 100)
    assert [step.command.at for step in entry.steps if step.command is not None] == [START + 5_000]
    assert decode_entry(record.game, entry.version, encode_entry(record.game, entry)) == entry
    at_once = act(record, 0, START + 100, START + 100).entry
    assert at_once.received is None
    assert decode_entry(record.game, at_once.version, encode_entry(record.game, at_once)) == at_once
