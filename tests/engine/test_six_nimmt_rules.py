"""6 nimmt!, paragraph by paragraph; the numbers are those of docs/rules/six_nimmt.md."""

import pytest
from support.six_nimmt import PROFESSIONAL, act, dealt, last_trick, play, position, stacked, told

from croupier_engine.game import By, Event
from croupier_engine.six_nimmt import rules
from croupier_engine.six_nimmt.model import (
    Cards,
    ChooseRow,
    ChooseSide,
    Commit,
    Committed,
    DealScored,
    Dealt,
    EndCheck,
    EndMode,
    Options,
    Phase,
    Pick,
    Placement,
    Play,
    ProChoice,
    Revealed,
    RowTaken,
    Side,
)
from croupier_engine.six_nimmt.placing import End, cheaper_side, ends

ALWAYS = Options(placement=Placement.PROFESSIONAL, pro_choice=ProChoice.ALWAYS)


@pytest.mark.parametrize("seats", range(2, 11))
def test_a2_2_ten_cards_each_and_four_rows(seats: int) -> None:
    state = dealt(Options(), seats)
    assert state.hands == tuple(tuple(range(10 * seat + 1, 10 * seat + 11)) for seat in range(seats))
    assert state.rows == tuple((10 * seats + row,) for row in range(1, 5))


def test_a2_2_a_hand_is_ascending_and_told_to_its_owner_alone() -> None:
    hands = ((31, 7, 19, 50, 2, 88, 64, 3, 100, 12), (1, 4, 5, 6, 8, 9, 10, 11, 13, 14))
    step = rules.apply(rules.start(Options(), 2).state, stacked(hands, (99, 20, 40, 21)))
    assert step.state.hands[0] == (2, 3, 7, 12, 19, 31, 50, 64, 88, 100)
    (event,) = step.events
    rows = ((99,), (20,), (40,), (21,))
    assert event.seen_by(None) == Dealt(1, rows, (10, 10), (), ())
    assert event.seen_by(0) == Dealt(1, rows, (10, 10), step.state.hands[0], ())
    assert event.seen_by(1) == Dealt(1, rows, (10, 10), hands[1], ())


def test_a3_1_a_choice_says_who_and_never_what() -> None:
    (event,) = act(dealt(Options(), 3), 1, Commit(15)).events
    assert event.public == Committed(1, None, By.PLAYER)
    assert dict(event.private) == {1: Committed(1, 15, By.PLAYER)}


def test_a3_1_recommit_changes_the_card_without_a_word() -> None:
    state = act(dealt(Options(recommit=True), 2), 0, Commit(3)).state
    awaiting = rules.awaiting(state)
    assert awaiting is not None
    assert (awaiting.must, awaiting.may, awaiting.done) == ((1,), (0,), (0,))
    assert rules.choices(state, 0) == [Commit(card) for card in range(1, 11)]
    changed = act(state, 0, Commit(8))
    assert changed.events == ()
    assert rules.awaiting(changed.state) == awaiting
    assert act(changed.state, 0, Commit(8)).state == changed.state
    revealed = act(changed.state, 1, Commit(11))
    assert told(revealed.events, Revealed) == [Revealed(1, (Play(0, 8), Play(1, 11)))]


def test_a3_1_without_recommit_nobody_may_act_again() -> None:
    state = act(dealt(Options(), 3), 1, Commit(11)).state
    awaiting = rules.awaiting(state)
    assert awaiting is not None
    assert (awaiting.must, awaiting.may, awaiting.done) == ((0, 2), (), (1,))
    assert rules.choices(state, 1) == ()


def test_a3_2_lowest_first_on_the_table_as_it_is() -> None:
    step = last_trick([[10], [50], [60], [70]], 13, 11, 12)
    assert told(step.events, Revealed) == [Revealed(10, (Play(1, 11), Play(2, 12), Play(0, 13)))]
    assert step.state.rows[0] == (10, 11, 12, 13)


def test_a3_4_the_forced_sixth_card_counts_as_the_players() -> None:
    state = position([[1, 2, 3, 4, 5], [60], [70], [80]], [(6,), (90,)])
    step = act(act(state, 0, Commit(6), By.CLOCK).state, 1, Commit(90))
    assert told(step.events, RowTaken)[0].by is By.PLAYER


def test_a3_5_higher_cards_wait_and_lie_open() -> None:
    state = last_trick([[20], [30], [40], [50]], 35, 5, 104).state
    awaiting = rules.awaiting(state)
    assert awaiting is not None
    assert (awaiting.kind, awaiting.window, awaiting.must) == ("CHOOSE_ROW", "d1.t10.row.5", (1,))
    assert rules.choices(state, 1) == [ChooseRow(row) for row in range(4)]
    assert rules.choices(state, 0) == ()
    assert state.plays[state.laid :] == (Play(1, 5), Play(0, 35), Play(2, 104))


def test_a3_6_bullheads_are_taken_off_at_once() -> None:
    state = last_trick([[20], [30], [55], [50]], 5, 8, 9).state
    taken = act(state, 0, ChooseRow(2)).state
    assert (taken.scores, taken.bulls) == ((59, 66, 66), (7, 0, 0))


def test_a4_defaults() -> None:
    state = dealt(Options(), 2)
    assert rules.default(state, 1) == Commit(11)
    draft = act(rules.start(Options(cards=Cards.LOGIC), 2).state, 0, Pick(1)).state
    assert rules.default(draft, 1) == Pick(2)


@pytest.mark.parametrize(
    ("left", "right", "cheaper"),
    [
        ([24], [20], Side.RIGHT),
        ([24, 25, 26, 27, 28], [20], Side.RIGHT),
        ([24], [16, 17, 18, 19, 20], Side.LEFT),
        ([24, 25, 26, 27, 28], [1, 2, 3, 4, 20], Side.LEFT),  # six bullheads against seven
        ([24, 25, 26, 27, 28], [1, 3, 4, 19, 20], Side.LEFT),
        ([24, 25, 26, 27, 30], [1, 3, 4, 5, 20], Side.RIGHT),  # eight bullheads each
    ],
)
def test_a4_the_cheaper_side_else_the_right_one(left: list[int], right: list[int], cheaper: Side) -> None:
    state = last_trick([left, right, [60], [70]], 22, 104, options=PROFESSIONAL).state
    assert rules.default(state, 0) == ChooseSide(cheaper)
    assert cheaper_side(state.rows, ends(state.rows, 22, PROFESSIONAL)) is cheaper


def test_a5_1_start_credit() -> None:
    assert rules.start(Options(start_credit=17), 2).state.scores == (17, 17)


def scored(events: tuple[Event, ...]) -> list[DealScored]:
    return told(events, DealScored)


@pytest.mark.parametrize(("credit", "phase"), [(2, Phase.OVER), (1, Phase.OVER), (3, Phase.DEAL)])
def test_a5_2_and_a5_4_nought_or_less_after_the_tenth_trick(credit: int, phase: Phase) -> None:
    state = position([[15], [60], [70], [80]], [(3,), (90,)], scores=(credit, 66))
    step = act(play(state, 3, 90).state, 0, ChooseRow(0))
    assert step.state.phase is phase
    assert scored(step.events) == [DealScored(1, (2, 0), (credit - 2, 66))]


def test_a5_3_end_check_trick_stops_after_the_trick() -> None:
    options = Options(end_check=EndCheck.TRICK)
    state = position([[15], [60], [70], [80]], [(3, 4), (16, 91)], options, trick=9, scores=(2, 66))
    asked = play(state, 3, 16).state
    step = act(asked, 0, ChooseRow(0))
    assert step.state.rows[0] == (3, 16)  # the trick is finished first
    assert (step.state.phase, step.state.trick) == (Phase.OVER, 9)
    assert scored(step.events) == [DealScored(1, (2, 0), (0, 66))]
    going_on = position([[15], [60], [70], [80]], [(16, 17), (90, 91)], options, trick=9)
    assert play(going_on, 16, 90).state.phase is Phase.CHOOSE


@pytest.mark.parametrize("end_check", EndCheck)
def test_a5_5_fixed_deals_whatever_the_scores(end_check: EndCheck) -> None:
    options = Options(end_mode=EndMode.FIXED_DEALS, deals=2, end_check=end_check)
    state = position([[15], [60], [70], [80]], [(16, 17), (90, 91)], options, trick=9, scores=(-5, 1))
    state = play(state, 16, 90).state
    assert (state.phase, state.trick) == (Phase.CHOOSE, 10)
    state = play(state, 17, 91).state
    assert state.phase is Phase.DEAL
    state = rules.apply(state, stacked(((), ()), ())).state
    while state.phase is not Phase.OVER:
        awaiting = rules.awaiting(state)
        assert awaiting is not None
        assert state.deal == 2
        state = act(state, awaiting.must[0], rules.default(state, awaiting.must[0])).state
    assert state.trick == 10


def test_a6_tactic_and_standard_are_one_with_ten_players() -> None:
    tactic, standard = (dealt(Options(cards=cards), 10) for cards in (Cards.TACTIC, Cards.STANDARD))
    assert (tactic.hands, tactic.rows) == (standard.hands, standard.rows)


@pytest.mark.parametrize("placement", Placement)
def test_a6_logic_hands_are_open_and_choices_sealed(placement: Placement) -> None:
    state = rules.start(Options(cards=Cards.LOGIC, placement=placement), 2).state
    while state.phase is Phase.DRAFT:
        awaiting = rules.awaiting(state)
        assert awaiting is not None
        assert awaiting.window == f"d1.pick.{sum(map(len, state.hands)) + 1}"
        assert rules.choices(state, awaiting.must[0]) == [Pick(card) for card in state.pool]
        state = act(state, awaiting.must[0], Pick(state.pool[-1])).state
    assert state.hands == (tuple(range(6, 25, 2)), tuple(range(5, 24, 2)))
    assert (state.trick, state.pool) == (1, ())
    (event,) = act(state, 0, Commit(8)).events
    assert event.seen_by(1) == Committed(0, None, By.PLAYER)


def test_a6_always_offers_the_nearest_of_each_side() -> None:
    rows = ((18, 20), (25, 30), (40, 45), (5, 12))
    assert ends(rows, 22, ALWAYS) == (End(1, Side.LEFT), End(0, Side.RIGHT))
    assert ends(rows, 22, PROFESSIONAL) == (End(0, Side.RIGHT),)
    state = last_trick(rows, 22, 104, options=ALWAYS).state
    assert state.phase is Phase.CHOOSE_SIDE
    assert act(state, 0, ChooseSide(Side.LEFT)).state.rows[1] == (22, 25, 30)


@pytest.mark.parametrize("options", [ALWAYS, PROFESSIONAL])
def test_a6_a_single_end_is_forced(options: Options) -> None:
    rows = ((18, 20), (25, 30), (40, 45), (60,))
    assert ends(rows, 3, options) == (End(0, Side.LEFT),)
    assert ends(rows, 61, options) == (End(3, Side.RIGHT),)


def test_a6_the_sixth_card_on_the_left_takes_the_row() -> None:
    step = last_trick([[40, 41, 42, 43, 44], [10, 15], [60], [80]], 38, 104, options=PROFESSIONAL)
    assert told(step.events, RowTaken) == [RowTaken(0, 38, 0, (40, 41, 42, 43, 44), 11, By.PLAYER)]
    assert step.state.rows[0] == (38,)


def test_a6_a_full_row_may_be_chosen_knowingly() -> None:
    state = last_trick([[24, 25, 26, 27, 28], [20], [60], [70]], 22, 104, options=PROFESSIONAL).state
    step = act(state, 0, ChooseSide(Side.LEFT), By.CLOCK)
    assert told(step.events, RowTaken)[0] == RowTaken(0, 22, 0, (24, 25, 26, 27, 28), 6, By.CLOCK)
    assert step.state.rows[0] == (22,)


def test_a6_two_cards_of_a_trick_may_both_be_choices() -> None:
    step = last_trick([[20], [24], [60], [64]], 22, 62, options=PROFESSIONAL)
    step = act(step.state, 0, ChooseSide(Side.RIGHT))
    awaiting = rules.awaiting(step.state)
    assert awaiting is not None
    assert (awaiting.window, awaiting.must) == ("d1.t10.side.62", (1,))
    assert act(step.state, 1, ChooseSide(Side.LEFT)).state.rows == ((20, 22), (24,), (60,), (62, 64))
