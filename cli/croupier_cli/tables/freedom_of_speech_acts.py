"""Freedom of Speech: what is typed, and what has a key of its own."""

from collections.abc import Sequence

from croupier.v1 import freedom_of_speech_pb2 as pb
from croupier.v1 import games_pb2, matches_pb2
from croupier_cli.tables.table import KeyAct, Scene, Typing
from croupier_engine.freedom_of_speech.lexicon import CLUE, GUESS, RULE


class FreedomOfSpeechActs:
    """The methods are those of Speech."""

    def typing(self, scene: Scene) -> Typing | None:
        """The giver types clues, his team-mates guesses, and who may write a rule, that."""
        actions = _actions(scene)
        if "clue" in actions:
            return Typing("clue", CLUE, lambda text: _act(clue=pb.FreedomOfSpeechClue(text=text)))
        if "guess" in actions:
            return Typing("guess", GUESS, lambda text: _act(guess=pb.FreedomOfSpeechGuess(text=text)))
        if "write_rule" in actions:
            return Typing("rule", RULE, lambda text: _act(write_rule=pb.FreedomOfSpeechWriteRule(text=text)))
        return None

    def choices(self, scene: Scene) -> Sequence[games_pb2.Action]:
        """The clues that the viewer may flag, the latest last."""
        if "flag" not in _actions(scene):
            return ()
        clues = scene.view.freedom_of_speech.open_clues
        return [_act(flag=pb.FreedomOfSpeechFlag(clue=clue.clue)) for clue in clues if clue.may_flag]

    def keys(self, scene: Scene, picked: games_pb2.Action | None) -> Sequence[KeyAct]:
        """Start, skip, accept, flag."""
        actions, keys = _actions(scene), []
        if "start" in actions:
            keys.append(KeyAct("enter", "starts", _act(start=pb.FreedomOfSpeechStart())))
        if "skip" in actions:
            keys.append(KeyAct("ctrl-k", "skip", _act(skip=pb.FreedomOfSpeechSkip())))
        if "accept" in actions:
            keys.append(KeyAct("ctrl-a", "accept", _act(accept=pb.FreedomOfSpeechAccept())))
        if picked is not None:
            keys.append(KeyAct("ctrl-f", f"flag {picked.freedom_of_speech.flag.clue}", picked))
        return keys

    def taken(self, text: str, events: Sequence[matches_pb2.Event]) -> str:
        """A clue that was a foul by itself; nobody else has seen it."""
        for event in events:
            foul = event.freedom_of_speech.fouled
            if event.freedom_of_speech.HasField("fouled") and not foul.HasField("clue"):
                return f"Your clue was a foul: “{text}”, for «{foul.word.word}»."
        return ""


SPEECH = FreedomOfSpeechActs()


def _actions(scene: Scene) -> Sequence[str]:
    return () if scene.window is None else scene.window.actions


def _act(**action: object) -> games_pb2.Action:
    return games_pb2.Action(freedom_of_speech=pb.FreedomOfSpeechAction(**action))  # type: ignore[arg-type]
