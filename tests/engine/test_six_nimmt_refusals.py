"""6 nimmt!: what is refused, with which reason and facts, and that nothing changes by it [8]."""

from typing import Any

import pytest
from support.six_nimmt import GAME, PROFESSIONAL, act, dealt, last_trick, refused

from croupier_engine.errors import IllegalAction, InvalidOptions, Reason, option_name
from croupier_engine.game import Act, Command, Credit, Deal, Resign, Tick
from croupier_engine.six_nimmt import rules
from croupier_engine.six_nimmt.model import Action, Cards, ChooseRow, ChooseSide, Commit, Options, Pick, Side, State


def drafting() -> State:
    return rules.start(Options(cards=Cards.LOGIC), 2).state


def choosing() -> State:
    return dealt(Options(), 2)


def choosing_row() -> State:
    return last_trick([[20], [30], [40], [50]], 5, 8).state


def choosing_side() -> State:
    return last_trick([[20], [24], [60], [70]], 22, 104, options=PROFESSIONAL).state


ASKED = {"pick": drafting, "commit": choosing, "row": choosing_row, "side": choosing_side}
ACTIONS: dict[str, Action] = {"pick": Pick(1), "commit": Commit(1), "row": ChooseRow(1), "side": ChooseSide(Side.LEFT)}


@pytest.mark.parametrize("expected", ASKED)
@pytest.mark.parametrize("sent", [*ACTIONS, "nonsense"])
def test_a8_another_kind_of_action(expected: str, sent: str) -> None:
    state, action = ASKED[expected](), ACTIONS.get(sent, "nonsense")
    if sent == expected:
        assert rules.apply(state, Act(0, action, 0)).state != state  # type: ignore[arg-type]
    else:
        assert refused(state, Act(0, action, 0)) == (Reason.WRONG_ACTION, {"expected": expected})  # type: ignore[arg-type]


NO_INTEGERS = [True, False, None, "1", 1.0, [1]]


@pytest.mark.parametrize("card", [0, -1, 11, 105, 10**30, *NO_INTEGERS])
def test_a8_a_card_not_held(card: Any) -> None:
    assert refused(choosing(), Act(0, Commit(card), 0)) == (Reason.CARD_NOT_HELD, {"card": str(card)})


@pytest.mark.parametrize("card", [0, -1, 25, 10**30, *NO_INTEGERS])
def test_a8_a_card_not_offered(card: Any) -> None:
    assert refused(drafting(), Act(0, Pick(card), 0)) == (Reason.CARD_NOT_OFFERED, {"card": str(card)})


@pytest.mark.parametrize("row", [-1, 4, 10**30, *NO_INTEGERS])
def test_a8_a_row_out_of_range(row: Any) -> None:
    assert refused(choosing_row(), Act(0, ChooseRow(row), 0)) == (Reason.ROW_OUT_OF_RANGE, {"row": str(row)})


@pytest.mark.parametrize("side", ["LEFT", 0, None, True])
def test_a8_a_side_that_is_none(side: Any) -> None:
    assert refused(choosing_side(), Act(0, ChooseSide(side), 0)) == (Reason.SIDE_INVALID, {})


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("seat", [-1, 2, 10**30, True, None, "0"])
def test_a8_a_seat_that_is_none(kind: str, seat: Any) -> None:
    state = ASKED[kind]()
    assert refused(state, Act(seat, ACTIONS[kind], 0)) == (Reason.NOT_ASKED, {})
    assert refused(state, Resign(seat, 0)) == (Reason.NOT_ASKED, {})
    assert rules.choices(state, seat) == ()
    with pytest.raises(IllegalAction, match=r"NOT_ASKED"):
        rules.default(state, seat)


@pytest.mark.parametrize("kind", ["pick", "row", "side"])
def test_a8_a_seat_that_is_not_asked(kind: str) -> None:
    assert refused(ASKED[kind](), Act(1, ACTIONS[kind], 0)) == (Reason.NOT_ASKED, {})


def test_a8_nobody_acts_while_a_deal_is_wanted() -> None:
    state = rules.start(Options(), 2).state
    assert refused(state, Act(0, Commit(1), 0)) == (Reason.NOT_ASKED, {})
    assert rules.choices(state, 0) == ()


@pytest.mark.parametrize(
    "order",
    [(), tuple(range(103)), tuple(range(105)), tuple(range(1, 105)), (0, *range(103)), (True, 0, *range(2, 104))],
)
def test_a2_2_a_deal_that_is_no_permutation(order: tuple[int, ...]) -> None:
    state = rules.start(Options(), 2).state
    assert refused(state, Deal(order, 0)) == (Reason.DEAL_INVALID, {"size": "104"})


def test_a2_2_a_deal_that_nobody_asked_for() -> None:
    assert refused(choosing(), Deal(tuple(range(104)), 0)) == (Reason.DEAL_NOT_ASKED, {})
    assert refused(drafting(), Deal(tuple(range(24)), 0)) == (Reason.DEAL_NOT_ASKED, {})


@pytest.mark.parametrize("kind", ASKED)
def test_these_rules_have_no_timers(kind: str) -> None:
    state = ASKED[kind]()
    assert refused(state, Tick(10**12)) == (Reason.TICK_EARLY, {})
    credited = rules.apply(state, Credit(5000, 10**12))
    assert (credited.state, credited.events) == (state, ())


def test_nothing_can_be_done_once_it_is_over() -> None:
    over = rules.apply(choosing(), Resign(0, 0)).state
    commands: list[Command[Action]] = [
        Act(1, Commit(11), 0),
        Resign(1, 0),
        Deal(tuple(range(104)), 0),
        Tick(0),
        Credit(1, 0),
    ]
    for command in commands:
        assert refused(over, command) == (Reason.GAME_OVER, {})
    assert rules.choices(over, 1) == ()
    assert rules.awaiting(over) is None


@pytest.mark.parametrize("seats", [-1, 0, 1, 11, True, None, "4"])
def test_a2_1_two_to_ten_players(seats: Any) -> None:
    with pytest.raises(InvalidOptions) as refusal:
        GAME.validate(Options(), seats)
    assert refusal.value.reason is Reason.SEATS_INVALID
    assert refusal.value.details == {"game": "six_nimmt", "min": "2", "max": "10", "seats": str(seats)}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *[("start_credit", value) for value in (0, -66, 1001, True, 66.0, "66", None)],
        *[("deals", value) for value in (0, -1, 101, True, None)],
        *[(name, "?") for name in ("cards", "placement", "end_mode", "end_check", "pro_choice")],
        ("cards", "LOGIC"),
        ("recommit", 1),
    ],
)
def test_an_option_out_of_range(option: str, value: Any) -> None:
    with pytest.raises(InvalidOptions) as refusal:
        GAME.start(Options(**{option: value}), 4, 0)
    assert refusal.value.reason is Reason.OPTION_INVALID
    assert set(refusal.value.details) == {"option", "problem"}
    assert refusal.value.details["option"] == option_name(option)
    assert str(value) in refusal.value.details["problem"]


@pytest.mark.parametrize(
    ("option", "value"), [("start_credit", 1), ("start_credit", 1000), ("deals", 1), ("deals", 100)]
)
def test_an_option_at_its_bounds(option: str, value: int) -> None:
    GAME.validate(Options(**{option: value}), 2)  # type: ignore[arg-type]


def test_a_refusal_tells_reason_and_facts() -> None:
    with pytest.raises(IllegalAction, match=r"CARD_NOT_HELD.*'card': '77'"):
        act(choosing(), 0, Commit(77))
