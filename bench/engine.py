"""The plain engine, without a service: matches are played by dice, in every preset and number of players."""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle
from random import Random
from time import process_time
from typing import Any

from msgspec.structs import fields

from bench.rounds import duration, figure, rounds_argument
from croupier_engine.errors import IllegalAction
from croupier_engine.game import Act, AnyGame, Awaiting, Command, Deal, Tick
from croupier_engine.registry import GAMES
from croupier_engine.replay import replay

_PACE = 1_000  # ms between commands


@dataclass(frozen=True, slots=True)
class _Log:
    """A whole match: what was commanded, and how often cards were dealt."""

    options: Any
    seats: int
    commands: tuple[Command[Any], ...]
    deals: int


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be chosen."""
    parser.add_argument("--seconds", type=duration, default=2, help="of random play of each game in a round")
    rounds_argument(parser, rounds=5)


def run(seconds: float, rounds: int) -> Mapping[str, object]:
    """Each game on one core: commands, and deals of cards, a second of CPU, as a log is played again; and random play.

    `commands_per_s` and `deals_per_s` are `apply` alone. `plays_per_s` are the commands of random play, where each one
    also takes the question, the list of legal acts, and the dice.
    """
    result: dict[str, object] = {"seconds": seconds, "rounds": rounds}
    for name, game in GAMES.items():
        tables, dice = cycle(_tables(game)), Random(1)
        plays, commands, deals = [], [], []
        for _ in range(rounds):
            logs, playing = _play(game, tables, dice, seconds)
            again = _play_again(game, logs)
            count = sum(len(log.commands) for log in logs)
            plays.append(count / playing)
            commands.append(count / again)
            deals.append(sum(log.deals for log in logs) / again)
        result |= figure(f"{name}_commands_per_s", commands, 0) | figure(f"{name}_plays_per_s", plays, 0)
        if any(deals):
            result |= figure(f"{name}_deals_per_s", deals, 0)
    return result


def _tables(game: AnyGame) -> list[tuple[Any, int]]:
    """Options, and a number of players."""
    return [(preset.options, seats) for preset in game.presets.values() for seats in preset.seats]


def _play(game: AnyGame, tables: Iterator[tuple[Any, int]], dice: Random, seconds: float) -> tuple[list[_Log], float]:
    """Whole matches, one table after another, for so many seconds of CPU; and how many it were in the end."""
    logs = []
    begin = process_time()
    while process_time() - begin < seconds:
        options, seats = next(tables)
        logs.append(_match(game, options, seats, dice))
    return logs, process_time() - begin


def _match(game: AnyGame, options: Any, seats: int, dice: Random) -> _Log:
    commands: list[Command[Any]] = []
    step, deals, at = game.start(options, seats, 0), 0, 0
    dealt = f"{game.name}.dealt"
    while (asked := game.awaiting(step.state)) is not None:
        at += _PACE
        command = _command(game, step.state, asked, dice, at)
        try:
            step = game.apply(step.state, command)
        except IllegalAction:  # only where acts cannot be listed
            command = Tick(at if asked.deadline is None else max(at, asked.deadline))
            step = game.apply(step.state, command)
        at = command.at
        commands.append(command)
        deals += sum(event.type == dealt for event in step.events)
    return _Log(options, seats, tuple(commands), deals)


def _command(game: AnyGame, state: Any, asked: Awaiting, dice: Random, at: int) -> Command[Any]:
    """Anything that may be legal."""
    if asked.chance:
        return Deal(tuple(dice.sample(range(asked.chance), asked.chance)), at)
    if asked.deadline is not None and at >= asked.deadline:
        return Tick(at)
    seat = dice.choice(asked.must + asked.may)
    choices = game.choices(state, seat)
    if choices is None:
        kinds = [game.actions[name] for name in game.action_names(state, seat)]
        choices = [_spoken(kind, at) for kind in kinds if all(field.type is str for field in fields(kind))]
    if not choices and asked.must:  # a seat that only may act need not have anything that it could do
        seat = dice.choice(asked.must)
        choices = game.choices(state, seat)
        return Act(seat, dice.choice(choices) if choices else game.default(state, seat), at)
    if not choices:
        return Tick(at if asked.deadline is None else asked.deadline)
    return Act(seat, dice.choice(choices), at)


def _spoken(kind: type[Any], at: int) -> Any:
    """An action that is all words: something that was not said yet."""
    return kind(*[f"a thing number {at}" for _ in fields(kind)])


def _play_again(game: AnyGame, logs: list[_Log]) -> float:
    """The seconds of CPU that the commands alone take."""
    begin = process_time()
    for log in logs:
        for _ in replay(game, log.options, log.seats, 0, log.commands):
            pass
    return process_time() - begin
