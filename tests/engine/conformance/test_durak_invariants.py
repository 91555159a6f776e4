"""Durak: what holds at any moment of any match, and that windows are made of what everybody sees."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from support.durak import GAME
from support.playing import LONGEST, Habits, Match, play, profiles

from croupier_engine.cards import pack, sort
from croupier_engine.durak.model import HAND, SIX, Answer, Phase, State
from croupier_engine.durak.options import Kind, Limit, Options
from croupier_engine.durak.questions import active, actor, on_table, unbeaten

habits = st.sampled_from([Habits(), Habits(late=0.8), Habits(resign=0.01), Habits(unasked=0.8)])
holding = settings(max_examples=60, deadline=None, derandomize=True, database=None)
PLAYED = (Phase.LEAD, Phase.DEFEND, Phase.THROW)


def a_match(data: st.DataObject) -> Match:
    options, seats = data.draw(profiles(GAME))
    return play(GAME, options, seats, Random(data.draw(st.integers(0, 2**32 - 1))), data.draw(habits))


def violations(state: State) -> list[str]:
    """Which of the invariants a state breaks."""
    if state.phase not in PLAYED:
        return []
    options, bout, broken = state.options, state.bout, []
    lie = (*(card for hand in state.hands for card in hand), *state.talon, *state.discard, *on_table(bout))
    if sort(lie) != pack(options.deck):
        broken.append("cards are conserved")
    if state.phase is Phase.LEAD and state.talon and any(len(state.hands[seat]) < HAND for seat in active(state)):
        broken.append("a talon at a lead means that all hands have six cards or more")
    limit = options.table_limit if state.talon else options.limit_after_talon_empty
    if limit is Limit.SIX and len(bout.table) > SIX:
        broken.append("no more attack cards than the table's limit")
    if len(unbeaten(bout)) > len(state.hands[actor(state, bout.defender)]):
        broken.append("no more cards to beat than the defender holds")
    if state.phase is Phase.DEFEND and not unbeaten(bout):
        broken.append("a defender has something to beat")
    if len(active(state)) < 2:
        broken.append("two play at least")
    return broken


@holding
@given(data=st.data())
def test_e_the_invariants_hold(data: st.DataObject) -> None:
    for step in a_match(data).steps:
        assert violations(step.state) == []


@holding
@given(data=st.data())
def test_e_windows_and_choices_of_acts_are_few(data: st.DataObject) -> None:
    for step in a_match(data).steps:
        for seat in range(len(step.state.hands)):
            assert len(GAME.choices(step.state, seat)) < 200


@holding
@given(data=st.data())
def test_b10_windows_are_made_of_what_everybody_sees(data: st.DataObject) -> None:
    """All that lies face down changes places, whatever was played so far; nobody is asked otherwise."""
    match = a_match(data)
    dice = Random(data.draw(st.integers(0, 2**32 - 1)))
    for step in match.steps:
        state: State = step.state
        assert GAME.awaiting(mixed(state, dice)) == GAME.awaiting(state)


def mixed(state: State, dice: Random) -> State:
    """Other cards in hands and talon, other dealt hands, other sealed answers, and nobody has passed ahead."""
    hidden = [card for card in (*(card for hand in state.hands for card in hand), *state.talon) if card != state.shown]
    dice.shuffle(hidden)

    def others(cards: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(card if card == state.shown else hidden.pop() for card in cards)

    hands, talon = tuple(sort(others(hand)) for hand in state.hands), others(state.talon)
    answers = tuple(given and Answer((), given.by) for given in state.bout.answers)
    bout = replace(state.bout, answers=answers, ahead=())
    return replace(state, hands=hands, talon=talon, dealt=tuple(hands) if state.dealt else (), bout=bout)


def tables() -> list[tuple[Options, int]]:
    """Every profile with every number of players, in all packs, and teams where they can be made."""
    found = []
    for preset in GAME.presets.values():
        for deck in (36, 52, 54):
            for seats in range(2, min(8, deck // HAND) + 1):
                options = replace(preset.options, deck=deck)
                found.append((options, seats))
                if seats in (4, 6) and options.kind is not Kind.PEREVODNOY:
                    found.append((replace(options, teams=2), seats))
    return found


@pytest.mark.soak
@pytest.mark.timeout(4 * 3600)
@pytest.mark.parametrize("part", [1, 2])
def test_e_twenty_thousand_matches_without_a_violation(part: int, capsys: pytest.CaptureFixture[str]) -> None:
    dice, matches = Random(part), 10_000
    found, commands = tables(), 0
    broken: list[Any] = []
    for number in range(matches):
        options, seats = found[number % len(found)]
        match = play(GAME, options, seats, dice, Habits(late=0.05, unasked=0.1))
        commands += len(match.commands)
        if len(match.commands) >= LONGEST:
            broken.append((options, seats, "a game ends"))
        broken += [(options, seats, one) for step in match.steps for one in violations(step.state)]
    with capsys.disabled():
        print(f"\npart {part}: {matches} games at {len(found)} tables, {commands} commands, {len(broken)} violations")
    assert not broken
