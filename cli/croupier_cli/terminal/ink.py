"""Styled text, line by line, measured in cells of a terminal."""

import os
import unicodedata
from collections.abc import Iterable, Sequence
from typing import IO, NamedTuple, TypeAlias

# What a style looks like. Colours only add to what is said in words and marks: all can be read without.
_SGR = {
    "bold": "1",
    "dim": "2",
    "under": "4",
    "mark": "7",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "magenta": "35",
    "cyan": "36",
}


_ORDERS = ("Cc", "Cs", "Zl", "Zp")
_TURNS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")  # would show what follows the other way round


class Span(NamedTuple):
    """Text in a style: names of _SGR, separated by spaces; empty: plain."""

    text: str
    style: str = ""


Line: TypeAlias = Sequence[Span]


def line(*parts: str | Span) -> Line:
    """A line of spans; plain text may be given as it is."""
    return [part if isinstance(part, Span) else Span(part) for part in parts]


def cells(text: str) -> int:
    """How many cells of a terminal a text takes: two for wide characters, none for combining ones."""
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def short(text: str, width: int) -> str:
    """The text in at most `width` cells, cut with an ellipsis."""
    return text if cells(text) <= width else _cut(text, width - 1) + "…"


def fit(text: str, width: int) -> str:
    """The text in exactly `width` cells: padded, or cut with an ellipsis."""
    kept = short(text, width)
    return kept + " " * (width - cells(kept))


def tail(text: str, width: int) -> str:
    """The end of the text in at most `width` cells, with an ellipsis in front where it was cut."""
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[1:]
    return "…" + text


def fold(text: str, width: int) -> list[str]:
    """The text on as many lines as it needs, broken between words, and within a word only where it is too long."""
    lines = [""]
    for word in text.split():
        if lines[-1] and cells(f"{lines[-1]} {word}") > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
        while cells(lines[-1]) > width:
            kept = _cut(lines[-1], width)
            lines[-1:] = [kept, lines[-1][len(kept) :]]
    return lines


def clean(text: str) -> str:
    """The text without orders to a terminal: what others have written may hold some."""
    if text.isprintable():
        return text
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(each) in _ORDERS else each
        for each in text
        if unicodedata.bidirectional(each) not in _TURNS
    )


def _cut(text: str, width: int) -> str:
    kept = ""
    for character in text:
        if cells(kept + character) > width:
            break
        kept += character
    return kept


def wrap(items: Iterable[str], width: int, indent: str = "") -> list[str]:
    """Items, separated by commas, on as few lines as they need; an item is never broken unless it is too long."""
    lines: list[str] = []
    for item in items:
        if lines and cells(f"{lines[-1]}, {item}") <= width - 1:
            lines[-1] = f"{lines[-1]}, {item}"
        else:
            if lines:
                lines[-1] += ","
            lines.append((indent if lines else "") + item)
    return lines


def length(spans: Line) -> int:
    """How many cells a line takes."""
    return sum(cells(span.text) for span in spans)


def render(spans: Line, width: int, colour: bool) -> str:
    """The line as it is sent to a terminal, cut to its width."""
    left, sent = width, []
    for text, style in spans:
        shown = _cut(clean(text), left)
        left -= cells(shown)
        codes = ";".join(_SGR[name] for name in style.split())
        sent.append(f"\033[{codes}m{shown}\033[0m" if colour and codes and shown else shown)
    return "".join(sent)


def wants_colour(stream: IO[str]) -> bool:
    """Whether styles may be sent there: a terminal that knows them, and no NO_COLOR."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and is_drawable()


def is_drawable() -> bool:
    """Whether the terminal, by the name it gives itself, can place a cursor and knows styles."""
    return os.environ.get("TERM", "") not in ("", "dumb")
