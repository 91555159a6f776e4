"""Golden playthroughs: a match by seats that choose blindly, as readable text that is compared with a file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from croupier_engine.dealing import below, permutation, words
from croupier_engine.game import Act, AnyGame, By, Command, Deal

SEED = b"a seed for the golden playthroughs"
LEGEND = "> command, * event, below it what a seat sees, = table"


@dataclass(frozen=True)
class Words:
    """How a game is told: an event's payload, an action, and what lies on the table."""

    event: Callable[[Any], str]
    action: Callable[[Any], str]
    table: Callable[[Any], str]


def playthrough(game: AnyGame, options: Any, seats: int, name: str, told: Words, title: str) -> Iterator[str]:
    """The last seat lets the clock play now and then; seats that need not act do so now and then."""
    chance = words(SEED, name, 1000)
    deals = 0
    step = game.start(options, seats, 0)
    table = told.table(step.state)
    yield f"# {name}, {seats} seats, {title}. {LEGEND}"
    while True:
        for event in step.events:
            yield f"* {told.event(event.public)}"
            for seat, payload in event.private.items():
                yield f"    {seat} sees: {told.event(payload)}"
        if told.table(step.state) != table:
            table = told.table(step.state)
            yield f"= {table}"
        awaiting = game.awaiting(step.state)
        if awaiting is None:
            break
        command: Command[Any]
        if awaiting.chance:
            command = Deal(permutation(SEED, name, deals, awaiting.chance), 0)
            deals += 1
            yield f"> {awaiting.window} of {awaiting.chance} cards"
        else:
            seat = awaiting.must[below(chance, len(awaiting.must))]
            if awaiting.may and below(chance, 4) == 0:
                unasked = awaiting.may[below(chance, len(awaiting.may))]
                seat = unasked if game.choices(step.state, unasked) else seat
            choices = game.choices(step.state, seat)
            assert choices
            late = seat == seats - 1 and seat in awaiting.must and below(chance, 4) == 0
            action = game.default(step.state, seat) if late else choices[below(chance, len(choices))]
            command = Act(seat, action, 0, By.CLOCK if late else By.PLAYER)
            yield f"> {awaiting.window} {seat} {told.action(action)}"
        step = game.apply(step.state, command)
    outcome = game.outcome(step.state)
    assert outcome is not None
    yield f"places {' '.join(map(str, outcome.places))}, scores {' '.join(map(str, outcome.scores))}"


def compare(lines: Iterator[str], golden: Path, request: pytest.FixtureRequest) -> None:
    """The lines are those of the file; `--regenerate-golden` writes it."""
    played = "\n".join(lines) + "\n"
    # The option is there when pytest was given the folder of the engine's tests.
    if request.config.getoption("--regenerate-golden", default=False):
        golden.write_text(played, encoding="utf-8")
    assert played == golden.read_text(encoding="utf-8")
