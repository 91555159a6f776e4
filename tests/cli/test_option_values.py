"""Options on the command line: what they may be, and what is said of the others."""

from pathlib import Path

import pytest
from google.protobuf.json_format import MessageToDict

from croupier_cli.option_values import read_options
from croupier_cli.play import _request
from croupier_cli.problem import Problem

GAME = "freedom_of_speech"


def read(*given: str, game: str = GAME) -> object:
    return MessageToDict(read_options(game, given))


def test_values_of_every_kind(tmp_path: Path) -> None:
    assert read() == {}
    assert read("judge=giver", "timer_duration=90s", "win_at=7", "contain=true") == {
        "freedomOfSpeech": {"judge": "GIVER", "timerDuration": "90s", "winAt": 7, "contain": True}
    }
    assert read("timerDuration=1.5s", "referee=-1") == {"freedomOfSpeech": {"timerDuration": "1.500s", "referee": -1}}
    assert read("cards=LOGIC", game="six_nimmt") == {"sixNimmt": {"cards": "LOGIC"}}


def test_a_list_of_words(tmp_path: Path) -> None:
    pig, dog = {"word": "pig", "aliases": ["hog", "swine"]}, {"word": "dog"}
    words = {"freedomOfSpeech": {"words": [pig, dog]}}
    file = tmp_path / "words.txt"
    file.write_text("\ufeff# beasts\npig | hog, swine\n\ndog\n", encoding="utf-8")
    assert read(f"words=@{file}") == words
    assert read('words=[{"word": "pig", "aliases": ["hog", "swine"]}, "dog"]') == words
    assert read('words=["cat"]', f"words=@{file}") == words, "the last one counts"


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("judge", "--option takes NAME=VALUE, not judge; `croupier rules freedom_of_speech` lists the options"),
        (
            "turn_mod=SOLO",
            "--option: there is no turn_mod; there is turn_mode, language, level, words, timer_duration, ",
        ),
        ("judge=me", "--option judge: not one of AUTO, GIVER"),
        ("timer_duration=60", "--option timer_duration: not a duration in seconds such as 20s"),
        ("timer_duration=a minute", "--option timer_duration: not a duration in seconds such as 20s"),
        ("contain=yes", "--option contain: not true or false"),
        ("contain=1", "--option contain: not true or false"),
        ("win_at=many", "--option win_at: not a whole number"),
        ("win_at=true", "--option win_at: not a whole number"),
        ("win_at=1.5", "--option win_at: not a whole number"),
        ("win_at=9999999999999", "--option win_at: not a whole number"),
        ("words=pig", "--option words: not @FILE with a card a line, `word | alias, alias`, or a list in JSON"),
        ("words=[1]", "--option words: not @FILE with a card a line, `word | alias, alias`, or a list in JSON"),
        ('words=[{"name": "pig"}]', "--option words: not @FILE with a card a line, "),
        ("words=@/nowhere/words", "/nowhere/words: cannot be read (No such file or directory)"),
    ],
)
def test_what_is_wrong_is_told_by_name(option: str, said: str) -> None:
    with pytest.raises(Problem) as problem:
        read(option)
    assert str(problem.value).startswith(said)


@pytest.mark.parametrize(
    ("game", "bots", "seats", "levels", "size"),
    [
        ("freedom_of_speech", None, None, ["careful", "careful", "careful"], 4),
        ("six_nimmt", None, None, ["careful", "careful", "random"], 4),
        ("freedom_of_speech", "", None, [], 4),
        ("six_nimmt", "", None, [], 2),
        ("durak", None, 3, [], 3),
        ("durak", "careful", None, ["careful"], 2),
    ],
)
def test_who_sits_down(game: str, bots: str | None, seats: int | None, levels: list[str], size: int) -> None:
    request = _request(game, bots, seats, "", (), None, private=False)
    assert [bot.level for bot in request.bots] == levels
    assert request.seats == size
