"""Freedom of Speech: the shipped lists. A changed one needs a new version of the rules: logs name cards by place."""

import hashlib
from importlib.resources import files

import pytest
from support.freedom_of_speech import GAME

from croupier_engine.freedom_of_speech.lexicon import foul_of, normal
from croupier_engine.freedom_of_speech.options import Language, Level, Word
from croupier_engine.freedom_of_speech.words import ALIASES, LONGEST, parsed, shipped

EN, RU, UK = Language.EN, Language.RU, Language.UK

PINNED = {
    "en-easy": "35e70881c06de8898e5b15004e4b2c3a5b3dc345580f0f6ea165bc7e6d5a3ecb",
    "en-hard": "f98f6fd6a0a9a7ddb2c75797535a79fd9ae02f909b60ee937afd0b9ad6ac24d0",
    "ru-easy": "0afa9eadaf772445cb834157a4ea290e72e7735b43b923c2585b73704b12db61",
    "ru-hard": "10dc737a7a55a37003bd87ab92153d5a22604a203f4bb6786eb48eb189bc6237",
    "uk-easy": "e80557d3cf47edea004dc280a3e25e4f8df597f6c670f641b452c4a52288d8c6",
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


NOT_WANTED = {
    EN: "beer wine vodka whisky rum gin brandy champagne cigarette tobacco casino sex drug facebook google lego coca",
    RU: "пиво вино водка виски ром джин коньяк шампанское сигарета табак казино секс наркотик гугл лего кола",
    UK: "пиво вино горілка віскі ром джин коньяк шампанське сигарета тютюн казино секс наркотик гугл лего кола",
}


@pytest.mark.parametrize("language", Language)
def test_c1_2_a_shipped_list_is_whole(language: Language) -> None:
    words = shipped(language, Level.ALL)
    easy, hard = shipped(language, Level.EASY), shipped(language, Level.HARD)
    assert words == (*easy, *hard)
    assert len(words) >= 400
    assert min(len(easy), len(hard)) >= 150
    names = [[normal(name) for name in (card.word, *card.aliases)] for card in words]
    together = [name for of_one in names for name in set(of_one)]
    assert len(together) == len(set(together))
    assert not {token for name in together for token in name.split()} & set(NOT_WANTED[language].split())
    for card in words:
        assert len(card.aliases) <= ALIASES
        assert all(2 <= len(name) <= LONGEST for name in (card.word, *card.aliases))
        assert all(foul_of(name, card, language) for name in (card.word, *card.aliases))


def test_c1_2_lines_of_a_list() -> None:
    assert parsed(["# animals", "", "elephant | tusker,  , big one ", "hedgehog"]) == [
        Word("elephant", ("tusker", "big one")),
        Word("hedgehog"),
    ]
