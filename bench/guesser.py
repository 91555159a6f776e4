"""The house's guesser for Freedom of Speech, alone: how many words it finds by clues that others have written.

They are in `clues/<language>.txt`, for a hundred words of each, and are not shipped. The guesser has never seen them:
the few that are the house's own by chance, such as proverbs, are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from croupier_bots.brains.freedom_of_speech import GUESS
from croupier_bots.brains.freedom_of_speech_index import index_of
from croupier_bots.brains.freedom_of_speech_words import known, plain

LANGUAGES = ("EN", "RU", "UK")
TIMER = 60  # seconds of match time
CLUE = 8  # seconds from one clue to the next, the first at once


def run() -> Mapping[str, object]:
    """For each language, the share of words that are found in time, and the seconds that those take."""
    result: dict[str, object] = {"timer_s": TIMER, "clue_s": CLUE, "guess_s": GUESS}
    for language in LANGUAGES:
        cards = list(_unseen(language))
        taken = [seconds for word, clues in cards if (seconds := _found(language, word, clues)) is not None]
        result |= {
            f"{language.lower()}_words": len(cards),
            f"{language.lower()}_clues": sum(len(clues) for _, clues in cards),
            f"{language.lower()}_found": round(len(taken) / len(cards), 3),
            f"{language.lower()}_seconds": round(fmean(taken), 1) if taken else None,
        }
    return result


def _unseen(language: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Words, each with its clues."""
    seen = {plain(clue) for clues in known(language, "ALL").values() for clue in clues}
    lines = (Path(__file__).parent / "clues" / f"{language.lower()}.txt").read_text("utf-8").splitlines()
    for line in lines:
        word, _, clues = line.partition(" | ")
        yield word, [clue for clue in clues.split("; ") if plain(clue) not in seen]


def _found(language: str, word: str, clues: Sequence[str]) -> float | None:
    """When it is guessed; None: not before the timer is up."""
    index, guessed, now = index_of(language, "ALL"), set[str](), GUESS
    while now < TIMER:
        guess = index.best(clues[: 1 + int(now // CLUE)], guessed)
        if guess == word:
            return now
        if guess is not None:
            guessed.add(plain(guess))
        now += GUESS
    return None
