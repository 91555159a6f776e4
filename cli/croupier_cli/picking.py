"""The keyboard on a list of choices: arrows, or the number of the card itself."""

from collections.abc import Callable, Sequence

from croupier.v1 import games_pb2

_STEPS = {"left": -1, "right": 1, "up": -1, "down": 1, "tab": 1}


class Picking:
    """Which of the present choices the keyboard is on. `typed`: what a player types for a choice, and its number."""

    def __init__(self, typed: Callable[[games_pb2.Action, int], str]) -> None:
        self._typed = typed
        self._window = ""
        self._choices: Sequence[games_pb2.Action] = ()
        self._index = 0
        self._digits = ""

    def offer(self, window: str, choices: Sequence[games_pb2.Action]) -> None:
        """The present question; the keyboard stays where it is as long as the question does."""
        if window != self._window or len(choices) != len(self._choices):
            self._index = min(self._index, max(0, len(choices) - 1)) if window == self._window else 0
            self._digits = ""
        self._window, self._choices = window, choices

    @property
    def picked(self) -> games_pb2.Action | None:
        """The choice that the keyboard is on; None if there is nothing to choose."""
        return self._choices[self._index] if self._choices else None

    def press(self, key: str) -> str | None:
        """Move by a key. Answers what there is to say about it, maybe nothing; None for a key that does not move."""
        if not self._choices:
            return None
        if key in _STEPS:
            self._index = (self._index + _STEPS[key]) % len(self._choices)
        elif key in ("home", "end"):
            self._index = 0 if key == "home" else len(self._choices) - 1
        elif key in ("backspace", "escape"):
            self._digits = self._digits[:-1] if key == "backspace" else ""
            return f"Number: {self._digits}_" if self._digits else ""
        elif key.isascii() and key.isdigit():
            return self._type(key)
        else:
            return None
        self._digits = ""
        return ""

    def _type(self, digit: str) -> str:
        names = [self._typed(choice, number) for number, choice in enumerate(self._choices, 1)]
        if not any(names):
            return "Use the arrow keys here."
        # A digit that leads nowhere begins a new number.
        self._digits += digit
        if not any(name.startswith(self._digits) for name in names):
            wrong, self._digits = self._digits, digit
            if not any(name.startswith(digit) for name in names):
                self._digits = ""
                return f"There is no {wrong} to choose. There is {', '.join(names[:12])}."
        if self._digits in names:
            self._index = names.index(self._digits)
            return ""
        return f"Number: {self._digits}_"
