"""Playing a log again."""

import pytest
from support.six_nimmt import GAME

from croupier_engine.errors import IllegalAction, InvalidOptions
from croupier_engine.game import Act, Command, Deal, Resign
from croupier_engine.replay import replay
from croupier_engine.six_nimmt.model import Action, Commit, Options

LOG: list[Command[Action]] = [Deal(tuple(range(104)), 5), Act(1, Commit(14), 6), Resign(0, 7)]


def test_a_step_for_the_start_and_for_each_command() -> None:
    steps = list(replay(GAME, Options(), 2, 0, LOG))
    assert len(steps) == 4
    assert steps[0] == GAME.start(Options(), 2, 0)
    for number, command in enumerate(LOG):
        assert steps[number + 1] == GAME.apply(steps[number].state, command)
    outcome = GAME.outcome(steps[-1].state)
    assert outcome is not None
    assert outcome.places == (2, 1)


def test_a_log_that_the_rules_refuse() -> None:
    steps = replay(GAME, Options(), 2, 0, [*LOG, *LOG[-1:]])
    with pytest.raises(IllegalAction, match="GAME_OVER"):
        list(steps)
    with pytest.raises(InvalidOptions, match="SEATS_INVALID"):
        next(replay(GAME, Options(), 11, 0, LOG))
