"""6 nimmt!: what is shown to whom [5.7]."""

import pytest
from support.six_nimmt import GAME, act, dealt, last_trick

from croupier_engine.game import Resign
from croupier_engine.six_nimmt import rules
from croupier_engine.six_nimmt.model import Cards, ChooseRow, Commit, Options, Pick, Play, View


def test_a5_7_a_seat_sees_its_own_hand_and_choice() -> None:
    state = act(dealt(Options(), 3), 1, Commit(15)).state
    assert GAME.view(state, 1) == View(
        deal=1,
        trick=1,
        rows=((31,), (32,), (33,), (34,)),
        hand=tuple(range(11, 21)),
        hands=(),
        hand_sizes=(10, 10, 10),
        pool=(),
        chosen=15,
        plays=(),
        waiting=(),
        scores=(66, 66, 66),
        bulls=(0, 0, 0),
        resigned=(),
    )
    other = GAME.view(state, 2)
    assert (other.hand, other.chosen) == (tuple(range(21, 31)), None)


@pytest.mark.parametrize("viewer", [None, -1, 3, 99])
def test_a5_7_whoever_has_no_seat_sees_no_hand(viewer: int | None) -> None:
    state = act(dealt(Options(), 3), 2, Commit(25)).state
    seen = GAME.view(state, viewer)
    assert (seen.hand, seen.chosen, seen.hands) == ((), None, ())
    assert seen.hand_sizes == (10, 10, 10)


def test_a3_5_revealed_cards_and_those_that_wait() -> None:
    state = last_trick([[20], [30], [40], [50]], 35, 5, 104).state
    seen = GAME.view(state, None)
    assert seen.plays == seen.waiting == (Play(1, 5), Play(0, 35), Play(2, 104))
    assert seen.hand_sizes == (0, 0, 0)
    after = GAME.view(act(state, 1, ChooseRow(0)).state, None)
    assert (after.waiting, after.bulls, after.scores) == ((), (0, 3, 0), (66, 63, 66))


def test_before_the_first_deal() -> None:
    seen = GAME.view(GAME.start(Options(), 2, 0).state, 0)
    assert (seen.deal, seen.trick, seen.rows, seen.hand, seen.hand_sizes) == (0, 0, (), (), (0, 0))


def test_a6_in_a_draft_the_pool_and_all_hands_lie_open() -> None:
    state = act(rules.start(Options(cards=Cards.LOGIC), 2).state, 0, Pick(24)).state
    seen = GAME.view(state, None)
    assert seen.pool == tuple(range(1, 24))
    assert seen.hands == ((24,), ())
    assert (seen.deal, seen.trick, seen.rows) == (1, 0, ())


def test_a9_1_who_gave_up_in_order() -> None:
    state = dealt(Options(), 4)
    for seat in (3, 1):
        state = rules.apply(state, Resign(seat, 0)).state
    assert GAME.view(state, None).resigned == (3, 1)
    assert GAME.scores(state) == (66, 66, 66, 66)


def test_the_names_of_what_a_seat_may_do() -> None:
    drafting = rules.start(Options(cards=Cards.LOGIC), 2).state
    assert [GAME.action_names(drafting, seat) for seat in (0, 1)] == [("pick",), ()]
    choosing = dealt(Options(), 2)
    assert GAME.action_names(choosing, 1) == ("commit",)


def test_everybody_plays_for_himself() -> None:
    assert GAME.team(GAME.options(), 1) is None
