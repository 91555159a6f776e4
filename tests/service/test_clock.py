"""Deadlines: fired once, by whoever leads, for all seats that ran out."""

import asyncio
from dataclasses import replace

import pytest
from google.protobuf.duration_pb2 import Duration
from support.service import QUICK, Client, channel, guest, reason, running_service
from support.tables import seated

from croupier.v1 import act_by_pb2, matches_pb2
from croupier_service.change import Change
from croupier_service.clock import Deadlines
from croupier_service.dealer import FairDealer
from croupier_service.players import RandomNames
from croupier_service.record import Phase
from croupier_service.store.opening import open_store
from croupier_service.store.servertime import ServerTime
from croupier_service.store.shards import Lead


def clock(window_ms: int, bank_ms: int = 0) -> matches_pb2.ClockOptions:
    options = matches_pb2.ClockOptions()
    options.window_duration.FromMilliseconds(window_ms)
    options.bank_duration.FromMilliseconds(bank_ms)
    return options


async def events(player: Client, match: str, after: int = 0, wait: int = 0) -> list[matches_pb2.Event]:
    request = matches_pb2.ListEventsRequest(match=match, after=after, wait=Duration(seconds=wait))
    return list((await player.matches.ListEvents(request, metadata=player.auth)).events)


async def until(player: Client, match: str, kind: str) -> list[matches_pb2.Event]:
    """All events, once one of that type is among them."""
    seen: list[matches_pb2.Event] = []
    while kind not in [event.type for event in seen]:
        seen += await events(player, match, seen[-1].sequence if seen else 0, wait=10)
    return seen


async def test_c11_all_seats_that_ran_out_are_settled_in_one_step(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 3, clock=clock(300))
        seen = await until(players[0], match, "six_nimmt.revealed")
        timed_out = [event.match.timed_out for event in seen if event.type == "match.timed_out"]
        assert [list(event.seats) for event in timed_out] == [[0, 1, 2]]
        committed = [event.six_nimmt.committed for event in seen if event.type == "six_nimmt.committed"]
        assert {event.by for event in committed} == {act_by_pb2.ActBy.CLOCK}
        times = {event.time.ToMilliseconds() for event in seen if event.type == "six_nimmt.committed"}
        assert len(times) == 1


async def test_c10_a_match_nobody_plays_runs_to_its_end_and_each_window_fires_once(redis_url: str) -> None:
    settings = replace(QUICK, turn_grace=10)
    async with (
        running_service(redis_url, settings=settings) as one,
        running_service(redis_url, settings=settings),
        channel(one) as over,
    ):
        players, match = await seated([over], 2, clock=clock(20), preset="single_deal")
        seen = await until(players[0], match, "match.over")
        kinds = [event.type for event in seen]
        assert kinds.count("six_nimmt.revealed") == 10
        assert kinds.count("six_nimmt.committed") == 20
        assert [event.sequence for event in seen] == list(range(1, len(seen) + 1))


async def test_the_clock_never_fires_early(redis_url: str) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2, clock=clock(200, bank_ms=150))
        deadline = (await players[0].get(match)).seats[0].clock.deadline_time.ToMilliseconds()
        seen = await until(players[0], match, "match.timed_out")
        fired = next(event for event in seen if event.type == "match.timed_out")
        assert fired.time.ToMilliseconds() >= deadline + QUICK.turn_grace
        assert (await players[0].get(match)).seats[0].clock.bank_duration.ToMilliseconds() == 0


async def test_an_act_after_the_deadline_is_refused_and_one_within_the_grace_is_too(redis_url: str) -> None:
    settings = replace(QUICK, turn_grace=5_000)
    async with running_service(redis_url, settings=settings) as service, channel(service) as over:
        players, match = await seated([over], 2, clock=clock(50))
        view = await players[0].get(match)
        await asyncio.sleep(0.1)
        assert await reason(players[0].choose(view)) == "OUT_OF_TIME"


@pytest.mark.parametrize(("turn", "timer"), [(20, 700), (700, 20)])
async def test_the_clock_looks_again_only_when_a_grace_is_over(redis_url: str, turn: int, timer: int) -> None:
    store = await open_store(redis_url, 4)
    time = ServerTime(store.pipe)
    await time.measure()
    looks: list[int] = []

    async def fire(match: str, turn_grace: int, timer_grace: int, lead: Lead) -> int | None:
        looks.append(time.now() - due)
        return due if looks[-1] < 700 else None

    deadlines = Deadlines(
        store.leases, time, fire, replica="r", count=4, lease=5_000, turn_grace=turn, timer_grace=timer
    )
    running = asyncio.create_task(deadlines.run())
    async with asyncio.timeout(20):
        while deadlines.leads < 4:
            await asyncio.sleep(0.01)
        due = time.now()
        deadlines.changed("match-1", 1, due)
        while not looks or looks[-1] < 700:
            await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await store.close()
    assert looks[0] >= 20
    assert len(looks) <= 3, "once for each grace, and once more where a timer of the loop was early"


async def test_a_double_firing_is_void(redis_url: str) -> None:
    """Two leaders that both think a deadline is theirs: the second commit finds another version."""
    store = await open_store(redis_url, 4)
    async with running_service(redis_url) as service, channel(service) as over:
        players, match = await seated([over], 2, clock=clock(60_000))
        loaded = await store.matches.load(match, None, 0)
        assert loaded is not None
        late = loaded.record.at + 10_000_000
        changes = [Change(loaded.record, FairDealer(), late, name=RandomNames().change()) for _ in range(2)]
        assert all(change.fire(0, 0) for change in changes)
        won = [await store.matches.commit(c.before, c.record, c.entry, 1000) for c in changes]
        assert [each is not None for each in won] == [True, False]
        kinds = [event.type for event in await events(players[0], match)]
        assert kinds.count("match.timed_out") == 1
    await store.close()


async def test_an_open_match_that_does_not_fill_is_abandoned(redis_url: str) -> None:
    settings = replace(QUICK, open_ttl=1_000)
    async with running_service(redis_url, settings=settings) as service, channel(service) as over:
        ann = await guest(over)
        match = await ann.create(3)
        assert match.expire_time.ToMilliseconds() == match.create_time.ToMilliseconds() + 1_000
        seen = await until(ann, match.id, "match.abandoned")
        assert seen[-1].match.abandoned.reason == "EXPIRED"
        assert (await ann.get(match.id)).state == matches_pb2.MatchState.ABANDONED
        listed = await ann.matches.ListMatches(matches_pb2.ListMatchesRequest(), metadata=ann.auth)
        assert not listed.matches


async def test_c9_another_replica_takes_a_dead_leader_s_shards_over(redis_url: str) -> None:
    async with running_service(redis_url) as one:
        async with channel(one) as over:
            players, match = await seated([over], 2, clock=clock(1_500))
        # It dies without giving its lease back or firing anything.
        for task in one._tasks:
            task.cancel()
        one.deadlines._leads.clear()
        one.failed.clear()
        async with running_service(redis_url) as two, channel(two) as over:
            for player in players:
                player.channel = over
                player.__post_init__()
            seen = await until(players[0], match, "match.timed_out")
            assert next(list(e.match.timed_out.seats) for e in seen if e.type == "match.timed_out") == [0, 1]


def test_a_closed_phase_is_done() -> None:
    assert [phase.done for phase in Phase] == [False, False, True, True]
