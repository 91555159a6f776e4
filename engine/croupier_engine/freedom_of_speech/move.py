"""Freedom of Speech: a change under way, from a state to the next with the events that tell of it."""

from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from croupier_engine.freedom_of_speech.model import Card, State, Team
from croupier_engine.game import OPEN, Event, Seat, Step


class Move:
    """`state` is what came of the steps so far; the state that the move began with stays as it was. `at`: server ms."""

    def __init__(self, state: State, at: int) -> None:
        self.state = state
        self.at = at
        self.events: list[Event] = []

    def step(self) -> Step[State]:
        """What came of it."""
        return Step(self.state, tuple(self.events))

    def tell(self, name: str, payload: object, private: dict[Seat, object] | None = None) -> None:
        """Something happened: `freedom_of_speech.<name>`."""
        self.events.append(Event(f"freedom_of_speech.{name}", payload, MappingProxyType(private) if private else OPEN))

    def set(self, **changes: Any) -> None:
        """Change the state."""
        self.state = replace(self.state, **changes)

    def bury(self, *cards: Card) -> None:
        """Put cards on the dead pile. Clues that may still be flagged are about them no more."""
        clues = tuple(replace(clue, card=None) if clue.card in cards else clue for clue in self.state.open_clues)
        self.set(dead=(*self.state.dead, *cards), open_clues=clues)

    def pile(self, team: Team, cards: tuple[Card, ...]) -> None:
        """Change a team's pile."""
        first, second = self.state.piles
        self.set(piles=(cards, second) if team == 0 else (first, cards))
