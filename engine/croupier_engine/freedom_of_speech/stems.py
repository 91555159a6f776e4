"""What is left of a word without its endings, so that forms of one word are told by it."""

from functools import lru_cache

# The pure Python classes: `snowballstemmer.stemmer` takes other code where PyStemmer is installed.
from snowballstemmer.english_stemmer import EnglishStemmer
from snowballstemmer.russian_stemmer import RussianStemmer

from croupier_engine.freedom_of_speech.options import Language

_SNOWBALL = {Language.EN: EnglishStemmer(), Language.RU: RussianStemmer()}

# Ukrainian: no stemmer is at hand that is kept. Endings of nouns, of adjectives and of verbs are cut off, the longest
# that fits of each, and three letters stay. A stem goes with the kind of its ending, so that a noun is no verb: ніс,
# носа, but not носити. Letters are without marks: ї is і here, as in the clues that are searched.
_NOUN, _ADJECTIVE, _VERB = "noun", "adjective", "verb"

Stem = tuple[str, str]
"""The letters, and the kind of the ending; that is empty for other languages."""


def _longest_first(endings: str) -> tuple[str, ...]:
    return tuple(sorted(endings.split(), key=lambda ending: (-len(ending), ending)))


_ENDINGS = {
    _NOUN: _longest_first("а я и і у ю о е є й ь ам ям ах ях ами ями ом ем єм ів ей ою ею єю ові еві єві"),
    _ADJECTIVE: _longest_first("ий ій а я е є і о у ю ого ього ому ьому им ім их іх ими іми оі ьоі ою ею ьою ую юю"),
    _VERB: _longest_first(
        "ти ати яти ити іти ути ть ать ять ить іть уть ють ають яють в ав яв ив ів ла ала яла ила іла ли али яли или "
        "іли ло ало яло ило іло у ю аю яю є ає яє е емо имо аємо яємо ете ите аєте яєте еш иш єш аєш яєш"
    ),
}
# The endings of the forms that stand on cards.
_CITED = {
    _NOUN: _longest_first("а я и і о е є й ь"),
    _ADJECTIVE: _longest_first("ий ій"),
    _VERB: _longest_first("ти ати яти ити іти ути"),
}
_LEAST = 3  # letters that stay
_LONG = 4  # letters of stems that are hardly ever two words'
_VOWELS = "аеиіоуюяє"
# Short nouns that have і only where no ending follows (кіт, кота; піч, печі), which others keep (ліс, лісу).
_SHIFTING = frozenset(
    (
        *("бій", "бік", "біль", "брід", "віз", "віл", "гній", "грім", "двір", "дзвін", "дім", "діл", "кіл", "кінь"),
        *("кіт", "кріт", "лід", "лій", "ліг", "міль", "міст", "міць", "ніж", "ніс", "ніч", "піч", "пліт", "ріг", "рід"),
        *("рій", "рік", "річ", "сік", "сіль", "скін", "сніп", "стіг", "стіл", "стій", "тік", "хвіст", "шість"),
    )
)


@lru_cache(8192)
def stems(token: str, language: Language) -> frozenset[Stem]:
    """The stems of a word of a clue, in lower case, without marks; it is a form of those that share one."""
    if language is not Language.UK:
        return frozenset(((str(_SNOWBALL[language].stemWord(token)), ""),))
    found = _cut(token, _ENDINGS)
    if token in _SHIFTING:
        found.discard((token, _NOUN))  # рік is no form of ріка
    return frozenset(found)


@lru_cache(8192)
def roots(token: str, language: Language) -> frozenset[Stem]:
    """The stems of a word of an answer, which stands there in its first form."""
    if language is not Language.UK:
        return stems(token, language)
    found = set(_cut(token, _CITED))
    noun = token.rstrip("ь")
    if noun[-1:] in _VOWELS:  # риба, рибка
        found |= {(f"{stem}к", kind) for stem, kind in found if kind == _NOUN}
        if token[-1] in "аяеєі" and len(noun) > _LONG:  # чорна, of чорна діра
            found.add((noun[:-1], _ADJECTIVE))
    elif (place := noun.rfind("і")) > 0 and not set(noun[place + 1 :]) & set(_VOWELS):
        vowels: tuple[str, ...] = ()
        if token in _SHIFTING:
            found = {(noun + noun[-1], _NOUN)}  # ніччю
            vowels = ("о", "ьо", "е") if noun.endswith("ч") else ("о", "ьо")  # печі, льоду
        elif len(noun) > _LONG:
            vowels = ("о", "ьо", "е")  # острова, кольору, каменя
        found |= {(f"{noun[:place]}{vowel}{noun[place + 1 :]}", _NOUN) for vowel in vowels}
    return frozenset(found)


def _cut(token: str, endings: dict[str, tuple[str, ...]]) -> set[Stem]:
    """The token without an ending of each kind, with the kind; and as it is, which may be a noun or a verb."""
    if len(token) > _LONG + 1 and token.endswith(("ся", "сь")):
        token = token[:-2]
    found: set[Stem] = set()
    for kind, of_kind in endings.items():
        ending = next((each for each in of_kind if token.endswith(each) and len(token) - len(each) >= _LEAST), "")
        if ending:
            found.add((token[: -len(ending)], kind))
        elif kind == _NOUN:
            found |= {(token, kind), *_without_vowel(token)}
    if token.endswith("ь"):
        found |= _without_vowel(token[:-1])
    base = token[: -len("ість")]
    if token.endswith("ість") and len(base) >= _LONG:  # мудрість, мудрий
        found.add((base, _ADJECTIVE))
    return found


def _without_vowel(token: str) -> set[Stem]:
    """As its other forms are where a vowel is in the first one alone: замок, замку; хлопець, хлопця; заєць, зайця."""
    if len(token) > _LEAST and token[-1] not in _VOWELS and token[-2] in "оеє":
        return {(f"{token[:-2]}{'й' if token[-2] == 'є' else ''}{token[-1]}", _NOUN)}
    return set()
