"""Golden playthroughs of the six modes: a change of the rules shows as a difference in readable text.

`python -m pytest tests/engine --regenerate-golden` writes them anew. A difference without a new `rules_version` means
that matches in play replay otherwise than they were played.
"""

from itertools import product
from pathlib import Path

import pytest
from support.golden import Words, compare, playthrough
from support.six_nimmt import GAME

from croupier_engine.six_nimmt import text
from croupier_engine.six_nimmt.model import Cards, EndMode, Options, Placement, State

FOLDER = Path(__file__).parent / "golden"


def table(state: State) -> str:
    return f"{text.table(state.rows)} scores {text.cards(state.scores)}"


@pytest.mark.parametrize(("cards", "placement"), list(product(Cards, Placement)))
def test_golden_playthrough(cards: Cards, placement: Placement, request: pytest.FixtureRequest) -> None:
    name = f"{cards.lower()}-{placement.lower()}"
    options = Options(cards=cards, placement=placement, end_mode=EndMode.FIXED_DEALS, deals=2)
    lines = playthrough(GAME, options, 3, name, Words(text.event, text.action, table), "2 deals")
    compare(lines, FOLDER / f"{name}.txt", request)
