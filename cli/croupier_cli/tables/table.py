"""What the terminal has to know of a game."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from croupier.v1 import games_pb2, matches_pb2
from croupier_cli.terminal.ink import Line, short

_BRIEF_CELLS = 12


@dataclass(slots=True)
class Scene:
    """A match as its viewer may see it now, and what he has just been told of it."""

    match: matches_pb2.Match
    events: list[matches_pb2.Event] = field(default_factory=list)  # the latest, oldest first

    @property
    def view(self) -> games_pb2.View:
        """What the viewer may know."""
        return self.match.you.view

    @property
    def window(self) -> matches_pb2.Window | None:
        """The present question; None before the start and after the end."""
        return self.match.you.window if self.match.you.HasField("window") else None

    @property
    def seat(self) -> int | None:
        """The viewer's seat; None for a spectator."""
        return self.match.you.seat if self.match.you.HasField("seat") else None

    @property
    def resigned(self) -> bool:
        """The viewer has given up."""
        return self.seat is not None and self.match.seats[self.seat].resigned

    @property
    def choices(self) -> Sequence[games_pb2.Action]:
        """The viewer's legal actions; empty if he is not asked."""
        return self.match.you.window.choices

    def name(self, seat: int) -> str:
        """What a seat is called."""
        if seat >= len(self.match.seats):
            return f"seat {seat}"
        return self.match.seats[seat].display_name or f"seat {seat}"

    def brief(self, seat: int) -> str:
        """The name, short enough for ten of them on a screen."""
        return short(self.name(seat), _BRIEF_CELLS)

    def names(self, seats: Sequence[int]) -> str:
        """Several seats: "Ann, Bea and Cid"; the viewer is "you", and the last."""
        ordered = [self.brief(seat) for seat in seats if seat != self.seat] + ["you"] * (self.seat in seats)
        return " and ".join(filter(None, (", ".join(ordered[:-1]), ordered[-1]))) if ordered else "nobody"


@dataclass(frozen=True, slots=True)
class Typing:
    """What a line that is typed now becomes: its name, how many characters it may have, and the act that it makes."""

    what: str
    most: int
    act: Callable[[str], games_pb2.Action]


@dataclass(frozen=True, slots=True)
class KeyAct:
    """An act with a key of its own, as Keys names it, and what the key bar says of it."""

    key: str
    words: str
    act: games_pb2.Action


class Speech(Protocol):
    """What is told of a game whose acts are typed texts. There letters and digits are never commands."""

    def typing(self, scene: Scene) -> Typing | None:
        """What the viewer may type now; None: nothing."""

    def choices(self, scene: Scene) -> Sequence[games_pb2.Action]:
        """Acts of one kind, one of which the arrows go to; the last is the one to begin with."""

    def keys(self, scene: Scene, picked: games_pb2.Action | None) -> Sequence[KeyAct]:
        """What else can be done. Enter can be one of the keys: that of an empty line."""

    def taken(self, text: str, events: Sequence[matches_pb2.Event]) -> str:
        """What there is to say about a line that the table has taken, by what came of it; empty: nothing."""


class GameTable(Protocol):
    """One game in a terminal. Lines are drawn for a width in cells; `picked` is the choice that the keyboard is on."""

    title: str
    bots: str  # levels of those that sit down if nothing is said; empty: what is usual
    speech: Speech | None  # None: acts are chosen from a list

    def heading(self, scene: Scene) -> str:
        """How far the game is: "deal 1, trick 3 of 10"."""

    def table(self, scene: Scene, picked: games_pb2.Action | None, width: int) -> list[Line]:
        """What lies on the table, and the seats with their scores: at most 15 lines at the largest table."""

    def hand(self, scene: Scene, picked: games_pb2.Action | None, width: int) -> list[Line]:
        """The viewer's own cards, or what else he chooses from."""

    def question(self, scene: Scene) -> str:
        """What the viewer is asked, and how to answer."""

    def typed(self, action: games_pb2.Action, number: int) -> str:
        """What digits are typed to get to a choice, which is the `number`th of those there are; empty: none."""

    def story(self, scene: Scene, width: int) -> list[Line]:
        """What happened of late, the latest last, as lines."""

    def told(self, scene: Scene, event: matches_pb2.Event) -> str:
        """An event in a line, for those who read a log; empty if there is nothing to say."""

    def help(self) -> Sequence[str]:
        """The game in a few lines of at most 76 characters, and what the marks on the table mean."""

    def notation(self, payload: Any) -> str:
        """A payload of the engine in card notation."""

    def act(self, action: Any) -> str:
        """An action of the engine in card notation."""
