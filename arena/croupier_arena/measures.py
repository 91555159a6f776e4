"""What a match is judged by: the unit, and how much of it each seat has, over how many deals."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from croupier_arena.table import Played
from croupier_engine.durak import events as durak
from croupier_engine.six_nimmt import model


@dataclass(frozen=True, slots=True)
class Measure:
    """`of` answers the amounts by seat and the number of deals that they are over."""

    unit: str
    of: Callable[[Played], tuple[tuple[int, ...], int]]


def _bullheads(played: Played) -> tuple[tuple[int, ...], int]:
    deals = [event.public.bulls for event in played.events if isinstance(event.public, model.DealScored)]
    return tuple(sum(seat) for seat in zip(*deals, strict=True)), len(deals)


def _games_lost(played: Played) -> tuple[tuple[int, ...], int]:
    games = [event.public for event in played.events if isinstance(event.public, durak.GameOver)]
    return games[-1].losses, len(games)


MEASURES: Mapping[str, Measure] = {
    "six_nimmt": Measure("bullheads per deal", _bullheads),
    "durak": Measure("games lost per game", _games_lost),
}
