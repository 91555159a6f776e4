"""Clocks: a window's limit first, then the seat's bank. Times are ms."""

from croupier_engine.clock import Clock, Limits
from croupier_engine.game import Awaiting

LIMITS = Limits(window=1000, bank=500, increment=100)


def asking(*seats: int, window: str = "w1") -> Awaiting:
    return Awaiting(window, "CHOOSE", must=seats)


def test_a_clock_that_stands_has_no_deadline() -> None:
    clock = Clock.start(LIMITS, 3)
    assert clock.banks == (500, 500, 500)
    assert clock.next_deadline() is None
    assert clock.expired(10**12) == ()


def test_only_seats_that_are_waited_for_run() -> None:
    clock = Clock.start(LIMITS, 3).follow(asking(0, 2), 10_000)
    assert [clock.deadline(seat) for seat in range(3)] == [11_500, None, 11_500]
    assert clock.next_deadline() == 11_500


def test_an_answer_within_the_limit_keeps_the_bank_and_earns_the_increment() -> None:
    clock = Clock.start(LIMITS, 2).follow(asking(0, 1), 0).follow(asking(1), 1000)
    assert clock.banks == (600, 500)
    assert clock.since == (None, 0)


def test_what_is_used_beyond_the_limit_leaves_the_bank() -> None:
    clock = Clock.start(LIMITS, 1).follow(asking(0), 0).follow(asking(0, window="w2"), 1200)
    assert clock.banks == (400,)
    assert clock.since == (1200,)


def test_out_of_time_leaves_nothing_and_earns_nothing() -> None:
    clock = Clock.start(LIMITS, 1).follow(asking(0), 0).follow(None, 1500)
    assert clock.banks == (0,)
    assert (clock.window, clock.next_deadline()) == (None, None)


def test_another_seats_answer_changes_nothing_for_the_others() -> None:
    clock = Clock.start(LIMITS, 3).follow(asking(0, 1, 2), 0).follow(asking(0, 2), 700)
    assert [clock.deadline(seat) for seat in range(3)] == [1500, None, 1500]


def test_c11_seats_that_run_out_together_are_named_together() -> None:
    clock = Clock.start(LIMITS, 3).follow(asking(0, 1), 0)
    clock = clock.follow(asking(0, 1, 2), 400)
    assert clock.expired(1499) == ()
    assert clock.expired(1500) == (0, 1)
    assert clock.expired(1900) == (0, 1, 2)


def test_a_credit_moves_deadlines_and_not_banks() -> None:
    clock = Clock.start(LIMITS, 2).follow(asking(1), 0).credit(5000)
    assert (clock.next_deadline(), clock.banks) == (6500, (500, 500))
    assert clock.follow(None, 5900).banks == (500, 600)


def test_limits_without_bank_or_increment() -> None:
    clock = Clock.start(Limits(window=200), 1).follow(asking(0), 0)
    assert clock.next_deadline() == 200
    assert clock.follow(None, 199).banks == (0,)
