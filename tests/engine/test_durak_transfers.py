"""Durak: passing an attack on, and the end of a bout; the numbers in the names are those of docs/rules/durak.md."""

import pytest
from support.durak import GAME, asked, position, refused, script, told

from croupier_engine.durak import events
from croupier_engine.durak.model import Action, State, Transfer
from croupier_engine.durak.options import (
    Kind,
    Options,
    Permission,
    ThrowMatch,
    ThrowTiming,
    TransferFirstBout,
)
from croupier_engine.errors import Reason

PEREVODNOY = Kind.PEREVODNOY


def awaited(state: State) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """Kind, must, may."""
    awaiting = GAME.awaiting(state)
    assert awaiting is not None
    return awaiting.kind, awaiting.must, awaiting.may


def choices(state: State, seat: int, kind: type[Action]) -> list[Action]:
    return [choice for choice in GAME.choices(state, seat) if isinstance(choice, kind)]


def test_b7_transfer_only_while_nothing_is_beaten() -> None:
    hands = ["6S 6C", "9S 6D 7D", "8C 9C TC"]
    state = script(position(hands, Options(kind=PEREVODNOY)), "0 lead 6S 6C").state
    assert Transfer(("6D",)) in GAME.choices(state, 1)
    assert not choices(script(state, "1 beat 6S 9S").state, 1, Transfer)


def test_b7_transfer_after_beat() -> None:
    hands = ["6S 6C", "9S 6D 7D", "8C 9C TC"]
    options = Options(kind=PEREVODNOY, transfer_after_beat=True)
    state = script(position(hands, options), "0 lead 6S 6C", "1 beat 6S 9S", "1 transfer 6D").state
    assert asked(state) == ("DEFEND", (2,))
    assert [pair.cover for pair in state.bout.table] == ["9S", None, None]
    step = script(state, "2 take", "1 pass")
    assert told(step.events, events.Taken) == [events.Taken(2, ("6S", "9S", "6C", "6D"))]


def test_b7_transfer_only_of_one_rank() -> None:
    options = Options(kind=PEREVODNOY, throw_timing=ThrowTiming.ANYTIME, throw_match=ThrowMatch.RANK_OR_SUIT)
    state = script(position(["6S 7S", "6D 7D 8D", "8C 9C TC"], options), "0 lead 6S", "0 throw 7S").state
    assert refused(state, "1 transfer 6D") is Reason.TRANSFER_MIXED


def test_b7_transfer_target_with_a_talon_is_any_player() -> None:
    hands = ["6S 6C 6H 7S 7C 7D", "6D 8D 9D TD JD QD", ""]
    state = script(position(hands, Options(kind=PEREVODNOY), talon="AH"), "0 lead 6S").state
    assert refused(state, "1 transfer 6D") is Reason.TRANSFER_HAND_TOO_SMALL


def test_b7_transfer_passes_over_who_has_no_cards() -> None:
    hands = ["9S", "9C 6C 7C 8C TC", "9H QS KS AS", "9D TD JD QD"]
    state = script(position(hands, Options(kind=PEREVODNOY)), "0 lead 9S", "1 transfer 9C", "2 transfer 9H").state
    assert asked(script(state, "3 transfer 9D").state) == ("DEFEND", (1,))


def test_b7_transfer_may_run_round_the_table() -> None:
    hands = ["6S 7S 8S 9S TS", "6C 7C 8C", "6D 7D 8D"]
    state = script(position(hands, Options(kind=PEREVODNOY)), "0 lead 6S", "1 transfer 6C", "2 transfer 6D").state
    assert asked(state) == ("DEFEND", (0,))
    taken = script(state, "0 take")
    assert awaited(taken.state) == ("THROW", (2,), (1,))
    assert asked(script(taken.state, "2 pass", "1 pass").state) == ("LEAD", (1,))


@pytest.mark.parametrize(
    ("rule", "game", "bout", "legal"),
    [
        (TransferFirstBout.ALLOWED, 1, 1, True),
        (TransferFirstBout.FORBIDDEN_FIRST_GAME, 1, 1, False),
        (TransferFirstBout.FORBIDDEN_FIRST_GAME, 2, 1, True),
        (TransferFirstBout.FORBIDDEN, 2, 1, False),
        (TransferFirstBout.FORBIDDEN, 1, 2, True),
    ],
)
def test_b7_transfer_first_bout(rule: TransferFirstBout, game: int, bout: int, legal: bool) -> None:
    options = Options(kind=PEREVODNOY, transfer_first_bout=rule, games=2)
    state = script(position(["6S 7S", "6C 7C", "8C 9C"], options, game=game, bout=bout), "0 lead 6S").state
    assert bool(choices(state, 1, Transfer)) == legal


@pytest.mark.parametrize("rule", Permission)
def test_b7_transfer_with_trump_on_table(rule: Permission) -> None:
    options = Options(kind=PEREVODNOY, transfer_with_trump_on_table=rule)
    state = script(position(["6H 7S", "6C 7C", "8C 9C"], options), "0 lead 6H").state
    assert bool(choices(state, 1, Transfer)) == (rule is Permission.ALLOWED)


@pytest.mark.parametrize(("multi", "count"), [(True, 3), (False, 2)])
def test_b7_transfer_multi(multi: bool, count: int) -> None:
    options = Options(kind=PEREVODNOY, transfer_multi=multi)
    state = script(position(["6S 7S", "6C 6D 7C", "8C 9C TC"], options), "0 lead 6S").state
    assert len(choices(state, 1, Transfer)) == count


def test_b8_3_the_draw_goes_round_from_the_leader_and_the_defender_is_last() -> None:
    hands = ["6S 7S 8S 9S TS", "7C 8C 9C", "6D 7D", "JS QS KS AS"]
    options = Options(kind=PEREVODNOY)
    step = script(position(hands, options, talon="6H 7H 8H 9H TH JH QH KH AH"), "0 lead 6S", "1 take", "0 pass")
    step = script(step.state, "2 pass", "3 pass")
    assert [(drew.seat, drew.count) for drew in told(step.events, events.Drew)] == [(0, 2), (2, 4), (3, 2), (1, 1)]


def test_b8_3_the_leader_who_became_the_defender_draws_last() -> None:
    hands = ["6S 7C 8S 9S TS JS", "6C 7S 8C", "6D 7D 8D"]
    state = position(hands, Options(kind=PEREVODNOY), talon="QS KS AS QC KC AC TC JC 9C 9H")
    step = script(state, "0 lead 6S", "1 transfer 6C", "2 transfer 6D", "0 take", "2 pass", "1 pass")
    assert [drew.seat for drew in told(step.events, events.Drew)] == [1, 2]


def test_b8_3_what_is_drawn_is_for_its_player_alone() -> None:
    state = position(["6S 7S 8S 9S TS", "7C 8C 9C TC JC QC"], talon="KS 7H")
    step = script(state, "0 lead 6S", "1 take", "0 pass")
    (drew,) = [event for event in step.events if event.type == "durak.drew"]
    assert drew.seen_by(0) == events.Drew(0, 2, ("KS", "7H"))
    assert drew.seen_by(1) == drew.seen_by(None) == events.Drew(0, 2, ("7H",))


def test_b8_1_the_next_leader_when_the_defender_is_out() -> None:
    step = script(position(["6S 7S", "9S", "8C 9C"]), "0 lead 6S", "1 beat 6S 9S")
    assert told(step.events, events.WentOut) == [events.WentOut(1, 1)]
    assert asked(step.state) == ("LEAD", (2,))


def test_b8_6_places_inside_a_bout_go_by_the_last_card() -> None:
    state = position(["6S", "6C 9S", "9C", "7C 8C"], leader=0)
    step = script(state, "0 lead 6S", "1 beat 6S 9S", "2 throw 9C", "1 take")
    assert told(step.events, events.WentOut) == [events.WentOut(0, 1), events.WentOut(2, 2)]


def test_b8_6_in_a_draw_the_last_ones_share_the_place() -> None:
    step = script(position(["9S", "TS", ""], out=[2]), "0 lead 9S", "1 beat 9S TS")
    assert told(step.events, events.GameOver) == [events.GameOver(1, (), (2, 2, 1), (0, 0, 0))]


def test_b8_7_max_bouts() -> None:
    step = script(position(["6S 7S", "8C 9C"], Options(max_bouts=3), bout=3), "0 lead 6S", "1 take", "0 pass")
    assert told(step.events, events.GameOver) == [events.GameOver(1, (), (1, 1), (0, 0))]
