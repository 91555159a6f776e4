"""Freedom of Speech: letters. Which ones a text may have [6.5], and which are the same to the judge [6.1, 6.2].

Nothing here depends on the version of Unicode: texts have only characters that are listed, and of those that have been
in it for long neither the forms nor the kinds change.
"""

import re
import unicodedata

from croupier_engine.freedom_of_speech.options import Language

_APOSTROPHES = re.compile("(?<=\\w)['\u2018\u2019\u02bc`\u00b4](?=\\w)")
_ARTICLES = ("the", "a", "an")

# Characters as they stand between the brackets of a regular expression.
_LETTERS = {
    Language.EN: "a-zA-ZàáâäåæçèéêëíîïñóôöœùúûüÀÁÂÄÅÆÇÈÉÊËÍÎÏÑÓÔÖŒÙÚÛÜ\ufb00-\ufb04\uff21-\uff3a\uff41-\uff5a",
    Language.RU: "а-яА-ЯёЁ\u0301",  # the last one is the accent: за́мок
    Language.UK: "а-щьюяєіїґА-ЩЬЮЯЄІЇҐ\u0301",
}
_PLAIN = " -@\\[-`{-~"  # of ASCII, without letters
_PUNCTUATION = "\u00a0«»\u00b4\u02bc\u2010-\u2015\u2018-\u201f\u2026\u2032\u2033\u2039\u203a\u2212\u3000"
_SIGNS = "\u00a1-\u00a9\u00ae\u00b0-\u00b3\u00b7\u00bc-\u00bf×÷\u2022\u2030€₴₽№™\uff01-\uff20"
_NAMES = {Language.EN: "English", Language.RU: "Russian", Language.UK: "Ukrainian"}
_WORD = {language: re.compile(f"[{letters}{_PLAIN}{_PUNCTUATION}]*") for language, letters in _LETTERS.items()}
_TEXT = {  # no emoji: a picture shows what should be explained
    language: re.compile(f"[{letters}{_PLAIN}{_PUNCTUATION}{_SIGNS}]*") for language, letters in _LETTERS.items()
}


def problem_of(text: str, language: Language, most: int) -> str:
    """Why a text cannot be sent [6.5]; empty if it can."""
    if len(text) > most:
        return f"it is longer than {most} characters"
    if not _TEXT[language].fullmatch(unicodedata.normalize("NFC", text)):
        return f"it has letters or signs that {_NAMES[language]} is not written with"
    if not normal(text):
        return "it has no letters"
    return ""


def is_written(text: str, language: Language) -> bool:
    """A word for a card: the language's letters, digits and punctuation, and nothing else [1.2]."""
    return _WORD[language].fullmatch(unicodedata.normalize("NFC", text)) is not None


class _Table(dict[int, str]):
    """What becomes of a character in lower case; made as they come."""

    def __init__(self, *, between: str, bare: bool) -> None:
        super().__init__()
        self._between, self._bare = between, bare

    def __missing__(self, code: int) -> str:
        self[code] = found = self._of(chr(code))
        return found

    def _of(self, each: str) -> str:
        match unicodedata.category(each):
            case "Pd" | "Pi" | "Pf":
                return self._between
            case _ if each == '"':
                return self._between
            case _ if each.isspace():
                return " "
            case category if category[0] in "LN":
                return _bare(each) if self._bare else each
            case _:
                return ""  # punctuation, signs, and marks that no letter has taken in


def _bare(each: str) -> str:
    """A letter without its marks; й is a letter of its own."""
    if each == "й":
        return each
    whole = {"æ": "ae", "œ": "oe", "ґ": "г"}.get(each, each)
    return "".join(part for part in unicodedata.normalize("NFKD", whole) if unicodedata.category(part)[0] != "M")


MASK = "*"
_LETTERED = {ord(sign): " " for sign in "№™"}  # NFKC makes letters of them, which would hide a word beside
_UNSEEN = {0x301: None}  # the accent of stress
_AROUND = ".,:;!?()[]{}'\"«»‘’“”„–—-"
_JUDGED = _Table(between=" ", bare=False)
_SPACED = _Table(between=" ", bare=True)
_JOINED = _Table(between="", bare=True)
_NO_VOWEL = re.compile("(?<=[бвгджзклмнпрстфхцчшщ])й(?!о)")  # й where nobody writes it, in place of и


def normal(text: str) -> str:
    """What the judge compares: lower case, without punctuation, accents that are no letters, and a leading article."""
    words = _lowered(text).translate(_JUDGED).split()
    if len(words) > 1 and words[0] in _ARTICLES:
        del words[0]
    return " ".join(words)


def bare(text: str) -> list[str]:
    """The words of a text as clues are searched: without marks, torn apart by dashes and quotes."""
    return _NO_VOWEL.sub("и", _lowered(text).translate(_SPACED)).split()


def joined(text: str) -> list[str]:
    """The same, and what dashes and quotes tore apart is one word."""
    return _NO_VOWEL.sub("и", _lowered(text).translate(_JOINED)).split()


def masked(text: str) -> list[str]:
    """Words that have signs or digits among their letters, with MASK for each of them: b**k."""
    words = (word.translate(_UNSEEN).strip(_AROUND) for word in _lowered(text).split())
    return [
        "".join(each.translate(_SPACED) if each.isalpha() else MASK for each in word)
        for word in words
        if word and not word.isalpha()
    ]


def _lowered(text: str) -> str:
    """In lower case, without apostrophes inside words and other forms of the same letters; ё is е."""
    # Apostrophes go first: NFKC makes a space and an accent of one of them.
    text = unicodedata.normalize("NFKC", _APOSTROPHES.sub("", text).translate(_LETTERED)).casefold().replace("ё", "е")
    return unicodedata.normalize("NFKC", text)
