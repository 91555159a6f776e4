"""Keys out of bytes, and styled lines into bytes."""

import pytest

from croupier_cli.terminal.ink import Span, cells, clean, fit, fold, length, line, render, short, tail, wrap
from croupier_cli.terminal.keys import Keys, Pasted


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
        (b"\x1b[200~\x1b[201~x", ["x"]),
        (b"\x1b[201~x", ["x"]),
        (b"\x06\x0b\x18\x1a", ["ctrl-f", "ctrl-k", "ctrl-x", "ctrl-z"]),
        (b"\x1bq", ["escape", "q"]),
        (b"\x1b\x1b[A", ["escape", "up"]),
        ("яß€".encode(), ["я", "ß", "€"]),
        (b"\x00\x1c\xff", []),
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


@pytest.mark.parametrize("chunk", [1, 3, 7, 100])
def test_what_is_pasted_is_text_and_no_keys(chunk: int) -> None:
    keys, got = Keys(), list[str | Pasted]()
    data = "a\x1b[200~ry\n\x1b[A\x03ґ\x1b[20\x1b[201~\r".encode()
    for at in range(0, len(data), chunk):
        got += keys.feed(data[at : at + chunk])
    assert (got[0], got[-1]) == ("a", "enter")
    assert all(isinstance(each, Pasted) for each in got[1:-1])
    assert "".join(each.text for each in got[1:-1] if isinstance(each, Pasted)) == "ry\n\x1b[A\x03ґ\x1b[20"


def test_a_paste_without_an_end_is_ended_by_escape() -> None:
    keys = Keys()
    assert keys.feed(b"\x1b[200~ab\x1b[2") == [Pasted("ab")]
    assert keys.settle() == []
    assert keys.feed(b"01~q\x1b[200~c") == ["q", Pasted("c")]
    assert keys.feed(b"\x1b") == []
    assert keys.settle() == ["escape"]
    assert keys.feed(b"q") == ["q"]


def test_widths_are_counted_in_cells() -> None:
    assert (cells("abc"), cells("Ґанок"), cells("名前"), cells("é"), cells("a\u200bb")) == (3, 5, 4, 1, 2)
    assert fit("abc", 5) == "abc  "
    assert fit("abcdef", 5) == "abcd…"
    assert fit("名前名前", 5) == "名前…"
    assert cells(fit("名前名前", 6)) == 6
    assert short("ab", 5) == "ab"
    assert (tail("abc", 3), tail("abcdef", 4), tail("名前名前", 6)) == ("abc", "…def", "…名前")


def test_texts_are_folded_between_words() -> None:
    assert fold("one two  three", 8) == ["one two", "three"]
    assert fold("名前名前 x", 5) == ["名前", "名前", "x"]
    assert fold("", 5) == [""]


def test_what_others_have_written_gives_no_orders() -> None:
    assert clean("Ґ é 名 \u200d") == "Ґ é 名 \u200d"
    assert clean("a\x1b[2J\x9b1m\r\nb\u202ec\u2066d\u2028") == "a\ufffd[2J\ufffd1m\ufffd\ufffdbcd\ufffd"
    assert render(line("\x1b]0;t\x07", Span("\x1b[H", "bold")), 80, colour=False) == "\ufffd]0;t\ufffd\ufffd[H"


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
