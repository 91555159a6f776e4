"""Two truths that differ only in what a viewer may not know look the same to that viewer, in all that is answered."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from support.hidden import ANOTHER
from support.playing import START, Habits, Match, play, profiles, refusal

from croupier_engine.game import Act, AnyGame, Command, Deal, Seat, Step, Tick
from croupier_engine.registry import GAMES

habits = st.sampled_from([Habits(), Habits(resign=0.02), Habits(unasked=0.8)])


def test_every_game_has_other_truths() -> None:
    assert set(ANOTHER) == set(GAMES)


def seen(game: AnyGame, step: Step[Any], viewer: Seat | None) -> dict[str, object]:
    """All that is answered to a viewer after a step, errors included."""
    state, awaiting = step.state, game.awaiting(step.state)
    own = () if viewer is None else (viewer,)
    probes: list[Command[Any]] = [Deal((), START), Tick(START)]
    for seat in own:
        probes += [Act(seat, kind(*[10**6] * len(kind.__slots__)), START) for kind in game.actions.values()]
    return {
        "view": game.view(state, viewer),
        "awaiting": replace(awaiting, deadline=None) if awaiting and awaiting.secret else awaiting,
        "scores": game.scores(state),
        "outcome": game.outcome(state),
        "events": [(event.type, event.seen_by(viewer)) for event in step.events],
        "choices": [game.choices(state, seat) for seat in own],
        "names": [game.action_names(state, seat) for seat in own],
        "defaults": [game.default(state, seat) for seat in own if awaiting and seat in awaiting.must],
        "refusals": [refusal(game, state, probe) for probe in probes],
    }


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(data=st.data())
def test_no_viewer_can_tell_which_truth_it_is(game: AnyGame, data: st.DataObject) -> None:
    options, seats = data.draw(profiles(game))
    dice = Random(data.draw(st.integers(0, 2**32 - 1)))
    match = play(game, options, seats, dice, data.draw(habits), most=dice.randint(1, 25 * seats))
    for viewer in (None, *dice.sample(range(seats), 2)):
        other = Match(game, options, seats)
        for command in ANOTHER[game.name](match, viewer, dice):
            other.do(command)
        for number, (step, another) in enumerate(zip(match.steps, other.steps, strict=True)):
            assert seen(game, another, viewer) == seen(game, step, viewer), f"after {number} commands"


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_other_truths_differ(game: AnyGame) -> None:
    dice = Random(1)
    differing = 0
    for _ in range(20):
        match = play(game, game.options(), 4, dice, Habits(), most=dice.randint(2, 60))
        differing += ANOTHER[game.name](match, 0, dice) != match.commands
    assert differing >= 15
