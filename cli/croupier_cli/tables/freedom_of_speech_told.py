"""Freedom of Speech: what happened, in words."""

from collections.abc import Sequence

from croupier.v1 import act_by_pb2
from croupier.v1 import freedom_of_speech_pb2 as pb
from croupier_cli.tables.table import Scene

_UNTOLD = ("team_drawn", "started", "flagged")  # in the story of a card
_FOULS = {
    pb.FreedomOfSpeechFoul.WORD: "the clue had the word, or a form or a part of it",
    pb.FreedomOfSpeechFoul.SOUND: "the clue said what the word sounds like",
    pb.FreedomOfSpeechFoul.FLAGGED: "clue {clue} was flagged",
}


def told(scene: Scene, event: pb.FreedomOfSpeechEvent) -> str:
    """An event in a line; empty for what is none."""
    kind = event.WhichOneof("event")
    if kind is None:
        return ""
    happened = getattr(event, kind)
    name = scene.name
    match kind:
        case "team_drawn":
            return f"team {happened.team + 1} begins"
        case "shuffled":
            what = "the dead pile is shuffled and becomes the deck" if happened.again else "the deck is shuffled"
            return f"{what}: {happened.deck_size} cards"
        case "ready":
            sudden = f", sudden death {happened.sudden_death}" if happened.sudden_death else ""
            return f"{name(happened.giver)} of team {happened.team + 1} may start{sudden}"
        case "started":
            return f"timer {happened.round} runs for {name(happened.giver)}{_by(happened.by)}"
        case "drawn":
            word = f", {_word(happened.word)}" if happened.HasField("word") else ""
            return f"{name(happened.giver)} draws card {happened.card}{word}; deck {happened.deck_size}"
        case "clue_given":
            return f"{name(happened.seat)}, clue {happened.clue}: “{happened.text}”"
        case "guessed":
            return f"{name(happened.seat)} guesses “{happened.text}”{': right' if happened.right else ''}"
        case "scored":
            by = f" by {name(happened.guesser)}" if happened.HasField("guesser") else ""
            return f"team {happened.team + 1} wins {_word(happened.word)}{by}: {_score(happened.scores)}"
        case "skipped":
            lost = f"{_word(happened.word)} and gives up {_word(happened.lost)}"
            return f"{name(happened.giver)} skips {lost}: {_score(happened.scores)}"
        case "flagged":
            return f"{name(happened.seat)} calls clue {happened.clue} a foul"
        case "fouled":
            why = _FOULS.get(happened.kind, "").format(clue=happened.clue)
            dead = f"; {_word(happened.word)} is dead" if happened.HasField("word") else ""
            return f"foul of {name(happened.seat)}, {why}{dead}"
        case "taken_back":
            why = f"for clue {happened.clue}: {_score(happened.scores)}"
            return f"{_word(happened.word)} is taken back from team {happened.team + 1} {why}"
        case "buzzed":
            return f"buzz: the time of {name(happened.giver)} is up; {_word(happened.word)} is dead"
        case "dropped":
            return f"{name(happened.seat)} has given up; {_word(happened.word)} is dead"
        case "forfeited":
            return f"forfeit of {scene.names(happened.targets)}"
        case "rule_written":
            return f"{name(happened.seat)} writes a rule for team {happened.team + 1}: “{happened.text}”"
        case "sudden_death":
            return f"a tie: sudden death {happened.number}"
        case _:
            return _over(event.ended)


def item(scene: Scene, event: pb.FreedomOfSpeechEvent) -> str:
    """The same in a few words, for the story of a card; empty for what is not worth a word there."""
    kind = event.WhichOneof("event")
    if kind is None or kind in _UNTOLD:
        return ""
    happened = getattr(event, kind)
    name = scene.brief
    match kind:
        case "ready":
            return f"{name(happened.giver)} of team {happened.team + 1} is next"
        case "drawn":
            return f"Card {happened.card}, {name(happened.giver)} gives"
        case "clue_given":
            return f"{happened.clue} “{happened.text}”"
        case "guessed":
            return f"{name(happened.seat)} “{happened.text}”"
        case "scored":
            return f"{_word(happened.word)} WON by team {happened.team + 1}"
        case "skipped":
            return f"{_word(happened.word)} SKIPPED, {_word(happened.lost)} given up"
        case "fouled":
            dead = f", {_word(happened.word)} is dead" if happened.HasField("word") else ""
            return f"FOUL, {_FOULS.get(happened.kind, '').format(clue=happened.clue)}{dead}"
        case "taken_back":
            return f"{_word(happened.word)} TAKEN BACK for clue {happened.clue}"
        case "forfeited":
            return f"FORFEIT of {scene.names(happened.targets)}"
        case "rule_written":
            return f"{name(happened.seat)} writes a rule: “{happened.text}”"
        case "buzzed":
            return f"BUZZ, {_word(happened.word)} is dead"
    return told(scene, event)


def _over(ended: pb.FreedomOfSpeechEnded) -> str:
    who = f"team {ended.winner + 1} has won" if ended.HasField("winner") else "a draw"
    return f"{who}: {_score(ended.scores)}"


def _word(word: pb.FreedomOfSpeechWord) -> str:
    return f"«{word.word}»"


def _score(scores: Sequence[int]) -> str:
    return ":".join(map(str, scores))


def _by(by: int) -> str:
    return " (the clock)" if by == act_by_pb2.ActBy.CLOCK else ""
