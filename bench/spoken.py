"""Acts of Freedom of Speech, which nobody lists: a clue, a wrong guess, a clue, the right one, and again."""

from collections.abc import Sequence

from croupier.v1 import freedom_of_speech_pb2 as speech
from croupier.v1 import games_pb2, matches_pb2

_TURN = ("clue", "guess", "clue", "right")


def spoken(seen: Sequence[matches_pb2.Match], made: int) -> tuple[int, games_pb2.Action] | None:
    """The seat that does something, and what; `made`: how many acts there were. None: nothing can be done now."""
    may = [set(match.you.window.actions) for match in seen]
    for seat, actions in enumerate(may):
        if "start" in actions:
            return seat, _action(start=speech.FreedomOfSpeechStart())
    word = next((view.word.word for match in seen if (view := match.you.view.freedom_of_speech).word.word), "")
    wanted = _TURN[made % len(_TURN)]
    name = "clue" if wanted == "clue" else "guess"
    for seat, actions in enumerate(may):
        if name not in actions:
            continue
        if name == "clue":
            return seat, _action(clue=speech.FreedomOfSpeechClue(text=f"you may know it {made}"))
        text = word if wanted == "right" else f"something {made}"
        return seat, _action(guess=speech.FreedomOfSpeechGuess(text=text))
    return None


def _action(
    start: speech.FreedomOfSpeechStart | None = None,
    clue: speech.FreedomOfSpeechClue | None = None,
    guess: speech.FreedomOfSpeechGuess | None = None,
) -> games_pb2.Action:
    return games_pb2.Action(freedom_of_speech=speech.FreedomOfSpeechAction(start=start, clue=clue, guess=guess))
