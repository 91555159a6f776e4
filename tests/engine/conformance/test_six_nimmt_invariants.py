"""6 nimmt!: what holds at any moment of any match, and that the order of arrival of choices is of no account."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.playing import Habits, Match, play, profiles
from support.six_nimmt import GAME, dealt, told

from croupier_engine.game import Act, Deal, Event
from croupier_engine.six_nimmt import rules
from croupier_engine.six_nimmt.deck import deck_size, total
from croupier_engine.six_nimmt.model import (
    ROWS,
    Cards,
    Commit,
    Committed,
    Dealt,
    Options,
    Phase,
    Placement,
    Revealed,
    RowTaken,
    State,
)

habits = st.sampled_from([Habits(), Habits(late=0.8), Habits(resign=0.01)])
holding = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def a_match(data: st.DataObject) -> Match:
    options, seats = data.draw(profiles(GAME))
    return play(GAME, options, seats, Random(data.draw(st.integers(0, 2**32 - 1))), data.draw(habits))


@holding
@given(data=st.data())
def test_cards_are_conserved(data: st.DataObject) -> None:
    match = a_match(data)
    deck = list(range(1, deck_size(match.options, match.seats) + 1))
    taken: list[int] = []
    undealt: list[int] = []
    for number, step in enumerate(match.steps):
        command = match.commands[number - 1] if number else None
        if isinstance(command, Deal):
            undealt = [index + 1 for index in command.order[10 * match.seats + ROWS :]]
        for event in step.events:
            if isinstance(event.public, Dealt):
                taken = []
            elif isinstance(event.public, RowTaken):
                taken += event.public.taken
        state: State = step.state
        if state.deal:
            waiting = [play.card for play in state.plays[state.laid :]]
            lie = [card for cards in (*state.hands, *state.rows) for card in cards]
            assert sorted([*lie, *waiting, *taken, *undealt, *state.pool]) == deck


@holding
@given(data=st.data())
def test_rows_ascend_and_have_one_to_five_cards(data: st.DataObject) -> None:
    for step in a_match(data).steps:
        state: State = step.state
        assert len(state.rows) == (0 if state.pool or state.deal == 0 else ROWS)
        for row in state.rows:
            assert 1 <= len(row) <= 5
            assert list(row) == sorted(set(row))
        for hand in state.hands:
            assert list(hand) == sorted(set(hand))


@holding
@given(data=st.data())
def test_scores_are_the_credit_less_the_bullheads_taken(data: st.DataObject) -> None:
    match = a_match(data)
    taken = 0
    for step in match.steps:
        for told_taken in told(step.events, RowTaken):
            assert told_taken.bulls == total(told_taken.taken)
            taken += told_taken.bulls
        assert sum(step.state.scores) == match.seats * match.options.start_credit - taken


@holding
@given(data=st.data())
def test_a3_7_one_card_of_a_trick_fits_nowhere_at_most(data: st.DataObject) -> None:
    match = a_match(data)
    asked = {
        (step.state.deal, step.state.trick, step.state.plays[step.state.laid])
        for step in match.steps
        if step.state.phase is Phase.CHOOSE_ROW
    }
    assert len(asked) == len({(deal, trick) for deal, trick, _ in asked})


def without_commits(events: tuple[Event, ...]) -> list[Any]:
    return [event.public for event in events if not isinstance(event.public, Committed)]


@pytest.mark.parametrize("seats", range(2, 11))
@pytest.mark.parametrize("placement", Placement)
def test_c2_every_order_of_arrival_leads_to_the_same_reveal(seats: int, placement: Placement) -> None:
    """For each set of seats that have chosen there is one state, whichever came last; so all orders agree."""
    dice = Random(seats)
    order = list(range(104))
    dice.shuffle(order)
    first = rules.start(Options(placement=placement), seats).state
    opening = rules.apply(first, Deal(tuple(order), 0)).state
    cards = [dice.choice(hand) for hand in opening.hands]
    reached = {frozenset[int](): opening}
    revealed: list[list[Any]] = []
    for _ in range(seats):
        following: dict[frozenset[int], State] = {}
        for chosen, state in reached.items():
            awaiting = rules.awaiting(state)
            assert awaiting is not None
            assert awaiting.must == tuple(seat for seat in range(seats) if seat not in chosen)
            assert awaiting.done == tuple(sorted(chosen))
            for seat in awaiting.must:
                step = rules.apply(state, Act(seat, Commit(cards[seat]), 0))
                assert following.setdefault(chosen | {seat}, step.state) == step.state
                if len(awaiting.must) == 1:
                    revealed.append(without_commits(step.events))
        reached = following
    assert len(reached) == 1
    assert len(revealed) == seats
    assert all(events == revealed[0] for events in revealed)
    (told_plays,) = [payload.plays for payload in revealed[0] if isinstance(payload, Revealed)]
    assert [play.card for play in told_plays] == sorted(cards)


def test_c2_a_changed_mind_leads_to_the_same_reveal() -> None:
    options = Options(recommit=True, cards=Cards.TACTIC)
    direct = dealt(options, 3)
    wavering = direct
    for seat in (2, 0):
        direct = rules.apply(direct, Act(seat, Commit(10 * seat + 4), 0)).state
    for seat, card in ((0, 9), (2, 21), (0, 4), (2, 24)):
        wavering = rules.apply(wavering, Act(seat, Commit(card), 0)).state
    assert wavering == direct
