"""Every game that can be played. A new one is a folder and a line here."""

from collections.abc import Mapping
from types import MappingProxyType

from croupier_engine.durak.game import Durak
from croupier_engine.game import AnyGame
from croupier_engine.six_nimmt.game import SixNimmt

_ALL: tuple[AnyGame, ...] = (SixNimmt(), Durak())

GAMES: Mapping[str, AnyGame] = MappingProxyType({game.name: game for game in _ALL})
"""The games by name, in the order in which a catalogue lists them; of several versions of one, the last in `_ALL`."""

_VERSIONS = {(game.name, game.rules_version): game for game in _ALL}


class UnknownGame(LookupError):  # noqa: N818 - it names what happens
    """There is no game of this name."""


def game_of(name: str, rules_version: int | None = None) -> AnyGame:
    """The game of this name, by the rules that a match was created with or by the newest ones; or UnknownGame."""
    try:
        return GAMES[name] if rules_version is None else _VERSIONS[name, rules_version]
    except KeyError:
        raise UnknownGame(name if rules_version is None else f"{name}, rules version {rules_version}") from None
