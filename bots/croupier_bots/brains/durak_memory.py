"""What a player of Durak may know who watches: his table, which cards are gone, and what others are known to hold."""

from collections.abc import Sequence

from croupier.v1 import durak_pb2 as pb
from croupier.v1 import matches_pb2
from croupier_bots.brains.durak_cards import NUMBERS, PACKS, hand_of


class Memory:
    """Sets of cards are sets of bits."""

    def __init__(self) -> None:
        self.options = pb.DurakOptions()
        self.seat = 0
        self._gone = 0  # in the discard
        self._held: dict[int, int] = {}  # cards that a seat is known to hold

    def sit(self, match: matches_pb2.Match) -> None:
        """Note how it is played, and where."""
        self.options = match.options.durak
        self.seat = match.you.seat

    def note(self, events: Sequence[matches_pb2.Event]) -> None:
        """Take in what happened, as everybody may see it."""
        for event in events:
            told = event.durak
            match told.WhichOneof("event"):
                case "dealt":
                    self._gone, self._held = 0, {}
                case "first_attacker" if told.first_attacker.HasField("card"):
                    self._hold(told.first_attacker.seat, [told.first_attacker.card])
                case "led":
                    self._lay(told.led.seat, told.led.cards)
                case "beaten":
                    self._lay(told.beaten.seat, [told.beaten.card])
                case "transferred":
                    self._lay(told.transferred.seat, told.transferred.cards)
                case "thrown":
                    self._lay(told.thrown.seat, told.thrown.cards)
                case "taken":
                    self._hold(told.taken.seat, told.taken.cards)
                case "bito":
                    self._gone |= hand_of(told.bito.cards)
                case "drew":
                    self._hold(told.drew.seat, told.drew.cards)

    def _hold(self, seat: int, cards: Sequence[str]) -> None:
        self._held[seat] = self._held.get(seat, 0) | hand_of(cards)

    def _lay(self, seat: int, cards: Sequence[str]) -> None:
        self._held[seat] = self._held.get(seat, 0) & ~hand_of(cards)

    def hidden(self, view: pb.DurakView) -> int:
        """All cards that others hold or that lie in the talon."""
        seen = self._gone | hand_of(view.hand)
        for pair in view.table:
            seen |= 1 << NUMBERS[pair.attack] | (1 << NUMBERS[pair.cover] if pair.HasField("cover") else 0)
        return PACKS[self.options.deck] & ~seen

    def known(self, seat: int) -> int:
        """What a seat is known to hold, of cards that lay open."""
        return self._held.get(seat, 0)

    def hand_of(self, seat: int, view: pb.DurakView) -> int | None:
        """The whole hand of a seat, where it can be told: all is drawn, and nobody else has cards that are not seen."""
        hidden = self.hidden(view)
        if view.talon_size:
            return None
        others = 0
        for other, size in enumerate(view.hand_sizes):
            if other in (seat, self.seat) or not size:
                continue
            if self.known(other).bit_count() != size:
                return None
            others |= self.known(other)
        hand = hidden & ~others
        return hand if hand.bit_count() == view.hand_sizes[seat] else None
