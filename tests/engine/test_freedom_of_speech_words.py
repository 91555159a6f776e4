"""Freedom of Speech: the shipped lists. A changed one needs a new version of the rules: logs name cards by place."""

import hashlib
from importlib.resources import files

import pytest
from support.freedom_of_speech import GAME
from support.unwanted_words import UNWANTED

from croupier_engine.freedom_of_speech.lexicon import foul_of
from croupier_engine.freedom_of_speech.options import Language, Level, Options, Word
from croupier_engine.freedom_of_speech.script import bare, normal
from croupier_engine.freedom_of_speech.stems import roots, stems
from croupier_engine.freedom_of_speech.words import (
    ALIASES,
    LONGEST,
    TOTAL,
    WordsInvalid,
    check,
    parsed,
    shipped,
)

EN, RU, UK = Language.EN, Language.RU, Language.UK

PINNED = {
    "en-easy": "d1d727174a4c035d4953b5ed5204261302606af29d455d71853bc0383c887294",
    "en-hard": "594a5c7f1469dc65e4cc65196223bb4cefac1eb2fbe005820baa575c54525c3b",
    "ru-easy": "0afa9eadaf772445cb834157a4ea290e72e7735b43b923c2585b73704b12db61",
    "ru-hard": "10dc737a7a55a37003bd87ab92153d5a22604a203f4bb6786eb48eb189bc6237",
    "uk-easy": "24c2e85f1702e89eb63e1b31a8bd4fa1a747976b26bffba9e850ad8ed3048f5a",
    "uk-hard": "afc8a920c491a619c516a4e856fd7615808fe7111d84d998a952e07c8a9bcd2d",
}


def listed(language: Language, level: Level) -> bytes:
    name = f"{language.lower()}-{level.lower()}.txt"
    return (files("croupier_engine.freedom_of_speech") / "words" / name).read_bytes()


@pytest.mark.parametrize("name", PINNED)
def test_c1_2_a_shipped_list_does_not_change(name: str) -> None:
    assert GAME.rules_version == 1
    language, level = name.upper().split("-")
    assert hashlib.sha256(listed(Language(language), Level(level))).hexdigest() == PINNED[name]


@pytest.mark.parametrize("language", Language)
def test_c1_2_a_shipped_list_is_whole(language: Language) -> None:
    words = shipped(language, Level.ALL)
    easy, hard = shipped(language, Level.EASY), shipped(language, Level.HARD)
    assert words == (*easy, *hard)
    assert len(words) >= 400
    assert min(len(easy), len(hard)) >= 150
    names = [[normal(name) for name in (card.word, *card.aliases)] for card in words]
    together = [name for of_one in names for name in of_one]
    assert len(together) == len(set(together))
    for card in words:
        assert len(card.aliases) <= ALIASES
        assert all(2 <= len(name) <= LONGEST for name in (card.word, *card.aliases))
        assert all(foul_of(name, card, language) for name in (card.word, *card.aliases))


@pytest.mark.parametrize("language", Language)
def test_c1_2_a_shipped_list_has_nothing_that_is_not_for_everybody(language: Language) -> None:
    unwanted = {
        stem: (category, word)
        for category, listed_words in UNWANTED[language].items()
        for word in listed_words.split()
        for part in bare(word)
        for stem in roots(part, language)
    }
    for card in shipped(language, Level.ALL):
        for name in (card.word, *card.aliases):
            assert [unwanted[stem] for part in bare(name) for stem in stems(part, language) & unwanted.keys()] == [], (
                name
            )


TWENTY = tuple(Word("word" + letter) for letter in "abcdefghijklmnopqrst")


@pytest.mark.parametrize(
    "card",
    [
        Word("cat", ("cat",)),
        Word("cat", ("CAT!",)),
        Word("cat", ("a cat",)),
        Word("cat", ("puss", "Puss")),
    ],
)
def test_c1_2_no_card_has_the_same_word_twice(card: Word) -> None:
    with pytest.raises(WordsInvalid, match=r"^card 21 has a word twice$"):
        check((*TWENTY, card), EN)


def test_c1_2_a_list_has_no_more_letters_than_can_be_read_at_once() -> None:
    cards = [
        Word(f"{number:03}{'w' * 37}", tuple(f"{number:03}{alias}{'w' * 36}" for alias in range(8)))
        for number in range(500)
    ]
    with pytest.raises(WordsInvalid, match=r"^180000 letters are more than 20000$"):
        check(tuple(cards), EN)
    full = tuple(Word(card.word) for card in cards)
    assert sum(len(card.word) for card in full) == TOTAL
    check(full, EN)
    with pytest.raises(WordsInvalid, match=r"^20001 letters"):
        check((*full[:-1], Word(full[-1].word, ("w",))), EN)


def test_c1_2_a_list_is_checked_once() -> None:
    options = Options(words=tuple(Word(f"once{card.word}") for card in TWENTY))
    before = check.cache_info()
    GAME.validate(options, 4)
    GAME.start(options, 4, 0)
    after = check.cache_info()
    assert (after.misses - before.misses, after.hits - before.hits) == (1, 1)


def test_c1_2_lines_of_a_list() -> None:
    assert parsed(["# animals", "", "elephant | tusker,  , big one ", "hedgehog"]) == [
        Word("elephant", ("tusker", "big one")),
        Word("hedgehog"),
    ]
