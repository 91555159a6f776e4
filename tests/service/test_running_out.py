"""Time per seat in a match: several seats run out at once, banks are used up, answers in time earn."""

from dataclasses import replace
from random import Random

import pytest
from google.protobuf.duration_pb2 import Duration
from msgspec import structs
from support.played import START, opened
from support.service import QUICK, channel, reason, running_service
from support.tables import seated

from croupier.v1 import matches_pb2
from croupier_engine.clock import Clock, Limits
from croupier_engine.game import Act, By
from croupier_engine.registry import GAMES
from croupier_service.change import Change
from croupier_service.dealer import FairDealer
from croupier_service.lifecycle import TimedOut
from croupier_service.players import RandomNames
from croupier_service.record import Record

WINDOW, BANK, INCREMENT, GRACE = 1_000, 500, 200, 250


def running(seats: int) -> Record:
    game = GAMES["six_nimmt"]
    record, _ = opened(game, game.options(), seats, Random(seats))
    clock = Clock.start(Limits(WINDOW, BANK, INCREMENT), seats)
    return structs.replace(record, clock=clock.follow(record.awaiting, START))


def act(record: Record, seat: int, at: int) -> Record:
    change = Change(record, FairDealer(), at, name=RandomNames().change())
    change.act(seat, next(iter(record.game.choices(record.state, seat) or ())))
    return change.record


@pytest.mark.parametrize(
    ("seats", "late"), sorted({(seats, late) for seats in range(2, 11) for late in (1, 2, seats - 1, seats)})
)
def test_c11_those_who_ran_out_are_settled_in_one_step_and_those_who_answered_are_not(seats: int, late: int) -> None:
    record = running(seats)
    for seat in range(late, seats):
        record = act(record, seat, START + WINDOW + 100)
    early = Change(record, FairDealer(), START + WINDOW + BANK + GRACE - 1, name=RandomNames().change())
    assert not early.fire(GRACE, 0)
    change = Change(record, FairDealer(), START + WINDOW + BANK + GRACE, name=RandomNames().change())
    assert change.fire(GRACE, 0)
    told = [event.public for _, event in change.entry.numbered() if isinstance(event.public, TimedOut)]
    assert told == [TimedOut(tuple(range(late)))]
    commands = [step.command for step in change.entry.steps if isinstance(step.command, Act)]
    assert [(command.seat, command.by) for command in commands] == [(seat, By.CLOCK) for seat in range(late)]
    assert [command.action for command in commands] == [
        record.game.default(record.state, seat) for seat in range(late)
    ], "each plays its own"
    after = change.record
    assert after.awaiting is not None
    assert record.awaiting is not None
    assert after.awaiting.window != record.awaiting.window, "the table goes on"
    assert after.clock is not None
    assert after.clock.banks == (0,) * late + (BANK - 100 + INCREMENT,) * (seats - late)
    again = Change(after, FairDealer(), change.at, name=RandomNames().change())
    assert not again.fire(GRACE, 0), "it fires once"


async def test_banks_and_increments_are_told_and_counted(redis_url: str) -> None:
    clock = matches_pb2.ClockOptions(
        window_duration=Duration(seconds=30), bank_duration=Duration(seconds=60), increment_duration=Duration(seconds=5)
    )
    async with running_service(redis_url, settings=replace(QUICK, turn_grace=0)) as service, channel(service) as over:
        (ann, bob), match = await seated([over], 2, clock=clock)
        seen = await ann.get(match)
        assert seen.clock == clock
        answer = await ann.choose(seen)
        seats = answer.match.seats
        assert seats[0].clock.bank_duration.seconds == 65, "in time"
        assert not seats[0].clock.HasField("deadline_time"), "it stands"
        assert seats[1].clock.bank_duration.seconds == 60
        started = next(event.time for event in answer.events).ToMilliseconds()
        assert 85_000 < seats[1].clock.deadline_time.ToMilliseconds() - started <= 90_000
        assert (await bob.get(match)).you.window.remaining.seconds > 80


@pytest.mark.parametrize(
    ("field", "seconds"),
    [("window_duration", -1), ("bank_duration", -1), ("increment_duration", -1), ("increment_duration", 86_401)],
)
async def test_clocks_that_cannot_be_are_refused(redis_url: str, field: str, seconds: int) -> None:
    async with running_service(redis_url) as service, channel(service) as over:
        clock = matches_pb2.ClockOptions(**{field: Duration(seconds=seconds)})
        assert await reason(seated([over], 2, clock=clock)) == "INVALID_FIELD"
