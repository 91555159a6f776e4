"""Every game that can be played. A new one is a folder and a line here."""

from collections.abc import Mapping
from types import MappingProxyType

from croupier_engine.game import AnyGame
from croupier_engine.six_nimmt.game import SixNimmt

_ALL: tuple[AnyGame, ...] = (SixNimmt(),)

GAMES: Mapping[str, AnyGame] = MappingProxyType({game.name: game for game in _ALL})
"""The games by name, in the order in which a catalogue lists them."""


class UnknownGame(LookupError):  # noqa: N818 - it names what happens
    """There is no game of this name."""


def game_of(name: str) -> AnyGame:
    """The game of this name, or UnknownGame."""
    try:
        return GAMES[name]
    except KeyError:
        raise UnknownGame(name) from None
