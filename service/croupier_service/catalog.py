"""The games that can be played here."""

from croupier_engine.game import AnyGame
from croupier_engine.registry import GAMES
from croupier_service.errors import Refused


def games() -> list[AnyGame]:
    """All games, by name."""
    return [GAMES[name] for name in sorted(GAMES)]


def game(name: str) -> AnyGame:
    """One game, or GAME_NOT_FOUND."""
    if name not in GAMES:
        raise Refused("GAME_NOT_FOUND", {"game": name})
    return GAMES[name]
