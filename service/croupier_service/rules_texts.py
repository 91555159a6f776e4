"""The rules of each game as a text for people, in the languages that texts are kept in.

They are files beside this one, `texts/<game>.<locale>.md`, read once when this module is imported.
"""

from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple

from croupier.locales import LOCALES, language_of


class RulesText(NamedTuple):
    """`title`: the game's name in that language; `text`: Markdown, the title as its first heading."""

    title: str
    text: str
    locale: str


def _read() -> dict[tuple[str, str], RulesText]:
    read: dict[tuple[str, str], RulesText] = {}
    for file in files("croupier_service").joinpath("texts").iterdir():
        game, locale, ending = file.name.split(".")
        if ending == "md" and locale in LOCALES:
            text = file.read_text(encoding="utf-8")
            title = next(line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))
            read[game, locale] = RulesText(title, text, locale)
    return read


_TEXTS: Mapping[tuple[str, str], RulesText] = MappingProxyType(_read())

GAMES: tuple[str, ...] = tuple(sorted({game for game, _ in _TEXTS}))
"""The games that have a text, by name."""


def rules_text(game: str, locale: str) -> RulesText:
    """The rules of a game in a language such as `uk` or `uk-UA`; in English where that language is not kept.

    Raises KeyError for a game that has no text.
    """
    return _TEXTS.get((game, language_of(locale))) or _TEXTS[game, "en"]
