"""What every registered game keeps to, in every preset and with every option. Matches are played by dice."""

from random import Random
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.playing import LONGEST, START, Habits, Match, asked, play, profiles, refusal

from croupier_engine import codec
from croupier_engine.errors import Reason
from croupier_engine.game import Act, AnyGame, Command, Credit, Deal, Resign, Tick
from croupier_engine.registry import GAMES
from croupier_engine.replay import replay

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
habits = st.sampled_from([Habits(), Habits(late=1.0), Habits(resign=0.005), Habits(resign=0.05, unasked=0.6)])
dice = st.integers(0, 2**32 - 1).map(Random)
conforming = settings(max_examples=50, deadline=None, derandomize=True, database=None)


def played(game: AnyGame, data: st.DataObject, most: int = LONGEST) -> Match:
    options, seats = data.draw(profiles(game))
    return play(game, options, seats, data.draw(dice), data.draw(habits), most)


@every_game
@conforming
@given(data=st.data())
def test_a_game_ends_and_stays_ended(game: AnyGame, data: st.DataObject) -> None:
    match = played(game, data)
    assert len(match.commands) < LONGEST
    assert all(game.outcome(step.state) is None for step in match.steps[:-1])
    outcome = game.outcome(match.state)
    assert outcome is not None
    assert len(outcome.places) == match.seats
    assert outcome.scores == game.scores(match.state)
    for place in outcome.places:
        assert place == 1 + sum(other < place for other in outcome.places)
    for seat in range(match.seats):
        assert not game.choices(match.state, seat)
        for command in (Resign(seat, START), Tick(START), Credit(1, START), Deal((0,), START), *match.commands[-1:]):
            assert refusal(game, match.state, command) == (Reason.GAME_OVER, {})


@every_game
@conforming
@given(data=st.data())
def test_a_log_replays_to_the_same_states_and_events(game: AnyGame, data: st.DataObject) -> None:
    match = played(game, data)
    assert list(replay(game, match.options, match.seats, START, match.commands)) == match.steps


@every_game
@conforming
@given(data=st.data())
def test_all_values_survive_being_written(game: AnyGame, data: st.DataObject) -> None:
    match = played(game, data, most=150)
    assert codec.decode_options(game, codec.encode_options(match.options)) == match.options
    for step in match.steps:
        written = codec.encode_state(game, step.state)
        again = codec.decode_state(game, written, match.options)
        assert (again, hash(again)) == (step.state, hash(step.state))
        assert codec.encode_state(game, again) == written
        assert codec.decode_events(game, codec.encode_events(step.events)) == step.events
    for command in match.commands:
        assert codec.decode_command(game, codec.encode_command(game, command)) == command
    outcome = game.outcome(match.state)
    assert outcome is None or codec.decode_outcome(codec.encode_outcome(outcome)) == outcome


@every_game
@conforming
@given(data=st.data())
def test_who_is_asked_has_choices_and_nobody_else(game: AnyGame, data: st.DataObject) -> None:
    match = played(game, data, most=100)
    for step in match.steps:
        awaiting = game.awaiting(step.state)
        if awaiting is None:
            continue
        for seats in (awaiting.must, awaiting.may, awaiting.done):
            assert list(seats) == sorted(set(seats))
            assert set(seats) <= set(range(match.seats))
        assert not set(awaiting.must) & {*awaiting.may, *awaiting.done}
        assert awaiting.must or awaiting.chance or awaiting.deadline is not None
        for seat in range(match.seats):
            choices = game.choices(step.state, seat)
            names = game.action_names(step.state, seat)
            assert set(names) <= set(game.actions)
            assert not names or seat in (*awaiting.must, *awaiting.may)
            assert names or seat not in awaiting.must
            if choices is not None:
                assert {game.actions[name] for name in names} == {type(choice) for choice in choices}
            if seat not in (*awaiting.must, *awaiting.may):
                assert choices is not None
                assert not choices
                continue
            if choices is None:
                continue
            # A seat of `may` may lack what it could act with: being asked must not tell what it holds.
            assert choices or seat in awaiting.may
            assert len(set(choices)) == len(choices)
            for action in choices:
                game.apply(step.state, Act(seat, action, START))
            if seat in awaiting.must:
                assert game.default(step.state, seat) in choices


@every_game
@conforming
@given(data=st.data())
def test_a_window_is_one_question_and_never_comes_back(game: AnyGame, data: st.DataObject) -> None:
    match = played(game, data)
    seen: dict[str, tuple[str, int]] = {}
    last, waited_for = "", set(range(match.seats))
    for step in match.steps[:-1]:
        awaiting = asked(game, step.state)
        if awaiting.window == last:
            assert seen[last] == (awaiting.kind, awaiting.chance)
            assert set(awaiting.must) <= waited_for
        else:
            assert awaiting.window not in seen
            last = awaiting.window
            seen[last] = (awaiting.kind, awaiting.chance)
        waited_for = set(awaiting.must)


@every_game
@conforming
@given(data=st.data())
def test_events_are_of_the_declared_payloads(game: AnyGame, data: st.DataObject) -> None:
    for step in played(game, data, most=300).steps:
        for event in step.events:
            kinds = (game.payloads[event.type], type(None))
            assert isinstance(event.public, kinds)
            assert all(isinstance(payload, kinds) for payload in event.private.values())
            assert isinstance(event.private, MappingProxyType), "an event is frozen, with all that it holds"


def illegal(match: Match, state: Any) -> list[Command[Any]]:
    """Commands that no rules take in this state, of whatever game."""
    game, awaiting, at = match.game, asked(match.game, state), START
    listed = [game.choices(state, seat) for seat in range(match.seats)]
    actions = set[Any]().union(*(choices for choices in listed if choices is not None))
    commands: list[Command[Any]] = [
        Act(seat, action, at)
        for seat, choices in enumerate(listed)
        if choices is not None  # else there may be more than is listed anywhere
        for action in actions - set(choices)
    ]
    commands += [Act(seat, object(), at) for seat in range(match.seats)]
    commands += [Act(seat, action, at) for seat in (-1, match.seats) for action in actions]
    commands += [Resign(seat, at) for seat in (-1, match.seats)]
    orders = [(), (0,) * awaiting.chance, tuple(range(awaiting.chance + 1)), tuple(range(1, awaiting.chance + 1))]
    commands += [Deal(order, at) for order in orders]
    if awaiting.deadline is None:
        commands.append(Tick(10**15))
    return commands


@every_game
@conforming
@given(data=st.data())
def test_what_is_refused_leaves_no_trace(game: AnyGame, data: st.DataObject) -> None:
    match = played(game, data, most=200)
    moves = list(match.moves())
    for state, command, step in data.draw(dice).sample(moves, min(8, len(moves))):
        before = codec.encode_state(game, state)
        for wrong in illegal(match, state):
            assert refusal(game, state, wrong) is not None
        assert codec.encode_state(game, state) == before
        assert game.apply(state, command) == step
        assert codec.encode_state(game, state) == before


@every_game
def test_presets_can_be_played_as_recommended(game: AnyGame) -> None:
    assert next(iter(game.presets.values())).options == game.options()
    for preset in game.presets.values():
        assert set(preset.seats) <= set(game.seats)
        for seats in preset.seats:
            game.validate(preset.options, seats)
