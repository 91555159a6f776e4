"""Playing a log again."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from croupier_engine.game import Command, Game, Step

S = TypeVar("S")
A = TypeVar("A")
O = TypeVar("O")  # noqa: E741 - O for options
V = TypeVar("V")


def replay(
    game: Game[S, A, O, V], options: O, seats: int, at: int, commands: Iterable[Command[A]]
) -> Iterator[Step[S]]:
    """The first step of a match, then the step of each command, in order; the last one holds the final state.

    `at`: server milliseconds of the start. Raises InvalidOptions or IllegalAction where the rules refuse.
    """
    step = game.start(options, seats, at)
    yield step
    for command in commands:
        step = game.apply(step.state, command)
        yield step
