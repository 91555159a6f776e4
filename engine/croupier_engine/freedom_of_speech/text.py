"""Freedom of Speech: notation for logs. Words stand in double angle brackets, hidden ones are ?, texts in quotes."""

from typing import assert_never

from croupier_engine.freedom_of_speech import events
from croupier_engine.freedom_of_speech.events import Payload
from croupier_engine.freedom_of_speech.model import Accept, Action, Clue, Flag, Guess, Skip, Start, WriteRule
from croupier_engine.freedom_of_speech.options import Word
from croupier_engine.game import By


def card(word: Word | None) -> str:
    """What stands on a card: <<elephant>>, and ? for those who may not see it."""
    return "?" if word is None else f"<<{word.word}>>"


def action(chosen: Action) -> str:
    """start, clue "big and grey", guess "elephant", accept, skip, flag 3, rule "no hands"."""
    match chosen:
        case Start() | Accept() | Skip():
            return type(chosen).__name__.lower()
        case Clue(text):
            return f'clue "{text}"'
        case Guess(text):
            return f'guess "{text}"'
        case Flag(clue):
            return f"flag {clue}"
        case WriteRule(text):
            return f'rule "{text}"'
        case _:
            assert_never(chosen)


def event(payload: Payload) -> str:
    """What happened, in one line, as the one who was told it."""
    match payload:
        case events.TeamDrawn(team):
            return f"team {team} begins"
        case events.Shuffled(size, again):
            return f"{'dead pile' if again else 'deck'} of {size} shuffled"
        case events.Ready(team, giver, sudden):
            return f"{giver} of team {team} may start" + (f", sudden death {sudden}" if sudden else "")
        case events.Started(number, giver, by):
            return f"timer {number} started for {giver}" + ("" if by is By.PLAYER else f" ({by.value.lower()})")
        case events.Drawn(giver, number, size, word):
            return f"{giver} draws card {number}, {card(word)}; deck {size}"
        case events.ClueGiven(seat, clue, text):
            return f'{seat} clue {clue}: "{text}"'
        case events.Guessed(seat, text, right):
            return f'{seat} guesses "{text}"{": right" if right else ""}'
        case events.Scored(team, _, _, word, scores):
            return f"team {team} wins {card(word)}; {_score(scores)}"
        case events.Skipped(giver, word, lost, scores):
            return f"{giver} skips {card(word)} and gives up {card(lost)}; {_score(scores)}"
        case events.Flagged(seat, clue):
            return f"{seat} flags clue {clue}"
        case events.Fouled(seat, kind, clue, word):
            flagged = f", clue {clue}" if clue else ""
            return f"foul of {seat}: {kind.value.lower()}{flagged}; {card(word)} is dead"
        case events.TakenBack(team, clue, word, scores):
            return f"{card(word)} is taken back from team {team} for clue {clue}; {_score(scores)}"
        case events.Buzzed(number, team, giver, word):
            return f"buzz {number} for {giver} of team {team}; {card(word)} is dead"
        case events.Dropped(seat, word):
            return f"{seat} has given up; {card(word)} is dead"
        case events.Forfeited(mode, targets, number):
            return f"forfeit ({mode.value.lower()}) of {' '.join(map(str, targets))}, timer {number}"
        case events.RuleWritten(seat, team, text):
            return f'{seat} writes a rule for team {team}: "{text}"'
        case events.SuddenDeath(number):
            return f"sudden death {number}"
        case events.Ended(winner, scores):
            return f"{'draw' if winner is None else f'team {winner} wins'}; {_score(scores)}"
        case _:
            assert_never(payload)


def _score(scores: tuple[int, int]) -> str:
    return f"{scores[0]}:{scores[1]}"
