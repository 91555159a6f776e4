"""Bytes of a keyboard to names of keys."""

import codecs
from typing import NamedTuple

_SEQUENCES = {
    "[A": "up",
    "[B": "down",
    "[C": "right",
    "[D": "left",
    "[H": "home",
    "[F": "end",
    "[1~": "home",
    "[4~": "end",
    "[5~": "page up",
    "[6~": "page down",
    "[3~": "delete",
    "OA": "up",
    "OB": "down",
    "OC": "right",
    "OD": "left",
    "OH": "home",
    "OF": "end",
}
_NAMES = {"\r": "enter", "\n": "enter", "\x7f": "backspace", "\b": "backspace", "\t": "tab", " ": "space"}
_ESCAPE = "\x1b"
_PASTE, _PASTED = "[200~", "\x1b[201~"  # around what a terminal pastes


class Pasted(NamedTuple):
    """Text that was pasted, or a part of it: no keys, whatever it holds."""

    text: str


class Keys:
    """Decodes what was typed; a sequence of an arrow key may come in parts."""

    def __init__(self) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8")(errors="ignore")
        self._rest = ""
        self._pasting = False

    def feed(self, data: bytes) -> list[str | Pasted]:
        """What is complete by now: a character, a name such as `left`, `enter`, `ctrl-k`, or what was pasted."""
        self._rest += self._utf8.decode(data)
        keys: list[str | Pasted] = []
        while self._rest:
            key, used = self._paste() if self._pasting else self._next()
            if not used:
                break
            self._rest = self._rest[used:]
            if key:
                keys.append(key)
        return keys

    def settle(self) -> list[str]:
        """Nothing has come for a while: an escape that still stands alone is the Escape key. It ends a paste, too."""
        if self._pasting and len(self._rest) > 1:
            return []  # the rest of its end is under way
        alone = self._rest.startswith(_ESCAPE)
        self._rest, self._pasting = "", False
        return ["escape"] if alone else []

    @property
    def pending(self) -> bool:
        """Whether the beginning of a sequence waits for its rest."""
        return bool(self._rest)

    def _next(self) -> tuple[str, int]:
        """The next key and how many characters it took: 0 while it is not complete; no key for an unknown one."""
        first = self._rest[0]
        if first != _ESCAPE:
            name = _NAMES.get(first) or (f"ctrl-{chr(ord(first) + 96)}" if "\x01" <= first <= "\x1a" else first)
            return (name if len(name) > 1 or name.isprintable() else "", 1)
        if len(self._rest) == 1:
            return "", 0
        if self._rest[1] == "O":
            return (_SEQUENCES.get(self._rest[1:3], ""), 3) if len(self._rest) > 2 else ("", 0)
        if self._rest[1] != "[":
            return "escape", 1
        for end in range(2, len(self._rest)):
            if "@" <= self._rest[end] <= "~":
                self._pasting = self._rest[1 : end + 1] == _PASTE
                return _SEQUENCES.get(self._rest[1 : end + 1], ""), end + 1
        return "", 0

    def _paste(self) -> tuple[Pasted | str, int]:
        """What of a paste is there, up to its end; what may be the beginning of the end waits."""
        end = self._rest.find(_PASTED)
        if end == 0:
            self._pasting = False
            return "", len(_PASTED)
        if end < 0:
            held = next(n for n in range(len(_PASTED), -1, -1) if self._rest.endswith(_PASTED[:n]))
            end = len(self._rest) - held
        return Pasted(self._rest[:end]), end
