"""What of a match's options everybody may see while it is played."""

import pytest

from croupier_engine.freedom_of_speech.options import Options, Word
from croupier_engine.game import AnyGame
from croupier_engine.registry import GAMES


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_options_are_open(game: AnyGame) -> None:
    for preset in game.presets.values():
        assert game.shown_options(preset.options) == preset.options


def test_a_list_of_words_of_ones_own_is_not() -> None:
    own = Options(words=(Word("elephant"),), win_at=5)
    assert GAMES["freedom_of_speech"].shown_options(own) == Options(win_at=5)
