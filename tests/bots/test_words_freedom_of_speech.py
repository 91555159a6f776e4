"""What the house's bots for Freedom of Speech say is no foul, what they flag is one, what they guess is often right."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from croupier_bots.brains.freedom_of_speech_index import index_of
from croupier_bots.brains.freedom_of_speech_words import facts, gives_away, is_flagged, known, letters, plain
from croupier_engine.freedom_of_speech import lexicon, script
from croupier_engine.freedom_of_speech.options import Language, Level, Word
from croupier_engine.freedom_of_speech.words import shipped

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("level", Level)
def test_the_words_are_those_of_the_deck(language: Language, level: Level) -> None:
    assert list(known(language, level)) == [card.word for card in shipped(language, level)]


@pytest.mark.parametrize("language", Language)
def test_no_clue_that_it_gives_is_a_foul(language: Language) -> None:
    enough = 0
    for card in shipped(language, Level.ALL):
        answers = (card.word, *card.aliases)
        clues = known(language, "ALL")[card.word]
        for clue in (*clues, *facts(answers, language), *letters(answers)):
            assert lexicon.foul_of(clue, card, language) is None, (card, clue)
            assert not script.problem_of(clue, language, lexicon.CLUE), (card, clue)
        given = [clue for clue in clues if not gives_away(clue, answers)]
        assert not [clue for clue in given if is_flagged(clue, answers)], "it would flag what it gives itself"
        enough += len(given) >= 5
        assert len(set(clues)) == len(clues)
    assert enough >= 200


@pytest.mark.parametrize(
    ("language", "word", "said"),
    [
        ("EN", "zeppelin", ("words: 1", "letters: 8")),
        ("EN", "love letter", ("words: 2",)),
        ("EN", "words of letters", ("14",)),
        ("RU", "слово", ("букв: 5",)),
        ("UK", "п'ять літер", ("слів: 2",)),
    ],
)
def test_of_a_word_that_it_does_not_know_it_says_what_is_no_foul(
    language: str, word: str, said: tuple[str, ...]
) -> None:
    assert facts((word,), language) == said
    for clue in said:
        assert lexicon.foul_of(clue, Word(word), Language(language)) is None
        assert not script.problem_of(clue, Language(language), lexicon.CLUE)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (("elephant",), ("e _ _ _ _ _ _ _", "e _ _ _ _ _ _ t")),
        (("love letter",), ("l _ _ _  l _ _ _ _ _", "l _ _ _  l _ _ _ _ r")),
        (("cat",), ("c _ _",)),
        (("united states of america", "usoa"), ("u _ _ _ _ d  s _ _ _ _ s  o _  a _ _ _ _ _ a",)),
    ],
)
def test_letters_spell_no_name(answers: tuple[str, ...], said: tuple[str, ...]) -> None:
    assert letters(answers) == said
    for clue in said:
        assert lexicon.foul_of(clue, Word(answers[0], answers[1:]), Language.EN) is None
        assert not script.problem_of(clue, Language.EN, lexicon.CLUE)


@pytest.mark.parametrize(
    ("word", "clue", "flagged"),
    [
        ("luck", "Lucky you", True),
        ("noise", "it is noisy", True),
        ("wool", "a woollen hat", True),
        ("internet", "of much interest", False),
        ("cat", "cattle", False),
        ("puss with boots", "a cat with shoes", False),
        ("elephant", "a big grey animal", False),
    ],
)
def test_what_is_flagged(word: str, clue: str, flagged: bool) -> None:
    assert is_flagged(clue, (word,)) is flagged


def test_it_keeps_silent_where_the_rules_may_see_a_foul() -> None:
    for word, clue in (("cat", "cats do it"), ("snowman", "a man of snowmanship"), ("кот", "котик мяукает")):
        assert gives_away(clue, (word,))
    assert gives_away("a phrase with envy", ("jealousy", "envy"))
    assert not gives_away("a big grey animal", ("elephant",))


@pytest.mark.parametrize("language", Language)
def test_two_guesses_are_the_same_to_it_that_are_to_the_judge(language: Language) -> None:
    texts = [name for card in shipped(language, Level.ALL) for name in (card.word, *card.aliases)]
    texts += [clue for clues in known(language, "ALL").values() for clue in clues]
    texts += [
        "The ＢＩＧ  “cat”!",
        "an ox",
        "the",
        "U.S.A.",
        "m²",
        "п’ять — пʼять",
        "ЁЖ",
        "rock 'n' roll",
        "a_b",
        "x\u200dy",
        "",
    ]
    texts += [
        dressed for text in texts[:50] for dressed in (f"«{text.upper()}»…", f"a {text}?", text.replace(" ", "-"))
    ]
    for text in texts:
        assert plain(text) == script.normal(text)


def test_the_guesser_finds_at_least_half_by_clues_that_it_has_never_seen() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "bench", "guesser", "--json"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(said.stdout)
    assert (found["timer_s"], found["clue_s"], found["guess_s"]) == (60, 8, 2)
    for language in Language:
        assert found[f"{language.lower()}_words"] == 100
        assert found[f"{language.lower()}_found"] >= 0.5
        assert found[f"{language.lower()}_clues"] >= 380, "hardly any of them is the house's own"


def test_only_words_of_the_level_are_guessed() -> None:
    everything = " ".join(clue for clues in known("EN", "ALL").values() for clue in clues)
    assert index_of("EN", "EASY").best([everything], ()) in known("EN", "EASY")
    assert index_of("EN", "HARD").best([everything], ()) in known("EN", "HARD")
    assert index_of("EN", "HARD").best(["qqqq"], ()) is None
