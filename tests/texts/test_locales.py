"""Which language a caller gets, and which form of a word follows a number."""

import pytest

from croupier.errors import CATALOGUE
from croupier.locales import LOCALES, best_locale, plural_form, with_noun

SECONDS = {
    "en": "second|seconds",
    "ru": "секунда|секунды|секунд",
    "uk": "секунда|секунди|секунд",
}


@pytest.mark.parametrize(
    ("header", "best"),
    [
        ("uk", "uk"),
        ("uk-UA", "uk"),
        ("UK_ua", "uk"),
        ("uk;q=0.8, ru", "ru"),
        ("uk-UA,uk;q=0.9,ru;q=0.8,en;q=0.7", "uk"),
        ("ru, uk", "ru"),
        ("pl, de;q=0.9, uk;q=0.1", "uk"),
        ("pl", "en"),
        ("", "en"),
        (";;;", "en"),
        (",", "en"),
        ("ru;q=0, uk;q=0.1", "uk"),
        ("ru, ru;q=0", "en"),
        ("ru;q=0", "en"),
        ("ru;q=2, uk;q=0.5", "uk"),
        ("ru;q=nan, uk;q=0.5", "uk"),
        ("ru;q=, uk;q=0.5", "uk"),
        ("ru ; Q=0.3 , uk ; q=0.4", "uk"),
        ("*, uk;q=0.5", "en"),
        ("pl, *;q=0.5", "en"),
        ("en;q=0, *", "en"),  # nothing else is known to be wanted
    ],
)
def test_the_best_kept_language(header: str, best: str) -> None:
    assert best_locale(header) == best


def test_the_default_is_the_callers() -> None:
    assert best_locale("pl, de", "uk-UA") == "uk-UA"
    assert best_locale("*, ru;q=0.5", "uk") == "uk"
    assert best_locale("ru", "uk") == "ru"


@pytest.mark.parametrize(
    ("number", "en", "slavic"),
    [
        ("0", "many", "many"),
        ("1", "one", "one"),
        ("2", "many", "few"),
        ("5", "many", "many"),
        ("11", "many", "many"),
        ("12", "many", "many"),
        ("21", "many", "one"),
        ("22", "many", "few"),
        ("101", "many", "one"),
        ("111", "many", "many"),
        ("112", "many", "many"),
        ("1.5", "many", "few"),
        ("?", "many", "many"),
        ("soon", "many", "many"),
        ("²", "many", "many"),
    ],
)
def test_the_form_that_follows_a_number(number: str, en: str, slavic: str) -> None:
    assert plural_form("en", number) == en
    assert plural_form("ru", number) == plural_form("uk", number) == slavic


@pytest.mark.parametrize(
    ("locale", "told"),
    [
        (
            "en",
            "0 seconds, 1 second, 2 seconds, 5 seconds, 11 seconds, 21 seconds, 22 seconds, 101 seconds, 111 seconds",
        ),
        ("ru", "0 секунд, 1 секунда, 2 секунды, 5 секунд, 11 секунд, 21 секунда, 22 секунды, 101 секунда, 111 секунд"),
        ("uk", "0 секунд, 1 секунда, 2 секунди, 5 секунд, 11 секунд, 21 секунда, 22 секунди, 101 секунда, 111 секунд"),
    ],
)
def test_numbers_with_their_noun(locale: str, told: str) -> None:
    numbers = ("0", "1", "2", "5", "11", "21", "22", "101", "111")
    assert ", ".join(with_noun(locale, number, SECONDS[locale]) for number in numbers) == told


@pytest.mark.parametrize(
    ("locale", "one", "few", "many"),
    [
        ("en", "in 1 second.", "in 2 seconds.", "in 5 seconds."),
        ("ru", "через 1 секунду.", "через 2 секунды.", "через 5 секунд."),
        ("uk", "через 1 секунду.", "через 2 секунди.", "через 5 секунд."),
    ],
)
def test_error_texts_follow_their_numbers(locale: str, one: str, few: str, many: str) -> None:
    for reason in ("RATE_LIMITED", "OVERLOADED", "UNAVAILABLE", "GOING_DOWN"):
        for number, end in (("1", one), ("21", one.replace("1", "21")), ("2", few), ("5", many)):
            if locale == "en" and number == "21":
                continue
            assert CATALOGUE[reason].text(locale, {"limit": "x=1", "retry_after": number}).endswith(end)


def test_the_other_texts_with_numbers() -> None:
    choices = CATALOGUE["CHOICE_OUT_OF_RANGE"]
    assert "has 1 choice." in choices.text("en", {"choice": "4", "choices": "1"})
    assert "2 варианта." in choices.text("ru", {"choice": "4", "choices": "2"})
    assert "10 варіантів." in choices.text("uk", {"choice": "14", "choices": "10"})
    seats = CATALOGUE["SEATS_INVALID"]
    told = {"game": "six_nimmt", "min": "2", "max": "10", "seats": "11"}
    assert seats.text("en", told) == "six_nimmt is played by 2 to 10 players, not by 11."
    assert "до 10 игроков" in seats.text("ru", told)
    assert "до 21 гравця" in seats.text("uk", {**told, "max": "21"})
    assert "1 byte " in CATALOGUE["BODY_TOO_LARGE"].text("en", {"limit": "1"})
    assert "65536 байтів" in CATALOGUE["BODY_TOO_LARGE"].text("uk", {"limit": "65536"})
    assert "из 104 карт" in CATALOGUE["DEAL_INVALID"].text("ru", {"size": "104"})


@pytest.mark.parametrize("locale", LOCALES)
def test_the_outline_of_a_text_names_what_is_filled_in(locale: str) -> None:
    for entry in CATALOGUE.values():
        outline = entry.outline(locale)
        assert "|" not in outline
        assert "?" not in outline
    assert CATALOGUE["GOING_DOWN"].outline("en").endswith("again in {retry_after} seconds.")
    assert CATALOGUE["CARD_NOT_HELD"].outline("uk-UA") == CATALOGUE["CARD_NOT_HELD"].uk
