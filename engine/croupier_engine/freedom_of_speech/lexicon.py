"""Freedom of Speech: texts, and how they are judged [6]. Everything here is a question about letters."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from croupier_engine.freedom_of_speech.model import Foul
from croupier_engine.freedom_of_speech.options import Language, Word
from croupier_engine.freedom_of_speech.stems import stem

CLUE = 200  # characters, at most
GUESS = 100
RULE = 140

_APOSTROPHES = re.compile("(?<=\\w)['\u2018\u2019\u02bc`\u00b4](?=\\w)")
_JOINERS = "\u200c\u200d"  # of emoji; nothing to see
_SCRIPTS = {Language.EN: "LATIN", Language.RU: "CYRILLIC", Language.UK: "CYRILLIC"}
_ARTICLES = ("the", "a", "an")
_SOUNDS = (
    *("rhymes with", "rhyme with", "sounds like", "sound like"),
    *("рифмуется", "звучит как", "похоже звучит", "созвучно"),
    *("римується", "звучить як", "співзвучно"),
)
_STOP_WORDS = frozenset(
    (
        *("and", "but", "for", "from", "into", "off", "out", "over", "the", "under", "with", "you"),
        *("без", "для", "или", "как", "над", "под", "при", "про", "что", "это"),
        *("або", "від", "для", "над", "під", "при", "про", "що", "як", "це"),
    )
)
_WHOLE = 3  # letters from which an answer's token counts in a clue
_PART = 5  # letters from which it counts as a part of another token
_FUZZY = 6  # letters of an answer in which one may be wrong


def problem_of(text: str, language: Language, most: int) -> str:
    """Why a text cannot be sent [6.5]; empty if it can."""
    if len(text) > most:
        return f"it is longer than {most} characters"
    if any(
        unicodedata.category(each) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
        for each in text
        if each not in _JOINERS
    ):
        return "it has control characters"
    if not normal(text):
        return "it has no letters"
    if not is_of_script(text, language):
        return f"it has letters that are not {_SCRIPTS[language].capitalize()}"
    return ""


def is_of_script(text: str, language: Language) -> bool:
    """All its letters are of the language's script."""
    script = _SCRIPTS[language]
    letters = (each for each in unicodedata.normalize("NFKC", text) if each.isalpha() and each != "\u02bc")
    return all(unicodedata.name(letter, "").startswith(script) for letter in letters)


def normal(text: str) -> str:
    """What the judge compares: lower case, without punctuation, accents that are no letters, and a leading article."""
    return _normal(text, dash=" ")


def _normal(text: str, dash: str) -> str:
    # Apostrophes go first: NFKC makes a space and an accent of one of them.
    text = unicodedata.normalize("NFKC", _APOSTROPHES.sub("", text)).casefold().replace("ё", "е")
    words = "".join(_letters(unicodedata.normalize("NFKC", text), dash)).split()
    if len(words) > 1 and words[0] in _ARTICLES:
        del words[0]
    return " ".join(words)


def _letters(text: str, dash: str) -> Iterator[str]:
    for each in text:
        match unicodedata.category(each):
            case "Pd":
                yield dash
            case "Pi" | "Pf" | "Zs":
                yield " "
            case _ if each == '"' or each.isspace():
                yield " "
            case category if category[0] in "LN":
                yield each
            case _:
                pass  # punctuation, signs, and marks that no letter has taken in


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
    said = normal(clue)
    if any(f" {phrase} " in f" {said} " for phrase in _SOUNDS):
        return Foul.SOUND
    if any(f" {normal(answer)} " in f" {said} " for answer in (card.word, *card.aliases)):
        return Foul.WORD  # however short it is
    forms = set(_forms(clue))
    stems = {stem(form, language) for form in forms}
    for answer, root in _answers(card, language):
        if answer in forms or root in forms or root in stems:
            return Foul.WORD
        if any(part in form for part in (answer, root) if len(part) >= _PART for form in forms):
            return Foul.WORD
    return None


def _forms(clue: str) -> Iterable[str]:
    """Its words, also those that were torn apart by dashes or spelled letter by letter."""
    words = _normal(clue, dash=" ").split()
    yield from words
    yield from _normal(clue, dash="").split()
    spelled = ""
    for word in (*words, ""):
        if len(word) == 1:
            spelled += word
        elif spelled:
            yield spelled
            spelled = ""


@lru_cache(4096)
def _answers(card: Word, language: Language) -> tuple[tuple[str, str], ...]:
    """The tokens that a clue may not have, with their stems."""
    tokens = {token for text in (card.word, *card.aliases) for token in normal(text).split()}
    return tuple(
        sorted((token, stem(token, language)) for token in tokens if len(token) >= _WHOLE and token not in _STOP_WORDS)
    )
