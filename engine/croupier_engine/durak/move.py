"""Durak: a change under way, from a state to the next with the events that tell of it."""

from types import MappingProxyType
from typing import Any

from msgspec.structs import force_setattr, replace

from croupier_engine.cards import rank, sort
from croupier_engine.durak.model import Cards, Pair, Phase, State
from croupier_engine.durak.questions import on_table
from croupier_engine.game import OPEN, Event, Seat, Step

# `force_setattr` changes a value that nobody else has yet; it is frozen for everybody else.


class Move:
    """`state` is what came of the steps so far: a copy of its own, changed in place until it is handed out.

    So what was read of it before a step may be old news after it; the state that the move began with stays as it was.
    """

    __slots__ = ("events", "state")

    def __init__(self, state: State) -> None:
        self.state = replace(state, bout=replace(state.bout))
        self.events: list[Event] = []

    def step(self) -> Step[State]:
        """What came of it. Nothing may be changed any more."""
        return Step(self.state, tuple(self.events))

    def tell(self, name: str, payload: object, private: dict[Seat, object] | None = None) -> None:
        """Something happened: `durak.<name>`."""
        self.events.append(Event(f"durak.{name}", payload, MappingProxyType(private) if private else OPEN))

    def set(self, **changes: Any) -> None:
        """Change the state."""
        state = self.state
        for name in changes:
            force_setattr(state, name, changes[name])

    def bout(self, **changes: Any) -> None:
        """Change the bout."""
        bout = self.state.bout
        for name in changes:
            force_setattr(bout, name, changes[name])

    def series(self, **changes: Any) -> None:
        """Change the series."""
        series = replace(self.state.series)
        for name in changes:
            force_setattr(series, name, changes[name])
        force_setattr(self.state, "series", series)

    def ask(self, phase: Phase) -> None:
        """Ask a new question."""
        force_setattr(self.state, "phase", phase)
        force_setattr(self.state.bout, "questions", self.state.bout.questions + 1)

    def give(self, seat: Seat, cards: Cards) -> None:
        """Add cards to a hand."""
        hands = list(self.state.hands)
        hands[seat] = sort((*hands[seat], *cards))
        force_setattr(self.state, "hands", tuple(hands))

    def lay(self, seat: Seat, cards: Cards) -> None:
        """Lay attack cards from a hand."""
        self._from_hand(seat, cards, (*self.state.bout.table, *[Pair(card, seat) for card in cards]))
        self.bout(last=len(cards))

    def cover(self, seat: Seat, attack: str, card: str) -> None:
        """Lay a card from a hand on an attack card."""
        table = [Pair(p.attack, p.seat, card) if p.attack == attack else p for p in self.state.bout.table]
        self._from_hand(seat, (card,), tuple(table))

    def _from_hand(self, seat: Seat, cards: Cards, table: tuple[Pair, ...]) -> None:
        """The table is the new one; a pass holds until a new card lies, one ahead until a new rank does [7]."""
        state, bout = self.state, self.state.bout
        hands = list(state.hands)
        hands[seat] = tuple([card for card in hands[seat] if card not in cards])
        laid = (*[other for other in bout.laid if other != seat], seat)
        if bout.ahead and not {rank(card) for card in cards} <= {rank(card) for card in on_table(bout)}:
            self.bout(ahead=())
        force_setattr(state, "hands", tuple(hands))
        self.bout(table=table, passed=(), laid=laid)
