"""6 nimmt!: the cards and their bullheads [1]."""

from croupier_engine.six_nimmt.model import HAND, ROWS, Cards, Options

STANDARD_SIZE = 104


def _bulls(card: int) -> int:
    if card == 55:
        return 7
    if card % 11 == 0:
        return 5
    if card % 10 == 0:
        return 3
    return 2 if card % 5 == 0 else 1


_BULLS = (0, *(_bulls(card) for card in range(1, STANDARD_SIZE + 1)))


def bulls(card: int) -> int:
    """Bullheads on a card of 1..104 [1.2]."""
    return _BULLS[card]


def total(cards: tuple[int, ...]) -> int:
    """Bullheads on several cards."""
    return sum([_BULLS[card] for card in cards])


def deck_size(options: Options, seats: int) -> int:
    """Number of cards in play; they are 1..size [1.1, 6]."""
    return STANDARD_SIZE if options.cards is Cards.STANDARD else HAND * seats + ROWS
