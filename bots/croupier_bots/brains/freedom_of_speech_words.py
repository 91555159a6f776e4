"""Freedom of Speech, for its bots: the words that the house knows, with what it says about each, and letters.

They are data beside this file, `clues/<language>-<level>.txt`, a word a line: `word | clue; clue; ...`, the best first.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import MappingProxyType

_LEVELS = ("EASY", "HARD")
_APOSTROPHES = re.compile("(?<=\\w)['\u2018\u2019\u02bc`\u00b4](?=\\w)")
_BETWEEN = re.compile('[\\s"«»\u2010-\u2015\u2018-\u201f\u2039\u203a-]+')
_NO_LETTERS = re.compile(r"[\W_]+")
_ARTICLES = ("the", "a", "an")
_FACTS = {"EN": ("letters", "words"), "RU": ("букв", "слов"), "UK": ("літер", "слів")}
_WHOLE = 3  # letters from which the rules look for a part of the answer
_ALIKE = 4  # first letters by which forms of a word are told
_PART = 5
_COMMON = frozenset(("from", "into", "over", "under", "with"))  # words of answers that anybody may say
_MOST = 0.75  # of the shorter one of two words, from which they are flagged as one


@cache
def known(language: str, level: str) -> Mapping[str, tuple[str, ...]]:
    """The clues of each word of a language, EN, RU or UK, at a level, EASY, HARD or ALL of them."""
    folder = files(__package__) / "clues"
    names = [f"{language}-{part}.txt".lower() for part in _LEVELS if level in (part, "ALL")]
    found = {}
    for name in names:
        for line in (folder / name).read_text("utf-8").splitlines():
            word, _, clues = line.partition(" | ")
            found[word] = tuple(clues.split("; "))
    return MappingProxyType(found)


def tokens(text: str) -> list[str]:
    """Its words as the judge compares them [6.1]; gRPC is all that bots share with him, so this is said twice."""
    text = unicodedata.normalize("NFKC", _APOSTROPHES.sub("", text)).casefold().replace("ё", "е")
    words = (_NO_LETTERS.sub("", word) for word in _BETWEEN.split(unicodedata.normalize("NFKC", text)))
    return [word for word in words if word]


def plain(text: str) -> str:
    """What two texts have in common that are the same guess."""
    words = tokens(text)
    return " ".join(words[1:] if len(words) > 1 and words[0] in _ARTICLES else words)


def gives_away(clue: str, answers: Iterable[str]) -> bool:
    """Whether a clue may be a foul: it has a form or a part of the word, or of another name of it.

    The rules look closer; this one would rather be silent.
    """
    roots = [token for answer in answers for token in tokens(answer) if len(token) >= _WHOLE]
    return any(_is_akin(token, root) for token in tokens(clue) for root in roots)


def _is_akin(token: str, root: str) -> bool:
    same = min(_ALIKE, len(token), len(root))
    if same >= _WHOLE and token[:same] == root[:same]:
        return True
    return len(root) >= _PART and root[: max(_PART, len(root) - 2)] in token


def is_flagged(clue: str, answers: Iterable[str]) -> bool:
    """Whether a clue that is no foul by its letters has a word that begins as one of the answer: lucky for luck."""
    roots = [token for answer in answers for token in tokens(answer) if token not in _COMMON]
    return any(_begin_alike(token, root) for token in tokens(clue) for root in roots)


def _begin_alike(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    same = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    return same >= _ALIKE and same >= _MOST * shorter


def facts(answers: Sequence[str], language: str) -> tuple[str, ...]:
    """What can be said of a word, the first of `answers`, of which one knows nothing; a bare number is never a foul."""
    letters, words = _FACTS[language]
    parts = tokens(answers[0])
    size = sum(map(len, parts))
    fair = [fact for fact in (f"{words}: {len(parts)}", f"{letters}: {size}") if not gives_away(fact, answers)]
    return tuple(fair) or (str(size),)


def letters(answers: Sequence[str]) -> tuple[str, ...]:
    """The first letter of each word of the first of `answers` and its length; then the last letters as well.

    Only letters that do not spell a name of it between them, since that is a foul.
    """
    parts = tokens(answers[0])
    first = [part[:1] + " _" * (len(part) - 1) for part in parts]
    last = [
        f"{shown[:-1]}{part[-1]}" if len(part) > _ALIKE else shown for shown, part in zip(first, parts, strict=True)
    ]
    hints = dict.fromkeys("  ".join(shown) for shown in (first, last) if parts)
    return tuple(hint for hint in hints if "_" in hint and not gives_away(_joined(hint), answers))


def _joined(hint: str) -> str:
    return "".join(tokens(hint))
