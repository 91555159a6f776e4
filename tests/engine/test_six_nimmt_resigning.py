"""6 nimmt!: giving up [9.1] and presets [9.2]."""

import pytest
from support.six_nimmt import GAME, PROFESSIONAL, act, dealt, last_trick, play, position, refused, stacked, told

from croupier_engine.errors import Reason
from croupier_engine.game import Act, By, Outcome, Resign, Step
from croupier_engine.six_nimmt import rules
from croupier_engine.six_nimmt.model import (
    Cards,
    ChooseRow,
    Commit,
    Committed,
    DealScored,
    Dealt,
    EndMode,
    Options,
    Phase,
    Pick,
    Picked,
    Placed,
    Revealed,
    RowsLaid,
    RowTaken,
    Side,
    State,
)


def resign(state: State, seat: int) -> Step[State]:
    return rules.apply(state, Resign(seat, 0))


def test_a9_1_with_two_players_it_is_over() -> None:
    step = resign(dealt(Options(), 2), 0)
    assert told(step.events, DealScored) == [DealScored(1, (0, 0), (66, 66))]
    assert rules.outcome(step.state) == Outcome((2, 1), (66, 66))


def test_nobody_has_a_place_until_it_is_over() -> None:
    assert rules.outcome(dealt(Options(), 2)) is None


def test_a9_1_before_the_first_deal_there_is_none_to_score() -> None:
    step = resign(rules.start(Options(), 2).state, 1)
    assert (step.events, step.state.phase) == ((), Phase.OVER)
    assert rules.outcome(step.state) == Outcome((1, 2), (66, 66))


def test_a9_1_before_a_deal_it_waits_for_the_dealer_still() -> None:
    state = resign(rules.start(Options(), 3).state, 1).state
    assert state.phase is Phase.DEAL
    step = rules.apply(state, stacked((), ()))
    assert told(step.events, Committed) == [Committed(1, None, By.CLOCK)]
    assert step.state.chosen == (None, 11, None)


def test_a9_1_the_lowest_card_is_chosen_at_once_and_in_every_trick() -> None:
    step = resign(dealt(Options(), 3), 1)
    (event,) = step.events
    assert event.public == Committed(1, None, By.CLOCK)
    assert event.seen_by(1) == Committed(1, 11, By.CLOCK)
    awaiting = rules.awaiting(step.state)
    assert awaiting is not None
    assert (awaiting.must, awaiting.done) == ((0, 2), (1,))
    asked = act(act(step.state, 0, Commit(10)).state, 2, Commit(30)).state
    step = act(asked, 0, ChooseRow(0))
    assert told(step.events, Committed) == [Committed(1, None, By.CLOCK)]
    assert step.state.chosen == (None, 12, None)


def test_a9_1_what_was_chosen_stays() -> None:
    state = act(dealt(Options(recommit=True), 3), 1, Commit(17)).state
    step = resign(state, 1)
    assert step.events == ()
    assert step.state.chosen == (None, 17, None)
    awaiting = rules.awaiting(step.state)
    assert awaiting is not None
    assert (awaiting.must, awaiting.may, awaiting.done) == ((0, 2), (), (1,))


def test_a9_1_the_last_to_choose_gives_up() -> None:
    state = play(dealt(Options(), 3), 1, 11).state
    step = resign(state, 2)
    assert [play.card for play in told(step.events, Revealed)[0].plays] == [1, 11, 21]


def test_a9_1_an_open_question_gets_its_default() -> None:
    row = resign(last_trick([[20], [31], [40], [50]], 5, 8, 9).state, 0)
    assert told(row.events, RowTaken) == [RowTaken(0, 5, 1, (31,), 1, By.CLOCK)]
    side = resign(last_trick([[20], [24], [60], [70]], 22, 103, 104, options=PROFESSIONAL).state, 0)
    assert told(side.events, Placed)[0] == Placed(0, 22, 0, Side.RIGHT)
    assert side.state.phase is Phase.DEAL


def test_a9_1_a_question_to_another_seat_stays_open() -> None:
    state = last_trick([[20], [31], [40], [50]], 8, 5, 9).state
    after = resign(state, 0)
    assert after.events == ()
    assert rules.awaiting(after.state) == rules.awaiting(state)


def test_a9_1_low_card_of_a_seat_that_is_gone() -> None:
    state = dealt(Options(), 3)  # seat 0 holds 1..10 and the rows are 31..34
    state = resign(state, 0).state
    step = act(act(state, 1, Commit(11)).state, 2, Commit(21))
    assert told(step.events, RowTaken) == [RowTaken(0, 1, 0, (31,), 1, By.CLOCK)]
    assert step.state.trick == 2


def test_a9_1_in_a_draft_the_lowest_cards_are_picked_at_once() -> None:
    state = rules.start(Options(cards=Cards.LOGIC), 3).state
    assert resign(state, 1).events == ()
    step = resign(state, 0)
    assert told(step.events, Picked) == [Picked(0, 1, By.CLOCK)]
    awaiting = rules.awaiting(step.state)
    assert awaiting is not None
    assert (awaiting.window, awaiting.must) == ("d1.pick.2", (1,))
    step = act(act(step.state, 1, Pick(20)).state, 2, Pick(30))
    assert told(step.events, Picked) == [Picked(2, 30, By.PLAYER), Picked(0, 2, By.CLOCK)]


def test_a9_1_the_last_pick_of_a_draft_and_the_first_of_the_next() -> None:
    options = Options(cards=Cards.LOGIC, end_mode=EndMode.FIXED_DEALS, deals=3)
    step = resign(rules.start(options, 3).state, 2)
    openings = []
    while step.state.phase is not Phase.OVER:
        awaiting = rules.awaiting(step.state)
        assert awaiting is not None
        step = act(step.state, awaiting.must[0], rules.default(step.state, awaiting.must[0]))
        if told(step.events, RowsLaid):
            assert step.state.phase is Phase.CHOOSE
            assert step.state.chosen[2] is not None
        if told(step.events, Dealt):
            openings.append(told(step.events, Picked))
    assert openings == [[], [Picked(2, 1, By.CLOCK)]]  # seat 1 starts the second draft, seat 2 the third


def test_a9_1_over_in_a_draft_scores_the_deal() -> None:
    state = resign(rules.start(Options(cards=Cards.LOGIC), 3).state, 1).state
    step = resign(state, 0)
    assert told(step.events, DealScored) == [DealScored(1, (0, 0, 0), (66, 66, 66))]
    assert rules.outcome(step.state) == Outcome((2, 3, 1), (66, 66, 66))


def test_a9_1_the_first_to_go_is_last_whatever_the_scores() -> None:
    state = position([[15], [60], [70], [80]], [(16,), (61,), (71,), (81,), (90,)], scores=(1, 9, 50, 50, 4))
    state = resign(resign(state, 3).state, 2).state
    step = act(act(act(state, 0, Commit(16)).state, 1, Commit(61)).state, 4, Commit(90))
    ended = resign(resign(step.state, 0).state, 4).state
    assert rules.outcome(ended) == Outcome((3, 1, 4, 5, 2), (1, 9, 50, 50, 4))


def test_a9_1_a_score_of_nought_counts_for_a_seat_that_is_gone() -> None:
    state = position([[15], [60], [70], [80]], [(16,), (61,), (71,)], scores=(0, 9, 50))
    state = resign(state, 0).state
    step = act(act(state, 1, Commit(61)).state, 2, Commit(71))
    assert rules.outcome(step.state) == Outcome((3, 2, 1), (0, 9, 50))


def test_a9_1_whoever_gave_up_stays_out() -> None:
    state = resign(dealt(Options(recommit=True), 3), 1).state
    assert refused(state, Act(1, Commit(12), 0)) == (Reason.ALREADY_RESIGNED, {})
    assert refused(state, Resign(1, 0)) == (Reason.ALREADY_RESIGNED, {})
    assert rules.choices(state, 1) == ()


def test_a9_1_two_gone_of_four_the_game_goes_on() -> None:
    state = resign(resign(dealt(Options(), 4), 1).state, 3).state
    step = act(act(state, 0, Commit(1)).state, 2, Commit(21))
    assert [play.card for play in told(step.events, Revealed)[0].plays] == [1, 11, 21, 31]
    step = act(step.state, 0, ChooseRow(0))
    assert told(step.events, Committed) == [Committed(1, None, By.CLOCK), Committed(3, None, By.CLOCK)]


@pytest.mark.parametrize(
    ("preset", "options", "seats"),
    [
        ("full_match", Options(), range(2, 11)),
        ("single_deal", Options(end_mode=EndMode.FIXED_DEALS, deals=1), range(2, 11)),
        ("beginner", Options(), range(2, 11)),
        ("luck", Options(), range(5, 11)),
        ("strategy", Options(cards=Cards.TACTIC), range(4, 7)),
    ],
)
def test_a9_2_presets(preset: str, options: Options, seats: range) -> None:
    assert next(iter(GAME.presets)) == "full_match"
    assert len(GAME.presets) == 5
    assert (GAME.presets[preset].options, GAME.presets[preset].seats) == (options, tuple(seats))
