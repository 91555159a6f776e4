"""Freedom of Speech: what becomes of clues that may still be flagged [6.3]."""

import pytest
from support.freedom_of_speech import ELEPHANT, GAME, NOW, act, position, refused, script, told, turn

from croupier_engine.errors import Reason
from croupier_engine.freedom_of_speech import events
from croupier_engine.freedom_of_speech.model import OPEN, Foul, Phase
from croupier_engine.freedom_of_speech.options import Options, TurnMode
from croupier_engine.game import Resign

SLOW = Options(turn_mode=TurnMode.SOLO, flag_duration=600_000, timer_duration=30_000)


def test_c6_3_a_card_that_is_drawn_again_is_not_taken_back_for_a_clue_of_before() -> None:
    state = script(position(SLOW, deck=0, dead=1), "0 clue grey", "tick", "1 start", "deal").state
    assert (turn(state), state.current) == ((Phase.CLUE, 1), 1)
    state = script(state, "tick", "2 start", "0 guess elephant", "deal", at=NOW + 61_000).state
    assert (state.piles, state.open_clues[0].number) == (((0,), ()), 1)
    step = script(state, "1 flag 1", "3 flag 1", at=NOW + 70_000)
    assert told(step.events, events.Flagged) == [events.Flagged(1, 1), events.Flagged(3, 1)]
    assert told(step.events, events.TakenBack) == []
    assert step.state.piles == ((0,), ())


def test_c6_3_a_card_that_is_drawn_again_is_taken_back_for_a_clue_of_now() -> None:
    state = script(position(SLOW, deck=3), "0 clue grey", "tick").state
    assert state.dead == (0,)
    state = script(state, "1 start", "tick", "2 start", "tick", "3 start", "tick", at=NOW + 40_000).state
    state = script(state, "0 start", "deal", at=state.deadline or 0).state
    card = GAME.view(state, 0).word
    assert card is not None
    state = script(state, "0 clue big", f"2 guess {card.word}", at=(state.deadline or 0) - 9000).state
    step = script(state, "1 flag 2", "3 flag 2", at=(state.deadline or 0) - 5000)
    assert told(step.events, events.TakenBack) == [events.TakenBack(0, 2, card, (0, 0))]


def test_c6_3_so_many_clues_can_be_flagged_at_once() -> None:
    state = position(SLOW)
    for number in range(OPEN + 5):
        state = act(state, f"0 clue grey {number}", NOW + 250 * number).state
    shown = GAME.view(state, 1).open_clues
    assert [clue.number for clue in shown] == list(range(6, OPEN + 6))
    assert refused(state, "1 flag 5", NOW + 20_000) is Reason.FLAG_TOO_LATE
    assert told(act(state, "1 flag 6", NOW + 20_000).events, events.Flagged) == [events.Flagged(1, 6)]


@pytest.mark.parametrize("seat", [5, 7])
def test_c6_3_flags_are_counted_anew_when_an_opponent_gives_up(seat: int) -> None:
    state = script(position(seats=8), "0 clue grey", "1 flag 1", "3 flag 1").state
    step = GAME.apply(state, Resign(seat, NOW + 5000))
    assert told(step.events, events.Fouled) == [events.Fouled(0, Foul.FLAGGED, 1, ELEPHANT)]
    assert (turn(step.state), step.state.open_clues) == ((Phase.READY, 1), ())


@pytest.mark.parametrize("seat", [1, 2])
def test_c6_3_it_is_not_half_when_another_gives_up(seat: int) -> None:
    state = script(position(seats=8), "0 clue grey", "1 flag 1", "3 flag 1").state
    step = GAME.apply(state, Resign(seat, NOW + 5000))
    assert told(step.events, events.Fouled) == []
    assert turn(step.state) == (Phase.CLUE, 0)


def test_c6_3_nothing_is_upheld_once_the_match_is_over() -> None:
    options = Options(turn_mode=TurnMode.SOLO, max_rounds=1)
    state = script(position(options, seats=8), "0 clue grey", "2 guess elephant", "0 clue big").state
    state = script(state, *(f"{seat} flag {clue}" for seat in (1, 3) for clue in (1, 2))).state
    step = GAME.apply(state, Resign(5, NOW + 5000))
    assert [type(event.public) for event in step.events] == [events.TakenBack, events.Fouled, events.Ended]
    assert GAME.scores(step.state)[0] == 0
