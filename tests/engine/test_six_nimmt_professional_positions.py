"""The positions P01..P07 of docs/rules/six_nimmt.md, section 10."""

from support.six_nimmt import PROFESSIONAL, act, last_trick, told

from croupier_engine.game import By
from croupier_engine.six_nimmt import rules
from croupier_engine.six_nimmt.model import ChooseRow, ChooseSide, Phase, Placed, RowTaken, Side, State


def played(rows: list[list[int]], card: int) -> State:
    """The card on these rows, and after it 104, which takes part in nothing."""
    return last_trick(rows, card, 104, options=PROFESSIONAL).state


def test_p01_equally_near_ends_are_a_choice() -> None:
    state = played([[18, 20], [24, 30], [40, 45], [60]], 22)
    awaiting = rules.awaiting(state)
    assert awaiting is not None
    assert (awaiting.kind, awaiting.window, awaiting.must) == ("CHOOSE_SIDE", "d1.t10.side.22", (0,))
    assert rules.choices(state, 0) == [ChooseSide(Side.LEFT), ChooseSide(Side.RIGHT)]
    left, right = (act(state, 0, ChooseSide(side)) for side in (Side.LEFT, Side.RIGHT))
    assert told(left.events, Placed)[0] == Placed(0, 22, 1, Side.LEFT)
    assert left.state.rows[:2] == ((18, 20), (22, 24, 30))
    assert told(right.events, Placed)[0] == Placed(0, 22, 0, Side.RIGHT)
    assert right.state.rows[:2] == ((18, 20, 22), (24, 30))


def test_p02_the_right_end_is_nearer() -> None:
    assert played([[18, 20], [25, 30], [40, 45], [60]], 22).rows[:2] == ((18, 20, 22), (25, 30))


def test_p03_the_left_end_is_nearer() -> None:
    assert played([[40, 41], [10, 15], [60], [80]], 38).rows[0] == (38, 40, 41)


def test_p05_no_card_is_too_low() -> None:
    state = played([[20], [30], [40], [50]], 5)
    assert state.rows[0] == (5, 20)
    assert state.scores == (66, 66)


def test_p06_a_card_inside_every_row_takes_one() -> None:
    state = played([[10, 50], [20, 60], [5, 90], [30, 70]], 40)
    assert state.phase is Phase.CHOOSE_ROW
    assert rules.default(state, 0) == ChooseRow(2)
    step = act(state, 0, ChooseRow(3), By.CLOCK)
    assert told(step.events, RowTaken) == [RowTaken(0, 40, 3, (30, 70), 6, By.CLOCK)]


def test_p07_a_row_of_one_card_takes_any() -> None:
    state = played([[10, 50], [20, 60], [5, 90], [41]], 40)
    assert state.rows[3] == (40, 41)
