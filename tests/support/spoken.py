"""What seats do where acts cannot be listed: per game, one of a few acts that show all there is."""

from collections.abc import Callable, Mapping
from typing import Any

from croupier_engine.freedom_of_speech import questions
from croupier_engine.freedom_of_speech.model import Accept, Action, Clue, Flag, Guess, Skip, Start, State, WriteRule
from croupier_engine.freedom_of_speech.options import Language
from croupier_engine.game import Seat
from croupier_engine.registry import GAMES

Pick = Callable[[int], int]
"""A number below another."""

_CLUES = {
    Language.EN: ("you may know it", "a thing of this world", "rhymes with nothing"),
    Language.RU: ("вы это знаете", "нечто в этом мире", "рифмуется ни с чем"),
    Language.UK: ("ви це знаєте", "щось у цьому світі", "римується ні з чим"),
}


def freedom_of_speech(state: State, seat: Seat, pick: Pick) -> Action | None:
    names = GAMES["freedom_of_speech"].action_names(state, seat)
    if not names:
        return None
    texts = _CLUES[state.options.language]
    match names[pick(len(names))]:
        case "start":
            return Start()
        case "clue":
            about = questions.word(state, state.current or 0).word
            return Clue(about if pick(12) == 0 else texts[2] if pick(20) == 0 else f"{texts[pick(2)]} {state.clues}")
        case "guess":
            word = questions.word(state, state.current or 0)
            return Guess(word.word.upper() if pick(2) == 0 else f"{texts[pick(2)]} {state.drawn}")
        case "accept":
            return Accept()
        case "skip":
            return Skip()
        case "flag":
            open_clues = [clue for clue in state.open_clues if questions.may_flag(state, seat, clue)]
            return Flag(open_clues[pick(len(open_clues))].number)
        case _:
            return WriteRule(texts[pick(2)])


SPOKEN: Mapping[str, Callable[[Any, Seat, Pick], Any]] = {"freedom_of_speech": freedom_of_speech}
