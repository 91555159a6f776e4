"""Freedom of Speech: the lists of words. They are data beside this file, `<language>-<level>.txt`, a card a line.

A line is `word` or `word | alias, alias`. A shipped list never changes under a rules version: old logs name cards by
their places in it.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.resources import files

from croupier_engine.freedom_of_speech.options import Language, Level, Options, Word
from croupier_engine.freedom_of_speech.script import is_written, normal

FEWEST = 20  # cards in a list of one's own
MOST = 500
ALIASES = 8  # of a card
LONGEST = 40  # letters of a word or an alias
TOTAL = 20_000  # letters of all words and aliases

_LEVELS = {Level.ALL: (Level.EASY, Level.HARD), Level.EASY: (Level.EASY,), Level.HARD: (Level.HARD,)}


class WordsInvalid(ValueError):  # noqa: N818 - it names what happens
    """A list that cannot be played with; the text says which card, by its place from 1, and why, but not the word."""


def words_of(options: Options) -> tuple[Word, ...]:
    """The cards of a match, by their numbers."""
    return options.words or shipped(options.language, options.level)


@cache
def shipped(language: Language, level: Level) -> tuple[Word, ...]:
    """The language's own list."""
    folder = files(__package__) / "words"
    names = [f"{language.value.lower()}-{part.value.lower()}.txt" for part in _LEVELS[level]]
    words = tuple(word for name in names for word in parsed((folder / name).read_text("utf-8").splitlines()))
    check(words, language)
    return words


def parsed(lines: Iterable[str]) -> list[Word]:
    """The cards of such lines; empty ones, and those that begin with #, are none."""
    cards = []
    for line in lines:
        if line and not line.startswith("#"):
            word, _, aliases = line.partition("|")
            cards.append(Word(word.strip(), tuple(alias for part in aliases.split(",") if (alias := part.strip()))))
    return cards


@lru_cache(16)
def check(words: tuple[Word, ...], language: Language) -> None:
    """WordsInvalid unless all are written in the language, of fair length, and nothing is there twice for the judge.

    It is asked when a match is created and when it begins, and does the work once.
    """
    if len(words) > MOST:
        raise WordsInvalid(f"{len(words)} cards are more than {MOST}")
    if (total := sum(len(text) for card in words for text in (card.word, *card.aliases))) > TOTAL:
        raise WordsInvalid(f"{total} letters are more than {TOTAL}")
    seen: dict[str, int] = {}
    for number, card in enumerate(words, start=1):
        if len(card.aliases) > ALIASES:
            raise WordsInvalid(f"card {number} has more than {ALIASES} aliases")
        for text in (card.word, *card.aliases):
            if len(text) > LONGEST:
                raise WordsInvalid(f"card {number} has a word of more than {LONGEST} letters")
            if not is_written(text, language):
                raise WordsInvalid(f"card {number} has a word that is not written in the language's letters")
            same = normal(text)
            if not same:
                raise WordsInvalid(f"card {number} has a word without letters")
            if (first := seen.get(same)) is not None:
                other = "twice" if first == number else f"that card {first} has"
                raise WordsInvalid(f"card {number} has a word {other}")
            seen[same] = number
