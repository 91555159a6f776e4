"""What is left of a word without its endings, so that forms of one word are told by it."""

from functools import cache

import snowballstemmer

from croupier_engine.freedom_of_speech.options import Language

_SNOWBALL = {Language.EN: "english", Language.RU: "russian"}

# Ukrainian: no stemmer is at hand that is kept. The longest ending that fits is cut off, of nouns, adjectives, and of
# verbs where no noun ends so, as long as three letters stay. Then к, the last letter of so many suffixes, goes, too,
# and і, о, е that change places inside a word (кіт, кота; піч, печі) count as one; и does not (кит is no кіт).
_ENDINGS = tuple(
    sorted(
        (
            # nouns
            *("а", "я", "и", "і", "ї", "у", "ю", "о", "е", "є", "й", "ь", "ам", "ям", "ах", "ях", "ами", "ями"),
            *("ом", "ем", "єм", "ів", "їв", "ей", "ою", "ею", "єю", "ові", "еві", "єві", "ння", "нню", "нням"),
            *("ість", "ості", "істю", "остей", "ка", "ки", "ку", "ко", "кою", "ок", "ків", "кам", "ками", "ках"),
            *("ець", "ця", "ці", "цю", "цем", "цям", "цями", "цях", "ців"),
            # adjectives
            *("ий", "ій", "ого", "ього", "ому", "ьому", "им", "їм", "их", "їх", "ими", "їми", "ої", "ьої", "ую", "юю"),
            # verbs
            *("ати", "яти", "ити", "атися", "ятися", "итися", "ться", "ав", "али", "или", "ють", "уть", "ить", "їть"),
            *("ать", "ять", "ають", "яють", "ає", "яє", "аю", "яю", "емо", "имо", "ете", "ите"),
        ),
        key=len,
        reverse=True,
    )
)
_SHIFTS = str.maketrans("іеєґ", "ооог")
_LEAST = 3  # letters that stay


@cache
def _stemmer(language: Language) -> "snowballstemmer.stemmer":
    return snowballstemmer.stemmer(_SNOWBALL[language])


def stem(token: str, language: Language) -> str:
    """The stem of a token in lower case."""
    if language is not Language.UK:
        return str(_stemmer(language).stemWord(token))
    for ending in _ENDINGS:
        if token.endswith(ending) and len(token) - len(ending) >= _LEAST:
            token = token[: -len(ending)]
            break
    token = token.rstrip("ь")
    if token.endswith("к") and len(token) > _LEAST:
        token = token[:-1]
    return token.translate(_SHIFTS)
