"""Golden playthroughs of the six modes: a change of the rules shows as a difference in readable text.

`python -m pytest tests/engine --regenerate-golden` writes them anew. A difference without a new `rules_version` means
that matches in play replay otherwise than they were played.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import cast

import pytest
from support.six_nimmt import GAME

from croupier_engine.dealing import below, permutation, words
from croupier_engine.game import Act, By, Command, Deal
from croupier_engine.six_nimmt import text
from croupier_engine.six_nimmt.model import Action, Cards, EndMode, Options, Payload, Placement

FOLDER = Path(__file__).parent / "golden"
SEED = b"a seed for the golden playthroughs"
SEATS = 3


def playthrough(options: Options, name: str) -> Iterator[str]:
    """Two deals by three seats that choose blindly; seat 2 lets the clock play now and then."""
    chance = words(SEED, name, 1000)
    deals = 0
    step = GAME.start(options, SEATS, 0)
    rows = step.state.rows
    yield f"# {name}, {SEATS} seats, {options.deals} deals. > command, * event, below it what a seat sees, = table"
    while True:
        for event in step.events:
            yield f"* {text.event(cast(Payload, event.public))}"
            for seat, payload in event.private.items():
                yield f"    {seat} sees: {text.event(cast(Payload, payload))}"
        if step.state.rows != rows:
            yield f"= {text.table(step.state.rows)} scores {text.cards(step.state.scores)}"
        awaiting = GAME.awaiting(step.state)
        if awaiting is None:
            break
        command: Command[Action]
        if awaiting.chance:
            command = Deal(permutation(SEED, name, deals, awaiting.chance), 0)
            deals += 1
            yield f"> {awaiting.window} of {awaiting.chance} cards"
        else:
            seat = awaiting.must[below(chance, len(awaiting.must))]
            choices = GAME.choices(step.state, seat)
            late = seat == 2 and below(chance, 4) == 0
            action = GAME.default(step.state, seat) if late else choices[below(chance, len(choices))]
            command = Act(seat, action, 0, By.CLOCK if late else By.PLAYER)
            yield f"> {awaiting.window} {seat} {text.action(action)}"
        rows, step = step.state.rows, GAME.apply(step.state, command)
    outcome = GAME.outcome(step.state)
    assert outcome is not None
    yield f"places {text.cards(outcome.places)}, scores {text.cards(outcome.scores)}"


@pytest.mark.parametrize(("cards", "placement"), list(product(Cards, Placement)))
def test_golden_playthrough(cards: Cards, placement: Placement, request: pytest.FixtureRequest) -> None:
    name = f"{cards.lower()}-{placement.lower()}"
    options = Options(cards=cards, placement=placement, end_mode=EndMode.FIXED_DEALS, deals=2)
    played = "\n".join(playthrough(options, name)) + "\n"
    golden = FOLDER / f"{name}.txt"
    # The option is there when pytest was given this folder.
    if request.config.getoption("--regenerate-golden", default=False):
        golden.write_text(played, encoding="utf-8")
    assert played == golden.read_text(encoding="utf-8")
