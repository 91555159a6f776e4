"""Durak: a change under way, from a state to the next with the events that tell of it."""

from dataclasses import replace
from typing import Any

from croupier_engine.cards import rank, sort
from croupier_engine.durak.model import Cards, Pair, Phase, State
from croupier_engine.durak.questions import on_table
from croupier_engine.game import Event, Seat, Step


class Move:
    """`state` is what came of the steps so far."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.events: list[Event] = []

    def step(self) -> Step[State]:
        """What came of it."""
        return Step(self.state, tuple(self.events))

    def tell(self, name: str, payload: object, private: dict[Seat, object] | None = None) -> None:
        """Something happened: `durak.<name>`."""
        self.events.append(Event(f"durak.{name}", payload, private or {}))

    def set(self, **changes: Any) -> None:
        """Change the state."""
        self.state = replace(self.state, **changes)

    def bout(self, **changes: Any) -> None:
        """Change the bout."""
        self.state = replace(self.state, bout=replace(self.state.bout, **changes))

    def series(self, **changes: Any) -> None:
        """Change the series."""
        self.state = replace(self.state, series=replace(self.state.series, **changes))

    def ask(self, phase: Phase) -> None:
        """Ask a new question."""
        self.state = replace(
            self.state, phase=phase, bout=replace(self.state.bout, questions=self.state.bout.questions + 1)
        )

    def give(self, seat: Seat, cards: Cards) -> None:
        """Add cards to a hand."""
        hands = list(self.state.hands)
        hands[seat] = sort((*hands[seat], *cards))
        self.set(hands=tuple(hands))

    def lay(self, seat: Seat, cards: Cards) -> None:
        """Lay attack cards from a hand."""
        new = tuple([Pair(card, seat) for card in cards])
        self._from_hand(seat, cards, (*self.state.bout.table, *new))

    def cover(self, seat: Seat, attack: str, card: str) -> None:
        """Lay a card from a hand on an attack card."""
        table = tuple([replace(pair, cover=card) if pair.attack == attack else pair for pair in self.state.bout.table])
        self._from_hand(seat, (card,), table)

    def _from_hand(self, seat: Seat, cards: Cards, table: tuple[Pair, ...]) -> None:
        state = self.state
        known = {rank(card) for card in on_table(state.bout)}
        hands = list(state.hands)
        hands[seat] = tuple([card for card in hands[seat] if card not in cards])
        bout = state.bout
        self.state = replace(
            state,
            hands=tuple(hands),
            bout=replace(
                bout,
                table=table,
                passed=(),  # a pass holds until a new card lies, one ahead of its turn until a new rank does [7]
                ahead=bout.ahead if all(rank(card) in known for card in cards) else (),
                laid=(*[other for other in bout.laid if other != seat], seat),
            ),
        )
