"""Any game, played by dice: what the conformance suite is made of. Equal dice play equal matches."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import Any

from hypothesis import strategies
from msgspec.structs import fields
from support.spoken import SPOKEN, Pick

from croupier_engine.errors import IllegalAction, InvalidOptions, Reason
from croupier_engine.freedom_of_speech.options import Word
from croupier_engine.game import Act, AnyGame, Awaiting, By, Command, Deal, Resign, Seat, Step, Tick

START = 1_700_000_000_000
LONGEST = 60_000
"""No game of any profile takes more commands: it would be one without end."""


@dataclass(frozen=True)
class Habits:
    """How a table plays: the chances, per command, that somebody gives up, lets time run out, or acts unasked."""

    resign: float = 0.0
    late: float = 0.1
    unasked: float = 0.3  # a seat of `may` acts, where there is one


@dataclass
class Match:
    """A match as far as it was played: `steps[0]` is the start, `steps[n + 1]` what `commands[n]` led to."""

    game: AnyGame
    options: Any
    seats: int
    commands: list[Command[Any]] = field(default_factory=list)
    steps: list[Step[Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.steps.append(self.game.start(self.options, self.seats, START))

    @property
    def state(self) -> Any:
        return self.steps[-1].state

    def do(self, command: Command[Any]) -> None:
        self.steps.append(self.game.apply(self.state, command))
        self.commands.append(command)

    def moves(self) -> Iterator[tuple[Any, Command[Any], Step[Any]]]:
        """State before, command, step."""
        for number, command in enumerate(self.commands):
            yield self.steps[number].state, command, self.steps[number + 1]


def asked(game: AnyGame, state: Any) -> Awaiting:
    awaiting = game.awaiting(state)
    assert awaiting is not None
    return awaiting


def refusal(game: AnyGame, state: Any, command: Command[Any]) -> tuple[Reason, dict[str, str]] | None:
    """Why the rules refuse a command; None if they take it."""
    try:
        game.apply(state, command)
    except IllegalAction as refused:
        return refused.reason, refused.details
    return None


def a_command(match: Match, dice: Random, habits: Habits) -> Command[Any]:
    """A legal command, thrown by dice."""
    game, state = match.game, match.state
    awaiting, at = asked(game, state), (match.commands[-1].at if match.commands else START) + 1000
    if dice.random() < habits.resign:
        return Resign(dice.choice([seat for seat in range(match.seats) if not _gone(match, seat)]), at)
    if awaiting.chance:
        order = list(range(awaiting.chance))
        dice.shuffle(order)
        return Deal(tuple(order), at)
    if awaiting.deadline is not None and (at >= awaiting.deadline or dice.random() < habits.late / 4):
        return Tick(max(at, awaiting.deadline))
    if awaiting.may and (not awaiting.must or dice.random() < habits.unasked):
        seat = dice.choice(awaiting.may)
        action = an_action(game, state, seat, dice.randrange)
        # A seat of `may` need not have anything that it could do, or its time for it is over by now.
        if action is not None and refusal(game, state, Act(seat, action, at)) is None:
            return Act(seat, action, at)
        if not awaiting.must:
            assert awaiting.deadline is not None
            return Tick(max(at, awaiting.deadline))
    seat = dice.choice(awaiting.must)
    if dice.random() < habits.late:
        return Act(seat, game.default(state, seat), at, By.CLOCK)
    chosen = Act(seat, an_action(game, state, seat, dice.randrange), at)
    return chosen if refusal(game, state, chosen) is None else Act(seat, game.default(state, seat), at, By.CLOCK)


def an_action(game: AnyGame, state: Any, seat: Seat, pick: Pick) -> Any:
    """A legal action of a seat that is asked; None if there is none."""
    choices = game.choices(state, seat)
    if choices is None:
        return SPOKEN[game.name](state, seat, pick)
    return choices[pick(len(choices))] if choices else None


def _gone(match: Match, seat: Seat) -> bool:
    return any(isinstance(command, Resign) and command.seat == seat for command in match.commands)


def play(game: AnyGame, options: Any, seats: int, dice: Random, habits: Habits, most: int = LONGEST) -> Match:
    """Play until it is over, or `most` commands were given."""
    match = Match(game, options, seats)
    while len(match.commands) < most and game.awaiting(match.state) is not None:
        match.do(a_command(match, dice, habits))
    return match


def profiles(game: AnyGame) -> strategies.SearchStrategy[tuple[Any, int]]:
    """Options and a number of seats: a preset as recommended, or every option thrown freely."""
    presets = strategies.sampled_from(
        [(preset.options, seats) for preset in game.presets.values() for seats in preset.seats]
    )
    free = strategies.builds(
        game.options, **{option.name: _values(option.name, option.default) for option in fields(game.options)}
    )
    mixed = strategies.tuples(free, strategies.sampled_from(game.seats))
    return presets | mixed.filter(lambda profile: _is_playable(game, *profile))


NUMBERS: dict[str, tuple[Any, ...]] = {
    "deck": (36, 52, 54),
    "teams": (0, 2),
    "limit_first": (0, 5),
    "until_losses": (0, 0, 1, 2),
    "words": ((), tuple(Word(f"{first}{second}o", (f"{first}{second}os",)) for first in "bdfgk" for second in "aeiu")),
    "timer_duration": (60_000, 20_000),
    "timer_min_duration": (0, 0, 5_000),
    "timer_max_duration": (0, 0, 25_000),
    "start_duration": (10_000, 3_000),
    "flag_duration": (10_000, 3_000),
    "win_at": (2, 3, 7),
    "fuzzy": (0, 1),
    "referee": (-1, 0, 3),
    "max_rounds": (3, 40),
}
"""Values to try of options that take only some numbers, or of which larger ones make matches too long."""


def _values(name: str, default: Any) -> strategies.SearchStrategy[Any]:
    if name in NUMBERS:
        return strategies.sampled_from(NUMBERS[name])
    if isinstance(default, bool):
        return strategies.booleans()
    if isinstance(default, Enum):
        return strategies.sampled_from(list(type(default)))
    assert isinstance(default, int), f"no values are known to try instead of {default!r}"
    return strategies.sampled_from([default, 1, 2, 3])


def _is_playable(game: AnyGame, options: Any, seats: int) -> bool:
    try:
        game.validate(options, seats)
    except InvalidOptions:
        return False
    return True
