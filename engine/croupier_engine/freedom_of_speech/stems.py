"""What is left of a word without its endings, so that forms of one word are told by it."""

from functools import cache

import snowballstemmer

from croupier_engine.freedom_of_speech.options import Language

_SNOWBALL = {Language.EN: "english", Language.RU: "russian"}

# Ukrainian: no stemmer is at hand that is kept. Endings of nouns, adjectives and verbs, the longest that fits is cut
# off as long as three letters stay; then a soft sign, and и, і, о, е that change places inside a word, count as one.
_ENDINGS = tuple(
    sorted(
        [
            "а",
            "я",
            "и",
            "і",
            "ї",
            "у",
            "ю",
            "о",
            "е",
            "є",
            "й",
            "ь",
            "ам",
            "ям",
            "ах",
            "ях",
            "ами",
            "ями",
            "ом",
            "ем",
            "єм",
            "ів",
            "їв",
            "ей",
            "ою",
            "ею",
            "єю",
            "ові",
            "еві",
            "єві",
            "ий",
            "ій",
            "ого",
            "ього",
            "ому",
            "ьому",
            "им",
            "їм",
            "их",
            "їх",
            "ими",
            "їми",
            "ої",
            "ьої",
            "ую",
            "юю",
            "ті",
            "ність",
            "ності",
            "ністю",
            "остей",
            "ти",
            "ть",
            "ться",
            "тися",
            "в",
            "ла",
            "ло",
            "ли",
            "ив",
            "ила",
            "ило",
            "или",
            "ав",
            "ала",
            "ало",
            "али",
            "ють",
            "уть",
            "ить",
            "їть",
            "ать",
            "ять",
            "емо",
            "имо",
            "ете",
            "ите",
            "ний",
            "на",
            "не",
            "ні",
            "ного",
            "ному",
            "ним",
            "них",
            "ними",
            "ною",
            "ну",
            "ський",
            "ська",
            "ське",
            "ські",
            "ського",
            "ському",
            "ських",
            "ння",
            "нню",
            "нням",
            "нь",
            "ки",
            "ку",
            "ка",
            "ко",
            "кою",
            "ок",
            "ка",
            "ці",
            "ець",
            "ця",
            "цю",
            "цем",
            "ки",
            "ків",
            "ками",
            "ках",
        ],
        key=len,
        reverse=True,
    )
)
_SHIFTS = str.maketrans("иіеоєґ", "ііооог")
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
    return token.rstrip("ь").translate(_SHIFTS)
