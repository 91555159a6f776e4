"""Freedom of Speech: texts, and how they are judged [6]."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from croupier_engine.freedom_of_speech.model import Foul
from croupier_engine.freedom_of_speech.options import Language, Word
from croupier_engine.freedom_of_speech.script import MASK, bare, joined, masked, normal
from croupier_engine.freedom_of_speech.stems import Stem, roots, stems

CLUE = 200  # characters, at most
GUESS = 100
RULE = 140

_SOUNDS = (
    *("rhymes with", "rhyme with", "rhyming with", "sounds like", "sound like"),
    *("рифмуется", "в рифму", "звучит как", "похоже звучит", "созвучно"),
    *("римується", "в риму", "звучить як", "співзвучно"),
)
_STOP_WORDS = frozenset(
    (
        *("and", "but", "for", "from", "into", "off", "out", "over", "the", "under", "with", "you"),
        *("без", "для", "или", "как", "над", "под", "при", "про", "что", "это"),
        *("або", "біля", "від", "для", "над", "під", "при", "про", "що", "як", "це"),
    )
)
# Words of one or two letters, and some more, that may be an answer by chance once they are put together.
_SHORT_WORDS = _STOP_WORDS | frozenset(
    (
        *("a", "am", "an", "as", "at", "be", "by", "do", "go", "he", "i", "if", "in", "is", "it", "me", "my", "no"),
        *("of", "on", "or", "so", "to", "up", "us", "we"),
        *("а", "бы", "в", "во", "вы", "да", "до", "же", "за", "и", "из", "их", "к", "ко", "ли", "мы", "на", "не", "ни"),
        *("но", "о", "об", "он", "от", "по", "с", "со", "то", "ты", "у", "я"),
        *("б", "ви", "є", "ж", "з", "зі", "й", "і", "із", "іі", "іх", "ми", "ні", "та", "те", "ти", "хто", "це", "ці"),
    )
)
_WHOLE = 3  # letters from which an answer's token counts in a clue
_PART = 5  # letters from which it counts as a part of another token
_DIGITS = re.compile(r"\d+")
_DRAWN_OUT = re.compile(r"(.)\1{2,}")  # no word has a letter three times
_FUZZY = 6  # letters of an answer in which one may be wrong


def is_right(guess: str, card: Word, *, fuzzy: int, contain: bool) -> bool:
    """Whether a guess names the card [6.1]."""
    said = normal(guess)
    for answer in map(normal, (card.word, *card.aliases)):
        if said == answer or (fuzzy and len(answer) >= _FUZZY and _is_one_off(said, answer)):
            return True
        if contain and f" {answer} " in f" {said} ":
            return True
    return False


def _is_one_off(one: str, other: str) -> bool:
    """One letter is another, too many, or missing."""
    shorter, longer = sorted((one, other), key=len)
    if len(longer) - len(shorter) > 1:
        return False
    same = next((index for index, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    if len(shorter) == len(longer):
        return shorter[same + 1 :] == longer[same + 1 :]
    return shorter[same:] == longer[same + 1 :]


def foul_of(clue: str, card: Word, language: Language) -> Foul | None:
    """What is wrong with a clue [6.2]; None: nothing that letters show."""
    words = bare(clue)
    letters = [text for text in (_DIGITS.sub("", word) for word in words) if text]
    said = f" {' '.join(words)} "
    if any(f" {phrase} " in said for phrase in _SOUNDS):
        return Foul.SOUND
    answers, tokens = _answers(card, language), _tokens(card, language)
    if any(
        f" {answer.text} " in said  # however short it is
        or _has_phrase(words, answer, language)
        or _is_torn(letters, answer.text.replace(" ", ""))
        for answer in answers
    ):
        return Foul.WORD
    hidden = masked(clue)
    whole = [*words, *letters, *joined(clue), *_spelled(letters)]
    whole += [_DRAWN_OUT.sub(short, form) for form in whole if _DRAWN_OUT.search(form) for short in (r"\1", r"\1\1")]
    forms = dict.fromkeys((*whole, *(part for form in whole for part in _DIGITS.split(form) if part)))
    if any(_is_hidden(hidden, token) or any(_is_akin(form, token, language) for form in forms) for token in tokens):
        return Foul.WORD
    return None


@dataclass(frozen=True, slots=True)
class _Answer:
    """The word of a card or an alias: its text without marks, and the stems of each of its words."""

    text: str
    roots: tuple[frozenset[Stem], ...]


@lru_cache(4096)
def _answers(card: Word, language: Language) -> tuple[_Answer, ...]:
    found = (bare(text) for text in (card.word, *card.aliases))
    return tuple(_Answer(" ".join(words), tuple(roots(word, language) for word in words)) for words in found)


@lru_cache(4096)
def _tokens(card: Word, language: Language) -> tuple[str, ...]:
    """What a clue may not have in any form: each word of the card's own, and aliases of one word.

    Of an alias of several only the whole is forbidden: *sea* may be said of a narwhal, the *sea unicorn*.
    """
    tokens = [*bare(card.word)]
    for alias in map(bare, card.aliases):
        tokens += alias if len(alias) == 1 else ["".join(alias)]
    return tuple(dict.fromkeys(token for token in tokens if len(token) >= _WHOLE and token not in _STOP_WORDS))


def _is_akin(form: str, token: str, language: Language) -> bool:
    """A word of a clue is a form of the token, or has it inside."""
    own = roots(token, language)
    if form == token or (form not in _STOP_WORDS and own & stems(form, language)):
        return True
    return any(part in form for part in (token, *(text for text, _ in own)) if len(part) >= _PART)


def _has_phrase(words: list[str], answer: _Answer, language: Language) -> bool:
    """All words of an answer one after another, in whatever form: снежную бабу."""
    size = len(answer.roots)
    return size > 1 and any(
        all(own & stems(word, language) for own, word in zip(answer.roots, words[first : first + size], strict=True))
        for first in range(len(words) - size + 1)
    )


def _spelled(words: list[str]) -> Iterable[str]:
    """Words that were spelled letter by letter."""
    run = ""
    for word in (*words, ""):
        if len(word) == 1:
            run += word
        elif run:
            yield run
            run = ""


def _is_torn(words: list[str], whole: str) -> bool:
    """Words that are the answer once they are put together: ele phant. Not where it may be chance: но с, of нос."""
    text = "".join(words)
    if len(whole) < _WHOLE:
        return False
    starts = dict(zip(accumulate(map(len, words), initial=0), range(len(words) + 1), strict=True))
    at = text.find(whole)
    while at >= 0:
        first, last = starts.get(at), starts.get(at + len(whole))
        if first is not None and last is not None and not all(each in _SHORT_WORDS for each in words[first:last]):
            return True
        at = text.find(whole, at + 1)
    return False


def _is_hidden(masked: list[str], token: str) -> bool:
    """The token with signs or digits in place of up to half of its letters: s*lt, b00k."""
    return any(
        len(word) == len(token) <= 2 * (len(word) - word.count(MASK))
        and all(said in (MASK, meant) for said, meant in zip(word, token, strict=True))
        for word in masked
    )
