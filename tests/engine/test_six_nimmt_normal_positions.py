"""The positions N01..N19 of docs/rules/six_nimmt.md, section 10."""

from collections import Counter

import pytest
from msgspec.structs import replace
from support.six_nimmt import act, dealt, last_trick, play, position, refused, told

from croupier_engine.errors import Reason
from croupier_engine.game import Act, By, Deal, Event, Outcome, Step
from croupier_engine.six_nimmt import rules
from croupier_engine.six_nimmt.deck import bulls, deck_size
from croupier_engine.six_nimmt.model import (
    Cards,
    ChooseRow,
    Commit,
    Dealt,
    EndMode,
    Options,
    Phase,
    Pick,
    Picked,
    Play,
    RowsLaid,
    RowTaken,
    State,
)


def test_n01_bullheads() -> None:
    assert [bulls(card) for card in (1, 5, 10, 11, 50, 51, 55, 56, 99, 100, 104)] == [1, 2, 3, 5, 3, 1, 7, 1, 5, 3, 1]
    deck = [bulls(card) for card in range(1, 105)]
    assert Counter(deck) == {1: 76, 2: 9, 3: 10, 5: 8, 7: 1}
    assert sum(deck) == 171


def test_n02_each_card_goes_to_the_nearest_lower_row() -> None:
    state = last_trick([[12], [37], [43], [58]], 14, 15, 44, 61).state
    assert state.rows == ((12, 14, 15), (37,), (43, 44), (58, 61))
    assert state.scores == (66, 66, 66, 66)


def test_n03_the_sixth_card_takes_the_row() -> None:
    step = last_trick([[12, 14, 15], [37], [43, 44], [58, 61]], 21, 26, 30, 36)
    assert told(step.events, RowTaken) == [RowTaken(2, 30, 0, (12, 14, 15, 21, 26), 6, By.PLAYER)]
    assert step.state.rows[0] == (30, 36)
    assert step.state.scores == (66, 66, 60, 66)


def test_n04_a_low_card_takes_a_row_of_its_players_choice() -> None:
    state = last_trick([[30, 36], [37], [43, 44], [58, 61]], 3, 9, 68, 93).state
    assert state.phase is Phase.CHOOSE_ROW
    step = act(state, 0, ChooseRow(1))
    assert told(step.events, RowTaken) == [RowTaken(0, 3, 1, (37,), 1, By.PLAYER)]
    assert step.state.rows == ((30, 36), (3, 9), (43, 44), (58, 61, 68, 93))


def test_n05_a_second_low_card_is_not_asked() -> None:
    state = last_trick([[20], [30], [40], [50]], 5, 8).state
    step = act(state, 0, ChooseRow(0))
    assert step.state.rows[0] == (5, 8)
    assert step.state.scores == (63, 66)
    assert step.state.phase is Phase.DEAL


def test_n06_the_row_that_was_taken_is_gone_for_the_next_card() -> None:
    state = last_trick([[60, 61], [70], [80], [33, 38, 41, 52, 57]], 29, 62).state
    step = act(state, 0, ChooseRow(0))
    assert [(taken.card, taken.bulls) for taken in told(step.events, RowTaken)] == [(29, 4), (62, 9)]
    assert step.state.rows == ((29,), (70,), (80,), (62,))


def test_n08_a_row_that_was_taken_fills_up_again() -> None:
    state = last_trick([[50], [60], [70], [80]], 1, 2, 3, 4, 5, 6, 7).state
    step = act(state, 0, ChooseRow(0))
    assert [(taken.card, taken.bulls) for taken in told(step.events, RowTaken)] == [(1, 3), (6, 6)]
    assert step.state.rows[0] == (6, 7)


def test_n10_out_of_time_takes_the_cheapest_row_of_lowest_index() -> None:
    state = last_trick([[10], [12, 13], [14, 16], [55]], 3, 100).state
    assert rules.default(state, 0) == ChooseRow(1)


def test_n11_a_full_row_may_be_picked() -> None:
    state = last_trick([[20, 21, 23, 24, 26], [30], [40], [50]], 5, 100).state
    step = act(state, 0, ChooseRow(0))
    assert told(step.events, RowTaken)[0].taken == (20, 21, 23, 24, 26)
    assert step.state.rows[0] == (5,)


def test_n12_a_score_of_nought_ends_nothing_within_a_deal() -> None:
    third = ([11, *range(61, 68)], [90, *range(71, 78)])
    state = position([[1, 2, 3, 4, 6], [20], [30], [80]], third, trick=3, scores=(5, 66))
    state = play(state, 11, 90).state
    assert state.scores == (0, 66)
    assert (state.phase, state.trick) == (Phase.CHOOSE, 4)
    for trick in range(4, 11):
        assert (state.phase, state.trick) == (Phase.CHOOSE, trick)
        state = play(state, *[hand[0] for hand in state.hands]).state
    assert state.phase is Phase.OVER


def test_n14_equal_scores_share_a_place() -> None:
    over = replace(dealt(Options(), 4), phase=Phase.OVER, scores=(12, -3, 12, 0))
    assert rules.outcome(over) == Outcome((1, 4, 1, 3), (12, -3, 12, 0))


def test_n15_the_full_deck_is_shuffled_again() -> None:
    state = last_trick([[1], [20], [30], [40]], 98, 99).state
    awaiting = rules.awaiting(state)
    assert awaiting is not None
    assert (awaiting.kind, awaiting.window, awaiting.chance) == ("DEAL", "d2.deal", 104)
    scored = replace(state, scores=(12, 30))
    again = rules.apply(scored, Deal(tuple(range(103, -1, -1)), 0)).state
    assert again.hands[0] == tuple(range(95, 105))
    assert (again.deal, again.trick, again.scores, again.bulls) == (2, 1, (12, 30), (0, 0))


@pytest.mark.parametrize(("seats", "size"), [(2, 24), (3, 34), (5, 54), (10, 104)])
def test_n16_the_tactic_deck_is_dealt_out(seats: int, size: int) -> None:
    options = Options(cards=Cards.TACTIC)
    assert deck_size(options, seats) == size
    state = dealt(options, seats)
    lie = [card for cards in (*state.hands, *state.rows) for card in cards]
    assert sorted(lie) == list(range(1, size + 1))


def test_n17_logic_draft_in_plain_rotation() -> None:
    step = rules.start(Options(cards=Cards.LOGIC, end_mode=EndMode.FIXED_DEALS, deals=2), 3)
    assert told(step.events, Dealt) == [Dealt(1, (), (0, 0, 0), (), tuple(range(1, 35)))]
    order, events, state = draft(step.state)
    assert order == [0, 1, 2] * 10
    assert told(events, RowsLaid) == [RowsLaid(((31,), (32,), (33,), (34,)))]
    assert state.rows == ((31,), (32,), (33,), (34,))
    while state.deal == 1:
        state = by_default(state).state
    assert state.phase is Phase.DRAFT
    assert draft(state)[0] == [1, 2, 0] * 10


def by_default(state: State) -> Step[State]:
    awaiting = rules.awaiting(state)
    assert awaiting is not None
    seat = awaiting.must[0]
    return act(state, seat, rules.default(state, seat))


def draft(state: State) -> tuple[list[int], list[Event], State]:
    """All picks: who made them, what happened, and where it led."""
    order: list[int] = []
    events: list[Event] = []
    while state.phase is Phase.DRAFT:
        step = by_default(state)
        order += [picked.seat for picked in told(step.events, Picked)]
        events += step.events
        state = step.state
    return order, events, state


def test_n18_a_card_that_was_picked_is_gone() -> None:
    state = act(rules.start(Options(cards=Cards.LOGIC), 3).state, 0, Pick(17)).state
    assert refused(state, Act(1, Pick(17), 0)) == (Reason.CARD_NOT_OFFERED, {"card": "17"})
    assert told(act(state, 1, Pick(18)).events, Picked) == [Picked(1, 18, By.PLAYER)]


def test_n19_second_choice_foreign_card_late_choice() -> None:
    state = dealt(Options(), 2)
    once = act(state, 0, Commit(3)).state
    assert refused(once, Act(0, Commit(4), 0)) == (Reason.ALREADY_COMMITTED, {})
    assert refused(once, Act(1, Commit(3), 0)) == (Reason.CARD_NOT_HELD, {"card": "3"})
    asked = last_trick([[20], [30], [40], [50]], 5, 8).state
    assert refused(asked, Act(1, Commit(8), 0)) == (Reason.NOT_ASKED, {})
    assert asked.plays == (Play(0, 5), Play(1, 8))
