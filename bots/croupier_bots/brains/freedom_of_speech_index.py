"""Freedom of Speech, for its bots: which word is meant by clues, by those that the house itself would give."""

import math
from collections import Counter, defaultdict
from collections.abc import Container, Iterable
from functools import cache

from croupier_bots.brains.freedom_of_speech_words import known, plain, tokens

_STEM = 4  # letters: endings fall off, and of 3 to 7 it finds the most
_FULL, _LENGTH = 1.2, 0.5  # how soon a repeated stem counts no more, and how much a long text is held back


class Index:
    """The words of a language at a level, ranked by what their clues have in common with others: BM25 of stems."""

    def __init__(self, language: str, level: str) -> None:
        self.words = tuple(known(language, level))
        texts = [Counter(_stems(clues)) for clues in known(language, level).values()]
        mean = sum(text.total() for text in texts) / len(texts)
        spread = Counter(stem for text in texts for stem in text)
        self._weights: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, text in enumerate(texts):
            held = _FULL * (1 - _LENGTH + _LENGTH * text.total() / mean)
            for stem, count in text.items():
                rare = math.log(1 + (len(texts) - spread[stem] + 0.5) / (spread[stem] + 0.5))
                self._weights[stem].append((number, rare * count * (_FULL + 1) / (count + held)))

    def best(self, clues: Iterable[str], without: Container[str]) -> str | None:
        """The likeliest word that is not, as plain text, in `without`; None if no other fits at all."""
        scores: dict[int, float] = defaultdict(float)
        for stem, count in Counter(_stems(clues)).items():
            for number, weight in self._weights.get(stem, ()):
                scores[number] += weight * min(count, 2)
        ranked = sorted(scores, key=lambda number: (-scores[number], number))
        return next((word for number in ranked if plain(word := self.words[number]) not in without), None)


@cache
def index_of(language: str, level: str) -> Index:
    """The index, made once."""
    return Index(language, level)


def _stems(texts: Iterable[str]) -> Iterable[str]:
    return (token[:_STEM] for text in texts for token in tokens(text))
