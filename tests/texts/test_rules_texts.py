"""The rules as texts for people: complete in every language, and true: their examples are played by the engine."""

import re
import subprocess
import sys
import zipfile
from enum import Enum
from pathlib import Path

import pytest
from msgspec.structs import fields
from support.six_nimmt import PROFESSIONAL, act, play, position

from croupier.locales import LOCALES
from croupier_engine.registry import GAMES
from croupier_engine.six_nimmt import rules
from croupier_engine.six_nimmt.deck import bulls
from croupier_engine.six_nimmt.model import ChooseRow, ChooseSide, Options, Phase, RowTaken, Side, State
from croupier_service import rules_texts
from croupier_service.rules_texts import rules_text

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [(game, locale) for game in GAMES for locale in LOCALES]
NIMMT = [rules_text("six_nimmt", locale) for locale in LOCALES]
WORDS = {  # of the glossary
    "en": ["bullhead", "row", "deal", "trick"],
    "ru": ["6 берёт", "Коровы", "коровья голова", "ряд", "партия", "ход", "берёт", "«на рога»"],
    "uk": ["Корова 006", "бичача голова", "ряд", "партія", "хід", "бере"],
}


def headings(text: str) -> list[str]:
    return re.findall(r"^## (.+)$", text, re.MULTILINE)


def blocks(text: str) -> list[str]:
    return re.findall(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"-?\d+", text)]


def written(option: str, default: object) -> str:
    """A default as it is typed: the engine has times in milliseconds, and lists as tuples."""
    if option.endswith("_duration") and isinstance(default, int):
        return f"{default / 1000:g}s"
    if isinstance(default, bool):
        return str(default).lower()
    return "[]" if default == () else str(default)


def test_every_game_has_a_text_in_every_language() -> None:
    assert set(rules_texts.GAMES) == set(GAMES)


@pytest.mark.parametrize(("game", "locale"), TEXTS)
def test_a_text_is_whole(game: str, locale: str) -> None:
    told = rules_text(game, locale)
    assert told.locale == locale
    assert told.text.startswith(f"# {told.title}\n")
    assert told.text.endswith("\n")
    for option in fields(GAMES[game].options):
        assert f"| `{option.name}` |" in told.text
        default = option.default
        assert f"| `{option.name}` | `{written(option.name, default)}` |" in told.text
        if isinstance(default, Enum):
            assert all(f"`{value}`" in told.text for value in type(default))
    for preset in GAMES[game].presets:
        assert f"| `{preset}` |" in told.text
    for word in WORDS[locale] if game == "six_nimmt" else ():
        assert word.lower() in told.text.lower(), word


@pytest.mark.parametrize("game", GAMES)
def test_all_languages_tell_the_same(game: str) -> None:
    texts = [rules_text(game, locale) for locale in LOCALES]
    assert len({headings(told.text)[0] for told in texts}) == len(texts)
    assert len({len(headings(told.text)) for told in texts}) == 1
    assert len({told.text.count("\n- ") for told in texts}) == 1
    assert len({told.text.count("\n|") for told in texts}) == 1
    assert len({told.text.count("**") for told in texts}) == 1
    assert len({str([numbers(block) for block in blocks(told.text)]) for told in texts}) == 1
    assert len({str(sorted(re.findall(r"`\w+`", told.text))) for told in texts}) == 1


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("en", ["one card", "first bout of the first game", "trump lies"]),
        ("ru", ["одной картой", "первом коне первой партии", "козыре"]),
        ("uk", ["однією картою", "першому коні першої партії", "козирі"]),
    ],
)
def test_a_preset_tells_its_limits_of_transfers(locale: str, words: list[str]) -> None:
    options = GAMES["durak"].presets["c_transfer"].options
    assert not options.transfer_multi
    assert options.transfer_first_bout == "FORBIDDEN_FIRST_GAME"
    assert options.transfer_with_trump_on_table == "FORBIDDEN"
    (row,) = re.findall(r"^\| `c_transfer` \|.*$", rules_text("durak", locale).text, re.MULTILINE)
    assert all(word in row for word in words)


def test_a_language_that_is_not_kept_is_english() -> None:
    assert rules_text("six_nimmt", "pl").locale == "en"
    assert rules_text("six_nimmt", "uk-UA").locale == "uk"
    assert rules_text("six_nimmt", "RU_ru").locale == "ru"
    assert rules_text("six_nimmt", "").locale == "en"
    with pytest.raises(KeyError):
        rules_text("chess", "en")


@pytest.mark.parametrize("told", NIMMT, ids=LOCALES)
def test_the_bullheads_are_those_of_the_deck(told: rules_texts.RulesText) -> None:
    table = re.findall(r"^\|(.*)\| (\d) \| (\d+) \|$", told.text, re.MULTILINE)
    assert {int(each): int(count) for _, each, count in table} == {
        each: sum(bulls(card) == each for card in range(1, 105)) for each in (1, 2, 3, 5, 7)
    }
    for cards, each, _ in table:
        named = [card for card in numbers(cards.partition(":")[2] or cards) if card]
        assert all(bulls(card) == int(each) for card in named), cards
    assert str(sum(map(bulls, range(1, 105)))) in told.text
    assert (bulls(51), bulls(50)) == (1, 3)


def rows_of(line: str) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(numbers(row)) for row in re.findall(r"\[([\d ]+)\]", line))


@pytest.mark.parametrize("told", NIMMT, ids=LOCALES)
def test_the_examples_are_what_the_engine_plays(told: rules_texts.RulesText) -> None:
    examples = blocks(told.text)
    assert len(examples) >= 12
    first_professional = next(n for n, block in enumerate(examples) if "24 30" in block)
    for number, example in enumerate(examples):
        professional = first_professional <= number < first_professional + 5
        assert_played(example, PROFESSIONAL if professional else Options())


def assert_played(example: str, options: Options) -> None:
    """Every line holds: rows before, cards, what was taken by whom, rows after."""
    before, cards, *takes, after = example.splitlines()
    plays = numbers(cards)
    # One seat more than the example needs, whose card is the highest of all and lies on a row of its own.
    hands = [[card] for card in plays] + ([[104]] if len(plays) < 2 else [])
    state = play(position(rows_of(before), hands, options), *[hand[0] for hand in hands]).state
    taken = {numbers(line)[0]: (tuple(numbers(line)[1:-1]), numbers(line)[-1]) for line in takes}
    state = chosen(state, taken, rows_of(after))
    assert state.phase is not Phase.CHOOSE_ROW
    seen = tuple(tuple(card for card in row if card != 104) for row in state.rows)
    assert seen == rows_of(after), example
    lost = {plays[seat]: count for seat, count in enumerate(state.bulls) if count}
    assert lost == {card: count for card, (_, count) in taken.items()}, example


def chosen(state: State, taken: dict[int, tuple[tuple[int, ...], int]], after: tuple[tuple[int, ...], ...]) -> State:
    """The state after the choices that the example makes."""
    while state.phase in (Phase.CHOOSE_ROW, Phase.CHOOSE_SIDE):
        asked = state.plays[state.laid]
        if state.phase is Phase.CHOOSE_ROW:
            row = state.rows.index(taken[asked.card][0])
            step = act(state, asked.seat, ChooseRow(row))
            assert next(e.public.taken for e in step.events if isinstance(e.public, RowTaken)) == taken[asked.card][0]
            state = step.state
        else:
            sides = [act(state, asked.seat, ChooseSide(side)).state for side in Side]
            (state,) = [
                after_side
                for after_side in sides
                if tuple(tuple(card for card in row if card != 104) for row in after_side.rows) == after
            ]
    return state


@pytest.mark.parametrize("told", NIMMT, ids=LOCALES)
def test_out_of_time_the_example_takes_the_row_that_the_clock_does(told: rules_texts.RulesText) -> None:
    (example,) = [block for block in blocks(told.text) if "[10] [12 13]" in block.splitlines()[0]]
    state = play(position(rows_of(example.splitlines()[0]), [[3], [104]]), 3, 104).state
    assert rules.default(state, 0) == ChooseRow(state.rows.index(tuple(numbers(example.splitlines()[2])[1:-1])))


def test_texts_and_clues_are_in_the_wheel(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path], cwd=ROOT, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    clues = {f"croupier_bots/brains/clues/{of}-{level}.txt" for of in ("en", "ru", "uk") for level in ("easy", "hard")}
    assert {name for name in names if "clues" in name} == clues
    assert {f"croupier_service/texts/{game}.{locale}.md" for game, locale in TEXTS} <= set(names)
