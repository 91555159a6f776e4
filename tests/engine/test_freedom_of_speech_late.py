"""Freedom of Speech: what comes between the deadline and the buzz does not take the place of the buzz [5]."""

import pytest
from support.freedom_of_speech import ELEPHANT, GAME, NOW, act, position, script, some_words, told, turn

from croupier_engine.freedom_of_speech import events
from croupier_engine.freedom_of_speech.model import Foul, Phase, State
from croupier_engine.freedom_of_speech.options import ForfeitMode, Options, TurnMode
from croupier_engine.game import Outcome, Resign, Step, Tick

DUE = NOW + 60_000
SOLO = Options(turn_mode=TurnMode.SOLO, forfeit_mode=ForfeitMode.TEAM, referee=3)
BUZZED = [events.Buzzed(1, 0, 0, ELEPHANT)]


def tick(state: State) -> Step[State]:
    return GAME.apply(state, Tick(DUE + 50))


@pytest.mark.parametrize("late", [0, 30])
def test_c5_a_flag_after_the_deadline_leaves_the_turn_to_the_buzz(late: int) -> None:
    given = act(position(SOLO), "0 clue grey", DUE - 1000).state
    flagged = act(given, "3 flag 1", DUE + late)
    assert [type(event.public) for event in flagged.events] == [events.Flagged]
    assert turn(flagged.state) == (Phase.CLUE, 0)
    assert GAME.view(flagged.state, None).open_clues == ()
    buzzed = tick(flagged.state)
    assert told(buzzed.events, events.Buzzed) == BUZZED
    assert told(buzzed.events, events.Forfeited) == [events.Forfeited(ForfeitMode.TEAM, (0, 2), 1)]
    in_time = act(given, "3 flag 1", DUE - 1)
    assert told(in_time.events, events.Fouled) == [events.Fouled(0, Foul.FLAGGED, 1, ELEPHANT)]


def test_c5_a_flag_after_the_deadline_takes_the_point_back() -> None:
    won = script(position(SOLO), "0 clue grey", "2 guess elephant", at=DUE - 1000).state
    flagged = act(won, "3 flag 1", DUE + 30)
    assert told(flagged.events, events.TakenBack) == [events.TakenBack(0, 1, ELEPHANT, (0, 0))]
    assert told(flagged.events, events.Fouled) == []
    assert told(tick(flagged.state).events, events.Buzzed) == [events.Buzzed(1, 0, 0, some_words(1)[0])]


@pytest.mark.parametrize("late", [0, 30])
def test_c5_a_giver_who_gives_up_after_the_deadline_is_buzzed_first(late: int) -> None:
    step = GAME.apply(position(SOLO, seats=6), Resign(0, DUE + late))
    assert told(step.events, events.Buzzed) == BUZZED
    assert told(step.events, events.Forfeited) == [events.Forfeited(ForfeitMode.TEAM, (0, 2, 4), 1)]
    assert told(step.events, events.Ready) == [events.Ready(1, 1, 0)]
    assert (step.state.resigned, step.state.forfeits, step.state.dead) == ((0,), (1, 0, 1, 0, 1, 0), (0,))
    assert turn(script(step.state, "tick", "tick").state) == (Phase.READY, 2)
    before = GAME.apply(position(SOLO, seats=6), Resign(0, DUE - 1))
    assert told(before.events, events.Buzzed) == []


@pytest.mark.parametrize("seat", range(4))
def test_c5_whoever_ends_the_match_after_the_deadline_is_buzzed_first(seat: int) -> None:
    step = GAME.apply(position(SOLO), Resign(seat, DUE + 30))
    assert told(step.events, events.Buzzed) == BUZZED
    assert told(step.events, events.Ended) == [events.Ended(1 - seat % 2, (0, 0))]
    assert step.events[-1].public == events.Ended(1 - seat % 2, (0, 0))


def test_c5_after_the_last_buzz_the_cards_decide_and_not_who_left() -> None:
    last = position(Options(turn_mode=TurnMode.SOLO, max_rounds=1), won=(2, 1))
    step = GAME.apply(last, Resign(0, DUE + 30))
    assert told(step.events, events.Ended) == [events.Ended(0, (2, 1))]
    assert GAME.outcome(step.state) == Outcome((1, 3, 1, 3), (2, 1, 2, 1))
    assert step.state.resigned == (0,)


def test_c5_a_guesser_who_gives_up_after_the_deadline_leaves_the_turn_to_the_buzz() -> None:
    step = GAME.apply(position(SOLO, seats=6), Resign(2, DUE + 30))
    assert step.events == ()
    assert told(tick(step.state).events, events.Buzzed) == BUZZED
