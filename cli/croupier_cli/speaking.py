"""The keyboard where acts are typed texts: a line, and keys that no text needs."""

from collections.abc import Sequence
from typing import TypeAlias

from croupier.v1 import games_pb2
from croupier_cli.tables.table import KeyAct, Scene, Speech, Typing
from croupier_cli.terminal.ink import cells

Sent: TypeAlias = tuple[str, tuple[str, str]]
"""A line, and what it was for: the window, and what was typed in it."""


class Speaking:
    """A line that is typed, and which of the choices the arrows are on.

    A line is for the question that it was begun for. As long as there is one, the keyboard is its own: also when
    nobody takes it any more, since fingers are not as fast as the table.
    """

    def __init__(self, speech: Speech) -> None:
        self._speech = speech
        self._scene: Scene | None = None
        self._typing: Typing | None = None
        self._text = ""
        self._for = self._asked = ("", "")  # window and what is typed: when the line was begun, and now
        self.sent: Sent = ("", self._asked)  # the line of the last act, and what it was for; empty for one by a key
        self._choices: Sequence[games_pb2.Action] = ()
        self._chosen: games_pb2.Action | None = None  # by an arrow

    def offer(self, scene: Scene, *, asked: bool) -> None:
        """The match as it is now; `asked`: whether the viewer may act at all."""
        self._scene = scene if asked else None
        self._typing = self._speech.typing(scene) if asked else None
        self._choices = self._speech.choices(scene) if asked else ()
        window = scene.window.id if scene.window is not None else ""
        self._asked = (window, self._typing.what if self._typing is not None else "")

    @property
    def text(self) -> str:
        """What is typed so far."""
        return self._text

    @property
    def line(self) -> str | None:
        """What is to be drawn of it; None: there is no line."""
        return None if self._typing is None and not self._text else self._text

    @property
    def picked(self) -> games_pb2.Action | None:
        """The choice that the arrows are on: the latest, unless an arrow has gone to one that is still there."""
        if self._chosen is not None and self._chosen in self._choices:
            return self._chosen
        return self._choices[-1] if self._choices else None

    def bar(self) -> str:
        """Which keys do what, without those that work always."""
        parts = []
        if self._text:
            parts += ["Enter sends"] * (self._typing is not None) + ["Esc clears"]
        elif self._typing is not None:
            parts += [f"type a {self._typing.what}"]
        parts += [f"{shown(each.key)} {each.words}" for each in self._acts()]
        return "  ".join(parts)

    def press(self, key: str) -> str | games_pb2.Action | None:
        """An act to be done, or what there is to say about the key, maybe nothing; None for a key of no use here."""
        if key in ("up", "down") and self._choices:
            step = -1 if key == "up" else 1
            now = list(self._choices).index(self.picked) if self.picked is not None else 0
            self._chosen = self._choices[(now + step) % len(self._choices)]
            return ""
        for each in self._acts():
            if each.key == key:
                self.sent = ("", self._asked)
                return each.act
        if key == "enter":
            return self._enter()
        if key == "escape":
            self._text = ""
            return ""
        if key == "backspace":
            self._text = _without_last(self._text)
            return ""
        if key == "space" or len(key) == 1:
            return self.put(" " if key == "space" else key)
        return None

    def put(self, text: str) -> str:
        """Type or paste some text; what there is to say about it."""
        if self._typing is None:
            if self._text:
                return "Too late: nobody takes this now. Escape clears it."
            return "There is nothing for you to say now."
        if not self._text:
            self._for = self._asked
        text = self._text + "".join(each if each.isprintable() else " " for each in text)
        text = text.lstrip()
        self._text = text[: self._typing.most]
        return f"A {self._typing.what} has at most {self._typing.most} characters." if self._text != text else ""

    def give_back(self, sent: Sent) -> None:
        """What was sent was not taken: here it is again, if the same is asked still and nothing else is typed."""
        text, asked = sent
        if not self._text and asked == self._asked:
            self._text, self._for = text, asked

    def _acts(self) -> list[KeyAct]:
        """What can be done by a key; Enter belongs to the line as long as there is one."""
        if self._scene is None:
            return []
        return [each for each in self._speech.keys(self._scene, self.picked) if each.key != "enter" or not self._text]

    def _enter(self) -> str | games_pb2.Action:
        if not self._text:
            return "There is nothing for you to say now." if self._typing is None else "Type first; Enter sends it."
        if self._typing is None:
            self._text = ""
            return "That was too late to be sent."
        if self._for != self._asked:
            self._for = self._asked
            return f"Something else is asked now. Enter sends it as a {self._typing.what}, Escape clears it."
        self.sent, self._text = (self._text, self._asked), ""
        return self._typing.act(self.sent[0].rstrip())


def shown(key: str) -> str:
    """What a key is called in the key bar: Enter, ^K."""
    return f"^{key[-1].upper()}" if key.startswith("ctrl-") else key.capitalize()


def _without_last(text: str) -> str:
    """Without the last character, and with it the marks that stand on it."""
    while text and not cells(text[-1]):
        text = text[:-1]
    return text[:-1]
