"""The catalogue of errors is complete and can be told in every language and over both APIs."""

from http import HTTPStatus
from string import Formatter

import grpc
import pytest

from croupier.errors import CATALOGUE
from croupier.locales import LOCALES
from croupier_engine.errors import Reason

TEXTS = [(reason, locale) for reason in CATALOGUE for locale in LOCALES]


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_every_reason_of_the_engine_is_in_the_catalogue() -> None:
    assert {reason.value for reason in Reason} <= CATALOGUE.keys()


@pytest.mark.parametrize(("reason", "locale"), TEXTS)
def test_every_text_says_the_same_in_every_language(reason: str, locale: str) -> None:
    text = getattr(CATALOGUE[reason], locale)
    assert text.strip()
    assert placeholders(text) == placeholders(CATALOGUE[reason].en)


def test_texts_in_russian_and_ukrainian_are_not_copies() -> None:
    for reason, entry in CATALOGUE.items():
        assert len({entry.en, entry.ru, entry.uk}) == 3, reason


@pytest.mark.parametrize("reason", CATALOGUE)
def test_every_entry_has_a_code_and_a_status_of_an_error(reason: str) -> None:
    entry = CATALOGUE[reason]
    assert grpc.StatusCode[entry.code] is not grpc.StatusCode.OK
    assert HTTPStatus(entry.http) >= HTTPStatus.BAD_REQUEST
    assert reason == reason.upper()


def test_a_text_is_filled_in_and_falls_back_to_english() -> None:
    entry = CATALOGUE["CARD_NOT_HELD"]
    assert entry.text("uk-UA", {"card": "14"}) == entry.uk.format(card="14")
    assert entry.text("ru_RU", {"card": "14"}) == entry.ru.format(card="14")
    assert entry.text("pl", {"card": "14"}) == entry.en.format(card="14")
    assert entry.text("en", {}) == entry.en.format(card="?")
