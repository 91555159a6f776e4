"""A run of the arena: duplicate deals, seats rotated."""

import hashlib
import importlib
import random
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from google.protobuf import json_format

from croupier_arena.errors import ArenaError
from croupier_arena.measures import MEASURES
from croupier_arena.options import options_of
from croupier_arena.report import BotResult, Interval, Report
from croupier_arena.table import Fault, play_match
from croupier_bots import Bot
from croupier_bots.brains import BRAINS
from croupier_bots.declaration import declared
from croupier_bots.errors import BotInvalid
from croupier_convert import options_to_proto
from croupier_engine.game import AnyGame
from croupier_engine.registry import GAMES, UnknownGame, game_of

SINGLE = "single_deal"


def run_arena(
    game: str,
    preset: str | None,
    options: Mapping[str, Any],
    bots: Sequence[str],
    deals: int,
    seed: int,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> Report:
    """Play `deals` matches, rounded up to whole rotations of the seats, and report.

    `preset`: None is `single_deal` where the game has it, else its first. `options`: over the preset, by name, values
    as in the API's JSON; or as REST has them, `{"sixNimmt": {...}}`. `bots`: one for each seat, a level (`careful`) or
    `module:Class`. `seed` settles deals and bots. `progress` is told the matches done, and how many there are. Raises
    ArenaError.
    """
    rules = _game(game)
    if game not in MEASURES:
        raise ArenaError(f"{game} is played against the clock, which the arena has not; it plays {', '.join(MEASURES)}")
    preset = preset or (SINGLE if SINGLE in rules.presets else next(iter(rules.presets)))
    resolved = options_of(rules, preset, options, len(bots))
    makers = [_maker(game, name) for name in bots]
    measure = MEASURES[game]
    if deals < 1:
        raise ArenaError("at least one deal must be played")
    seats = len(bots)
    shuffles = -(-deals // seats)
    tallies = [_Tally() for _ in bots]
    dealt = 0
    for shuffle in range(shuffles):
        amounts: list[list[float]] = [[] for _ in bots]
        for turn in range(seats):
            at_table = [(seat + turn) % seats for seat in range(seats)]
            players = [_made(bots[bot], makers[bot], f"{seed}/{shuffle}/{turn}/{bot}") for bot in at_table]
            played = play_match(rules, resolved, players, _seed_of(seed, shuffle))
            by_seat, over = measure.of(played)
            dealt += over
            firsts = played.outcome.places.count(1)
            for seat, bot in enumerate(at_table):
                amounts[bot].append(by_seat[seat] / over)
                tallies[bot].wins += 1 / firsts if played.outcome.places[seat] == 1 else 0
            for fault in played.faults:
                tallies[at_table[fault.seat]].faults.append(fault)
            progress(shuffle * seats + turn + 1, shuffles * seats)
        means = [sum(own) / seats for own in amounts]
        for bot, tally in enumerate(tallies):
            tally.amounts.append(means[bot])
            tally.differences.append(means[bot] - (sum(means) - means[bot]) / (seats - 1))
    return Report(
        game=game,
        preset=preset,
        options=_named(game, resolved),
        seed=seed,
        shuffles=shuffles,
        asked=deals,
        matches=shuffles * seats,
        deals=dealt,
        unit=measure.unit,
        bots=tuple(tally.result(name, shuffles * seats) for name, tally in zip(bots, tallies, strict=True)),
    )


class _Tally:
    """One bot's run; the amounts are means over a shuffle's seatings, which belong together."""

    def __init__(self) -> None:
        self.amounts: list[float] = []
        self.differences: list[float] = []
        self.wins = 0.0
        self.faults: list[Fault] = []

    def result(self, name: str, matches: int) -> BotResult:
        first = self.faults[0] if self.faults else None
        return BotResult(
            name=name,
            amount=Interval.of(self.amounts),
            difference=Interval.of(self.differences),
            wins=self.wins / matches,
            faults=len(self.faults),
            first_fault=f"{first.kind}: {first.problem}" if first else None,
        )


def _game(name: str) -> AnyGame:
    try:
        return game_of(name)
    except UnknownGame:
        raise ArenaError(f"there is no game {name}; there is {', '.join(GAMES)}") from None


def _named(game: str, options: Any) -> Mapping[str, Any]:
    named: dict[str, Any] = json_format.MessageToDict(getattr(options_to_proto(game, options), game))
    return named


def _maker(game: str, name: str) -> Callable[[], Bot]:
    """A level of the house, or a class of any module that can be imported."""
    module, colon, kind = name.partition(":")
    if not colon:
        levels = BRAINS.get(game, {})
        if name not in levels:
            raise ArenaError(f"there is no bot {name}; name one of {', '.join(levels)} or module:Class")
        return levels[name]
    if "/" in module or module.endswith(".py"):
        raise ArenaError(
            f"name a bot as Python does, {module.removesuffix('.py').replace('/', '.')}:{kind}, not {name}"
        )
    try:
        maker: Callable[[], Bot] = getattr(importlib.import_module(module), kind)
    except Exception as problem:  # whatever an author's module raises
        raise ArenaError(f"the bot {name} cannot be imported: {_told(problem)}") from None
    if not isinstance(maker, type):
        raise ArenaError(f"{name} is not a subclass of croupier_bots.Bot")
    try:
        declared(maker, offering=False)
    except BotInvalid as problem:
        raise ArenaError(str(problem)) from None
    return maker


def _made(name: str, maker: Callable[[], Bot], seed: str) -> Bot:
    try:
        bot = maker()
    except Exception as problem:  # whatever an author's code raises
        raise ArenaError(f"the bot {name} cannot be made: {_told(problem)}") from None
    bot.random = random.Random(seed)  # noqa: S311 - play, not secrets
    return bot


def _told(problem: Exception) -> str:
    """What was raised, and where in an author's code."""
    frames = [f for f in traceback.extract_tb(problem.__traceback__) if not f.filename.startswith("<frozen importlib")]
    at = frames[-1]
    where = "" if at.filename in (__file__, importlib.__file__) else f" ({at.filename}, line {at.lineno})"
    said = str(problem).splitlines()
    return f"{type(problem).__name__}: {said[0] if said else ''}{where}"


def _seed_of(seed: int, shuffle: int) -> bytes:
    return hashlib.sha256(f"arena/{seed}/{shuffle}".encode()).digest()
