"""Durak: endgames of two players, played exactly by the engine and by a second implementation of the rules."""

from random import Random

import pytest
from support.durak import GAME, position
from support.durak_endgame import Position, solve

from croupier_engine.cards import pack
from croupier_engine.durak.model import Phase, State
from croupier_engine.durak.options import Kind, Options
from croupier_engine.game import Act

PHASES = {Phase.LEAD: "L", Phase.DEFEND: "D", Phase.THROW: "T", Phase.OVER: "O"}


def told(state: State) -> Position:
    """An engine's state in the terms of the other implementation."""
    table = frozenset((pair.attack, pair.cover or "") for pair in state.bout.table)
    hands = (frozenset(state.hands[0]), frozenset(state.hands[1]))
    if state.phase is Phase.OVER:
        defender = state.bout.defender if state.bout.taking else 1 - state.bout.defender
        return Position(hands, defender, phase="O")
    return Position(hands, state.bout.defender, table, state.bout.taking, PHASES[state.phase])


def play_out(start: State) -> tuple[int, set[Position]]:
    """The same as `solve`, by the engine's choices and outcomes."""
    worth: dict[Position, int] = {}

    def value(state: State) -> int:
        at = told(state)
        if at not in worth:
            outcome = GAME.outcome(state)
            awaiting = GAME.awaiting(state)
            if awaiting is None:
                assert outcome is not None
                worth[at] = outcome.scores[1] - outcome.scores[0]
            else:
                (seat,) = awaiting.must
                values = [value(GAME.apply(state, Act(seat, act, 0)).state) for act in GAME.choices(state, seat)]
                worth[at] = max(values) if seat == 0 else min(values)
        return worth[at]

    return value(start), set(worth)


def both(first: str, second: str, kind: Kind, deck: int = 36) -> tuple[int, int]:
    """The value for seat 0, who leads, and the number of positions that can come; the implementations agree."""
    by_engine = play_out(position([first, second], Options(kind=kind, deck=deck)))
    start = Position((frozenset(first.split()), frozenset(second.split())), 1)
    by_rules = solve(start, kind.value, "H")
    assert by_engine == by_rules
    return by_rules[0], len(by_rules[1])


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("deck", [36, 54])
def test_small_endgames_are_worth_the_same(kind: Kind, deck: int) -> None:
    dice = Random(deck)
    # Few ranks, so that there is much to throw in and to pass on.
    low = [card for card in pack(deck) if card[0] in "6789" or card in ("JB", "JR")]
    seen = set()
    for _ in range(60):
        cards = dice.sample(low, dice.randint(2, 6))
        split = dice.randint(1, len(cards) - 1)
        seen.add(both(" ".join(cards[:split]), " ".join(cards[split:]), kind, deck)[0])
    assert seen >= {1, -1}


DEALS = [
    ("6S 6C 7S", "8S 7C 6H"),
    ("6S 7S 8S", "9S TS JS"),
    ("9S 9C 9D", "9H TS TC"),
    ("AS KS QS", "6H 7H 8H"),
    ("6S 6C 6D", "7S 7C 7D"),
    ("6S 6C 6D 6H", "7S 7C"),
    ("7S 8C", "7C 7D 8S 8H"),
    ("6S", "6C 6D 7S 8H 9S"),
    ("TS TC JD", "TD TH JS"),
    ("6H 7H AS", "AC AD 8S"),
]
COUNTS = {
    Kind.PROSTOY: [
        (-1, 342),
        (-1, 453),
        (0, 284),
        (-1, 453),
        (0, 172),
        (1, 389),
        (-1, 100),
        (1, 6),
        (0, 215),
        (1, 108),
    ],
    Kind.PODKIDNOY: [
        (-1, 508),
        (-1, 681),
        (0, 398),
        (-1, 681),
        (0, 244),
        (1, 558),
        (1, 134),
        (1, 6),
        (1, 313),
        (1, 154),
    ],
    Kind.PEREVODNOY: [
        (-1, 655),
        (-1, 681),
        (0, 522),
        (-1, 681),
        (0, 256),
        (1, 691),
        (1, 143),
        (1, 6),
        (1, 533),
        (1, 552),
    ],
}
"""By kind and deal: what it is worth to seat 0, who leads, and how many positions can come."""


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("deal", range(len(DEALS)))
def test_golden_counts_of_positions(kind: Kind, deal: int) -> None:
    assert both(*DEALS[deal], kind) == COUNTS[kind][deal]
