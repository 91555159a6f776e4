"""Golden playthroughs: a match by seats that choose blindly, as readable text that is compared with a file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.playing import refusal
from support.spoken import SPOKEN

from croupier_engine.dealing import below, permutation, words
from croupier_engine.game import Act, AnyGame, By, Command, Deal, Seat, Step, Tick

SEED = b"a seed for the golden playthroughs"
LEGEND = "> command, * event, below it what a seat sees, = table"


@dataclass(frozen=True)
class Words:
    """How a game is told: an event's payload, an action, and what lies on the table."""

    event: Callable[[Any], str]
    action: Callable[[Any], str]
    table: Callable[[Any], str]


def playthrough(game: AnyGame, options: Any, seats: int, name: str, told: Words, title: str) -> Iterator[str]:
    """The last seat lets the clock play now and then; seats that need not act do so now and then.

    A second goes by with each command, and what a timer of the rules waits for is done when it is due.
    """
    chance = words(SEED, name, 1000)
    deals, now = 0, 0
    step = game.start(options, seats, now)
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
        now += 1000
        command: Command[Any]
        if awaiting.chance:
            command = Deal(permutation(SEED, name, deals, awaiting.chance), now)
            deals += 1
            yield f"> {awaiting.window} of {awaiting.chance} cards"
        elif awaiting.deadline is not None and now >= awaiting.deadline:
            command = Tick(now)
            yield f"> {awaiting.window} is due"
        else:
            command = _act(game, step.state, seats, chance, now)
            yield f"> {awaiting.window} {command.seat} {told.action(command.action)}"
            refused = refusal(game, step.state, command)
            if refused is not None:
                yield f"    {command.seat} sees: {refused[0]}"
                step = Step(step.state)
                continue
        step = game.apply(step.state, command)
    outcome = game.outcome(step.state)
    assert outcome is not None
    yield f"places {' '.join(map(str, outcome.places))}, scores {' '.join(map(str, outcome.scores))}"


def _act(game: AnyGame, state: Any, seats: int, chance: Iterator[int], now: int) -> Act[Any]:
    """What one of those who may act does; where acts cannot be listed it may be refused."""
    awaiting = game.awaiting(state)
    assert awaiting is not None
    able = [] if awaiting.must else [seat for seat in awaiting.may if _can_act(game, state, seat)]
    seat = able[below(chance, len(able))] if able else awaiting.must[below(chance, len(awaiting.must))]
    if awaiting.must and awaiting.may and below(chance, 4) == 0:
        unasked = awaiting.may[below(chance, len(awaiting.may))]
        seat = unasked if _can_act(game, state, unasked) else seat
    late = seat == seats - 1 and seat in awaiting.must and below(chance, 4) == 0
    if late:
        return Act(seat, game.default(state, seat), now, By.CLOCK)
    choices = game.choices(state, seat)
    if choices is None:
        return Act(seat, SPOKEN[game.name](state, seat, lambda number: below(chance, number)), now)
    return Act(seat, choices[below(chance, len(choices))], now)


def _can_act(game: AnyGame, state: Any, seat: Seat) -> bool:
    choices = game.choices(state, seat)
    return choices is None or bool(choices)


def compare(lines: Iterator[str], golden: Path, request: pytest.FixtureRequest) -> None:
    """The lines are those of the file; `--regenerate-golden` writes it."""
    played = "\n".join(lines) + "\n"
    # The option is there when pytest was given the folder of the engine's tests.
    if request.config.getoption("--regenerate-golden", default=False):
        golden.write_text(played, encoding="utf-8")
    assert played == golden.read_text(encoding="utf-8")
