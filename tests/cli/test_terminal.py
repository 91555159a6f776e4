"""Keys out of bytes, and styled lines into bytes."""

import pytest

from croupier_cli.terminal.ink import Span, cells, fit, length, line, render, short, wrap
from croupier_cli.terminal.keys import Keys


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"a", ["a"]),
        (b"\r", ["enter"]),
        (b"\n", ["enter"]),
        (b" ", ["space"]),
        (b"\x7f", ["backspace"]),
        (b"\t", ["tab"]),
        (b"\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"]),
        (b"\x1bOA\x1bOD", ["up", "left"]),
        (b"\x1b[H\x1b[4~\x1b[6~", ["home", "end", "page down"]),
        (b"\x1b[1;5C1", ["1"]),  # an arrow with Ctrl is no key of ours
        (b"\x1b[200~x", ["x"]),
        (b"\x1bq", ["escape", "q"]),
        (b"\x1b\x1b[A", ["escape", "up"]),
        ("яß€".encode(), ["я", "ß", "€"]),
        (b"\x00\x01\xff", []),
        (b"12\r", ["1", "2", "enter"]),
    ],
)
def test_keys(data: bytes, keys: list[str]) -> None:
    decoder = Keys()
    assert decoder.feed(data) == keys
    assert not decoder.pending
    # However it comes in parts, it is the same.
    bytewise = Keys()
    assert [key for byte in data for key in bytewise.feed(bytes([byte]))] == keys


def test_an_escape_that_stands_alone_is_a_key() -> None:
    keys = Keys()
    assert keys.feed(b"\x1b") == []
    assert keys.pending
    assert keys.settle() == ["escape"]
    assert keys.feed(b"[A") == ["[", "A"]
    assert keys.settle() == []


def test_widths_are_counted_in_cells() -> None:
    assert (cells("abc"), cells("Ґанок"), cells("名前"), cells("é"), cells("a\u200bb")) == (3, 5, 4, 1, 2)
    assert fit("abc", 5) == "abc  "
    assert fit("abcdef", 5) == "abcd…"
    assert fit("名前名前", 5) == "名前…"
    assert cells(fit("名前名前", 6)) == 6
    assert short("ab", 5) == "ab"


def test_lines_are_cut_and_styled() -> None:
    spans = line("ab", Span("cd", "red bold"), Span("ef"))
    assert length(spans) == 6
    assert render(spans, 80, colour=True) == "ab\033[31;1mcd\033[0mef"
    assert render(spans, 80, colour=False) == "abcdef"
    assert render(spans, 3, colour=True) == "ab\033[31;1mc\033[0m"
    assert render(spans, 2, colour=True) == "ab"


def test_items_are_wrapped_between_items() -> None:
    assert wrap([], 20) == []
    assert wrap(["one", "two", "three"], 20) == ["one, two, three"]
    assert wrap(["one", "two", "three"], 10, indent="  ") == ["one, two,", "  three"]
    assert wrap(["a" * 30, "b"], 10) == ["a" * 30 + ",", "b"]
